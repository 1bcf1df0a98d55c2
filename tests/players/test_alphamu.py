"""αμ against a plain one without cuts, and where a search world by world counts on a guess."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from courtpiece import Card
from courtpiece._kernel import alphamu as kernel
from courtpiece.cards import parse_cards
from courtpiece.deal import Deal
from courtpiece.errors import RecordError, UsageError
from courtpiece.players import parse_player
from courtpiece.players.alphamu import AlphaMu
from courtpiece.players.search import Moment, Sampled
from courtpiece.rules import RuleSet, Trump, preset_names, resolve
from tests.players.plain_alphamu import Known, front
from tests.players.test_leaves import moment_of, play_of
from tests.players.test_search import replayed
from tests.solve import plain
from tests.solve.test_exact import random_whole_deal, told
from tests.strategies import random_rule_set

MEMORY = 1 << 20


def in_world(deal: Deal, sample: Sampled, place: int) -> Deal | None:
    """The deal as it is in a world, or None where a hidden card was changed for another that is not told."""
    twin, hidden = replayed(deal, sample, place), int(sample.face_down[place])
    card = deal.shown.card if deal.shown is not None else Card(hidden) if hidden < 52 else None
    try:
        for word in deal.words:
            verb, _, what = word.partition(" ")
            twin.say(f"{verb} {card}" if what and deal.rules.trump is Trump.HIDDEN else word)
    except RecordError:
        return None
    if deal.claimer is not None:
        twin.claim(deal.claimer)
    for play in deal.plays:
        twin.play(play) if isinstance(play, Card) else twin.reveal()
    return twin


def decision(
    dice: Random, rules: RuleSet, cards: int, worlds: int
) -> tuple[Deal, Moment, Sampled, dict[int, Deal]]:
    """A decision near the end of a random deal, with worlds that look the same to the seat in turn."""
    while True:
        deal = random_whole_deal(dice, rules, cards)
        if deal is None or (len(deal.legal_cards()) == 1 and not deal.can_reveal):
            continue
        moment = Moment(deal.view(deal.turn), "points", np.array([dice.getrandbits(60), 1], np.uint64),
                        beliefs=False)
        if len(moment.choices()) == 1:
            continue
        sample = moment.draw(worlds)
        deals = {place: in_world(deal, sample, place) for place in range(worlds)}
        if None not in deals.values():
            return deal, moment, sample, {place: twin for place, twin in deals.items() if twin is not None}


def weighed(moment: Moment, sample: Sampled, moves: int) -> tuple[list[int], float]:
    """In how many worlds each choice reaches what is asked, and what that is worth at least."""
    choices = moment.choices()
    won = np.empty(len(choices), np.uint64)
    searcher = kernel.Searcher(moment.view.rules, MEMORY)
    more, less = searcher.weigh(moment.positions(sample), choices, moment.worths, moves, won)
    assert less <= more
    return [int(vector).bit_count() for vector in won], more


@pytest.mark.parametrize("seed", range(4))
def test_each_choice_is_worth_its_best_plan_for_all_worlds(seed: int) -> None:
    dice = Random(seed)
    for _ in range(3):
        cards, moves = dice.choice([(2, 2), (3, 1), (3, 2), (3, 2), (3, 3)])
        deal, moment, sample, worlds = decision(dice, random_rule_set(dice), cards, 6)
        seat, side = deal.turn, deal.turn % 2
        counts, more = weighed(moment, sample, moves)

        def reached(end: Deal, side: int = side, more: float = more) -> bool:
            return end.points[side] - end.points[1 - side] >= more

        known: Known = {}
        for choice, count in zip(moment.choices(), counts, strict=True):
            following = {place: plain.after(world, play_of(choice)) for place, world in worlds.items()}
            plans = front(seat, following, moves - 1, reached, known)
            assert count == max(map(len, plans)), (seed, moves, play_of(choice), told(deal))


@pytest.mark.parametrize("seed", range(2))
def test_with_one_move_it_is_the_exact_leaf_asked_for_the_win(seed: int) -> None:
    dice = Random(seed)
    for _ in range(25):
        deal, moment, sample, _ = decision(dice, random_rule_set(dice), dice.choice([3, 4]), 12)
        counts, more = weighed(moment, sample, 1)
        exact = (moment.exact(sample, moment.choices()) >= more).sum(axis=0)
        assert counts == exact.tolist(), told(deal)


def test_longer_plans_never_promise_more() -> None:
    dice = Random(3)
    for _ in range(30):
        deal, moment, sample, _ = decision(dice, resolve("single-sir"), 5, 16)
        one, two, four = (weighed(moment, sample, moves) for moves in (1, 2, 4))
        for fewer, more in ((one, two), (two, four)):
            if fewer[1] == more[1]:             # they were asked the same
                assert all(a >= b for a, b in zip(fewer[0], more[0], strict=True)), told(deal)


# Spades are trump, four tricks each, and the third seat is to play to two clubs with ♠ J 7 4 and ♦ Q T.
FUSION = """
KC TC 9C 3C 4D 3D 8H 7H 4H 2H AS KS 6S
JC 8C 6C 5C 4C 2C KD 9D AH TH 9H 8S 3S
AC 7C QD JD TD 5D 5H 3H QS JS 9S 7S 4S
QC AD 8D 7D 6D 2D KH QH JH 6H TS 5S 2S
"""
FUSION_PLAYS = (
    "3D 9D 5D 7D 6C AC QC 3C 9S 2S 6S 8S QS 5S AS 3S 2H AH 5H 6H 9H 3H JH 7H 2D 4D KD JD 8C 7C KH KC 9C 4C"
)
FUSION_WORLDS = """
QH 8D 6D 2C / KS JC TC 5C / AD TH 8H 4H TS
TS 8D 6D 5C / TH JC TC 2C / KS QH 8H 4H AD
TH 4H 5C 2C / KS TS JC TC / QH 8H AD 8D 6D
TS JC TC 2C / 8H 4H 6D 5C / KS QH TH AD 8D
8D JC 5C 2C / TS QH 6D TC / KS TH 8H 4H AD
QH JC TC 2C / KS TH 4H 5C / TS 8H AD 8D 6D
QH JC TC 2C / KS TH 8D 5C / TS 8H 4H AD 6D
"""


def test_it_does_not_count_on_a_guess_that_open_cards_make_for_it() -> None:
    """To ruff with the jack wins in five of seven worlds, if each world gets its own next card."""
    deal = Deal(resolve("classic"), [parse_cards(hand) for hand in FUSION.strip().splitlines()])
    deal.say("S")
    for card in parse_cards(FUSION_PLAYS):
        deal.play(card)
    own = set(deal.hands[2])
    hands = []
    for line in FUSION_WORLDS.strip().splitlines():
        first, second, fourth = (set(parse_cards(hand)) for hand in line.split("/"))
        hands.append([sum(1 << card for card in hand) for hand in (first, second, own, fourth)])
    sample = Sampled(np.array(hands, np.uint64), np.full(len(hands), 255, np.uint8))
    moment = moment_of(deal)
    choices = list(map(play_of, moment.choices()))
    low, jack, discard = (choices.index(Card.parse(card)) for card in ("4S", "JS", "TD"))
    by_world, more = weighed(moment, sample, 1)
    by_plan, asked = weighed(moment, sample, 2)
    assert more == asked == 1                       # a deal won
    assert (by_world[low], by_world[jack], by_world[discard]) == (2, 5, 4)
    assert (by_plan[low], by_plan[jack], by_plan[discard]) == (2, 3, 4)


@pytest.mark.parametrize("preset", preset_names())
def test_it_decides_by_its_seed_alone_and_by_the_rules(preset: str) -> None:
    rules, dice = resolve(preset), Random(preset)
    deal, *_ = decision(dice, rules, 5, 1)
    said = []
    for seed in (1, 1):
        player = AlphaMu(worlds=12)
        player.begin(rules, deal.turn, np.random.default_rng(seed))
        weighed = player.weighed(deal.view(deal.turn))
        said.append((weighed.choices, weighed.means.tolist(), weighed.errors.tolist()))
        action = player.play(deal.view(deal.turn))
        assert action in deal.legal_cards() or (action == "reveal" and deal.can_reveal)
    assert said[0] == said[1]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("alphamu:worlds=65", 'player option "worlds" of alphamu is at most 64 with leaf=solver'),
        ("alphamu:moves=0", 'player option "moves" is a number from 1 up, not 0'),
        ("alphamu:leaf=random", 'player option "leaf" takes greedy, solver, mixed, not "random"'),
    ],
)
def test_options_that_cannot_be_are_refused(text: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        parse_player(text).make()               # type: ignore[union-attr]
