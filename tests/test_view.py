"""What a seat sees: nothing that is hidden from it, and all that it has seen."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from courtpiece.cards import PACK, Card, parse_cards
from courtpiece.deal import Deal, deal_out
from courtpiece.errors import RecordError
from courtpiece.match import Match
from courtpiece.rules import Outcome, RuleSet, Trump, Uncalled, presets, resolve
from courtpiece.view import View
from tests.strategies import random_rule_set
from tests.test_contract_random_play import EXTRAS, steps

RULES = presets() | EXTRAS | {
    "hidden, blind from the own five": resolve("hidden-trump", uncalled="random-own-five"),
    "hidden, the unseen card changed": resolve(
        "hidden-trump", caller_may_pass=False, extras=["change-trump"]
    ),
    "called, blind from the own five": resolve("single-sir", uncalled="random-own-five"),
}


def witnessed(deal: Deal, seat: int) -> tuple[Deal, list[object]]:
    """Goes through a deal again from its record, and returns it with what `seat` witnesses on the way.

    Kept apart from `View` on purpose: it tells what happens at a table, event by event.
    """
    rules, log = deal.rules, list[object]()
    again = Deal(rules, deal.dealt, dealer=deal.dealer)
    log.append(("five", again.dealt[seat][:5]))
    for word in deal.words:
        verb, _, card = word.partition(" ")
        his = again.turn == seat if verb == "hide" else again.hider == seat if verb == "change" else seat == 0
        secret = rules.trump is Trump.HIDDEN and card and verb in ("hide", "blind", "change")
        if verb == "blind" and rules.uncalled is Uncalled.BLIND_STOCK:
            his = False
        log.append(("said", again.turn, word if his or not secret else verb))
        asked = again.phase == "call"
        again.say(word)
        if asked and again.phase == "play":
            unseen = again.hidden_card if secret and verb == "blind" and not his else None
            log.append(("thirteen", [card for card in again.dealt[seat] if card is not unseen]))
            if verb == "thirteenth":
                log.append(("shows", again.dealt[0][-1]))
        elif verb == "change" and again.hider == seat:
            log.append(("holds", sorted(again.hands[seat])))
    if again.phase == "play" and rules.trump is Trump.FIRST_VOID:
        log.append(("thirteen", again.dealt[seat]))
    if deal.claimer is not None:
        again.claim(deal.claimer)
        log.append(("open", deal.claimer, sorted(again.hands[deal.claimer])))
    for play in deal.plays:
        lay_down = again.hidden_card
        if lay_down is None and again.shown is not None:
            log.append(("shown", again.shown))
        if isinstance(play, Card):
            log.append(("plays", again.turn, play))
            again.play(play)
        else:
            log.append(("reveals", again.turn))
            again.reveal()
    log.append(("turn", again.turn, again.phase, again.outcome, again.winner, again.shown))
    if again.phase == "over":
        log.append(("turned up", again.hidden_card))
    return again, log


def exchanged(deal: Deal, one: Card, other: Card) -> Deal | None:
    """Returns the same record with two hidden cards exchanged, or None where that breaks the rules."""
    swap = {one: other, other: one}
    twin = deal.copy()
    twin.dealt = tuple(tuple(swap.get(card, card) for card in hand) for hand in deal.dealt)
    if deal.rules.trump is Trump.HIDDEN:
        twin.words = [
            f"{verb} {swap.get(Card.parse(card), Card.parse(card))}" if card else verb
            for verb, _, card in (word.partition(" ") for word in deal.words)
        ]
    try:
        return witnessed(twin, 0)[0]
    except RecordError:
        return None


def some_states(rules: RuleSet, source: random.Random, deals: int) -> Iterator[Deal]:
    for _ in range(deals):
        pack = list(PACK)
        source.shuffle(pack)
        states = [state.copy() for state in steps(Deal(rules, deal_out(pack)), source)]
        yield from source.sample(states, min(4, len(states)))


def check_no_leak(rules: RuleSet, source: random.Random, deals: int, tries: int) -> int:
    """Redeals what each seat cannot see, and returns in how many ways the seat's view was found to stay."""
    found = 0
    for state in some_states(rules, source, deals):
        for seat in range(4):
            same, before = witnessed(state, seat)
            view = same.view(seat)
            assert view == state.view(seat)
            world = state
            played = {card for card in state.plays if isinstance(card, Card)}
            free = [card for card in PACK if card not in played]
            for _ in range(tries if len(free) > 1 else 0):
                twin = exchanged(world, *source.sample(free, 2))
                if twin is None or witnessed(twin, seat)[1] != before:
                    continue
                found += 1
                assert twin.view(seat) == view, (str(rules), state.dealt, state.words, state.plays, seat)
                world = twin
    return found


