"""Figures of the trump-book study."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.patches import Patch, Rectangle

from courtpiece.plots.style import (
    BLUE,
    GREEN,
    GREY,
    MARKERS,
    ORANGE,
    PURPLE,
    SERIES,
    SKY,
    VERMILION,
    Figure,
    blank,
    figure,
    sheet,
)

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes

    from courtpiece.language import Words

# Of each call, when it is the best one: colours that differ in lightness, too, so that a print in grey tells
# them apart.
_COLOURS = {
    "longest": "#0B4F8A", "second": SKY, "third": "#BFE3F5", "fourth": "#E6F4FB", "pass": ORANGE,
    "thirteenth": GREEN, "redeal": PURPLE,
}
_PALE = 0.55                            # how much white is mixed in where hardly any of the hands agree
_HONOURS = {"none": "–", "Q": "Q", "K": "K", "KQ": "KQ", "A": "A", "AQ": "AQ", "AK": "AK", "AKQ": "AKQ"}


def trump_book(tables: Mapping[str, pl.DataFrame], words: Words) -> list[Figure]:
    """Returns the figures of the trump-book study."""
    cells = tables["map"]
    found = [_map(cells, "call-map", "role", "share", "points_ahead", words)]
    if not cells["role"].equals(cells["suit"]):
        told = cells.drop_nulls("suit")
        found.append(_map(told, "suit-map", "suit", "suit_share", "suit_points_ahead", words))
    found += [_margins(tables["margins"], words), _callers(tables["summary"], words)]
    if len(tables["trials"]):
        found.append(_trials(tables["trials"], words))
    return found


# --- the call map ------------------------------------------------------------------------------------


def _map(cells: pl.DataFrame, name: str, role: str, share: str, worth: str, words: Words) -> Figure:
    """A panel for each shape: honours of the longest suit across, aces and kings beside it down.

    `role`, `share` and `worth` are the columns of the best call, of how many hands agree, and of its worth.
    """
    cells = cells.select("shape", "honours", "beside", role=role, share=share, worth=worth)
    panels = cells.partition_by("shape", as_dict=True, maintain_order=True)
    rows = [int(panel["beside"].max()) + 1 for panel in panels.values()]    # type: ignore[arg-type]
    with blank(1.25 + sum(0.3 * count + 0.23 for count in rows)) as drawing:
        heights = {"height_ratios": [count + 0.25 for count in rows]}
        axes = drawing.subplots(len(panels), 1, sharex=True, squeeze=False, gridspec_kw=heights)[:, 0]
        for place, ((shape,), panel) in enumerate(panels.items()):
            _panel(axes[place], str(shape), panel, rows[place])
        axes[-1].set_xticks(range(len(_HONOURS)), _HONOURS.values())
        axes[-1].set_xlabel(words(f"{name}.honours"))
        drawing.supylabel(words(f"{name}.beside"), fontsize=9)
        there = [role for role in _COLOURS if role in set(cells["role"])]
        drawing.legend(
            handles=[Patch(facecolor=_COLOURS[role], edgecolor="#555555", linewidth=0.5,
                           label=words.term(role, "role")) for role in there],
            loc="outside upper left", ncols=len(there), title=words(f"{name}.legend"), alignment="left",
            columnspacing=1.2, handlelength=1.2,
        )
    return figure(words, name, drawing)


def _panel(axes: Axes, shape: str, panel: pl.DataFrame, rows: int) -> None:
    for cell in panel.iter_rows(named=True):
        at = [*_HONOURS].index(cell["honours"])
        colour = _mixed(_COLOURS[cell["role"]], cell["share"])
        axes.add_patch(Rectangle((at - 0.48, cell["beside"] - 0.46), 0.96, 0.92, facecolor=colour,
                                 edgecolor="none"))
        worth = f"{cell['worth']:+z.2f}".replace("-", "−")
        axes.text(at, cell["beside"] + 0.02, worth, ha="center", va="center", fontsize=7.5,
                  color="white" if _dark(colour) else "black",
                  fontweight="bold" if cell["worth"] > 0 else "normal")
    axes.set_title(shape.replace("-", " – "), fontsize=8.5, pad=2.5)
    axes.set_xlim(-0.5, len(_HONOURS) - 0.5)
    axes.set_ylim(rows - 0.5, -0.5)
    axes.set_yticks(range(rows), map(str, range(rows)))
    axes.tick_params(length=0, labelbottom=False)
    axes.grid(visible=False)
    for spine in axes.spines.values():
        spine.set_visible(False)
    if axes.get_subplotspec().is_last_row():        # type: ignore[union-attr]
        axes.tick_params(labelbottom=True)


def _mixed(colour: str, share: float) -> tuple[float, float, float]:
    """Returns a colour, the paler the fewer of the hands agree: full at 95 %, palest at half."""
    white = _PALE * (1 - min(1.0, max(0.0, (share - 0.5) / 0.45)))
    red, green, blue = (value + (1 - value) * white for value in to_rgb(colour))
    return red, green, blue


def _dark(colour: tuple[float, float, float]) -> bool:
    return 0.299 * colour[0] + 0.587 * colour[1] + 0.114 * colour[2] < 0.52


# --- how clear ---------------------------------------------------------------------------------------


def _margins(margins: pl.DataFrame, words: Words) -> Figure:
    rows = margins.sort("margin_from")
    starts = rows["margin_from"].to_list()
    between = [f"{low:g}–{high:g}" for low, high in pairwise(starts[1:])]
    labels = [f"< {starts[1]:g}", *between, f"> {starts[-1]:g}"]
    shares = (100 * rows["share"]).to_numpy()
    with sheet(3.0) as (drawing, axes):
        axes.bar(range(len(shares)), shares, width=0.86,
                 color=[VERMILION if start < starts[1] else SKY for start in starts])
        for place, share in enumerate(shares):
            axes.annotate(f"{share:.0f}" if share >= 0.95 else f"{share:.1f}", (place, share), xytext=(0, 2),
                          textcoords="offset points", ha="center", fontsize=8)
        axes.set_xticks(range(len(labels)), labels, rotation=35, ha="right", rotation_mode="anchor")
        axes.grid(axis="x", visible=False)
        axes.set_xlabel(words("margins.margin"))
        axes.set_ylabel(words("margins.share"))
    return figure(words, "margins", drawing)


# --- who calls ---------------------------------------------------------------------------------------


def _callers(summary: pl.DataFrame, words: Words) -> Figure:
    rows = summary.filter(measure="regret").sort("value", descending=True)
    with sheet(0.9 + 0.36 * len(rows)) as (drawing, axes):
        for place, row in enumerate(rows.iter_rows(named=True)):
            half = (row["high"] - row["low"]) / 2
            axes.barh(place, row["value"], height=0.6, color=SKY)
            axes.errorbar(row["value"], place, xerr=half, color="#222222", linewidth=1.2)
            axes.annotate(f"{row['value']:z.3f}".replace("-", "−"), (max(row["high"], 0), place),
                          xytext=(5, 0), textcoords="offset points", va="center")
        axes.set_yticks(range(len(rows)), [words.term(str(name), "policy") for name in rows["policy"]])
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.grid(axis="y", visible=False)
        axes.margins(x=0.2)
        axes.set_xlabel(words("callers.lost"))
    return figure(words, "callers", drawing)


# --- other players -----------------------------------------------------------------------------------


def _trials(trials: pl.DataFrame, words: Words) -> Figure:
    shown = ("margin", "over_longest", "over_strongest", "regret")
    players = list(dict.fromkeys(map(str, trials["players"])))
    with sheet(1.3 + 0.3 * len(shown) * (1 + len(players) / 4)) as (drawing, axes):
        axes.axvline(0, color=GREY, linewidth=1)
        for at, name in enumerate(players):
            found: dict[str, Any] = {str(row["measure"]): row
                                     for row in trials.filter(players=name).iter_rows(named=True)}
            values = np.array([found[measure]["value"] for measure in shown])
            ends = np.array([[found[measure]["low"], found[measure]["high"]] for measure in shown]).T
            shift = 0.6 * ((at + 0.5) / len(players) - 0.5)
            axes.errorbar(values, np.arange(len(shown)) + shift, xerr=np.abs(ends - values),
                          marker=MARKERS[at % len(MARKERS)], markersize=5, linestyle="none",
                          color=(BLUE, *SERIES)[at % 6], label=name)
        axes.set_yticks(range(len(shown)), [words.head(measure) for measure in shown])
        axes.set_ylim(len(shown) - 0.5, -0.5)
        axes.set_xlabel(words("trials.points"))
        drawing.legend(loc="outside upper left", ncols=3)
    return figure(words, "trials", drawing)
