"""Endings: the solver against plain minimax."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from courtpiece._kernel import solver as kernel
from courtpiece.cards import Card, Suit
from courtpiece.solve import NO_TRUMP, Position, solve, solve_many
from tests.solve import plain


def asked(position: Position) -> tuple[NDArray[np.uint64], NDArray[np.uint8], int, int]:
    """The position as the kernel takes it."""
    hands = np.array(plain.masks(position), np.uint64)
    trump = NO_TRUMP if position.trump is None else int(position.trump)
    return hands, np.array(position.trick, np.uint8), trump, position.leader


@pytest.mark.parametrize("seed", range(4))
def test_every_card_of_an_ending_is_worth_what_plain_minimax_says(seed: int) -> None:
    dice = Random(seed)
    for _ in range(30):
        position = plain.random_ending(dice, 4)
        side = position.turn % 2
        for value in solve(position).cards:
            assert isinstance(value.card, Card)
            following = position.after(value.card)
            won = following.taken[side] - position.taken[side]
            assert value.tricks == won + plain.most_tricks(following, side), (position, value)
        plain.most_tricks.cache_clear()


@pytest.mark.parametrize("seed", range(4))
def test_yes_or_no_questions_of_an_ending_are_answered_as_by_plain_minimax(seed: int) -> None:
    dice = Random(100 + seed)
    solver = kernel.Solver(1 << 20)
    for _ in range(60):
        position = plain.random_ending(dice, 3)
        for side in (0, 1):
            tricks, run = plain.most_tricks(position, side), plain.longest_run(position, side)
            for need in range(1, position.tricks_left + 2):
                assert solver.can(*asked(position), side, need) == (tricks >= need), (position, side, need)
                in_a_row = solver.can(*asked(position), side, need, in_a_row=True)
                assert in_a_row == (run >= need), (position, side, need)
        plain.most_tricks.cache_clear()
        plain.longest_run.cache_clear()


def test_a_line_of_best_play_is_legal_and_ends_with_the_tricks_promised() -> None:
    dice = Random(7)
    for _ in range(60):
        start = position = plain.random_ending(dice, 6)
        solution = solve(start)
        for card in solution.line:
            assert isinstance(card, Card)
            assert card in position.legal_cards()
            position = position.after(card)
        side = start.turn % 2
        assert position.tricks_left == 0
        assert position.taken[side] - start.taken[side] == solution.tricks


def test_renaming_the_suits_and_turning_the_table_change_no_answer() -> None:
    dice = Random(11)
    deals, trumps = [], []
    for _ in range(30):
        hands = plain.random_deal(dice)
        cut = [hand[:8] for hand in hands]
        trump = dice.choice(list(Suit))
        names = list(Suit)
        dice.shuffle(names)
        turn = dice.randrange(4)
        moved = [[13 * names[card.suit] + card.rank for card in cut[(seat + turn) % 4]] for seat in range(4)]
        deals += [cut, moved]
        trumps += [(trump, 0), (names[trump], -turn % 4)]
    answers = solve_many(np.array(deals), np.array([t for t, _ in trumps]), np.array([s for _, s in trumps]))
    assert answers[0::2].tolist() == answers[1::2].tolist()


def test_cards_between_which_only_gone_cards_lie_are_equal() -> None:
    solution = solve("AT92... K83.4.. Q65.7.. J4.32..", trump="S")
    assert {" ".join(map(str, value.equals)) for value in solution.cards} == {"AS", "TS 9S", "2S"}
