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
    row_height,
    sheet,
)

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

_BIN = 2.5                              # percentage points
_HONOURS = ("none of A, K, Q", "one of them", "two of them", "all three")
_POLICIES = {"random": "any call at random", "longest": "the longest suit", "strongest": "the strongest suit"}


def trump_call(tables: Mapping[str, pl.DataFrame]) -> list[Figure]:
    """Returns the figures of the trump-call study."""
    return [*_win_by_holding(tables["lengths"]), _best_calls(tables["hands"]), _regrets(tables["summary"])]


def _win_by_holding(lengths: pl.DataFrame) -> Iterator[Figure]:
    for number, (which, rows) in enumerate(combinations(lengths)):
        with sheet(3.7) as (drawing, axes):
            for honours, label in enumerate(_HONOURS):
                part = rows.filter(honours=honours).drop_nulls("win_half_width").sort("length")
                if part.is_empty():
                    continue
                places = part["length"].cast(float) + (honours - 1.5) * 0.13
                axes.errorbar(
                    places.to_list(), (100 * part["win"]).to_list(), (100 * part["win_half_width"]).to_list(),
                    marker=MARKERS[honours], markersize=5, linestyle="none", color=SERIES[honours],
                    label=label,
                )
            axes.axhline(50, color="#555555", linewidth=0.8, linestyle=(0, (4, 3)))
            axes.set_xticks(range(6))
            axes.set_xlim(-0.5, 5.5)
            axes.grid(axis="x", visible=False)
            axes.set_xlabel("cards of the suit called, among the five")
            axes.set_ylabel("deals won by the caller's side, %")
            axes.set_title(which.replace("\n", " · "))
            axes.legend(title="Held in the suit called", loc="upper left", alignment="left")
        yield Figure(
            f"win-by-holding-{number}" if number else "win-by-holding",
            "Chance to win by the suit called",
            "Chance that the side of the caller wins when a suit is called, by how many of the five cards "
            "are of that suit and how many of its ace, king and queen. Every suit of every hand counts, also "
            "where another call would be better. Bars are 95 % intervals.",
            drawing,
        )


def _best_calls(hands: pl.DataFrame) -> Figure:
    parts = combinations(hands)
    with sheet(3.2 if len(parts) == 1 else 0.9 + row_height(parts) * len(parts)) as (drawing, axes):
        if len(parts) == 1:
            _histogram(axes, 100 * hands["win"].to_numpy())
            caption = "How the chance to win is spread over the hands when each is called best."
        else:
            _spreads(axes, [(which, 100 * part["win"].to_numpy()) for which, part in parts])
            caption = (
                "How the chance to win is spread over the hands when each is called best: dots are medians, "
                "thick lines hold half of the hands and thin lines four fifths."
            )
        axes.set_xlabel("deals won by the caller's side with the hand's best call, %")
    return Figure(
        "best-calls",
        "How good hands are when called best",
        f"{caption} The best call was chosen on half of a hand's deals and its chance is from the other "
        "half; luck alone spreads it by a percentage point or two.",
        drawing,
    )


def _histogram(axes: Axes, chances: NDArray[np.float64]) -> None:
    start = float(chances.min()) // _BIN * _BIN
    edges = [start + _BIN * step for step in range(int((float(chances.max()) - start) // _BIN) + 2)]
    axes.hist(chances, edges, weights=np.full(len(chances), 100 / len(chances)), color=SKY, edgecolor="white",
              linewidth=0.6)
    median = float(np.median(chances))
    axes.axvline(median, color=VERMILION, linewidth=1.2)
    axes.annotate(f"median {median:.0f} %", (median, 1), xycoords=("data", "axes fraction"), xytext=(0, 2),
                  textcoords="offset points", ha="center", va="bottom", color=VERMILION)
    axes.grid(axis="x", visible=False)
    axes.set_ylabel("share of hands, %")


def _spreads(axes: Axes, parts: Sequence[tuple[str, NDArray[np.float64]]]) -> None:
    for place, (_, chances) in enumerate(parts):
        axes.hlines(place, *np.quantile(chances, (0.1, 0.9)), color=SKY, linewidth=1.5)
        axes.hlines(place, *np.quantile(chances, (0.25, 0.75)), color=SKY, linewidth=6)
        axes.plot(np.median(chances), place, "o", color=BLUE, markersize=5)
    axes.set_yticks(range(len(parts)), [which for which, _ in parts])
    axes.set_ylim(len(parts) - 0.5, -0.5)
    axes.grid(axis="y", visible=False)


def _regrets(summary: pl.DataFrame) -> Figure:
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
                lost = f"{row['value']:.3f}".replace("-", "−")
                axes.annotate(lost, (max(row["high"], 0), place), xytext=(5, 0),
                              textcoords="offset points", va="center")
                policy = _POLICIES.get(row["policy"], row["policy"])
                labels.append("\n".join(filter(None, [which.replace("\n", " · "), policy])))
                places.append(place)
                place += 1
            place += 0.4
        axes.set_yticks(places, labels)
        axes.set_ylim(places[-1] + 0.6, -0.6)
        axes.grid(axis="y", visible=False)
        axes.margins(x=0.2)
        axes.axvline(0, color="#555555", linewidth=0.8)
        axes.set_xlabel("points lost a deal")
    return Figure(
        "regrets",
        "What each way of calling loses",
        "Points that a way of calling loses a deal, on average over the hands, against the best call of each "
        "hand. The best call was chosen on one half of the deals and compared on the other. Bars are 95 % "
        "intervals.",
        drawing,
    )
