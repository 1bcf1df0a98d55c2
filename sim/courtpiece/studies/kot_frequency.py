"""How often a deal ends in a kot, by rule set and players.

Every rule set and every line-up plays the same deals, so that rule sets can be compared deal by deal.
A chunk keeps how many deals ended in each way (outcome, winner, tricks, tens, all thirteen, certain claim),
together with what the caller held of the suit that he called, how the same deal ended under the first rule
set, and, where all four saw all cards, how it ended when the same callers sat with `greedy`: all that the
tables need.

All thirteen tricks by one side are counted under every rule set.  Where the rules stop at seven tricks, deals
in which one side has taken all so far are played on to the last card by the same players.

Where the rules have a claim of all thirteen (S4.32) it is also told how often one would be certain before the
first card: that side takes all tricks against any defence, all four hands open.  This is solved, not played.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from courtpiece.cards import RANKS, SUITS
from courtpiece.language import Mean, Sentence, Share
from courtpiece.rules import DealEnds, Kot, Objective, Outcome, Redeal, RuleSet, name_of
from courtpiece.stats import Estimates, Method, few_apart, means, proportions, unlike
from courtpiece.studies.estimates import estimate_row, with_estimates
from courtpiece.studies.study import ESTIMATE_COLUMNS, Column, Parameters, Study, combination, schema

if TYPE_CHECKING:
    import polars as pl

    from courtpiece.language import Words
    from courtpiece.players import Lineup
    from courtpiece.plots import Figure
    from courtpiece.table import Calls, Table

Integers: TypeAlias = NDArray[np.int64]

OUTCOMES = tuple(outcome.value for outcome in Outcome)
WINNERS = ("caller", "defender", "nobody")
SIDES = ("caller", "defender", "both")
MEASURES = (
    *OUTCOMES, "win", "kot", "points", "points-ahead", "tricks", "tens", "all-thirteen", "certain-claim"
)
BY_HAND = ("win", "kot", "all-thirteen", "points-ahead")
HONOURS = tuple("".join(mark if has else "-" for mark, has in zip("AKQ", held, strict=True))
                for held in product((False, True), repeat=3))
_LENGTHS = 6                            # of the suit called among five cards
_UNCALLED = _LENGTHS * len(HONOURS)     # the code of the hand where nobody called
COMPARED = (("win", "caller"), ("kot", "caller"), ("kot", "defender"), ("points", "caller"),
            ("points", "defender"), ("points-ahead", "caller"))

# A deal's result as one number: each part with how many values it has, most significant first.  The last
# value of tricks, tens and claims is that of what is not told.
_RADIX = (len(OUTCOMES), len(WINNERS), 15, 15, 6, 6, len(WINNERS) + 1, len(WINNERS) + 1)
_MOST = {"caller_tricks": 13, "defender_tricks": 13, "caller_tens": 4, "defender_tens": 4,
         "length": _LENGTHS - 1}
# The position in WINNERS, or after them, for what `Table.claims` tells of a deal.
_CLAIMED = np.full(256, len(WINNERS), np.int64)
_CLAIMED[[0, 1, 255]] = range(len(WINNERS))
_ENDINGS = prod(_RADIX[:2])             # outcomes and winners
_BESIDE = tuple(size + 1 for size in _RADIX[:2])        # the same at the table beside, and that there is none
_NONE_BESIDE = prod(_BESIDE) - 1
_LATER_PARTS = prod(_RADIX[2:])
_SHAPE = (*_RADIX, _UNCALLED + 1, *_RADIX[:2], *_BESIDE)
_BATCH = 131_072                        # deals at a time: their results stay in the processor's cache
_SOLVED_CHUNK = 2.0                     # seconds, about
_ENOUGH, ALL = 7, 13                    # tricks
_FEW = 4                                # combinations, of each of which the answer tells
_CLAIM_EVERY = 20                       # deals: asking of all of them would take longer than all else


class KotFrequency(Study[Parameters]):
    """Each outcome's chance, the sides' points and tricks, and the differences between rule sets."""

    name = "kot-frequency"
    title = "Kot frequency"
    question = "How often does a deal end in a kot, and what does it bring, under each rule set?"
    version: ClassVar[int] = 4
    parallel: ClassVar[Literal["threads", "processes"]] = "threads"

    def chunk_units(self, p: Parameters) -> int:
        if p.solved:
            units = round(_SOLVED_CHUNK / p.solved_seconds)
            return max(1, units // 100 * 100 or units)
        return max(10_000, 500_000 // (len(p.rules) * len(p.players)) // 10_000 * 10_000)

    def columns(self, p: Parameters) -> tuple[Column, ...]:
        return (
            *combination(p),
            Column("outcome", "category", "", "how the deal ended", OUTCOMES),
            Column("winner", "category", "", "the side that won it; nobody wins a redeal", WINNERS),
            Column("caller_tricks", "uint8", "tricks", "taken by the caller's side when the deal ended"),
            Column("defender_tricks", "uint8", "tricks", "taken by the defenders when the deal ended"),
            Column("caller_tens", "uint8", "tens", "taken by the caller's side, where tens decide; else 0"),
            Column("defender_tens", "uint8", "tens", "taken by the defenders, where tens decide; else 0"),
            Column("all_thirteen", "category", "", "the side that takes all thirteen tricks, the deal played "
                   "to its last card; null where no cards are played", WINNERS),
            Column("certain_claim", "category", "", "whose claim of all thirteen is certain, hands open; "
                   "null where not asked", WINNERS),
            Column("length", "uint8", "cards", "of the suit called among the five cards of the caller; null "
                   "where nobody called"),
            Column("honours", "category", "", "its ace, king and queen among them", HONOURS),
            Column("first_outcome", "category", "", "how the same deals ended under the first rule set",
                   OUTCOMES),
            Column("first_winner", "category", "", "who won the same deals under the first rule set",
                   WINNERS),
            Column("table_outcome", "category", "", "how the same deals ended at the table, with greedy and "
                   "the same callers; null but where double-dummy is compared with them", OUTCOMES),
            Column("table_winner", "category", "", "who won the same deals at the table", WINNERS),
            Column("deals", "int64", "deals", "how many deals of the chunk went like this"),
        )

    def table_columns(self, p: Parameters) -> dict[str, tuple[Column, ...]]:
        which = (
            Column("measure", "category", "", "what is estimated: the chance of an outcome (redeal: of all "
                   "deals, else of those played), of winning, of a kot (any outcome that counts as one); "
                   "the mean points, points ahead of the other side, tricks or tens a deal; the chance that "
                   "a claim of all thirteen is certain before the first card, all hands open; the chance "
                   "that one side takes all thirteen tricks, the deal played to its last card; no tricks nor "
                   "tens of double-dummy", MEASURES),
            Column("side", "category", "", "whose", SIDES),
        )
        return {
            "summary": (*combination(p), *which, *ESTIMATE_COLUMNS),
            "differences": (
                *combination(p),
                Column("first", "category", "", "the rule set it is compared with, on the same deals",
                       tuple(name_of(rules) for rules in p.rules)),
                *which, *ESTIMATE_COLUMNS,
            ),
            "open_cards": (
                *combination(p),
                Column("table", "category", "", "the players at the table it is compared with, on the same "
                       "deals", tuple(str(lineup) for lineup in p.players)),
                *which, *ESTIMATE_COLUMNS,
            ),
            "holdings": (
                *combination(p),
                Column("length", "uint8", "cards", "of the suit called among the five cards of the caller"),
                Column("honours", "category", "", "its ace, king and queen among them", HONOURS),
                *which, *ESTIMATE_COLUMNS,
            ),
            "counts": tuple(column for column in self.columns(p) if column.name not in ("length", "honours")),
        }

    def chunk(self, p: Parameters, start: int, stop: int) -> pl.DataFrame:
        import polars as pl

        from courtpiece.table import Table

        parts = []
        for j, lineup in enumerate(p.players):
            tables = [Table(rules, lineup) for rules in p.rules]
            table = _at_the_table(p, lineup)
            beside = [None if table is None else Table(rules, table) for rules in p.rules]
            for i, (codes, deals) in enumerate(_tally(tables, beside, p.seed, start, stop)):
                parts.append((np.full(len(codes), i), np.full(len(codes), j), codes, deals))
        rules, players, codes, deals = (np.concatenate(column) for column in zip(*parts, strict=True))
        order = np.lexsort((codes, players, rules))
        *ending, hand, first, winner, other, by = np.unravel_index(codes[order], _SHAPE)
        columns = self.columns(p)
        length, honours = np.divmod(hand, len(HONOURS))
        honours[hand == _UNCALLED] = len(HONOURS)
        values: list[Integers] = [
            rules[order], players[order], *ending, length, honours, first, winner, other, by, deals[order],
        ]
        return pl.DataFrame([_series(*pair) for pair in zip(columns, values, strict=True)])

    def summarise(self, p: Parameters, shards: pl.LazyFrame) -> dict[str, pl.DataFrame]:
        import polars as pl

        columns = self.table_columns(p)
        dimensions = [column.name for column in self.columns(p)[:-1]]
        by_hand = shards.group_by(dimensions).agg(pl.col("deals").sum()).collect(engine="streaming")
        kept = [name for name in dimensions if name not in ("length", "honours")]
        counts = by_hand.group_by(kept).agg(pl.col("deals").sum()).sort(kept).select(*kept, "deals")
        summary: list[dict[str, Any]] = []
        differences: list[dict[str, Any]] = []
        open_cards: list[dict[str, Any]] = []
        holdings: list[dict[str, Any]] = []
        for lineup in p.players:
            for rules in p.rules:
                who = {"rules": name_of(rules), "players": str(lineup)}
                part = counts.filter(rules=who["rules"], players=who["players"])
                summary += [{**who, **row} for row in _estimates(rules, part)]
                hands = by_hand.filter(rules=who["rules"], players=who["players"]).drop_nulls("length")
                holdings += [{**who, **row} for row in _by_holding(rules, hands)]
                if rules != p.rules[0]:
                    versus = {**who, "first": name_of(p.rules[0])}
                    differences += [{**versus, **row} for row in _compared(rules, p.rules[0], part, "first_")]
                if table := _at_the_table(p, lineup):
                    versus = {**who, "table": str(table)}
                    open_cards += [{**versus, **row} for row in _compared(rules, rules, part, "table_")]
        return {
            "summary": pl.DataFrame(summary, schema=schema(columns["summary"])),
            "differences": pl.DataFrame(differences, schema=schema(columns["differences"])),
            "open_cards": pl.DataFrame(open_cards, schema=schema(columns["open_cards"])),
            "holdings": pl.DataFrame(holdings, schema=schema(columns["holdings"])),
            "counts": counts,
        }

    def headline(self, p: Parameters, tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
        summary = tables["summary"]
        shown = [("win", "win", "caller"), ("kot", "kot", "caller"), ("kot_conceded", "kot", "defender"),
                 ("points", "points", "caller"), ("points_against", "points", "defender")]
        if not summary.filter(measure="certain-claim").is_empty():
            shown.append(("certain_claim", "certain-claim", "caller"))
        if any(rules.redeal is not Redeal.OFF for rules in p.rules):
            shown.append(("redeal", "redeal", "both"))
        table = summary.filter(measure="win", side="caller").select("rules", "players", deals="n")
        return with_estimates(table, ["rules", "players"], {
            name: summary.filter(measure=measure, side=side) for name, measure, side in shown
        })

    def answer(self, p: Parameters, tables: Mapping[str, pl.DataFrame]) -> list[Sentence]:
        headline = self.headline(p, tables)
        rows = list(headline.iter_rows(named=True))
        if len(rows) > _FEW:
            return [_extremes(rows)]
        told = []
        for row in rows:
            shares = {name: Share(row[column], row[f"{column}_half_width"]) for name, column
                      in (("win", "win"), ("kot", "kot"), ("conceded", "kot_conceded"))}
            told.append(Sentence("one", {"rules": row["rules"], "players": row["players"], **shares}))
        if len(rows) == 1:
            points = {name: Mean(rows[0][column], rows[0][f"{column}_half_width"]) for name, column
                      in (("points", "points"), ("against", "points_against"))}
            told.append(Sentence("points", points))
        return told

    def figures(
        self, p: Parameters, tables: Mapping[str, pl.DataFrame], words: Words
    ) -> Sequence[Figure]:
        from courtpiece.plots.kot_frequency import kot_frequency

        return kot_frequency(tables, words)


def _extremes(rows: Sequence[Mapping[str, Any]]) -> Sentence:
    """Returns where kots of either side are most and least frequent."""

    def kots(row: Mapping[str, Any]) -> Share:
        # A deal ends in one kot at most, so that the variance of both is less than the sum of theirs.
        half_widths = row["kot_half_width"], row["kot_conceded_half_width"]
        return Share(row["kot"] + row["kot_conceded"], float(np.hypot(*half_widths)))

    least, *_, most = sorted(rows, key=lambda row: kots(row).value)
    return Sentence("extremes", {
        "count": len(rows), "most": f"{most['rules']}, {most['players']}", "many": kots(most),
        "least": f"{least['rules']}, {least['players']}", "few": kots(least),
    })


def _series(column: Column, values: Integers) -> pl.Series:
    """Returns a column from numbers, which are positions for a category."""
    import polars as pl

    if column.type == "category":
        return pl.Series(column.name, [*column.values, None], column.dtype).gather(values)
    told = pl.Series(column.name, values).cast(column.dtype)
    most = _MOST.get(column.name)
    return told if most is None else told.set(told > most, None)


def _at_the_table(p: Parameters, lineup: Lineup) -> Lineup | None:
    """Returns those of the run's line-ups that greedy and the callers of players who see all cards make."""
    table = lineup.at_the_table
    return table if lineup.double_dummy and table in p.players else None


