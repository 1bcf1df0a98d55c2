"""The worked examples of the rule book, each under its number there."""

from __future__ import annotations

import pytest

from courtpiece.cards import Card, Suit, format_cards, parse_cards
from courtpiece.deal import Deal
from courtpiece.errors import RecordError
from courtpiece.match import Match, first_caller, next_dealer
from courtpiece.rules import Outcome, RulesSpec, resolve
from tests.arranged import Arrangement, ending, play, winners

DEALER = 3  # unless stated: eldest and caller are seat 0, A = seats 0 and 2 = the caller's side


def dealer_after(deal: Deal) -> int:
    assert deal.outcome is not None
    return next_dealer(deal.rules, DEALER, deal.outcome, deal.winner)


def caller_after(deal: Deal) -> int:
    return (dealer_after(deal) + 1) % 4


def called_deal(rules: RulesSpec, tricks: str, *, last: int = 0, words: tuple[str, ...] = ("H",)) -> Deal:
    """Returns a deal with hearts as trump whose first twelve tricks go to the seats of `tricks`."""
    arrangement = Arrangement([int(seat) for seat in tricks], last=last)
    return arrangement.play(arrangement.start(rules, *words))


def test_01_a_low_trump_cuts_the_led_ace_and_its_player_leads_next() -> None:
    deal = ending("classic", "5C 4S | AC AS | 2C 3H | 3C 7S", "H")
    play(deal, "5C AC 2C 3C")
    play(deal, "AS 3H 7S 4S")
    assert winners(deal) == [1, 2]
    assert deal.turn == 2


def test_02_seven_tricks_after_a_lost_one_are_a_plain_win() -> None:
    deal = called_deal("single-sir", "102020202020")
    assert deal.outcome is Outcome.CALLER_WIN
    assert deal.taken == [7, 1]
    assert deal.points == (1, 0)
    assert dealer_after(deal) == 3
    assert caller_after(deal) == 0


def test_03_the_defenders_first_seven_are_a_goon_kot() -> None:
    deal = called_deal("single-sir", "131313131313")
    assert deal.outcome is Outcome.DEFENDER_KOT
    assert deal.taken == [0, 7]
    assert deal.points == (0, 4)
    assert deal.kots == (0, 3)
    assert dealer_after(deal) == 0
    assert caller_after(deal) == 1
    match = Match(resolve("single-sir-kots"), DEALER)
    match.add(Outcome.DEFENDER_KOT, 1)
    assert match.winner == 1  # three kots alone win a match to three


@pytest.mark.parametrize(
    ("rules", "points", "caller"), [("single-sir", 3, 2), ("classic", 2, 0), ("hakim", 2, 0)]
)
def test_04_the_callers_first_seven_are_a_kot(rules: str, points: int, caller: int) -> None:
    deal = called_deal(rules, "020202020202")
    assert deal.outcome is Outcome.CALLER_KOT
    assert len(deal.tricks) == 7
    assert deal.points == (points, 0)
    assert caller_after(deal) == caller


def test_04_where_a_kot_takes_thirteen_seven_to_none_is_none_yet() -> None:
    arrangement = Arrangement([0, 2, 0, 2, 0, 2, 0, 1, 0, 0, 0, 0])
    deal = arrangement.play(arrangement.start("bavan", "H"), tricks=7)
    assert deal.phase == "play"
    arrangement.play(deal)
    assert deal.outcome is Outcome.CALLER_WIN
    assert deal.taken == [7, 1]
    assert deal.points == (7, 0)
    assert caller_after(deal) == 0


def test_05_hakim_koti_gives_three_points_and_the_deal_to_the_old_hakim() -> None:
    deal = called_deal("hakim", "131313131313")
    assert deal.outcome is Outcome.DEFENDER_KOT
    assert deal.points == (0, 3)
    assert dealer_after(deal) == 0
    assert caller_after(deal) == 1


