"""Matches: the first caller, the rotation of the deal, streaks, counting and the target."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import comb

import numpy as np
import pytest

from courtpiece.cards import PACK, Card, format_cards, parse_cards
from courtpiece.deal import ACE, CALLERS, DEFENDERS
from courtpiece.errors import RecordError, UsageError
from courtpiece.match import Match, first_caller, next_dealer, shuffled
from courtpiece.rules import Outcome, RuleSet, resolve

FIRST_ACE_CHANCES = (0.280288, 0.259304, 0.239520, 0.220888)  # by seat; seat 0 gets the first card


def caller_of(cards: str, **options: str) -> int:
    return first_caller(resolve(options), parse_cards(cards)).caller


class TestFirstCaller:
    def test_the_highest_card_calls_and_the_seat_before_deals(self) -> None:
        call = first_caller(RuleSet(), parse_cards("9D QC KS 4H"))
        assert call.caller == 2
        assert call.dealer == 1
        assert call.drawn == ((0, Card.D9), (1, Card.CQ), (2, Card.SK), (3, Card.H4))

    def test_no_suit_breaks_a_tie(self) -> None:
        assert caller_of("KS KD 3C 4H 2S 5H 6H 3S", draw_tie="all-redraw") == 2

    def test_only_the_tied_may_draw_again(self) -> None:
        call = first_caller(
            resolve({"draw_tie": "tied-redraw"}), parse_cards("KS 9D KC 4H 2S 2H QD QS 3D 4D")
        )
        assert call.caller == 2
        assert [seat for seat, _ in call.drawn] == [0, 1, 2, 3, 0, 2, 0, 2, 0, 2]

    @pytest.mark.parametrize(
        ("cards", "caller"), [("2S KD 3C KS", 1), ("KD 2S KS 3C", 0), ("2S 3S 4D 9D", 3)]
    )
    def test_partners_with_the_top_rank_do_not_tie_and_the_first_of_them_calls(
        self, cards: str, caller: int
    ) -> None:
        assert caller_of(cards, first_caller="highest-card-team") == caller

    @pytest.mark.parametrize(("tie", "seats"), [("all-redraw", [0, 1, 2, 3]), ("tied-redraw", [0, 1, 2])])
    def test_a_top_rank_in_both_teams_is_drawn_again(self, tie: str, seats: list[int]) -> None:
        rules = resolve({"first_caller": "highest-card-team", "draw_tie": tie})
        call = first_caller(rules, parse_cards("KD KS KC 3C 5S 7S 6H 2H"))
        assert [seat for seat, _ in call.drawn[4:]] == seats
        assert call.caller == 1

    @pytest.mark.parametrize(
        ("rank", "cards", "caller"),
        [
            ("ace", "AS", 0),
            ("ace", "KS QS JS AH", 3),
            ("ace", "2S 3S 4S 5S 6S AH", 1),
            ("jack", "AS 2S JD", 2),
        ],
    )
    def test_cards_are_laid_round_the_table_until_the_first_ace_or_jack(
        self, rank: str, cards: str, caller: int
    ) -> None:
        assert caller_of(cards, first_caller=f"first-{rank}") == caller

    def test_a_cut_card_gives_every_seat_the_same_chance(self) -> None:
        rules = resolve({"first_caller": "random"})
        assert Counter(first_caller(rules, [card]).caller for card in PACK) == {0: 13, 1: 13, 2: 13, 3: 13}

    def test_too_few_cards_are_refused(self) -> None:
        with pytest.raises(UsageError, match="4 cards drawn do not settle"):
            caller_of("KS KD 3C 4H")

    def test_a_generator_is_a_shuffled_pack_that_fixes_the_draw(self) -> None:
        pack = shuffled(np.random.default_rng(5))
        first = [next(pack) for _ in PACK]
        assert sorted(first) == list(PACK)
        assert sorted(next(pack) for _ in PACK) == list(PACK)
        for name in ("highest-card", "highest-card-team", "first-ace", "first-jack", "random"):
            rules = resolve({"first_caller": name})
            drawn = first_caller(rules, np.random.default_rng(5)).drawn
            assert format_cards(card for _, card in drawn) == format_cards(first[: len(drawn)])

    def test_the_chances_of_the_first_ace_by_seat_are_exact(self) -> None:
        """The first ace lies under k cards in C(51 - k, 3) of the C(52, 4) ways to place four aces."""
        rules = resolve({"first_caller": "first-ace"})
        others = [card for card in PACK if card.rank != ACE]
        chances = [Fraction(0)] * 4
        for above in range(len(others) + 1):
            caller = first_caller(rules, [*others[:above], Card.SA]).caller
            chances[caller] += Fraction(comb(51 - above, 3), comb(52, 4))
        assert sum(chances) == 1
        assert tuple(round(float(chance), 6) for chance in chances) == FIRST_ACE_CHANCES

    def test_drawn_first_aces_agree_with_the_exact_chances(self) -> None:
        generator = np.random.default_rng(11)
        draws = 4000
        count = Counter(first_caller(resolve("hakim"), generator).caller for _ in range(draws))
        for seat, chance in enumerate(FIRST_ACE_CHANCES):
            assert abs(count[seat] / draws - chance) < 4 * (chance * (1 - chance) / draws) ** 0.5


class TestNextDealer:
    @pytest.mark.parametrize("dealer", range(4))
    @pytest.mark.parametrize(
        ("outcome", "winner", "step"),
        [
            (Outcome.CALLER_WIN, CALLERS, 0),
            (Outcome.CALLER_KOT, CALLERS, 2),
            (Outcome.CLAIM_MADE, CALLERS, 2),
            (Outcome.THREE_TENS, CALLERS, 0),
            (Outcome.TWO_TENS, CALLERS, 0),
            (Outcome.FOUR_TENS, CALLERS, 0),
            (Outcome.WHITEWASH, CALLERS, 2),
            (Outcome.REDEAL, None, 0),
            (Outcome.DEFENDER_WIN, DEFENDERS, 1),
            (Outcome.DEFENDER_KOT, DEFENDERS, 1),
            (Outcome.CLAIM_MADE, DEFENDERS, 1),
            (Outcome.FOUR_TENS, DEFENDERS, 1),
            (Outcome.WHITEWASH, DEFENDERS, 1),
        ],
    )
    def test_the_winners_of_a_deal_call_next_and_a_kot_moves_the_call_to_the_partner(
        self, dealer: int, outcome: Outcome, winner: int | None, step: int
    ) -> None:
        assert next_dealer(RuleSet(), dealer, outcome, winner) == (dealer + step) % 4
        still = 0 if step == 2 else step
        assert next_dealer(RuleSet(kot_moves_call=False), dealer, outcome, winner) == (dealer + still) % 4


class TestMatch:
    def test_points_go_to_the_teams_at_the_table_wherever_the_deal_is(self) -> None:
        match = Match(resolve("single-sir"), dealer=3)
        match.add(Outcome.CALLER_WIN, CALLERS)  # seats 0 and 2 called
        assert (match.dealer, match.score) == (3, [1, 0])
        match.add(Outcome.DEFENDER_WIN, DEFENDERS)
        assert (match.dealer, match.score) == (0, [1, 2])
        match.add(Outcome.CALLER_KOT, CALLERS)  # seats 1 and 3 called
        assert (match.dealer, match.score) == (2, [1, 5])
        match.add(Outcome.DEFENDER_KOT, DEFENDERS)  # seat 3 called
        assert (match.dealer, match.eldest, match.score) == (3, 0, [5, 5])
        assert match.deals == 4
        assert match.winner is None

    def test_a_redeal_counts_as_a_deal_and_changes_nothing_else(self) -> None:
        match = Match(resolve("bavan"), dealer=1)
        match.add(Outcome.CALLER_WIN, CALLERS)
        assert match.add(Outcome.REDEAL, None) == 0
        assert (match.deals, match.dealer, match.score, match.streaks) == (2, 1, [7, 0], [1, 0])

    def test_the_first_to_reach_the_target_wins_and_no_deal_follows(self) -> None:
        match = Match(resolve("single-sir", target=3), dealer=3)
        match.add(Outcome.DEFENDER_WIN, DEFENDERS)
        assert match.winner is None
        match.add(Outcome.CALLER_WIN, CALLERS)
        assert match.winner == 1
        with pytest.raises(RecordError, match="won after deal 2") as refusal:
            match.add(Outcome.CALLER_WIN, CALLERS)
        assert refusal.value.code == "match-over"

    def test_without_a_target_a_match_stays_open(self) -> None:
        match = Match(resolve("bavan"), dealer=3)
        for _ in range(100):
            match.add(Outcome.CALLER_KOT, CALLERS)
        assert match.score == [1300, 0]
        assert match.winner is None

    def test_kots_may_be_what_counts(self) -> None:
        match = Match(resolve("single-sir-kots"), dealer=3)
        match.add(Outcome.CALLER_WIN, CALLERS)
        match.add(Outcome.CALLER_KOT, CALLERS)
        assert match.score == [1, 0]
        match.add(Outcome.DEFENDER_KOT, DEFENDERS)  # the call has moved to seat 2
        assert match.score == [1, 3]
        assert match.winner == 1

    def test_a_made_claim_counts_its_points_or_a_kot(self) -> None:
        match = Match(resolve("bavan"), dealer=3)
        match.add(Outcome.CLAIM_MADE, CALLERS)
        assert match.score == [82, 0]
        kots = Match(resolve("bavan", counting="kots"), dealer=3)
        kots.add(Outcome.CLAIM_MADE, DEFENDERS)
        assert kots.score == [0, 3]


class TestStreaks:
    def wins(self, match: Match, side: int, count: int) -> list[int]:
        """Lets a side of the table win plainly so many times; returns the bonuses."""
        bonuses = []
        for _ in range(count):
            outcome = Outcome.CALLER_WIN if match.eldest % 2 == side else Outcome.DEFENDER_WIN
            bonuses.append(match.add(outcome, (side - match.eldest) % 2))
        return bonuses

    def test_the_bonus_comes_with_the_seventh_and_the_fourteenth_win(self) -> None:
        match = Match(resolve("single-sir", target=100), dealer=3)
        assert self.wins(match, 0, 14) == [0, 0, 0, 0, 0, 0, 2] * 2
        assert match.score == [14 + 4, 0]
        assert match.streaks == [0, 0]

    def test_a_win_of_the_others_ends_a_streak(self) -> None:
        match = Match(resolve("single-sir", target=100), dealer=3)
        self.wins(match, 0, 6)
        assert self.wins(match, 1, 1) == [0]
        assert match.streaks == [0, 1]
        assert self.wins(match, 0, 6) == [0] * 6

    def test_a_bonus_in_kot_counting_is_a_kot(self) -> None:
        match = Match(resolve("single-sir-kots"), dealer=3)
        assert self.wins(match, 0, 7)[-1] == 1
        assert match.score == [1, 0]

    @pytest.mark.parametrize(
        ("outcome", "winner", "streaks"),
        [
            (Outcome.CALLER_KOT, CALLERS, [0, 0]),
            (Outcome.DEFENDER_KOT, DEFENDERS, [0, 0]),
            (Outcome.CLAIM_MADE, CALLERS, [0, 0]),
            (Outcome.WHITEWASH, CALLERS, [4, 0]),
            (Outcome.FOUR_TENS, CALLERS, [4, 0]),
        ],
    )
    def test_only_kots_and_claims_zero_the_counts(
        self, outcome: Outcome, winner: int, streaks: list[int]
    ) -> None:
        match = Match(resolve("single-sir", target=100), dealer=3)
        self.wins(match, 0, 3)
        match.add(outcome, winner)
        assert match.streaks == streaks

    def test_the_bonus_does_not_move_the_call_and_may_win_the_match(self) -> None:
        match = Match(resolve("single-sir", target=9), dealer=3)
        self.wins(match, 0, 7)
        assert match.dealer == 3
        assert match.winner == 0

    def test_without_the_option_there_is_no_bonus(self) -> None:
        match = Match(resolve("mendikot", target="none"), dealer=3)
        for _ in range(20):
            assert match.add(Outcome.THREE_TENS, CALLERS) == 0
        assert match.score == [20, 0]
