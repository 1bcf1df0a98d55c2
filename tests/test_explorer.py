"""The call explorer: what it answers, and the widget in a real browser."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import courtpiece as cp
from courtpiece.explorer import answer
from courtpiece.rules import presets
from tests.browser import launched

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

HERE = Path(sys.modules["courtpiece"].__file__ or "").parent
FIVE = ["AS", "KS", "5S", "2H", "9D"]

# What a notebook does for a widget: keeps its state, tells it of changes, carries messages to the kernel.
HOST = """
<!DOCTYPE html><meta charset="utf-8"><style>%s</style><div id="here"></div>
<script type="module">
const module = URL.createObjectURL(new Blob([window.esm], { type: "text/javascript" }));
const { default: widget } = await import(module);
const listeners = {}, tell = (event, what) => (listeners[event] ?? []).forEach((listener) => listener(what));
const changed = new Set();
window.model = {
  get: (key) => window.state[key],
  set(key, value) { window.state[key] = value; changed.add(key); },
  save_changes() { const keys = [...changed]; changed.clear(); keys.forEach((k) => tell(`change:${k}`)); },
  on(event, listener) { (listeners[event] ??= []).push(listener); },
  off(event, listener) { listeners[event] = (listeners[event] ?? []).filter((other) => other !== listener); },
  async send(question) { tell("msg:custom", await window.kernel(question)); },
};
window.leave = widget.render({ model, el: document.getElementById("here") });
window.listening = () => Object.values(listeners).flat().length;
</script>
"""


def question(**changes: Any) -> dict[str, Any]:
    return {"number": 1, "cards": FIVE, "rules": "single-sir", "players": "greedy", "deals": 0, **changes}


def test_the_first_answer_is_quick_and_the_next_ones_have_more_deals() -> None:
    deals, seen = 0, []
    while True:
        reply, advice = answer(question(deals=deals))
        assert advice is not None
        assert reply["deals"] == advice.deals
        seen.append((reply["deals"], advice.best.win.half_width))
        deals = reply["next"]
        if not deals or deals > 5000:
            break
    assert seen[0][0] == 200
    assert [deals for deals, _ in seen] == sorted({deals for deals, _ in seen})
    assert seen[-1][1] < seen[0][1] / 2


def test_it_says_what_call_says() -> None:
    reply, advice = answer(question(deals=400))
    alone = cp.call("AS KS 5S 2H 9D", deals=400)
    assert repr(advice) == repr(alone)
    assert reply["verdict"] == alone.verdict
    assert [row["win"][0] for row in reply["rows"]] == [call.win.value for call in alone.calls]
    assert [row["label"] for row in reply["rows"] if row["best"]] == ["♠ spades"]
    assert all(row["win"][1] < row["win"][0] < row["win"][2] for row in reply["rows"])


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"cards": FIVE[:4]}, "is five cards"),
        ({"rules": "single"}, "single"),
        ({"players": "greedi"}, "greedi"),
        ({"rules": "be-ranga"}, "has no call"),
    ],
)
def test_what_cannot_be_is_answered_in_one_line(changes: dict[str, Any], said: str) -> None:
    reply, advice = answer(question(**changes))
    assert advice is None
    assert said in reply["error"]
    assert "\n" not in reply["error"]
    assert reply["number"] == 1


def test_players_that_see_all_cards_begin_with_few_deals() -> None:
    reply, _ = answer(question(players="double-dummy"))
    assert reply["deals"] == 20
    assert len(reply["head"]) == 4                  # no tricks are told


def test_the_widget_holds_what_it_was_given_and_offers_every_rule_set_with_a_call() -> None:
    pytest.importorskip("anywidget", reason="the extra lab is not installed")
    widget: Any = cp.explorer("AS KS", rules="bavan", players="simple", offer=["random/longest"])
    assert widget.cards == ["AS", "KS"]
    assert widget.rules_offered[0] == "bavan"
    assert set(widget.rules_offered) < set(presets())
    assert "be-ranga" not in widget.rules_offered
    assert widget.players_offered[0] == "simple"
    assert widget.players_offered[-1] == "random/longest"
    sent: list[Any] = []
    widget.send = sent.append
    widget._asked(widget, question(deals=40), [])
    assert sent[0]["deals"] == widget.advice.deals == 40
    widget.close()


def test_cards_rules_and_players_that_cannot_be_are_refused_at_once() -> None:
    for wrong in ({"cards": "AS KS QS JS TS 9S"}, {"cards": "XX"}, {"rules": "none"}, {"players": "none"}):
        with pytest.raises(cp.CourtpieceError):
            cp.explorer(**wrong)                    # type: ignore[arg-type]


def test_without_anywidget_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    from courtpiece.explorer import _kind

    _kind.cache_clear()
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(cp.CourtpieceError, match=r"pip install '\.\[lab\]'"):
        cp.explorer()
    _kind.cache_clear()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with launched() as browser:
        yield browser


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page with the widget in it, which asks this process, and no network."""
    page = browser.new_page()
    trouble: list[str] = []
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.on("request", lambda request: trouble.append(request.url)
            if not request.url.startswith(("blob:", "about:")) else None)
    asked: list[dict[str, Any]] = []

    def kernel(asking: dict[str, Any]) -> dict[str, Any]:
        asked.append(asking)
        reply, _ = answer(asking)
        return reply if reply.get("deals", 0) < 1000 else {**reply, "next": 0}

    page.expose_function("kernel", kernel)
    state = {"cards": [], "rules": "single-sir", "players": "simple",
             "rules_offered": ["single-sir", "hidden-trump"], "players_offered": ["simple", "random"]}
    page.evaluate("([esm, state]) => { window.esm = esm; window.state = state; }",
                  [(HERE / "explorer.js").read_text(encoding="utf-8"), state])
    page.set_content(HOST % (HERE / "explorer.css").read_text(encoding="utf-8"))
    page.asked = asked                          # type: ignore[attr-defined]
    page.locator(".verdict").wait_for()
    yield page
    page.close()
    assert trouble == []