def _tally(
    tables: Sequence[Table], beside: Sequence[Table | None], seed: int, start: int, stop: int
) -> list[tuple[Integers, Integers]]:
    """Returns for each table the different endings of deals start … stop-1, and how many deals had each.

    An ending is one number: the deal's own ending, outcome and winner at the first table, and those at the
    table beside it.
    """
    found = [(np.empty(0, np.int64), np.empty(0, np.int64)) for _ in tables]
    for at in range(start, stop, _BATCH):
        count = min(_BATCH, stop - at)
        told = [table.play_and_tell(seed, at, count) for table in tables]
        endings = [
            _endings(results, _all_thirteen(table, results, seed, at), _claims(table, seed, at, count))
            for table, (results, _) in zip(tables, told, strict=True)
        ]
        first = endings[0] // _LATER_PARTS
        tallies = [
            _counted(each, _hands(calls), None if table is tables[0] else first,
                     None if other is None else _beside(other.play(seed, at, count)))
            for table, each, (_, calls), other in zip(tables, endings, told, beside, strict=True)
        ]
        found = [_added(*before, *more) for before, more in zip(found, tallies, strict=True)]
    return found


def _claims(table: Table, seed: int, start: int, count: int) -> NDArray[np.uint8] | None:
    """Returns the side whose claim is certain, as `Table.claims` does; None where it is not asked."""
    from courtpiece.table import can_tell_claims

    if not table.rules.claim or not can_tell_claims(table.rules):
        return None
    return table.claims(seed, start, count, every=1 if table.lineup.double_dummy else _CLAIM_EVERY)


