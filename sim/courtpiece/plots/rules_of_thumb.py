"""Figure of the rules-of-thumb study."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from courtpiece.plots.style import BLUE, GREY, ORANGE, VERMILION, Figure, blank, figure

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes

    from courtpiece.language import Words

_LOOKS = {"folk": ("D", VERMILION), "caller": ("s", GREY), "tree": ("o", BLUE), "count": ("^", ORANGE)}
_LINEAR = 0.002                         # points a deal: below, the axis is no longer logarithmic
_MOST_SIZE = 16                         # places beyond are drawn at the end
_ALIKE = 1.25                           # costs whose labels would lie on each other are labelled together
_MARKS = (0, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1)


def rules_of_thumb(tables: Mapping[str, pl.DataFrame], words: Words) -> list[Figure]:
    """Returns the figure of the rules-of-thumb study."""
    parts = tables["rules"].partition_by("question", as_dict=True, maintain_order=True)
    with blank(0.7 + 2.9 * len(parts)) as drawing:
        axes = drawing.subplots(len(parts), 1, squeeze=False)[:, 0]
        for place, ((question,), part) in enumerate(parts.items()):
            _costs(axes[place], part, words)
            axes[place].set_title(words(f"cost.{question}"))
        handles, labels = axes[0].get_legend_handles_labels()
        drawing.legend(handles, labels, loc="outside upper left", ncols=2, columnspacing=1.5)
    return [figure(words, "cost", drawing)]


def _costs(axes: Axes, rules: pl.DataFrame, words: Words) -> None:
    for family, (marker, colour) in _LOOKS.items():
        rows = rules.filter(family=family).sort("size")
        distilled = family in ("tree", "count")
        axes.errorbar(
            [min(size, _MOST_SIZE) for size in rows["size"]], rows["cost"].to_list(),
            rows["cost_half_width"].to_list(), marker=marker, markersize=5, color=colour,
            linestyle="-" if distilled else "none", linewidth=1, label=words.term(family, "family"),
        )
    named: list[list[dict[str, Any]]] = []
    said = rules.filter(rules["family"].cast(str).is_in(["folk", "caller"]))
    once = said.unique("cost", keep="first", maintain_order=True)
    for row in once.sort("cost", "size").iter_rows(named=True):
        if named and row["cost"] < _ALIKE * named[-1][0]["cost"]:
            named[-1].append(row)
        else:
            named.append([row])
    for together in named:
        last = min(_MOST_SIZE, max(row["size"] for row in together))
        axes.annotate(
            ", ".join(dict.fromkeys(words.term(row["rule"], "rule") for row in together)),
            (last, float(np.mean([row["cost"] for row in together]))),
            xytext=(-7 if last == _MOST_SIZE else 7, 0), textcoords="offset points", va="center",
            ha="right" if last == _MOST_SIZE else "left", fontsize=7, color="#333333",
        )
    axes.set_yscale("symlog", linthresh=_LINEAR, linscale=0.5)
    costs = rules["cost"].to_numpy()
    marks = [mark for mark in _MARKS if mark <= 1.3 * costs.max()]
    axes.set_yticks(marks, [f"{mark:g}" for mark in marks])
    axes.minorticks_off()
    axes.set_ylim(bottom=min(-0.0003, float(costs.min()) - 0.0003))
    axes.set_xlim(-0.6, _MOST_SIZE + 0.6)
    sizes = range(0, _MOST_SIZE + 1, 2)
    axes.set_xticks(sizes, [f"{size}+" if size == _MOST_SIZE else str(size) for size in sizes])
    axes.set_xlabel(words("cost.size"))
    axes.set_ylabel(words("cost.cost"))
