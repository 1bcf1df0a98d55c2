"""Deals under any rules: the exact solver against plain minimax over the readable engine.

`COURTPIECE_ENDINGS=20000 pytest tests/solve/test_exact.py` tries so many endings, of up to five cards a seat.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from random import Random

import numpy as np
import pytest

from courtpiece._kernel import exact
from courtpiece.cards import Card
from courtpiece.deal import Deal
from courtpiece.rules import DealEnds, Objective, Outcome, RuleSet, resolve
from courtpiece.solve import CardValue, ask, ending, solve, solve_outcomes
from courtpiece.words import word_code
from tests.solve import plain
from tests.strategies import random_rule_set

ENDINGS = int(os.environ.get("COURTPIECE_ENDINGS", "200"))
CARDS = 5 if ENDINGS > 1000 else 4
STRENGTH = [Outcome.CLAIM_MADE, Outcome.WHITEWASH, Outcome.FOUR_TENS, Outcome.THREE_TENS, Outcome.TWO_TENS,
            Outcome.CALLER_KOT, Outcome.DEFENDER_KOT, Outcome.CALLER_WIN, Outcome.DEFENDER_WIN]


def told(deal: Deal) -> str:
    """What sets the deal up again."""
    return f"{deal.rules} {[list(map(str, hand)) for hand in deal.dealt]} {deal.words} {deal.plays}"


def tricks(deal: Deal) -> int:
    """The tricks that side 0 has at the end."""
    return deal.taken[0]


def tens(deal: Deal) -> int:
    """The tens that side 0 has at the end."""
    return deal.tens[0]


def standing(deal: Deal) -> int:
    """How far side 0 has come out ahead; of outcomes that score the same, the winner prefers the greater."""
    assert deal.outcome is not None
    ours, theirs = deal.points
    sign = 1 if deal.winner == 0 else -1
    return 100 * (ours - theirs) + sign * (len(STRENGTH) - STRENGTH.index(deal.outcome))


def from_here(deal: Deal, worth: Callable[[Deal], int]) -> Callable[[CardValue], int]:
    """What plain minimax finds for a play, from the view of the side that makes it."""
    known: dict[object, int] = {}
    sign = 1 if deal.turn % 2 == 0 else -1
    return lambda value: sign * plain.best_end(plain.after(deal, value.card), worth, known)


@pytest.mark.parametrize("part", range(8))
def test_every_play_of_an_ending_is_worth_what_plain_minimax_says(part: int) -> None:
    dice = Random(part)
    done = 0
    while done < ENDINGS // 8:
        deal = plain.random_deal_ending(dice, random_rule_set(dice), CARDS if dice.random() < 0.3 else 3)
        if deal.phase != "play":
            continue
        done += 1
        solution, side = solve(deal), deal.turn % 2
        plays = {value.card for value in solution.cards}
        assert plays == {*deal.legal_cards(), *(["reveal"] if deal.can_reveal else [])}, told(deal)
        all_tricks = sum(deal.taken) + deal.pile + 14 - deal.trick_number
        best_tricks = from_here(deal, tricks)
        for value in solution.cards:
            best = best_tricks(value)
            have = best if side == 0 else all_tricks + best
            assert value.tricks == have - deal.taken[side], (value, told(deal))
        assert ask(deal, "tricks") == solution.tricks, told(deal)
        if deal.rules.objective is Objective.TENS:
            all_tens = sum(card.rank == 8 for hand in deal.dealt for card in hand)
            best_tens = from_here(deal, tens)
            for value in solution.cards:
                best = best_tens(value)
                have = best if side == 0 else all_tens + best
                assert value.tens == have - deal.tens[side], (value, told(deal))


def random_whole_deal(dice: Random, rules: RuleSet, cards_left: int) -> Deal | None:
    """A whole deal whose first tricks were played at random, or None where it was over too soon."""
    deal = Deal(rules, plain.random_deal(dice))
    while deal.phase == "call":
        deal.say(dice.choice([word for word in deal.legal_words() if word != "redeal"]))
    if rules.claim and dice.random() < 0.5:
        deal.claim(dice.randrange(4))
    # One side plays high cards, the other low ones, so that sweeps and shut-outs come about.
    strong = None if rules.deal_ends is DealEnds.AT_SEVEN else dice.choice([0, 1, None])
    while deal.phase == "play" and sum(map(len, deal.hands)) > 4 * cards_left + dice.randrange(4):
        if deal.can_reveal and dice.random() < 0.3:
            deal.reveal()
        cards = sorted(deal.legal_cards(), key=lambda card: (card.suit is deal.trump, card.rank))
        deal.play(dice.choice(cards) if strong is None else cards[-1 if deal.turn % 2 == strong else 0])
    return deal if deal.phase == "play" else None


@pytest.mark.parametrize("part", range(4))
def test_the_end_of_a_whole_deal_is_the_one_that_both_sides_play_for(part: int) -> None:
    dice = Random(100 + part)
    done = 0
    while done < ENDINGS // 16:
        deal = random_whole_deal(dice, random_rule_set(dice), dice.choice([2, 2, 3]))
        if deal is None:
            continue
        done += 1
        solution = solve(deal)
        best = plain.best_end(deal, standing)
        assert (solution.outcome, solution.winner) == ending(deal)
        assert solution.outcome is not None
        sign = 1 if solution.winner == 0 else -1
        won = deal.rules.score_of(solution.outcome, solution.winner == 0)
        strength = len(STRENGTH) - STRENGTH.index(solution.outcome)
        assert sign * (100 * won + strength) == best, (solution, told(deal))
        points = from_here(deal, lambda end: end.points[0] - end.points[1])
        for value in solution.cards:
            assert value.points == points(value), (value, told(deal))


def test_a_line_of_best_play_is_legal_and_ends_as_promised() -> None:
    dice = Random(7)
    for preset in ["hidden-trump", "double-sir-aces", "be-ranga", "mendikot", "mendikot-band"] * 2:
        deal = random_whole_deal(dice, resolve(preset), 4)
        if deal is None:
            continue
        solution = solve(deal)
        for play in solution.line:
            deal = plain.after(deal, play)
        assert (deal.outcome, deal.winner) == (solution.outcome, solution.winner), told(deal)


@pytest.mark.parametrize("preset", ["be-ranga", "hidden-trump", "double-sir", "mendikot", "mendikot-band"])
def test_a_full_table_begins_anew_and_changes_no_answer(preset: str) -> None:
    dice = Random(17)
    rules = resolve(preset)
    small, large = exact.Solver(rules, 0), exact.Solver(rules, 1 << 22)
    for _ in range(6):
        deal = random_whole_deal(dice, rules, 7)
        if deal is None:
            continue
        for solver in (small, large):
            place(solver, deal)
        assert small.outcome() == large.outcome(), told(deal)
        assert small.most_tricks(0, 7) == large.most_tricks(0, 3), told(deal)
    assert small.forgotten > 2
    assert large.forgotten == 0


def place(solver: exact.Solver, deal: Deal) -> None:
    """Hands a deal to the kernel."""
    actions = [int(play) if isinstance(play, Card) else 64 for play in deal.plays]
    solver.place(
        np.array([[int(card) for card in hand] for hand in deal.dealt], np.uint8),
        np.array([word_code(word) for word in deal.words], np.uint8),
        255 if deal.claimer is None else deal.claimer,
        np.array(actions, np.uint8),
    )


@pytest.mark.parametrize("preset", ["be-ranga", "double-sir-house", "mendikot", "mendikot,collection=pile"])
def test_renaming_the_suits_and_turning_the_table_change_no_answer(preset: str) -> None:
    dice = Random(11)
    rules = resolve(preset)
    solver, nothing = exact.Solver(rules, 1 << 22), np.zeros(0, np.uint8)
    for _ in range(6):
        hands, names, trump = plain.random_deal(dice), dice.sample(range(4), 4), dice.randrange(4)
        turn = dice.randrange(4)
        answers = []
        for turned, named in ((0, range(4)), (turn, names)):
            around = [hands[(seat + turned) % 4][:7] for seat in range(4)]
            masks = [sum(1 << 13 * named[card.suit] + card.rank for card in hand) for hand in around]
            suit = named[trump] if rules.trump == "called" else 255
            solver.begin(np.array(masks, np.uint64), suit, -turned % 4, 255, 255, nothing, 0, 0)
            tens = solver.most_tens(turned % 2) if rules.objective == "tens" else 0
            answers.append((solver.most_tricks(turned % 2, 3), tens))
        assert answers[0] == answers[1], (hands, names, trump, turn)


def test_the_outcomes_of_many_hidden_trumps_are_those_of_each_deal() -> None:
    dice = Random(23)
    rules = resolve("hidden-trump")
    deals = [plain.random_deal(dice) for _ in range(5)]
    hidden = [(0, dice.choice(deal[0][:5])) for deal in deals]
    ends = solve_outcomes(rules, np.array(deals), 255, 0, hidden=np.array(hidden), jobs=2)
    for hands, (_, card), (outcome, winner) in zip(deals, hidden, ends, strict=True):
        deal = Deal(rules, hands)
        deal.say(f"hide {card}")
        assert (list(Outcome)[outcome], winner) == ending(deal)
