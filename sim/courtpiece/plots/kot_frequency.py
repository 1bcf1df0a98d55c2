"""Figures of the kot-frequency study."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from matplotlib.patches import Patch

from courtpiece.plots.style import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    ROOM_FOR_A_NUMBER,
    SKY,
    VERMILION,
    Figure,
    combinations,
    figure,
    row_height,
    sheet,
)

if TYPE_CHECKING:
    import polars as pl

    from courtpiece.language import Words


def kot_frequency(tables: Mapping[str, pl.DataFrame], words: Words) -> list[Figure]:
    """Returns the figures of the kot-frequency study."""
    summary = tables["summary"]
    return [_kots(summary, words), _outcomes(summary, words), *_holdings(tables["holdings"], words)]


def _kots(summary: pl.DataFrame, words: Words) -> Figure:
    parts = combinations(summary.filter(measure="kot"))
    sides = (("caller", BLUE, "o", -0.14), ("defender", VERMILION, "s", 0.14))
    with sheet(1.25 + row_height(parts) * len(parts)) as (drawing, axes):
        for side, colour, marker, shift in sides:
            rows = [part.filter(side=side).row(0, named=True) for _, part in parts]
            axes.errorbar(
                [100 * row["value"] for row in rows], [place + shift for place in range(len(rows))],
                xerr=[[100 * (row["value"] - row["low"]) for row in rows],
                      [100 * (row["high"] - row["value"]) for row in rows]],
                marker=marker, markersize=5, linestyle="none", color=colour,
                label=words(f"kots.{side}"),
            )
        axes.set_yticks(range(len(parts)), [which or words("kots.all") for which, _ in parts])
        axes.set_ylim(len(parts) - 0.5, -0.5)
        axes.margins(x=0.03)
        axes.set_xlim(left=-0.03 * axes.get_xlim()[1])
        axes.set_xlabel(words("kots.share"))
        drawing.legend(loc="outside upper left", ncols=2)
    return figure(words, "kots", drawing)


# From the caller's best result to his worst: outcome, side that wins, colour.
_ENDINGS = (
    ("claim-made", "caller", PURPLE),
    ("caller-kot", "caller", BLUE),
    ("whitewash", "caller", PURPLE),
    ("four-tens", "caller", BLUE),
    ("three-tens", "caller", SKY),
    ("caller-win", "caller", SKY),
    ("two-tens", "caller", "#B7DDF3"),
    ("two-tens", "defender", "#FBE3B5"),
    ("defender-win", "defender", ORANGE),
    ("three-tens", "defender", ORANGE),
    ("four-tens", "defender", VERMILION),
    ("defender-kot", "defender", VERMILION),
    ("whitewash", "defender", "#7A3500"),
    ("claim-made", "defender", "#7A3500"),
)


def _outcomes(summary: pl.DataFrame, words: Words) -> Figure:
    parts = combinations(summary)
    with sheet(1.5 + row_height(parts) * len(parts)) as (drawing, axes):
        ends = [0.0] * len(parts)
        labels: dict[str, list[str]] = {}       # by colour
        for outcome, side, colour in _ENDINGS:
            found = [part.filter(measure=outcome, side=side) for _, part in parts]
            shares = [100 * float(rows["value"][0]) if len(rows) else 0.0 for rows in found]
            if not any(shares):
                continue
            axes.barh(range(len(parts)), shares, left=ends, height=0.62, color=colour,
                      edgecolor="white", linewidth=0.5)
            labels.setdefault(colour, []).append(words(f"outcomes.{outcome}.{side}"))
            for place, share in enumerate(shares):
                if share >= ROOM_FOR_A_NUMBER:
                    dark = colour in (BLUE, VERMILION, PURPLE, "#7A3500")
                    axes.text(ends[place] + share / 2, place, f"{share:.0f}", ha="center", va="center",
                              color="white" if dark else "black")
            ends = [end + share for end, share in zip(ends, shares, strict=True)]
        axes.set_yticks(range(len(parts)), [which or words("kots.all") for which, _ in parts])
        axes.set_ylim(len(parts) - 0.5, -0.5)
        axes.set_xlim(0, 100)
        axes.grid(axis="y", visible=False)
        axes.set_xlabel(words("outcomes.share"))
        keys = [Patch(color=colour, label=" / ".join(told)) for colour, told in labels.items()]
        drawing.legend(
            handles=keys, loc="outside upper left", ncols=3, fontsize="small", alignment="left",
            title=words("outcomes.legend"), columnspacing=1.2, handlelength=1.2,
        )
    return figure(words, "outcomes", drawing)


_BY_HONOURS = (BLUE, SKY, GREEN, ORANGE, VERMILION, PURPLE, GREY, "black")


def _holdings(holdings: pl.DataFrame, words: Words) -> list[Figure]:
    """Returns the kots of both sides by the cards of the suit called, for the first rule set and players."""
    parts = combinations(holdings.filter(measure="kot"))
    if not parts:
        return []
    rows = parts[0][1].filter(rules=parts[0][1]["rules"][0])
    tops = sorted({(honours.count("-"), honours) for honours in rows["honours"].cast(str)})
    with sheet(3.6) as (drawing, axes):
        for side, marker, filled in (("caller", "o", True), ("defender", "s", False)):
            for at, (_, honours) in enumerate(tops):
                told = list(rows.filter(side=side, honours=honours).sort("length").iter_rows(named=True))
                colour = _BY_HONOURS[at % len(_BY_HONOURS)]
                axes.errorbar(
                    [row["length"] + 0.08 * (at - len(tops) / 2) for row in told],
                    [100 * row["value"] for row in told],
                    yerr=[[100 * (row["value"] - row["low"]) for row in told],
                          [100 * (row["high"] - row["value"]) for row in told]],
                    marker=marker, markersize=3.5, color=colour, linewidth=0.8,
                    linestyle="-" if filled else ":", markerfacecolor=colour if filled else "white",
                    label=honours.replace("-", "") or words("holdings.none") if filled else None,
                )
        axes.set_yscale("symlog", linthresh=1)
        axes.set_xticks(sorted(rows["length"].unique()))
        axes.set_xlabel(words("holdings.length"))
        axes.set_ylabel(words("holdings.share"))
        drawing.legend(loc="outside upper left", ncols=4, fontsize="small", title=words("holdings.legend"))
    return [figure(words, "holdings", drawing)]
