"""The classes of hands of a book, as arrays, and means over all hands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from courtpiece.stats import Estimates, Floats, few_apart, proportions, t_intervals, unlike
from courtpiece.studies.book_rows import CLASSES
from courtpiece.studies.trump_rows import CALLS
from courtpiece.studies.trump_sample import BEST, CHANCES, QUALITIES

if TYPE_CHECKING:
    import polars as pl

SUITS = 4                               # how many of ROLES are suits


class Hands:
    """Rows sorted by class and place as arrays: of the classes, (n,), and of their calls, (n, calls)."""

    def __init__(self, rows: pl.DataFrame) -> None:
        numbers = rows["class"].to_numpy()
        first = np.flatnonzero(np.diff(numbers, prepend=-1))
        self.classes = numbers[first]
        self.weights = rows["weight"].to_numpy()[first].astype(np.float64)
        self.cards = rows["cards"].gather(first).to_list()
        size = np.diff(first, append=len(numbers))
        self._where = np.repeat(np.arange(len(first)), size), rows["place"].to_numpy()
        self._shape = len(first), int(size.max())
        self.valid = self._spread(np.ones(len(numbers))) > 0
        self._rows = rows
        self.deals = self.spread("deals")
        rank = self.spread("rank").astype(np.int64)
        self.rank = np.where(self.valid, rank, len(CALLS))
        self.roles = self._spread(rows["role"].to_physical().to_numpy()).astype(np.int64)

    def __len__(self) -> int:
        return len(self.classes)

    def spread(self, name: str) -> Floats:
        """Returns a column by class and call; 0 where there is no such call."""
        return self._spread(self._rows[name].to_numpy().astype(np.float64))

    def _spread(self, values: NDArray[Any]) -> Floats:
        out = np.zeros(self._shape)
        out[self._where] = values
        return out

    def calls(self, policy: str) -> Floats:
        """Returns the chance of each call under a policy."""
        return (self.rank == 0).astype(np.float64) if policy == BEST else self.spread(f"says_{policy}")

    def mean(self, quality: str) -> tuple[Floats, Floats]:
        """Returns the mean of a quality for each call, and its standard error."""
        column = QUALITIES[quality]
        return self._mean(column, column if quality in CHANCES else f"{column}_squared", self.deals)

    @property
    def behind(self) -> tuple[Floats, Floats]:
        """The points of the best call less those of each call on the same deals, and the standard error."""
        return self._mean("behind", "behind_squared", self.spread("behind_deals"))

    def _mean(self, total: str, squares: str, n: Floats) -> tuple[Floats, Floats]:
        count = np.where(self.valid, n, 2.0)
        value = self.spread(total) / count
        return value, np.sqrt((self.spread(squares) / count - value**2).clip(0) / (count - 1))

    @property
    def margin(self) -> tuple[Floats, Floats]:
        """The points of the best call less those of the next best, (n,), and the standard error."""
        value, error = self.behind
        at = np.arange(len(self)), (self.rank == 1).argmax(axis=1)
        return value[at], error[at]

    @property
    def best_suit(self) -> NDArray[np.int64]:
        """The place of the best suit where one must be called, (n,); of the best call where there is none."""
        suits = np.where(self.roles < SUITS, self.rank, len(CALLS))
        there = suits.min(axis=1) < len(CALLS)
        return np.asarray(np.where(there, suits.argmin(axis=1), self.rank.argmin(axis=1)))

    def role_at(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Returns the role of one call of each class, by number."""
        return np.asarray(self.roles[np.arange(len(self)), places])

    @property
    def shapes(self) -> NDArray[np.str_]:
        """The shape of each class."""
        return np.array(["-".join(map(str, lengths_of(cards))) for cards in self.cards])


def lengths_of(cards: str) -> list[int]:
    """Returns the lengths of the suits of a canonical hand, `AK5.2.9.`, the longest first."""
    return [len(held) for held in cards.split(".")]


def weighted(
    values: Floats, errors: Floats, weights: Floats, *, chance: bool = False, all_of: int = CLASSES
) -> Estimates:
    """Returns the mean over all hands of what some of `all_of` classes tell, with its interval.

    Of values of which hardly any differ the error is not known; a chance is then as if counted over the
    hands.
    """
    size, total = len(values), weights.sum()
    value = float((weights * values).sum() / total)
    known = size / all_of
    within = float((weights**2 * errors**2).sum() / total**2)
    if size == 1 and known < 1:
        return t_intervals(value, np.nan, 0)
    among = float((weights**2 * (values - value) ** 2).sum() / total**2)
    error = np.sqrt((1 - known) * among * size / max(1, size - 1) + known * within)
    few = known < 1 and bool(few_apart(unlike(values), size))
    if few and not chance:
        error = np.nan
    found = t_intervals(value, error, max(1, size - 1), chance=chance)
    return _as_if_counted(found, total**2 / (weights**2).sum(), known) if few and chance else found


def _as_if_counted(found: Estimates, hands: float, known: float) -> Estimates:
    """Returns a chance whose interval is no shorter than that of a share of so many hands would be, had so
    much of all been looked at."""
    value, alike, unknown = found.value, proportions(found.value * hands, hands), np.sqrt(1 - known)
    return found._replace(low=np.minimum(found.low, value - unknown * (value - alike.low)),
                          high=np.maximum(found.high, value + unknown * (alike.high - value)))
