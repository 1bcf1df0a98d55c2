"""Figures of the ladder."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from courtpiece.plots.style import MARKERS, SERIES, Figure, figure, sheet

if TYPE_CHECKING:
    import polars as pl

    from courtpiece.language import Words


def ladder(tables: Mapping[str, pl.DataFrame], words: Words) -> list[Figure]:
    """Returns the figure of a ladder."""
    ratings = tables["summary"].filter(measure="rating")
    parts = ratings.partition_by("rules", as_dict=True, maintain_order=True)
    first = next(iter(parts.values())).sort("value", descending=True)
    players = [str(player) for player in first["player"]]
    with sheet(1.2 + 0.32 * len(players) + 0.12 * len(parts)) as (drawing, axes):
        for at, ((rules,), part) in enumerate(parts.items()):
            rows = {str(row["player"]): row for row in part.iter_rows(named=True)}
            shift = 0.5 * ((at + 0.5) / len(parts) - 0.5)
            axes.errorbar(
                [rows[player]["value"] for player in players],
                [place + shift for place in range(len(players))],
                xerr=[[rows[player]["value"] - rows[player]["low"] for player in players],
                      [rows[player]["high"] - rows[player]["value"] for player in players]],
                marker=MARKERS[at % len(MARKERS)], markersize=5, linestyle="none",
                color=SERIES[(at + 3) % len(SERIES)], label=str(rules),
            )
        axes.set_yticks(range(len(players)), players)
        axes.set_ylim(len(players) - 0.5, -0.5)
        axes.set_xlabel(words("ladder.rating"))
        if len(parts) > 1:
            drawing.legend(loc="outside upper left", ncols=2)
    return [figure(words, "ladder", drawing)]