def test_five_clicks_show_every_call_with_its_error_and_refine_it(page: Page) -> None:
    verdict, rows = page.locator(".verdict"), page.locator("tbody tr")
    assert verdict.inner_text() == "Pick 5 more cards."
    for left, card in zip((4, 3, 2, 1), FIVE, strict=False):
        page.locator(f"[data-card='{card}']").click()
        assert verdict.inner_text() == f"Pick {left} more card{'s' * (left > 1)}."
    assert rows.count() == 0
    page.get_by_role("button", name="nine of diamonds").press("Enter")
    page.get_by_text("1,600 deals for each call").wait_for()
    asked: list[dict[str, Any]] = page.asked        # type: ignore[attr-defined]
    assert [asking["deals"] for asking in asked] == [0, 1600]
    assert asked[0]["cards"] == FIVE
    alone = cp.call("AS KS 5S 2H 9D", players="simple", deals=1600)
    assert verdict.inner_text() == alone.verdict
    assert [row.locator("td").first.inner_text() for row in rows.all()] == [
        cells[0] for cells in alone.rows()
    ]
    for row, call in zip(rows.all(), alone.calls, strict=True):
        bar = row.locator(".interval")
        ends = [float(bar.get_attribute(end) or "") for end in ("x1", "x2")]
        assert ends == pytest.approx([2 + 140 * call.win.low, 2 + 140 * call.win.high])
    assert page.locator("[data-card='2C']").is_disabled()


def test_other_rules_players_and_cards_change_the_answer(page: Page) -> None:
    for card in FIVE:
        page.locator(f"[data-card='{card}']").click()
    page.get_by_text("single-sir, players simple, 1,600 deals").wait_for()
    page.get_by_label("Rules").select_option("hidden-trump")
    page.get_by_text("hidden-trump, players simple, 1,600 deals").wait_for()
    assert "face down" in page.locator(".verdict").inner_text() or page.locator("tbody tr").count() >= 5
    page.get_by_label("Players").select_option("random")
    page.get_by_text("hidden-trump, players random, 1,600 deals").wait_for()
    page.locator("[data-card='AS']").click()
    assert page.locator(".verdict").inner_text() == "Pick 1 more card."
    assert page.locator("tbody tr").count() == 0
    page.get_by_role("button", name="Clear").click()
    assert page.locator("[aria-pressed=true]").count() == 0


def test_a_refusal_of_the_kernel_is_shown_in_its_place(page: Page) -> None:
    page.evaluate("() => { model.set('rules', 'be-ranga'); model.save_changes(); }")
    page.evaluate(f"() => {{ model.set('cards', {FIVE}); model.save_changes(); }}")
    page.get_by_text("has no call").wait_for()
    assert page.locator("tbody tr").count() == 0


def test_a_widget_that_is_taken_away_listens_no_more(page: Page) -> None:
    assert page.evaluate("listening()") == 4
    page.evaluate("leave()")
    assert page.evaluate("listening()") == 0
