"""Simulation and strategy analysis of Court Piece (Rang, Rung, Coat Pees, Hukum).

    >>> import courtpiece as cp
    >>> rules = cp.rules("double-sir", pile_blocks=["trump-ace"])
    >>> rules.collection.value
    'pile'

`call` values the calls of five cards, `run` runs a study and `verify` checks what it left on disk; `Deal`
and `Match` are the readable rules, `Table` plays deals by the million; `solve` answers exactly what perfect
play comes to, and `review` what each decision of a deal cost.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from courtpiece.books import call
    from courtpiece.cards import Card, Hand, Suit, parse_cards
    from courtpiece.deal import Deal
    from courtpiece.duel import duel
    from courtpiece.errors import CourtpieceError
    from courtpiece.explorer import explorer
    from courtpiece.match import Match
    from courtpiece.players.builtin import built_in
    from courtpiece.players.player import Player
    from courtpiece.results import Run
    from courtpiece.review import review
    from courtpiece.rules import Outcome, RuleSet, presets
    from courtpiece.rules import resolve as rules
    from courtpiece.run import run
    from courtpiece.solve import solve
    from courtpiece.table import Table
    from courtpiece.verification import verify
    from courtpiece.view import View

__all__ = [
    "Card",
    "CourtpieceError",
    "Deal",
    "Hand",
    "Match",
    "Outcome",
    "Player",
    "RuleSet",
    "Run",
    "Suit",
    "Table",
    "View",
    "built_in",
    "call",
    "duel",
    "explorer",
    "parse_cards",
    "presets",
    "review",
    "rules",
    "run",
    "solve",
    "verify",
]

_HOMES = {
    "books": ["call"],
    "cards": ["Card", "Hand", "Suit", "parse_cards"],
    "deal": ["Deal"],
    "errors": ["CourtpieceError"],
    "match": ["Match"],
    "players.builtin": ["built_in"],
    "players.player": ["Player"],
    "results": ["Run"],
    "rules": ["Outcome", "RuleSet", "presets"],
    "table": ["Table"],
    "verification": ["verify"],
    "view": ["View"],
}


def _function(module: str, name: str) -> property:
    """Returns an attribute that is a function although a module of the package has its name.

    The import system puts a module into its package under the module's name; here it is not let to.
    """

    def read(package: ModuleType) -> Any:
        return getattr(import_module(f"{__name__}.{module}"), name)

    return property(read, lambda package, module: None)


class _Package(ModuleType):
    """Loads a public name when it is first used, so that the command line starts fast."""

    review = _function("review", "review")
    rules = _function("rules", "resolve")
    run = _function("run", "run")
    solve = _function("solve", "solve")
    duel = _function("duel", "duel")
    explorer = _function("explorer", "explorer")

    def __getattr__(self, name: str) -> Any:
        for module, names in _HOMES.items():
            if name in names:
                return getattr(import_module(f"{__name__}.{module}"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *__all__})


sys.modules[__name__].__class__ = _Package
