"""Every interval that a study prints holds the truth as often as it says, in repeated small runs.

What is looked at are all intervals of all tables, found by the names of columns (`tests.studies.coverage`);
the truth is exact where it is known, else a run twenty or forty times as large, or for a book's calls the
book that comes with the package.  Of what a run chose (a policy, a call, a rule of thumb) it is that of
this very choice.

How it is judged.  Runs of different seeds are independent, rows of one run are not.  So of every kind of
interval (study, table, column) each run counts once, with the share of its intervals that hold the truth,
or for intervals that hold all at once with whether all do; what is printed as unknown claims nothing and
does not count.  A kind fails when the mean of these shares lies below what is asked by more than Student's
t allows with a chance of 1 in 1,000; shares are skewed to the left, for which that is careful.  A row
fails when its misses are more than binomial luck allows with the same chance, shared out among the rows of
the kind.

What is asked is 95 %, less two things.  The truth has an error of its own, r times that of the intervals:
were it off by three of its errors, d = 3r, coverage would fall by 0.115 d², by the slopes of the normal
density at both ends, so about r².  And Wilson's, Student's and the delta method's intervals are
approximate: they may lose 1.5 points, as `tests/test_stats.py` shows for the first two where the
distribution is known.

COURTPIECE_COVERAGE is how many seeds are run (8 by default; of slow studies some part of them).
"""

from __future__ import annotations

import os
from functools import cache
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats as scipy_stats

from courtpiece.advice import Advice
from courtpiece.advice import call as advise
from courtpiece.books import shipped
from courtpiece.players import parse_lineup
from courtpiece.rules import name_of, preset
from courtpiece.stats import LEVEL
from courtpiece.studies import names, rules_of_thumb, thumb_rules
from courtpiece.studies.hands import random_hands
from courtpiece.studies.options_tables import NEVER, judged
from courtpiece.studies.thumb_hands import ThumbHands
from courtpiece.studies.trump_sample import BEST, QUALITIES, Sample
from tests.studies.coverage import HEADLINE, TRUTH, Case, Kind, Ran, Row, Truth, intervals, measure

SEEDS = int(os.environ.get("COURTPIECE_COVERAGE", "8"))
FALSE_ALARM = 1e-3
APPROXIMATE = 0.015                     # what approximate methods may lose
HANDS = ["AS KS 5S 2H 9D", "QS JS 5H 2H 9D", "2S 3H 4D 5C 6S", "AS AH AD AC KS", "TS 9S 8S 7S 2C",
         "KS QH JD 9C 4C", "AS 3S 4H 7H QD", "KS QS JH TH 3C"]


# --- the truth of what a run chose -------------------------------------------------------------------


def of_tosses(large: Ran, small: Ran) -> Truth:
    exact = {
        (str(row["rules"]), row["measure"], row["seat"]): int(row["numerator"]) / int(row["denominator"])
        for row in small.tables["exact"].iter_rows(named=True)
    }

    def truth(table: str, row: Row, column: str) -> float | None:
        return exact[str(row["rules"]), row["measure"], row["seat"]] if table == "summary" else row["exact"]

    return truth


def of_callers(large: Ran, small: Ran) -> Truth:
    def truth(table: str, row: Row, column: str) -> float | None:
        return row.get("exact")         # where all hands can be counted

    return truth


def of_pairs(large: Ran, small: Ran) -> Truth:
    told = large.tables["pairs"].row(0, named=True)
    won = (told["both"] + told["one"] / 2) / (told["both"] + told["one"] + told["neither"])

    def truth(table: str, row: Row, column: str) -> float | None:
        return won if table == "pairs" else None

    return truth


def of_options(large: Ran, small: Ran) -> Truth:
    """The policies of the small run, judged on the deals of the larger one."""
    truths: dict[tuple[str, ...], Any] = {}
    values: dict[tuple[str, ...], dict[str, float]] = {}
    p: Any = small.p
    for subject in p.subjects:
        who = {"rules": name_of(subject.rules), "players": str(subject.lineup), "right": subject.right}
        key = tuple(who.values())
        there, here = (judged(subject, ran.rows.filter(**who)) for ran in (large, small))
        there.best = here.best
        values[key] = {row["measure"]: row["value"] for row in there.summary()}
        truths[key] = there

    def truth(table: str, row: Row, column: str) -> float | None:
        key = str(row["rules"]), str(row["players"]), str(row["right"])
        if table == "curves":
            value: float = truths[key].compare(row["threshold"], NEVER, truths[key].halves)["value"]
            return value
        return values[key][row["measure"] if table == "summary" else column.replace("_", "-")]

    return truth


