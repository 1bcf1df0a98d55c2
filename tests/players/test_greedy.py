"""`greedy`: sound choices in positions put in words, nothing but public information, and its strength."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from courtpiece._kernel import engine
from courtpiece.cards import PACK, Card, Suit, parse_cards
from courtpiece.deal import Deal, winning_position
from courtpiece.players import parse_built_in
from courtpiece.players.callers import kernel_caller
from courtpiece.rules import presets, resolve
from courtpiece.table import Table
from courtpiece.words import REVEAL, word_code, word_text
from tests.players.mirrored import mirrored_share

CALLERS = [kernel_caller(parse_built_in("simple"))] * 2


def choice(
    rules: str, hand: str, plays: str = "", *, trump: str | None = "S", seat: int | None = None
) -> str:
    """What greedy plays from its thirteen cards after the plays, which it was not part of or led with `hand`.

    Eldest leads the first trick; who plays each card follows from the rules.  The other hands get whatever
    cards are left over, as a player who may not see them cannot care.
    """
    played = parse_cards(plays) if plays else ()
    held = set(parse_cards(hand))
    called = None if trump is None else "SHDC".index(trump)
    hands: list[list[Card]] = [[], [], [], []]
    leader = 0
    for start in range(0, len(played), 4):
        trick = played[start : start + 4]
        for place, card in enumerate(trick):
            hands[(leader + place) % 4].append(card)
        if len(trick) == 4:
            leader = (leader + winning_position(trick, None if called is None else Suit(called))) % 4
    me = (leader + len(played) % 4) % 4
    assert seat in (None, me)
    hands[me] += [card for card in PACK if card in held and card not in played]
    rest = [card for card in PACK if card not in played and card not in held]
    for other in hands:
        while len(other) < 13:
            other.append(rest.pop())
    assert not rest
    setup = engine.Setup(resolve(rules), ["greedy"] * 4, CALLERS)
    words = [] if called is None else [called]
    action = engine.choose(
        setup, np.array(hands, np.uint8), np.array(words, np.uint8), 255, np.array(played, np.uint8))
    return "reveal" if action == REVEAL else str(Card(action))


def test_it_leaves_the_partners_safe_winner_alone() -> None:
    assert choice("classic", "KH QH 3H 5S 6S 7S 2D 3D 4D 2C 3C 4C 5C", "5H AH 6H") == "3H"


def test_it_does_not_ruff_the_partners_safe_winner() -> None:
    assert choice("classic", "5S 6S 7S 2D 3D 4D 5D 2C 3C 4C 5C 6C 7C", "5H AH 6H")[1] != "S"


def test_the_last_seat_wins_as_cheaply_as_possible() -> None:
    assert choice("classic", "KH JH TH 3H 5S 6S 7S 2D 3D 4D 2C 3C 4C", "5H 2H 9H") == "TH"


def test_the_last_seat_ruffs_with_its_lowest_trump() -> None:
    assert choice("classic", "5S 9S KS 2D 3D 4D 5D 2C 3C 4C 5C 6C 7C", "5H 2H QH") == "5S"


def test_the_last_seat_throws_low_when_it_cannot_win() -> None:
    assert choice("classic", "JH TH 3H 5S 6S 7S 2D 3D 4D 2C 3C 4C 5C", "5H 2H QH") == "3H"


def test_it_overruffs_as_cheaply_as_possible() -> None:
    assert choice("classic", "5S 9S KS 2D 3D 4D 5D 2C 3C 4C 5C 6C 7C", "5H 2H 8S") == "9S"


def test_third_seat_plays_the_cheapest_of_equals() -> None:
    assert choice("classic", "AH KH QH 3H 5S 6S 7S 2D 3D 4D 2C 3C 4C", "5H 6H") == "QH"


def test_third_seat_makes_a_threatened_partner_safe_only_with_a_card_that_is_much_better() -> None:
    assert choice("classic", "AH 4H 3H 5S 6S 7S 2D 3D 4D 2C 3C 4C 5C", "9H 6H") == "AH"
    assert choice("classic", "QH 4H 3H 5S 6S 7S 2D 3D 4D 2C 3C 4C 5C", "TH 6H") == "3H"


def test_second_seat_holds_its_ace_while_the_suit_is_young() -> None:
    assert choice("classic", "AH 4H 3H 5S 6S 7S 2D 3D 4D 2C 3C 4C 5C", "9H") == "3H"
    assert choice("classic", "AH KH 3H 5S 6S 7S 2D 3D 4D 2C 3C 4C 5C", "9H") == "KH"


def test_second_seat_leaves_a_low_lead_to_the_partner_and_ruffs_a_master() -> None:
    hand = "5S 6S 7S 2D 3D 4D 5D 2C 3C 4C 5C 6C 7C"
    assert choice("classic", hand, "5H")[1] != "S"
    assert choice("classic", hand, "AH") == "5S"


def test_a_caller_long_in_trumps_draws_them() -> None:
    assert choice("classic", "AS QS JS 8S 7S 6H 5H 4H 3H 6D 5D 4D 3D") == "AS"


def test_it_stops_drawing_trumps_when_they_are_out() -> None:
    hand = "AS KS QS JS TS 9S 8S AH 3H 2H 4D 3D 2D"
    assert choice("classic", hand, "AS 2S 3S 4S KS 5S 6S 7S", seat=0)[1] != "S"


def test_it_leads_a_singleton_to_ruff_the_suit() -> None:
    assert choice("classic", "5S 6S 3H 4D 6D 8D TD JD 4C 6C 8C TC JC") == "3H"


def test_it_leads_no_unsupported_king() -> None:
    assert choice("classic", "2S 3S 4S KH 7H 6H KD 8D 7D 5D KC 9C 8C")[0] != "K"


def test_it_throws_low_from_a_worthless_suit_and_keeps_masters_and_trumps() -> None:
    assert choice("classic", "5S 6S AD KD QD 7D AC KC QC 4C 3C JD TD", "5H AH 6H") == "3C"


def test_a_first_void_makes_its_long_suit_trump() -> None:
    assert choice("be-ranga", "2S 3S 4D 5D 6D 7D 8D JD QD 2C 3C 4C 5S", "5H", trump=None) == "4D"


def test_it_leads_short_suits_while_no_trump_is_made() -> None:
    assert choice("be-ranga", "2H AS KS 7S 5D 6D 8D JD 3C 5C 8C 9C TC", trump=None) == "2H"


def test_tens_go_on_the_partners_safe_trick_and_never_on_a_lost_one() -> None:
    hand = "TH JH 3H 5D 6D 7S 2D 3D 4D 2C 3C 4C 5C"
    assert choice("mendikot", hand, "5H AH 6H", trump=None) == "TH"
    assert choice("mendikot", "TH JH 5D 6D 7S 2D 3D 4D 2C 3C 4C 5C 6C", "5H 2H QH", trump=None) == "JH"
    assert choice("mendikot", hand, "5H 2H 9H", trump=None) == "TH"


def test_in_a_pile_game_it_stops_the_second_win_in_a_row() -> None:
    hand = "4H AD 4D 5D 9S 8S 7S 6S 5S 9C 8C 7C 6C"
    assert choice("double-sir", hand, "AH 2H 3H 4H KD 2D 3D", seat=3) == "AD"


def test_in_a_pile_game_it_wastes_nothing_on_a_win_that_picks_nothing_up() -> None:
    hand = "4H AD 4D 5D 9S 8S 7S 6S 5S 9C 8C 7C 6C"
    assert choice("double-sir", hand, "AH 2H 3H 4H 6D 2D KD", seat=3) == "4D"
    assert choice("double-sir", hand, "AH 2H 3H 4H 6D KD 2D", seat=3) == "4D"


def hidden_choice(hand: str, plays: str, hide: str) -> str:
    """What greedy, not the hider, does in hidden-trump's first trick; eldest hid a card."""
    played, held, card = parse_cards(plays), parse_cards(hand), parse_cards(hide)[0]
    hands: list[list[Card]] = [[card], [], [], []]
    for seat, shown in enumerate(played):
        hands[seat].append(shown)
    hands[len(played)] = list(held)
    rest = [other for other in PACK if other not in played and other not in held and other != card]
    for other in hands:
        while len(other) < 13:
            other.append(rest.pop())
    setup = engine.Setup(resolve("hidden-trump"), ["greedy"] * 4, CALLERS)
    action = engine.choose(setup, np.array(hands, np.uint8), np.array([word_code(f"hide {card}")], np.uint8),
                           255, np.array(played, np.uint8))
    return "reveal" if action == REVEAL else str(Card(action))


