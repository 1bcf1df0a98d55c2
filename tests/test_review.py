"""What each decision cost: against plain minimax, by hand, and when nothing was lost."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from itertools import islice

import pytest

import courtpiece as cp
from courtpiece.cards import PACK, Card
from courtpiece.deal import Deal, deal_out
from courtpiece.errors import RecordError, UsageError
from courtpiece.played import played
from courtpiece.record import write
from courtpiece.review import Decision, Review, review
from courtpiece.rules import RuleSet, Trump, resolve
from courtpiece.solve import solve, solve_outcomes
from courtpiece.table import Table
from tests.arranged import Arrangement, ending, play
from tests.solve.plain import after, best_end
from tests.strategies import random_rule_set

# From each mode that matters; "simple" players blunder enough.
MODES = (
    "single-sir", "double-sir-house", "hidden-trump", "hidden-rung", "be-ranga", "mendikot", "mendikot-band",
    "dehla-pakad", "bavan",
)


def deals(name: str, count: int, players: str = "simple") -> list[Deal]:
    """Returns deals that came to an end, and not to a new deal."""
    over = (deal for deal in played(Table(name, players), 7, 0, 5 * count) if deal.winner is not None)
    return list(islice(over, count))


def before(deal: Deal, decision: Decision) -> Deal:
    """Returns the deal as it was when a decision was taken."""
    again = Deal(deal.rules, deal.dealt, dealer=deal.dealer)
    for word in deal.words[: decision.moment]:
        again.say(word)
    if deal.claimer is not None and decision.trick:
        again.claim(deal.claimer)
    for item in deal.plays[: max(0, decision.moment - len(deal.words))]:
        again = after(again, item)
    return again


def taken_as(action: str) -> Card | str:
    return action if action == "reveal" else Card.parse(action)


def ahead(deal: Deal) -> int:
    return deal.points[0] - deal.points[1]


def check_by_minimax(found: Review, tricks: int) -> int:
    """Compares the points of all choices in the last tricks; returns how many were compared."""
    compared = 0
    for decision in found.decisions:
        if decision.trick <= 13 - tricks:
            continue
        state = before(found.deal, decision)
        for choice in decision.choices:
            for action in choice.actions:
                worth = best_end(after(state, taken_as(action)), ahead)
                mine = worth if decision.seat % 2 == 0 else -worth
                told = (str(found.deal.rules), write(found.deal), decision.number, action)
                assert choice.points == mine, told
                compared += 1
    return compared


# With open cards


@pytest.mark.parametrize("name", MODES)
def test_each_choice_is_worth_what_plain_minimax_says(name: str) -> None:
    assert sum(check_by_minimax(review(deal, worlds=0, exact=4), 3) for deal in deals(name, 4, "random")) > 8


def test_each_choice_is_worth_what_plain_minimax_says_under_any_rules() -> None:
    dice, compared = random.Random(12), 0
    for _ in range(20):
        rules = random_rule_set(dice)
        deal = played_at_random(rules, dice)
        if deal.winner is not None:
            compared += check_by_minimax(review(deal, worlds=0, exact=5), 3)
    assert compared > 100


def played_at_random(rules: RuleSet, dice: random.Random) -> Deal:
    pack = list(PACK)
    dice.shuffle(pack)
    deal = Deal(rules, deal_out(pack))
    while deal.phase == "call":
        deal.say(dice.choice(deal.legal_words()))
    while deal.phase == "play":
        choices: list[Card | str] = [*deal.legal_cards(), *(["reveal"] if deal.can_reveal else [])]
        deal = after(deal, dice.choice(choices))
    return deal


@pytest.mark.parametrize("name", MODES)
def test_nothing_is_ever_won_by_a_decision_and_what_all_lost_explains_the_result(name: str) -> None:
    for deal in deals(name, 3):
        found = review(deal, worlds=0, exact=9)
        solved = [one for one in found.decisions if one.lost is not None]
        assert solved
        assert all(one.lost >= 0 for one in solved if one.lost is not None)
        assert all((one.tricks_lost or 0) >= 0 for one in solved)
        # From the first that was solved on, the result is what it came to, less what each side lost.
        worth = solved[0].best_points if solved[0].seat % 2 == 0 else -(solved[0].best_points or 0)
        for one in solved:
            worth = (worth or 0) - (one.points_lost or 0) * (1 if one.seat % 2 == 0 else -1)
        if solved[-1].number == len(found.decisions):
            assert worth == ahead(deal), write(deal)


@pytest.mark.parametrize("name", MODES)
def test_a_deal_played_as_the_solver_says_has_no_loss(name: str) -> None:
    for deal in deals(name, 3, "random"):
        early = before(deal, next(one for one in review(deal, worlds=0, exact=0).decisions if one.trick == 6))
        for item in solve(early).line:
            if early.phase == "play":
                early = after(early, item)
        assert early.outcome is not None
        late = [one for one in review(early, worlds=0, exact=8).decisions if one.trick >= 6]
        assert late
        assert not any(one.points_lost for one in late), write(early)


# Six tricks to four, two left, hearts trump: S leads 3♦ from 3♦ A♥, E follows with Q♦ (and keeps 2♣), and N
# must take it with K♦, though 2♦ is there, too: then S's ace of trump makes seven.  W holds J♦ 2♠.
REST = {0: "3D AH", 1: "QD 2C", 2: "KD 2D", 3: "JD 2S"}
WINNERS = [1, 0, 1, 0, 3, 0, 3, 2, 3, 1, 0]


def with_a_blunder(last: str = "3D QD 2D JD 2C") -> Deal:
    tops = "AS KS QS KH QH JH AC KC QC AD TD"
    arranged = Arrangement(WINNERS, tops=tops, rest=REST)
    deal = arranged.play(arranged.start("single-sir", "H"), 11)
    assert tuple(deal.taken) == (5, 6)
    assert deal.turn == 0
    for card in last.split():
        if deal.phase == "play":
            deal.play(Card.parse(card))
    return deal


def test_a_blunder_is_found_as_the_turning_point_with_what_it_cost() -> None:
    found = review(with_a_blunder(), worlds=200)
    point = found.turning_point
    assert point is not None
    assert (point.trick, point.name, point.kind, point.action) == (12, "N", "follow", "2D")
    assert (point.points_lost, point.tricks_lost) == (3, 1)      # the point of a win, and two conceded
    assert point.turns
    assert [choice.actions for choice in point.better] == [("KD",)]
    assert found.verdict == (
        "Turning point: trick 12, N follows with 2♦; K♦ was better by 3 points. "
        "With open cards SN was to come out 1 point ahead, and now 2 points behind."
    )
    assert point.surely_worse                                    # N could know it, too
    assert point.loss is not None
    assert point.loss.value > 2
    assert [player.worst is point for player in found.players] == [False, False, True, False]


def test_choices_that_come_to_the_same_are_no_mistakes_and_one_choice_is_no_decision() -> None:
    found = review(with_a_blunder("3D QD KD JD"), worlds=100)
    twelfth = [one for one in found.decisions if one.trick == 12]
    assert [(one.name, one.action) for one in twelfth] == [("S", "3D"), ("N", "KD")]    # E and W must follow
    lead = twelfth[0]
    assert [choice.points for choice in lead.choices] == [1, 1]
    assert lead.lost == 0
    assert lead.better == ()
    assert not [one for one in found.decisions if one.trick == 13]
    equal = review(deals("single-sir", 1)[0], worlds=0)
    groups = [choice.actions for one in equal.decisions for choice in one.choices if len(choice.actions) > 1]
    assert groups


def test_a_card_that_is_as_good_as_another_is_one_choice_with_it() -> None:
    deal = play(ending("single-sir", "AS KS|QS 2H|3S 4S|5S 6S", "S"), "KS QS 3S 5S AS 2H 4S 6S")
    assert {one.kind for one in review(deal, worlds=0).decisions} == {"call"}


def test_an_ending_is_judged_by_tricks() -> None:
    hands = "AS 2H|KS 3H|5S AH|6S KH"
    found = review(play(ending("single-sir", hands, "C"), "2H 3H AH KH 5S 6S AS KS"), worlds=0)
    assert not any(one.lost for one in found.decisions if one.trick)
    assert all(one.points_lost is None for one in found.decisions)
    ducked = play(ending("single-sir", "2S 3S|KS 4S|AS QS|5S 6S", "C"), "2S KS QS 5S 4S AS 6S 3S")
    lost = review(ducked, worlds=0)
    point = lost.turning_point
    assert point is not None
    assert (point.name, point.action, point.lost) == ("N", "QS", 1)
    assert lost.verdict == "Turning point: trick 12, N follows with Q♠; A♠ was better by 1 trick."


# Every kind of decision


def kinds(found: Review) -> set[str]:
    return {one.kind for one in found.decisions}


def test_decisions_are_told_by_what_was_done() -> None:
    found = review(deals("single-sir", 1)[0], worlds=0)
    for one in found.decisions:
        state = before(found.deal, one)
        if one.kind == "call":
            assert one.action in state.legal_words()
        elif one.kind == "lead":
            assert not state.trick
        else:
            card = Card.parse(one.action)
            follows = card.suit is state.trick[0].suit
            assert one.kind == ("follow" if follows else "ruff" if card.suit is state.trump else "discard")
    assert kinds(found) == {"call", "lead", "follow", "ruff", "discard"}


def test_asking_for_the_hidden_card_is_a_decision_as_is_not_asking() -> None:
    asked = refrained = 0
    for deal in deals("hidden-trump", 12, "random"):
        for one in review(deal, worlds=0, exact=8).decisions:
            can = any(choice.actions == ("reveal",) for choice in one.choices)
            assert can == before(deal, one).can_reveal
            asked += one.kind == "reveal"
            refrained += can and one.kind != "reveal"
    assert asked > 3
    assert refrained > 3


def test_in_be_ranga_the_card_that_makes_trump_is_a_ruff() -> None:
    deal = play(ending("be-ranga", "AS 2H|3D 4C|3H 4H|5H 6H"), "AS 3D 3H 6H")
    assert [one.kind for one in review(deal, worlds=0).decisions if one.seat == 1] == ["ruff"]


@pytest.mark.parametrize("leader", ["eldest", "caller"])
def test_a_call_is_worth_what_the_deal_then_comes_to(leader: str) -> None:
    rules = resolve("single-sir", first_lead=leader)
    for deal in played(Table(rules, "simple/longest:pass=always"), 5, 0, 4):
        first, second, *_ = review(deal, worlds=0).decisions
        assert (first.action, first.name, second.name) == ("pass", deal.name(0), deal.name(2))
        for one, seat in ((first, 0), (second, 2)):
            words = {choice.actions[0]: choice.points for choice in one.choices}
            lead = seat if leader == "caller" else 0
            hands = [[[int(card) for card in hand] for hand in deal.dealt]] * 4
            ends = solve_outcomes(rules, hands, [0, 1, 2, 3], lead)
            outcomes = [*cp.Outcome]
            for suit, (outcome, winner) in zip("SHDC", ends.tolist(), strict=True):
                score = rules.score_of(outcomes[outcome], winner == 0)
                assert words[suit] == (-score if winner else score)
        by_partner = max(choice.points for choice in second.choices if choice.points is not None)
        passed = next(choice for choice in first.choices if "pass" in choice.actions)
        assert passed.actions == ("pass", "timeout")        # S0.12: time running out is a pass
        assert passed.points == by_partner


def test_a_trump_that_may_be_changed_is_a_decision() -> None:
    rules = resolve("single-sir", extras=["change-trump"])
    pack = list(PACK)
    random.Random(3).shuffle(pack)
    kept, changed = (Deal(rules, deal_out(pack)) for _ in range(2))
    for deal, words in ((kept, ["H"]), (changed, ["H", "change S"])):
        for word in words:
            deal.say(word)
        deal.play(deal.legal_cards()[0])
    reviews = [review(deal, worlds=0) for deal in (kept, changed)]
    told = [[(one.kind, one.action) for one in found.decisions[:2]] for found in reviews]
    assert told == [[("call", "H"), ("change", "keep")], [("call", "H"), ("change", "change S")]]
    first = reviews[0].decisions
    points = {choice.actions[0]: choice.points for choice in first[0].choices}
    assert len({points[suit] for suit in "SHDC"}) == 1       # as any of them may still be changed
    assert {c.points for c in first[1].choices} == {
        c.points for c in reviews[1].decisions[1].choices
    }


def test_a_new_deal_is_worth_nothing_that_is_known() -> None:
    hands = iter(deal_out(pack) for pack in shuffles(1))
    rules = resolve("bavan")
    deal = next(deal for deal in (Deal(rules, hand) for hand in hands) if "redeal" in deal.legal_words())
    deal.say("redeal")
    found = review(deal, worlds=100)
    (one,) = found.decisions
    assert (one.kind, one.lost) == ("call", None)
    assert [choice.points is None for choice in one.choices if "redeal" in choice.actions] == [True]
    assert all(choice.expected is not None for choice in one.choices)
    assert found.turning_point is None
    assert found.verdict == "No decision could be judged with open cards."
    assert "A new deal by the same dealer." in found.page()


def shuffles(seed: int) -> Iterator[list[Card]]:
    dice, pack = random.Random(seed), list(PACK)
    while True:
        dice.shuffle(pack)
        yield pack.copy()


def test_a_deal_under_way_is_judged_as_far_as_it_went() -> None:
    whole = deals("hidden-rung", 1)[0]
    for length in (0, 1, 17):
        part = Deal(whole.rules, whole.dealt, dealer=whole.dealer)
        for word in whole.words if length else ():
            part.say(word)
        for item in whole.plays[: max(length - 1, 0)]:
            part = after(part, item)
        found = review(part, worlds=20)
        assert found.to_dict()["result"] is None
        assert all(one.moment <= len(part.words) + len(part.plays) for one in found.decisions)
        assert "The deal is not over." in found.page()
    assert review(Deal(whole.rules, whole.dealt)).decisions == ()


def test_what_is_too_far_from_the_end_is_told_and_not_passed_over() -> None:
    (deal,) = deals("hidden-rung", 1)
    found = review(deal, worlds=0, exact=8)
    assert [one.trick for one in found.decisions if one.lost is None] == [
        one.trick for one in found.decisions if one.trick <= 5
    ]
    assert found.unsolved == "the call to trick 5"
    assert "not solved with open cards, as too much is left to play: the call to trick 5" in found.method
    assert "not solved with open cards" in found.page()
    assert review(deal, worlds=0, exact=10).unsolved == "the call to trick 3"
    assert review(deals("be-ranga", 1)[0], worlds=0, exact=0).unsolved == ""


# At the table


def test_the_same_seed_gives_the_same_review_and_another_one_another() -> None:
    (deal,) = deals("hidden-trump", 1)
    one, same, other = (review(deal, worlds=60, seed=seed).to_dict() for seed in (1, 1, 2))
    assert one == same
    assert one["decisions"] != other["decisions"]
    assert json.loads(json.dumps(one)) == one


@pytest.mark.parametrize("name", MODES)
def test_every_choice_is_weighed_and_what_is_lost_has_an_error(name: str) -> None:
    for deal in deals(name, 2):
        for one in review(deal, worlds=60, exact=6).decisions:
            assert all(choice.expected is not None for choice in one.choices)
            assert one.loss is not None
            assert one.loss.value >= 0
            assert one.loss.standard_error >= 0
            if one.surely_worse:
                assert one.chosen.expected is not None


@pytest.mark.parametrize("worlds", [20, 22, 60])
def test_few_worlds_still_tell_how_unsure_they_are(worlds: int) -> None:
    unsure = [
        one.loss.standard_error > 0
        for deal in deals("single-sir", 3, "random")
        for one in review(deal, worlds=worlds).decisions
        if one.loss is not None and one.loss.value > 0 and one.trick <= 4
    ]
    assert len(unsure) > 10
    assert all(unsure)


def test_calls_are_weighed_as_call_values_them() -> None:
    (deal,) = deals("single-sir", 1)
    found = review(deal, worlds=2000).decisions[0]
    advice = cp.call(deal.first_five(0), deals=2000)
    values = {word: call.points for call in advice.calls for word in call.words}
    trick = 0.03                        # a trick more is worth up to a hundredth of win and loss: 1 − (−2)
    for choice in found.choices:
        told = values[choice.actions[0]]
        assert choice.expected is not None
        assert abs(choice.expected - told.value) < 5 * told.standard_error * 2**0.5 + 13 * trick


# Mistakes of the user


def test_a_record_that_breaks_a_rule_is_refused() -> None:
    record = write(deals("single-sir", 1)[0])
    assert review(record, worlds=0).deal.outcome is not None
    with pytest.raises(RecordError, match="the play stops in trick"):
        review(record | {"play": record["play"][:-1]})


@pytest.mark.parametrize(("options", "why"), [
    ({"worlds": 3}, "an even number, half to choose and half to measure, not 3"),
    ({"worlds": -2}, "not -2"),
    ({"worlds": 18}, "worlds must be 20 at least, as fewer tell nothing of chance, or 0 for none, not 18"),
    ({"exact": 14}, "exact is a number of cards from 0 to 13, not 14"),
])
def test_options_that_cannot_be_are_refused(options: dict[str, int], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        review(deals("single-sir", 1)[0], **options)


def test_trump_modes_are_all_there() -> None:
    assert {resolve(name).trump for name in MODES} == set(Trump)
