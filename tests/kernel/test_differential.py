"""The kernel against the readable engine: every choice open to a player, and every result, must be equal."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from courtpiece._kernel import engine
from courtpiece.cards import PACK, Card
from courtpiece.deal import Deal
from courtpiece.players.callers import LONGEST
from courtpiece.rules import Objective, Outcome, RuleSet, Trump, Uncalled, preset_names, resolve
from courtpiece.table import Table, Trace
from courtpiece.words import NONE, REVEAL, word_code, word_text
from tests.strategies import legal_rule_sets

OUTCOMES = list(Outcome)
MAY_REVEAL = 1 << 63
DEALS_AN_EXAMPLE = 20


def setup_of(rules: RuleSet) -> engine.Setup:
    caller = ("weighted", LONGEST.flat(), [0, 0, 0, 0])
    return engine.Setup(rules, ["random"] * 4, [caller, caller])


def open_choices(deal: Deal) -> int:
    """The kernel's mask of what the seat in turn may do."""
    return sum(1 << card for card in deal.legal_cards()) | (MAY_REVEAL if deal.can_reveal else 0)


def state_of(deal: Deal) -> tuple[object, ...]:
    """What a RESULT tells of a deal."""
    tens = deal.tens if deal.rules.objective is Objective.TENS else [0, 0]
    return (
        NONE if deal.outcome is None else OUTCOMES.index(deal.outcome),
        NONE if deal.winner is None else deal.winner,
        NONE if deal.caller is None else deal.caller,
        NONE if deal.trump is None else int(deal.trump),
        list(deal.taken),
        list(tens),
    )


def state_in(result: np.void) -> tuple[object, ...]:
    return tuple(result[name].tolist() for name in ("outcome", "winner", "caller", "trump", "taken", "tens"))


def walk(rules: RuleSet, seed: int) -> tuple[Deal, list[int]]:
    """A deal played at random in the readable engine, words and claims too, with the choices it had."""
    source = random.Random(seed)
    pack = list(PACK)
    source.shuffle(pack)
    deal = Deal(rules, [pack[13 * seat : 13 * seat + 13] for seat in range(4)])
    while deal.phase == "call":
        deal.say(source.choice(deal.legal_words()))
    if deal.phase == "play":
        if (changes := deal.legal_words()) and source.random() < 0.5:
            deal.say(source.choice(changes))
        if rules.claim and source.random() < 0.5:
            deal.claim(source.randrange(4))
    choices = []
    while deal.phase == "play":
        choices.append(open_choices(deal))
        if deal.can_reveal and source.random() < 0.3:
            deal.reveal()
        else:
            deal.play(source.choice(deal.legal_cards()))
    return deal, choices


def arrays_of(deal: Deal) -> tuple[NDArray[np.uint8], NDArray[np.uint8], int, NDArray[np.uint8]]:
    hands = np.array([[int(card) for card in hand] for hand in deal.dealt], np.uint8)
    words = np.array([word_code(word) for word in deal.words], np.uint8)
    plays = [int(play) if isinstance(play, Card) else REVEAL for play in deal.plays]
    return hands, words, NONE if deal.claimer is None else deal.claimer, np.array(plays, np.uint8)


def assert_kernel_follows(rules: RuleSet, seed: int) -> None:
    deal, choices = walk(rules, seed)
    legal, result = engine.drive(setup_of(rules), *arrays_of(deal))
    where = f"rules {rules}; walk({seed})"
    for number, (expected, found) in enumerate(zip(choices, legal.tolist(), strict=False)):
        assert expected == found, f"{where}: play {number} of {deal.plays}"
    assert state_in(result[0]) == state_of(deal), where


def assert_engine_agrees(rules: RuleSet, trace: Trace) -> None:
    """Plays traced deals again in the readable engine."""
    for row in range(len(trace.results)):
        deal = Deal(rules, [[Card(card) for card in hand] for hand in trace.hands[row].tolist()])
        for code in trace.words[row].tolist():
            if code != NONE:
                deal.say(word_text(code))
        for play, legal in zip(trace.plays[row].tolist(), trace.legal[row].tolist(), strict=True):
            if play == NONE:
                break
            assert legal == open_choices(deal), f"rules {rules}: deal {row}, after {deal.plays}"
            if play == REVEAL:
                deal.reveal()
            else:
                deal.play(Card(play))
        assert deal.phase == "over"
        assert state_in(trace.results[row]) == state_of(deal), f"rules {rules}: deal {row}"


@settings(max_examples=1000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(rules=legal_rule_sets(), seed=st.integers(0, 2**32))
def test_kernel_follows_the_readable_engine_on_random_legal_rule_sets(rules: RuleSet, seed: int) -> None:
    for number in range(DEALS_AN_EXAMPLE):
        assert_kernel_follows(rules, seed + number)


@pytest.mark.parametrize("name", preset_names())
def test_kernel_follows_the_readable_engine_on_every_preset(name: str) -> None:
    for seed in range(200):
        assert_kernel_follows(resolve(name), seed)


@pytest.mark.parametrize(
    "players", ["random", "simple", "greedy", "simple/absent", "random/strongest:pass=always"]
)
@pytest.mark.parametrize("name", preset_names())
def test_readable_engine_agrees_with_deals_the_kernel_played(name: str, players: str) -> None:
    rules = resolve(name)
    if players == "simple/absent" and rules.uncalled is Uncalled.NONE:
        rules = rules.replace(uncalled="blind-stock") if rules.trump is not Trump.FIRST_VOID else rules
    assert_engine_agrees(rules, Table(rules, players).trace(20, 0, 40))


@settings(max_examples=300, deadline=None)
@given(rules=legal_rule_sets(), seed=st.integers(0, 2**63))
def test_built_in_players_keep_every_legal_rule_set(rules: RuleSet, seed: int) -> None:
    for players in ("random", "simple", "greedy"):
        assert_engine_agrees(rules, Table(rules, players).trace(seed, seed // 2, 3))


@settings(max_examples=300, deadline=None)
@given(rules=legal_rule_sets(), seed=st.integers(0, 2**63))
def test_fast_loops_play_the_traced_deals(rules: RuleSet, seed: int) -> None:
    for players in ("random", "simple", "greedy", "greedy,random"):
        table = Table(rules, players)
        np.testing.assert_array_equal(table.play(seed, 5, 50), table.trace(seed, 5, 50).results)


def test_a_reveal_is_never_due_without_hidden_trump() -> None:
    trace = Table("single-sir", "random").trace(1, 0, 200)
    assert not (trace.legal & np.uint64(MAY_REVEAL)).any()
    assert resolve("single-sir").trump is Trump.CALLED
