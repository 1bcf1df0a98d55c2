"""The solver against DDS on the same random deals: equal answers, and time side by side.

DDS comes with endplay from PyPI.  Only run by name:

    pip install endplay
    pytest tests/bench/against_dds.py -s
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from random import Random
from time import process_time

import numpy as np
import pytest
from numpy.typing import NDArray

from courtpiece._kernel import solver as kernel
from courtpiece.solve import MEMORY
from tests.solve import plain

dds = pytest.importorskip("endplay._dds", reason="the peer is not installed: pip install endplay")

DEALS = 200

Deals = tuple[NDArray[np.uint64], NDArray[np.uint8]]
Ask = Callable[[kernel.Solver, NDArray[np.uint64], NDArray[np.uint8], NDArray[np.int8]], None]


@pytest.fixture(scope="module")
def deals() -> Deals:
    """Random deals as masks, with the longest suit of the leader's first five cards as trump."""
    dice = Random(1)
    masks, trumps = [], []
    for _ in range(DEALS):
        hands = plain.random_deal(dice)
        five = dice.sample(hands[0], 5)
        masks.append([sum(1 << card for card in hand) for hand in hands])
        trumps.append(max(five, key=lambda card: sum(other.suit is card.suit for other in five)).suit)
    dds.SetMaxThreads(1)
    return np.array(masks, np.uint64), np.array(trumps, np.uint8)


def ask_dds(hands: NDArray[np.uint64], trump: int, target: int) -> tuple[int, float]:
    """The score DDS gives the leader's side, and its time."""
    deal, answer = dds.deal(), dds.futureTricks()
    deal.trump, deal.first = int(trump), 0
    for seat in range(4):
        for suit in range(4):
            deal.remainCards[seat][suit] = (int(hands[seat]) >> 13 * suit & 0x1FFF) << 2
    start = process_time()
    dds.SolveBoard(deal, target, 1, 1, answer, ctypes.c_int(0))
    return answer.score[0], process_time() - start


def compare(deals: Deals, ours: Ask, target: int) -> tuple[list[tuple[int, int]], str]:
    """Both answers of each deal, and both times, taken in turn."""
    masks, trumps = deals
    solver, out = kernel.Solver(MEMORY), np.zeros(1, np.int8)
    answers, times = [], []
    for at in range(DEALS):
        one = slice(at, at + 1)
        theirs, their_time = ask_dds(masks[at], trumps[at], target)
        start = process_time()
        ours(solver, masks[one], trumps[one], out)
        times.append((process_time() - start, their_time))
        answers.append((int(out[0]), theirs))
    mean = np.array(times).mean(axis=0) * 1e3
    median = np.median(np.array(times), axis=0) * 1e3
    return (
        answers,
        f"mean {mean[0]:.2f} ms against {mean[1]:.2f}: {mean[0] / mean[1]:.2f}; medians {median.round(2)}",
    )


def test_seven_tricks(deals: Deals) -> None:
    def ours(
        solver: kernel.Solver, masks: NDArray[np.uint64], trumps: NDArray[np.uint8], out: NDArray[np.int8]
    ) -> None:
        solver.at_least(masks, trumps, np.zeros(1, np.uint8), np.full(1, 7, np.uint8), out)

    answers, report = compare(deals, ours, 7)
    print("\nseven:", report)
    assert all(bool(mine) == (theirs == 7) for mine, theirs in answers)


def test_most_tricks(deals: Deals) -> None:
    def ours(
        solver: kernel.Solver, masks: NDArray[np.uint64], trumps: NDArray[np.uint8], out: NDArray[np.int8]
    ) -> None:
        solver.most(masks, trumps, np.zeros(1, np.uint8), out)

    answers, report = compare(deals, ours, -1)
    print("\nmost tricks:", report)
    assert all(mine == theirs for mine, theirs in answers)


def test_the_first_seven_in_a_row(deals: Deals) -> None:
    masks, trumps = deals
    solver, out = kernel.Solver(MEMORY), np.zeros(DEALS, np.int8)
    leaders, sevens = np.zeros(DEALS, np.uint8), np.full(DEALS, 7, np.uint8)
    times = []
    for in_a_row in (False, True):
        start = process_time()
        solver.at_least(masks, trumps, leaders, sevens, out, in_a_row=in_a_row)
        times.append(process_time() - start)
    print(f"\nkot: {times[1] / DEALS * 1e3:.3f} ms a deal, {times[0] / times[1]:.0f} times faster than seven")
