"""Figures of duels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from courtpiece.plots.style import BLUE, GREY, MARKERS, ORANGE, ROOM_FOR_A_NUMBER, SKY, Figure, figure, sheet

if TYPE_CHECKING:
    import polars as pl

    from courtpiece.language import Words


def duel(
    tables: Mapping[str, pl.DataFrame], words: Words, *, us: str, them: str, matches: bool
) -> list[Figure]:
    """Returns the figures of a duel."""
    what = "matches" if matches else "deals"
    return [
        _shares_won(tables["summary"], words, us, them, what), _pairs(tables["pairs"], words, us, them, what)
    ]


def _shares_won(summary: pl.DataFrame, words: Words, us: str, them: str, what: str) -> Figure:
    parts = summary.partition_by("rules", as_dict=True, maintain_order=True)
    names = [str(rules) for (rules,) in parts]
    told = (("won", BLUE), ("won-calling", SKY), ("won-defending", ORANGE))
    with sheet(1.3 + 0.55 * len(names)) as (drawing, axes):
        axes.axvline(50, color=GREY, linewidth=1)
        for at, (measure, colour) in enumerate(told):
            rows = [part.filter(measure=measure).row(0, named=True) for part in parts.values()]
            axes.errorbar(
                [100 * row["value"] for row in rows], [place + 0.18 * (at - 1) for place in range(len(rows))],
                xerr=[[100 * (row["value"] - row["low"]) for row in rows],
                      [100 * (row["high"] - row["value"]) for row in rows]],
                marker=MARKERS[at], markersize=5, linestyle="none", color=colour,
                label=words(f"{what}-won.{measure}"),
            )
        axes.set_yticks(range(len(names)), names)
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.set_xlabel(words(f"{what}-won.share"))
        drawing.legend(loc="outside upper left", ncols=3)
    return figure(words, "won", drawing, key=f"{what}-won", us=us, them=them)


def _pairs(pairs: pl.DataFrame, words: Words, us: str, them: str, what: str) -> Figure:
    names = [str(rules) for rules in pairs["rules"]]
    told = (("both", BLUE), ("one", "#cccccc"), ("neither", ORANGE))
    counts = np.array([[row[key] for key, _ in told] for row in pairs.iter_rows(named=True)], float)
    shares = 100 * counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    with sheet(1.3 + 0.4 * len(names)) as (drawing, axes):
        ends = np.zeros(len(names))
        for at, (key, colour) in enumerate(told):
            axes.barh(range(len(names)), shares[:, at], left=ends, height=0.6, color=colour,
                      label=words(f"{what}-pairs.{key}", us=us, them=them), edgecolor="white", linewidth=0.5)
            for place, share in enumerate(shares[:, at]):
                if share >= ROOM_FOR_A_NUMBER:
                    axes.text(ends[place] + share / 2, place, f"{share:.0f}", ha="center", va="center",
                              color="white" if colour == BLUE else "black")
            ends += shares[:, at]
        axes.set_yticks(range(len(names)), names)
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.set_xlim(0, 100)
        axes.grid(axis="y", visible=False)
        axes.set_xlabel(words(f"{what}-pairs.share"))
        drawing.legend(loc="outside upper left", ncols=3, fontsize="small", columnspacing=1.2)
    return figure(words, "pairs", drawing, key=f"{what}-pairs")
