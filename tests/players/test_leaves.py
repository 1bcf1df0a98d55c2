"""What a world comes to by the exact solver, where a searching player asks it."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from courtpiece import Card, solve
from courtpiece.deal import Deal
from courtpiece.players.search import TIE, Moment, Pimc, Sampled
from courtpiece.rules import Outcome, preset_names, resolve
from courtpiece.words import REVEAL
from tests.solve import plain
from tests.solve.test_exact import random_whole_deal, told
from tests.strategies import random_rule_set

KEY = np.arange(2, dtype=np.uint64)


def moment_of(deal: Deal) -> Moment:
    """The decision of the seat in turn."""
    return Moment(deal.view(deal.turn), "points", KEY, beliefs=False)


def true_world(deal: Deal) -> Sampled:
    """The one world that is the deal itself."""
    hands = [[sum(1 << card for card in hand) for hand in deal.hands]]
    down = 255 if deal.hidden_card is None else int(deal.hidden_card)
    return Sampled(np.array(hands, np.uint64), np.array([down], np.uint8))


def play_of(choice: int) -> Card | str:
    return "reveal" if choice == REVEAL else Card(choice)


def moments(dice: Random, number: int, cards: int) -> list[tuple[Deal, Moment, bytes]]:
    """Decisions with a choice near the end of random deals by random rules."""
    found: list[tuple[Deal, Moment, bytes]] = []
    while len(found) < number:
        deal = random_whole_deal(dice, random_rule_set(dice), cards)
        if deal is None or (len(deal.legal_cards()) == 1 and not deal.can_reveal):
            continue
        moment = moment_of(deal)
        found.append((deal, moment, moment.choices()))
    return found


@pytest.mark.parametrize("seed", range(3))
def test_each_choice_comes_to_what_plain_minimax_says_for_any_worths(seed: int) -> None:
    dice = Random(seed)
    for deal, moment, choices in moments(dice, 20, 2):
        side = deal.turn % 2
        moment.worths = np.array([[dice.choice([-2.5, 0, 1, 7]) for _ in "ab"] for _ in Outcome])

        def worth(end: Deal, table: np.ndarray = moment.worths, side: int = side) -> int:
            assert end.outcome is not None
            mine = table[list(Outcome).index(end.outcome), int(end.winner != side)]
            return int(2 * mine) * (1 if side == 0 else -1)

        values = moment.exact(true_world(deal), choices)[0]
        for choice, value in zip(choices, values, strict=True):
            best = plain.best_end(plain.after(deal, play_of(choice)), worth)
            assert 2 * value * (1 if side == 0 else -1) == best, (seed, play_of(choice), told(deal))


@pytest.mark.parametrize("preset", preset_names())
def test_each_choice_comes_to_the_points_of_solve(preset: str) -> None:
    dice = Random(preset)
    rules, done = resolve(preset), 0
    while done < 5:
        deal = random_whole_deal(dice, rules, 5)
        if deal is None or len(deal.legal_cards()) == 1:
            continue
        done += 1
        moment = moment_of(deal)
        choices = moment.choices()
        points = {value.card: value.points for value in solve(deal).cards}
        assert dict(zip(map(play_of, choices), moment.exact(true_world(deal), choices)[0], strict=True)) == {
            play_of(choice): points[play_of(choice)] for choice in choices
        }, (preset, told(deal))


def test_choices_that_come_to_the_same_with_open_cards_are_told_apart_by_playouts() -> None:
    for deal, moment, choices in moments(Random(5), 20, 3):
        world = true_world(deal)
        both = moment.values(world, choices, "solver") - moment.exact(world, choices)
        assert np.allclose(both, TIE * moment.playouts(world, choices)), told(deal)


def test_mixed_turns_exact_at_seven_cards() -> None:
    rules = resolve("single-sir")
    for left, leaf in [(8, "greedy"), (7, "solver")]:
        dice = Random(left)
        deal = None
        while deal is None or len(deal.tricks) != 13 - left:
            deal = random_whole_deal(dice, rules, left)
        moment = moment_of(deal)
        choices, sample = moment.choices(), moment.draw(20)
        mixed = moment.values(sample, choices, "mixed")
        assert (mixed == moment.values(sample, choices, leaf)).all()  # type: ignore[arg-type]


@pytest.mark.parametrize("preset", preset_names())
def test_a_player_with_exact_leaves_decides_by_its_seed_alone(preset: str) -> None:
    rules, dice = resolve(preset), Random(preset)
    deal = None
    while deal is None or len(deal.legal_cards()) == 1:
        deal = random_whole_deal(dice, rules, 4)
    for leaf in ("solver", "mixed"):
        said = []
        for seed in (1, 1, 2):
            player = Pimc(worlds=30, leaf=leaf)
            player.begin(rules, deal.turn, np.random.default_rng(seed))
            weighed = player.weighed(deal.view(deal.turn))
            said.append((weighed.choices, weighed.means.tolist(), weighed.errors.tolist()))
            player.begin(rules, deal.turn, np.random.default_rng(seed))
            action = player.play(deal.view(deal.turn))
            assert action in deal.legal_cards() or (action == "reveal" and deal.can_reveal)
        assert said[0] == said[1]
