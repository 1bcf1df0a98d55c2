"""The call explorer, a widget for Jupyter: pick five cards by clicking, see what each call is worth.

The page asks and this answers: first from few deals, then from more, so that numbers are there at once and
their errors shrink while one looks.  Nothing is asked of the network.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from courtpiece.advice import DEALS, SOLVED_DEALS, Advice, call, label
from courtpiece.cards import Card, Hand, format_cards
from courtpiece.errors import CourtpieceError, UsageError, how_to_install, one_line
from courtpiece.players import Lineup, parse_lineup
from courtpiece.rules import RuleSet, Trump, name_of, preset, presets, resolve

if TYPE_CHECKING:
    from anywidget import AnyWidget

PLAYERS = ("greedy", "simple", "random", "double-dummy")
_FIRST, _FIRST_OF_SLOW = 200, 20        # deals of the first answer
_GROWTH = 8                             # how many times more deals the next answer takes, at most
_PATIENCE = 10.0                        # seconds that an answer may take, about


def explorer(
    cards: str | Iterable[Card] = "",
    *,
    rules: str = "single-sir",
    players: str = "greedy",
    seed: int = 1,
    offer: Sequence[str] = (),
) -> AnyWidget:
    """Returns a widget that shows what each call of five cards is worth, while one picks them.

    `cards` are those picked at first, `offer` more line-ups to choose from.  The widget's `advice` is what it
    shows, as `call` returns it; its `cards`, `rules` and `players` can be set.  Raises UsageError where
    anywidget is not installed, and what `call` raises for rules and players that cannot be.
    """
    picked = Hand(cards)
    if len(picked) > 5:
        raise UsageError(f"a calling hand is five cards, and {format_cards(picked)} is {len(picked)}")
    resolve(rules)
    parse_lineup(players)
    try:
        kind = _kind()
    except ImportError:
        raise UsageError(f"cp.explorer() needs anywidget: {how_to_install('lab')}") from None
    widget: AnyWidget = kind(
        cards=list(map(str, picked)), rules=rules, players=players, seed=seed,
        rules_offered=list(dict.fromkeys([rules, *_rules_with_a_call()])),
        players_offered=list(dict.fromkeys([players, *PLAYERS, *offer])),
    )
    return widget


def _rules_with_a_call() -> list[str]:
    return [name for name in presets() if preset(name).trump is not Trump.FIRST_VOID]


@cache
def _kind() -> type[AnyWidget]:
    """Returns the widget's class; ImportError where anywidget is not installed."""
    import anywidget
    import traitlets

    class Explorer(anywidget.AnyWidget):
        """Five cards, a rule set and players, and what each call is worth."""

        _esm = Path(__file__).with_suffix(".js")
        _css = Path(__file__).with_suffix(".css")
        cards = traitlets.List(traitlets.Unicode()).tag(sync=True)
        rules = traitlets.Unicode("single-sir").tag(sync=True)
        players = traitlets.Unicode("greedy").tag(sync=True)
        rules_offered = traitlets.List(traitlets.Unicode()).tag(sync=True)
        players_offered = traitlets.List(traitlets.Unicode()).tag(sync=True)
        seed = traitlets.Int(1)
        advice = traitlets.Any(None, allow_none=True)

        def __init__(self, **state: Any) -> None:
            super().__init__(**state)
            self.on_msg(self._asked)

        def _asked(self, widget: Any, question: Any, buffers: Any) -> None:
            reply, self.advice = answer(question, self.seed)
            self.send(reply)

    return Explorer


def answer(question: Mapping[str, Any], seed: int = 1) -> tuple[dict[str, Any], Advice | None]:
    """Returns what to show for a question of the page, and the advice it tells; an `error` in its place.

    A question has a number, `cards`, `rules`, `players` and `deals`, 0 for the first look.  The reply has
    the number, and in `next` how many deals to ask for next, 0 when there is no need.
    """
    number = question.get("number")
    try:
        rules, players = resolve(str(question["rules"])), parse_lineup(str(question["players"]))
        deals = int(question["deals"]) or _first(players)
        began = perf_counter()
        advice = call(" ".join(question["cards"]), rules=rules, players=players, deals=deals, seed=seed)
        more = _next(deals, perf_counter() - began, players)
    except CourtpieceError as error:
        return {"number": number, "error": one_line(str(error))}, None
    return {"number": number, "next": more, **_shown(advice, rules)}, advice


def _first(players: Lineup) -> int:
    quick = players.in_kernel and not players.double_dummy
    return _FIRST if quick else _FIRST_OF_SLOW


def _next(deals: int, seconds: float, players: Lineup) -> int:
    """Returns how many deals the next answer is to have: as many as patience allows."""
    most = SOLVED_DEALS if players.double_dummy else DEALS
    wanted = min(most, _GROWTH * deals, int(_PATIENCE / max(seconds, 1e-9) * deals))
    return wanted if wanted > 1.5 * deals else 0


def _shown(advice: Advice, rules: RuleSet) -> dict[str, Any]:
    rows = [
        {
            "label": label(call.words),
            "best": call is advice.best,
            "win": [call.win.value, call.win.low, call.win.high],
            "cells": cells[1:],
        }
        for call, cells in zip(advice.calls, advice.rows(), strict=True)
    ]
    return {
        "head": advice.head[1:], "rows": rows, "verdict": advice.verdict, "deals": advice.deals,
        "told": f"{name_of(rules)}, players {advice.players}, {advice.deals:,} deals for each call; "
                "± is half a 95 % interval",
    }
