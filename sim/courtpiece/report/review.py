"""The page about a deal: four hands round the table, stepped through card by card; what decisions cost."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from courtpiece.cards import RANKS, SUITS, SYMBOLS, Card, Suit
from courtpiece.deal import CALLERS, DEFENDERS, Deal
from courtpiece.report.page import template
from courtpiece.review import Choice, Decision, Review, kind_of
from courtpiece.rules import Collection
from courtpiece.sentences import deed, result

_WIDTH, _HEIGHT, _MARGIN = 720, 128, 20     # of the curve


@dataclass(kw_only=True)
class Step:
    """The table after something was said or played, and what was decided with it."""

    number: int
    text: str
    trick: int                              # 0 in the call
    name: str                               # the letter of the seat that acted
    card: Card | None                       # that it played
    table: list[tuple[str, Card]]           # the trick under way, or just finished: whose card, and the card
    winner: str                             # who won the trick just finished
    taken: tuple[int, int]
    pile: int
    trump: Suit | None
    face_down: Card | None
    decisions: list[Decision] = field(default_factory=list)
    ahead: int | None = None                # what the caller's side then comes out ahead by, with open cards


@dataclass(frozen=True, kw_only=True)
class Row:
    """One choice of a decision as the page shows it."""

    text: str
    made: bool
    best: bool
    points: str
    tricks: str
    expected: str


def render(review: Review, title: str) -> str:
    """Returns the page, in one file that needs nothing else."""
    deal = review.deal
    steps = list(_steps(review))
    page: str = template("review.html.j2").render(
        title=title,
        result=result(deal),
        verdict=review.verdict,
        method=review.method,
        weighed=review.worlds > 0,
        pile=deal.rules.collection is Collection.PILE,
        sides=[deal.side_name(side) for side in (CALLERS, DEFENDERS)],
        hands=[_hand(deal, name) for name in ("N", "W", "E", "S")],
        steps=steps,
        tricks=_by_trick(steps),
        parts=_parts,
        rows=_rows,
        cost=_cost,
        turning=review.turning_point,
        players=review.players,
        curve=_curve(steps),
        width=_WIDTH,
        height=_HEIGHT,
        states=[_state(deal, step) for step in steps],
    )
    return page


def _steps(review: Review) -> Iterator[Step]:
    """Plays the deal once more and yields a step for each word and play."""
    deal = review.deal
    again = Deal(deal.rules, deal.dealt, dealer=deal.dealer)
    at: dict[int, list[Decision]] = {}
    for decision in review.decisions:
        at.setdefault(decision.moment, []).append(decision)
    ahead = next((_after(one, best=True) for one in review.decisions if one.best_points is not None), None)
    if any(one.best_points is None for one in review.decisions[:1]):
        ahead = None
    moment = 0

    def step(text: str, name: str, trick: int, card: Card | None = None) -> Step:
        nonlocal ahead
        decisions = at.get(moment - 1, []) if moment else []
        for decision in decisions:
            if decision.chosen.points is not None:
                ahead = _after(decision)
        finished = card is not None and not again.trick
        if finished:
            last = again.tricks[-1]
            table = [(again.name((last.leader + place) % 4), one) for place, one in enumerate(last.cards)]
        else:
            table = [(again.name((again.leader + place) % 4), one) for place, one in enumerate(again.trick)]
        return Step(
            number=moment, text=text, trick=trick, name=name, card=card, table=table,
            winner=again.name(again.tricks[-1].winner) if finished else "",
            taken=(again.taken[0], again.taken[1]), pile=again.pile, trump=again.trump,
            face_down=again.hidden_card, decisions=decisions, ahead=ahead,
        )

    yield step(f"{again.name(3)} has dealt; {again.name(0)} is eldest.", "", 0)
    for word in deal.words:
        seat = again.turn if again.phase == "call" else again.caller or 0
        again.say(word)
        moment += 1
        yield step(f"{again.name(seat)} {deed('call', word)}.", again.name(seat), 0)
    claimed = ""
    if deal.claimer is not None:
        again.claim(deal.claimer)
        claimed = f"{again.name(deal.claimer)} claims all thirteen tricks; "
    for play in deal.plays:
        name, trick, hidden = again.name(again.turn), again.trick_number, again.hidden_card
        kind, card = kind_of(again, str(play)), play if isinstance(play, Card) else None
        collected = sum(again.taken)
        if card is not None:
            again.play(card)
        else:
            again.reveal()
        moment += 1
        text, claimed = f"{claimed}{name} {deed(kind, str(play))}", ""
        if card is not None and not again.trick:
            text += f"; {again.name(again.tricks[-1].winner)} wins the trick"
            picked = sum(again.taken) - collected
            if again.rules.collection is Collection.PILE and picked:
                text += f" and picks up {picked}"
        if hidden is not None and again.hidden_card is None:
            text += f"; {str(hidden)[0]}{hidden.suit.symbol} is turned up"
        yield step(f"{text}.", name, trick, card)


def _after(decision: Decision, *, best: bool = False) -> int | None:
    """Returns what the caller's side comes out ahead by after a decision, or before it with `best`."""
    points = decision.best_points if best else decision.chosen.points
    return None if points is None else -points if decision.seat % 2 else points


