"""What the callers say on five cards, and that the fitted one calls better."""

from __future__ import annotations

import pytest

from courtpiece._kernel import engine
from courtpiece.cards import Card, parse_cards
from courtpiece.players import parse_built_in
from courtpiece.players.callers import ALWAYS, LONGEST, NEVER, STRONGEST, Weights, kernel_caller
from courtpiece.rules import resolve
from courtpiece.table import Table
from courtpiece.words import word_text


def value(weights: Weights, five: tuple[Card, ...], trump: int) -> int:
    """The value of a trump suit as the kernel counts it, in plain Python."""
    lengths = [sum(card.suit == suit for card in five) for suit in range(4)]
    total = weights.length[lengths[trump]]
    total += sum(weights.side_length[lengths[suit]] for suit in range(4) if suit != trump)
    for card in five:
        total += weights.trump[card.rank] if card.suit == trump else weights.side[card.rank]
    return total


def best(weights: Weights, text: str) -> str:
    five = parse_cards(text)
    return "SHDC"[max(range(4), key=lambda suit: (value(weights, five, suit), -suit))]


def test_longest_counts_length_first_and_then_the_higher_cards() -> None:
    assert best(LONGEST, "2S 3S 4S AH KH") == "S"
    assert best(LONGEST, "QS 3S KH 2H AC") == "H"
    assert best(LONGEST, "QS 3S QH 4H AC") == "H"


def test_strongest_weighs_honours_against_length() -> None:
    assert best(STRONGEST, "AS KS 5S 2H 9D") == "S"
    assert best(STRONGEST, "2S 3S AH KH QH") == "H"
    long, short = parse_cards("AS KS QS JS TS"), parse_cards("AS KS QS 3H 2D")
    assert value(STRONGEST, long, 0) > value(STRONGEST, short, 0)


@pytest.mark.parametrize(("caller", "weights"), [("longest", LONGEST), ("strongest", STRONGEST)])
def test_the_kernel_says_what_the_weights_say(caller: str, weights: Weights) -> None:
    trace = Table("classic", f"simple/{caller}").trace(2, 0, 2000)
    for hands, words in zip(trace.hands, trace.words, strict=True):
        five = tuple(Card(card) for card in hands[0, :5].tolist())
        values = [value(weights, five, suit) for suit in range(4)]
        assert word_text(int(words[0])) == "SHDC"[values.index(max(values))]


def test_the_policies_of_strongest_follow_the_count() -> None:
    said: dict[str, set[bool]] = {}
    for rules, word, threshold in (
        ("single-sir", "pass", STRONGEST.pass_below), ("bavan", "thirteenth", STRONGEST.thirteenth_below),
    ):
        trace = Table(rules, "simple/strongest:redeal=never").trace(4, 0, 3000)
        for hands, words in zip(trace.hands, trace.words, strict=True):
            five = tuple(Card(card) for card in hands[0, :5].tolist())
            low = max(value(STRONGEST, five, suit) for suit in range(4)) < threshold
            assert (word_text(int(words[0])) == word) == low
            said.setdefault(word, set()).add(low)
    assert said == {"pass": {True, False}, "thirteenth": {True, False}}


@pytest.mark.parametrize(("policy", "below"), [
    ("auto", STRONGEST.redeal_below), ("never", NEVER), ("always", ALWAYS),
])
def test_a_weak_hand_without_an_honour_is_dealt_again(policy: str, below: int) -> None:
    trace = Table("bavan", f"simple/strongest:redeal={policy}:thirteenth=never").trace(4, 0, 3000)
    for hands, words in zip(trace.hands, trace.words, strict=True):
        five = tuple(Card(card) for card in hands[0, :5].tolist())
        weak = max(value(STRONGEST, five, suit) for suit in range(4)) < below
        allowed = all(card.rank <= 8 for card in five)
        assert (word_text(int(words[0])) == "redeal") == (weak and allowed)


def test_policies_that_are_said_replace_the_thresholds() -> None:
    _, _, thresholds = kernel_caller(parse_built_in("greedy:pass=never:thirteenth=always"))
    assert list(thresholds) == [NEVER, STRONGEST.redeal_below, ALWAYS, STRONGEST.swap_below]


def test_the_hidden_card_is_the_highest_of_the_best_suit() -> None:
    trace = Table("hidden-trump", "simple/strongest:pass=never").trace(6, 0, 500)
    for hands, words in zip(trace.hands, trace.words, strict=True):
        five = tuple(Card(card) for card in hands[0, :5].tolist())
        held = sorted({int(card.suit) for card in five})
        suit = max(held, key=lambda suit: (value(STRONGEST, five, suit), -suit))
        assert word_text(int(words[0])) == f"hide {max(card for card in five if card.suit == suit)}"


@pytest.mark.parametrize("rules", ["single-sir", "mendikot-band"])
def test_strongest_wins_more_calls_than_longest_on_the_same_deals(rules: str) -> None:
    deals = 100_000
    longest = Table(rules, "greedy/longest").play(8, 0, deals)
    strongest = Table(rules, "greedy/strongest").play(8, 0, deals)
    gain = (strongest["winner"] == 0) * 1.0 - (longest["winner"] == 0)
    assert gain.mean() > 2 * gain.std() / deals**0.5


def test_a_caller_table_of_the_wrong_size_is_refused() -> None:
    with pytest.raises(ValueError, match="54 weights"):
        engine.Setup(resolve("classic"), ["simple"] * 4, [("weighted", (1, 2), (0, 0, 0, 0))] * 2)
