"""Figures of the options study."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import TYPE_CHECKING

from courtpiece.plots.style import (
    BLUE,
    MARKERS,
    ORANGE,
    SERIES,
    Figure,
    combinations,
    figure,
    sheet,
)

if TYPE_CHECKING:
    import polars as pl

    from courtpiece.language import Words

_LINES = 6                              # rule sets in a figure of curves
_GAINS = (("gain", BLUE, "o", -0.12), ("over_built_in", ORANGE, "s", 0.12))


def options(tables: Mapping[str, pl.DataFrame], words: Words) -> list[Figure]:
    """Returns the figures: what the rights are worth, and what each threshold of a right comes to."""
    curves = tables["curves"].partition_by("right", as_dict=True, maintain_order=True)
    return [_worth(tables["policies"], words),
            *(_curve(str(right), rows, words) for (right,), rows in curves.items())]


def _worth(policies: pl.DataFrame, words: Words) -> Figure:
    rows = policies.to_dicts()
    many = policies["players"].n_unique() > 1
    with sheet(1.3 + 0.4 * len(rows)) as (drawing, axes):
        axes.axvline(0, color="#888888", linewidth=0.8)
        for column, colour, marker, shift in _GAINS:
            told = [(place + shift, row) for place, row in enumerate(rows) if row[column] is not None]
            axes.errorbar(
                [row[column] for _, row in told], [place for place, _ in told],
                xerr=[row[f"{column}_half_width"] for _, row in told], marker=marker, markersize=5,
                linestyle="none", color=colour, label=words(f"worth.{column}"),
            )
        names = ["\n".join([words.term(row["right"]), _plain(str(row["rules"]), row["right"]),
                            *[str(row["players"])] * many]) for row in rows]
        axes.set_yticks(range(len(rows)), names, fontsize="small")
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_xscale("symlog", linthresh=0.1)
        axes.set_xticks([-1, -0.1, 0, 0.1, 1, 10], ["−1", "−0.1", "0", "0.1", "1", "10"])
        gains = [(row[name], row[f"{name}_half_width"]) for row in rows for name in ("gain", "over_built_in")]
        ends = [gain + sign * error for gain, error in gains if gain is not None for sign in (-1, 1)]
        known = [end for end in ends if isfinite(end)]      # one deal tells no error
        axes.set_xlim(min(1.3 * min([0.0, *known]), -0.02), 1.3 * max([0.1, *known]))
        axes.set_xlabel(words("worth.axis"))
        drawing.legend(loc="outside upper left", ncols=1)
    return figure(words, "worth", drawing)


def _curve(right: str, rows: pl.DataFrame, words: Words) -> Figure:
    parts = combinations(rows)[:_LINES]
    name = f"curve-{right}"
    with sheet(2.8 + 0.16 * len(parts)) as (drawing, axes):
        axes.axhline(0, color="#888888", linewidth=0.8)
        for at, (which, part) in enumerate(parts):
            value, low, high = (part[column].to_numpy() for column in ("value", "low", "high"))
            places = part["threshold"].to_numpy()
            if right == "change-trump":         # by how much the new suit has to be better
                places = 1 - places
            axes.errorbar(
                places, value, yerr=[value - low, high - value], marker=MARKERS[at % len(MARKERS)],
                markersize=3, linewidth=1, elinewidth=0.6, capsize=1.2, color=SERIES[(3 + at) % len(SERIES)],
                label=_plain(which.replace("\n", ", ") or str(part["rules"][0]), right),
            )
        axes.set_xlabel(words(f"{name}.threshold"))
        axes.set_ylabel(words("worth.axis"))
        drawing.legend(loc="outside upper left", ncols=1, fontsize="small")
    return figure(words, name, drawing)


def _plain(rules: str, right: str) -> str:
    """Returns a rule set's name without the right, which is named anyhow."""
    return rules.replace(f",extras=[{right}]", "").replace(",", ",\n", 1)
