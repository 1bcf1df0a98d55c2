"""Figures: what they show, that they are always the same, and that they need nothing but themselves."""

from __future__ import annotations

import re
import unicodedata
from xml.etree import ElementTree

import pytest
from matplotlib.text import Text

from courtpiece.language import Words
from courtpiece.plots import Figure
from courtpiece.plots.style import sheet
from courtpiece.studies import find

ONE = {"rules": "single-sir", "players": "simple"}
SEVERAL = {"rules": ["single-sir", "bavan"], "players": ["simple", "random"]}


def figures(study: str, units: int, **values: object) -> list[Figure]:
    """Returns the figures of a small run."""
    asked = find(study)
    p = asked.parameters({**values, asked.extent: units})
    tables = asked.summarise(p, asked.chunk(p, 0, units).lazy())
    return list(asked.figures(p, tables, Words(study)))


@pytest.fixture(scope="module")
def drawn() -> list[Figure]:
    """The figures of all studies; of two of them with one and with several rule sets and line-ups."""
    return [
        *(figure
          for asked in (ONE, SEVERAL)
          for study, units, more in (("trump-call", 30, {"deals": 40}), ("kot-frequency", 900, {}))
          for figure in figures(study, units, **more, **asked)),
        *figures("toss", 300),
        *figures("conventions", 500),
        *figures("calls-that-lie", 2, draws=60, more=200),
        *figures("rare-kots", 3000, rules=["bavan", "single-sir"], players="simple"),
        *figures("variants", 300, rules=["single-sir", "bavan", "mendikot-novice"]),
        *figures("variants", 300, around="classic"),
        *figures("options", 600, rules=["single-sir", "hidden-trump", "bavan"]),
    ]


@pytest.fixture(scope="module")
def elements(drawn: list[Figure]) -> list[tuple[str, str]]:
    """The name of each figure, and its SVG."""
    return [(figure.name, figure.svg()) for figure in drawn]


def test_every_study_has_its_figures(drawn: list[Figure]) -> None:
    assert [figure.name for figure in drawn[:6]] == [
        "win-by-holding", "best-calls", "regrets", "kots", "outcomes", "holdings"
    ]
    assert [figure.name for figure in drawn[6:10]] == [
        "win-by-holding", "win-by-holding-1", "win-by-holding-2", "win-by-holding-3"
    ]


def test_figures_say_what_they_show_and_label_their_axes(drawn: list[Figure]) -> None:
    for figure in drawn:
        assert figure.title
        assert figure.caption.endswith(".")
        for axes in figure.drawing.axes:
            assert axes.get_xlabel()
            assert axes.get_ylabel() or axes.get_yticklabels()


def test_a_figure_is_one_element_with_ids_of_its_own(elements: list[tuple[str, str]]) -> None:
    for figure, svg in elements:
        root = ElementTree.fromstring(svg)
        assert root.tag.endswith("svg")
        assert root.get("viewBox")
        assert root.get("width") is None                    # the page decides
        assert root.get("role") == "img"
        ids = {element.get("id") for element in root.iter() if element.get("id")}
        assert all(name is not None and name.startswith(f"{figure}-") for name in ids)
        used = set(re.findall(r'(?:href="#|url\(#)([^")]+)', svg))
        assert used <= ids


def test_a_figure_needs_no_fonts_and_nothing_from_elsewhere(elements: list[tuple[str, str]]) -> None:
    for _, svg in elements:
        assert "<text" not in svg
        assert "<image" not in svg
        names = {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
        assert set(re.findall(r'https?://[^"]+', svg)) <= names


def test_the_same_numbers_give_the_same_drawing() -> None:
    first, second = (figures("kot-frequency", 500, **ONE) for _ in range(2))
    assert [figure.svg() for figure in first] == [figure.svg() for figure in second]


def test_nothing_is_drawn_over_anything_else(drawn: list[Figure]) -> None:
    for figure in drawn:
        figure.drawing.draw_without_rendering()
        for axes in figure.drawing.axes:
            boxes = [label.get_window_extent() for label in axes.get_yticklabels() if label.get_text()]
            assert not any(one.overlaps(other) for at, one in enumerate(boxes) for other in boxes[:at])
            whole = figure.drawing.bbox
            texts = (*axes.get_yticklabels(), *axes.texts, axes.xaxis.label, axes.yaxis.label)
            for text in filter(Text.get_text, texts):
                box = text.get_window_extent()
                assert whole.x0 - 1 <= box.x0, (figure.name, text)
                assert box.x1 <= whole.x1 + 1, (figure.name, text)


def test_jupyter_shows_a_figure(drawn: list[Figure]) -> None:
    assert drawn[0]._repr_svg_().lstrip().startswith("<?xml")


@pytest.mark.parametrize(
    ("language", "label"),
    [("hi", "दूसरे रंग में क़ीमत, ज़्यादा चीज़ें"), ("ur", "دوسرے سوٹ میں پتّوں کی قیمت، زیادہ")],
)
def test_text_that_the_browser_shapes_takes_no_more_room_than_it_needs(language: str, label: str) -> None:
    def width_of_axes(code: str, told: str) -> float:
        with sheet(2.0) as (drawing, axes):
            axes.set_yticks([0, 1], ["a", told])
        Figure("width", "", "", drawing, code).svg()
        return float(axes.get_position().width)

    kinds = [unicodedata.category(letter) for letter in label]
    room = len(kinds) - kinds.count("Mn") - kinds.count("Mc") // 2      # signs above and below take none
    assert kinds.count("Mn") * 10 > len(kinds) or language == "ur"
    assert width_of_axes(language, label) == pytest.approx(width_of_axes("en", "o" * room), abs=0.06)
