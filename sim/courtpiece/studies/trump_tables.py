"""The tables of the trump-call study, made from the rows of its chunks.

The best call of a hand is chosen on the even deals and valued on the odd ones, and the other way round; both
values are averaged.  This is what a player gets who knows the hand from half the deals, so it is a little
less than what the truly best call is worth, and so are the regrets; nothing is made to look better by chance.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from courtpiece.advice import MOST_CALLS, distinct_calls
from courtpiece.cards import RANKS, Card, Suit, parse_cards
from courtpiece.players import CALLERS, Lineup, parse_player
from courtpiece.rules import RuleSet, name_of
from courtpiece.stats import LEVEL, Estimates, Floats, means, proportions
from courtpiece.studies.hands import Hand
from courtpiece.studies.policies import said
from courtpiece.studies.study import ESTIMATE_COLUMNS, Column, schema
from courtpiece.studies.trump_call import CALLS, HALVES, MEASURES, TrumpCallParameters, combination

if TYPE_CHECKING:
    import polars as pl

Integers = NDArray[np.int64]

BEST = "best"
POLICIES = tuple(caller.name for caller in CALLERS if caller.name != "absent")
# What is told of a call, by the sums it comes from.
QUALITIES = {"win": "wins", "kot": "kots", "conceded": "conceded", "points_ahead": "points", "tricks": "tricks"}
CHANCES = ("win", "kot", "conceded")
HONOURS = ("none", "Q", "K", "KQ", "A", "AQ", "AK", "AKQ")      # of a suit; the position is a number in binary
SHAPES = ("5-0-0-0", "4-1-0-0", "3-2-0-0", "3-1-1-0", "2-2-1-0", "2-1-1-1")
HOW_MANY = ("none", "one", "two", "three")
_EXTREMES = 10
_TOLD = {
    "win": ("", "chance that the caller's side wins the deal"),
    "kot": ("", "chance that it wins with a kot"),
    "conceded": ("", "chance that the defenders make a kot"),
    "points_ahead": ("points", "mean of the caller's side's points less the defenders' (kots, where kots count)"),
    "tricks": ("tricks", "mean of the tricks its side takes until the deal ends"),
}


def table_columns(p: TrumpCallParameters) -> dict[str, tuple[Column, ...]]:
    """Returns the columns of each table."""
    which = combination(p)
    hand = (
        Column("hand", "uint32", "", "number of the hand"),
        Column("cards", "text", "", "the five cards"),
    )
    count = Column("hands", "int64", "hands", "how many hands it rests on")
    qualities = tuple(column for name, told in _TOLD.items() for column in _with_half_width(name, *told))
    best = Column("best", "category", "", "the best call, chosen on the even deals", CALLS)
    return {
        "summary": (
            *which,
            Column("policy", "category", "", "who calls: the best call as found on the other half of the deals, "
                   "or a built-in caller", (BEST, *POLICIES)),
            Column("measure", "category", "", "mean over the hands of: the chances to win, to make and to "
                   "concede a kot, points ahead, tricks; regret: points lost against the best call; agreement: "
                   "how often the policy says the best call", (*QUALITIES, "regret", "agreement")),
            *ESTIMATE_COLUMNS,
        ),
        "lengths": (
            *which,
            Column("length", "uint8", "cards", "how many of the five cards are of the suit called"),
            Column("honours", "uint8", "cards", "how many of its ace, king and queen are among them"),
            count, *qualities,
            *_with_half_width("best", "", "how often such a call is the best of its hand"),
        ),
        "holdings": (
            *which,
            Column("length", "uint8", "cards", "how many of the five cards are of the suit called"),
            Column("honours", "category", "", "its ace, king and queen among them", HONOURS),
            count, *qualities,
            *_with_half_width("best", "", "how often such a call is the best of its hand"),
        ),
        "shapes": (
            *which,
            Column("shape", "category", "", "cards in each suit, the longest first", SHAPES),
            count, *qualities,
            *_with_half_width("longest_best", "", "how often the longest suit is the best call"),
        ),
        "extremes": (
            *which,
            Column("end", "category", "", "the hands with the best or with the worst best call, picked on the "
                   "even deals; the numbers are from the odd deals", ("best", "worst")),
            *hand, best, *qualities,
        ),
        "hands": (
            *which, *hand,
            Column("class", "uint32", "", "number of the hand's class, alike but for the names of the suits"),
            Column("shape", "category", "", "cards in each suit, the longest first", SHAPES),
            best,
            Column("next", "category", "", "the next best call on the even deals", CALLS),
            *_with_half_width("lead", "points", "mean difference of their points, measured on the odd deals"),
            Column("sure", "bool", "", "the lead is more than chance would give"),
            *qualities,
            *(
                column
                for policy in POLICIES
                for column in (
                    *((Column(policy, "category", "", "what it says", CALLS),) if policy != "random" else ()),
                    *_with_half_width(f"{policy}_regret", "points", "points it loses against the best call"),
                )
            ),
        ),
        "calls": (
            *which, *hand,
            Column("class", "uint32", "", "number of the hand's class"),
            Column("call", "category", "", "what eldest says", CALLS),
            Column("also", "text", "", "other words that come to the same"),
            Column("deals", "int64", "deals", "how many were played"),
            *qualities,
        ),
    }


def _with_half_width(name: str, unit: str, meaning: str) -> tuple[Column, Column]:
    return (
        Column(name, "float64", unit, meaning),
        Column(f"{name}_half_width", "float64", unit, f"half the 95 % interval of {name}"),
    )


def summarise(p: TrumpCallParameters, rows: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Returns all tables from the rows of all chunks."""
    import polars as pl

    found: dict[str, list[pl.DataFrame]] = {name: [] for name in table_columns(p)}
    columns = {name: schema(columns) for name, columns in table_columns(p).items()}
    for rules in p.rules:
        for lineup in p.players:
            who = {"rules": name_of(rules), "players": str(lineup)}
            part = rows.filter(rules=who["rules"], players=who["players"]).sort("hand", "half", "place")
            sample = _Sample.of(part, rules, lineup)
            for name, values in _tables(sample, drawn=not p.given).items():
                size = len(next(iter(values.values())))
                told = {**{key: [value] * size for key, value in who.items()}, **values}
                found[name].append(pl.DataFrame(
                    {key: np.asarray(told[key]).tolist() for key in columns[name]}, schema=columns[name]
                ))
    return {name: pl.concat(parts) for name, parts in found.items()}


