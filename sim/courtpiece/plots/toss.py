"""Figures of the toss."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from courtpiece.plots.style import BLUE, GREEN, ORANGE, VERMILION, Figure, figure, sheet

if TYPE_CHECKING:
    import polars as pl

    from courtpiece.language import Words

_COLOURS = (BLUE, ORANGE, GREEN, VERMILION)
_MARKERS = "os^D"


def toss(tables: Mapping[str, pl.DataFrame], words: Words) -> list[Figure]:
    """Returns the figure of the toss: exact chances as ticks, drawn ones with their intervals."""
    parts = tables["seats"].partition_by("rules", as_dict=True, maintain_order=True)
    with sheet(1.2 + 0.55 * len(parts)) as (drawing, axes):
        for at, (seat, colour, marker) in enumerate(
            zip(tables["seats"]["seat"].unique(maintain_order=True), _COLOURS, _MARKERS, strict=True)
        ):
            rows = [part.filter(seat=seat).row(0, named=True) for part in parts.values()]
            places = [place + 0.18 * (at - 1.5) for place in range(len(rows))]
            axes.scatter([100 * row["exact"] for row in rows], places, marker="|", s=90, color=colour)
            axes.errorbar(
                [100 * row["simulated"] for row in rows], places,
                xerr=[100 * row["simulated_half_width"] for row in rows], marker=marker, markersize=4,
                linestyle="none", color=colour,
                label=words(f"toss.{seat}"),
            )
        axes.set_yticks(range(len(parts)), [_broken(str(rules)) for (rules,) in parts])
        axes.set_ylim(len(parts) - 0.5, -0.5)
        axes.set_xlabel(words("toss.chance"))
        drawing.legend(loc="outside upper left", ncols=4, columnspacing=1.0, handletextpad=0.4)
    return [figure(words, "toss", drawing)]


def _broken(rules: str) -> str:
    return rules.replace(",", ",\n", 1)
