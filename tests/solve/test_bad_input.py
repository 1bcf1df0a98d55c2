"""What cannot be solved is refused in one line that says why."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from courtpiece.cards import PACK
from courtpiece.deal import Deal
from courtpiece.errors import CourtpieceError
from courtpiece.rules import resolve
from courtpiece.solve import solve, solve_many

FOUR = "A2... K3... QJ... T9..."


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"position": "A2... K3... Q... T9..."}, r"the hands hold \[2, 2, 1, 2\] cards: every seat"),
        ({"position": "A2... A3... QJ... T9..."}, "AS is there twice"),
        ({"position": "A2... K3... QJ..."}, "a deal has four hands, not 3"),
        ({"position": FOUR, "trick": "4S"}, r"hold \[2, 2, 2, 2\] cards with 4S on the table"),
        (
            {"position": "A... 3... .23.. 2.5..", "trick": "KS 9H"},
            "seat 1 cannot have played 9H to KS: it still",
        ),
        ({"position": FOUR, "leader": 4}, "the leader is a seat from 0 to 3, not 4"),
        ({"position": FOUR, "taken": (7, 5)}, "12 tricks taken and 2 left"),
        ({"position": FOUR, "trump": "X"}, 'there is no suit "X"'),
        ({"position": FOUR, "rules": "single-sir"}, "trump=called always has a trump"),
        ({"position": FOUR, "rules": "hidden-trump"}, "trump=hidden needs the trump once shown"),
    ],
)
def test_a_position_that_cannot_be_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(CourtpieceError, match=message) as caught:
        solve(**arguments)
    assert "\n" not in str(caught.value)


def test_a_deal_without_trump_is_refused() -> None:
    deal = Deal(resolve("single-sir"), [PACK[13 * seat : 13 * seat + 13] for seat in range(4)])
    with pytest.raises(CourtpieceError, match="trump is not set yet"):
        solve(deal)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[1, 2, 4]], 0), "four|array"),
        (([[1, 2, 4, 24]], 0), r"deal 0: the hands hold \[1, 1, 1, 2\]"),
        (([[1, 2, 4, 8], [1, 2, 4, 4]], 0), "deal 1: a card is in two hands"),
        (([[1, 2, 4, 1 << 52]], 0), "bits 0 to 51"),
        (([[0, 0, 0, 0]], 0), "at least one card"),
        (([[1, 2, 4, 8]], 4), "trumps are 0, 1, 2, 3, 255"),
        (([[1, 2, 4, 8]], [0, 1]), "trumps are one number"),
        (([[1, 2, 4, 8]], 0, 9), "leaders are 0, 1, 2, 3"),
    ],
)
def test_a_batch_with_a_deal_that_cannot_be_is_refused(arguments: tuple[Any, ...], message: str) -> None:
    hands, *rest = arguments
    with pytest.raises(CourtpieceError, match=message):
        solve_many(np.array(hands), *rest)


def test_an_unknown_question_is_refused() -> None:
    with pytest.raises(CourtpieceError, match='there is no question "points"'):
        solve_many(np.array([[1, 2, 4, 8]]), 0, question="points")  # type: ignore[arg-type]