def _beside(results: NDArray[np.void]) -> Integers:
    """Returns outcome and winner of deals as numbers among those with none."""
    winners = np.minimum(results["winner"], len(WINNERS) - 1)
    return np.ravel_multi_index((results["outcome"].astype(np.int64), winners), _BESIDE).astype(np.int64)


def _all_thirteen(
    table: Table, results: NDArray[np.void], seed: int, start: int
) -> NDArray[np.uint8] | None:
    """Returns the side that takes all thirteen tricks of each deal, 255 for none; None if none is played."""
    from courtpiece.table import Table

    if table.lineup.double_dummy:
        return None
    taken = results["taken"]
    if table.rules.deal_ends is DealEnds.AT_SEVEN:
        taken = taken.copy()
        swept = np.flatnonzero((taken.max(axis=1) == _ENOUGH) & (taken.min(axis=1) == 0))
        longer = Table(table.rules.replace(deal_ends=DealEnds.AFTER_THIRTEEN), table.lineup)
        taken[swept] = longer.play_each(seed, (start + swept).tolist())["taken"]
    return np.where(taken[:, 0] == ALL, 0, np.where(taken[:, 1] == ALL, 1, 255)).astype(np.uint8)


def _hands(calls: Calls) -> Integers:
    """Returns what the callers held of the suits they called, as numbers: length and honours."""
    called = calls.suits < len(SUITS)
    shifts = np.where(called, calls.suits, 0).astype(np.uint64) * np.uint64(len(RANKS))
    held = (calls.fives >> shifts) & np.uint64(2 ** len(RANKS) - 1)
    honours = np.zeros(len(held), np.int64)
    for mark in "AKQ":
        honours = 2 * honours + ((held >> np.uint64(RANKS.index(mark))) & np.uint64(1)).astype(np.int64)
    hands = np.bitwise_count(held).astype(np.int64) * len(HONOURS) + honours
    return np.where(called, hands, _UNCALLED)


