"""Figures of the kot-frequency study."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from matplotlib.patches import Patch

from courtpiece.plots.style import (
    BLUE,
    ORANGE,
    PURPLE,
    ROOM_FOR_A_NUMBER,
    SKY,
    VERMILION,
    Figure,
    combinations,
    row_height,
    sheet,
)

if TYPE_CHECKING:
    import polars as pl

def kot_frequency(tables: Mapping[str, pl.DataFrame]) -> list[Figure]:
    """Returns the figures of the kot-frequency study."""
    summary = tables["summary"]
    return [_kots(summary), _outcomes(summary)]


def _kots(summary: pl.DataFrame) -> Figure:
    parts = combinations(summary.filter(measure="kot"))
    sides = (("caller", "made by the caller's side", BLUE, "o", -0.14),
             ("defender", "made by the defenders", VERMILION, "s", 0.14))
    with sheet(1.25 + row_height(parts) * len(parts)) as (drawing, axes):
        for side, label, colour, marker, shift in sides:
            rows = [part.filter(side=side).row(0, named=True) for _, part in parts]
            axes.errorbar(
                [100 * row["value"] for row in rows], [place + shift for place in range(len(rows))],
                xerr=[[100 * (row["value"] - row["low"]) for row in rows],
                      [100 * (row["high"] - row["value"]) for row in rows]],
                marker=marker, markersize=5, linestyle="none", color=colour, label=label,
            )
        axes.set_yticks(range(len(parts)), [which or "all deals" for which, _ in parts])
        axes.set_ylim(len(parts) - 0.5, -0.5)
        axes.margins(x=0.03)
        axes.set_xlim(left=-0.03 * axes.get_xlim()[1])
        axes.set_xlabel("deals that end in a kot, %")
        drawing.legend(loc="outside upper left", ncols=2)
    return Figure(
        "kots",
        "How often a deal ends in a kot",
        "Share of deals that end in a kot (any outcome that counts as one), by the side that makes it. Bars "
        "are 95 % intervals; where none is to be seen it is shorter than the marker.",
        drawing,
    )


# From the caller's best result to his worst: outcome, side that wins, what to call it, colour.
_ENDINGS = (
    ("claim-made", "caller", "claim", PURPLE),
    ("caller-kot", "caller", "kot", BLUE),
    ("whitewash", "caller", "whitewash", PURPLE),
    ("four-tens", "caller", "four tens", BLUE),
    ("three-tens", "caller", "three tens", SKY),
    ("caller-win", "caller", "win", SKY),
    ("two-tens", "caller", "two tens and won", "#B7DDF3"),
    ("two-tens", "defender", "two tens and lost", "#FBE3B5"),
    ("defender-win", "defender", "loss", ORANGE),
    ("three-tens", "defender", "one ten", ORANGE),
    ("four-tens", "defender", "no ten", VERMILION),
    ("defender-kot", "defender", "kot conceded", VERMILION),
    ("whitewash", "defender", "whitewashed", "#7A3500"),
    ("claim-made", "defender", "claim conceded", "#7A3500"),
)

def _outcomes(summary: pl.DataFrame) -> Figure:
    parts = combinations(summary)
    with sheet(1.5 + row_height(parts) * len(parts)) as (drawing, axes):
        ends = [0.0] * len(parts)
        labels: dict[str, list[str]] = {}       # by colour
        for outcome, side, label, colour in _ENDINGS:
            found = [part.filter(measure=outcome, side=side) for _, part in parts]
            shares = [100 * float(rows["value"][0]) if len(rows) else 0.0 for rows in found]
            if not any(shares):
                continue
            axes.barh(range(len(parts)), shares, left=ends, height=0.62, color=colour,
                      edgecolor="white", linewidth=0.5)
            labels.setdefault(colour, []).append(label)
            for place, share in enumerate(shares):
                if share >= ROOM_FOR_A_NUMBER:
                    dark = colour in (BLUE, VERMILION, PURPLE, "#7A3500")
                    axes.text(ends[place] + share / 2, place, f"{share:.0f}", ha="center", va="center",
                              color="white" if dark else "black")
            ends = [end + share for end, share in zip(ends, shares, strict=True)]
        axes.set_yticks(range(len(parts)), [which or "all deals" for which, _ in parts])
        axes.set_ylim(len(parts) - 0.5, -0.5)
        axes.set_xlim(0, 100)
        axes.grid(axis="y", visible=False)
        axes.set_xlabel("share of the deals played, %")
        keys = [Patch(color=colour, label=" / ".join(told)) for colour, told in labels.items()]
        drawing.legend(
            handles=keys, loc="outside upper left", ncols=3, fontsize="small", alignment="left",
            title="For the caller's side", columnspacing=1.2, handlelength=1.2,
        )
    return Figure(
        "outcomes",
        "How deals end",
        "How the deals played end, from the best result of the caller's side on the left to its worst on the "
        "right.",
        drawing,
    )
