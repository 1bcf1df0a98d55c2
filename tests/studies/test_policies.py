"""What a built-in caller says, in Python as in the kernel."""

from __future__ import annotations

import pytest

from courtpiece.advice import distinct_calls
from courtpiece.cards import Card
from courtpiece.studies.policies import said
from courtpiece.table import Table, word_text

DEALS = 250


@pytest.mark.parametrize("rules", ["single-sir", "bavan", "hidden-trump", "mendikot-band"])
@pytest.mark.parametrize(
    "player",
    ["simple/longest", "simple/strongest", "simple/longest:pass=always:thirteenth=always:redeal=never"],
)
def test_it_is_what_the_kernel_says(rules: str, player: str) -> None:
    table = Table(rules, player)
    trace = table.trace(3, 0, DEALS)
    for hand, words in zip(trace.hands[:, 0, :5].tolist(), trace.words[:, 0].tolist(), strict=True):
        five = [Card(card) for card in hand]
        legal = [word for alike in distinct_calls(five, table.rules) for word in alike]
        assert said(table.lineup.caller_side, five, table.rules, legal) == (word_text(words),)


def test_the_random_caller_says_any_word_it_may() -> None:
    table = Table("bavan", "random")
    five = [Card.S2, Card.H3, Card.H5, Card.D9, Card.DT]
    legal = ["S", "H", "D", "C", "thirteenth", "redeal"]
    assert said(table.lineup.caller_side, five, table.rules, legal) == tuple(legal)
