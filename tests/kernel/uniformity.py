"""What would be seen if shuffled packs were not uniform, or not independent of one another.

Packs come as an array (deals, 52) of card numbers.  Each test is one p-value, and is about counts whose mean
and variance are known exactly: it needs no simulation.

- A *cell* is a count over all deals, of something with the same chance in each.  Whether one cell stands out
  is judged by the greatest of all z-scores (Bonferroni, which holds however the cells hang together).
- All cells *together*: the sum of z² has a mean of exactly 1 a cell, whether or not the cells hang together.
  The deals are cut into blocks, which are independent; a t-test holds the means of the blocks against 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Packs = NDArray[np.uint8]
Counts = NDArray[np.int64] | NDArray[np.float64]

CARDS = 52
BLOCKS = 40
SEAT_OF_PLACE = np.arange(CARDS) // 13


def places(packs: Packs) -> NDArray[np.intp]:
    """Returns where each card lies, (deals, 52)."""
    return np.argsort(packs, axis=1)


def seats(packs: Packs) -> NDArray[np.intp]:
    """Returns who has each card, (deals, 52)."""
    return SEAT_OF_PLACE[places(packs)]


def by_cells(
    name: str, packs: Packs, count: Callable[[Packs], Counts], chance: float | NDArray[np.float64]
) -> dict[str, float]:
    """Returns the two p-values of cells that `count` counts over packs and that have these chances in
    each."""
    blocks = [packs[block] for block in np.array_split(np.arange(len(packs)), BLOCKS)]
    counts = [np.asarray(count(block), np.float64) for block in blocks]

    def scores(counted: NDArray[np.float64], deals: int) -> NDArray[np.float64]:
        chances = np.broadcast_to(np.asarray(chance, np.float64), counted.shape)
        cells = chances > 0
        assert not counted[~cells].any(), f"{name}: what cannot be has been counted"
        p = chances[cells]
        return (counted[cells] - deals * p) / np.sqrt(deals * p * (1 - p))

    greatest = scores(np.sum(counts, axis=0), len(packs))
    lone = min(1.0, 2 * greatest.size * float(stats.norm.sf(np.abs(greatest).max())))
    means = [float((scores(each, len(block)) ** 2).mean()) for each, block in zip(counts, blocks,
    strict=True)]
    return {f"{name}, each": lone, f"{name}, together": float(stats.ttest_1samp(means, 1.0).pvalue)}


def joint(one: NDArray[np.intp], other: NDArray[np.intp], size: int) -> Counts:
    """Returns how often card c has value x in the one and card d value y in the other: (52 size, 52 size)."""

    def indicators(values: NDArray[np.intp]) -> NDArray[np.float32]:
        shown: NDArray[np.float32] = (values[:, :, None] == np.arange(size)).astype(np.float32)
        return shown.reshape(len(values), -1)

    return (indicators(one).T @ indicators(other)).astype(np.float64)


def card_at_place(packs: Packs) -> dict[str, float]:
    """Every card on every place of every hand: 2,704 cells."""
    return by_cells(
        "card x seat x place", packs,
        lambda some: np.bincount((some + CARDS * np.arange(CARDS)).ravel(), minlength=CARDS**2), 1 / CARDS,
    )


def pairs_at_seats(packs: Packs) -> dict[str, float]:
    """Every two cards with every two seats: 21,216 cells."""
    together, apart = 13 * 12 / (52 * 51), 13 * 13 / (52 * 51)
    seats_chance = np.where(np.eye(4, dtype=bool), together, apart)
    upper = np.triu(np.ones((CARDS, CARDS)), 1)[:, None, :, None]
    chance = (upper * seats_chance[None, :, None, :]).reshape(4 * CARDS, 4 * CARDS)
    return by_cells(
        "pairs of cards x pairs of seats", packs,
        lambda some: np.where(chance > 0, joint(seats(some), seats(some), 4), 0), chance,
    )


def neighbours_in_the_pack(packs: Packs) -> dict[str, float]:
    """Every card dealt right after every other: 2,652 cells."""
    chance = (1 - np.eye(CARDS)).ravel() / CARDS
    return by_cells(
        "card after card", packs,
        lambda some: np.bincount(
            (some[:, :-1].astype(np.int64) * CARDS + some[:, 1:]).ravel(), minlength=CARDS**2), chance,
    )


def against(name: str, packs: Packs, others: Packs) -> dict[str, float]:
    """Two packs that should have nothing to do with each other, deal by deal: who has a card here and
    another card there.

    43,264 cells; and, as a test of its own, on how many places the two have the same card.
    """
    both = np.concatenate([packs, others], axis=1)
    found = by_cells(
        f"{name}, seats", both, lambda some: joint(seats(some[:, :CARDS]), seats(some[:, CARDS:]), 4), 1 / 16,
    )
    same = (packs == others).sum(axis=1)
    # k of 52 places agree with the chance 1/k! (1 - 1 + 1/2! - 1/3! …), to 1e-15 as if there were no end.
    chances = [math.exp(-1) / math.factorial(k) for k in range(6)]
    counted = np.bincount(np.minimum(same, 6), minlength=7)
    found[f"{name}, same card on the same place"] = float(
        stats.chisquare(counted, np.array([*chances, 1 - sum(chances)]) * len(packs)).pvalue)
    return found


def runs(packs: Packs) -> dict[str, float]:
    """Deal after deal, for each card: how long the runs with seats 0 and 2, or with 1 and 3, are (Wald and
    Wolfowitz)."""
    side = seats(packs) & 1
    changes = (side[1:] != side[:-1]).sum(axis=0)
    tries = len(packs) - 1                                  # each is a fair coin, and they are independent
    z = (changes - tries / 2) / math.sqrt(tries / 4)
    return {"runs": min(1.0, 2 * CARDS * float(stats.norm.sf(np.abs(z).max())))}


def lags(packs: Packs, most: int = 100) -> dict[str, float]:
    """Correlations of a deal with each of the next ones, in eldest's strength: 4 for an ace down to 1 for a
    jack."""
    worth = np.maximum(np.arange(CARDS) % 13 - 8, 0)
    strength = worth[packs[:, :13]].sum(axis=1).astype(np.float64)
    strength -= strength.mean()
    n = len(strength)
    r = np.array([strength[lag:] @ strength[:-lag] for lag in range(1, most + 1)]) / (strength @ strength)
    ljung_box = n * (n + 2) * float((r**2 / (n - np.arange(1, most + 1))).sum())
    return {"lags": float(stats.chi2.sf(ljung_box, most))}


def alone(packs: Packs) -> Iterator[dict[str, float]]:
    """Yields the p-values of all that is about packs of consecutive deals."""
    yield card_at_place(packs)
    yield pairs_at_seats(packs)
    yield neighbours_in_the_pack(packs)
    yield runs(packs)
    yield lags(packs)
    for lag in (1, 64):
        yield against(f"deal i and i+{lag}", packs[:-lag], packs[lag:])


def classes(counted: NDArray[np.int64], weights: NDArray[np.int64]) -> float:
    """Returns the p-value of Pearson's X² for counts of classes with these weights, many of them small.

    Its mean and variance are exact for any counts (Haldane 1937), so that it does not matter how few there
    are of a class.
    """
    n, k, p = int(counted.sum()), len(counted), weights / weights.sum()
    x2 = float(((counted - n * p) ** 2 / (n * p)).sum())
    variance = 2 * (k - 1) + (float((1 / p).sum()) - k * k - 2 * k + 2) / n
    return 2 * float(stats.norm.sf(abs(x2 - (k - 1)) / math.sqrt(variance)))


def least(found: dict[str, float]) -> float:
    """Returns the least p-value, corrected for their number (Bonferroni)."""
    return min(1.0, len(found) * min(found.values()))
