"""Deals under any rules: the exact solver against plain minimax over the readable engine.

`COURTPIECE_ENDINGS=20000 pytest tests/solve/test_exact.py` tries so many endings, of up to five cards a seat.
"""

from __future__ import annotations

import os
from collections import Counter
from random import Random

import numpy as np
import pytest

from courtpiece._kernel import exact
from courtpiece.cards import Card
from courtpiece.deal import Deal
from courtpiece.rules import Collection, DealEnds, Objective, Outcome, RuleSet, resolve
from courtpiece.solve import ask, ending, solve, solve_outcomes
from courtpiece.words import word_code
from tests.solve import plain
from tests.solve.compact import End, Minimax
from tests.strategies import random_rule_set

ENDINGS = int(os.environ.get("COURTPIECE_ENDINGS", "400"))
STRENGTH = [Outcome.CLAIM_MADE, Outcome.WHITEWASH, Outcome.FOUR_TENS, Outcome.THREE_TENS, Outcome.TWO_TENS,
            Outcome.CALLER_KOT, Outcome.DEFENDER_KOT, Outcome.CALLER_WIN, Outcome.DEFENDER_WIN]


def told(deal: Deal) -> str:
    """What sets the deal up again."""
    return f"{deal.rules} {[list(map(str, hand)) for hand in deal.dealt]} {deal.words} {deal.plays}"


def random_rules(dice: Random) -> RuleSet:
    """A random rule set, often one in which aces refuse pick-ups where there is a pile."""
    rules = random_rule_set(dice)
    if rules.collection is Collection.PILE and dice.random() < 0.6:
        blocks = dice.choice([["ace-on-ace"], ["trump-ace"], ["ace-on-ace", "trump-ace"]])
        rules = rules.replace(pile_blocks=blocks)
    return rules


def tricks(end: Deal | End) -> int:
    """The tricks that side 0 has at the end."""
    return end.taken[0]


def tens(end: Deal | End) -> int:
    """The tens that side 0 has at the end."""
    return end.tens[0]


def ahead(end: Deal | End) -> int:
    """How many points side 0 has come out ahead."""
    return end.points[0] - end.points[1]


def standing(end: Deal | End) -> int:
    """How far side 0 has come out ahead; of outcomes that score the same, the winner prefers the greater."""
    assert end.outcome is not None
    strength = len(STRENGTH) - STRENGTH.index(end.outcome)
    return 100 * ahead(end) + (strength if end.winner == 0 else -strength)


def is_best(search: Minimax, deal: Deal, worth: int) -> bool:
    """True where side 0 reaches so much from the deal on, and no more."""
    return search.reaches(deal, worth) and not search.reaches(deal, worth + 1)


@pytest.mark.parametrize("part", range(4))
def test_the_quick_oracle_finds_what_plain_minimax_over_the_readable_engine_does(part: int) -> None:
    dice = Random(200 + part)
    for _ in range(6):
        small = plain.random_deal_ending(dice, random_rule_set(dice), 3)
        whole = random_whole_deal(dice, random_rule_set(dice), 2)
        for deal, worths in ((small, (tricks, tens)), (whole, (tricks, tens, ahead, standing))):
            if deal is not None and deal.phase == "play":
                for worth in worths:
                    best = plain.best_end(deal, worth)
                    assert is_best(Minimax(deal, worth), deal, best), (worth, told(deal))


@pytest.mark.parametrize("part", range(8))
def test_every_play_of_an_ending_is_worth_what_plain_minimax_says(part: int) -> None:
    dice = Random(part)
    done: Counter[int] = Counter()
    while done.total() < ENDINGS // 8:
        deal = plain.random_deal_ending(dice, random_rules(dice), 5 if dice.random() < 0.3 else 3)
        if deal.phase != "play":
            continue
        done[len(deal.dealt[0])] += 1
        solution, side = solve(deal), deal.turn % 2
        plays = {value.card for value in solution.cards}
        assert plays == {*deal.legal_cards(), *(["reveal"] if deal.can_reveal else [])}, told(deal)
        all_tricks = sum(deal.taken) + deal.pile + 14 - deal.trick_number
        by_tricks = Minimax(deal, tricks)
        for value in solution.cards:
            have = deal.taken[side] + value.tricks
            best = have if side == 0 else all_tricks - have
            assert is_best(by_tricks, plain.after(deal, value.card), best), (value, told(deal))
        assert ask(deal, "tricks") == solution.tricks, told(deal)
        if deal.rules.objective is Objective.TENS:
            all_tens = sum(card.rank == 8 for hand in deal.dealt for card in hand)
            by_tens = Minimax(deal, tens)
            for value in solution.cards:
                assert value.tens is not None
                have = deal.tens[side] + value.tens
                best = have if side == 0 else all_tens - have
                assert is_best(by_tens, plain.after(deal, value.card), best), (value, told(deal))
    print("endings by cards a seat:", dict(sorted(done.items())))


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
        assert (solution.outcome, solution.winner) == ending(deal)
        assert solution.outcome is not None
        assert solution.winner is not None
        won = deal.rules.score_of(solution.outcome, solution.winner == 0)
        points = (won, 0) if solution.winner == 0 else (0, won)
        end = End((0, 0), (0, 0), solution.outcome, solution.winner, points)
        assert is_best(Minimax(deal, standing), deal, standing(end)), (solution, told(deal))
        by_points = Minimax(deal, ahead)
        for value in solution.cards:
            assert value.points is not None
            best = value.points if deal.turn % 2 == 0 else -value.points
            assert is_best(by_points, plain.after(deal, value.card), best), (value, told(deal))


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


@pytest.mark.parametrize("part", range(6))
def test_no_answer_depends_on_what_the_table_holds(part: int) -> None:
    """What is left out of the table's key gives wrong answers once a table is full of other positions."""
    dice = Random(300 + part)
    for _ in range(60):
        rules = random_rules(dice)
        while part < 4 and rules.collection is Collection.EACH_TRICK:
            rules = random_rules(dice)              # a pile has most to remember
        if part == 0:                               # and most of all where a refused pick-up ends the run
            rules = rules.replace(pile_blocks=[7, 9, 11], blocked_run="restarts")
        deal = plain.random_deal_ending(dice, rules, 8) if dice.random() < 0.7 else None
        deal = deal or random_whole_deal(dice, rules, 5)
        if deal is None or deal.phase != "play":
            continue
        full, empty = exact.Solver(rules, 1 << 22), exact.Solver(rules, 0)
        place(full, deal)
        plays: list[Card | str] = [*deal.legal_cards(), *(["reveal"] if deal.can_reveal else [])]
        for play in plays:
            after = plain.after(deal, play)
            if after.phase != "play":
                continue
            full.act(int(play) if isinstance(play, Card) else 64)
            place(empty, after)
            assert full.most_tricks(0, 3) == empty.most_tricks(0, 3), (play, told(deal))
            assert full.most_tens(0) == empty.most_tens(0), (play, told(deal))
            if len(deal.dealt[0]) == 13:
                assert full.outcome() == empty.outcome(), (play, told(deal))
            full.back()


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
