"""Figures of the study of conventions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from courtpiece.plots.style import BLUE, GREEN, GREY, ORANGE, PURPLE, VERMILION, Figure, figure, sheet

if TYPE_CHECKING:
    import polars as pl

    from courtpiece.language import Words

_WAYS = {
    "both": (BLUE, "o"), "one-way": (ORANGE, "s"), "unread": (GREEN, "^"), "understood": (VERMILION, "D"),
    "reading": (PURPLE, "v"),
}
_LITERAL = "low-strict"                 # far off the scale of the others


def conventions(tables: Mapping[str, pl.DataFrame], words: Words) -> list[Figure]:
    """Returns the figures of the study: the gain of each signal, one for each rule set."""
    which = ["rules", "signal", "way", "measure"]
    together = tables["together"].drop("value")
    points = tables["summary"].join(together, on=which, maintain_order="left").filter(measure="points")
    return [
        _gains(part, "gains" if at == 0 else f"gains-{at}", str(rules), words)
        for at, ((rules,), part) in enumerate(
            points.partition_by("rules", as_dict=True, maintain_order=True).items())
    ]


def _gains(points: pl.DataFrame, name: str, rules: str, words: Words) -> Figure:
    shown = points.filter(points["signal"].cast(str) != _LITERAL)
    signals = shown["signal"].unique(maintain_order=True).to_list()
    with sheet(1.4 + 0.72 * len(signals)) as (drawing, axes):
        axes.axvline(0, color=GREY, linewidth=1)
        for at, (way, (colour, marker)) in enumerate(_WAYS.items()):
            rows = list(shown.filter(way=way).iter_rows(named=True))
            places = [signals.index(row["signal"]) + 0.16 * (at - 2) for row in rows]
            axes.hlines(places, [row["sure_low"] for row in rows], [row["sure_high"] for row in rows],
                        color=colour, linewidth=0.8)
            axes.errorbar(
                [row["value"] for row in rows], places,
                xerr=[[row["value"] - row["low"] for row in rows],
                      [row["high"] - row["value"] for row in rows]],
                marker=marker, markersize=4, linestyle="none", color=colour, linewidth=2, capsize=0,
                label=words.term(way, "way"),
            )
        axes.set_yticks(range(len(signals)), [words.term(signal, "signal") for signal in signals])
        axes.set_ylim(len(signals) - 0.5, -0.5)
        axes.locator_params(axis="x", nbins=6)
        axes.set_xlabel(words("gains.points"))
        drawing.legend(loc="outside upper left", ncols=2, fontsize="small")
    return figure(words, name, drawing, key="gains", rules=rules)