def of_hands(large: Ran, small: Ran) -> Truth:
    """The calls that the small run chose, on the deals of the larger one."""
    (rules,), (lineup,) = small.p.rules, small.p.players
    ours, theirs = (
        Sample.of(ran.rows.sort("hand", "half", "place"), rules, lineup) for ran in (small, large)
    )
    deals = theirs.deals.sum(axis=1)[:, None]
    mean = {quality: theirs.sums[column].sum(axis=1) / deals for quality, column in QUALITIES.items()}
    shapes = small.tables["hands"]["shape"].cast(str).to_numpy()

    def when(quality: str, weights: Any) -> Any:
        return (mean[quality][:, None, :] * weights).sum(axis=-1).mean(axis=-1)

    def of_hand(row: Row, column: str) -> float:
        hand = ours.cards.index(row["cards"])
        best = [words[0] for words in ours.words[hand]].index(str(row["best"]))
        if column == "lead":
            points = mean["points_ahead"][hand]
            return float(points[best] - points[ours.ranked[hand, 0, 1]])
        if column.endswith("_regret"):
            lost = ours.best - ours.policies[column.removesuffix("_regret")]
            return float(when("points_ahead", lost)[hand])
        return float(mean[column][hand, best])

    def truth(table: str, row: Row, column: str) -> float | None:
        if table in ("hands", "extremes", HEADLINE):
            return of_hand(row, column)
        if table == "summary" and row["measure"] != "agreement":
            weights = ours.best if row["policy"] == BEST else ours.policies[row["policy"]]
            if row["measure"] == "regret":
                return float(when("points_ahead", ours.best - weights).mean())
            return float(when(row["measure"], weights).mean())
        if table == "shapes" and column in QUALITIES:
            return float(when(column, ours.best)[shapes == row["shape"]].mean())
        return None

    return truth


@cache
def calls_of_the_book() -> dict[tuple[int, str], dict[str, float]]:
    book = shipped(preset("single-sir"), parse_lineup("greedy"))
    assert book is not None
    table = book.table()
    n = pl.col("deals")
    told = table.select(
        "class", "call", win=pl.col("wins") / n, kot=pl.col("kots") / n, conceded=pl.col("conceded") / n,
        tricks=pl.col("tricks") / 100, points_ahead=book.rows()["points_ahead"],
    )
    return {(row.pop("class"), row.pop("call")): row for row in told.to_dicts()}


def of_book(large: Ran, small: Ran) -> Truth:
    known = calls_of_the_book()
    best = dict(small.tables["book"].filter(rank=0).select("class", "call").iter_rows())

    def truth(table: str, row: Row, column: str) -> float | None:
        if table != "book":
            return None
        value = known[row["class"], row["call"]]
        if column == "behind":
            return known[row["class"], best[row["class"]]]["points_ahead"] - value["points_ahead"]
        return value[column]

    return truth


_MADE: dict[int, ThumbHands] = {}


def _every(large: Ran) -> ThumbHands:
    if id(large.rows) not in _MADE:
        _MADE[id(large.rows)] = ThumbHands(large.rows.sort("class", "role"))
    return _MADE[id(large.rows)]


def of_thumb(large: Ran, small: Ran) -> Truth:
    """The rules that the small run made, on the hands of the larger one."""
    every = _every(large)
    hands, nothing = ThumbHands(small.rows.sort("class", "role")), np.zeros(len(every))
    values: dict[tuple[str, str], dict[str, float]] = {}
    for question in hands.questions:
        fitted = rules_of_thumb._distilled(hands, question)
        blind = [rules_of_thumb._distilled(hands.part(np.arange(len(hands)) % 2 == half), question)
                 for half in (0, 1)]
        worth = float(every.mean(every.worth(every.best(question)), nothing).value)
        for rule in (*thumb_rules.folk(question), *thumb_rules.callers(question), *fitted.values()):
            cost = float(every.mean(*rule.cost(every, question)).value)
            agreement = float(every.mean(rule.share(every, question), nothing).value)
            told = {"cost": cost, "agreement": agreement, "points_ahead": worth - cost}
            if rule.name in fitted:
                costs = [every.mean(*made[rule.name].cost(every, question)).value for made in blind]
                told["held_out"] = float(np.mean(costs))
            values[question, rule.name] = told
    by_words = {(row["question"], row["words"]): row["rule"]
                for row in small.tables["rules"].iter_rows(named=True)}

    def truth(table: str, row: Row, column: str) -> float | None:
        name = by_words[row["question"], row["rule"]] if table == HEADLINE else row["rule"]
        return values[row["question"], name][row["measure"] if table == "summary" else column]

    return truth


