"""The tables of the options study, made from the rows of its chunks.

The best policy is chosen on the deals with even numbers, and all that is said of it comes from those with odd
ones.  So nothing is made to look better by chance, and each interval is of the very policy that is printed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import nan, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from courtpiece.rules import name_of
from courtpiece.stats import Estimates, Method, few_apart, means, proportions, t_intervals
from courtpiece.studies.estimates import estimate_row, half_width
from courtpiece.studies.options_policies import NO_VALUE, Subject

if TYPE_CHECKING:
    import polars as pl

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]
Row = dict[str, Any]

HALVES = ("even", "odd")                # of the deals: those that choose, and those that judge
MEASURES = ("gain", "over-built-in", "built-in", "having", "used")
_MOST_THRESHOLDS = 40                   # of a curve
NEVER = -NO_VALUE                      # the threshold below all values


@dataclass(frozen=True)
class Sums:
    """Deals of one half by what a policy looks at: how many, and the sum of `more` and of its square."""

    value: Integers
    deals: Integers
    total: Integers
    squares: Integers

    @property
    def n(self) -> int:
        return int(self.deals.sum())


Halves = tuple[Sums, Sums]


def halves_of(rows: pl.DataFrame, choice: str, against: str) -> Halves:
    """Returns the sums of one choice against another, by half."""
    found = []
    for half in HALVES:
        part = rows.filter(choice=choice, against=against, half=half).sort("value", nulls_last=True)
        value = part["value"].cast(int).fill_null(NO_VALUE).to_numpy().astype(np.int64)
        found.append(Sums(value, *(part[name].to_numpy() for name in ("deals", "total", "squares"))))
    return found[0], found[1]


def tables_of(subject: Subject, rows: pl.DataFrame) -> tuple[list[Row], Row, list[Row]]:
    """Returns the rows of the summary, of the policies, and of the curve, for one subject."""
    found = judged(subject, rows)
    who = {"rules": name_of(subject.rules), "players": str(subject.lineup), "right": subject.right}
    summary = [{**who, **row} for row in found.summary()]
    policy = {**who, **found.policies(),
              **{name.replace("-", "_"): row["value"] for row in summary for name in [row["measure"]]},
              **{f"{row['measure'].replace('-', '_')}_half_width": half_width(row) for row in summary}}
    return summary, policy, [{**who, **row} for row in found.curve()]


def judged(subject: Subject, rows: pl.DataFrame) -> Judged:
    """Returns the best policy for a subject, with what is said of it."""
    kinds: Mapping[str, type[Judged]] = {
        "hide": _Hide, "ask": _Ask, "ask-defending": _Ask, "redeal": _Redeal}
    return kinds.get(subject.right, _Use)(subject, rows)


class Judged(ABC):
    """The best policy for one right under one rule set, and what is said of it."""

    best: Any

    @abstractmethod
    def __init__(self, subject: Subject, rows: pl.DataFrame) -> None:
        """Chooses the best policy on the even deals, and for comparison on the odd ones."""

    @abstractmethod
    def summary(self) -> Iterator[Row]:
        """Yields a row for each measure."""

    @abstractmethod
    def policies(self) -> Row:
        """Returns the best policy, what the other half would choose, and what the players themselves do."""

    def curve(self) -> Iterator[Row]:
        """Yields what each of some thresholds gains over never using the right, on all deals.

        None of these is chosen, so that no half is set aside.
        """
        yield from ()


class _Use(Judged):
    """A right that is used below a threshold of what is seen."""

    choice = "use"

    def __init__(self, subject: Subject, rows: pl.DataFrame) -> None:
        self.subject = subject
        self.halves = halves_of(rows, self.choice, "unused")
        self.best, self.on_odd = (self.choose(half) for half in self.halves)

    def choose(self, half: Sums) -> int:
        """Returns the threshold with the largest gain; below all values, never, where none gains."""
        usable = half.value < NO_VALUE
        gains = np.concatenate([[0], np.cumsum(half.total[usable])])
        thresholds = np.concatenate([[NEVER], half.value[usable] + 1])
        return int(thresholds[gains.argmax()])

    def compare(self, use: int, instead: int, halves: Sequence[Sums]) -> Row:
        """Returns what one threshold gains over another in the deals of some halves."""
        n = total = squares = apart = 0
        for half in halves:
            sign = (half.value < use).astype(int) - (half.value < instead)
            n += half.n
            total += int(sign @ half.total)
            squares += int(np.abs(sign) @ half.squares)
            apart += int(np.abs(sign) @ half.deals)
        return _mean(n, total, squares, None if use == instead else apart)

    def summary(self) -> Iterator[Row]:
        judges, own = self.halves[1:], min(self.subject.built_in, NO_VALUE)
        # Unused, the right leaves each deal what it is without the rule.
        gain = self.compare(self.best, NEVER, judges)
        yield {"measure": "gain", **gain}
        yield {"measure": "over-built-in", **self.compare(self.best, own, judges)}
        yield {"measure": "built-in", **self.compare(own, NEVER, judges)}
        yield {"measure": "having", **gain}
        yield {"measure": "used", **_share(judges[0], self.best)}

    def policies(self) -> Row:
        return {"policy": self.text(self.best), "on_odd": self.text(self.on_odd),
                "own_policy": self.text(self.subject.built_in)}

    def text(self, threshold: int) -> str:
        """Returns a policy in words."""
        values = _values(self.halves)
        usable = values[values < NO_VALUE]
        if not (usable < threshold).any():
            return "never"
        if (usable < threshold).all():
            return "always"
        if self.subject.right == "change-trump":
            return f"≥ {1 - threshold}"
        return f"< {threshold}"

    def curve(self) -> Iterator[Row]:
        for threshold in _thresholds(_values(self.halves)):
            yield {"threshold": threshold, **self.compare(threshold, NEVER, self.halves)}


class _Redeal(_Use):
    """A new deal instead of this one: what is kept is worth its mean, and what is given back as much."""

    choice = "keep"

    def choose(self, half: Sums) -> int:
        thresholds = np.concatenate([[NEVER], half.value[half.value < NO_VALUE] + 1])
        kept = [half.value >= threshold for threshold in thresholds]
        means = [(half.total @ keep) / max(1, half.deals @ keep) for keep in kept]
        return int(thresholds[np.argmax(means)])

    def compare(self, use: int, instead: int, halves: Sequence[Sums]) -> Row:
        value = variance = 0.0
        apart = 0
        for half in halves:
            deals = half.n or nan       # of a single deal, no half but the even one has any
            slope, shift = np.zeros(len(half.value)), np.zeros(len(half.value))
            for sign, threshold in ((1, use), (-1, instead)):
                keep = half.value >= threshold
                kept = float(half.deals @ keep) or nan
                mean, share = float(half.total @ keep) / kept, kept / deals
                value += sign * mean / len(halves)
                # A deal moves the mean of those kept by (points - mean) / share, one given back not at all.
                slope += sign * keep / share
                shift -= sign * keep * mean / share
            moved = slope**2 @ half.squares + 2 * (slope * shift) @ half.total + shift**2 @ half.deals
            variance += float(moved) / deals**2 / len(halves) ** 2
            apart += int(((half.value >= use) != (half.value >= instead)) @ half.deals)
        n = sum(half.n for half in halves)
        error = nan if use != instead and few_apart(apart, n) else sqrt(variance)
        return estimate_row(t_intervals(value, error, n - 1), n, Method.DELTA)


class _Hide(Judged):
    """The card to hide, by how many of the suit are held."""

    alternatives = ("lowest", "second")

    def __init__(self, subject: Subject, rows: pl.DataFrame) -> None:
        self.by_choice = {choice: halves_of(rows, choice, "built-in") for choice in self.alternatives}
        self.best, self.on_odd = (self.choose(place) for place in range(2))

    def choose(self, place: int) -> Mapping[int, str]:
        """Returns for each number of cards the choice that gains most over the highest card."""
        found: dict[int, str] = {}
        for length in range(2, 6):
            gains = {
                choice: int(halves[place].total @ (halves[place].value == length))
                for choice, halves in self.by_choice.items()
            }
            best = max(gains, key=lambda choice: gains[choice])
            if gains[best] > 0:
                found[length] = best
        return found

    def summary(self) -> Iterator[Row]:
        judges = {choice: half for choice, (_, half) in self.by_choice.items()}
        n = judges["lowest"].n          # as of each choice
        total = squares = used = 0
        for choice, half in judges.items():
            hit = np.isin(half.value, [length for length, best in self.best.items() if best == choice])
            total += int(half.total @ hit)
            squares += int(half.squares @ hit)
            used += int(half.deals @ hit)
        # A card instead of another seldom changes the points: the squares bound how often.
        apart = min(used, squares) if self.best else None
        yield {"measure": "over-built-in", **_mean(n, total, squares, apart)}
        yield {"measure": "used", **_proportion(used, n)}

    def policies(self) -> Row:
        return {"policy": self.text(self.best), "on_odd": self.text(self.on_odd),
                "own_policy": self.text({})}

    @staticmethod
    def text(best: Mapping[int, str]) -> str:
        """Returns for each number of cards which is hidden, counted from the highest: `2:2 3:2 4:1 5:1`."""
        places = {length: {"lowest": length, "second": 2}.get(best.get(length, ""), 1)
                  for length in range(2, 6)}
        return " ".join(f"{length}:{place}" for length, place in places.items())


class _Ask(Judged):
    """When the hidden card is asked for: one choice of several."""

    def __init__(self, subject: Subject, rows: pl.DataFrame) -> None:
        self.rows = rows
        self.choices: list[str] = rows["choice"].cast(str).unique(maintain_order=True).to_list()
        self.best, self.on_odd = (self.choose(place) for place in range(2))

    def choose(self, place: int) -> str:
        gains = {choice: int(halves_of(self.rows, choice, "unused")[place].total.sum())
                 for choice in self.choices}
        return max(gains, key=lambda choice: gains[choice])

    def compare(self, use: str, against: str) -> Row:
        _, half = halves_of(self.rows, use, against)
        squares = int(half.squares.sum())
        return _mean(half.n, int(half.total.sum()), squares, None if use == against else squares)

    def summary(self) -> Iterator[Row]:
        yield {"measure": "gain", **self.compare(self.best, "unused")}
        yield {"measure": "over-built-in", **self.compare(self.best, "built-in")}
        yield {"measure": "built-in", **self.compare("built-in", "unused")}
        yield {"measure": "having", **self.compare(self.best, "rule-off")}

    def policies(self) -> Row:
        return {"policy": self.best, "on_odd": self.on_odd, "own_policy": "built-in"}


def _values(halves: Sequence[Sums]) -> Integers:
    """Returns the values of some halves in order."""
    return np.unique(np.concatenate([half.value for half in halves]))


def _thresholds(values: Integers) -> list[int]:
    """Returns some thresholds between the values, and beyond all."""
    usable = values[values < NO_VALUE]
    if not len(usable):
        return []
    places = np.unique(np.linspace(0, len(usable) - 1, _MOST_THRESHOLDS).astype(int))
    return [int(usable[0]), *(int(usable[place]) + 1 for place in places)]


def _share(half: Sums, threshold: int) -> Row:
    return _proportion(int(half.deals @ (half.value < threshold)), half.n)


def _proportion(used: int, n: int) -> Row:
    return estimate_row(proportions(used, n), n, Method.WILSON)


def _mean(n: int, total: int, squares: int, apart: int | None) -> Row:
    """Returns a mean difference of policies that do different things in `apart` deals; None: never do."""
    if apart is None and n > 1:
        return estimate_row(Estimates(*map(np.asarray, (0.0, 0.0, 0.0, 0.0))), n, Method.PAIRED_T)
    return estimate_row(means(n, total, squares, unsure=few_apart(apart or 0, n)), n, Method.PAIRED_T)
