"""Rule sets that differ from one in a single option."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from functools import lru_cache
from typing import Any, NamedTuple, get_type_hints

from courtpiece.errors import RulesError
from courtpiece.rules.loading import presets
from courtpiece.rules.options import Collection, Counting, Extra, PileBlock
from courtpiece.rules.ruleset import RuleSet

# Options that change names or the first deal alone, and those that players who always call and never claim
# do not come to.
NO_EFFECT = ("direction", "first_caller", "draw_tie", "uncalled", "claim", "failed_claim")

_USUAL_STREAK = 7                       # S0.24
_TARGETS = {Counting.POINTS: (3, 5, 7, 10), Counting.KOTS: (1, 3, 5)}    # of the sources, and around them


class Change(NamedTuple):
    """One option changed: its name, its new value as text, and the rule set that results."""

    option: str
    value: str
    rules: RuleSet


@lru_cache(maxsize=16)
def single_changes(base: RuleSet) -> tuple[Change, ...]:
    """Returns every legal rule set that differs from `base` in one option, in the table's order.

    Switches and alternatives take every other value, scores those of presets that give a plain win of the
    callers as much, targets and streaks those of the sources, lists one item more or less.  Options without
    any effect on play or match are left out (NO_EFFECT), as are those that the base does not come to.
    """
    found: dict[RuleSet, Change] = {}
    for option in RuleSet.__dataclass_fields__:
        if option in NO_EFFECT or option in _idle(base):
            continue
        for value in _others(base, option):
            try:
                rules = base.replace(**{option: value})
            except RulesError:          # legal only together with another change
                continue
            if rules != base and rules not in found:
                found[rules] = Change(option, _text(value), rules)
    return tuple(found.values())


def _idle(base: RuleSet) -> set[str]:
    """Returns the options that change nothing under a rule set."""
    idle = set()
    if base.collection is not Collection.PILE:
        idle |= {"pile_blocks", "blocked_run"}
    if not base.pile_blocks:
        idle.add("blocked_run")
    if not base.streak:
        idle.add("streak_bonus")
    if not base.caller_may_pass:
        idle.add("first_lead")
    return idle


def _others(base: RuleSet, option: str) -> Iterator[Any]:
    """Yields the values that an option is changed to."""
    value = getattr(base, option)
    kind = get_type_hints(RuleSet)[option]
    if option == "score":
        yield from (rules.score for rules in presets().values()
                    if rules.objective is base.objective and rules.score[0] == base.score[0])
    elif option == "target":
        yield from _TARGETS[base.counting] if base.target is not None else ()
    elif option == "streak":
        yield 0 if base.streak else _USUAL_STREAK
    elif option == "streak_bonus":
        yield from (value - 1, value + 1) if value else (1,)
    elif option in ("pile_blocks", "extras"):
        items = (*PileBlock, 2, 11, 12) if option == "pile_blocks" else tuple(Extra)
        for item in items:
            yield [*(other for other in value if other != item), *([] if item in value else [item])]
    elif kind is bool:
        yield not value
    elif isinstance(kind, type) and issubclass(kind, Enum):
        yield from (other for other in kind if other is not value)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value)) or "none"
    return str(value)
