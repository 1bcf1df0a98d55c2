"""The tree over worlds: its leaves, and what it comes to when there is one world."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from courtpiece._kernel import ismcts as kernel
from courtpiece.players.search import TIE, Moment, Sampled
from courtpiece.rules import resolve
from courtpiece.solve import MEMORY
from tests.players.test_leaves import moment_of, true_world
from tests.players.test_search import dealt, played_on

PRESETS = ["classic", "single-sir", "double-sir", "mendikot", "be-ranga", "hidden-trump"]


def grown(
    moment: Moment, worlds: Sampled, choices: bytes, exact_from: int, *, others_search: bool = True
) -> tuple[np.ndarray, np.ndarray]:
    """Returns visits and values of the choices."""
    visits, values = np.empty(len(choices), np.uint32), np.empty(len(choices))
    kernel.Searcher(moment.view.rules, MEMORY).weigh(
        moment.positions(worlds), choices, moment.worths, moment.trick, explore=4.0,
        others_search=others_search, exact_from=exact_from, tie=TIE, visits=visits, values=values,
    )
    return visits, values


def times(world: Sampled, n: int) -> Sampled:
    return Sampled(np.repeat(world.hands, n, axis=0), np.repeat(world.face_down, n))


@pytest.mark.parametrize("preset", PRESETS)
def test_each_choice_is_tried_once_before_any_is_tried_again(preset: str) -> None:
    """One iteration a choice: what comes of it is a playout, or what is exact and a little of a playout."""
    dice, tried = Random(f"leaves {preset}"), 0
    while tried < 8:
        deal = played_on(dealt(resolve(preset), dice), dice, dice.randrange(28, 44))
        if deal.phase != "play" or len(deal.legal_cards()) == 1:
            continue
        tried += 1
        moment, world = moment_of(deal), true_world(deal)
        choices = moment.choices()
        playouts, exact = moment.playouts(world, choices)[0], moment.exact(world, choices)[0]
        for exact_from, expected in ((0, playouts), (13, exact + TIE * playouts)):
            visits, values = grown(moment, times(world, len(choices)), choices, exact_from)
            assert visits.tolist() == [1] * len(choices), (deal.plays, choices)
            assert values == pytest.approx(expected), (deal.plays, choices)


@pytest.mark.parametrize("preset", PRESETS)
def test_in_one_world_the_choice_visited_most_is_best_with_open_cards(preset: str) -> None:
    dice, tried = Random(f"one world {preset}"), 0
    while tried < 8:
        deal = played_on(dealt(resolve(preset), dice), dice, dice.randrange(38, 46))
        if deal.phase != "play" or len(deal.legal_cards()) == 1:
            continue
        tried += 1
        moment, world = moment_of(deal), true_world(deal)
        choices = moment.choices()
        exact = moment.exact(world, choices)[0]
        visits, _ = grown(moment, times(world, 4000), choices, 0)
        assert exact[visits.argmax()] == pytest.approx(exact.max()), (deal.dealt, deal.plays, visits)