def test_it_asks_for_the_hidden_card_when_the_others_win_the_trick() -> None:
    hand = "5S 6S 7S 2D 3D 4D 5D 2C 3C 4C 5C 6C 7C"
    assert hidden_choice(hand, "5H 2H QH", "9D") == "reveal"
    assert hidden_choice(hand, "5H AH 6H", "9D") != "reveal"


def redealt(
    dealt: NDArray[np.uint8], down: int | None, shown: int | None, owners: Sequence[tuple[int, int]],
    seat: int, generator: np.random.Generator,
) -> tuple[NDArray[np.uint8], int | None] | None:
    """Other hands, and another face-down card, that the seat cannot tell from the dealt ones.

    `owners` lists (seat, card) of all cards played, `down` is the card that still lies face down, `shown`
    the one that lay there and is known to be in its owner's hand.  None when a hundred tries found no fitting
    deal.
    """
    played = [card for _, card in owners]
    voids: list[set[int]] = [set(), set(), set(), set()]
    for place, (who, card) in enumerate(owners):
        led = owners[place - place % 4][1] // 13
        if card // 13 != led:
            voids[who].add(led)
    left = [[card for card in hand.tolist() if card not in played] for hand in dealt]
    hider = next((who for who in range(4) if down in left[who]), None)
    others = [who for who in range(4) if who != seat]
    for _ in range(100):
        loose = [card for who in others for card in left[who] if card != shown]
        cards = iter(generator.permutation(loose).tolist())
        hands = [
            [card if who == seat or card == shown else next(cards) for card in left[who]] for who in range(4)
        ]
        laid = hands[hider][0] if hider is not None and hider != seat else down
        if not any(card // 13 in voids[who] and card != laid for who in others for card in hands[who]):
            full = [hands[who] + [card for owner, card in owners if owner == who] for who in range(4)]
            return np.array(full, np.uint8), laid
    return None


@pytest.mark.parametrize(
    "rules",
    ["classic", "double-sir", "be-ranga", "mendikot", "hidden-trump", "hidden-rung", "mendikot-band"],
)
def test_cards_it_cannot_see_do_not_change_its_choice(rules: str) -> None:
    generator = np.random.default_rng(1)
    table = Table(rules, "greedy/longest")
    setup = engine.Setup(table.rules, ["greedy"] * 4, CALLERS)
    trace = table.trace(9, 0, 150)
    tried = moved = 0
    for hands, words, plays in zip(trace.hands, trace.words, trace.plays, strict=True):
        said = [word_text(word) for word in words[words != 255].tolist()]
        actions = plays[plays != 255]
        owner = {card: seat for seat in range(4) for card in hands[seat].tolist()}
        deal = Deal(table.rules, [[Card(card) for card in hand] for hand in hands.tolist()])
        for word in said:
            deal.say(word)
        laid = deal.hidden_card
        owners: list[tuple[int, int]] = []
        for place, action in enumerate(actions.tolist()):
            shown = laid if deal.hidden_card is None else None
            other = redealt(hands, deal.hidden_card, shown, owners, deal.turn, generator)
            if other is not None and generator.random() < 0.2:
                down = other[1]
                new = said if down is None else [f"hide {Card(down)}"]
                codes = np.array([word_code(word) for word in new], np.uint8)
                assert engine.choose(setup, other[0], codes, 255, actions[:place]) == action
                tried += 1
                moved += down is not None and down != deal.hidden_card
            if action == REVEAL:
                deal.reveal()
                continue
            owners.append((owner[action], action))
            lay = deal.hidden_card is not None
            deal.play(Card(action))
            if lay and deal.hidden_card is None and deal.turn == deal.hider:
                break       # he had no other card of the suit led: more is known than voids tell
    assert tried > 400
    assert table.rules.trump != "hidden" or moved > 50


@pytest.mark.parametrize("name", sorted(presets()))
def test_it_beats_simple_in_every_preset(name: str) -> None:
    least = 0.57 if name == "classic" else 0.55
    assert mirrored_share(name, "greedy/longest", "simple", 20_000) > least


@pytest.mark.parametrize("name", sorted(presets()))
def test_it_beats_random_widely_in_every_preset(name: str) -> None:
    assert mirrored_share(name, "greedy/longest", "random/longest", 4_000) > 0.72


def test_leaving_out_an_idea_changes_only_the_player_that_leaves_it_out() -> None:
    rules = resolve("classic")
    out = [np.empty(2000, engine.RESULT) for _ in range(3)]
    key = np.random.SeedSequence(3).generate_state(2, np.uint64).astype(np.uint64, copy=False)
    for results, cards, without in zip(
        out, (["greedy"] * 4, ["greedy"] * 4, ["ablated"] * 4), (0, 2**20 - 1, 0), strict=True):
        engine.play_deals(engine.Setup(rules, cards, CALLERS, without=without), key, 0, results)
    assert (out[0] == out[1]).all()
    assert (out[0] == out[2]).all()
