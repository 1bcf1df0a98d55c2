"""`signals` and `forgetful`: the kernel against a plain reading of each habit, and what the habits say."""

from __future__ import annotations

import numpy as np
import pytest

from courtpiece.cards import Card, Suit
from courtpiece.errors import UsageError
from courtpiece.players import Lineup, parse_player
from courtpiece.players.habits import Habit, kernel_card
from courtpiece.players.own import given
from courtpiece.players.registry import parse_built_in
from courtpiece.table import Table
from tests.players.plain_habits import JACK, KING, QUEEN, PlainHabits

NONE = "weak=off:top=off:middle=off:switch=off"
SIGNALS = "weak+top+middle+switch"
# How a player is called in the kernel, and the same in plain Python.
SAME = {
    "signals": {"sends": SIGNALS, "reads": SIGNALS},
    "signals:watch=on": {"sends": SIGNALS, "reads": SIGNALS, "watches": SIGNALS},
    "signals:weak=send:top=read:middle=off:switch=on": {"sends": "weak+switch", "reads": "top+switch"},
    "signals:weak=off:top=off:switch=read": {"sends": "middle", "reads": "middle+switch"},
    f"signals:{NONE}:low=strict": {"low": "strict"},
    f"signals:{NONE}:low=waste": {"low": "waste"},
    f"signals:{NONE}:watch=on": {"watches": SIGNALS},
    "forgetful": {"forgets": "trumps+voids"},
    "forgetful:forgets=trumps": {"forgets": "trumps"},
    "forgetful:forgets=voids": {"forgets": "voids"},
}


@pytest.mark.parametrize("name", SAME)
@pytest.mark.parametrize("rules", ["single-sir", "hidden-trump", "double-sir"])
def test_the_kernel_plays_as_the_plain_reading_does(name: str, rules: str) -> None:
    plain = given(PlainHabits(**SAME[name]))
    other = parse_built_in("signals")           # sends signals to watch, and reads them as well
    deals = 40 if rules == "single-sir" else 12
    fast = Table(rules, Lineup.of(parse_built_in(name), other)).trace(5, 0, deals)
    slow = Table(rules, Lineup.of(plain, other)).trace(5, 0, deals)
    assert (fast.plays == slow.plays).all()
    assert (fast.results == slow.results).all()


def test_the_plain_reading_and_greedy_part_ways_on_these_deals() -> None:
    greedy = Table("single-sir", "greedy,signals").trace(5, 0, 40).plays
    for name in SAME:
        if name != f"signals:{NONE}:watch=on":
            assert (Table("single-sir", f"{name},signals").trace(5, 0, 40).plays != greedy).any(), name
    watched = Table("single-sir", f"signals:{NONE}:watch=on,signals").trace(5, 0, 2000).plays
    assert (watched != Table("single-sir", "greedy,signals").trace(5, 0, 2000).plays).any()


def test_without_any_signal_it_is_greedy() -> None:
    for rules in ("bavan", "mendikot", "hidden-rung"):
        greedy = Table(rules, "greedy").play(2, 0, 3000)
        assert (Table(rules, f"signals:{NONE}").play(2, 0, 3000) == greedy).all()


def test_a_batch_a_trace_and_a_player_asked_alone_agree() -> None:
    table = Table("hakim", "signals:watch=on,forgetful")
    assert (table.trace(9, 3, 400).results == table.play(9, 3, 400)).all()
    driven = Table("hakim", Lineup.of(parse_player("signals:watch=on"), given(PlainHabits(
        forgets="trumps+voids"))))
    assert (driven.play(9, 3, 25) == table.play(9, 3, 25)).all()


def test_a_first_lead_of_a_suit_tells_no_lie_when_the_sender_can_help_it() -> None:
    lies = dict.fromkeys(("greedy", "signals"), 0)
    leads = dict.fromkeys(lies, 0)
    for name in lies:
        trace = Table("classic", name).trace(4, 0, 1500)
        for hands, plays, result in zip(trace.hands, trace.plays, trace.results, strict=True):
            first = Card(int(plays[0]))
            if int(first.suit) == result["trump"] or first.rank >= KING:
                continue
            held = {Card(int(card)) for card in hands[0]}
            leads[name] += 1
            lies[name] += any(card.suit is first.suit and card.rank >= KING for card in held)
    assert leads["signals"] > 100
    assert 5 * lies["signals"] < lies["greedy"]


def test_a_strong_partner_takes_the_first_lead_with_a_middle_card() -> None:
    trace = Table("classic", "signals").trace(4, 0, 4000)
    taken = 0
    for hands, plays, result in zip(trace.hands, trace.plays, trace.results, strict=True):
        led, second, third = (Card(int(card)) for card in plays[:3])
        trump = Suit(int(result["trump"]))
        held = {Card(int(card)) for card in hands[2] if int(card) // 13 == led.suit}
        strong = any(card.rank >= KING for card in held)
        beaten = max(led, second) if second.suit is led.suit else led
        middle = [card for card in held if card.rank in (JACK, QUEEN) and card > beaten]
        if led.suit is trump or led.rank >= KING or second.suit is trump or not (strong and middle):
            continue
        taken += 1
        assert third is max(middle)
    assert taken > 20


def test_options_are_the_kernels_bits() -> None:
    assert kernel_card(parse_built_in("signals")) == ("greedy", Habit(15, 15, 0))
    assert kernel_card(parse_built_in("signals:weak=read:middle=send:low=waste:watch=on")) == (
        "greedy", Habit(2 + 4 + 8 + 32, 1 + 2 + 8, 15))
    assert kernel_card(parse_built_in("forgetful:forgets=voids")) == ("greedy", Habit(128, 0, 0))
    assert kernel_card(parse_built_in("simple")) == ("simple", Habit(0, 0, 0))


def test_an_option_that_is_none_is_refused() -> None:
    with pytest.raises(UsageError, match='"weak" takes on, send, read, off, not "yes"'):
        parse_player("signals:weak=yes")


def test_counting_trumps_wins_deals() -> None:
    counting = Table("classic", "greedy,forgetful").play(6, 0, 40_000)["winner"]
    forgetting = Table("classic", "forgetful,greedy").play(6, 0, 40_000)["winner"]
    ahead = ((counting == 0).astype(np.int64) - (forgetting == 0)) / 2
    assert ahead.mean() > 4 * ahead.std() / len(ahead) ** 0.5
