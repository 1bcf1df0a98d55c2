"""Figures of the study of what a call tells."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from courtpiece.plots.style import (
    BLUE,
    GREEN,
    GREY,
    MARKERS,
    ORANGE,
    SERIES,
    VERMILION,
    Figure,
    figure,
    sheet,
)

if TYPE_CHECKING:
    import polars as pl

    from courtpiece.language import Words

_OBSERVERS = {"sight": (GREY, "s"), "call": (BLUE, "o"), "cards": (VERMILION, "^")}
_FORGETS = {"both": (VERMILION, "o"), "trumps": (ORANGE, "s"), "voids": (GREEN, "^")}


def calls_that_lie(tables: Mapping[str, pl.DataFrame], words: Words) -> list[Figure]:
    """Returns the figures of the study, for the first rule set; beliefs are those at the first line-up."""
    rules = tables["calls"]["rules"][0]
    first = {name: tables[name].filter(rules=rules) for name in ("lengths", "beliefs", "counting")}
    return [_lengths(first["lengths"], words), _beliefs(first["beliefs"], words),
            _counting(first["counting"], words)]


def _lengths(lengths: pl.DataFrame, words: Words) -> Figure:
    thirteen = lengths.filter(cards="thirteen")
    with sheet(3.2) as (drawing, axes):
        parts = thirteen.partition_by("players", as_dict=True, maintain_order=True)
        prior = next(iter(parts.values()))
        axes.plot(prior["length"], 100 * prior["prior"], color="black", linewidth=1, linestyle=":",
                  label=words("call-lengths.prior"))
        for at, ((players,), part) in enumerate(parts.items()):
            colour = SERIES[(at + 1) % len(SERIES)]
            axes.errorbar(part["length"], 100 * part["share"], yerr=100 * part["share_half_width"],
                          color=colour, marker=MARKERS[at % len(MARKERS)], markersize=4, linewidth=0.8,
                          label=str(players))
        axes.set_xticks(range(11))
        axes.set_xlim(-0.3, 10.3)
        axes.set_xlabel(words("call-lengths.length"))
        axes.set_ylabel(words("call-lengths.share"))
        drawing.legend(loc="outside upper left", ncols=2, fontsize="small")
    return figure(words, "call-lengths", drawing)


def _beliefs(beliefs: pl.DataFrame, words: Words) -> Figure:
    players = beliefs["players"][0]
    with sheet(3.2) as (drawing, axes):
        for observer, (colour, marker) in _OBSERVERS.items():
            part = beliefs.filter(players=players, observer=observer).sort("trick")
            if len(part):
                label = words.term(observer, "observer")
                axes.errorbar(part["trick"], part["entropy"], yerr=part["entropy_half_width"], color=colour,
                              marker=marker, markersize=4, linewidth=0.8, label=label)
                axes.plot(part["trick"], part["surprise"], color=colour, linestyle=":", linewidth=1)
        axes.set_ylim(bottom=0)
        axes.set_xticks(range(1, 14))
        axes.set_xlabel(words("beliefs.trick"))
        axes.set_ylabel(words("beliefs.bits"))
        drawing.legend(loc="outside upper left", ncols=3, fontsize="small")
    return figure(words, "beliefs", drawing, players=str(players))


def _counting(counting: pl.DataFrame, words: Words) -> Figure:
    points = counting.filter(gain="points")
    with sheet(1.9) as (drawing, axes):
        axes.axvline(0, color=GREY, linewidth=1)
        for place, row in enumerate(points.iter_rows(named=True)):
            colour, marker = _FORGETS[row["forgets"]]
            axes.hlines([place], [row["sure_low"]], [row["sure_high"]], color=colour, linewidth=0.8)
            axes.errorbar([row["lost"]], [place], xerr=[row["lost_half_width"]], color=colour, marker=marker,
                          markersize=5, linestyle="none", linewidth=2, capsize=0)
        labels = [words.term(forgets, "forgets") for forgets in points["forgets"]]
        axes.set_yticks(range(len(points)), labels)
        axes.set_ylim(len(points) - 0.5, -0.5)
        axes.set_xlabel(words("counting.lost"))
    return figure(words, "counting", drawing)
