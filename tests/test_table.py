"""A table: what it refuses, and deals played by their numbers."""

from __future__ import annotations

import pytest

from courtpiece.errors import UsageError
from courtpiece.table import Table


@pytest.mark.parametrize(
    "rules", ["hakim", "bavan", "hakim,caller_may_pass=true", "hidden-trump,uncalled=none"]
)
def test_a_caller_who_never_calls_needs_rules_that_decide_without_him(rules: str) -> None:
    with pytest.raises(UsageError, match=f'"absent" needs rules whose uncalled is .* and in {rules} it is'):
        Table(rules, "simple/absent")
    Table(rules, "simple,simple/absent")        # the defenders never call


def test_where_nothing_is_called_any_caller_may_sit() -> None:
    assert len(Table("be-ranga", "simple/absent").play(1, 0, 10)) == 10


@pytest.mark.parametrize(
    ("seed", "start", "count"), [(-1, 0, 1), (True, 0, 1), (1, -1, 1), (1, 2**64, 1), (1, 2**64 - 1, 2)]
)
def test_deals_that_are_not_there_are_refused(seed: int, start: int, count: int) -> None:
    table = Table("hakim", "random")
    with pytest.raises(UsageError, match=r"seed must be a whole number|deals are numbered from"):
        table.play(seed, start, count)
    with pytest.raises(UsageError):
        table.trace(seed, start, count)


@pytest.mark.parametrize("players", ["greedy", "simple,random"])
def test_deals_played_by_their_numbers_are_those_of_a_batch(players: str) -> None:
    table, numbers = Table("bavan", players), [7, 0, 199, 7, 50]
    batch = table.play(3, 0, 200, stream=2)
    assert (table.play_each(3, numbers, stream=2) == batch[numbers]).all()
    assert len(table.play_each(3, [])) == 0
    with pytest.raises(UsageError, match="deals are numbered from 0"):
        table.play_each(3, [1, -1])
