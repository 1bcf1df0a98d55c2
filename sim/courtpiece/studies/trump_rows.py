"""What the trump-call study is asked, and the rows in which a chunk keeps what came of the calls.

A row is one call of one hand on half of its deals, the even or the odd ones, in whole numbers: counts, sums,
and the sums of products that paired differences need.  So what a hand's rows say depends on the seed, the
hand's class and the number of deals alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from courtpiece.advice import MOST_CALLS, Calls, Counts, Tally, Worth
from courtpiece.cards import PACK, SUITS, format_cards
from courtpiece.errors import UsageError
from courtpiece.rules import Trump, name_of
from courtpiece.studies.hands import FILE, HAND, Hand, HandsFile
from courtpiece.studies.study import MOST_UNITS, Column, Parameters, combination, parameter, whole
from courtpiece.table import Table

DEALS, SOLVED_DEALS = 2000, 400         # for each call
HALVES = ("even", "odd")
CALLS = (*SUITS, "pass", "thirteenth", "redeal", *(f"hide {card}" for card in PACK))
MEASURES = ("wins", "kots", "conceded", "points", "points_squared", "tricks", "tricks_squared")

OF_TRICKS = ("tricks", "tricks_squared")    # what is not told where deals are solved and not played


@dataclass(frozen=True, kw_only=True)
class TrumpCallParameters(Parameters):
    """What the study can be asked."""

    deals: int | None = parameter(
        f"on how many deals each call of a hand is played (default: {DEALS}, or {SOLVED_DEALS} with "
        "double-dummy)",
        whole(4, MOST_UNITS), None, optional=True,
    )
    hands: int | None = parameter(
        "how many hands: at random, or the first of those given",
        whole(1, MOST_UNITS), None, optional=True, design=False,
    )
    hand: tuple[Hand, ...] | None = parameter(
        'a hand to look at, such as "AS KS 5S 2H 9D"; give several', HAND, None, many=True, optional=True
    )
    file: HandsFile | None = parameter(  # noqa: RUF009 (as the base class's, a dataclass field)
        "a file of hands to look at, CSV or text, one a line", FILE, None, optional=True
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.deals is None:
            object.__setattr__(self, "deals", SOLVED_DEALS if self.solved else DEALS)
        for rules in self.rules:
            if rules.trump is Trump.FIRST_VOID:
                raise UsageError(f"rules: {name_of(rules)} has no call, so there is nothing to study")
        if self.given and self.hands and self.hands > len(self.given):
            raise UsageError(f"hands: {len(self.given)} are given, not {self.hands}")

    @property
    def given(self) -> tuple[Hand, ...]:
        """The hands given one by one, then those of the file."""
        return (self.hand or ()) + (self.file.hands if self.file else ())


def columns(p: TrumpCallParameters) -> tuple[Column, ...]:
    """Returns the columns of the rows."""
    return (
        Column("hand", "uint32", "", "number of the hand"),
        Column("cards", "text", "", "the five cards"),
        Column("class", "uint32", "", "number of the hand's class, alike but for the names of the suits"),
        *combination(p),
        Column("half", "category", "", "the deals with even or those with odd numbers", HALVES),
        Column("place", "uint8", "", "number of the call among the hand's calls, from 0"),
        Column("call", "category", "", "what eldest says", CALLS),
        Column("also", "text", "", "other words that come to the same, as the suits are held alike"),
        Column("deals", "int64", "deals", "how many were played; the same ones for each call of a hand"),
        *sum_columns(" or ".join(sorted({str(rules.counting) for rules in p.rules}, reverse=True))),
        *(
            Column(f"product_{place}", "int64", "",
                   f"sum of the points ahead of this call times those of call {place} on the same deals")
            for place in range(MOST_CALLS)
        ),
    )


def sum_columns(unit: str) -> tuple[Column, ...]:
    """Returns the columns of the sums over a call's deals, MEASURES; `unit` is that of points."""
    return (
        Column("wins", "int64", "deals", "won by the caller's side"),
        Column("kots", "int64", "deals",
               "won by the caller's side with a kot (any outcome that counts as one)"),
        Column("conceded", "int64", "deals", "won by the defenders with a kot"),
        Column("points", "int64", unit, "sum of the points ahead: the caller's side's less the defenders'"),
        Column("points_squared", "int64", "", "sum of their squares"),
        Column("tricks", "int64", "tricks",
               "sum of the tricks taken by the caller's side; null for double-dummy"),
        Column("tricks_squared", "int64", "", "sum of their squares; null for double-dummy"),
    )


def sums(tally: Tally, worth: Worth) -> dict[str, Counts]:
    """Returns the sums of each of MEASURES over the deals of a tally, (2, calls): on even and on odd ones."""
    of_codes = {
        "wins": worth.wins, "kots": worth.kots, "conceded": worth.conceded,
        "points": worth.points, "points_squared": worth.points**2,
        "tricks": worth.tricks, "tricks_squared": worth.tricks**2,
    }
    return {name: tally.total(of_codes[name]) for name in MEASURES}


def rows(
    number: int, table: Table, calls: Calls, worth: Worth, tally: Tally
) -> dict[str, NDArray[np.generic]]:
    """Returns the rows of one hand by column: the calls on the even deals, then those on the odd deals."""
    size = len(calls.words)

    def all_rows(value: object) -> NDArray[np.generic]:
        return np.full(2 * size, value)

    def by_call(values: Sequence[object]) -> NDArray[np.generic]:
        return np.array([*values, *values])

    products = np.zeros((2, size, MOST_CALLS), np.int64)
    products[:, :, :size] = tally.products
    return {
        "hand": all_rows(number),
        "cards": all_rows(format_cards(calls.hand)),
        "class": all_rows(calls.hand_class.index),
        "rules": all_rows(name_of(table.rules)),
        "players": all_rows(str(table.lineup)),
        "half": np.repeat(HALVES, size),
        "place": by_call(range(size)),
        "call": by_call([words[0] for words in calls.words]),
        "also": by_call([", ".join(words[1:]) for words in calls.words]),
        "deals": np.repeat(tally.deals, size),
        **{name: found.ravel() for name, found in sums(tally, worth).items()},
        **{f"product_{place}": products[:, :, place].ravel() for place in range(MOST_CALLS)},
    }
