"""Worlds of whole deals: counted by another method, replayed, and with the true deal always among them."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from importlib import import_module
from math import factorial

import numpy as np
import pytest

from courtpiece._kernel.cpu import has_x86_64_v3
from courtpiece.cards import PACK, Card, Suit
from courtpiece.deal import Deal
from courtpiece.errors import UsageError
from courtpiece.rules import RuleSet, preset_names, resolve
from courtpiece.worlds import Knowledge, Sample, Worlds
from tests.plain_worlds import Played, at, looks_the_same, random_deal, replayed, sights, steps
from tests.strategies import random_rule_set

DEALS = int(os.environ.get("COURTPIECE_DEALS", "150"))  # more for a longer look


def cards_of(mask: int) -> frozenset[Card]:
    return frozenset(card for card in PACK if mask >> card & 1)


def dealt(rules: str, *words: str, seed: int = 1) -> Deal:
    """A deal with the words said."""
    pack = random.Random(seed).sample(list(PACK), 52)
    deal = Deal(resolve(rules), [pack[13 * seat : 13 * seat + 13] for seat in range(4)])
    for word in words:
        deal.say(word)
    return deal


def ways(cards: int, *hands: int) -> int:
    """The number of ways to deal so many cards into hands of these sizes."""
    product = factorial(cards)
    for size in hands:
        product //= factorial(size)
    return product


def test_before_the_call_eight_own_cards_are_unknown_too() -> None:
    for seat in range(4):
        assert Worlds(dealt("single-sir").view(seat)).count == ways(47, 8, 13, 13, 13)
    assert Worlds(dealt("hidden-trump", "pass").view(2)).count == ways(47, 8, 13, 13, 13)


def test_at_the_first_lead_only_a_card_face_down_is_no_plain_deal_of_three_hands() -> None:
    called = dealt("single-sir", "H")
    hidden = dealt("hidden-trump")
    hidden.say(hidden.legal_words()[0])
    for seat in range(4):
        assert Worlds(called.view(seat)).count == ways(39, 13, 13, 13)
        expected = ways(39, 13, 13, 13) if seat == 0 else ways(39, 12, 1, 13, 13)
        assert Worlds(hidden.view(seat)).count == expected
    blind = dealt("hidden-trump", "timeout", "timeout")
    blind.say(blind.legal_words()[0])
    assert Worlds(blind.view(0)).count == ways(40, 13, 13, 13, 1)  # S0.58: he has not seen it either


def test_a_blind_card_dealt_on_is_with_eldest_in_eight_orders_of_thirteen() -> None:
    deal = dealt("single-sir", "timeout", "timeout")
    blind = next(card for card in deal.dealt[3] if card)
    deal.say(f"blind {blind}")
    worlds = Worlds(deal.view(1))
    assert worlds.count == ways(39, 13, 13, 13)
    n = 200_000
    hands = worlds.draw(n, seed=5).hands
    share = np.count_nonzero(hands[:, 0] & np.uint64(1 << blind)) / n
    expected = 8 / (8 + 13 + 13)
    deviation = (expected * (1 - expected) / n) ** 0.5
    assert abs(share - expected) < 5 * deviation  # by chance once in two million
    assert not (hands[:, 1] & np.uint64(1 << blind)).any()
    assert Worlds(deal.view(0)).knowledge.marked is not None  # it may lie anywhere, with equal weight


def whole_deals(count: int, name: str) -> Iterator[tuple[str, Deal, random.Random]]:
    """Random deals played out under random legal rule sets and, every other one, a preset."""
    presets = sorted(preset_names())
    for number in range(count):
        source = random.Random(f"{name} {number}")
        preset = resolve(presets[number // 2 % len(presets)])
        rules: RuleSet = random_rule_set(source) if number % 2 else preset
        prefer = source.choice(["", "", "timeout", "thirteenth", "claim"])
        deal = random_deal(rules, source, 13, prefer=prefer)
        if deal.plays:
            yield f'whole_deals(…, "{name}") number {number}: {rules}', deal, source


def weighed(knowledge: Knowledge) -> tuple[int, int]:
    """The number of worlds and their weight, card by card: who may take it, and who needs how many more."""
    cards = sorted(knowledge.unseen)

    @cache
    def count(number: int, need: tuple[int, ...], down: bool, holds: bool) -> tuple[int, int]:
        if number == len(cards):
            good = not any(need) and not down and holds
            return int(good), int(good)
        card, plain, weighted = cards[number], 0, 0
        for seat in range(4):
            if need[seat] and card.suit not in knowledge.barred[seat]:
                rest = tuple(n - (other == seat) for other, n in enumerate(need))
                found = count(number + 1, rest, down, holds or knowledge.held == (seat, card.suit))
                weight = 1
                if knowledge.marked is not None and card is knowledge.marked[0]:
                    weight = knowledge.marked[1][seat]
                plain, weighted = plain + found[0], weighted + weight * found[1]
        if down:
            found = count(number + 1, need, False, holds)
            plain, weighted = plain + found[0], weighted + found[1]
        return plain, weighted

    return count(0, knowledge.need, knowledge.hides_unseen, knowledge.held is None)


def test_counts_are_those_of_placing_card_by_card() -> None:
    tried = 0
    for where, deal, source in whole_deals(60, "counts"):
        played = at(deal, source.randrange(len(deal.plays)))
        seat = source.randrange(4)
        knowledge = Knowledge.of(replayed(played).view(seat))
        worlds = Worlds(knowledge)
        assert (worlds.count, worlds.weight) == weighed(knowledge), f"{where}: {played}, seat {seat}"
        tried += 1
    assert tried > 40


def assert_admits(knowledge: Knowledge, deal: Deal, where: str) -> None:
    """The deal itself is one of the worlds."""
    down = {deal.hidden_card} if knowledge.hides_unseen else set()
    assert down <= knowledge.unseen, where
    if knowledge.face_down is not None:
        assert knowledge.face_down is deal.hidden_card, where
    for seat in range(4):
        hand, first = set(deal.hands[seat]), set(deal.first_five(seat))
        drawn = hand - knowledge.known[seat]
        assert knowledge.known[seat] <= hand, where
        assert drawn <= knowledge.unseen, where
        assert len(drawn) == knowledge.need[seat], where
        assert not {card.suit for card in drawn} & knowledge.barred[seat], where
        assert knowledge.early[seat] <= first, where
        assert not knowledge.late[seat] & first, where
        if knowledge.held is not None and knowledge.held[0] == seat:
            assert knowledge.held[1] in {card.suit for card in drawn}, where
        if knowledge.marked is not None and knowledge.marked[0] in drawn:
            assert knowledge.marked[1][seat] > 0, where
    if knowledge.hides_unseen and deal.hider is not None and deal.hidden_card is not None:
        assert (deal.hidden_card in deal.first_five(deal.hider)) is not knowledge.blind, where


def test_the_true_deal_is_always_among_the_worlds() -> None:
    for where, deal, source in whole_deals(DEALS, "true"):
        for number, state in enumerate(steps(at(deal, len(deal.plays)))):
            if state.phase == "play":
                for seat in {state.turn, source.randrange(4)}:
                    knowledge = Knowledge.of(state.view(seat))
                    assert_admits(knowledge, state, f"{where}, play {number}, seat {seat}")
                    assert Worlds(knowledge).count > 0


def as_dealt(drawn: Sample, number: int, knowledge: Knowledge, played: Played) -> Played:
    """A deal that comes to a world drawn: some order of dealing, and words, that the seat may believe in."""
    assert drawn.fives is not None
    seat, deal = knowledge.seat, replayed(played)
    face_down = None if drawn.face_down[number] == 255 else Card(int(drawn.face_down[number]))
    hands: list[tuple[Card, ...]] = []
    for other in range(4):
        hand = cards_of(int(drawn.hands[number, other])) | knowledge.played[other]
        if other == deal.hider and face_down is not None:
            hand |= {face_down}
        five = cards_of(int(drawn.fives[number, other]))
        rest = sorted(hand - five)
        if other == 0 and "thirteenth" in played.words:
            rest.sort(key=lambda card: card is played.hands[0][-1])
        if other == seat:
            assert five == set(played.hands[seat][:5])
            assert {card for card in played.hands[seat] if card is not deal.hidden_card} <= hand
        hands.append((*sorted(five), *rest))
        if other == seat:  # he knows the order but for a card that he has not seen
            unknown = hand - set(played.hands[seat])
            hands[seat] = tuple(card if card in hand else min(unknown) for card in played.hands[seat])
    words = list(played.words)
    if deal.hider is not None and (deal.hider != seat or knowledge.blind):
        shown = face_down if face_down is not None else Card.parse(words[-1].split()[1])
        words[-1] = f"{words[-1].split()[0]} {shown}"
        for number, word in enumerate(words[:-1]):
            if word.startswith(("hide", "blind")):  # another card was in its place before
                stock = word.startswith("blind") and played.rules.uncalled == "blind-stock"
                choice = hands[deal.hider][5:] if stock else hands[deal.hider][:5]
                words[number] = f"{word.split()[0]} {next(card for card in choice if card is not shown)}"
    return played._replace(hands=tuple(hands), words=tuple(words))


def test_every_world_drawn_can_be_played_and_looks_the_same() -> None:
    for where, deal, source in whole_deals(120, "replay"):
        played = at(deal, source.randrange(len(deal.plays)))
        seat = source.randrange(4)
        truth = list(sights(played, seat))
        knowledge = Knowledge.of(replayed(played).view(seat))
        drawn = Worlds(knowledge).draw(8, seed=2, fives=True)
        for number in range(8):
            candidate = as_dealt(drawn, number, knowledge, played)
            assert looks_the_same(candidate, truth, seat), f"{where}: {played}, seat {seat}, {candidate}"


def test_a_world_depends_on_nothing_but_its_number() -> None:
    deal = dealt("single-sir", "H")
    knowledge = Knowledge.of(deal.view(1))
    worlds = Worlds(knowledge)
    all_at_once = worlds.draw(100, seed=3, deal=7).hands
    np.testing.assert_array_equal(all_at_once[40:], worlds.draw(60, seed=3, deal=7, start=40).hands)
    np.testing.assert_array_equal(all_at_once, worlds.draw(100, seed=3, deal=7, fives=True).hands)
    others = [
        worlds.draw(100, seed=4, deal=7),
        worlds.draw(100, seed=3, deal=8),
        worlds.draw(100, seed=3, deal=7, stream=1),
        Worlds(replace(knowledge, decision=9)).draw(100, seed=3, deal=7),
    ]
    for other in others:
        assert not (all_at_once == other.hands).all(axis=1).any()


@pytest.mark.skipif(not has_x86_64_v3(), reason="the processor has no x86-64-v3 instructions")
def test_both_builds_draw_the_same_worlds(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = [
        Knowledge.of(replayed(at(deal, source.randrange(len(deal.plays)))).view(source.randrange(4)))
        for _, deal, source in whole_deals(10, "builds")
    ]
    samples = []
    for build in ("worlds", "worlds_v3"):
        monkeypatch.setattr("courtpiece.worlds.kernel", import_module(f"courtpiece._kernel.{build}"))
        samples.append([Worlds(knowledge).draw(50, seed=1, fives=True) for knowledge in asked])
    for portable, fast in zip(*samples, strict=True):
        for one, other in zip(portable, fast, strict=True):
            np.testing.assert_array_equal(one, other)


def test_knowledge_that_no_deal_agrees_with_is_refused_in_one_line() -> None:
    knowledge = Knowledge.of(dealt("single-sir", "H").view(0))
    spades = frozenset({Suit.S})
    with pytest.raises(UsageError, match=r"no deal is consistent with what seat 0 knows.*but no spades"):
        Worlds(replace(knowledge, barred=(frozenset(), spades, spades, spades)))
    over = random_deal(resolve("single-sir"), random.Random(1), 13)
    with pytest.raises(UsageError, match="the deal is over"):
        Knowledge.of(over.view(0))


def test_worlds_that_are_not_there_cannot_be_listed() -> None:
    worlds = Worlds(Knowledge.of(dealt("single-sir", "H").view(0)))
    sample, weights = worlds.every(worlds.count - 3)
    assert len(sample.hands) == len(weights) == 3
    with pytest.raises(UsageError, match="84478098072866400 worlds"):
        worlds.every(worlds.count - 3, 4)
    with pytest.raises(UsageError, match="no 1 from 0"):
        Worlds(dealt("single-sir").view(0)).every(0, 1)