@dataclass(frozen=True)
class _Sample:
    """All hands under one rule set with one line-up.  Arrays are (hands, halves, calls)."""

    rules: RuleSet
    lineup: Lineup
    hands: list[Hand]
    cards: list[str]
    classes: Integers
    words: list[list[list[str]]]        # of each call of each hand; the first is the one that is told
    valid: NDArray[np.bool_]            # (hands, calls): there is such a call
    deals: Integers                     # (hands, halves)
    sums: Mapping[str, Integers]
    products: Integers                  # (hands, halves, calls, calls)

    @classmethod
    def of(cls, rows: pl.DataFrame, rules: RuleSet, lineup: Lineup) -> _Sample:
        """Returns the sample of rows sorted by hand, half and place."""
        numbers = rows["hand"].to_numpy()
        where = (
            np.unique(numbers, return_inverse=True)[1],
            (rows["half"] == HALVES[1]).to_numpy().astype(np.int64),
            rows["place"].to_numpy().astype(np.int64),
        )
        firsts = rows.unique("hand", keep="first", maintain_order=True)
        size = len(firsts)

        def spread(name: str) -> Integers:
            out = np.zeros((size, 2, MOST_CALLS), np.int64)
            out[where] = rows[name].to_numpy()
            return out

        words: list[list[list[str]]] = [[] for _ in range(size)]
        evens = rows.filter(half=HALVES[0])
        for place, call, also in zip(where[0][where[1] == 0], evens["call"], evens["also"], strict=True):
            words[place].append([call, *also.split()] if call in Suit.__members__ else [call, *_cards(also)])
        deals = spread("deals")
        return cls(
            rules, lineup, [parse_cards(text) for text in firsts["cards"]], firsts["cards"].to_list(),
            firsts["class"].to_numpy().astype(np.int64), words, deals[:, 0] > 0, deals[:, :, 0],
            {name: spread(name) for name in MEASURES},
            np.stack([spread(f"product_{place}") for place in range(MOST_CALLS)], axis=-1),
        )
