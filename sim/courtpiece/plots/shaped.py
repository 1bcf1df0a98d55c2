"""Drawings whose text is left for the browser to shape, for scripts that matplotlib has no letters for.

What it does not have matplotlib measures by the width of a box, far too wide for letters that join and
signs that stand above or below others.  So a drawing is laid out with the widths of Latin stand-ins, and each
line of text is tied to the edge, or the middle, that it is aligned by: where the line begins is then the
browser's to find.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg
from matplotlib.figure import Figure as Drawing
from matplotlib.text import Text

FONTS = {                               # by language; courtpiece-latin is the page's
    "ur": "courtpiece-latin,'Noto Naskh Arabic','Noto Sans Arabic','Segoe UI','Geeza Pro',Tahoma,sans-serif",
    "hi": "'Noto Sans Devanagari',Mangal,'Nirmala UI','Kohinoor Devanagari','DejaVu Sans',sans-serif",
}
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff]")
_ANCHORS = {"left": "start", "center": "middle", "right": "end"}
_POINTS = 72                            # an inch: the unit of the places in an SVG of matplotlib


# By the kind of character: about as wide as those of these scripts, rather wider than narrower.
_STAND_INS = {"Lo": "o", "Mc": "i", "Mn": "", "Cf": ""}


def stand_in(text: str) -> str:
    """Returns a text that is about as wide, in letters that matplotlib has."""
    return "".join(_STAND_INS.get(unicodedata.category(letter), letter) for letter in text)


class _Measuring(RendererAgg):
    """Measures text by its stand-in."""

    def get_text_width_height_descent(self, s: str, prop: Any, ismath: Any) -> tuple[float, float, float]:
        measure: Any = super().get_text_width_height_descent
        width, height, descent = measure(stand_in(s), prop, ismath)
        return width, height, descent


class _Canvas(FigureCanvasAgg):
    def get_renderer(self) -> RendererAgg:
        measuring: Any = _Measuring
        renderer: RendererAgg = measuring(*self.get_width_height(), self.figure.dpi)
        return renderer


def tie(drawing: Drawing) -> dict[str, tuple[str, float]]:
    """Names the texts of several lines; returns by name how each is anchored, and where, in points."""
    drawing.set_dpi(_POINTS)            # as it is saved
    canvas: Any = _Canvas(drawing)
    canvas.draw()                       # only now the labels of ticks have their text
    drawing.set_layout_engine("none")   # another drawing would move all a little
    found: dict[str, tuple[str, float]] = {}
    for text in drawing.findobj(Text):
        if isinstance(text, Text) and "\n" in text.get_text():
            name = f"lines-{len(found)}"
            text.set_gid(name)
            place = text.get_transform().transform(text.get_unitless_position())
            found[name] = _ANCHORS[text.get_horizontalalignment()], float(place[0])
    return found


def shaped(svg: str, language: str, ties: dict[str, tuple[str, float]]) -> str:
    """Returns a drawing with its text in the fonts of a language, every line where it is tied."""
    svg = svg.replace("<svg ", '<svg direction="ltr" ', 1)      # places are counted from the left
    svg = svg.replace("font-family: 'DejaVu Sans'", f"font-family: {FONTS[language]}")
    for name, (anchor, x) in ties.items():
        svg = re.sub(rf'(?<=<g id="{name}">).*?</g>', lambda group, a=anchor, x=x: re.sub(  # type: ignore[misc]
            r'transform="translate\(\S+ ', f'text-anchor="{a}" transform="translate({x:.6f} ', group[0]
        ), svg, count=1, flags=re.S)
    # A place in x and y is that of the first letter, which is not always the leftmost.
    svg = re.sub(r'x="(\S+)" y="(\S+)" transform="rotate\((\S+) \1 \2\)"',
                 r'transform="translate(\1 \2) rotate(\3)"', svg)
    return re.sub(r"<text ([^>]*)>([^<]+)</text>", _running_as_its_script, svg)


def _running_as_its_script(text: re.Match[str]) -> str:
    """Returns a text element that runs from right to left if its script does, anchored where it was."""
    about, told = text.groups()
    if not _RIGHT_TO_LEFT.search(told):
        return text[0]
    anchor = re.search(r"text-anchor\W+(\w+)", about)
    turned = {"start": "end", "middle": "middle", "end": "start"}[anchor[1] if anchor else "start"]
    about = re.sub(r'; text-anchor: \w+|text-anchor="\w+" ', "", about)
    return f'<text direction="rtl" text-anchor="{turned}" {about}>{told}</text>'
