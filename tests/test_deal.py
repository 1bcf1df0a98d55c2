"""The deal engine, rule by rule, where the worked examples do not say it already."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from courtpiece.cards import PACK, Card, Suit, format_cards, parse_cards
from courtpiece.deal import Deal, deal_out, swap_first_five, winning_position
from courtpiece.errors import RecordError
from courtpiece.rules import Outcome, RulesSpec, resolve
from tests.arranged import Arrangement, ending, play, winners

CALLED = {"trump": "called"}
HIDDEN = {"trump": "hidden", "deal_ends": "after-thirteen"}
FIRST_VOID = {"trump": "first-void"}
CLAIMING: dict[str, Any] = {"kot": "all-thirteen", "deal_ends": "after-thirteen", "claim": 82}
PILE = {"collection": "pile", "kot": "all-thirteen", "deal_ends": "at-seven-unless-shutout"}


def refusal_of(deal: Deal, item: str) -> RecordError:
    """Returns the error that a card or the word reveal causes."""
    with pytest.raises(RecordError) as refusal:
        play(deal, item)
    return refusal.value


def code_of(deal: Deal, item: str) -> str:
    return refusal_of(deal, item).code


def refused_word(deal: Deal, word: str) -> str:
    """Returns the code with which a word of the call is refused."""
    with pytest.raises(RecordError) as refusal:
        deal.say(word)
    return refusal.value.code


def fresh_deal(rules: RulesSpec, seed: int = 1) -> Deal:
    pack = list(PACK)
    random.Random(seed).shuffle(pack)
    return Deal(resolve(rules), deal_out(pack))


def finish(deal: Deal, seed: int = 1) -> Deal:
    """Plays the rest of a deal with random legal cards."""
    source = random.Random(seed)
    while deal.phase == "play":
        deal.play(source.choice(deal.legal_cards()))
    return deal


class TestDealing:
    def test_a_pack_is_dealt_in_fives_and_fours(self) -> None:
        hands = deal_out(PACK)
        assert hands[0] == [*PACK[0:5], *PACK[20:24], *PACK[36:40]]
        assert hands[3] == [*PACK[15:20], *PACK[32:36], *PACK[48:52]]
        assert sorted(card for hand in hands for card in hand) == list(PACK)

    def test_a_swap_gives_eldest_five_undealt_cards_and_his_own_go_back_into_the_pack(self) -> None:
        swapped = swap_first_five(PACK, np.random.default_rng(3))
        assert sorted(swapped) == list(PACK)
        hands = deal_out(swapped)
        assert hands[0][:5] == list(PACK[20:25])
        assert [hand[:5] for hand in hands[1:]] == [hand[:5] for hand in deal_out(PACK)[1:]]
        stock = swapped[20:]
        assert set(PACK[:5]) < set(stock)
        assert stock != [*PACK[:5], *PACK[25:]]

    def test_a_card_dealt_twice_is_refused_by_name(self) -> None:
        with pytest.raises(RecordError, match="AS is dealt to S and to N") as refusal:
            ending(CALLED, "AS | KS | AS | QS")
        assert refusal.value.code == "bad-deal"

    def test_hands_of_different_sizes_are_refused(self) -> None:
        with pytest.raises(RecordError) as refusal:
            ending(CALLED, "AS 2S | KS | JS | QS")
        assert refusal.value.code == "bad-deal"

    @pytest.mark.parametrize(
        ("direction", "dealer", "letters"),
        [("anticlockwise", 3, "SENW"), ("clockwise", 3, "SWNE"), ("clockwise", 1, "NESW")],
    )
    def test_seats_are_named_from_the_dealer_on_in_the_order_of_play(
        self, direction: str, dealer: int, letters: str
    ) -> None:
        deal = Deal(resolve({"direction": direction}), deal_out(PACK), dealer=dealer)
        assert "".join(map(deal.name, range(4))) == letters


class TestCalling:
    def test_any_suit_may_be_called_held_or_not(self) -> None:
        deal = Deal(resolve(CALLED), deal_out(PACK))
        assert {card.suit for card in deal.first_five(0)} == {Suit.S}
        assert deal.legal_words() == ["S", "H", "D", "C"]

    @pytest.mark.parametrize("word", ["d", "♦", "diamonds", "D"])
    def test_a_suit_may_be_spelt_in_any_notation(self, word: str) -> None:
        deal = fresh_deal(CALLED)
        deal.say(word)
        assert deal.trump is Suit.D
        assert deal.words == ["D"]

    def test_the_partner_may_not_pass_in_turn(self) -> None:
        deal = fresh_deal({"caller_may_pass": True})
        deal.say("pass")
        assert deal.turn == 2
        assert refused_word(deal, "pass") == "bad-call"
        assert deal.legal_words() == ["S", "H", "D", "C"]

    def test_without_the_option_nobody_may_pass_or_run_out_of_time(self) -> None:
        deal = fresh_deal(CALLED)
        assert refused_word(deal, "pass") == "bad-call"
        assert refused_word(deal, "timeout") == "bad-call"

    def test_a_time_out_of_eldest_gives_the_turn_to_the_partner_where_he_could_pass(self) -> None:
        deal = fresh_deal({"caller_may_pass": True})
        deal.say("timeout")
        assert deal.turn == 2
        assert refused_word(deal, "timeout") == "bad-call"  # nothing follows when nobody calls
        deal.say("S")
        assert deal.caller == 2

    def test_where_nobody_may_pass_a_time_out_of_eldest_is_the_last(self) -> None:
        deal = fresh_deal({"uncalled": "blind-stock"})
        deal.say("timeout")
        assert all(word.startswith("blind ") for word in deal.legal_words())

    def test_a_blind_card_of_the_stock_is_none_of_eldests_first_five(self) -> None:
        deal = fresh_deal({"uncalled": "blind-stock", "first_lead": "caller"})
        deal.say("timeout")
        blind = {word.removeprefix("blind ") for word in deal.legal_words()}
        assert blind == {str(card) for card in PACK} - set(map(str, deal.first_five(0)))
        deal.say(f"blind {deal.dealt[2][0]}")  # dealt on as any other card
        assert deal.trump is deal.dealt[2][0].suit
        assert deal.caller == 0
        assert deal.turn == 0
        assert deal.dealt[2][0] in deal.hands[2]

    @pytest.mark.parametrize("trump", ["called", "hidden"])
    def test_a_random_card_of_his_own_is_one_of_eldests_first_five(self, trump: str) -> None:
        deal = fresh_deal({"trump": trump, "uncalled": "random-own-five", "caller_may_pass": True})
        deal.say("timeout")
        deal.say("timeout")
        assert deal.legal_words() == [f"blind {card}" for card in deal.first_five(0)]
        deal.say(f"blind {deal.first_five(0)[4]}")
        assert deal.hidden_card is (deal.first_five(0)[4] if trump == "hidden" else None)

    def test_an_unseen_hidden_card_is_one_of_eldests_later_eight(self) -> None:
        deal = fresh_deal({"trump": "hidden", "uncalled": "blind-stock", "caller_may_pass": True})
        deal.say("pass")
        deal.say("timeout")
        assert deal.legal_words() == [f"blind {card}" for card in deal.dealt[0][5:]]
        deal.say(f"blind {deal.dealt[0][12]}")
        assert deal.hider == 0
        assert deal.caller == 0

    def test_a_blind_card_is_needed_after_the_last_time_out(self) -> None:
        deal = fresh_deal({"uncalled": "blind-stock"})
        deal.say("timeout")
        assert deal.phase == "call"
        assert refused_word(deal, "S") == "bad-call"

    def test_the_partner_hides_one_of_his_own_five(self) -> None:
        deal = fresh_deal({"trump": "hidden", "caller_may_pass": True, "first_lead": "caller"})
        deal.say("pass")
        assert deal.legal_words() == [f"hide {card}" for card in deal.first_five(2)]
        assert refused_word(deal, f"hide {deal.dealt[2][5]}") == "bad-call"
        deal.say(f"hide {deal.first_five(2)[0]}")
        assert deal.hider == deal.caller == deal.turn == 2
        assert len(deal.hands[2]) == 12

    def test_an_unreadable_card_in_the_call_is_named_as_such(self) -> None:
        assert refused_word(fresh_deal({"trump": "hidden"}), "hide 1S") == "bad-card"

    @pytest.mark.parametrize(
        ("condition", "five", "allowed"),
        [
            ("no-card-above-ten", "TS TH TD TC 2S", True),
            ("no-card-above-ten", "TS TH TD TC JS", False),
            ("no-card-above-nine", "9S 9H 9D 9C 2S", True),
            ("no-card-above-nine", "9S 9H 9D 9C TS", False),
        ],
    )
    def test_a_redeal_looks_at_all_five_cards(self, condition: str, five: str, allowed: bool) -> None:
        first = parse_cards(five)
        rest = [card for card in PACK if card not in first]
        hands = [[*first, *rest[:8]], rest[8:21], rest[21:34], rest[34:]]
        deal = Deal(resolve({"redeal": condition, "caller_may_pass": True}), hands)
        assert ("redeal" in deal.legal_words()) is allowed
        passed = deal.copy()
        passed.say("pass")
        assert "redeal" not in passed.legal_words()  # the partner may not ask
        if allowed:
            deal.say("redeal")
            assert deal.phase == "over"
            assert deal.outcome is Outcome.REDEAL
            assert deal.winner is None
            assert deal.points == deal.kots == (0, 0)
            assert code_of(deal, "2S") == "deal-over"

    def test_the_thirteenth_card_is_eldests_last_and_only_his_to_name(self) -> None:
        deal = fresh_deal({"thirteenth": True, "caller_may_pass": True})
        passed = deal.copy()
        passed.say("pass")
        assert refused_word(passed, "thirteenth") == "bad-call"
        deal.say("thirteenth")
        assert deal.trump is deal.dealt[0][12].suit

    def test_first_void_has_no_call(self) -> None:
        deal = fresh_deal({"trump": "first-void", "first_lead": "caller"})
        assert deal.phase == "play"
        assert deal.turn == 0
        assert deal.caller is None
        assert refused_word(deal, "S") == "bad-call"

    def test_no_card_is_played_before_the_call_is_complete(self) -> None:
        deal = fresh_deal(CALLED)
        assert deal.legal_cards() == []
        assert code_of(deal, str(deal.dealt[0][0])) == "bad-call"


class TestChangingTrump:
    def test_a_called_suit_may_be_changed_once_for_another_before_the_first_card(self) -> None:
        deal = fresh_deal({"extras": ["change-trump"]})
        assert refused_word(deal, "change H") == "bad-call"  # nothing is called yet
        deal.say("S")
        assert deal.legal_words() == ["change H", "change D", "change C"]
        begun = deal.copy()
        begun.play(begun.legal_cards()[0])
        assert begun.legal_words() == []
        deal.say("change ♥")
        assert deal.trump is Suit.H
        assert deal.words == ["S", "change H"]
        assert refused_word(deal, "change D") == "bad-call"

    def test_without_the_extra_it_may_not(self) -> None:
        deal = fresh_deal(CALLED)
        deal.say("S")
        assert refused_word(deal, "change H") == "bad-call"

    def test_nobody_changes_a_blind_suit(self) -> None:
        deal = fresh_deal({"extras": ["change-trump"], "uncalled": "blind-stock"})
        deal.say("timeout")
        deal.say(deal.legal_words()[0])
        assert deal.legal_words() == []

    def test_the_partner_who_called_changes_it(self) -> None:
        deal = fresh_deal({"trump": "hidden", "extras": ["change-trump"], "caller_may_pass": True})
        deal.say("pass")
        hidden, other, *_ = deal.first_five(2)
        deal.say(f"hide {hidden}")
        deal.say(f"change {other}")
        assert deal.hidden_card is other
        assert hidden in deal.hands[2]
        assert other not in deal.hands[2]
        assert deal.caller == 2

    def test_a_hidden_card_changes_for_one_of_the_first_five_only(self) -> None:
        deal = fresh_deal({"trump": "hidden", "extras": ["change-trump"]})
        deal.say(f"hide {deal.dealt[0][2]}")
        assert refused_word(deal, f"change {deal.dealt[0][5]}") == "bad-call"
        assert refused_word(deal, f"change {deal.dealt[0][2]}") == "bad-call"
        assert len(deal.legal_words()) == 4

    def test_a_card_shown_on_the_first_lead_is_not_changed_any_more(self) -> None:
        deal = fresh_deal({"trump": "hidden", "extras": ["change-trump"]})
        deal.say(deal.legal_words()[0])
        deal.reveal()
        assert deal.legal_words() == []


class TestClaiming:
    def refused_claim(self, deal: Deal) -> str:
        with pytest.raises(RecordError) as refusal:
            deal.claim(1)
        return refusal.value.code

    def test_there_is_none_where_the_rules_have_none(self) -> None:
        deal = fresh_deal(CALLED)
        deal.say("S")
        assert self.refused_claim(deal) == "bad-claim"

    def test_it_comes_after_the_call_and_before_the_first_card_and_once(self) -> None:
        deal = fresh_deal(CLAIMING)
        assert self.refused_claim(deal) == "bad-claim"
        deal.say("S")
        begun = deal.copy()
        begun.play(begun.legal_cards()[0])
        assert self.refused_claim(begun) == "bad-claim"
        deal.claim(0)
        assert self.refused_claim(deal) == "bad-claim"

    @pytest.mark.parametrize("claimer", [0, 2])
    def test_the_team_takes_the_thirteen(self, claimer: int) -> None:
        arrangement = Arrangement([0, 2] * 6, last=2)
        deal = arrangement.start(CLAIMING, "H")
        deal.claim(claimer)
        arrangement.play(deal)
        assert deal.outcome is Outcome.CLAIM_MADE
        assert deal.points == (82, 0)
        assert deal.kots == (1, 0)

    def test_thirteen_taken_against_a_claim_are_an_ordinary_kot(self) -> None:
        arrangement = Arrangement([1, 3] * 6, last=1)
        deal = arrangement.start(CLAIMING, "H")
        deal.claim(0)
        arrangement.play(deal)
        assert deal.outcome is Outcome.DEFENDER_KOT
        assert deal.claim_failed

    def test_in_a_pile_game_a_lost_trick_that_comes_back_loses_no_claim(self) -> None:
        rules = CLAIMING | {"collection": "pile", "failed_claim": "deal-lost"}
        arrangement = Arrangement([1, 0, 0, 1, *[0] * 8], last=0)
        deal = arrangement.start(rules, "H")
        deal.claim(0)
        arrangement.play(deal)
        assert deal.outcome is Outcome.CLAIM_MADE
        lost = Arrangement([1, 0, 1, 1, *[0] * 8])
        deal = lost.start(rules, "H")
        deal.claim(0)
        lost.play(deal)
        assert len(deal.tricks) == 4
        assert deal.outcome is Outcome.DEFENDER_WIN
        assert deal.points == (0, 2)

    def test_a_claim_of_tens_made_counts_as_a_claim(self) -> None:
        arrangement = Arrangement([0, 2] * 6, last=2)
        deal = arrangement.start(CLAIMING | {"objective": "tens"}, "H")
        deal.claim(0)
        arrangement.play(deal)
        assert deal.outcome is Outcome.CLAIM_MADE


class TestFollowing:
    def test_the_suit_led_must_be_followed(self) -> None:
        deal = play(ending(CALLED, "AS 2H | 3S 4D | 5S 6D | 7S 8D", "H"), "AS")
        assert deal.legal_cards() == [Card.S3]
        refusal = refusal_of(deal, "4D")
        assert refusal.code == "must-follow"
        assert (refusal.seat, refusal.card) == ("E", Card.D4)
        assert refusal.message == "trick 12: E holds 3S and must follow spades, played 4D"

    def test_trumping_is_never_compulsory_for_who_is_void(self) -> None:
        deal = play(ending(CALLED, "AS 2D | 3H 4D | 5S 6D | 7S 8D", "H"), "AS")
        assert deal.legal_cards() == [Card.H3, Card.D4]

    def test_a_card_not_held_is_refused_before_anything_else(self) -> None:
        deal = play(ending(CALLED, "AS 2H | 3S 4D | 5S 6D | 7S 8D", "H"), "AS")
        assert code_of(deal, "8D") == "not-in-hand"
        assert code_of(deal, "AS") == "not-in-hand"  # it lies on the table

    def test_a_refused_card_changes_nothing(self) -> None:
        deal = play(ending(CALLED, "AS 2H | 3S 4D | 5S 6D | 7S 8D", "H"), "AS")
        assert code_of(deal, "4D") == "must-follow"
        assert deal.turn == 1
        assert deal.hands[1] == [Card.S3, Card.D4]
        assert deal.plays == [Card.SA]

    def test_cards_after_the_end_come_too_late(self) -> None:
        deal = Arrangement([1] * 12).start("single-sir", "H")
        Arrangement([1] * 12).play(deal)
        assert len(deal.tricks) == 7
        refusal = refusal_of(deal, "AH")
        assert (refusal.code, refusal.seat, refusal.trick) == ("deal-over", "E", 8)
        assert code_of(deal, "reveal") == "deal-over"


class TestWinningATrick:
    @pytest.mark.parametrize(
        ("cards", "trump", "position"),
        [
            ("5S KS 2S AS", "H", 3),
            ("5S 2H AS 3H", "H", 3),
            ("5S AD AC 6S", "H", 3),
            ("5S AD AC KH", None, 0),
            ("2H AH KH 3S", "H", 1),
        ],
    )
    def test_the_highest_trump_or_else_of_the_suit_led_wins(
        self, cards: str, trump: str | None, position: int
    ) -> None:
        assert winning_position(parse_cards(cards), Suit[trump] if trump else None) == position

    @pytest.mark.parametrize(("trump_from", "position"), [(0, 1), (1, 1), (2, 2), (3, 3), (4, 0)])
    def test_a_trump_counts_from_the_reveal_on(self, trump_from: int, position: int) -> None:
        assert winning_position(parse_cards("5S AH KH QH"), Suit.H, trump_from) == position

    def test_of_the_suit_led_rank_alone_decides_on_either_side_of_a_reveal(self) -> None:
        assert winning_position(parse_cards("5H AH 2S 9H"), Suit.H, 3) == 1
        assert winning_position(parse_cards("5H 6H 2S 9H"), Suit.H, 3) == 3


HANDS = "2C 7H 9S 4H | AC QH 5S KD | 3C AH 6S 2D | 4C 3D 7S 5H"


class TestHiddenTrump:
    def start(self, **options: object) -> Deal:
        """Returns an ending in which eldest has hidden the seven of hearts and seat 1 is to lead."""
        return play(ending(HIDDEN | options, HANDS, "hide 7H"), "2C AC 3C 4C")

    def test_only_the_hider_cannot_play_the_card_that_lies_face_down(self) -> None:
        deal = ending(HIDDEN, HANDS, "hide 7H")
        refusal = refusal_of(deal, "7H")
        assert refusal.code == "hidden-card"
        assert "face down" in refusal.message
        play(deal, "2C")
        assert code_of(deal, "7H") == "not-in-hand"

    def test_the_face_down_card_is_named_before_the_duty_to_follow(self) -> None:
        deal = ending(HIDDEN, "2C 7H 9S | AC 3H 5S | 3C AH 6S | 4C 3D 7S", "hide 7H")
        play(deal, "2C AC 3C 4C 5S 6S 7S")
        assert code_of(deal, "7H") == "hidden-card"

    def test_who_can_follow_may_not_ask(self) -> None:
        deal = play(self.start(), "QH")
        assert not deal.can_reveal
        refusal = refusal_of(deal, "reveal")
        assert (refusal.code, refusal.seat, refusal.trick, refusal.card) == ("bad-reveal", "N", 11, "reveal")

    def test_who_is_void_need_not_ask(self) -> None:
        deal = play(self.start(), "KD 2D 3D 9S")
        assert deal.trump is None
        assert winners(deal)[-1] == 1

    def test_the_asker_must_trump_if_he_can(self) -> None:
        deal = play(self.start(), "KD 2D 3D")
        play(deal, "reveal")
        assert deal.trump is Suit.H
        assert deal.legal_cards() == [Card.H4, Card.H7]  # the hider's own card is among them
        assert code_of(deal, "9S") == "must-trump"
        play(deal, "4H")
        assert winners(deal)[-1] == 0

    def test_the_asker_need_not_trump_where_the_rules_say_so(self) -> None:
        deal = play(self.start(revealer_must_trump=False), "KD 2D 3D reveal")
        assert format_cards(deal.legal_cards()) == "9S 4H 7H"
        play(deal, "9S")
        assert winners(deal)[-1] == 1

    def test_the_duty_is_the_askers_alone_and_for_that_card_alone(self) -> None:
        hands = "2C 7H 9S 4C | AC 8D 5S KD | 3C AH 6S 2S | 5C 3H 7S 5H"
        deal = play(ending(HIDDEN, hands, "hide 7H"), "2C AC 3C 5C KD reveal")
        assert format_cards(deal.legal_cards()) == "AH"
        play(deal, "AH")
        assert format_cards(deal.legal_cards()) == "3H 7S 5H"
        play(deal, "7S 9S")
        assert winners(deal)[-1] == 2
        assert format_cards(deal.legal_cards()) == "6S 2S"

    def test_asking_twice_is_refused(self) -> None:
        deal = play(self.start(), "KD 2D 3D reveal")
        refusal = refusal_of(deal, "reveal")
        assert refusal.code == "bad-reveal"
        assert "has been shown" in refusal.message

    def test_a_returned_card_of_the_suit_led_must_follow_even_without_the_duty_to_trump(self) -> None:
        hands = "2C 8D 2S | AC KD 5S | 3C AD 6S | 4C 2D 7S"
        deal = ending(HIDDEN | {"revealer_must_trump": False}, hands, "hide 8D")
        play(deal, "2C AC 3C 4C KD AD 2D reveal")
        assert deal.legal_cards() == [Card.D8]
        assert code_of(deal, "2S") == "must-follow"

    def test_the_hider_may_show_it_on_a_lead_and_then_leads_a_trump(self) -> None:
        deal = ending(HIDDEN, HANDS, "hide 7H")
        assert deal.can_reveal
        play(deal, "reveal")
        assert format_cards(deal.legal_cards()) == "4H 7H"
        assert code_of(deal, "2C") == "must-trump"
        play(deal, "4H")
        assert deal.plays == ["reveal", Card.H4]

    def test_a_shown_lead_is_a_trump_lead_also_where_askers_need_not_trump(self) -> None:
        deal = play(ending(HIDDEN | {"revealer_must_trump": False}, HANDS, "hide 7H"), "reveal")
        assert format_cards(deal.legal_cards()) == "4H 7H"

    def test_nobody_else_may_show_it_on_a_lead(self) -> None:
        deal = self.start()
        assert not deal.can_reveal
        assert code_of(deal, "reveal") == "bad-reveal"

    def test_the_hider_may_not_where_the_rules_say_so_but_may_still_ask_when_void(self) -> None:
        deal = ending(HIDDEN | {"reveal_on_lead": False}, HANDS, "hide 7H")
        assert code_of(deal, "reveal") == "bad-reveal"
        play(deal, "2C AC 3C 4C KD 2D 3D")
        assert deal.can_reveal

    def test_after_a_pass_the_partner_who_hid_it_shows_it_and_eldest_may_not(self) -> None:
        hands = "AC 7H 9S | 2C QH 5S | 3C AH 6S | 4C 2D 7S"
        deal = ending(HIDDEN | {"caller_may_pass": True}, hands, "pass", "hide AH")
        assert deal.turn == 0
        assert not deal.can_reveal
        play(deal, "7H QH 3C")  # void but for the face-down ace
        assert code_of(deal, "AH") == "not-in-hand"

    def test_the_first_chooser_may_show_an_unseen_card_on_his_lead(self) -> None:
        rules = HIDDEN | {"uncalled": "blind-stock"}
        deal = fresh_deal(rules)
        deal.say("timeout")
        deal.say(deal.legal_words()[0])
        assert deal.turn == deal.hider
        assert deal.can_reveal

    def test_there_is_nothing_to_reveal_in_other_games(self) -> None:
        for rules in (CALLED, {"trump": "first-void"}):
            deal = fresh_deal(rules)
            if deal.phase == "call":
                deal.say("S")
            assert not deal.can_reveal
            assert code_of(deal, "reveal") == "bad-reveal"

    def test_a_last_card_led_is_turned_up_and_is_a_trump_lead(self) -> None:
        deal = ending(HIDDEN, "AC 2H | 2C 3S | 3C AS | 4C KH", "hide 2H")
        play(deal, "AC 2C 3C 4C")
        assert deal.trump is Suit.H
        assert deal.legal_cards() == [Card.H2]
        play(deal, "2H 3S AS KH")
        assert winners(deal) == [0, 3]

    @pytest.mark.parametrize(("scope", "winner"), [("from-reveal", 0), ("whole-trick", 3)])
    def test_a_last_card_turned_up_late_makes_no_trumps_of_earlier_cards(
        self, scope: str, winner: int
    ) -> None:
        deal = ending(HIDDEN | {"reveal_scope": scope}, "2C 2H | AC 3S | 3C AS | 4C KH", "hide 2H")
        play(deal, "2C AC 3C 4C 3S AS KH")
        assert deal.trump is Suit.H
        play(deal, "2H")
        assert winners(deal)[-1] == winner

    def test_another_players_last_card_does_not_turn_it_up_before_the_hiders_turn(self) -> None:
        deal = ending(HIDDEN, "2C 2H | AC 3S | 3C AS | 4C KH", "hide 2H")
        play(deal, "2C AC 3C 4C 3S AS")
        assert deal.trump is None
        assert deal.can_reveal
        play(deal, "reveal")
        assert deal.legal_cards() == [Card.HK]


class TestTurnUpAtTheFirstVoid:
    def start(self, hands: str, hidden: str, **options: object) -> Deal:
        return ending(HIDDEN | {"reveal": "at-first-void"} | options, hands, f"hide {hidden}")

    def test_it_happens_before_the_first_void_plays_and_is_not_asked_for(self) -> None:
        deal = play(self.start(HANDS, "7H"), "2C AC 3C 4C KD 2D")
        assert deal.trump is None
        assert code_of(deal, "reveal") == "bad-reveal"
        play(deal, "3D")
        assert deal.trump is Suit.H
        assert Card.H7 in deal.hands[0]
        assert code_of(deal, "reveal") == "bad-reveal"
        assert format_cards(deal.legal_cards()) == "4H 7H"

    def test_the_first_void_need_not_trump_where_the_rules_say_so(self) -> None:
        deal = play(self.start(HANDS, "7H", revealer_must_trump=False), "2C AC 3C 4C KD 2D 3D")
        assert format_cards(deal.legal_cards()) == "9S 4H 7H"

    def test_a_hider_without_the_suit_but_for_the_hidden_card_is_void_and_then_must_follow(self) -> None:
        deal = self.start("2C 8D 2S | AC KD 5S | 3C AD 6S | 4C 2D 7S", "8D")
        play(deal, "2C AC 3C 4C KD AD 2D")
        assert deal.trump is Suit.D
        assert deal.legal_cards() == [Card.D8]

    def test_once_shown_on_a_lead_no_later_void_is_obliged(self) -> None:
        deal = self.start("2C 7H 9S | AC 3H 5S | 3C AH 6S | 4C 3D 7S", "7H")
        play(deal, "reveal 7H 3H AH")
        assert format_cards(deal.legal_cards()) == "4C 3D 7S"

    @pytest.mark.parametrize("scope", ["from-reveal", "whole-trick"])
    def test_either_scope_is_the_same_as_no_card_before_the_first_void_can_be_a_trump(
        self, scope: str
    ) -> None:
        deal = self.start("2C 7H | AC 3S | 3C AH | 4H 3D", "7H", reveal_scope=scope)
        play(deal, "2C AC 3C")
        assert deal.legal_cards() == [Card.H4]
        play(deal, "4H")
        assert winners(deal) == [3]


class TestFirstVoid:
    def test_nobody_is_obliged_to_trump(self) -> None:
        deal = play(ending(FIRST_VOID, "KD 2S 3S | 3D 3C 4C | 2C 4S 5H | TC 5S AH"), "KD 3D 2C")
        assert format_cards(deal.legal_cards()) == "TC 5S AH"

    def test_the_suit_stays_for_the_rest_of_the_deal(self) -> None:
        deal = play(ending(FIRST_VOID, "KD 2S | 3D 3S | 2C 4S | TC AH"), "KD 3D 2C TC")
        play(deal, "AH 2S 3S 4S")
        assert deal.trump is Suit.C

    def test_without_a_void_there_is_no_trump(self) -> None:
        arrangement = Arrangement([0, 2] * 6)
        deal = arrangement.play(arrangement.start("be-ranga"))
        assert deal.trump is None
        assert deal.outcome is Outcome.CALLER_KOT


class TestPile:
    def taken(self, tricks: str, upto: int, **options: object) -> list[int]:
        arrangement = Arrangement([int(seat) for seat in tricks])
        return arrangement.play(arrangement.start(PILE | options, "H"), tricks=upto).taken

    def test_a_partners_win_breaks_the_run(self) -> None:
        assert self.taken("020202020202", 12) == [0, 0]

    def test_after_a_pick_up_the_run_of_all_starts_again(self) -> None:
        assert self.taken("001133000000", 2) == [2, 0]
        assert self.taken("000133000000", 3) == [2, 0]
        assert self.taken("001133000000", 4) == [2, 2]

    def test_a_numbered_block_refuses_the_trick_that_would_complete_the_pair(self) -> None:
        assert self.taken("000131313131", 2, pile_blocks=[2]) == [0, 0]
        assert self.taken("000131313131", 3, pile_blocks=[2]) == [3, 0]
        assert self.taken("000001313131", 4, pile_blocks=[2, 3, 4]) == [0, 0]
        assert self.taken("000001313131", 5, pile_blocks=[2, 3, 4]) == [5, 0]

    def test_a_refused_run_may_have_to_start_again(self) -> None:
        options = {"pile_blocks": [2], "blocked_run": "restarts"}
        assert self.taken("000013131313", 3, **options) == [0, 0]
        assert self.taken("000013131313", 4, **options) == [4, 0]

    def test_a_block_that_refuses_nothing_restarts_nothing(self) -> None:
        options = {"pile_blocks": [2], "blocked_run": "restarts"}
        assert self.taken("100131313131", 3, **options) == [3, 0]

    def test_trump_ace_refuses_no_other_ace_and_ace_on_ace_no_single_one(self) -> None:
        king_then_ace = "AS KS QS KH KC AD AH QH AC KD QD QC"  # tricks five and six, hearts trump
        arrangement = Arrangement([0, 2, 0, 2, 1, 1, 1, 0, 0, 0, 0, 0], tops=king_then_ace)
        for block in ("trump-ace", "ace-on-ace"):
            deal = arrangement.start(PILE | {"pile_blocks": [block]}, "H")
            assert arrangement.play(deal, tricks=6).taken == [0, 6]

    def test_tens_count_when_they_are_picked_up(self) -> None:
        rules = {"collection": "pile", "kot": "none", "objective": "tens", "deal_ends": "after-thirteen"}
        arrangement = Arrangement([1, 3, 0, 0, 1, 3, 1, 3, 1, 3, 1, 3], last=1)
        deal = arrangement.play(arrangement.start(rules, "H"), tricks=3)
        assert deal.tens == [0, 0]
        arrangement.play(deal, tricks=4)
        assert deal.tens == [2, 0]  # those of tricks 1 and 4, with the pile
        arrangement.play(deal)
        assert deal.taken == [4, 9]
        assert deal.tens == [2, 2]
        assert deal.outcome is Outcome.TWO_TENS
        assert deal.winner == 1

    def test_a_trump_ace_is_one_of_the_suit_that_is_trump_by_then(self) -> None:
        rules = PILE | {"trump": "hidden", "pile_blocks": ["trump-ace"]}
        hands = "AC 7H KC 3D | 2C 3S QC 5D | 3C AS 6C 6D | 4C KD 7C 9D"
        deal = play(ending(rules, hands, "hide 7H"), "AC 2C 3C 4C KC QC 6C 7C")
        assert deal.taken == [2, 0]


class TestTheEnd:
    def result(self, tricks: str, rules: RulesSpec, last: int = 0) -> Deal:
        arrangement = Arrangement([int(seat) for seat in tricks], last=last)
        return arrangement.play(arrangement.start(rules, "H"))

    def test_seven_end_the_deal(self) -> None:
        deal = self.result("010101010101", {"deal_ends": "at-seven"}, last=1)
        assert deal.taken == [6, 7]
        deal = self.result("000100011111", {"deal_ends": "at-seven"}, last=1)
        assert deal.taken == [6, 7]
        assert self.result("100000001111", {"deal_ends": "at-seven"}).taken == [7, 1]

    def test_a_shut_out_side_keeps_the_deal_going_until_its_first_trick(self) -> None:
        rules = {"deal_ends": "at-seven-unless-shutout", "kot": "none"}
        assert self.result("000000000100", rules).taken == [9, 1]
        assert self.result("000000000000", rules).taken == [13, 0]
        assert self.result("010000001111", rules).taken == [7, 1]

    @pytest.mark.parametrize(
        ("ends", "taken"),
        [("at-seven", [7, 0]), ("at-seven-unless-shutout", [7, 1]), ("after-thirteen", [7, 6])],
    )
    def test_the_first_seven_are_a_kot_though_play_goes_on(self, ends: str, taken: list[int]) -> None:
        deal = self.result("000000011111", {"deal_ends": ends, "kot": "first-seven"}, last=1)
        assert deal.taken == taken
        assert deal.outcome is Outcome.CALLER_KOT

    def test_seven_later_tricks_are_no_kot(self) -> None:
        deal = self.result("100000000000", {"deal_ends": "after-thirteen"})
        assert deal.taken == [12, 1]
        assert deal.outcome is Outcome.CALLER_WIN

    def test_without_kots_even_thirteen_are_a_plain_win(self) -> None:
        deal = self.result("111111111111", {"deal_ends": "after-thirteen", "kot": "none"}, last=3)
        assert deal.taken == [0, 13]
        assert deal.outcome is Outcome.DEFENDER_WIN

    def test_whose_tens_they_are_counts_before_tricks(self) -> None:
        rules = {"objective": "tens", "deal_ends": "after-thirteen"}
        deal = self.result("100100100000", rules)
        assert deal.tens == [1, 3]
        assert deal.outcome is Outcome.THREE_TENS
        assert deal.points == (0, 1)
        deal = self.result("000000000001", rules)
        assert deal.outcome is Outcome.FOUR_TENS
        assert deal.points == (2, 0)
        assert deal.kots == (1, 0)
        deal = self.result("111111111111", rules, last=1)
        assert deal.outcome is Outcome.WHITEWASH
        assert deal.points == (0, 3)

    def test_an_ending_is_played_to_its_last_card_and_has_no_outcome(self) -> None:
        deal = ending("single-sir", "AS | KS | QS | JS", "H")
        assert deal.trick_number == 13
        play(deal, "AS KS QS JS")
        assert deal.phase == "over"
        assert deal.outcome is None
        assert deal.taken == [1, 0]
        assert deal.points == (0, 0)

    def test_the_last_trick_of_an_ending_is_the_thirteenth(self) -> None:
        deal = ending(PILE | {"pile_blocks": [11, 12]}, "AS KS QS | 2S 3S 4S | 5S 6S 7S | 8S 9S TS", "H")
        play(deal, "AS 2S 5S 8S KS 3S 6S 9S")
        assert deal.taken == [0, 0]
        assert deal.pile == 2
        play(deal, "QS 4S 7S TS")
        assert deal.taken == [3, 0]
        assert deal.tens == [1, 0]


def test_a_copy_goes_its_own_way() -> None:
    deal = fresh_deal("hidden-trump")
    deal.say(deal.legal_words()[0])
    before = repr(deal), deal.hands, list(deal.plays), list(deal.taken)
    twin = finish(deal.copy())
    assert twin.outcome is not None
    assert (repr(deal), deal.hands, list(deal.plays), list(deal.taken)) == before
    assert deal.trick == []
    assert deal.tricks == []
