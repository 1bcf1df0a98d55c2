"""Figures of the variants study."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from courtpiece.plots.style import BLUE, MARKERS, ORANGE, SERIES, Figure, combinations, row_height, sheet

if TYPE_CHECKING:
    import polars as pl

_LINES = 6                              # rule sets in the figure of comebacks
_NUMBERED = 10                          # largest target whose map has numbers in it
_WIDE = 8                               # ratio of the largest to the least from which on a scale has powers
_SHORT = " Bars are 95 % intervals; where none is to be seen it is shorter than the marker."


def variants(tables: Mapping[str, pl.DataFrame], changes: Mapping[str, str]) -> list[Figure]:
    """Returns the figures; `changes` tells what was changed in which rule set, if that was asked."""
    summary = tables["summary"]

    def points(measure: str, name: str, title: str, axis: str, caption: str, **more: Any) -> Figure:
        return _points(summary.filter(measure=measure), name, title, axis, caption, changes, **more)

    found = [points("ahead", "caller-points", "What calling is worth", "points ahead, a deal",
                    "Mean points ahead of the side that calls, a deal, as the match counts them.")]
    if summary.filter(measure="first-call").is_empty():
        return found
    found += [
        points("first-call", "first-call", "What calling first is worth", "matches won, %",
               "Chance to win the match of the side that calls in its first deal; the line is one half.",
               scale=100, middle=50),
        points("deals-a-match", "match-length", "How long a match is", "deals a match",
               "Mean number of deals a match."),
        points("decisiveness", "decisiveness", "How early a match is settled", "deals when settled, %",
               "Share of a match's deals that are played once it is settled: from then on the chance of the "
               "winner stays at about 90 % or above.", scale=100),
    ]
    if not tables["skill"].is_empty():
        found.append(_skill(tables["skill"], changes))
    if changes and not tables["effects"].is_empty():
        found += [
            _effects(tables["effects"], "ahead", "effect-ahead",
                     "What each rule does to the worth of calling", "change of points ahead", changes),
            _effects(tables["effects"], "gain", "effect-skill", "What each rule does to the worth of skill",
                     "change of the gain, points of %", changes, scale=100),
        ]
    return [*found, _comebacks(tables["comebacks"], changes), _scores(tables["scores"])]


def _points(
    rows: pl.DataFrame, name: str, title: str, axis: str, caption: str, changes: Mapping[str, str], *,
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
        axes.set_yticks(range(len(parts)), [which or "all deals" for which, _ in parts], fontsize="small")
        axes.set_ylim(len(parts) - 0.5, -0.5)
        axes.margins(x=0.08)
        axes.set_xlabel(axis)
    return Figure(name, title, caption + _SHORT, drawing)


def _skill(table: pl.DataFrame, changes: Mapping[str, str]) -> Figure:
    rows = table.to_dicts()
    with sheet(1.1 + 0.36 * len(rows)) as (drawing, axes):
        axes.axvline(50, color="#888888", linewidth=0.8)
        for column, label, colour, marker in (("deal_share", "of deals", ORANGE, "s"),
                                              ("match_share", "of matches", BLUE, "o")):
            told = [(place, row) for place, row in enumerate(rows) if row[column] is not None]
            axes.errorbar(
                [100 * row[column] for _, row in told], [place for place, _ in told],
                xerr=[100 * row[f"{column}_half_width"] for _, row in told], marker=marker, markersize=5,
                linestyle="none", color=colour, label=label,
            )
        names = [_named(str(row["rules"]), changes) for row in rows]
        axes.set_yticks(range(len(rows)), names, fontsize="small")
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.margins(x=0.08)
        axes.set_xlabel("won by the better, %")
        drawing.legend(loc="outside upper left", ncols=2)
    return Figure(
        "skill", "Skill and luck",
        "Share of single deals, and of matches, that the better of two given players wins, each playing both "
        "sides. The farther apart the two, the more a match tells of skill." + _SHORT, drawing,
    )


def _effects(
    table: pl.DataFrame, measure: str, name: str, title: str, axis: str, changes: Mapping[str, str], *,
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
        axes.set_xlabel(axis)
    return Figure(
        name, title,
        "Each rule changed alone, less the rules as they are, on the same deals. Bars are intervals that "
        "hold all at once with 95 %, with those of the other measures.", drawing,
    )


def _comebacks(table: pl.DataFrame, changes: Mapping[str, str]) -> Figure:
    """Returns the lines of the first rule sets, of the one that is changed alone where others change it."""
    parts = combinations(table.filter(measure="chance"))[: 1 if changes else _LINES]
    with sheet(2.9 + 0.2 * (len(parts) + 1) // 2) as (drawing, axes):
        for at, (which, part) in enumerate(parts):
            value, low, high = (100 * part[name].to_numpy() for name in ("value", "low", "high"))
            axes.errorbar(
                part["lead"].to_numpy() + 0.06 * at, value, yerr=[value - low, high - value],
                marker=MARKERS[at % len(MARKERS)], markersize=4.5, linewidth=1, color=SERIES[(3 + at) % 6],
                label=which.replace("\n", ", ") or "all matches",
            )
        axes.set_xlabel("points behind")
        axes.set_ylabel("chance to win, %")
        axes.set_ylim(bottom=0)
        drawing.legend(loc="outside upper left", ncols=2, fontsize="small")
    return Figure(
        "comebacks", "Coming back",
        "Chance to win the match of a side that has just fallen so many points (or kots) behind." + _SHORT,
        drawing,
    )


def _scores(table: pl.DataFrame) -> Figure:
    """Returns the map of the first rule set and line-up that has matches."""
    which, part = combinations(table)[0]
    size = int(part["callers"].max()) + 1       # type: ignore[arg-type]
    chances = np.full((size, size), np.nan)
    chances[part["callers"].to_numpy(), part["others"].to_numpy()] = 100 * part["value"].to_numpy()
    with sheet(4.3) as (drawing, axes):
        image = axes.imshow(chances, origin="lower", cmap="cividis", vmin=0, vmax=100)
        axes.grid(visible=False)
        if size <= _NUMBERED:
            for (ours, theirs), chance in np.ndenumerate(chances):
                axes.text(theirs, ours, f"{chance:.0f}", ha="center", va="center", fontsize=8,
                          color="white" if chance < 50 else "black")
        axes.set_xlabel("points of the others")
        axes.set_ylabel("points of the side that calls")
        drawing.colorbar(image, ax=axes, label="chance to win, %", shrink=0.8)
    widest = 100 * float(((part["high"] - part["low"]) / 2).max())      # type: ignore[arg-type]
    told = which.replace("\n", ", ")
    return Figure(
        "scores", "Who wins from which score",
        f"Chance to win the match{f' under {told}' if told else ''} of the side that calls, in per cent, by "
        f"score, with no deals won in a row; each is exact but for ± {widest:.1g} at most that the chances "
        "of deals owe to the deals played.", drawing,
    )


def _named(which: str, changes: Mapping[str, str]) -> str:
    """Returns what tells a rule set and line-up from the others, in lines that are not too long."""
    rules, *players = which.split("\n")
    return "\n".join([changes.get(rules, rules.replace(",", ",\n", 1)), *players])
