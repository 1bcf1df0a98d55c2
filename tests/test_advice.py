"""The answer to one hand: what every call is worth, and which is best."""

from __future__ import annotations

import json
import math
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from courtpiece import advice
from courtpiece.advice import Advice, Calls, Worth, call, distinct_calls, play_calls, read_five
from courtpiece.cards import SUITS, Card, parse_cards
from courtpiece.errors import CardError, UsageError
from courtpiece.rules import Outcome, preset, resolve
from courtpiece.rules.values import MOST
from courtpiece.stats import Estimate
from courtpiece.table import Table

HAND = "AS KS 5S 2H 9D"


def worths(told: Advice) -> dict[tuple[str, ...], dict[str, Estimate]]:
    """Returns the estimates by the words of the call."""
    return {value.words: value.estimates for value in told.calls}


# --- the calls of a hand -----------------------------------------------------------------------------


def test_every_suit_may_be_called_and_suits_held_alike_are_one_call() -> None:
    rules = preset("hakim")
    assert distinct_calls(parse_cards(HAND), rules) == (("S",), ("H",), ("D",), ("C",))
    assert distinct_calls(parse_cards("A..A.A92"), rules) == (("S", "D"), ("H",), ("C",))
    assert distinct_calls(parse_cards("AKQJT..."), rules) == (("S",), ("H", "D", "C"))


def test_each_card_may_be_laid_face_down_and_equal_cards_are_one_call() -> None:
    calls = distinct_calls(parse_cards("A9.A9.2."), preset("mendikot-band"))
    assert calls == (("hide AS", "hide AH"), ("hide 9S", "hide 9H"), ("hide 2D",))


def test_the_other_words_are_there_where_the_rules_have_them() -> None:
    weak, strong = parse_cards("2S 3H 5H 9D TD"), parse_cards("2S 3H 5H 9D JD")
    assert distinct_calls(weak, preset("single-sir"))[4:] == (("pass",),)
    assert distinct_calls(weak, preset("bavan"))[4:] == (("thirteenth",), ("redeal",))
    assert distinct_calls(strong, preset("bavan"))[4:] == (("thirteenth",),)
    assert distinct_calls(weak, preset("classic"))[4:] == ()


def test_there_is_no_advice_where_nothing_is_called() -> None:
    with pytest.raises(UsageError, match="be-ranga has no call"):
        call(HAND, rules="be-ranga")


@pytest.mark.parametrize(
    ("hand", "why"),
    [
        ("AS KS 5S 2H", "a calling hand is five cards, and AS KS 5S 2H is 4"),
        ("", "a calling hand is five cards, and this is 0"),
        ("AS KS 5S 2H 2H", "2H is there twice"),
        ("AS KS 5S 2H 1D", 'there is no card "1D"'),
    ],
)
def test_what_is_no_calling_hand_is_refused(hand: str, why: str) -> None:
    with pytest.raises(CardError, match=why):
        call(hand)


def test_a_card_given_twice_is_refused_from_python_too() -> None:
    with pytest.raises(CardError, match="five different cards"):
        call([Card.SA, Card.SA, Card.S5, Card.H2, Card.D9])


# --- the numbers -------------------------------------------------------------------------------------


def test_the_numbers_are_those_counted_deal_by_deal() -> None:
    table = Table("single-sir", "simple")
    calls, deals = Calls.of(read_five(HAND), table.rules), 301
    told = call(HAND, players="simple", deals=deals, seed=5)
    results = table.play_calls(
        calls.hand_class.cards, calls.canonical, 5, 0, deals, stream=1 + calls.hand_class.index
    )
    for place, words in enumerate(calls.words):
        points, wins, kots, conceded, tricks = [], 0, 0, 0, 0
        for result in results[:, place]:
            outcome, ours = list(Outcome)[result["outcome"]], result["winner"] == 0
            score = {"caller-win": 1, "defender-win": -2, "caller-kot": 3, "defender-kot": -4}[outcome]
            points.append(score)
            wins += ours
            kots += outcome is Outcome.CALLER_KOT
            conceded += outcome is Outcome.DEFENDER_KOT
            tricks += int(result["taken"][0])
        found = worths(told)[words]
        assert [found[name].value for name in ("win", "kot", "conceded", "tricks")] == [
            wins / deals, kots / deals, conceded / deals, tricks / deals
        ]
        points_ahead = found["points"]
        assert points_ahead.value == pytest.approx(np.mean(points))
        error = np.std(points, ddof=1) / deals**0.5
        assert points_ahead.standard_error == pytest.approx(error)


