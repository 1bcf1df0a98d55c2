"""All hands of the trump-call study under one rule set with one line-up, as arrays, and what policies say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from courtpiece.advice import MOST_CALLS
from courtpiece.cards import parse_cards
from courtpiece.players import Lineup, PlayerSpec, parse_built_in
from courtpiece.rules import RuleSet
from courtpiece.stats import Floats
from courtpiece.studies.hands import Hand
from courtpiece.studies.policies import POLICIES, said
from courtpiece.studies.trump_rows import HALVES, MEASURES

if TYPE_CHECKING:
    import polars as pl

Integers = NDArray[np.int64]

BEST = "best"
# What is told of a call, by the sums it comes from.
QUALITIES = {
    "win": "wins", "kot": "kots", "conceded": "conceded", "points_ahead": "points", "tricks": "tricks"
}
CHANCES = ("win", "kot", "conceded")


@dataclass(frozen=True)
class Sample:
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
    def of(cls, rows: pl.DataFrame, rules: RuleSet, lineup: Lineup) -> Sample:
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
            out[where] = rows[name].fill_null(0).to_numpy()
            return out

        words: list[list[list[str]]] = [[] for _ in range(size)]
        evens = rows.filter(half=HALVES[0])
        for place, call, also in zip(where[0][where[1] == 0], evens["call"], evens["also"], strict=True):
            words[place].append([call, *filter(None, also.split(", "))])
        deals = spread("deals")
        return cls(
            rules, lineup, [parse_cards(text) for text in firsts["cards"]], firsts["cards"].to_list(),
            firsts["class"].to_numpy().astype(np.int64), words, deals[:, 0] > 0, deals[:, :, 0],
            {name: spread(name) for name in MEASURES},
            np.stack([spread(f"product_{place}") for place in range(MOST_CALLS)], axis=-1),
        )

    @cached_property
    def means(self) -> dict[str, Floats]:
        """(hands, halves, calls): the mean of each quality; 0 where there is no such call."""
        return {name: self.sums[column] / self.deals[:, :, None] for name, column in QUALITIES.items()}

    @cached_property
    def errors(self) -> dict[str, Floats]:
        """(hands, halves, calls): the standard error of each mean."""
        n = self.deals[:, :, None]
        squares = {  # a chance's values are their own squares
            name: self.sums[column if name in CHANCES else f"{column}_squared"]
            for name, column in QUALITIES.items()
        }
        return {
            name: np.sqrt((squares[name] / n - mean**2).clip(0) / (n - 1))
            for name, mean in self.means.items()
        }

    @cached_property
    def ranked(self) -> Integers:
        """(hands, halves, calls): the calls by their points on each half of the deals, the best first."""
        points = np.where(self.valid[:, None, :], self.means["points_ahead"], -np.inf)
        return np.argsort(-points, axis=-1, kind="stable")

    @cached_property
    def best(self) -> Floats:
        """(hands, halves, calls): 1 for the call to be valued on a half, the best of the other half."""
        return np.eye(MOST_CALLS)[self.ranked[:, ::-1, 0]]

    @cached_property
    def policies(self) -> dict[str, Floats]:
        """(hands, 1, calls) for each built-in caller: the chance that it makes the call."""
        eldest = self.lineup.caller_side
        card = eldest.card if isinstance(eldest, PlayerSpec) else "greedy"      # whose policies come with it
        places = [{word: at for at, alike in enumerate(words) for word in alike} for words in self.words]
        found = {}
        for policy in POLICIES:
            found[policy] = np.zeros((len(self.hands), 1, MOST_CALLS))
            told = said(parse_built_in(f"{card}/{policy}"), self.hands, self.rules, list(map(list, places)))
            for number, (words, place) in enumerate(zip(told, places, strict=True)):
                for word in words:
                    found[policy][number, 0, place[word]] += 1 / len(words)
        return found

    def value(self, quality: str, weights: Floats) -> Floats:
        """Returns the mean of a quality, for each hand, when calls are made with these chances."""
        return np.asarray((self.means[quality] * weights).sum(axis=-1).mean(axis=-1))

    def value_error(self, quality: str, weights: Floats) -> Floats:
        """Returns the standard error of `value`; at most that, where several calls are mixed."""
        return _root_of_halves((self.errors[quality] * weights).sum(axis=-1))

    def points_error(self, weights: Floats) -> Floats:
        """Returns the standard error of the mean over halves of a weighted sum of the calls' points."""
        n = self.deals[:, :, None, None]
        points = self.sums["points"]
        spread = self.products / n - points[..., :, None] * points[..., None, :] / n**2
        variance = np.einsum("nhi,nhij,nhj->nh", weights, spread, weights).clip(0) / (self.deals - 1)
        return _root_of_halves(np.sqrt(variance))


def _root_of_halves(errors: Floats) -> Floats:
    """Returns the standard error of the mean of two independent values, (hands, 2) to (hands,)."""
    return np.asarray(np.sqrt((errors**2).sum(axis=-1)) / 2)
