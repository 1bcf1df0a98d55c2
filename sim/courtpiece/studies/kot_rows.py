"""The rows of the study of kots: how often each ending came, one number for all that is told of a deal."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from courtpiece.cards import RANKS, SUITS
from courtpiece.rules import DealEnds, Outcome
from courtpiece.studies.study import Column, Parameters
from courtpiece.table import Calls, Table, can_tell_claims

if TYPE_CHECKING:
    import polars as pl

    from courtpiece.players import Lineup

Integers: TypeAlias = NDArray[np.int64]

OUTCOMES = tuple(outcome.value for outcome in Outcome)
WINNERS = ("caller", "defender", "nobody")
HONOURS = tuple("".join(mark if has else "-" for mark, has in zip("AKQ", held, strict=True))
                for held in product((False, True), repeat=3))
_LENGTHS = 6                            # of the suit called among five cards
_UNCALLED = _LENGTHS * len(HONOURS)     # the code of the hand where nobody called
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
_ENOUGH, ALL = 7, 13                    # tricks
_CLAIM_EVERY = 20                       # deals: asking of all of them would take longer than all else


def rows(p: Parameters, columns: Sequence[Column], start: int, stop: int) -> pl.DataFrame:
    """Returns the rows of deals start … stop-1: how many of them went the same way."""
    import polars as pl

    parts = []
    for j, lineup in enumerate(p.players):
        tables = [Table(rules, lineup) for rules in p.rules]
        table = at_the_table(p, lineup)
        beside = [None if table is None else Table(rules, table) for rules in p.rules]
        for i, (codes, deals) in enumerate(_tally(tables, beside, p.seed, start, stop)):
            parts.append((np.full(len(codes), i), np.full(len(codes), j), codes, deals))
    rules, players, codes, deals = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.lexsort((codes, players, rules))
    *ending, hand, first, winner, other, by = np.unravel_index(codes[order], _SHAPE)
    length, honours = np.divmod(hand, len(HONOURS))
    honours[hand == _UNCALLED] = len(HONOURS)
    values: list[Integers] = [
        rules[order], players[order], *ending, length, honours, first, winner, other, by, deals[order],
    ]
    return pl.DataFrame([_series(*pair) for pair in zip(columns, values, strict=True)])


def at_the_table(p: Parameters, lineup: Lineup) -> Lineup | None:
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
            _counted(each, _hands(calls), first,
                     None if other is None else _beside(other.play(seed, at, count)))
            for each, (_, calls), other in zip(endings, told, beside, strict=True)
        ]
        found = [_added(*before, *more) for before, more in zip(found, tallies, strict=True)]
    return found


def _claims(table: Table, seed: int, start: int, count: int) -> NDArray[np.uint8] | None:
    """Returns the side whose claim is certain, as `Table.claims` does; None where it is not asked."""
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
    endings: Integers, hands: Integers, first: Integers, beside: Integers | None
) -> tuple[Integers, Integers]:
    """Returns the different endings, with the callers' hands and how it ended at the first table and beside,
    and how many deals had each."""
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


def _series(column: Column, values: Integers) -> pl.Series:
    """Returns a column from numbers, which are positions for a category."""
    import polars as pl

    if column.type == "category":
        return pl.Series(column.name, [*column.values, None], column.dtype).gather(values)
    told = pl.Series(column.name, values).cast(column.dtype)
    most = _MOST.get(column.name)
    return told if most is None else told.set(told > most, None)
