"""Whole deals: the solver against answers by other solvers, and against its own table."""

from __future__ import annotations

import csv
from pathlib import Path
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from courtpiece._kernel import solver as kernel
from courtpiece.cards import Suit, parse_cards
from courtpiece.solve import solve, solve_many
from tests.solve import plain

SOLVED = Path(__file__).parent / "solved_deals.csv"
Solved = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]


@pytest.fixture(scope="module")
def solved() -> Solved:
    """Deals solved by two other solvers: hands, trumps, and the leader's most tricks by seat on lead."""
    with SOLVED.open(encoding="ascii") as file:
        rows = list(csv.DictReader(file))
    hands = np.array([[list(parse_cards(row[f"hand{seat}"])) for seat in range(4)] for row in rows])
    trumps = np.array([Suit.parse(row["trump"]) for row in rows])
    tricks = np.array([[int(row[f"lead{seat}"]) for seat in range(4)] for row in rows])
    return hands, trumps, tricks


def test_the_most_tricks_are_those_that_other_solvers_found(solved: Solved) -> None:
    hands, trumps, tricks = solved
    for seat in range(4):
        assert solve_many(hands, trumps, seat).tolist() == tricks[:, seat].tolist()


def test_a_side_takes_seven_or_all_thirteen_just_if_its_most_tricks_say_so(solved: Solved) -> None:
    hands, trumps, tricks = solved
    assert solve_many(hands, trumps, question="seven").tolist() == (tricks[:, 0] >= 7).tolist()
    assert solve_many(hands, trumps, question="thirteen").tolist() == (tricks[:, 0] == 13).tolist()


def test_whoever_can_take_the_first_seven_can_take_seven(solved: Solved) -> None:
    hands, trumps, tricks = solved
    kots = solve_many(hands, trumps, question="kot")
    assert 0 < kots.sum() < len(kots)
    assert (tricks[kots == 1, 0] >= 7).all()


def test_a_full_table_begins_anew_and_changes_no_answer() -> None:
    dice = Random(17)
    deals = [[hand[:9] for hand in plain.random_deal(dice)] for _ in range(20)]
    masks = np.bitwise_or.reduce(np.uint64(1) << np.array(deals, np.uint64), axis=2)
    trumps, leaders = np.full(20, 1, np.uint8), np.zeros(20, np.uint8)
    small = kernel.Solver(0)
    answers = np.zeros(20, np.int8)
    small.most(masks, trumps, leaders, answers)
    assert small.forgotten > 20
    assert answers.tolist() == solve_many(masks, trumps).tolist()


def test_threads_share_the_work_and_give_the_same_answers(solved: Solved) -> None:
    hands, trumps, tricks = solved
    assert solve_many(hands, trumps, jobs=2).tolist() == tricks[:, 0].tolist()


def test_a_solver_answers_the_same_whatever_it_was_asked_before() -> None:
    dice = Random(5)
    deals = np.array([plain.random_deal(dice) for _ in range(6)])[:, :, :9]
    order = [3, 0, 5, 2, 4, 1]
    forth = solve_many(deals, 2)
    assert solve_many(deals[order], 2).tolist() == forth[order].tolist()
    assert [solve(deal.tolist(), trump="D").tricks for deal in deals] == forth.tolist()
