"""The page of a review: sound, safe, complete without scripts, and stepping with them."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from courtpiece.played import played
from courtpiece.review import Review, review
from courtpiece.table import Table
from tests.test_report import Page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
NAMES = ("single-sir", "hidden-trump", "double-sir", "be-ranga", "bavan", "mendikot")


def reviewed(name: str, index: int = 0) -> Review:
    (deal,) = played(Table(name, "simple/longest"), 7, index, 1)
    return review(deal, worlds=20, exact=7)


@pytest.fixture(scope="module", params=NAMES)
def found(request: pytest.FixtureRequest) -> Review:
    return reviewed(request.param)


def test_it_is_one_sound_file(found: Review) -> None:
    text = found.page("Thursday")
    page = Page(text)
    assert len(page.ids) == len(set(page.ids))
    assert all(link.startswith("#") and link[1:] in page.ids for link in page.refers)
    assert "http" not in text.replace("http-equiv", "")
    assert "Thursday" in page.text


def test_without_scripts_it_shows_the_hands_every_step_and_all_values(found: Review) -> None:
    text = found.page()
    deal = found.deal
    shown = re.findall(r'data-card="(..)"', text)
    assert sorted(shown) == sorted(str(card) for hand in deal.dealt for card in hand)
    steps = re.findall(r'<li id="step-(\d+)">(.*?)</li>', text, flags=re.S)
    assert [int(number) for number, _ in steps] == [*range(len(deal.words) + len(deal.plays) + 1)]
    for one in found.decisions:
        body = re.sub(r"<[^>]+>", "", steps[one.moment + 1][1])
        for choice in one.choices:
            assert str(choice) in body
        if one.points_lost:
            assert f"−{one.points_lost} point" in body
        if one.lost is None and one.chosen.tricks is None:
            assert "not solved with open cards" in body
    assert "<nav id=\"nav\" hidden" in text
    assert "<details id=\"all\" open" in text


def test_what_the_script_is_given_is_the_deal(found: Review) -> None:
    text = found.page()
    told = re.search(r'<script type="application/json" id="states">(.*?)</script>', text, flags=re.S)
    assert told is not None
    states, deal = json.loads(told[1]), found.deal
    cards = [state["card"] for state in states if state["card"]]
    assert cards == [str(play) for play in deal.plays if play != "reveal"]
    assert [state["winner"] for state in states if state["winner"]] == [
        deal.name(trick.winner) for trick in deal.tricks
    ]
    assert states[-1]["taken"] == {deal.side_name(side): deal.taken[side] for side in (0, 1)}
    for state in states:
        assert len(state["table"]) <= 4
        assert not state["winner"] or len(state["table"]) == 4


def test_hostile_names_stay_text() -> None:
    evil = '</script><script>alert(1)</script><img src=x onerror="alert(1)">&amp; ♠'
    text = reviewed("single-sir").page(evil)
    Page(text)
    assert "<script>alert" not in text
    assert "<img" not in text
    assert text.count("<script") == 2
    assert "&lt;/script&gt;" in text


def dom(page: Path, keys: str) -> str:
    """Returns the page as a browser has it after some keys, by name, were pressed."""
    text = page.read_text(encoding="utf-8")
    press = "".join(
        f'document.dispatchEvent(new KeyboardEvent("keydown", {{key: "{key}"}}));' for key in keys.split()
    )
    pressed = page.with_name("pressed.html")
    pressed.write_text(text.replace("</body>", f"<script>{press}</script></body>"), encoding="utf-8")
    assert CHROMIUM is not None
    ended = subprocess.run(
        [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=2000",
         f"--user-data-dir={page.parent / 'profile'}", "--dump-dom", pressed.as_uri()],
        capture_output=True, text=True, timeout=120, check=True,
    )
    return ended.stdout


def part(shown: str, name: str) -> str:
    found = re.search(rf'id="{name}"[^>]*>(.*?)</(?:p|div|b)>', shown, flags=re.S)
    assert found is not None
    return re.sub(r"<[^>]+>", "", found[1])


@pytest.mark.skipif(CHROMIUM is None, reason="needs a Chromium")
def test_in_a_browser_the_keys_step_through_the_deal(tmp_path: Path) -> None:
    found = reviewed("single-sir")
    page = tmp_path / "page.html"
    page.write_text(found.page(), encoding="utf-8")
    last = len(found.deal.words) + len(found.deal.plays)

    shown = dom(page, "")
    assert part(shown, "count") == f"0/{last}"
    assert 'id="nav" aria-label' in shown       # no longer hidden

    shown = dom(page, "ArrowRight ArrowRight ArrowRight ArrowLeft")
    first = found.deal.tricks[0].cards[0]
    assert part(shown, "count") == f"2/{last}"
    assert part(shown, "say") == f"{found.deal.name(0)} leads {str(first)[0]}{first.suit.symbol}."
    assert re.findall(r'<i data-card="(..)" class="now"', shown) == [str(first)]

    shown = dom(page, "ArrowDown")
    bad = next(one for one in found.decisions if one.lost or one.surely_worse)
    assert part(shown, "count") == f"{bad.moment + 1}/{last}"

    shown = dom(page, "End ArrowRight")
    assert part(shown, "count") == f"{last}/{last}"
    for side in (0, 1):
        assert f'<b data-side="{found.deal.side_name(side)}">{found.deal.taken[side]}</b>' in shown
