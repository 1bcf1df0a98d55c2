"""The deals that are solved and not played: what lies on the table before the first lead."""

from __future__ import annotations

import numpy as np
import pytest

from courtpiece._kernel import engine
from courtpiece.cards import Card
from courtpiece.deal import Deal
from courtpiece.players.callers import kernel_caller
from courtpiece.players.registry import parse_built_in
from courtpiece.rules import resolve
from courtpiece.table import Table, seed_key
from courtpiece.words import NONE, word_text

RULES = (
    "single-sir,first_lead=caller", "bavan", "hidden-trump", "be-ranga", "double-sir-house", "mendikot-band",
)
FIVE = [12, 11, 3, 13, 33]


@pytest.mark.parametrize("players", ["random", "simple/strongest"])
@pytest.mark.parametrize("name", RULES)
def test_the_table_before_the_first_lead_is_that_of_the_same_deal_played(name: str, players: str) -> None:
    rules, player = resolve(name), parse_built_in(players)
    setup = engine.Setup(rules, [player.card] * 4, [kernel_caller(player)] * 2)
    hands, leaders, hidden, results = engine.open_deals(setup, seed_key(5), 70, 60)
    trace = Table(rules, players).trace(5, 70, 60)
    for row in range(60):
        deal = Deal(rules, [[Card(card) for card in hand] for hand in trace.hands[row].tolist()])
        for word in trace.words[row][trace.words[row] != NONE]:
            deal.say(word_text(int(word)))
        where = f"deal {70 + row} of seed 5"
        masks = [sum(1 << card for card in hand) for hand in deal.dealt]
        assert [int(mask) for mask in hands[row]] == masks, where
        assert (results["outcome"][row] != NONE) == (deal.phase == "over"), where
        assert results["caller"][row] == (NONE if deal.caller is None else deal.caller), where
        if deal.phase != "over":
            assert leaders[row] == deal.leader, where
            laid = (NONE, NONE) if deal.hidden_card is None else (deal.hider, deal.hidden_card)
            assert tuple(hidden[row]) == laid, where
            trump = deal.trump if deal.hidden_card is None else None
            assert results["trump"][row] == (NONE if trump is None else trump), where


def test_calls_open_the_deals_that_they_are_played_on() -> None:
    player = parse_built_in("simple/strongest")
    setup = engine.Setup(resolve("single-sir"), ["simple"] * 4, [kernel_caller(player)] * 2)
    words, out = np.array([0, 3, 4], np.uint8), np.empty((50, 3), engine.RESULT)
    engine.play_calls(setup, seed_key(5), 70, FIVE, words, out, stream=3)
    hands, leaders, _, results = engine.open_calls(setup, seed_key(5), 70, FIVE, words, 50, stream=3)
    for name in ("caller", "trump"):
        np.testing.assert_array_equal(results[name], out[name])
    assert (hands[:, :, 0] & 0x1808 == 0x1808).all()
    assert (hands == hands[:, :1]).all()
    assert (leaders == 0).all()