# --- the small runs ----------------------------------------------------------------------------------

AT_ONCE = "sure_low to sure_high"
SIMULTANEOUS = "simultaneous_low to simultaneous_high"
CASES = (
    Case(study="kot-frequency", given={"rules": ["single-sir", "bavan", "mendikot"]}, units=2000),
    Case(study="kot-frequency", name="kot-frequency with open cards", given={"players": "double-dummy"},
         units=300, times=20, slow=2, without=("holdings",)),
    Case(study="options", given={"rules": ["single-sir", "bavan", "hidden-trump"]}, units=600,
         special=of_options, chosen={"policies": ("policy", "on_odd"), HEADLINE: ("policy",)}),
    Case(study="conventions", given={}, units=1000, at_once={("together", AT_ONCE): ("measure",)}),
    Case(study="duel", given={"compare": 30}, units=200, of_truth={"compare": 1200}, special=of_pairs),
    Case(study="duel", name="duel of matches", units=100, special=of_pairs,
         given={"play": "matches", "compare": 0, "rules": "single-sir,target=3"}),
    Case(study="ladder", given={}, units=400, times=20, slow=2),
    Case(study="toss", given={}, units=200, times=1, special=of_tosses),
    Case(study="variants", given={"rules": ["single-sir", "classic,target=3", "mendikot"]}, units=1000,
         at_once={("differences", SIMULTANEOUS): ()}),
    Case(study="variants", name="variants around a rule set", given={"around": "single-sir,target=3"},
         units=300, times=20, slow=2, at_once={("differences", SIMULTANEOUS): ()}),
    Case(study="rare-kots", given={}, units=4000, slow=2),
    Case(study="calls-that-lie", given={"more": 100, "draws": 50, "players": ["greedy"]}, units=25, times=8,
         of_truth={"more": 1000}, special=of_callers, at_once={("counting", AT_ONCE): ()}, slow=2),
    Case(study="trump-call", given={"deals": 20}, units=100, without=("hands", "calls", "extremes")),
    Case(study="trump-call", name="trump-call of given hands", given={"deals": 200, "hand": HANDS},
         units=len(HANDS), times=1, of_truth={"deals": 20_000}, special=of_hands,
         chosen={"hands": ("best", "next", "sure"), "extremes": ("best",), HEADLINE: ("best",)}),
    Case(study="trump-book", given={"deals": 100, "within": 0.3}, units=60, times=20, elsewhere=True,
         special=of_book, chosen={"map": ("role", "suit"), "book": ("rank",)}),
    Case(study="trump-book", name="trump-book tried with others", units=60, times=20, elsewhere=True,
         slow=2, given={"deals": 100, "within": 0.3, "against": ["simple"], "trials": 20},
         without=("summary", "map", "shapes", "book")),
    Case(study="rules-of-thumb", given={}, units=500, times=20, elsewhere=True, special=of_thumb, slow=4,
         chosen={"rules": ("words", "words_spelled", "size"), HEADLINE: ("words",), "summary": ("size",)}),
)


def test_every_study_is_among_them() -> None:
    assert {case.study for case in CASES} == set(names())


