"""Figures of the variants study."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from courtpiece.language import Mean
from courtpiece.plots.style import (
    BLUE,
    MARKERS,
    ORANGE,
    SERIES,
    Figure,
    combinations,
    figure,
    row_height,
    sheet,
)

if TYPE_CHECKING:
    import polars as pl

    from courtpiece.language import Words

_LINES = 6                              # rule sets in the figure of comebacks
_NUMBERED = 10                          # largest target whose map has numbers in it
_WIDE = 8                               # ratio of the largest to the least from which on a scale has powers


def variants(
    tables: Mapping[str, pl.DataFrame], changes: Mapping[str, str], words: Words
) -> list[Figure]:
    """Returns the figures; `changes` tells what was changed in which rule set, if that was asked."""
    summary = tables["summary"]

    def points(measure: str, name: str, scale: float = 1, middle: float | None = None) -> Figure:
        return _points(summary.filter(measure=measure), name, words, changes, scale=scale, middle=middle)

    found = [points("ahead", "caller-points")]
    if summary.filter(measure="first-call").is_empty():
        return found
    found += [
        points("first-call", "first-call", scale=100, middle=50),
        points("deals-a-match", "match-length"),
        points("decisiveness", "decisiveness", scale=100),
    ]
    if not tables["skill"].is_empty():
        found.append(_skill(tables["skill"], words, changes))
    if changes and not tables["effects"].is_empty():
        found += [
            _effects(tables["effects"], "ahead", "effect-ahead", words, changes),
            _effects(tables["effects"], "gain", "effect-skill", words, changes, scale=100),
        ]
    comebacks = tables["comebacks"].filter(measure="chance")
    if not comebacks.is_empty():        # nobody is behind in matches of one deal
        found.append(_comebacks(comebacks, words, changes))
    return [*found, _scores(tables["scores"], words)]


def _points(
    rows: pl.DataFrame, name: str, words: Words, changes: Mapping[str, str], *,
    scale: float = 1, middle: float | None = None,
) -> Figure:
    """Returns a figure of one measure, a line for each rule set and line-up."""
    parts = [(_named(which, changes), part.row(0, named=True)) for which, part in combinations(rows)]
    values = [scale * row["value"] for _, row in parts]
    with sheet(0.8 + row_height(parts) * len(parts)) as (drawing, axes):
        if middle is not None:
            axes.axvline(middle, color="#888888", linewidth=0.8)
        axes.errorbar(
            values, range(len(parts)),
            xerr=[[scale * (row["value"] - row["low"]) for _, row in parts],
                  [scale * (row["high"] - row["value"]) for _, row in parts]],
            marker="o", markersize=5, linestyle="none", color=BLUE,
        )
        if min(values) > 0 and max(values) > _WIDE * min(values):
            axes.set_xscale("log")
        else:
            axes.locator_params(axis="x", nbins=5)      # so that long numbers have room
        names = [which or words(f"{name}.all") for which, _ in parts]
        axes.set_yticks(range(len(parts)), names, fontsize="small")
        axes.set_ylim(len(parts) - 0.5, -0.5)
        axes.margins(x=0.08)
        axes.set_xlabel(words(f"{name}.axis"))
    return figure(words, name, drawing)


def _skill(table: pl.DataFrame, words: Words, changes: Mapping[str, str]) -> Figure:
    rows = table.to_dicts()
    with sheet(1.1 + 0.36 * len(rows)) as (drawing, axes):
        axes.axvline(50, color="#888888", linewidth=0.8)
        for column, colour, marker in (("deal_share", ORANGE, "s"), ("match_share", BLUE, "o")):
            told = [(place, row) for place, row in enumerate(rows) if row[column] is not None]
            axes.errorbar(
                [100 * row[column] for _, row in told], [place for place, _ in told],
                xerr=[100 * row[f"{column}_half_width"] for _, row in told], marker=marker, markersize=5,
                linestyle="none", color=colour, label=words(f"skill.{column}"),
            )
        names = [_named(str(row["rules"]), changes) for row in rows]
        axes.set_yticks(range(len(rows)), names, fontsize="small")
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.margins(x=0.08)
        axes.set_xlabel(words("skill.axis"))
        drawing.legend(loc="outside upper left", ncols=2)
    return figure(words, "skill", drawing)


def _effects(
    table: pl.DataFrame, measure: str, name: str, words: Words, changes: Mapping[str, str], *,
    scale: float = 1,
) -> Figure:
    rows = [row for row in table.unique("rules", keep="first", maintain_order=True).to_dicts()
            if row[measure] is not None]
    with sheet(0.9 + 0.36 * len(rows)) as (drawing, axes):
        axes.axvline(0, color="#888888", linewidth=0.8)
        axes.errorbar(
            [scale * row[measure] for row in rows], range(len(rows)),
            xerr=[scale * row[f"{measure}_half_width"] for row in rows], marker="o", markersize=4.5,
            linestyle="none", color=BLUE,
        )
        names = [_named(str(row["rules"]), changes) for row in rows]
        axes.set_yticks(range(len(rows)), names, fontsize="small")
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.margins(x=0.08)
        axes.set_xlabel(words(f"{name}.axis"))
    return figure(words, name, drawing)


def _comebacks(table: pl.DataFrame, words: Words, changes: Mapping[str, str]) -> Figure:
    """Returns the lines of the first rule sets, of the one that is changed alone where others change it."""
    parts = combinations(table)[: 1 if changes else _LINES]
    with sheet(2.9 + 0.2 * (len(parts) + 1) // 2) as (drawing, axes):
        for at, (which, part) in enumerate(parts):
            value, low, high = (100 * part[name].to_numpy() for name in ("value", "low", "high"))
            axes.errorbar(
                part["lead"].to_numpy() + 0.06 * at, value, yerr=[value - low, high - value],
                marker=MARKERS[at % len(MARKERS)], markersize=4.5, linewidth=1, color=SERIES[(3 + at) % 6],
                label=which.replace("\n", ", ") or words("comebacks.all"),
            )
        axes.set_xlabel(words("comebacks.behind"))
        axes.set_ylabel(words("comebacks.chance"))
        axes.set_ylim(bottom=0)
        drawing.legend(loc="outside upper left", ncols=2, fontsize="small")
    return figure(words, "comebacks", drawing)


def _scores(table: pl.DataFrame, words: Words) -> Figure:
    """Returns the map of the first rule set and line-up that has matches."""
    which, part = combinations(table)[0]
    size = int(part["callers"].max()) + 1       # type: ignore[arg-type]
    chances = np.full((size, size), np.nan)
    chances[part["callers"].to_numpy(), part["others"].to_numpy()] = 100 * part["value"].to_numpy()
    with sheet(4.3) as (drawing, axes):
        mesh = axes.pcolormesh(np.arange(size), np.arange(size), chances, cmap="cividis", vmin=0, vmax=100)
        axes.set_aspect("equal")
        axes.grid(visible=False)
        if size <= _NUMBERED:
            for (ours, theirs), chance in np.ndenumerate(chances):
                axes.text(theirs, ours, f"{chance:.0f}", ha="center", va="center", fontsize=8,
                          color="white" if chance < 50 else "black")
        else:
            drawing.colorbar(mesh, ax=axes, label=words("scores.chance"), shrink=0.8)
        axes.set_xlabel(words("scores.others"))
        axes.set_ylabel(words("scores.callers"))
    widest = 100 * float(((part["high"] - part["low"]) / 2).max())      # type: ignore[arg-type]
    told = which.replace("\n", ", ") or str(part["rules"][0])
    return figure(words, "scores", drawing, rules=told, widest=Mean(float(f"{widest:.1g}")))


def _named(which: str, changes: Mapping[str, str]) -> str:
    """Returns what tells a rule set and line-up from the others, in lines that are not too long."""
    rules, *players = which.split("\n")
    return "\n".join([changes.get(rules, rules.replace(",", ",\n", 1)), *players])
