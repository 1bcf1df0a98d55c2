"""Pages in Urdu and Hindi: all of it in that language, figures with text that a browser shapes, and PDFs."""

from __future__ import annotations

import html
import json
import re
from dataclasses import fields
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import pytest

from courtpiece import cli, report
from courtpiece.errors import UsageError
from courtpiece.report.pdf import browser
from courtpiece.results import Run
from courtpiece.rules import RuleSet
from courtpiece.run import run
from courtpiece.studies import names
from tests.browser import launched
from tests.test_report import Page

# What has no other name in any language: people, methods, programs.
NAMES = set(re.findall("[A-Za-z]+", """
    Wilson Student Bradley Terry Elo Agresti Min Waudby Smith Ramdas bootstrap exact double dummy greedy
    Browne Holm Bonferroni toss strongest
    scikit learn longest
    Kim Nelson Fan Hong Botev Kroese Neyman generalized splitting
    Metropolis Kish Entropy entropy log
    agresti min courtpiece Python numpy polars matplotlib engine jsonl won lost timing json replay play record
""")) | set(re.findall("[a-z]+", " ".join(names())))
SCRIPT = {"ur": re.compile("[\u0600-\u06ff]"), "hi": re.compile("[\u0900-\u097f]")}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Run]:
    """Small runs of the studies, with one and with several rule sets."""
    asked: list[tuple[str, dict[str, object]]] = [
        ("trump-call", {"hands": 25, "deals": 40, "players": "simple"}),
        ("trump-call", {"hand": ["AS KS 5S 2H 9D"], "deals": 40, "players": "simple"}),
        ("kot-frequency", {"deals": 1000, "rules": ["single-sir", "mendikot", "bavan"], "players": "simple"}),
        ("duel", {"deals": 100, "us": "simple", "them": "random"}),
        ("duel", {"matches": 4, "us": "simple", "them": "random"}),
        ("ladder", {"deals": 100, "player": ["simple", "random"]}),
        ("toss", {"draws": 100}),
        ("variants", {"deals": 300, "rules": ["single-sir-novice", "bavan"]}),
        ("variants", {"deals": 300, "around": "mendikot-novice"}),
        ("options", {"deals": 300, "rules": ["hidden-trump", "bavan"]}),
        ("rare-kots", {"deals": 200, "rules": ["single-sir", "bavan"]}),
        ("conventions", {"deals": 60}),
        ("calls-that-lie", {"deals": 20, "more": 40, "draws": 50}),
        ("trump-book", {"hands": 30, "deals": 100, "against": "simple", "trials": 20}),
    ]
    folder = tmp_path_factory.mktemp("runs")
    asked.append(("rules-of-thumb", {"book": str(folder / str(len(asked) - 1))}))
    return [run(study, out=folder / str(at), jobs=1, **values)      # type: ignore[arg-type]
            for at, (study, values) in enumerate(asked)]


