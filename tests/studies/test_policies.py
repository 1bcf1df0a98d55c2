"""What a built-in caller says, in Python as in the kernel."""

from __future__ import annotations

import pytest

from courtpiece.advice import distinct_calls
from courtpiece.cards import Card
from courtpiece.players import PlayerSpec, parse_built_in
from courtpiece.studies.policies import holdings, said, would_say
from courtpiece.table import Table
from courtpiece.words import word_code, word_text

DEALS = 250


@pytest.mark.parametrize("rules", ["single-sir", "bavan", "hakim", "hidden-trump", "mendikot-band"])
@pytest.mark.parametrize(
    "player",
    ["simple/longest", "simple/strongest", "simple/strongest:pass=never", "simple/longest:redeal=always",
     "simple/longest:pass=always:thirteenth=always:redeal=never"],
)
def test_it_is_what_the_kernel_says(rules: str, player: str) -> None:
    table = Table(rules, player)
    trace = table.trace(3, 0, DEALS)
    for hand, words in zip(trace.hands[:, 0, :5].tolist(), trace.words[:, 0].tolist(), strict=True):
        five = [Card(card) for card in hand]
        legal = [word for alike in distinct_calls(five, table.rules) for word in alike]
        assert said(parse_built_in(str(table.lineup)), [five], table.rules, [legal]) == [(word_text(words),)]


@pytest.mark.parametrize("rules", ["single-sir", "hidden-trump", "bavan,caller_may_pass=true"])
@pytest.mark.parametrize("caller", ["longest", "strongest", "strongest:redeal=always:thirteenth=always"])
def test_the_partner_who_is_passed_the_call_has_no_ways_out_himself(rules: str, caller: str) -> None:
    table = Table(rules, f"simple/{caller}:pass=always")
    trace = table.trace(3, 0, 4 * DEALS)
    passed = trace.words[:, 0] == word_code("pass")
    assert passed.sum() > DEALS
    (player,) = set(table.lineup.players)
    assert isinstance(player, PlayerSpec)
    partner, eldest = (holdings(trace.hands[passed, seat, :5]) for seat in (2, 0))
    assert (would_say(player, partner, table.rules, eldest=False) == trace.words[passed, 1]).all()
    assert (would_say(player, eldest, table.rules) == word_code("pass")).all()


@pytest.mark.parametrize("rules", ["single-sir", "bavan", "hidden-trump", "bavan,caller_may_pass=true"])
@pytest.mark.parametrize(
    "policies",
    ["", ":pass=never", ":pass=always", ":redeal=never", ":redeal=always", ":thirteenth=never",
     ":thirteenth=always", ":pass=always:redeal=always", ":pass=never:redeal=never:thirteenth=never"],
)
def test_the_random_caller_says_what_its_policies_leave_open(rules: str, policies: str) -> None:
    table = Table(rules, f"random{policies}")
    trace = table.trace(3, 0, 4 * DEALS)
    open_to_it, told = set(), set()
    for hand, words in zip(trace.hands[:, 0, :5].tolist(), trace.words[:, 0].tolist(), strict=True):
        five = [Card(card) for card in hand]
        legal = [word for alike in distinct_calls(five, table.rules) for word in alike]
        [allowed] = said(parse_built_in(str(table.lineup)), [five], table.rules, [legal])
        assert word_text(words) in allowed
        open_to_it |= {word.partition(" ")[0] for word in allowed}
        told.add(word_text(words).partition(" ")[0])
    assert told == open_to_it


def test_the_random_caller_says_any_word_it_may() -> None:
    table = Table("bavan", "random")
    five = [Card.S2, Card.H3, Card.H5, Card.D9, Card.DT]
    legal = ["S", "H", "D", "C", "thirteenth", "redeal"]
    assert said(parse_built_in(str(table.lineup)), [five], table.rules, [legal]) == [tuple(legal)]
