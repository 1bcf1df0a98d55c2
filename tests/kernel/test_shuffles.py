"""The deals are uniform and independent, as far as 100,000 of them tell, and flaws would be told.

Seeds are fixed, so that a test passes or fails for good.  All p-values of a test are corrected for their
number; one below 1e-4 then fails it.  The words beneath are tried by dieharder (docs/randomness.md).
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable

import numpy as np
import pytest

from courtpiece._kernel import engine
from courtpiece.cards import all_classes, class_indices
from courtpiece.rules import resolve
from courtpiece.table import Table, seed_key
from tests.kernel import uniformity
from tests.kernel.uniformity import CARDS, Packs

FAILS = 1e-4
SEED = 20_260
DEALS = 100_000
FLAWED_DEALS = 20_000


def packs_of(seed: int, start: int, deals: int, stream: int = 0) -> Packs:
    return Table("single-sir", "random").trace(seed, start, deals, stream=stream).hands.reshape(deals, CARDS)


def all_of(packs: Packs) -> dict[str, float]:
    return dict(ChainMap(*uniformity.alone(packs)))


def test_places_pairs_and_neighbouring_deals_are_uniform() -> None:
    found = all_of(packs_of(SEED, 0, DEALS))
    assert uniformity.least(found) > FAILS, found


@pytest.mark.parametrize(
    ("name", "seed", "stream"),
    [("seeds s and s+1", 1, 0), ("streams t and t+1", 0, 1), ("streams t and t+2**40", 0, 2**40)],
)
def test_a_deal_of_another_seed_or_stream_is_another_deal(name: str, seed: int, stream: int) -> None:
    found = uniformity.against(name, packs_of(SEED, 0, DEALS), packs_of(SEED + seed, 0, DEALS, stream))
    assert uniformity.least(found) > FAILS, found


def test_deals_of_consecutive_streams_and_of_consecutive_seeds_are_uniform() -> None:
    # As the hands of a book use them: few deals from each of very many streams.
    table = Table("single-sir", "random")
    packs = np.concatenate([table.trace(SEED, 0, 10, stream=stream).hands for stream in range(2_000)])
    found = all_of(packs.reshape(-1, CARDS))
    packs = np.concatenate([table.trace(seed, 0, 10).hands for seed in range(2_000)])
    found |= {f"seeds: {name}": p for name, p in all_of(packs.reshape(-1, CARDS)).items()}
    assert uniformity.least(found) > FAILS, found


def test_first_fives_fall_on_the_classes_of_hands_by_their_weights() -> None:
    deals = 2_000_000
    caller = ("random", [0] * 54, [0] * 4)
    setup = engine.Setup(resolve("single-sir,caller_may_pass=false"), ["random"] * 4, [caller, caller])
    fives, suits = np.zeros(deals, np.uint64), np.zeros(deals, np.uint8)
    engine.open_deals(setup, seed_key(SEED), 0, deals, fives=fives, suits=suits)
    cards = np.empty((deals, 5), np.uint8)
    for place in range(5):                                  # from the lowest card up
        lowest = fives & (~fives + np.uint64(1))
        cards[:, place] = np.log2(lowest.astype(np.float64))
        fives ^= lowest
    assert not fives.any()
    weights = np.array([each.weight for each in all_classes()])
    counted = np.bincount(class_indices(cards), minlength=len(weights))
    assert uniformity.classes(counted, weights) > FAILS


def by_keys(deals: int, rng: np.random.Generator) -> Packs:
    """Numpy's own shuffles, with nothing of the kernel."""
    return np.argsort(rng.random((deals, CARDS)), axis=1).astype(np.uint8)


def swapped_with_any(rng: np.random.Generator, deals: int) -> Packs:
    """The well-known wrong shuffle: each place changes with any of all places."""
    packs = np.tile(np.arange(CARDS, dtype=np.uint8), (deals, 1))
    rows = np.arange(deals)
    for place in range(CARDS):
        other = rng.integers(0, CARDS, deals)
        packs[rows, place], packs[rows, other] = packs[rows, other].copy(), packs[rows, place].copy()
    return packs


def last_word_forgotten(rng: np.random.Generator, deals: int) -> Packs:
    """The lowest three places of the pack are never shuffled among themselves: as if one word gave no
    draws."""
    packs = by_keys(deals, rng)
    packs[:, :3].sort(axis=1)
    return packs


def riffled_once_from_the_last(rng: np.random.Generator, deals: int) -> Packs:
    """Each second deal is the deal before with a third of the pack in place."""
    packs = by_keys(deals, rng)
    kept = packs[0:-1:2, :17]
    for row, cards in enumerate(kept):
        rest = packs[2 * row + 1]
        packs[2 * row + 1] = np.concatenate([cards, rest[~np.isin(rest, cards)]])
    return packs


def aces_a_little_apart(rng: np.random.Generator, deals: int) -> Packs:
    """Where eldest has the aces of spades and of hearts, two deals of five give the second to the partner."""
    packs = by_keys(deals, rng)
    where = np.argsort(packs, axis=1)
    for row in np.flatnonzero((where[:, 12] < 13) & (where[:, 25] < 13) & (rng.random(deals) < 0.4)):
        one, other = where[row, 25], 26 + rng.integers(13)
        packs[row, one], packs[row, other] = packs[row, other], packs[row, one]
    return packs


def test_packs_shuffled_by_numpy_pass_the_same_tests() -> None:
    found = all_of(by_keys(FLAWED_DEALS, np.random.default_rng(SEED)))
    assert uniformity.least(found) > FAILS, found


@pytest.mark.parametrize(
    "flaw", [swapped_with_any, last_word_forgotten, riffled_once_from_the_last, aces_a_little_apart]
)
def test_flawed_shuffles_are_found(flaw: Callable[[np.random.Generator, int], Packs]) -> None:
    found = all_of(flaw(np.random.default_rng(SEED), FLAWED_DEALS))
    assert uniformity.least(found) < FAILS, found
