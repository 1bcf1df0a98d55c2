"""The kernel counts the same lines of play as the readable engine: the files of tests/perft."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from courtpiece._kernel import engine
from courtpiece.cards import Card
from courtpiece.deal import REVEAL as SHOW
from courtpiece.words import REVEAL
from tests.kernel.test_differential import arrays_of, setup_of
from tests.perft.test_perft import ENDINGS, start


def plays_of(move: str) -> list[int]:
    """The kernel's plays of a move such as `reveal 9C`."""
    return [REVEAL if item == SHOW else int(Card.parse(item)) for item in move.split()]


@pytest.mark.parametrize("path", ENDINGS, ids=lambda path: path.stem)
def test_kernel_counts_the_lines_that_begin_with_each_move(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    deal = start(text)
    expected = {
        line.removeprefix("first ").partition(": ")[0]: int(line.partition(": ")[2])
        for line in text.splitlines()
        if line.startswith("first ")
    }
    setup = setup_of(deal.rules)
    hands, words, claimer, _ = arrays_of(deal)

    def lines(plays: list[int]) -> int:
        return engine.perft(setup, hands, words, claimer, np.array(plays, np.uint8))

    assert {move: lines(plays_of(move)) for move in expected} == expected
    assert lines([]) == sum(expected.values())
