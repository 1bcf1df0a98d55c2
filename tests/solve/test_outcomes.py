"""Outcomes under rules, and deals under way."""

from __future__ import annotations

from random import Random

import numpy as np

from courtpiece.cards import PACK, Card, Suit
from courtpiece.deal import Deal
from courtpiece.rules import Outcome, resolve
from courtpiece.solve import Position, solve, solve_outcomes
from tests.solve import plain

ALL_SPADES = [[card for card in PACK if card.suit == suit] for suit in range(4)]


def test_a_hand_of_all_trumps_is_a_kot_for_its_side() -> None:
    assert solve(ALL_SPADES, trump="S", rules="single-sir").outcome is Outcome.CALLER_KOT
    assert solve(ALL_SPADES, trump="H", rules="single-sir").outcome is Outcome.DEFENDER_KOT
    assert solve(ALL_SPADES, trump="S", rules="bavan").outcome is Outcome.CALLER_KOT


def test_a_lost_trick_rules_out_the_kot_but_not_the_win() -> None:
    hands = [hand[:12] for hand in ALL_SPADES]
    assert solve(hands, trump="S", taken=(0, 1), rules="single-sir").outcome is Outcome.CALLER_WIN
    assert solve(hands, trump="S", taken=(1, 0), rules="single-sir").outcome is Outcome.CALLER_KOT


def test_a_deal_under_way_is_solved_by_its_own_rules() -> None:
    deal = Deal(resolve("single-sir"), ALL_SPADES)
    deal.say("S")
    deal.play(Card.S2)
    solution = solve(deal)
    assert deal.turn == 1
    assert solution.outcome is Outcome.CALLER_KOT
    assert len(solution.cards) == 13


def test_an_ending_that_nobody_remembers_has_tricks_but_no_outcome() -> None:
    solution = solve("A2... K3... .A2.. .K3..", trump="S", rules="single-sir")
    assert solution.tricks == 1
    assert solution.outcome is None


def test_a_position_moves_on_card_by_card() -> None:
    position = Position(hands=tuple(tuple(hand[-1:]) for hand in ALL_SPADES), trump=None, leader=1)
    for _ in range(4):
        position = position.after(position.legal_cards()[0])
    assert position.taken == (0, 1)
    assert position.leader == 1


def test_the_outcomes_of_many_deals_are_those_of_each() -> None:
    dice = Random(3)
    deals = [plain.random_deal(dice) for _ in range(24)]
    trumps, leaders = [dice.randrange(4) for _ in deals], [dice.choice([0, 0, 2, 1]) for _ in deals]
    for preset in ("single-sir", "bavan", "classic-no-kot"):
        found = solve_outcomes(preset, np.array(deals), trumps, leaders, jobs=2)
        for deal, trump, leader, (outcome, winner) in zip(deals, trumps, leaders, found, strict=True):
            one = solve(deal, trump=Suit(trump), leader=leader, rules=preset).outcome
            assert list(Outcome)[outcome] is one
            assert winner == (one in (Outcome.DEFENDER_WIN, Outcome.DEFENDER_KOT))
