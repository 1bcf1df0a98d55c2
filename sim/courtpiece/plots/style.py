"""Figures of the studies: matplotlib drawings of a study's tables, the same to the last byte each time.

Colours are those of Okabe and Ito (2008), told apart by people of every colour vision; where colours mean
something, so does a marker or a place.  Text is drawn as outlines, so that a page needs no fonts; but not in
scripts whose letters join, which matplotlib has no fonts for: their text stays text, and the reader's browser
shapes it.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from matplotlib.figure import Figure as Drawing

from courtpiece.language import Value, Words
from courtpiece.plots.shaped import FONTS, shaped, tie

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes

BLUE, ORANGE, GREEN, VERMILION, PURPLE, SKY, YELLOW, GREY = (
    "#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#F0E442", "#767676",
)
MARKERS = "os^DvP"
SERIES = (GREY, ORANGE, GREEN, BLUE, VERMILION, PURPLE)
ROOM_FOR_A_NUMBER = 6                   # per cent of the width of a bar
_WIDTH = 4.7                            # inches: little more than a phone, so that letters stay legible there
_STYLE: Any = {
    "font.family": "DejaVu Sans",       # comes with matplotlib, and has the pips
    "font.size": 9.0,
    "axes.titlesize": 9.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#555555",
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "errorbar.capsize": 2.5,
    "figure.constrained_layout.use": True,
}


@dataclass(frozen=True, eq=False)
class Figure:
    """One figure: a drawing, what it is called, and what it shows, in words."""

    name: str
    title: str
    caption: str
    drawing: Drawing
    language: str = "en"

    def svg(self) -> str:
        """Returns the drawing as an SVG element to put into a page; its ids begin with the name."""
        text = self._saved()
        text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg"):], flags=re.DOTALL)
        text = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{self.name}-", text)
        head, body = text.split(">", 1)
        head = re.sub(r'\s(width|height)="[^"]*"', "", head)    # the page decides
        title = f'<title id="{self.name}-title">{escape(self.title)}</title>'
        return f'{head} role="img" aria-labelledby="{self.name}-title">{title}{body}'

    def _saved(self) -> str:
        out = io.StringIO()
        left = self.language in FONTS   # for the browser to shape
        how: Any = {"svg.hashsalt": self.name, "svg.fonttype": "none" if left else "path"}
        with mpl.rc_context({**_STYLE, **how}), warnings.catch_warnings():
            if left:
                warnings.filterwarnings("ignore", "Glyph .* missing")
            ties = tie(self.drawing) if left else {}
            unsigned = {"Date": None, "Creator": None}
            self.drawing.savefig(out, format="svg", metadata=unsigned, transparent=True)
        return shaped(out.getvalue(), self.language, ties) if left else out.getvalue()

    def _repr_svg_(self) -> str:
        return self._saved()


def figure(words: Words, name: str, drawing: Drawing, *, key: str = "", **values: Value) -> Figure:
    """Returns a drawing with the title and the caption the words have for it, under `key` or its name."""
    key = key or name
    return Figure(
        name, words(f"{key}.title", **values), words(f"{key}.caption", **values), drawing, words.code
    )


@contextmanager
def blank(height: float) -> Iterator[Drawing]:
    """Gives an empty drawing, in the style of all figures."""
    with mpl.rc_context(_STYLE):
        yield Drawing(figsize=(_WIDTH, height))


@contextmanager
def sheet(height: float) -> Iterator[tuple[Drawing, Axes]]:
    """Gives an empty drawing and its axes, in the style of all figures."""
    with blank(height) as drawing:
        yield drawing, drawing.add_subplot()


def combinations(table: pl.DataFrame) -> list[tuple[str, pl.DataFrame]]:
    """Returns what tells each rule set and line-up from the others, "" for the only one, and its rows."""
    parts = table.partition_by("rules", "players", as_dict=True, maintain_order=True)
    many_rules = table["rules"].n_unique() > 1
    many_players = table["players"].n_unique() > 1
    return [
        ("\n".join([str(rules)] * many_rules + [str(players)] * many_players), part)
        for (rules, players), part in parts.items()
    ]


def row_height(parts: Sequence[tuple[str, object]]) -> float:
    """Returns the inches that a line needs for its label."""
    return 0.28 + 0.14 * max(which.count("\n") + 1 for which, _ in parts)
