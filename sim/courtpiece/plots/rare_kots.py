"""Figures of the rare-kots study."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from courtpiece.plots.style import BLUE, GREY, VERMILION, Figure, combinations, figure, sheet

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes

    from courtpiece.language import Words

_SIDES = (("caller", BLUE, "o"), ("defender", VERMILION, "s"))
_LINES = ("-", "--", "-.", ":")
_LEAST = 0.01                           # of a value: how far its interval is drawn where that reaches zero


def rare_kots(tables: Mapping[str, pl.DataFrame], words: Words) -> list[Figure]:
    """Returns the figures of the rare-kots study."""
    which = ["rules", "players", "measure", "side"]
    summary = tables["summary"].join(tables["beside"], on=which, maintain_order="left")
    return [_chances(summary, words), _levels(tables["levels"], words)]


def _chances(summary: pl.DataFrame, words: Words) -> Figure:
    colours = {side: colour for side, colour, _ in _SIDES}
    rows = [(which, row) for which, part in combinations(summary) for row in part.iter_rows(named=True)]
    with sheet(1.2 + 0.5 * len(rows)) as (drawing, axes):
        for place, (_, row) in enumerate(rows):
            _mark(axes, row, place - 0.15, "", colours[row["side"]], "o")
            _mark(axes, row, place + 0.15, "plain_", GREY, "D")
        for colour, marker, key in ((BLUE, "o", "method"), (GREY, "D", "plain")):
            label = words(f"rare-chances.{key}")
            axes.plot([], [], color=colour, marker=marker, linestyle="none", label=label)
        axes.set_xscale("log")
        labels = [
            "\n".join(filter(None, (which, words(f"rare-chances.{row['measure']}-{row['side']}"))))
            for which, row in rows
        ]
        axes.set_yticks(range(len(rows)), labels)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_xlabel(words("rare-chances.chance"))
        drawing.legend(loc="outside upper left", ncols=2)
    return figure(words, "rare-chances", drawing)


def _mark(axes: Axes, row: Mapping[str, Any], place: float, prefix: str, colour: str, marker: str) -> None:
    value = row["plain" if prefix else "value"]
    if value > 0:
        low, high = max(row[f"{prefix}low"], _LEAST * value), row[f"{prefix}high"]
        axes.errorbar([value], [place], xerr=[[value - low], [high - value]], marker=marker, markersize=4,
                      color=colour, linestyle="none")


def _levels(levels: pl.DataFrame, words: Words) -> Figure:
    with sheet(3.4) as (drawing, axes):
        for at, (which, part) in enumerate(combinations(levels)):
            for side, colour, marker in _SIDES:
                rows = [row for row in part.filter(side=side).iter_rows(named=True) if row["value"] > 0]
                axes.errorbar(
                    [row["tricks"] for row in rows], [row["value"] for row in rows],
                    yerr=[[row["value"] - max(row["low"], _LEAST * row["value"]) for row in rows],
                          [row["high"] - row["value"] for row in rows]],
                    marker=marker, markersize=4, color=colour, linestyle=_LINES[at % len(_LINES)],
                    label=" ".join(filter(None, (which.replace("\n", " "), words.term(side)))),
                )
        axes.set_yscale("log")
        axes.set_xticks(range(min(levels["tricks"], default=0), 14))
        axes.set_xlabel(words("levels.tricks"))
        axes.set_ylabel(words("levels.chance"))
        drawing.legend(loc="outside upper left", ncols=2, fontsize="small")
    return figure(words, "levels", drawing)
