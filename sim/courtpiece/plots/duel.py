"""Figures of duels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from courtpiece.plots.style import BLUE, GREY, MARKERS, ORANGE, ROOM_FOR_A_NUMBER, SKY, Figure, sheet

if TYPE_CHECKING:
    import polars as pl

def duel(tables: Mapping[str, pl.DataFrame], *, us: str, them: str, matches: bool) -> list[Figure]:
    """Returns the figures of a duel."""
    return [_shares_won(tables["summary"], us, them, matches), _pairs(tables["pairs"], us, them, matches)]


def _shares_won(summary: pl.DataFrame, us: str, them: str, matches: bool) -> Figure:
    parts = summary.partition_by("rules", as_dict=True, maintain_order=True)
    names = [str(rules) for (rules,) in parts]
    what = "matches" if matches else "deals"
    first = " first" if matches else ""
    told = (("won", "all", BLUE), ("won-calling", f"calling{first}", SKY),
            ("won-defending", f"defending{first}", ORANGE))
    with sheet(1.3 + 0.55 * len(names)) as (drawing, axes):
        axes.axvline(50, color=GREY, linewidth=1)
        for at, (measure, label, colour) in enumerate(told):
            rows = [part.filter(measure=measure).row(0, named=True) for part in parts.values()]
            axes.errorbar(
                [100 * row["value"] for row in rows], [place + 0.18 * (at - 1) for place in range(len(rows))],
                xerr=[[100 * (row["value"] - row["low"]) for row in rows],
                      [100 * (row["high"] - row["value"]) for row in rows]],
                marker=MARKERS[at], markersize=5, linestyle="none", color=colour, label=label,
            )
        axes.set_yticks(range(len(names)), names)
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.set_xlabel(f"{what} won, %")
        drawing.legend(loc="outside upper left", ncols=3)
    return Figure(
        "won",
        f"{what.capitalize()} won by {us}",
        f"Share of the {what} that {us} won against {them}: of all, and of those in which it called{first} "
        f"and in which it defended{first}. The line is an even share; bars are 95 % intervals.",
        drawing,
    )


def _pairs(pairs: pl.DataFrame, us: str, them: str, matches: bool) -> Figure:
    names = [str(rules) for rules in pairs["rules"]]
    what = "matches" if matches else "deals"
    told = (("both", f"both by {us}", BLUE), ("one", "one by each", "#cccccc"),
            ("neither", f"both by {them}", ORANGE))
    counts = np.array([[row[key] for key, _, _ in told] for row in pairs.iter_rows(named=True)], float)
    shares = 100 * counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    with sheet(1.3 + 0.4 * len(names)) as (drawing, axes):
        ends = np.zeros(len(names))
        for at, (_, label, colour) in enumerate(told):
            axes.barh(range(len(names)), shares[:, at], left=ends, height=0.6, color=colour, label=label,
                      edgecolor="white", linewidth=0.5)
            for place, share in enumerate(shares[:, at]):
                if share >= ROOM_FOR_A_NUMBER:
                    axes.text(ends[place] + share / 2, place, f"{share:.0f}", ha="center", va="center",
                              color="white" if colour == BLUE else "black")
            ends += shares[:, at]
        axes.set_yticks(range(len(names)), names)
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.set_xlim(0, 100)
        axes.grid(axis="y", visible=False)
        axes.set_xlabel(f"share of the pairs of {what}, %")
        drawing.legend(loc="outside upper left", ncols=3, fontsize="small", columnspacing=1.2)
    return Figure(
        "pairs",
        f"The same {what} both ways",
        f"Each of the {what} was played twice, with the sides exchanged. Only pairs of which one player won "
        "both tell the players apart.",
        drawing,
    )