@pytest.fixture(scope="module", params=["ur", "hi"])
def lang(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@cache
def page_of(one: Run, lang: str) -> str:
    """Returns the page of a run, drawn once."""
    return report.render(one, lang)


def visible(page: str) -> str:
    """Returns what a reader sees but commands and file names."""
    body = page[page.index("<body>"):page.index("</html>")]
    for element in ("script", "style", "pre", "code", "metadata", "defs"):
        body = re.sub(rf"<{element}\b.*?</{element}>", " ", body, flags=re.S)
    return " ".join(Page(body).words)


def named(one: Run) -> set[str]:
    """Returns the words of all that is named in a run: rule sets, options, players, tables, values."""
    told = [
        json.dumps([one.design.json(), one.design.shown]), *one.tables,
        *(option.name for option in fields(RuleSet)),
        *(f"{RuleSet.from_string(line).to_dict()}" for line in one.design.rules.values()),
    ]
    return set(re.findall("[A-Za-z]+", " ".join(told)))


def test_nothing_is_left_in_english(runs: list[Run], lang: str) -> None:
    for one in runs:
        said = set(re.findall("[A-Za-z]{2,}", visible(page_of(one, lang))))
        cards = {word for word in said if re.fullmatch("[AKQJT2-9SHDC]+", word)}
        assert said - named(one) - NAMES - cards == set(), one.design.study


def test_every_column_has_a_head_in_the_language(runs: list[Run], lang: str) -> None:
    for one in runs:
        for head in re.findall(r'<th scope="col"[^>]*>(.*?)</th>', page_of(one, lang)):
            whole = re.sub("[\u2066\u2069]", "", html.unescape(head))
            assert not re.fullmatch("[a-z][a-z ]{2,}", whole) or whole in named(one), one.design.study


def test_a_page_says_which_language_it_is_in_and_runs_as_that_does(runs: list[Run], lang: str) -> None:
    page = page_of(runs[0], lang)
    direction = "rtl" if lang == "ur" else "ltr"
    assert f'<html lang="{lang}" dir="{direction}">' in page
    assert len(SCRIPT[lang].findall(page)) > 3000


def test_the_answer_has_the_numbers_of_the_headline(runs: list[Run], lang: str) -> None:
    kots = runs[2]
    for language in ("en", lang):
        sentences = kots.answer(language)
        for row, sentence in zip(kots.headline.iter_rows(named=True), sentences, strict=False):
            assert row["rules"] in sentence
            for column in ("win", "kot", "kot_conceded"):
                assert re.search(rf"\b{100 * row[column]:.0f}|{100 * row[column]:.1f}|< ", sentence), column


def test_figures_hold_text_in_the_languages_script(runs: list[Run], lang: str) -> None:
    for one in runs:
        figures = re.findall(r"<figure>.*?</figure>", page_of(one, lang), flags=re.S)
        assert figures
        for figure in figures:
            svg = figure[figure.index("<svg"):figure.index("</svg>") + len("</svg>")]
            root = ElementTree.fromstring(svg)
            texts = ["".join(text.itertext()) for text in root.iter() if text.tag.endswith("}text")]
            assert any(SCRIPT[lang].search(text) for text in texts), svg[:300]
            assert {"ur": "Noto Naskh Arabic", "hi": "Noto Sans Devanagari"}[lang] in svg
            title, caption = (re.search(rf"<{tag}>(.*?)</{tag}>", figure, flags=re.S)
                              for tag in ("h3", "figcaption"))
            assert title
            assert caption
            assert SCRIPT[lang].search(title[1])
            assert SCRIPT[lang].search(caption[1])


def test_pages_of_all_languages_lie_side_by_side_and_stay_the_same(runs: list[Run], lang: str) -> None:
    one = runs[3]
    path = one.report(lang)
    assert path == one.path / f"report.{lang}.html"
    first = path.read_bytes()
    assert Run.open(one.path).report(lang).read_bytes() == first
    assert one.report() == one.path / "report.html"


def test_more_deals_take_the_pages_of_the_old_numbers_away(tmp_path: Path) -> None:
    one = run("toss", out=tmp_path, draws=50, jobs=1)
    pages = [one.report(lang) for lang in ("en", "ur", "hi")]
    run("toss", out=tmp_path, draws=100, jobs=1)
    assert not any(page.exists() for page in pages)


def test_the_command_takes_a_language_and_refuses_others(
    runs: list[Run], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["report", str(runs[0].path), "--lang", "hi"]) == 0
    assert capsys.readouterr().out == f"{runs[0].path / 'report.hi.html'}\n"
    assert cli.main(["report", str(runs[0].path), "--lang", "fr"]) == 2
    assert capsys.readouterr().err == (
        'courtpiece: there is no language "fr"; there are en (English), ur (Urdu) and hi (Hindi)\n'
    )


def test_a_pdf_without_a_browser_is_refused_with_what_to_install(
    runs: list[Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(UsageError, match="needs Chromium or Google Chrome"):
        browser()
    with pytest.raises(UsageError, match="none is on the PATH"):
        runs[0].report(pdf=True)
    assert not (runs[0].path / "report.pdf").exists()


def test_a_browser_that_fails_leaves_no_pdf(
    runs: list[Run], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    broken = tmp_path / "chromium"
    broken.write_text("#!/bin/sh\necho no display >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match=r"did not print .*report.html: no display"):
        runs[0].report(pdf=True)
    assert not list(runs[0].path.glob("*.pdf"))


def test_a_pdf_is_printed_whole(runs: list[Run]) -> None:
    with launched():                    # skips where there is none
        pass
    path = runs[-1].report("ur", pdf=True)
    assert path == runs[-1].path / "report.ur.pdf"
    assert path.read_bytes().startswith(b"%PDF")
    assert path.read_bytes().rstrip().endswith(b"%%EOF")
    assert b"NotoN" in path.read_bytes() or b"/FontFile" in path.read_bytes()


def test_a_page_works_in_a_browser_without_network(runs: list[Run]) -> None:
    with launched() as chromium:
        page = chromium.new_page(viewport={"width": 390, "height": 800})
        trouble: list[str] = []
        page.on("console", lambda message: trouble.append(message.text))
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on("request", lambda request: trouble.append(request.url)
                if not request.url.startswith("file:") else None)
        for one in (runs[0], runs[2]):
            for lang in ("en", "ur", "hi"):
                page.goto(one.report(lang).as_uri())
                assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (one, lang)
        assert trouble == []


def test_tables_sort_by_number_and_by_name_with_mouse_and_keyboard(runs: list[Run]) -> None:
    with launched() as chromium:
        page = chromium.new_page()
        page.goto(runs[2].report("hi").as_uri())
        table = page.locator(".answer table")

        def column(place: int) -> list[str]:
            return [row.locator("td").nth(place).inner_text() for row in table.locator("tbody tr").all()]

        rules, points = column(0), column(5)
        head = table.locator("th").nth(5)
        head.locator("button").click()
        value = [float(text.split(" ")[0].replace("−", "-")) for text in column(5)]
        assert value == sorted(value, reverse=True)
        assert head.get_attribute("aria-sort") == "descending"
        head.locator("button").press("Enter")
        assert column(5) == column(5)[:1] + column(5)[1:]
        assert [float(text.split(" ")[0].replace("−", "-")) for text in column(5)] == value[::-1]
        assert sorted(column(5)) == sorted(points)
        first = table.locator("th").nth(0)
        first.locator("button").press("Space")
        assert column(0) == sorted(rules)
        assert first.get_attribute("aria-sort") == "ascending"
        assert head.get_attribute("aria-sort") is None
