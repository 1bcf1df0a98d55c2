"""Deals that the kernel played, as readable deals."""

from __future__ import annotations

import pytest

from courtpiece.played import played
from courtpiece.rules import Outcome, preset_names
from courtpiece.table import Table


@pytest.mark.parametrize("rules", preset_names())
def test_they_end_as_the_kernel_says(rules: str) -> None:
    table = Table(rules, "simple,random")
    results = table.play(7, 5, 3)
    for deal, result in zip(played(table, 7, 5, 3), results, strict=True):
        assert deal.outcome is list(Outcome)[result["outcome"]]
        assert deal.winner == (None if result["winner"] == 255 else result["winner"])
        assert deal.taken == result["taken"].tolist()


def test_a_deal_does_not_depend_on_where_one_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table("hidden-trump", "simple")
    whole = [deal.plays for deal in played(table, 1, 0, 7)]
    assert [deal.plays for deal in played(table, 1, 4, 3)] == whole[4:]
    monkeypatch.setattr("courtpiece.played._BATCH", 2)
    assert [deal.plays for deal in played(table, 1, 0, 7)] == whole


def test_the_dealer_gives_the_seats_their_letters() -> None:
    table = Table("single-sir", "simple")
    south, west = (next(played(table, 1, 0, 1, dealer=seat)) for seat in (3, 2))
    assert (south.name(0), west.name(0)) == ("S", "W")
    assert south.plays == west.plays
