"""Rule sets that differ in one option."""

from __future__ import annotations

import pytest

from courtpiece.rules import preset_names, resolve
from courtpiece.rules.changes import NO_EFFECT, single_changes

SETTLED_BY_ANOTHER = {"counting": {"streak_bonus"}, "objective": {"score"}}


@pytest.mark.parametrize("name", preset_names())
def test_each_change_is_of_one_option(name: str) -> None:
    base = resolve(name)
    changes = single_changes(base)
    assert changes
    assert len({change.rules for change in changes} | {base}) == len(changes) + 1
    for change in changes:
        differ = {option for option in base.to_dict()
                  if getattr(base, option) != getattr(change.rules, option)}
        assert change.option in differ
        assert differ - {change.option} <= SETTLED_BY_ANOTHER.get(change.option, set())
        assert change.option not in NO_EFFECT


def test_all_that_can_be_changed_alone_is() -> None:
    changes = single_changes(resolve("single-sir"))
    assert {change.option for change in changes} == {
        "trump", "caller_may_pass", "redeal", "thirteenth", "first_lead", "deal_ends", "kot", "score",
        "counting", "streak", "streak_bonus", "kot_moves_call", "target", "extras",
    }
    assert [change.value for change in changes if change.option == "target"] == ["3", "5", "7"]


def test_what_needs_a_second_change_is_left_out() -> None:
    changes = {(change.option, change.value) for change in single_changes(resolve("single-sir"))}
    assert ("collection", "pile") not in changes
    assert ("kot", "all-thirteen") not in changes
    assert ("collection", "each-trick") in {
        (change.option, change.value) for change in single_changes(resolve("double-sir"))}


def test_what_has_no_effect_is_left_out() -> None:
    assert "pile_blocks" not in {change.option for change in single_changes(resolve("single-sir"))}
    assert "pile_blocks" in {change.option for change in single_changes(resolve("double-sir"))}
    assert "first_lead" not in {change.option for change in single_changes(resolve("hakim"))}
