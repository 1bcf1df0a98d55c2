"""Worlds against deals tried one by one, closed forms, and the deals that were really dealt."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

from courtpiece.cards import PACK, Card
from courtpiece.rules import RuleSet, Trump, Uncalled
from courtpiece.worlds import Knowledge, Sample, Worlds
from tests.plain_worlds import Question, at, moments, random_deal, replayed
from tests.strategies import random_rule_set

MOST_TRIALS = 2000          # deals tried for one question
SURPRISE = 1e-6             # a chance below which a sample counts as skewed: a rare false alarm for new seeds

Place = tuple[tuple[frozenset[Card], ...], Card | None]


def cards_of(mask: int) -> frozenset[Card]:
    return frozenset(card for card in PACK if mask >> card & 1)


def places(sample: Sample) -> list[Place]:
    return [
        (tuple(map(cards_of, hands)), None if card == 255 else Card(card))
        for hands, card in zip(sample.hands.tolist(), sample.face_down.tolist(), strict=True)
    ]


def questions(seed: int, rules: RuleSet | None = None, count: int = 1000) -> Iterator[tuple[str, Question]]:
    """Small questions about random endings: who knows what after some random play."""
    source = random.Random(seed)
    for number in range(count):
        here = rules or random_rule_set(source)
        stock = here.trump is Trump.HIDDEN and here.uncalled is Uncalled.BLIND_STOCK
        deal = random_deal(here, source, source.choice([6, 7] if stock else [3, 4, 5, 6, 7]))
        if deal.outcome is not None:        # a new deal was asked for
            continue
        for plays in moments(deal, source):
            question = Question(at(deal, plays), source.randrange(4))
            if question.trials <= MOST_TRIALS:
                yield f"questions({seed}) number {number}: {question.played}, seat {question.seat}", question
                break


def kinds(knowledge: Knowledge) -> set[str]:
    told = {
        "void": any(knowledge.barred),
        "must hold a suit": knowledge.held is not None,
        "unknown card face down": knowledge.hides_unseen,
        "own card face down": knowledge.face_down is not None,
        "unseen blind card": knowledge.blind and knowledge.hides_unseen,
        "blind card dealt on": knowledge.marked is not None,
        "own blind card": knowledge.blind and knowledge.hides_unseen and knowledge.hider == knowledge.seat,
        "card shown": any(cards for seat, cards in enumerate(knowledge.known) if seat != knowledge.seat),
        "void and face down": knowledge.hides_unseen and any(knowledge.barred),
        "void of the hider": knowledge.hides_unseen and bool(knowledge.barred[knowledge.hider or 0]),
        "void and blind card": knowledge.marked is not None and any(knowledge.barred),
        "two suits barred": any(len(suits) > 1 for suits in knowledge.barred),
    }
    return {kind for kind, true in told.items() if true}


def test_worlds_are_those_found_by_trying_every_deal_and_weigh_as_many_orders() -> None:
    met: Counter[str] = Counter()
    for where, question in questions(1, count=60):
        knowledge = Knowledge.of(replayed(question.played), question.seat)
        found: Counter[Place] = Counter()
        for world, orders in question.worlds().items():
            found[world.hands, world.face_down] += orders
        worlds = Worlds(knowledge)
        sample, weights = worlds.every()
        listed = dict(zip(places(sample), weights.tolist(), strict=True))
        assert len(listed) == worlds.count, where
        assert listed.keys() == found.keys(), where
        scale = {found[place] / weight for place, weight in listed.items()}
        assert len(scale) == 1, f"{where}: orders {found}, weights {listed}"
        met.update(kinds(knowledge))
        met["all"] += 1
    print(met)