def test_the_lead_is_the_mean_of_differences_on_the_odd_deals() -> None:
    table = Table("single-sir", "simple")
    calls, worth = Calls.of(read_five(HAND), table.rules), Worth(table.rules)
    results = table.play_calls(
        calls.hand_class.cards, calls.canonical, 1, 0, 400, stream=1 + calls.hand_class.index
    )
    codes = (results["outcome"].astype(int) * 2 + results["winner"]) * 14 + results["taken"][:, :, 0]
    points = worth.points[codes]
    told = call(HAND, players="simple", deals=400)
    by_words = {words: points[:, place] for place, words in enumerate(calls.words)}
    means = {words: column[::2].mean() for words, column in by_words.items()}
    best, runner_up = sorted(means, key=lambda words: -means[words])[:2]
    assert (told.best.words, told.runner_up.words) == (best, runner_up)
    apart = by_words[best][1::2] - by_words[runner_up][1::2]
    assert told.lead.value == pytest.approx(apart.mean())
    assert told.lead.standard_error == pytest.approx(apart.std(ddof=1) / 200**0.5)


def test_the_names_of_the_suits_do_not_matter_to_the_last_bit() -> None:
    first = worths(call(HAND, deals=300))
    for names in list(permutations(SUITS))[1::5]:
        renamed = dict(zip(SUITS, names, strict=True))
        hand = " ".join(card[0] + renamed[card[1]] for card in HAND.split())
        expected = {tuple(renamed.get(word, word) for word in words): told for words, told in first.items()}
        assert worths(call(hand, deals=300)) == expected


def test_the_order_of_the_cards_and_how_they_are_written_do_not_matter() -> None:
    assert worths(call("9D 2H KS 5S AS", deals=100)) == worths(call("AK5.2.9.", deals=100))