def _by_trick(steps: Sequence[Step]) -> list[tuple[int, list[Step]]]:
    found: dict[int, list[Step]] = {}
    for step in steps[1:]:
        found.setdefault(step.trick, []).append(step)
    return list(found.items())


def _hand(deal: Deal, name: str) -> dict[str, Any]:
    """Returns a hand as dealt: its seat's letter and roles, and its cards by suit."""
    seat = next(seat for seat in range(4) if deal.name(seat) == name)
    roles = {0: "eldest", 3: "dealer"}
    cards = sorted(deal.dealt[seat], reverse=True)
    return {
        "name": name,
        "role": roles.get(seat, ""),
        "suits": [(suit, [card for card in cards if card.suit is suit]) for suit in Suit],
    }


def _state(deal: Deal, step: Step) -> dict[str, Any]:
    """Returns what the page's script needs of a step."""
    return {
        "table": [[name, str(card)] for name, card in step.table],
        "card": None if step.card is None else str(step.card),
        "turn": step.name,
        "winner": step.winner,
        "taken": {deal.side_name(side): step.taken[side] for side in (CALLERS, DEFENDERS)},
        "pile": step.pile,
        "trump": "" if step.trump is None else step.trump.name,
        "down": "" if step.face_down is None else str(step.face_down),
        "bad": any(one.lost or one.surely_worse for one in step.decisions),
    }


def _parts(text: str) -> list[tuple[str, str]]:
    """Returns a text in parts, each with the suit of the card or pip that it is, or none."""
    split = re.split(rf"([{RANKS}]*[{SYMBOLS}])", text)
    return [(SUITS[SYMBOLS.index(part[-1])] if place % 2 else "", part) for place, part in enumerate(split)]


def _rows(decision: Decision) -> list[Row]:
    """Returns the choices of a decision, the best first."""
    return [
        Row(
            text=str(choice),
            made=choice is decision.chosen,
            best=_is_best(decision, choice),
            points=_signed(choice.points),
            tricks="" if choice.tricks is None else str(choice.tricks),
            expected="" if choice.expected is None else f"{choice.expected:+z.2f}".replace("-", "−"),
        )
        for choice in decision.choices
    ]


def _is_best(decision: Decision, choice: Choice) -> bool:
    return choice in decision.better or (decision.lost == 0 and choice is decision.chosen) or (
        choice.points is not None and choice.points == decision.best_points
    )


def _signed(value: int | None) -> str:
    return "" if value is None else f"{value:+d}".replace("-", "−") if value else "0"


def _cost(decision: Decision) -> str:
    """Returns what a decision lost with open cards, in words; "" for nothing."""
    if not decision.lost:
        return ""
    thing = "trick" if decision.points_lost is None else "point"
    return f"−{decision.lost} {thing}{'' if decision.lost == 1 else 's'}"


def _curve(steps: Sequence[Step]) -> dict[str, Any] | None:
    """Returns the curve of how far the caller's side comes out ahead with open cards; None without one."""
    known = [step.ahead for step in steps if step.ahead is not None]
    if len(steps) < 2 or not known:
        return None
    top, bottom = max(*known, 0), min(*known, 0)
    scale = (_HEIGHT - 2 * _MARGIN) / max(top - bottom, 1)

    def place(number: int, ahead: int) -> tuple[float, float]:
        across = 40 + (_WIDTH - 48) * number / (len(steps) - 1)
        return round(across, 1), round(_MARGIN + (top - ahead) * scale, 1)

    parts, last = [], None
    for step in steps:
        if step.ahead is None:
            continue
        x, y = place(step.number, step.ahead)
        parts.append(f"M{x},{y}" if last is None else f"H{x}V{y}")
        last = y
    return {
        "path": "".join(parts),
        "zero": place(0, 0)[1],
        "levels": [(value, place(0, value)[1], _signed(value)) for value in sorted({top, bottom, 0})],
        "drops": [
            (step.number, *place(step.number, step.ahead))
            for step in steps
            if step.ahead is not None and any(one.points_lost for one in step.decisions)
        ],
        "tricks": [
            (place(step.number, 0)[0], step.trick)
            for before, step in pairwise(steps)
            if step.trick != before.trick
        ],
        "left": 40,
        "step": (_WIDTH - 48) / (len(steps) - 1),
    }