@pytest.mark.parametrize("name", RULES)
def test_redealing_what_a_seat_cannot_see_leaves_its_view(name: str) -> None:
    assert check_no_leak(RULES[name], random.Random(name), deals=4, tries=4) > 15


def test_redealing_what_a_seat_cannot_see_leaves_its_view_under_any_rules() -> None:
    source = random.Random(11)
    found = sum(check_no_leak(random_rule_set(source), source, deals=1, tries=4) for _ in range(80))
    assert found > 250


@pytest.mark.parametrize("name", RULES)
def test_all_that_a_view_says_is_true_of_the_deal(name: str) -> None:
    source = random.Random(name)
    for state in some_states(RULES[name], source, deals=10):
        for seat in range(4):
            view = state.view(seat)
            all_dealt = state.phase != "call" and state.outcome is not Outcome.REDEAL
            for other in range(4):
                assert view.known[other] <= set(state.hands[other])
                unknown = set(state.hands[other]) - view.known[other]
                assert not {card.suit for card in unknown} & view.voids[other]
                assert view.sizes[other] == (len(state.hands[other]) if all_dealt else 5)
            assert view.known[seat] == set(view.hand)
            assert view.legal_cards == tuple(card for card in view.hand if card in view.legal_cards)
            if seat == state.turn:
                assert sorted(view.legal_cards) == sorted(state.legal_cards())
                assert view.may_reveal == state.can_reveal
            else:
                assert not view.legal_cards
                assert not view.may_reveal
            assert view.face_down == (state.hidden_card is not None and state.phase != "over")
            assert [play.card for play in view.plays] == [card for card in state.plays if card != "reveal"]
            if all_dealt and state.hidden_card is None:
                gone = {play.card for play in view.plays}
                assert view.unseen == set(PACK) - gone - set().union(*view.known)
            assert str(view)


def test_a_player_who_owes_a_trump_and_throws_something_else_shows_that_he_has_none() -> None:
    hands = [
        parse_cards("7S 2H 2D 2C"), parse_cards("9H 3D 4D 3C"),
        parse_cards("3S 4S 3H 4H"), parse_cards("5S 6S 5H 5D"),
    ]
    deal = Deal(resolve("hidden-trump"), hands)
    deal.say("hide 7S")
    deal.play(Card.parse("2C"))         # eldest; the next seat holds 3C
    deal.play(Card.parse("3C"))
    deal.reveal()                       # void in clubs, and may not throw a heart: it holds spades
    assert deal.view(1).trump is not None
    deal.play(Card.parse("3S"))
    assert [sorted(voids) for voids in deal.view(0).voids] == [[], [], [3], []]
    deal.play(Card.parse("5D"))
    assert sorted(deal.view(0).voids[3]) == [3]     # he did not ask, so he owed nothing


def test_the_hider_knows_his_card_and_the_others_hear_only_that_he_hid_one() -> None:
    pack = list(PACK)
    random.Random(5).shuffle(pack)
    deal = Deal(resolve("hidden-trump"), deal_out(pack))
    word = deal.legal_words()[0]
    deal.say(word)
    assert [deal.view(seat).words[0].word for seat in range(4)] == [word, "hide", "hide", "hide"]
    assert [deal.view(seat).hidden_card is not None for seat in range(4)] == [True, False, False, False]
    assert f"a card of {deal.name(0)} lies face down" in str(deal.view(1))


def test_the_score_of_the_match_is_told_by_the_sides_of_the_deal() -> None:
    rules = resolve("single-sir")
    match = Match(rules, dealer=3)
    match.add(Outcome.DEFENDER_WIN, 1)          # the table's side 1: seats E and W
    deal = Deal(rules, deal_out(PACK), dealer=match.dealer)
    assert deal.dealer == 0
    view = View.of(deal, 0, match)
    assert view.score == (2, 0)
    assert view.streaks == (1, 0)
