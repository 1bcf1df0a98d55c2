"""The tables of the options study, made from the rows of its chunks.

The best policy is chosen on the deals with even numbers and valued on those with odd ones, and the other way
round; both are taken together.  So nothing is made to look better by chance, and what is told is what
somebody gains who knows the best policy from half of the deals.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from courtpiece.rules import name_of
from courtpiece.stats import Method, means, proportions, t_intervals
from courtpiece.studies.estimates import estimate_row, half_width
from courtpiece.studies.options_policies import NO_VALUE, Subject

if TYPE_CHECKING:
    import polars as pl

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]
Row = dict[str, Any]

HALVES = ("even", "odd")
MEASURES = ("gain", "over-built-in", "built-in", "having", "used")
_MOST_THRESHOLDS = 40                   # of a curve


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
    work: Mapping[str, type[_Work]] = {
        "hide": _Hide, "ask": _Ask, "ask-defending": _Ask, "redeal": _Redeal}
    found = work.get(subject.right, _Use)(subject, rows)
    who = {"rules": name_of(subject.rules), "players": str(subject.lineup), "right": subject.right}
    summary = [{**who, **row} for row in found.summary()]
    policy = {**who, **found.policies(),
              **{name.replace("-", "_"): row["value"] for row in summary for name in [row["measure"]]},
              **{f"{row['measure'].replace('-', '_')}_half_width": half_width(row) for row in summary}}
    return summary, policy, [{**who, **row} for row in found.curve()]


class _Work(ABC):
    """What is said of one right under one rule set."""

    @abstractmethod
    def __init__(self, subject: Subject, rows: pl.DataFrame) -> None:
        """Chooses the best policy on each half of the deals."""

    @abstractmethod
    def summary(self) -> Iterator[Row]:
        """Yields a row for each measure."""

    @abstractmethod
    def policies(self) -> Row:
        """Returns the best policy, on all deals and on each half, and what the players do by themselves."""

    def curve(self) -> Iterator[Row]:
        """Yields what each of some thresholds gains over never using the right, on all deals."""
        yield from ()


class _Use(_Work):
    """A right that is used below a threshold of what is seen."""

    def __init__(self, subject: Subject, rows: pl.DataFrame) -> None:
        self.subject = subject
        self.halves = halves_of(rows, "use", "unused")
        self.best = tuple(self.choose((half,)) for half in self.halves)
        self.best_of_all = self.choose(self.halves)

    def choose(self, halves: Sequence[Sums]) -> int:
        """Returns the threshold with the largest gain; below all values, never, where none gains."""
        values, totals = _joined(halves)
        usable = values < NO_VALUE
        gains = np.concatenate([[0], np.cumsum(totals[usable])])
        thresholds = np.concatenate([[-NO_VALUE], values[usable] + 1])
        return int(thresholds[gains.argmax()])

    def compare(self, use: Callable[[int], int], instead: Callable[[int], int]) -> Row:
        """Returns a gain: each half valued with the thresholds that two policies have there."""
        n = total = squares = 0
        for place, half in enumerate(self.halves):
            sign = (half.value < use(place)).astype(int) - (half.value < instead(place))
            n += half.n
            total += int(sign @ half.total)
            squares += int(np.abs(sign) @ half.squares)
        return _mean(n, total, squares)

    def summary(self) -> Iterator[Row]:
        # Unused, the right leaves each deal what it is without the rule.
        def best(place: int) -> int:
            return self.best[1 - place]

        def never(place: int) -> int:
            return -NO_VALUE

        def own(place: int) -> int:
            return min(self.subject.built_in, NO_VALUE)

        yield {"measure": "gain", **self.compare(best, never)}
        yield {"measure": "over-built-in", **self.compare(best, own)}
        yield {"measure": "built-in", **self.compare(own, never)}
        yield {"measure": "having", **self.compare(best, never)}
        yield {"measure": "used", **_share(self.halves, best)}

    def policies(self) -> Row:
        first, second = (self.text(best) for best in self.best)
        return {"policy": self.text(self.best_of_all), "on_even": first, "on_odd": second,
                "own_policy": self.text(self.subject.built_in)}

    def text(self, threshold: int) -> str:
        """Returns a policy in words."""
        values, _ = _joined(self.halves)
        usable = values[values < NO_VALUE]
        if not (usable < threshold).any():
            return "never"
        if (usable < threshold).all():
            return "always"
        if self.subject.right == "change-trump":
            return f"≥ {1 - threshold}"
        return f"< {threshold}"

    def curve(self) -> Iterator[Row]:
        values, _ = _joined(self.halves)
        for threshold in _thresholds(values):
            def use(place: int, threshold: int = threshold) -> int:
                return threshold

            yield {"threshold": threshold, **self.compare(use, lambda place: -NO_VALUE)}


class _Redeal(_Use):
    """A new deal instead of this one: what is kept is worth its mean, and what is given back as much."""

    def __init__(self, subject: Subject, rows: pl.DataFrame) -> None:
        self.subject = subject
        self.halves = halves_of(rows, "keep", "unused")
        self.best = tuple(self.choose((half,)) for half in self.halves)
        self.best_of_all = self.choose(self.halves)

    def choose(self, halves: Sequence[Sums]) -> int:
        values = np.unique(np.concatenate([half.value for half in halves]))
        thresholds = np.concatenate([[-NO_VALUE], values[values < NO_VALUE] + 1])
        deals, totals = (sum(_by_value(values, half, name) for half in halves) for name in ("deals", "total"))
        kept = [values >= threshold for threshold in thresholds]
        return int(thresholds[np.argmax([(totals @ keep) / max(1, deals @ keep) for keep in kept])])

    def compare(self, use: Callable[[int], int], instead: Callable[[int], int]) -> Row:
        value, variance = 0.0, 0.0
        for place, half in enumerate(self.halves):
            slope, shift = np.zeros(len(half.value)), np.zeros(len(half.value))
            for sign, threshold in ((1, use(place)), (-1, instead(place))):
                keep = half.value >= threshold
                mean = float(half.total @ keep) / float(half.deals @ keep)
                share = float(half.deals @ keep) / half.n
                value += sign * mean / 2
                # A deal moves the mean of those kept by (points - mean) / share, one given back not at all.
                slope += sign * keep / share
                shift -= sign * keep * mean / share
            moved = slope**2 @ half.squares + 2 * (slope * shift) @ half.total + shift**2 @ half.deals
            variance += float(moved) / half.n**2 / 4
        n = sum(half.n for half in self.halves)
        return estimate_row(t_intervals(value, sqrt(variance), n - 1), n, Method.DELTA)


class _Hide(_Work):
    """The card to hide, by how many of the suit are held."""

    alternatives = ("lowest", "second")

    def __init__(self, subject: Subject, rows: pl.DataFrame) -> None:
        self.by_choice = {choice: halves_of(rows, choice, "built-in") for choice in self.alternatives}
        self.best = tuple(self.choose((place,)) for place in range(2))
        self.best_of_all = self.choose((0, 1))

    def choose(self, places: Sequence[int]) -> Mapping[int, str]:
        """Returns for each number of cards the choice that gains most over the highest card."""
        found: dict[int, str] = {}
        for length in range(2, 6):
            gains = {
                choice: sum(int(halves[place].total @ (halves[place].value == length)) for place in places)
                for choice, halves in self.by_choice.items()
            }
            best = max(gains, key=lambda choice: gains[choice])
            if gains[best] > 0:
                found[length] = best
        return found

    def summary(self) -> Iterator[Row]:
        n = total = squares = used = 0
        for place in range(2):
            best = self.best[1 - place]
            for choice, halves in self.by_choice.items():
                half = halves[place]
                hit = np.isin(half.value, [length for length, chosen in best.items() if chosen == choice])
                total += int(half.total @ hit)
                squares += int(half.squares @ hit)
                used += int(half.deals @ hit)
            n += half.n
        yield {"measure": "over-built-in", **_mean(n, total, squares)}
        yield {"measure": "used", **_proportion(used, n)}

    def policies(self) -> Row:
        first, second = (self.text(best) for best in self.best)
        return {"policy": self.text(self.best_of_all), "on_even": first, "on_odd": second,
                "own_policy": self.text({})}

    @staticmethod
    def text(best: Mapping[int, str]) -> str:
        """Returns for each number of cards which is hidden, counted from the highest: `2:2 3:2 4:1 5:1`."""
        places = {length: {"lowest": length, "second": 2}.get(best.get(length, ""), 1)
                  for length in range(2, 6)}
        return " ".join(f"{length}:{place}" for length, place in places.items())


class _Ask(_Work):
    """When the hidden card is asked for: one choice of several."""

    def __init__(self, subject: Subject, rows: pl.DataFrame) -> None:
        self.rows = rows
        self.choices: list[str] = rows["choice"].cast(str).unique(maintain_order=True).to_list()
        self.best = tuple(self.choose((place,)) for place in range(2))
        self.best_of_all = self.choose((0, 1))

    def choose(self, places: Sequence[int]) -> str:
        gains = {}
        for choice in self.choices:
            halves = halves_of(self.rows, choice, "unused")
            gains[choice] = sum(int(halves[place].total.sum()) for place in places)
        return max(gains, key=lambda choice: gains[choice])

    def compare(self, use: Callable[[int], str], against: str) -> Row:
        n = total = squares = 0
        for place in range(2):
            half = halves_of(self.rows, use(place), against)[place]
            n, total, squares = n + half.n, total + int(half.total.sum()), squares + int(half.squares.sum())
        return _mean(n, total, squares)

    def summary(self) -> Iterator[Row]:
        def best(place: int) -> str:
            return self.best[1 - place]

        yield {"measure": "gain", **self.compare(best, "unused")}
        yield {"measure": "over-built-in", **self.compare(best, "built-in")}
        yield {"measure": "built-in", **self.compare(lambda place: "built-in", "unused")}
        yield {"measure": "having", **self.compare(best, "rule-off")}

    def policies(self) -> Row:
        return {"policy": self.best_of_all, "on_even": self.best[0], "on_odd": self.best[1],
                "own_policy": "built-in"}


def _joined(halves: Sequence[Sums]) -> tuple[Integers, Integers]:
    """Returns the values of some halves in order, and the total of each."""
    values = np.unique(np.concatenate([half.value for half in halves]))
    return values, np.sum([_by_value(values, half, "total") for half in halves], axis=0)


def _by_value(values: Integers, half: Sums, name: str) -> Integers:
    found = np.zeros(len(values), np.int64)
    found[np.searchsorted(values, half.value)] = getattr(half, name)
    return found


def _thresholds(values: Integers) -> list[int]:
    """Returns some thresholds between the values, and beyond all."""
    usable = values[values < NO_VALUE]
    if not len(usable):
        return []
    places = np.unique(np.linspace(0, len(usable) - 1, _MOST_THRESHOLDS).astype(int))
    return [int(usable[0]), *(int(usable[place]) + 1 for place in places)]


def _share(halves: Halves, threshold: Callable[[int], int]) -> Row:
    used = sum(int(half.deals @ (half.value < threshold(place))) for place, half in enumerate(halves))
    return _proportion(used, sum(half.n for half in halves))


def _proportion(used: int, n: int) -> Row:
    return estimate_row(proportions(used, n), n, Method.WILSON)


def _mean(n: int, total: int, squares: int) -> Row:
    return estimate_row(means(n, total, squares), n, Method.PAIRED_T)
