"""Mirrored play: every deal twice, the sides changed, so that only the players differ."""

from __future__ import annotations

from courtpiece.rules import RulesSpec
from courtpiece.table import Table


def mirrored_share(rules: RulesSpec, player: str, other: str, deals: int, *, seed: int = 5) -> float:
    """Returns the share of deals that `player` takes from `other`; deals that are not played do not count."""
    first = Table(rules, f"{player},{other}").play(seed, 0, deals)
    second = Table(rules, f"{other},{player}").play(seed, 0, deals)
    ours = (first["winner"] == 0).sum() + (second["winner"] == 1).sum()
    return float(ours / ((first["winner"] < 2).sum() + (second["winner"] < 2).sum()))
