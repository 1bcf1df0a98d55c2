"""Two partners with habits of their own against `greedy` in their seats: the same deals, both ways round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from courtpiece.players import AnyPlayer, Lineup
from courtpiece.rules import Outcome, RuleSet
from courtpiece.stats import LEVEL, Estimates, Method, few_apart, holm, means, two_sided_p
from courtpiece.studies.estimates import estimate_row
from courtpiece.table import Table

MEASURES = ("points", "won", "points-calling", "points-defending", "won-calling", "won-defending")
_OUTCOMES = tuple(Outcome)
_REDEAL = _OUTCOMES.index(Outcome.REDEAL)


def seated(side: int, first: AnyPlayer, second: AnyPlayer, others: AnyPlayer) -> Lineup:
    """Returns the line-up in which two partners, in order of play, sit on a side."""
    pairs = [(others, others)] * 2
    pairs[side] = first, second
    (one, three), (two, four) = pairs
    return Lineup((one, two, three, four))


class Played(NamedTuple):
    """Of each deal that is played, the points that the caller's side is ahead, and whether it wins.

    The partners are the caller's side in the first two, the defenders in the others.
    """

    points: NDArray[np.int64]
    won: NDArray[np.int64]
    points_defending: NDArray[np.int64]
    won_defending: NDArray[np.int64]

    def less(self, other: Played) -> dict[str, NDArray[np.int64]]:
        """Returns what these partners gain over others, by the names of the columns."""
        calling, defending = self.points - other.points, other.points_defending - self.points_defending
        won, won_defending = self.won - other.won, other.won_defending - self.won_defending
        return {
            "points_calling": calling, "points_defending": defending, "points": calling + defending,
            "won_calling": won, "won_defending": won_defending, "won": won + won_defending,
        }


def played(rules: RuleSet, lineups: Sequence[Lineup], seed: int, start: int, stop: int) -> Played:
    """Returns what comes of deals with the partners as the caller's side, and as the defenders."""
    worth = np.array([
        [sign * rules.score_of(outcome, bool(won)) for won, sign in ((0, -1), (1, 1))]
        for outcome in _OUTCOMES if outcome is not Outcome.REDEAL
    ], np.int64)
    found = []
    for lineup in lineups:
        results = Table(rules, lineup).play(seed, start, stop - start)
        results = results[results["outcome"] != _REDEAL]
        won = (results["winner"] == 0).astype(np.int64)
        found += [worth[results["outcome"], won], won]
    return Played(*found)


def sums(gains: Mapping[str, NDArray[np.int64]]) -> dict[str, int]:
    """Returns how many deals there were, in how many the points changed, and sums of gains and of squares."""
    changed = (gains["points_calling"] != 0) | (gains["points_defending"] != 0)
    return {
        "deals": len(changed), "changed": int(changed.sum()),
        **{name: int(gain.sum()) for name, gain in gains.items()},
        **{f"{name}_squares": int((gain * gain).sum()) for name, gain in gains.items()},
    }


def compared(family: Sequence[Mapping[str, Any]], measure: str) -> list[dict[str, Any]]:
    """Returns the rows of one measure from their `sums`, corrected for each other.

    Each has an interval of its own, one that holds for all at once (Bonferroni: `sure_low`, `sure_high`), and
    a p-value, as it is and corrected (Holm).  Where too few deals changed none of this is known; of what one
    side gains in points, where too few were won by the other side instead.
    """
    name, scale = measure.replace("-", "_"), 1 if "-" in measure else 2
    n = [row["deals"] for row in family]
    totals = [row[name] for row in family], [row[f"{name}_squares"] for row in family]
    changed = [min(row["changed"], row[f"{name.replace('points_', 'won_')}_squares"]) for row in family]
    unsure = few_apart(changed, n)
    found = means(n, *totals, unsure=unsure)
    sure = means(n, *totals, level=1 - (1 - LEVEL) / len(family), unsure=unsure)
    p_values = two_sided_p(found.value, found.standard_error, np.array(n) - 1)
    rows = []
    for at, (row, p_value, p_holm) in enumerate(zip(family, p_values, holm(p_values), strict=True)):
        one = Estimates(*(values[at] for values in found))
        rows.append({
            **row, **estimate_row(one, n[at], Method.PAIRED_T, scale), "measure": measure,
            "sure_low": float(sure.low[at]) / scale, "sure_high": float(sure.high[at]) / scale,
            "p_value": float(p_value), "p_holm": float(p_holm), "changed": row["changed"] / max(1, n[at]),
        })
    return rows