def _counted(
    endings: Integers, hands: Integers, first: Integers | None, beside: Integers | None
) -> tuple[Integers, Integers]:
    """Returns the different endings with the callers' hands, those at the first table, its own for None, and
    beside it."""
    first = endings // _LATER_PARTS if first is None else first
    codes = (endings * (_UNCALLED + 1) + hands) * _ENDINGS + first
    codes *= _NONE_BESIDE + 1
    codes += _NONE_BESIDE if beside is None else beside
    distinct, counts = np.unique(codes, return_counts=True)
    return distinct, counts.astype(np.int64)


def _endings(
    results: NDArray[np.void], thirteen: NDArray[np.uint8] | None, claims: NDArray[np.uint8] | None
) -> Integers:
    """Returns the endings of deals as numbers."""
    columns = (
        results["outcome"], results["winner"],
        results["taken"][:, 0], results["taken"][:, 1], results["tens"][:, 0], results["tens"][:, 1],
    )
    endings = columns[0].astype(np.int64)
    for size, column in zip(_RADIX[1:-2], columns[1:], strict=True):
        endings *= size
        endings += np.minimum(column, size - 1)
    for told in (thirteen, claims):
        endings *= len(WINNERS) + 1
        endings += len(WINNERS) if told is None else _CLAIMED[told]
    return endings


def _added(
    codes: Integers, counts: Integers, more: Integers, more_counts: Integers
) -> tuple[Integers, Integers]:
    """Returns the union of two tallies, ordered by code."""
    union, place = np.unique(np.concatenate([codes, more]), return_inverse=True)
    total = np.zeros(len(union), np.int64)
    np.add.at(total, place, np.concatenate([counts, more_counts]))
    return union, total


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


def _estimates(rules: RuleSet, counts: pl.DataFrame) -> Iterator[dict[str, Any]]:
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


def _by_holding(rules: RuleSet, hands: pl.DataFrame) -> Iterator[dict[str, Any]]:
    """Yields the rows of the table of holdings for one rule set and line-up."""
    dimensions = ["length", "honours"]
    parts = hands.sort(dimensions).partition_by(dimensions, as_dict=True, maintain_order=True)
    for (length, honours), part in parts.items():
        for row in _estimates(rules, part):
            if row["measure"] in BY_HAND:
                yield {"length": length, "honours": honours, **row}


def _compared(
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
