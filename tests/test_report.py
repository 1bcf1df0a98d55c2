"""The page about a run."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from html.parser import HTMLParser
from pathlib import Path

import pytest

from courtpiece import report
from courtpiece.errors import RunError
from courtpiece.results import Run
from courtpiece.run import run
from tests.dice import Dice

EMPTY = {"meta", "br", "hr", "img", "link", "input", "path", "use"}


class Page(HTMLParser):
    """Reads a page, checks that its elements nest, and keeps its text and what it refers to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.words: list[str] = []
        self.seen: list[str] = []
        self.ids: list[str] = []
        self.refers: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: Iterable[tuple[str, str | None]]) -> None:
        self._note(tag, attrs)
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: Iterable[tuple[str, str | None]]) -> None:
        self._note(tag, attrs)

    def _note(self, tag: str, attrs: Iterable[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            if name in ("src", "href", "xlink:href", "action", "data"):
                self.refers.append(value or "")

    def handle_endtag(self, tag: str) -> None:
        if tag not in EMPTY:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("calls")
    return run("trump-call", out=folder, hands=25, deals=40, players="simple", jobs=1)


@pytest.fixture(scope="module")
def kots(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return run(
        "kot-frequency", out=tmp_path_factory.mktemp("kots"), deals=2000, jobs=1,
        rules=["double-sir,pile_blocks=[2]", "mendikot"], players=["simple", "random"],
    )


@pytest.fixture(scope="module")
def calls_page(calls: Run) -> str:
    return report.render(calls)


@pytest.fixture(scope="module")
def kots_page(kots: Run) -> str:
    return report.render(kots)


def test_a_page_holds_all_that_it_shows(calls_page: str, kots_page: str) -> None:
    for text in (calls_page, kots_page):
        page = Page(text)
        assert all(target.startswith("#") for target in page.refers)
        assert page.seen.count("script") == 1               # its own, in the page
        assert not {"link", "img", "iframe", "object"} & set(page.seen)
        assert len(page.ids) == len(set(page.ids))
        assert {target[1:] for target in page.refers} <= set(page.ids)
        assert "@import" not in text
        assert "url(http" not in text


def test_a_page_tells_the_question_the_answer_and_how_it_was_found(calls: Run, calls_page: str) -> None:
    text = Page(calls_page).text
    assert calls.study.title in text
    assert calls.study.question in text
    assert "chosen on one half" in text
    assert "players simple" in text
    assert "seed 1" in text
    assert "deals 40" in text
    assert "hands 25" in text
    assert "courtpiece 1, trump-call 1" in text
    assert "95 %" in text
    for name, line in calls.design.rules.items():
        assert f"Rules: {name}" in text
        assert line in text
    win = calls.headline.filter(chance_to_win_with="no card of it")["no_A_K_Q"][0]
    assert f"{100 * win:.1f} ±" in text or f"{100 * win:.0f} ±" in text


def test_the_command_on_the_page_makes_the_run_again(
    calls: Run, calls_page: str, kots: Run, kots_page: str
) -> None:
    for one, page in ((calls, calls_page), (kots, kots_page)):
        assert one.design.command in html.unescape(page)


def test_every_figure_has_a_title_and_a_caption(calls: Run, calls_page: str) -> None:
    page, figures = Page(calls_page), calls.plot()
    for tag in ("figure", "figcaption", "svg"):
        assert page.seen.count(tag) == len(figures)
    for figure in figures:
        assert figure.title in page.text


def test_every_file_and_column_is_explained(kots: Run, kots_page: str) -> None:
    text = Page(kots_page).text
    for path in ("shards/*", "summary", "tables/differences", "tables/counts"):
        assert f"{path}.parquet" in text
    for column in kots.study.columns(kots.parameters):
        assert column.name in text
        assert column.meaning in text


def test_short_tables_are_shown_and_long_ones_are_named(calls: Run, calls_page: str) -> None:
    text = Page(calls_page).text
    assert "Ways of calling" in text
    assert "The best and the worst hands" in text
    assert f"table “calls”, rows: {len(calls.tables['calls']):,}" in text
    assert "Every call" not in text


def test_a_measure_is_a_line_and_each_rule_set_a_column(kots: Run, kots_page: str) -> None:
    row = re.search(r"<tr><td>win, % · caller’s side</td>(.*?)</tr>", kots_page)
    assert row
    assert len(re.findall("<td", row[1])) == 4
    value = kots.summary.filter(measure="win", side="caller", rules="mendikot", players="random")["value"][0]
    assert re.findall(r">([\d.]+) ±", row[1])[3] == f"{100 * value:.1f}"


def test_what_is_not_told_is_a_dash(kots: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    differences = kots.tables["differences"]
    untold = differences.with_columns(side=differences["side"].set(differences["side"] == "caller", None))
    monkeypatch.setitem(kots.tables, "differences", untold)
    text = Page(report.render(kots)).text
    assert "win, % · –" in text
    assert "None" not in text


def test_the_same_folder_gives_the_same_page(calls_page: str, tmp_path: Path) -> None:
    again = run("trump-call", out=tmp_path, hands=25, deals=40, players="simple", chunk=4, jobs=2)
    assert report.render(again) == report.render(Run.open(again.path)) == calls_page


def test_the_page_lies_in_the_runs_folder(calls: Run, calls_page: str) -> None:
    path = calls.report()
    assert path == calls.path / "report.html"
    assert path.read_text(encoding="utf-8") == calls_page


def test_given_hands_are_shown_call_by_call(tmp_path: Path) -> None:
    one = run("trump-call", out=tmp_path, hand=["AS KS 5S 2H 9D"], deals=40, players="simple", jobs=1)
    page = Page(report.render(one))
    assert "What the calls of the hands are worth" in page.text
    assert "AS KS 5S 2H 9D" in page.text


def test_a_study_without_texts_of_its_own_has_a_page(tmp_path: Path) -> None:
    page = Page(report.render(run(Dice(), out=tmp_path, deals=100, jobs=1)))
    assert Dice.title in page.text
    assert "summary.parquet" in page.text


def test_there_is_no_page_before_the_run_is_complete(calls: Run, tmp_path: Path) -> None:
    (tmp_path / "study.json").write_bytes(calls.folder.study_file.read_bytes())
    with pytest.raises(RunError, match="is not complete: 0 of 25 hands are there"):
        Run.open(tmp_path).report()
