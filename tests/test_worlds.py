"""Worlds against deals tried one by one, closed forms, and the deals that were really dealt."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import pytest
from scipy import stats

from courtpiece.cards import PACK, Card
from courtpiece.deal import ELDEST, REVEAL, Deal
from courtpiece.rules import Reveal, RuleSet, Trump, Uncalled
from courtpiece.worlds import Knowledge, Sample, Worlds
from tests.plain_worlds import Question, at, moments, random_deal, replayed
from tests.strategies import random_rule_set

MOST_TRIALS = 700           # deals tried for one question
SURPRISE = 1e-6             # a chance below which a sample counts as skewed: a rare false alarm for new seeds

Place = tuple[tuple[frozenset[Card], ...], Card | None]



class Kind(NamedTuple):
    """Random legal rule sets, what the players do whenever they may, and when to ask what a seat knows."""

    fits: Callable[[RuleSet], bool]
    prefer: str = ""
    wanted: Callable[[Deal, int], bool] = lambda deal, seat: True


def _card_is_down(deal: Deal, seat: int) -> bool:
    return deal.hidden_card is not None


def _asked_without_trump(deal: Deal, seat: int) -> bool:
    """Tells whether another has the hidden card shown and then plays no trump, while others hold trumps."""
    if not deal.rules.revealer_must_trump or REVEAL not in deal.plays[:-1]:
        return False
    card = deal.plays[deal.plays.index(REVEAL) + 1]
    held = {card.suit for other in range(4) if other != seat for card in deal.hands[other]}
    return isinstance(card, Card) and card.suit is not deal.trump in held and card not in deal.dealt[seat]


def _blind_card_is_out(deal: Deal, seat: int) -> bool:
    """Tells whether another than eldest wonders if eldest has the blind card: there its weight matters."""
    blind = next(Card.parse(word.split()[1]) for word in deal.words if word.startswith("blind"))
    out = any(blind in deal.hands[other] for other in range(4) if other != seat)
    return out and seat != ELDEST and bool(deal.hands[ELDEST])


KINDS = {
    "called": Kind(lambda rules: rules.trump is Trump.CALLED),
    "first void": Kind(lambda rules: rules.trump is Trump.FIRST_VOID),
    "hidden": Kind(lambda rules: rules.trump is Trump.HIDDEN),
    "hidden on request": Kind(
        lambda rules: rules.trump is Trump.HIDDEN and rules.reveal is Reveal.ON_REQUEST, wanted=_card_is_down
    ),
    "hidden, no void yet": Kind(
        lambda rules: rules.reveal is Reveal.AT_FIRST_VOID,
        wanted=lambda deal, seat: deal.hidden_card is not None and bool(deal.trick) and seat != deal.turn,
    ),
    "hidden, asked without trump": Kind(
        lambda rules: rules.trump is Trump.HIDDEN and rules.reveal is Reveal.ON_REQUEST,
        wanted=_asked_without_trump,
    ),
    "hidden blind": Kind(
        lambda rules: rules.trump is Trump.HIDDEN and rules.uncalled is Uncalled.BLIND_STOCK,
        "timeout",
        _card_is_down,
    ),
    "blind": Kind(
        lambda rules: rules.trump is Trump.CALLED and rules.uncalled is Uncalled.BLIND_STOCK,
        "timeout",
        _blind_card_is_out,
    ),
    "blind of five": Kind(
        lambda rules: rules.trump is not Trump.FIRST_VOID and rules.uncalled is Uncalled.RANDOM_OWN_FIVE,
        "timeout",
    ),
    "thirteenth": Kind(lambda rules: rules.thirteenth, "thirteenth"),
    "claim": Kind(lambda rules: rules.claim > 0, "claim"),
}
# What must have come up among the questions of all kinds together.
SITUATIONS: dict[str, Callable[[Knowledge], bool]] = {
    "two suits barred": lambda k: any(len(suits) > 1 for suits in k.barred),
    "suit that must be held": lambda k: k.held is not None,
    "unknown card face down, hider void": lambda k: k.hides_unseen and bool(k.barred[k.hider or 0]),
    "own card face down": lambda k: k.face_down is not None,
    "own unseen card face down": lambda k: k.hides_unseen and k.hider == k.seat,
    "blind card dealt on, a seat void": lambda k: k.marked is not None and any(k.barred),
    "card of another known": lambda k: any(cards for seat, cards in enumerate(k.known) if seat != k.seat),
}


def cards_of(mask: int) -> frozenset[Card]:
    return frozenset(card for card in PACK if mask >> card & 1)


def places(sample: Sample) -> list[Place]:
    return [
        (tuple(map(cards_of, hands)), None if card == 255 else Card(card))
        for hands, card in zip(sample.hands.tolist(), sample.face_down.tolist(), strict=True)
    ]


def questions(kind: str, count: int) -> Iterator[tuple[str, Question, Knowledge]]:
    """Small questions about random endings: what a seat knows after some random play."""
    fits, prefer, wanted = KINDS[kind]
    for seed in itertools.count():
        source = random.Random(f"{kind} {seed}")
        rules = random_rule_set(source)
        while not fits(rules):
            rules = random_rule_set(source)
        stock = rules.trump is Trump.HIDDEN and rules.uncalled is Uncalled.BLIND_STOCK
        sizes = [6, 7] if stock or prefer == "timeout" else [3, 4, 5]  # five cards leave no stock
        deal = random_deal(rules, source, source.choice(sizes), prefer=prefer)
        for plays in moments(deal, source):
            question = Question(at(deal, plays), source.randrange(4))
            state = replayed(question.played)
            if question.trials <= MOST_TRIALS and wanted(state, question.seat):
                where = f'questions("{kind}") number {seed}: {question.played}, seat {question.seat}'
                yield where, question, Knowledge.of(state.view(question.seat))
                count -= 1
                break
        if not count:
            return


@pytest.mark.parametrize("kind", KINDS)
def test_worlds_are_those_found_by_trying_every_deal(kind: str) -> None:
    """The same places for the cards, as many, weighing as the orders found, drawn as they weigh."""
    chi_square, freedom = 0.0, 0
    for where, question, knowledge in questions(kind, 10):
        found: Counter[Place] = Counter()
        with_first: Counter[tuple[Place, frozenset[Card] | None]] = Counter()
        for world, orders in question.worlds().items():
            place = world.hands, world.face_down
            found[place] += orders
            with_first[place, world.first[question.speaker]] += orders
        worlds = Worlds(knowledge)
        sample, weights = worlds.every()
        listed = dict(zip(places(sample), weights.tolist(), strict=True))
        never, missing = len(listed.keys() - found.keys()), len(found.keys() - listed.keys())
        assert (never, missing) == (0, 0), f"{where}: {never} worlds cannot be, {missing} are missing"
        assert worlds.count == len(found), where
        scale = {found[place] / weight for place, weight in listed.items()}
        assert len(scale) == 1, f"{where}: orders stand to weights as {scale}"

        total, draws = sum(with_first.values()), 10 * len(with_first)
        drawn = worlds.draw(draws, seed=1, fives=question.ordered)
        firsts: Iterable[frozenset[Card] | None] = [None] * draws
        if drawn.fives is not None:
            firsts = map(cards_of, drawn.fives[:, question.speaker].tolist())
        observed = Counter(zip(places(drawn), firsts, strict=True))
        if not question.ordered:
            with_first = Counter({(place, None): orders for place, orders in found.items()})
        strange = len(observed.keys() - with_first.keys())
        assert strange == 0, f"{where}: {strange} of {draws} drawn cannot be"
        expected = {key: orders * draws / total for key, orders in with_first.items()}
        if len(expected) > 1:
            statistic = sum((observed[key] - mean) ** 2 / mean for key, mean in expected.items())
            assert stats.chi2.sf(statistic, len(expected) - 1) > SURPRISE, where
            chi_square, freedom = chi_square + statistic, freedom + len(expected) - 1
    # All questions together show a small skew that none does alone.
    assert freedom
    assert SURPRISE < stats.chi2.sf(chi_square, freedom) < 1 - SURPRISE, f"{chi_square} on {freedom}"


def test_every_situation_comes_up_among_the_questions() -> None:
    asked = [knowledge for kind in KINDS for _, _, knowledge in questions(kind, 10)]
    met = {name for name, holds in SITUATIONS.items() if any(map(holds, asked))}
    assert met == set(SITUATIONS)
