"""Simulation and strategy analysis of Court Piece (Rang, Rung, Coat Pees, Hukum).

    >>> import courtpiece as cp
    >>> rules = cp.rules("double-sir", pile_blocks=["trump-ace"])
    >>> rules.collection.value
    'pile'

`call` values the calls of five cards, `run` runs a study; `Deal` and `Match` are the readable rules, `Table` plays
deals by the million.
"""

from courtpiece.advice import call
from courtpiece.cards import Card, Suit, parse_cards
from courtpiece.deal import Deal
from courtpiece.errors import CourtpieceError
from courtpiece.match import Match
from courtpiece.rules import Outcome, RuleSet, presets
from courtpiece.rules import resolve as rules
from courtpiece.run import Run, run
from courtpiece.table import Table

__all__ = [
    "Card",
    "CourtpieceError",
    "Deal",
    "Match",
    "Outcome",
    "RuleSet",
    "Run",
    "Suit",
    "Table",
    "call",
    "parse_cards",
    "presets",
    "rules",
    "run",
]
