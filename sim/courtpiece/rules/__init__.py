"""The rules of the game as data: options, rule sets, presets, outcomes."""

from courtpiece.rules.loading import RulesSpec, name_of, preset, preset_names, presets, resolve
from courtpiece.rules.options import (
    BlockedRun,
    Collection,
    Counting,
    DealEnds,
    Direction,
    DrawTie,
    Extra,
    FailedClaim,
    FirstCaller,
    FirstLead,
    Kot,
    Objective,
    PileBlock,
    Redeal,
    Reveal,
    RevealScope,
    Trump,
    Uncalled,
)
from courtpiece.rules.outcome import Outcome
from courtpiece.rules.ruleset import RuleSet

__all__ = [
    "BlockedRun",
    "Collection",
    "Counting",
    "DealEnds",
    "Direction",
    "DrawTie",
    "Extra",
    "FailedClaim",
    "FirstCaller",
    "FirstLead",
    "Kot",
    "Objective",
    "Outcome",
    "PileBlock",
    "Redeal",
    "Reveal",
    "RevealScope",
    "RuleSet",
    "RulesSpec",
    "Trump",
    "Uncalled",
    "name_of",
    "preset",
    "preset_names",
    "presets",
    "resolve",
]
