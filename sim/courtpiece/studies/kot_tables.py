"""The tables of the study of kots, made from the rows of its chunks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from courtpiece.rules import Kot, Objective, Outcome, Redeal, RuleSet
from courtpiece.stats import Estimates, Method, few_apart, means, proportions, unlike
from courtpiece.studies.estimates import estimate_row
from courtpiece.studies.kot_rows import OUTCOMES, Integers

if TYPE_CHECKING:
    import polars as pl

SIDES = ("caller", "defender", "both")
MEASURES = (
    *OUTCOMES, "win", "kot", "points", "points-ahead", "tricks", "tens", "all-thirteen", "certain-claim"
)
BY_HAND = ("win", "kot", "all-thirteen", "points-ahead")
COMPARED = (("win", "caller"), ("kot", "caller"), ("kot", "defender"), ("points", "caller"),
            ("points", "defender"), ("points-ahead", "caller"))


class _Quantity(NamedTuple):
    """Something counted or averaged over deals: its value for each of some endings, in whole numbers."""

    measure: str
    side: str
    values: Integers
    chance: bool                        # the values are 0 and 1


def _quantities(rules: RuleSet, endings: pl.DataFrame, prefix: str = "") -> Iterator[_Quantity]:
    """Yields what can be said of endings by outcome and winner alone."""
    outcomes = [Outcome(text) for text in endings[f"{prefix}outcome"]]
    callers = (endings[f"{prefix}winner"] == "caller").to_numpy()
    scored = list(zip(outcomes, callers.tolist(), strict=True))
    points = np.array([rules.score_of(*ending) for ending in scored], np.int64)
    kots = np.array([rules.kots_of(*ending) > 0 for ending in scored], np.int64)
    won = {"caller": callers.astype(np.int64), "defender": 1 - callers}
    of_the_winner = (("win", np.ones_like(kots), True), ("kot", kots, True), ("points", points, False))
    for measure, values, chance in of_the_winner:
        for side in SIDES[:2]:
            yield _Quantity(measure, side, values * won[side], chance)
    yield _Quantity("points-ahead", "caller", points * (won["caller"] - won["defender"]), False)


def _all_quantities(rules: RuleSet, endings: pl.DataFrame) -> Iterator[_Quantity]:
    outcomes, winners = endings["outcome"].to_list(), endings["winner"].to_list()
    for outcome in Outcome:
        for side in _winners(rules, outcome):
            hit = [(was, by) == (outcome.value, side) for was, by in zip(outcomes, winners, strict=True)]
            yield _Quantity(outcome.value, side, np.array(hit, np.int64), True)
    yield from _quantities(rules, endings)
    if endings["all_thirteen"].null_count():
        return                          # the deals were solved, not played
    for side in SIDES[:2]:
        took = (endings["all_thirteen"] == side).to_numpy().astype(np.int64)
        yield _Quantity("all-thirteen", side, took, True)
    for what in ("tricks", "tens") if rules.objective is Objective.TENS else ("tricks",):
        for side in SIDES[:2]:
            yield _Quantity(what, side, endings[f"{side}_{what}"].to_numpy().astype(np.int64), False)


def _winners(rules: RuleSet, outcome: Outcome) -> Sequence[str]:
    """Returns the sides that can win a deal with this outcome under the rules."""
    by_tens = outcome in (Outcome.THREE_TENS, Outcome.TWO_TENS, Outcome.FOUR_TENS, Outcome.WHITEWASH)
    if outcome is Outcome.REDEAL or by_tens != (rules.objective is Objective.TENS):
        return ()
    if by_tens:
        return SIDES[:2]
    if outcome is Outcome.CLAIM_MADE:
        return SIDES[:2] if rules.claim else ()
    if outcome in (Outcome.CALLER_KOT, Outcome.DEFENDER_KOT) and rules.kot is Kot.NONE:
        return ()
    return SIDES[:1] if outcome in (Outcome.CALLER_WIN, Outcome.CALLER_KOT) else SIDES[1:2]


def estimates(rules: RuleSet, counts: pl.DataFrame) -> Iterator[dict[str, Any]]:
    """Yields the rows of the summary for one rule set and line-up."""
    everything = int(counts["deals"].sum())
    played = counts.filter(counts["outcome"] != Outcome.REDEAL.value)
    deals = played["deals"].to_numpy()
    for quantity in _all_quantities(rules, played):
        yield _row(quantity, int(deals.sum()), deals, Method.WILSON if quantity.chance else Method.T)
    asked = played.drop_nulls("certain_claim")
    if len(asked):
        n = asked["deals"].to_numpy()
        for side in SIDES[:2]:
            values = (asked["certain_claim"] == side).to_numpy().astype(np.int64)
            certain = _Quantity("certain-claim", side, values, True)
            yield _row(certain, int(n.sum()), n, Method.WILSON)
    if rules.redeal is not Redeal.OFF:
        redeals = everything - int(deals.sum())
        yield _told("redeal", "both", everything, proportions(redeals, everything), Method.WILSON)


def by_holding(rules: RuleSet, hands: pl.DataFrame) -> Iterator[dict[str, Any]]:
    """Yields the rows of the table of holdings for one rule set and line-up."""
    dimensions = ["length", "honours"]
    parts = hands.sort(dimensions).partition_by(dimensions, as_dict=True, maintain_order=True)
    for (length, honours), part in parts.items():
        for row in estimates(rules, part):
            if row["measure"] in BY_HAND:
                yield {"length": length, "honours": honours, **row}


def compared(
    rules: RuleSet, others: RuleSet, counts: pl.DataFrame, prefix: str
) -> Iterator[dict[str, Any]]:
    """Yields the rows of differences from what the prefix's columns tell, over deals that both played."""
    redeal = Outcome.REDEAL.value
    both = counts.filter((counts["outcome"] != redeal) & (counts[f"{prefix}outcome"] != redeal))
    deals = both["deals"].to_numpy()
    pairs = zip(_quantities(rules, both), _quantities(others, both, prefix), strict=True)
    for ours, theirs in pairs:
        if (ours.measure, ours.side) in COMPARED:
            apart = ours._replace(values=ours.values - theirs.values)
            yield _row(apart, int(deals.sum()), deals, Method.PAIRED_T)


def _row(quantity: _Quantity, n: int, deals: Integers, method: Method) -> dict[str, Any]:
    unsure = few_apart(unlike(quantity.values, deals), n)
    values, deals = quantity.values.astype(object), deals.astype(object)    # whole numbers of any length
    total, squares = int(values @ deals), int(values**2 @ deals)
    found = proportions(total, n) if method is Method.WILSON else means(n, total, squares, unsure=unsure)
    return _told(quantity.measure, quantity.side, n, found, method)


def _told(measure: str, side: str, n: int, found: Estimates, method: Method) -> dict[str, Any]:
    return {"measure": measure, "side": side, **estimate_row(found, n, method)}