def test_more_deals_begin_with_the_same_deals(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table("hidden-trump", "simple")
    calls, worth = Calls.of(read_five(HAND), table.rules), Worth(table.rules)
    whole = play_calls(table, worth, calls, 1, 0, 101)
    parts = play_calls(table, worth, calls, 1, 0, 33) + play_calls(table, worth, calls, 1, 33, 68)
    assert (whole.counts == parts.counts).all()
    assert (whole.products == parts.products).all()
    monkeypatch.setattr(advice, "_BATCH", 7)
    batches = play_calls(table, worth, calls, 1, 0, 101)
    assert (whole.counts == batches.counts).all()
    assert (whole.products == batches.products).all()


def test_the_top_five_of_a_suit_are_called_and_win() -> None:
    told = call("AKQJT...", players="simple", deals=2000)
    assert told.best.words == ("S",)
    assert told.sure
    assert told.best.win.value > 0.9
    assert told.best.kot.value > 0.5
    assert told.calls[0] is told.best
    assert told.verdict.startswith("Call spades: ")


def test_a_redeal_is_worth_a_fresh_deal_by_the_same_dealer() -> None:
    told = worths(call("2S 3H 5H 9D TD", rules="bavan", players="simple", deals=4000))[("redeal",)]["win"]
    table = Table("bavan", "simple")
    fresh = table.play(99, 0, 20_000)
    played = fresh[fresh["outcome"] != list(Outcome).index(Outcome.REDEAL)]
    assert 0.1 < 1 - len(played) / len(fresh) < 0.2         # 376,992 of 2,598,960 hands may ask
    share = (played["winner"] == 0).mean()
    assert abs(told.value - share) < 4 * (0.25 / 4000 + 0.25 / 17_000) ** 0.5


def test_points_are_what_the_match_counts() -> None:
    kots = call(HAND, rules="single-sir-kots", deals=1000)
    assert kots.unit == "kots"
    for value in kots.calls:
        assert value.points.value == pytest.approx(value.kot.value - 3 * value.conceded.value)
    flat = call(HAND, rules="classic-no-kot", deals=1000)
    for value in flat.calls:
        assert value.points.value == pytest.approx(2 * value.win.value - 1)


def test_tens_and_hidden_cards_have_advice() -> None:
    told = call(HAND, rules="mendikot-band", deals=500)
    assert {value.words for value in told.calls} == {(f"hide {card}",) for card in HAND.split()}
    assert all(0 <= value.kot.value + value.conceded.value <= 1 for value in told.calls)


# --- how sure it is ----------------------------------------------------------------------------------


def test_close_calls_are_too_close_to_tell() -> None:
    told = call("9S 8S 9H 7H 2D", deals=100)
    assert not told.sure
    assert "too close to tell" in told.verdict


def test_calls_that_never_differ_are_the_same() -> None:
    told = call(HAND, rules=resolve("classic", score=[0, 0, 0, 0]), deals=100)
    assert told.verdict == f"{str(told.best).capitalize()} or {told.runner_up}: the same in every deal."


def test_deals_go_on_until_every_half_width_is_small_enough() -> None:
    told = call(HAND, players="simple", precision=0.013)
    assert all(estimate.half_width <= 0.013 for value in told.calls for estimate in value.estimates.values())
    assert told.deals > 20_000
    assert call(HAND, players="simple", precision=0.0001, deals=500).deals == 500


def test_deals_and_precision_that_cannot_be_are_refused() -> None:
    with pytest.raises(UsageError, match="deals must be at least 4"):
        call(HAND, deals=3)
    with pytest.raises(UsageError, match="precision must be above 0"):
        call(HAND, precision=0)
    for deals in (7.5, math.nan, "7"):
        with pytest.raises(UsageError, match="a whole number, not "):
            call(HAND, deals=deals)     # type: ignore[arg-type]
    with pytest.raises(UsageError, match="precision must be above 0, not 'small'"):
        call(HAND, precision="small")   # type: ignore[arg-type]


@pytest.mark.parametrize("hand", [None, 3, ("AS", "KS", "5S", "2H", "9D"), b"AS KS"])
def test_what_is_neither_text_nor_cards_is_no_hand(hand: Any) -> None:
    with pytest.raises(CardError, match="a text such as AS KS 5S 2H 9D, or five cards"):
        call(hand)


# --- what is shown -----------------------------------------------------------------------------------


def test_the_answer_reads_as_a_table_in_text_and_in_html() -> None:
    told = call("AS KS 5S 2H 9S", deals=200)
    text, page = repr(told), told._repr_html_()
    for shown in (text, page):
        assert all(label in shown for label in ("♠ spades", "♦ ♣", "♥ hearts", "pass", told.verdict))
    assert text.splitlines()[0] == "AS KS 5S 2H 9S"
    assert "200 deals for each call, seed 1" in text
    assert page.count("<tr>") == 1 + len(told.calls)


def test_the_answer_goes_into_json_whole() -> None:
    told = call(HAND, deals=200)
    back = json.loads(json.dumps(told.to_dict()))
    assert back["calls"][0]["words"] == list(told.calls[0].words)
    assert back["calls"][0]["win"]["value"] == told.calls[0].win.value
    assert back["recommendation"]["sure"] is told.sure


def test_the_highest_points_there_can_be_are_added_up_rightly() -> None:
    rules = resolve("single-sir")
    plain, highest = (
        call("AS KS 5S 2H 9D", rules=rules.replace(score=[points] * 4), deals=4000) for points in (1, MOST)
    )
    for one, other in zip(plain.calls, highest.calls, strict=True):
        assert other.points.value == pytest.approx(MOST * one.points.value)
        assert other.points.half_width == pytest.approx(MOST * one.points.half_width)
