"""Figures of the rare-kots study."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from courtpiece.plots.style import BLUE, GREY, VERMILION, Figure, combinations, row_height, sheet

if TYPE_CHECKING:
    import polars as pl


def rare_kots(tables: Mapping[str, pl.DataFrame]) -> list[Figure]:
    """Returns the figures of the rare-kots study."""
    return [_chances(tables["summary"]), *_levels(tables["levels"])]


def _chances(summary: pl.DataFrame) -> Figure:
    parts = combinations(summary)
    labels, places = [], []
    with sheet(1.3 + (row_height(parts) + 0.35) * len(parts)) as (drawing, axes):
        for at, (which, part) in enumerate(parts):
            for row in part.iter_rows(named=True):
                place = len(places)
                places.append(place)
                what = "claim certain" if row["measure"] == "certain-claim" else "all thirteen"
                labels.append(f"{which} {what}, {row['side']}".strip())
                if row["value"] <= 0:
                    continue
                colour = BLUE if row["side"] == "caller" else VERMILION
                for shift, key, marker, hue in ((-0.15, "", "o", colour), (0.15, "plain_", "s", GREY)):
                    value = row["plain"] if key else row["value"]
                    if value <= 0:
                        continue
                    low, high = max(row[f"{key}low"], value / 100), row[f"{key}high"]
                    axes.errorbar([value], [place + shift], xerr=[[value - low], [high - value]], marker=marker,
                                  markersize=5, color=hue, linestyle="none",
                                  label=("plain simulation" if key else "this study") if at + place == 0 else None)
        axes.set_xscale("log")
        axes.set_yticks(places, labels)
        axes.set_ylim(len(places) - 0.5, -0.5)
        axes.set_xlabel("chance in a deal played (logarithmic)")
        drawing.legend(loc="outside upper left", ncols=2)
    return Figure(
        "rare-chances",
        "How rare the rarest ends are",
        "Chance of all thirteen tricks by a side, the deal played to its end, and of a certain claim of them, all hands "
        "open. Round marks with 95 % intervals come from this study, square ones from a plain simulation of the "
        "same deals.",
        drawing,
    )


def _levels(levels: pl.DataFrame) -> list[Figure]:
    parts = combinations(levels)
    if not len(levels):
        return []
    with sheet(3.2) as (drawing, axes):
        for at, (which, part) in enumerate(parts):
            for side, colour, marker in (("caller", BLUE, "o"), ("defender", VERMILION, "s")):
                rows = [row for row in part.filter(side=side).iter_rows(named=True) if row["value"] > 0]
                values = [row["value"] for row in rows]
                axes.errorbar(
                    [row["tricks"] for row in rows], values,
                    yerr=[[value - max(row["low"], value / 100) for value, row in zip(values, rows, strict=True)],
                          [row["high"] - value for value, row in zip(values, rows, strict=True)]],
                    marker=marker, markersize=4, color=colour, linestyle=("-", "--", "-.", ":")[at % 4],
                    label=" ".join([which.replace("\n", " "), side]).strip(),
                )
        axes.set_yscale("log")
        axes.set_xlabel("so many tricks or more")
        axes.set_ylabel("chance in a deal")
        drawing.legend(loc="outside upper left", ncols=2, fontsize="small")
    return [Figure(
        "levels",
        "From many tricks to all",
        "Chance that a side takes so many tricks or more of a deal played to its end: the levels of the splitting, "
        "with 95 % intervals.",
        drawing,
    )]
