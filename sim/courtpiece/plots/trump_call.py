"""Figures of the trump-call study."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from courtpiece.plots.style import (
    BLUE,
    MARKERS,
    SERIES,
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
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from courtpiece.language import Words

_BIN = 2.5                              # percentage points


def trump_call(tables: Mapping[str, pl.DataFrame], words: Words) -> list[Figure]:
    """Returns the figures of the trump-call study."""
    return [
        *_win_by_holding(tables["lengths"], words),
        _best_calls(tables["hands"], words),
        _regrets(tables["summary"], words),
    ]


def _win_by_holding(lengths: pl.DataFrame, words: Words) -> Iterator[Figure]:
    for number, (which, rows) in enumerate(combinations(lengths)):
        with sheet(3.7) as (drawing, axes):
            for honours in range(4):
                part = rows.filter(honours=honours).drop_nulls("win_half_width").sort("length")
                if part.is_empty():
                    continue
                places = part["length"].cast(float) + (honours - 1.5) * 0.13
                axes.errorbar(
                    places.to_list(), (100 * part["win"]).to_list(), (100 * part["win_half_width"]).to_list(),
                    marker=MARKERS[honours], markersize=5, linestyle="none", color=SERIES[honours],
                    label=words(f"win-by-holding.honours-{honours}"),
                )
            axes.axhline(50, color="#555555", linewidth=0.8, linestyle=(0, (4, 3)))
            axes.set_xticks(range(6))
            axes.set_xlim(-0.5, 5.5)
            axes.grid(axis="x", visible=False)
            axes.set_xlabel(words("win-by-holding.length"))
            axes.set_ylabel(words("win-by-holding.won"))
            axes.set_title(which.replace("\n", " · "))
            if axes.get_legend_handles_labels()[0]:     # from few hands no holding is told
                axes.legend(title=words("win-by-holding.legend"), loc="upper left", alignment="left")
        name = "win-by-holding"
        yield figure(words, f"{name}-{number}" if number else name, drawing, key=name)


def _best_calls(hands: pl.DataFrame, words: Words) -> Figure:
    parts = combinations(hands)
    with sheet(3.2 if len(parts) == 1 else 0.9 + row_height(parts) * len(parts)) as (drawing, axes):
        if len(parts) == 1:
            _histogram(axes, 100 * hands["win"].to_numpy(), words)
        else:
            _spreads(axes, [(which, 100 * part["win"].to_numpy()) for which, part in parts])
        axes.set_xlabel(words("best-calls.won"))
    key = "best-calls" if len(parts) == 1 else "best-calls-spread"
    return figure(words, "best-calls", drawing, key=key)


def _histogram(axes: Axes, chances: NDArray[np.float64], words: Words) -> None:
    start = float(chances.min()) // _BIN * _BIN
    edges = [start + _BIN * step for step in range(int((float(chances.max()) - start) // _BIN) + 2)]
    axes.hist(chances, edges, weights=np.full(len(chances), 100 / len(chances)), color=SKY, edgecolor="white",
              linewidth=0.6)
    median = float(np.median(chances))
    axes.axvline(median, color=VERMILION, linewidth=1.2)
    axes.annotate(
        words("best-calls.median", median=round(median)), (median, 1), xycoords=("data", "axes fraction"),
        xytext=(0, 2), textcoords="offset points", ha="center", va="bottom", color=VERMILION,
    )
    axes.grid(axis="x", visible=False)
    axes.set_ylabel(words("best-calls.share"))


def _spreads(axes: Axes, parts: Sequence[tuple[str, NDArray[np.float64]]]) -> None:
    for place, (_, chances) in enumerate(parts):
        axes.hlines(place, *np.quantile(chances, (0.1, 0.9)), color=SKY, linewidth=1.5)
        axes.hlines(place, *np.quantile(chances, (0.25, 0.75)), color=SKY, linewidth=6)
        axes.plot(np.median(chances), place, "o", color=BLUE, markersize=5)
    axes.set_yticks(range(len(parts)), [which for which, _ in parts])
    axes.set_ylim(len(parts) - 0.5, -0.5)
    axes.grid(axis="y", visible=False)


def _regrets(summary: pl.DataFrame, words: Words) -> Figure:
    parts = combinations(summary.filter(measure="regret"))
    labels, places = [], []
    rows = sum(len(part) for _, part in parts)
    with sheet(0.9 + (0.32 if len(parts) == 1 else 0.42) * rows) as (drawing, axes):
        place = 0.0
        for which, part in parts:
            for row in part.sort("value", descending=True).iter_rows(named=True):
                half = (row["high"] - row["low"]) / 2
                axes.barh(place, row["value"], height=0.6, color=SKY)
                axes.errorbar(row["value"], place, xerr=half, color="#222222", linewidth=1.2)
                lost = f"{row['value']:z.3f}".replace("-", "−")
                axes.annotate(lost, (max(row["high"], 0), place), xytext=(5, 0),
                              textcoords="offset points", va="center")
                policy = words.term(row["policy"], "policy")
                labels.append("\n".join(filter(None, [which.replace("\n", " · "), policy])))
                places.append(place)
                place += 1
            place += 0.4
        axes.set_yticks(places, labels)
        axes.set_ylim(places[-1] + 0.6, -0.6)
        axes.grid(axis="y", visible=False)
        axes.margins(x=0.2)
        axes.axvline(0, color="#555555", linewidth=0.8)
        axes.set_xlabel(words("regrets.lost"))
    return figure(words, "regrets", drawing)
