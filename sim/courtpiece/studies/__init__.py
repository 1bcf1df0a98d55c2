"""The studies that come with the package, and how to find one by name."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from courtpiece.errors import UsageError, suggest
from courtpiece.rules.values import show
from courtpiece.studies.study import Study

# Modules are imported when their study is asked for: the command line starts without them.
_BUILT_IN = {
    "trump-call": "courtpiece.studies.trump_call:TrumpCall",
    "trump-book": "courtpiece.studies.trump_book:TrumpBook",
    "rules-of-thumb": "courtpiece.studies.rules_of_thumb:RulesOfThumb",
    "kot-frequency": "courtpiece.studies.kot_frequency:KotFrequency",
    "rare-kots": "courtpiece.studies.rare_kots:RareKots",
    "conventions": "courtpiece.studies.conventions:Conventions",
    "calls-that-lie": "courtpiece.studies.calls_that_lie:CallsThatLie",
    "duel": "courtpiece.studies.duel:Duel",
    "ladder": "courtpiece.studies.ladder:Ladder",
    "toss": "courtpiece.studies.toss:Toss",
    "variants": "courtpiece.studies.variants:Variants",
    "options": "courtpiece.studies.options:Options",
}


def names() -> tuple[str, ...]:
    """Returns the names of all built-in studies."""
    return tuple(_BUILT_IN)


def find(name: str) -> Study[Any]:
    """Returns the built-in study of that name; raises UsageError when there is none."""
    if not isinstance(name, str) or name not in _BUILT_IN:
        there_are = ", ".join(_BUILT_IN) + suggest(str(name), _BUILT_IN)
        raise UsageError(f"there is no study {show(name)}; there are {there_are}")
    module, _, kind = _BUILT_IN[name].partition(":")
    study: Study[Any] = getattr(import_module(module), kind)()
    return study