def six_in_a_row_for_the_callers() -> Match:
    match = Match(resolve("single-sir", target=30), DEALER)
    for _ in range(6):
        assert match.add(Outcome.CALLER_WIN, 0) == 0
    assert match.streaks == [6, 0]
    assert match.score == [6, 0]
    return match


def test_06_the_seventh_plain_win_in_a_row_earns_the_bonus() -> None:
    match = six_in_a_row_for_the_callers()
    assert match.add(Outcome.CALLER_WIN, 0) == 2
    assert match.score == [6 + 1 + 2, 0]
    assert match.streaks == [0, 0]


def test_06_a_kot_as_the_seventh_win_earns_no_bonus() -> None:
    match = six_in_a_row_for_the_callers()
    assert match.add(Outcome.CALLER_KOT, 0) == 0
    assert match.score == [6 + 3, 0]
    assert match.streaks == [0, 0]


def test_06_a_goon_kot_against_a_streak_zeroes_both_counts() -> None:
    match = six_in_a_row_for_the_callers()
    assert match.add(Outcome.DEFENDER_KOT, 1) == 0
    assert match.score == [6, 4]
    assert match.streaks == [0, 0]


@pytest.mark.parametrize(("first_lead", "leader"), [("eldest", 0), ("caller", 2)])
def test_07_after_a_pass_the_partner_calls_and_eldest_chooses_again_next_time(
    first_lead: str, leader: int
) -> None:
    arrangement = Arrangement([1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
    deal = arrangement.start({"preset": "single-sir", "first_lead": first_lead}, "pass", "D")
    assert deal.caller == 2
    assert deal.trump is Suit.D
    assert deal.turn == leader
    arrangement.play(deal)
    assert deal.outcome is Outcome.CALLER_WIN
    assert dealer_after(deal) == 3
    assert caller_after(deal) == 0


def test_08_after_two_time_outs_a_blind_card_decides_and_the_sides_stay() -> None:
    deal = called_deal("single-sir", "010101011111", words=("timeout", "timeout", "blind 6C"))
    assert deal.trump is Suit.C
    assert deal.taken == [4, 7]
    assert deal.outcome is Outcome.DEFENDER_WIN
    assert deal.points == (0, 2)


def test_09_only_a_top_rank_in_both_teams_is_a_tie_of_the_toss() -> None:
    rules = resolve("bavan")
    assert first_caller(rules, parse_cards("KS 9D KC 4H")).caller == 0
    toss_again = first_caller(rules, parse_cards("KS KD 3C 4H 5S 6S 7S 8S"))
    assert toss_again.caller == 3
    assert len(toss_again.drawn) == 8


def bavan_deal(first_five: str) -> Deal:
    """Returns a deal in which eldest holds these five and the five of diamonds last."""
    five = list(parse_cards(first_five))
    last = Card.parse("5D")
    others = [card for card in Card if card not in five and card is not last]
    return Deal(resolve("bavan"), [[*five, *others[:7], last], others[7:20], others[20:33], others[33:]])


def test_10_eldest_may_ask_for_a_redeal_only_with_nothing_above_a_ten() -> None:
    deal = bavan_deal("TS 4S 9H 7D 2C")
    deal.say("redeal")
    assert deal.outcome is Outcome.REDEAL
    assert dealer_after(deal) == 3
    with pytest.raises(RecordError, match="redeal") as refusal:
        bavan_deal("JS 4S 9H 7D 2C").say("redeal")
    assert refusal.value.code == "bad-call"


def test_10_the_thirteenth_card_may_decide() -> None:
    deal = bavan_deal("JS 4S 9H 7D 2C")
    deal.say("thirteenth")
    assert deal.trump is Suit.D
    assert deal.caller == 0


@pytest.mark.parametrize(
    ("tricks", "last", "taken", "points", "caller"),
    [
        ("020202020202", 1, [12, 1], (7, 0), 0),
        ("020202020202", 0, [13, 0], (13, 0), 2),
        ("131313131313", 1, [0, 13], (0, 52), 1),
        ("010101010101", 1, [6, 7], (0, 7), 1),
    ],
)
def test_11_the_names_are_the_numbers(
    tricks: str, last: int, taken: list[int], points: tuple[int, int], caller: int
) -> None:
    deal = called_deal("bavan", tricks, last=last)
    assert deal.taken == taken
    assert deal.points == points
    assert caller_after(deal) == caller


def test_12_a_claim_that_comes_true_counts_instead_of_the_kot() -> None:
    arrangement = Arrangement([1, 3] * 6, last=3)
    deal = arrangement.start("bavan", "H")
    deal.claim(3)
    arrangement.play(deal)
    assert deal.outcome is Outcome.CLAIM_MADE
    assert deal.winner == 1
    assert deal.points == (0, 82)
    assert not deal.claim_failed


def test_12_a_failed_claim_scores_normally() -> None:
    arrangement = Arrangement([0, *[1, 3] * 5, 1], last=3)
    deal = arrangement.start("bavan", "H")
    deal.claim(3)
    arrangement.play(deal)
    assert deal.outcome is Outcome.DEFENDER_WIN
    assert deal.claim_failed
    assert deal.taken == [1, 7]
    assert deal.points == (0, 7)


def test_12_a_failed_claim_may_lose_the_deal_at_once() -> None:
    arrangement = Arrangement([1, 3, 0, *[1] * 9])
    deal = arrangement.start({"preset": "bavan", "failed_claim": "deal-lost"}, "H")
    deal.claim(3)
    arrangement.play(deal)
    assert len(deal.tricks) == 3
    assert deal.outcome is Outcome.CALLER_WIN
    assert deal.points == (7, 0)
    assert deal.claim_failed


def pile_deal(tricks: str, *, upto: int, tops: str | None = None, last: int = 0, **options: object) -> Deal:
    """Returns a double-sir deal after trick `upto`; hearts are trump."""
    full = [int(seat) for seat in tricks]
    arrangement = Arrangement(full, last=last) if tops is None else Arrangement(full, last=last, tops=tops)
    return arrangement.play(arrangement.start({"preset": "double-sir", **options}, "H"), tricks=upto)


def test_13_a_third_win_in_a_row_picks_nothing_up_but_the_fourth_does() -> None:
    collected = [pile_deal("000013131313", upto=upto).taken for upto in (1, 2, 3, 4)]
    assert collected == [[0, 0], [2, 0], [2, 0], [4, 0]]


def test_13_a_run_is_one_players_and_the_pile_is_the_whole_pile() -> None:
    assert pile_deal("022131313131", upto=2).taken == [0, 0]
    assert pile_deal("022131313131", upto=3).taken == [3, 0]


# Tricks one to four lie in the pile; the ace of hearts, of clubs and of diamonds are still to come.
def test_14_ace_on_ace_refuses_the_pile_and_the_next_win_takes_it() -> None:
    tops = "AS KS QS KH AC AD KD AH KC QH QD QC"
    deal = pile_deal("020211100000", upto=6, tops=tops, pile_blocks=["ace-on-ace"])
    assert deal.taken == [0, 0]
    assert deal.pile == 6
    assert pile_deal("020211100000", upto=7, tops=tops, pile_blocks=["ace-on-ace"]).taken == [0, 7]
    assert pile_deal("020211100000", upto=6, tops=tops).taken == [0, 6]


def test_14_trump_ace_refuses_the_pile_only_as_the_second_win() -> None:
    second = "AS KS QS KH KC AH QH AD QC AC KD QD"
    assert pile_deal("020211000000", upto=6, tops=second, pile_blocks=["trump-ace"]).taken == [0, 0]
    first = "AS KS QS KH AH KC QH AD QC AC KD QD"
    assert pile_deal("020211000000", upto=6, tops=first, pile_blocks=["trump-ace"]).taken == [0, 6]


@pytest.mark.parametrize(
    ("blocks", "at_eleven", "at_twelve"),
    [([], [11, 0], [11, 0]), ([11, 12], [0, 0], [0, 0]), ([12], [11, 0], [11, 0])],
)
def test_15_the_pile_may_be_refused_at_tricks_eleven_and_twelve(
    blocks: list[int], at_eleven: list[int], at_twelve: list[int]
) -> None:
    ten_and_eleven = "131313131221"
    assert pile_deal(ten_and_eleven, upto=11, pile_blocks=blocks).taken == at_eleven
    assert pile_deal(ten_and_eleven, upto=12, pile_blocks=blocks).taken == at_twelve


def test_15_both_blocks_refuse_a_pair_of_tricks_eleven_and_twelve_but_thirteen_takes_all() -> None:
    eleven_and_twelve = "131313131322"
    for blocks in ([12], [11, 12]):
        assert pile_deal(eleven_and_twelve, upto=12, pile_blocks=blocks).taken == [0, 0]
        assert pile_deal(eleven_and_twelve, upto=13, last=1, pile_blocks=blocks).taken == [0, 13]
    assert pile_deal(eleven_and_twelve, upto=12).taken == [12, 0]


def test_16_against_a_side_with_nothing_eight_do_not_end_the_deal() -> None:
    deal = pile_deal("000000001100", upto=9)
    assert deal.taken == [8, 0]
    assert deal.phase == "play"
    deal = pile_deal("000000001100", upto=10)
    assert deal.phase == "over"
    assert deal.taken == [8, 2]
    assert deal.outcome is Outcome.CALLER_WIN
    assert deal.points == (1, 0)


def test_17_all_thirteen_picked_up_are_a_kot_though_a_trick_was_lost() -> None:
    deal = pile_deal("000000000021", upto=13, last=2)
    assert winners(deal)[-3:] == [2, 1, 2]
    assert deal.taken == [13, 0]
    assert deal.outcome is Outcome.CALLER_KOT
    assert deal.points == (3, 0)
    assert dealer_after(deal) == 1
    assert caller_after(deal) == 2


def test_17_the_last_trick_alone_spoils_the_kot() -> None:
    deal = pile_deal("000000000022", upto=13, last=1)
    assert deal.taken == [12, 1]
    assert deal.outcome is Outcome.CALLER_WIN


@pytest.mark.parametrize(("scope", "winner"), [("from-reveal", 3), ("whole-trick", 2)])
def test_18_a_card_thrown_before_the_reveal_is_no_trump(scope: str, winner: int) -> None:
    rules = {"preset": "hidden-trump", "reveal_scope": scope}
    deal = ending(rules, "2D AC 7H | AD 9C 5S | 3D KH 4S | 4D 3H AS", "hide 7H")
    play(deal, "2D AD 3D 4D 9C KH")
    deal.reveal()
    assert deal.trump is Suit.H
    assert deal.legal_cards() == [Card.parse("3H")]
    play(deal, "3H AC")
    assert winners(deal)[-1] == winner


def test_19_where_the_suit_led_is_trump_rank_alone_decides() -> None:
    deal = ending("hidden-trump", "2C 7H 9S | AC QH 5S | 3C AH 6S | 4C 2D 7S", "hide 7H")
    play(deal, "2C AC 3C 4C QH AH")
    deal.reveal()
    assert format_cards(deal.legal_cards()) == "2D 7S"
    play(deal, "2D")
    assert deal.legal_cards() == [Card.parse("7H")]
    play(deal, "7H")
    assert winners(deal)[-1] == 2


def test_20_who_holds_the_suit_led_only_face_down_may_discard_or_ask() -> None:
    deal = ending("hidden-trump", "2C 8D 2S | AC KD 5S | 3C AD 6S | 4C 2D 7S", "hide 8D")
    play(deal, "2C AC 3C 4C KD AD 2D")
    assert deal.turn == 0
    assert deal.can_reveal
    assert deal.legal_cards() == [Card.parse("2S")]
    asking = deal.copy()
    asking.reveal()
    assert asking.trump is Suit.D
    assert asking.legal_cards() == [Card.parse("8D")]
    play(deal, "2S")
    assert deal.trump is None


@pytest.mark.parametrize(("scope", "taken"), [("from-reveal", [7, 6]), ("whole-trick", [6, 7])])
def test_21_the_last_card_is_turned_up_at_its_owners_own_turn(scope: str, taken: list[int]) -> None:
    arrangement = Arrangement(
        [0, 2, 0, 2, 0, 2, 3, 3, 1, 1],
        tops="AS KS QS AD KD QD AH KH AC KC",
        rest={0: "4H 2H 3H", 1: "2S 2D 5C", 2: "2C 3C 4C", 3: "9H 5H 6C"},
        rest_first=True,
    )
    deal = arrangement.start({"preset": "hidden-trump", "reveal_scope": scope}, "hide 4H")
    arrangement.play(deal, tricks=10)
    play(deal, "2S 3C 6C 2H 2D 4C 5H 3H")
    assert deal.taken == [6, 6]
    play(deal, "5C 2C 9H")
    assert deal.turn == 0
    assert deal.trump is Suit.H
    assert not deal.can_reveal
    play(deal, "4H")
    # Under whole-trick the nine, thrown unasked before the turn-up, is a trump too and beats the four.
    assert deal.taken == taken


def uncalled_deal(**options: object) -> Deal:
    """Returns a deal in which nobody called and the deuce of hearts lies face down for eldest."""
    arrangement = Arrangement([0, 1, 0, 1, 0, 1, 0, 2, 0, 2, 0, 2], last=0)
    return arrangement.start({"preset": "hidden-trump", **options}, "timeout", "timeout", "blind 2H")


def test_22_when_nobody_called_an_unseen_card_lies_face_down_for_eldest() -> None:
    deal = uncalled_deal()
    assert deal.caller == 0
    assert deal.hider == 0
    assert deal.legal_words() == []
    with pytest.raises(RecordError) as refusal:
        deal.play(Card.parse("2H"))
    assert refusal.value.code == "hidden-card"


def test_22_eldest_may_change_the_unseen_card_for_one_of_his_first_five() -> None:
    deal = uncalled_deal(extras=["change-trump"])
    first_five = deal.first_five(0)
    assert deal.legal_words() == [f"change {card}" for card in first_five]
    deal.say(f"change {first_five[3]}")
    assert deal.hidden_card is first_five[3]
    assert Card.parse("2H") in deal.hands[0]
    assert deal.legal_words() == []


def test_22_a_shown_card_goes_to_eldests_hand() -> None:
    deal = ending(
        "hidden-trump",
        "2S 3S 4S 5S 6S 7H | AS AD KS QS JS TS | 2C 3C 4C 5C 6C 7C | 8C 9C TC JC QC KC",
        "timeout",
        "timeout",
        "blind 7H",
    )
    play(deal, "2S AS reveal")
    assert deal.trump is Suit.H
    assert deal.hidden_card is None
    assert Card.parse("7H") in deal.hands[0]


def test_22_a_deal_won_without_a_reveal_had_no_trump() -> None:
    arrangement = Arrangement([0, 1, 0, 1, 0, 1, 0, 2, 0, 2, 0, 2], last=0)
    deal = arrangement.play(uncalled_deal())
    assert deal.taken == [7, 3]
    assert deal.trump is None
    assert deal.hidden_card is Card.parse("2H")  # to be turned up now


def test_23_the_first_void_makes_trump_and_may_be_overtrumped_in_that_trick() -> None:
    deal = ending("be-ranga", "KD 2S | 3D 3S | 2C 4S | TC 5S")
    play(deal, "KD 3D 2C")
    assert deal.trump is Suit.C
    play(deal, "TC")
    assert winners(deal) == [3]


def test_23_the_leaders_side_counts_as_the_callers_whoever_made_trump() -> None:
    arrangement = Arrangement([1, 3] * 6)
    deal = arrangement.play(arrangement.start("be-ranga"))
    assert deal.outcome is Outcome.DEFENDER_KOT
    assert deal.points == (0, 4)
    assert deal.caller is None


# By the usual tops the tens fall in tricks 1, 4, 7 and 10.
def test_24_two_tens_each_are_decided_by_seven_tricks() -> None:
    arrangement = Arrangement([0, 2, 0, 1, 3, 1, 0, 2, 0, 1, 3, 1])
    deal = arrangement.play(arrangement.start("mendikot"))
    assert winners(deal)[-1] == 2  # every card of the last trick is of another suit: the first void wins it
    assert deal.tens == [2, 2]
    assert deal.taken == [7, 6]
    assert deal.outcome is Outcome.TWO_TENS
    assert deal.winner == 0
    assert deal.points == (1, 0)


def test_24_four_tens_win_with_five_tricks() -> None:
    arrangement = Arrangement([1, 0, 0, 3, 0, 0, 1, 0, 0, 3, 0, 0])
    deal = arrangement.play(arrangement.start("mendikot"))
    assert deal.taken == [8, 5]
    assert deal.outcome is Outcome.FOUR_TENS
    assert deal.points == (0, 2)
    assert dealer_after(deal) == 0


def test_24_all_thirteen_tricks_count_three_and_not_five() -> None:
    arrangement = Arrangement(
        [0, 2, 0, 2, 0, 2, 0, 2, 0, 2, 0],
        tops="AS KS QS AH KH AD KD QD AC KC QC",
        rest={0: "2S 2D", 1: "2H 2C", 2: "5H 6H", 3: "3H 4H"},
    )
    deal = arrangement.play(arrangement.start("mendikot"), tricks=11)
    play(deal, "2S 2H 5H 3H 6H 4H 2D 2C")
    assert deal.taken == [13, 0]
    assert deal.outcome is Outcome.WHITEWASH
    assert deal.points == (3, 0)
    assert dealer_after(deal) == 1


def test_24_three_tens_win_with_four_tricks() -> None:
    arrangement = Arrangement([0, 1, 3, 2, 1, 3, 0, 1, 3, 1, 3, 3])
    deal = arrangement.play(arrangement.start("mendikot"))
    assert deal.taken == [4, 9]
    assert deal.outcome is Outcome.THREE_TENS
    assert deal.points == (1, 0)
    assert dealer_after(deal) == 3


def band(rules: str) -> Deal:
    """Returns an ending in which eldest hid the six of spades and seat 1 has led the nine of hearts."""
    hands = "2C 6S 3H 7S | AC 9H 4D 5D | 3C 2S KD 6D | 4C TS 7D 8D"
    return play(ending(rules, hands, "hide 6S"), "2C AC 3C 4C 9H")


def test_25_the_first_void_has_the_card_turned_up_and_must_trump() -> None:
    deal = band("mendikot-band")
    assert deal.trump is Suit.S
    assert deal.legal_cards() == [Card.parse("2S")]
    with pytest.raises(RecordError) as refusal:
        deal.play(Card.parse("KD"))
    assert refusal.value.code == "must-trump"
    play(deal, "2S")
    assert format_cards(deal.legal_cards()) == "TS 7D 8D"  # only the first void is obliged


def test_25_in_hidden_trump_the_first_void_may_stay_silent() -> None:
    deal = band("hidden-trump")
    assert deal.trump is None
    assert deal.can_reveal
    assert format_cards(deal.legal_cards()) == "2S KD 6D"