@pytest.mark.parametrize("case", CASES, ids=str)
def test_intervals_hold_the_truth_as_often_as_they_say(case: Case) -> None:
    kinds = measure(case, max(3, SEEDS // case.slow))
    assert any(kind.shares for kind in kinds.values())
    found = [fault for which, kind in kinds.items() for fault in faults(f"{case}, {', '.join(which)}", kind)]
    assert not found, "\n".join(found)


def faults(name: str, kind: Kind) -> list[str]:
    """Returns what is wrong with a kind of interval, by the rule that stands at the top."""
    runs, found = len(kind.shares), []
    asked = LEVEL - APPROXIMATE - (float(np.median(kind.looseness)) ** 2 if kind.looseness else 0.0)
    if runs > 1:
        error = float(np.std(kind.shares, ddof=1)) / runs**0.5
        if np.mean(kind.shares) < asked - scipy_stats.t.isf(FALSE_ALARM, runs - 1) * error:
            found.append(f"{name}: {np.mean(kind.shares):.3f} of {runs} seeds, {asked:.3f} asked")
    for row, held in kind.rows.items():
        misses = len(held) - sum(held)
        if scipy_stats.binom.sf(misses - 1, len(held), 1 - asked) < FALSE_ALARM / len(kind.rows):
            found.append(f"{name}, row {row}: {np.mean(held):.3f} of {len(held)} seeds, {asked:.3f} asked")
    return found


# --- advice on one hand ------------------------------------------------------------------------------


def told_of(advice: Advice, true: Advice) -> dict[str, bool]:
    """Returns of each estimate of an answer whether its interval holds what another answer says."""
    known = {call.words: call for call in true.calls}
    found = {}
    for call in advice.calls:
        for name, estimate in call.estimates.items():
            value = known[call.words].estimates[name].value
            found[f"{' '.join(call.words)}, {name}"] = estimate.low <= value <= estimate.high
    lead = known[advice.best.words].points.value - known[advice.runner_up.words].points.value
    return found | {"lead": advice.lead.low <= lead <= advice.lead.high}


def test_the_intervals_of_an_answer_hold_the_truth_as_often_as_they_say() -> None:
    kind = Kind(looseness=[(500 / 50_000) ** 0.5])
    true = {hand: advise(hand, deals=50_000, seed=TRUTH) for hand in HANDS[:3]}
    for seed in range(1, SEEDS + 1):
        held = [told_of(advise(hand, deals=500, seed=seed), answer) for hand, answer in true.items()]
        for hand, one in zip(true, held, strict=True):
            for name, holds in one.items():
                kind.rows.setdefault(f"{hand}, {name}", []).append(holds)
        kind.shares.append(float(np.mean([value for one in held for value in one.values()])))
    assert not faults("courtpiece call", kind)


def test_the_intervals_of_answers_from_the_book_hold_the_truth_as_often_as_they_say() -> None:
    book = shipped(preset("single-sir"), parse_lineup("greedy"))
    assert book is not None
    kind = Kind(looseness=[(2000 / 20_000) ** 0.5])
    for hand in random_hands(TRUTH, 0, SEEDS):
        told = told_of(book.advice(hand), advise(hand, deals=20_000, seed=TRUTH))
        kind.shares.append(float(np.mean(list(told.values()))))
    assert not faults("courtpiece call, from the book", kind)


# --- the judge itself --------------------------------------------------------------------------------


def test_intervals_are_found_by_the_names_of_columns() -> None:
    found = list(intervals(["rules", "value", "low", "high", "n", "win", "win_half_width", "plain",
                            "plain_low", "plain_high", "sure_low", "sure_high"]))
    assert [(one.value, one.low, one.high) for one in found] == [
        ("value", "low", "high"), ("win", "win_half_width", "win_half_width"),
        ("plain", "plain_low", "plain_high"), ("win", "sure_low", "sure_high"),
    ]
    row = {"value": 0.5, "low": 0.4, "high": 0.7, "win": 3.0, "win_half_width": 1.0, "plain": 1.0,
           "plain_low": -np.inf, "plain_high": np.inf, "sure_low": None, "sure_high": None}
    assert [one.ends(row) for one in found] == [(0.4, 0.7), (2.0, 4.0), None, None]


def test_an_interval_that_is_too_short_is_found_out() -> None:
    rng = np.random.default_rng(5)
    honest, short, one_row = Kind(), Kind(), Kind()
    for _ in range(12):
        error = rng.standard_normal(30)
        honest.shares.append(float(np.mean(np.abs(error) < 1.96)))
        short.shares.append(float(np.mean(np.abs(error) < 1.2)))
        for row, value in enumerate(error):
            one_row.rows.setdefault(str(row), []).append(bool(abs(value) < 1.96) and row != 7)
    assert faults("honest", honest) == []
    assert len(faults("short", short)) == 1
    assert faults("one row", one_row) == ["one row, row 7: 0.000 of 12 seeds, 0.935 asked"]
