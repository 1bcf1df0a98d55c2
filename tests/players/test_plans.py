"""Plans of the deciding seat: the kernel's against plain ones, and what planning is for."""

from __future__ import annotations

import random

import numpy as np
import pytest

from courtpiece import Card, Deal
from courtpiece.players.search import Moment, Sampled
from courtpiece.rules import resolve
from courtpiece.words import REVEAL
from tests.players import plain_plans
from tests.players.test_search import KEY, dealt, played_on, replayed


def twin_of(deal: Deal, sample: Sampled, place: int) -> Deal:
    """The world's deal, with all that was said and played in the true one."""
    twin = replayed(deal, sample, place)
    for word in deal.words:
        twin.say(word)
    for play in deal.plays:
        twin.play(play) if isinstance(play, Card) else twin.reveal()
    return twin


@pytest.mark.parametrize("preset", ["classic", "double-sir", "mendikot", "be-ranga", "hidden-trump"])
@pytest.mark.parametrize("moves", [1, 2, 3])
def test_a_plan_comes_to_what_a_plain_search_finds(preset: str, moves: int) -> None:
    source, compared, chosen = random.Random(f"{preset} {moves}"), 0, 0
    while compared < 6:
        deal = played_on(dealt(resolve(preset), source), source, source.randrange(24, 40))
        if deal.phase != "play" or len(deal.legal_cards()) == 1 or deal.hidden_card is not None:
            continue
        compared += 1
        seat, length, evidence = deal.turn, source.choice([1, 3]), source.choice([0.0, 1.0])
        moment = Moment(deal.view(seat), "points", KEY, beliefs=False)
        sample = moment.draw(48)
        sample = Sampled(sample.hands, sample.face_down, sample.fives, length)
        choices = moment.choices()
        found = moment.plans(sample, choices, moves, evidence)

        def worth(over: Deal, moment: Moment = moment, side: int = seat % 2) -> float:
            assert over.outcome is not None
            row = list(type(over.outcome)).index(over.outcome)
            ours, theirs = over.taken[side], over.taken[1 - side]
            return float(moment.worths[row, int(over.winner != side)]) + moment.trick * (ours - theirs)

        worlds = {place: twin_of(deal, sample, place) for place in range(len(sample.hands))}
        for at, choice in enumerate(choices):
            play: plain_plans.Play = "reveal" if choice == REVEAL else Card(choice)
            expected = plain_plans.values(seat, worlds, play, moves, evidence, length, worth)
            told = [expected[place] for place in range(len(worlds))]
            assert found[:, at] == pytest.approx(told), (deal.plays, choice, length, evidence)
        chosen += bool((found != moment.playouts(sample, choices)).any())
    if preset == "classic":
        assert (chosen > 0) == (moves > 1)      # some plan left the path of greedy
    else:
        assert chosen == 0 or moves > 1

def test_one_move_planned_is_a_playout() -> None:
    source = random.Random(3)
    deal = played_on(dealt(resolve("single-sir"), source), source, 9)
    moment = Moment(deal.view(deal.turn), "points", KEY, beliefs=True)
    sample, choices = moment.draw(100), moment.choices()
    np.testing.assert_array_equal(moment.plans(sample, choices, 1, 1.0), moment.playouts(sample, choices))
