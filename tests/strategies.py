"""Random rule sets for tests: every legal one can come, spread evenly over the modes that matter."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from hypothesis import strategies as st

from courtpiece.errors import RulesError
from courtpiece.rules import RuleSet

T = TypeVar("T")


class Pick(Protocol):
    """Chooses one of several."""

    def __call__(self, choices: Sequence[T], /) -> T: ...


def random_rule_set(source: random.Random) -> RuleSet:
    """Returns a random legal rule set; quick, for tests that need thousands."""
    return RuleSet(**_legal_options(source.choice))


@st.composite
def legal_rule_sets(draw: st.DrawFn) -> RuleSet:
    """Draws a legal rule set; it shrinks towards called trumps, single tricks and defaults."""
    return RuleSet(**_legal_options(lambda choices: draw(st.sampled_from(choices))))


def random_options(source: random.Random) -> dict[str, Any]:
    """Returns a readable value for every option, legal together but for what up to three of them break."""
    options, others = _legal_options(source.choice), _any_options(source.choice)
    return options | {name: others[name] for name in source.sample(sorted(others), source.randint(0, 3))}


def refusal(read: Callable[..., object], /, *given: object, **options: object) -> RulesError | None:
    """Returns the error with which `read` refuses what is given, if it does."""
    try:
        read(*given, **options)
    except RulesError as error:
        return error
    return None


def _legal_options(pick: Pick) -> dict[str, Any]:
    """Returns options that keep every constraint, each drawn among what those before it leave."""
    trump = pick(["called", "hidden", "first-void"])
    collection = pick(["each-trick", "pile"])
    objective = pick(["tricks", "tens"])
    options = _any_options(pick) | {"trump": trump, "collection": collection, "objective": objective}

    ends = ["at-seven", "at-seven-unless-shutout", "after-thirteen"]
    if objective == "tens":
        ends = ["after-thirteen"]
    elif collection == "pile":
        ends = ends[1:]
    options["deal_ends"] = pick(ends)

    kots = ["first-seven", "all-thirteen", "none"]
    if collection == "pile":
        kots.remove("first-seven")
    if options["deal_ends"] == "at-seven":
        kots.remove("all-thirteen")
    options["kot"] = pick(kots)

    if options["kot"] != "all-thirteen":
        del options["claim"]
    if trump == "first-void":
        del options["caller_may_pass"], options["uncalled"]
    if trump != "called":
        del options["redeal"], options["thirteenth"]
    if trump != "hidden":
        for name in ("reveal", "revealer_must_trump", "reveal_scope", "reveal_on_lead"):
            del options[name]
    if trump == "first-void" or objective == "tens":
        options["extras"] = [extra for extra in options["extras"] if extra != "change-trump"]
    return options


def _any_options(pick: Pick) -> dict[str, Any]:
    """Returns a readable value for every option."""
    switch = [False, True]
    return {
        "direction": pick(["anticlockwise", "clockwise"]),
        "first_caller": pick(["highest-card", "highest-card-team", "first-ace", "first-jack", "random"]),
        "draw_tie": pick(["all-redraw", "tied-redraw"]),
        "trump": pick(["called", "hidden", "first-void"]),
        "caller_may_pass": pick(switch),
        "uncalled": pick(["none", "blind-stock", "random-own-five"]),
        "redeal": pick(["off", "no-card-above-ten", "no-card-above-nine"]),
        "thirteenth": pick(switch),
        "reveal": pick(["on-request", "at-first-void"]),
        "revealer_must_trump": pick(switch),
        "reveal_scope": pick(["from-reveal", "whole-trick"]),
        "reveal_on_lead": pick(switch),
        "first_lead": pick(["eldest", "caller"]),
        "collection": pick(["each-trick", "pile"]),
        "pile_blocks": _some(pick, ["ace-on-ace", "trump-ace", *range(1, 13)]),
        "blocked_run": pick(["continues", "restarts"]),
        "deal_ends": pick(["at-seven", "at-seven-unless-shutout", "after-thirteen"]),
        "objective": pick(["tricks", "tens"]),
        "kot": pick(["first-seven", "all-thirteen", "none"]),
        "score": pick([None, [1, 2, 3, 4], [1, 1, 2, 3], [pick(range(60)) for _ in range(4)]]),
        "counting": pick(["points", "kots"]),
        "streak": pick(range(9)),
        "streak_bonus": pick([None, *range(9)]),
        "claim": pick(["off", pick(range(1, 100))]),
        "failed_claim": pick(["no-effect", "deal-lost"]),
        "kot_moves_call": pick(switch),
        "target": pick(["none", pick(range(1, 60))]),
        "extras": _some(pick, ["swap-cards", "change-trump"]),
    }


def _some(pick: Pick, items: Sequence[T]) -> list[T]:
    """Returns none, a few or about half of the items."""
    odds = pick([[False], [False, False, False, True], [False, True]])
    return [item for item in items if pick(odds)]
