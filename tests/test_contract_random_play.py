"""What holds in every deal of every rule set, whoever plays: checked over random play.

Each test plays deals with random legal words and cards and looks at the deal after every step.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from courtpiece.cards import PACK, TENS, Card
from courtpiece.deal import Deal, deal_out
from courtpiece.errors import RecordError
from courtpiece.rules import Collection, DealEnds, Objective, Outcome, RuleSet, Trump, presets, resolve
from tests.strategies import random_rule_set

EXTRAS = {
    "single-sir with change-trump": resolve("single-sir", extras=["change-trump"]),
    "hidden-trump with change-trump": resolve("hidden-trump", extras=["change-trump"]),
    "hidden-trump with whole-trick": resolve("hidden-trump", reveal_scope="whole-trick"),
    "bavan with deal-lost": resolve("bavan", failed_claim="deal-lost"),
}
RULES = presets() | EXTRAS
DEALS = 40

TRICK_OUTCOMES = {Outcome.CALLER_WIN, Outcome.DEFENDER_WIN, Outcome.CALLER_KOT, Outcome.DEFENDER_KOT}
TENS_OUTCOMES = {Outcome.THREE_TENS, Outcome.TWO_TENS, Outcome.FOUR_TENS, Outcome.WHITEWASH}


def steps(deal: Deal, source: random.Random) -> Iterator[Deal]:
    """Plays a deal to its end at random, and yields it before every step and at the end."""
    while deal.phase == "call":
        yield deal
        deal.say(source.choice(deal.legal_words()))
    if deal.rules.claim and deal.phase == "play" and source.random() < 0.3:
        deal.claim(source.randrange(4))
    while deal.phase == "play":
        yield deal
        if (words := deal.legal_words()) and source.random() < 0.3:
            deal.say(source.choice(words))
        elif deal.can_reveal and source.random() < 0.3:
            deal.reveal()
        else:
            deal.play(source.choice(deal.legal_cards()))
    yield deal


def random_deals(rules: RuleSet, name: str, count: int = DEALS) -> Iterator[tuple[Deal, random.Random]]:
    source = random.Random(name)
    for _ in range(count):
        pack = list(PACK)
        source.shuffle(pack)
        yield Deal(rules, deal_out(pack)), source


def everything(deal: Deal) -> tuple[object, ...]:
    """Returns the whole state of a deal, to compare."""
    return tuple(repr(getattr(deal, name)) for name in Deal.__slots__)


@pytest.mark.parametrize("name", RULES)
def test_all_52_cards_are_always_somewhere_once(name: str) -> None:
    for deal, source in random_deals(RULES[name], name):
        for state in steps(deal, source):
            gone = [card for trick in state.tricks for card in trick.cards] + state.trick
            face_down = [] if state.hidden_card is None else [state.hidden_card]
            held = [card for hand in state.hands for card in hand]
            assert sorted(gone + face_down + held) == list(PACK)


@pytest.mark.parametrize("name", RULES)
def test_there_is_always_a_legal_card_of_the_hand_in_turn_and_it_follows_suit_if_it_can(name: str) -> None:
    for deal, source in random_deals(RULES[name], name):
        for state in steps(deal, source):
            legal = state.legal_cards()
            if state.phase != "play":
                assert legal == []
                continue
            hand = state.hands[state.turn]
            assert legal
            assert len(set(legal)) == len(legal)
            assert set(legal) <= set(hand)
            if state.trick:
                led = state.trick[0].suit
                following = {card for card in hand if card.suit is led}
                assert set(legal) == following if following else led not in {card.suit for card in legal}
            if set(legal) != set(hand) and not (state.trick and state.trick[0].suit is legal[0].suit):
                assert {card.suit for card in legal} == {state.trump}  # the only other duty is to trump


@pytest.mark.parametrize("name", RULES)
def test_exactly_the_legal_steps_are_accepted_and_a_refused_one_changes_nothing(name: str) -> None:
    for deal, source in random_deals(RULES[name], name, count=4):
        for state in steps(deal, source):
            before = everything(state)
            legal = state.legal_cards()
            for card in PACK:
                if card in legal:
                    state.copy().play(card)
                else:
                    with pytest.raises(RecordError):
                        state.play(card)
            if state.can_reveal:
                state.copy().reveal()
            else:
                with pytest.raises(RecordError):
                    state.reveal()
            words = state.legal_words()
            assert len(set(words)) == len(words)
            for word in words:
                state.copy().say(word)
            for word in {
                "S",
                "pass",
                "timeout",
                "redeal",
                "thirteenth",
                "hide AS",
                "blind 2C",
                "change D",
            } - set(words):
                with pytest.raises(RecordError):
                    state.say(word)
            assert everything(state) == before


@pytest.mark.parametrize("name", RULES)
def test_tricks_and_tens_add_up(name: str) -> None:
    for deal, source in random_deals(RULES[name], name):
        for state in steps(deal, source):
            assert sum(state.taken) + state.pile == len(state.tricks)
            seen = sum(card in TENS for trick in state.tricks for card in trick.cards)
            assert sum(state.tens) <= seen
            if state.rules.collection is Collection.EACH_TRICK:
                assert state.pile == 0
                assert sum(state.tens) == seen
                won = [sum(trick.winner % 2 == side for trick in state.tricks) for side in (0, 1)]
                assert state.taken == won
            for earlier, later in zip(state.tricks, state.tricks[1:], strict=False):
                assert later.leader == earlier.winner


@pytest.mark.parametrize("name", RULES)
def test_the_end_comes_when_the_rules_say_and_the_outcome_fits(name: str) -> None:
    rules = RULES[name]
    for deal, source in random_deals(rules, name):
        for state in steps(deal, source):
            over = state.phase == "over"
            assert (state.outcome is not None) is over
            assert over or (state.winner is None and state.points == state.kots == (0, 0))
        if deal.outcome is Outcome.REDEAL:
            assert deal.winner is None
            assert deal.plays == []
            continue
        assert deal.winner is not None
        assert not deal.trick
        expected = TENS_OUTCOMES if rules.objective is Objective.TENS else TRICK_OUTCOMES
        assert deal.outcome in expected | {Outcome.CLAIM_MADE}
        assert deal.points[1 - deal.winner] == deal.kots[1 - deal.winner] == 0
        if len(deal.tricks) < 13 and not deal.claim_failed:
            assert max(deal.taken) == deal.taken[deal.winner] >= 7
            assert rules.deal_ends is not DealEnds.AFTER_THIRTEEN
        if len(deal.tricks) == 13:
            assert sum(deal.taken) == 13


@pytest.mark.parametrize("name", [name for name in RULES if RULES[name].trump is Trump.HIDDEN])
def test_the_face_down_card_is_one_seats_and_trump_begins_when_it_is_shown(name: str) -> None:
    for deal, source in random_deals(RULES[name], name):
        hidden: Card | None = None
        for state in steps(deal, source):
            if state.phase == "call":
                continue
            assert state.hider is not None
            if state.hidden_card is not None:
                hidden = state.hidden_card
                assert state.trump is None
                assert hidden in state.dealt[state.hider]
                assert hidden not in state.hands[state.hider]
                # it never is the only card that its owner could play at his turn
                assert state.phase == "over" or state.turn != state.hider or state.hands[state.hider]
            else:
                assert hidden is not None
                assert state.trump is hidden.suit
        if len(deal.tricks) == 13:
            assert deal.hidden_card is None  # it was played at last


def test_the_same_holds_for_any_legal_rules() -> None:
    source = random.Random(3)
    for _ in range(400):
        rules = random_rule_set(source)
        for deal, choice in random_deals(rules, str(rules), count=2):
            for state in steps(deal, choice):
                assert state.phase != "play" or state.legal_cards()
                assert state.phase != "call" or state.legal_words()
                assert sum(state.taken) + state.pile == len(state.tricks)
            assert deal.outcome is not None


@pytest.mark.parametrize("name", ["hidden-trump", "mendikot-band", "single-sir", "hidden-rung"])
def test_what_a_seat_may_do_depends_on_nothing_it_cannot_see(name: str) -> None:
    """Redeals the cards that the seat in turn cannot see: its legal cards and its right to ask stay."""
    for deal, source in random_deals(RULES[name], name, count=15):
        for state in steps(deal, source):
            if state.phase != "play":
                continue
            twin = state.copy()
            seats = [seat for seat in range(4) if seat != state.turn]
            unseen = [card for seat in seats for card in state.hands[seat]]
            sees_it = state.turn == state.hider or state.hidden_card is None
            if not sees_it and state.hidden_card is not None:
                unseen.append(state.hidden_card)
            source.shuffle(unseen)
            if not sees_it:
                twin.hidden_card = unseen.pop()
            for seat in seats:
                size = len(state.hands[seat])
                twin.hands[seat], unseen = unseen[:size], unseen[size:]
            assert twin.legal_cards() == state.legal_cards()
            assert twin.can_reveal == state.can_reveal
