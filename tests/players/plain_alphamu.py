"""αμ in plain Python over readable deals: the oracle of the kernel's search.

No cut, no bound, and no card left out: fronts of vectors as sets of sets of worlds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce

from courtpiece import Card
from courtpiece.deal import Deal
from tests.solve import plain

Plan = frozenset[int]                   # the worlds in which it reaches what is asked
Front = frozenset[Plan]
Won = Callable[[Deal], bool]
Known = dict[object, int]               # deals that have been played out with open cards


def front(seat: int, worlds: Mapping[int, Deal], moves: int, won: Won, known: Known | None = None) -> Front:
    """Returns what the plans of a seat come to, in worlds that have looked the same to it so far."""
    known = {} if known is None else known
    fronts = [_front(seat, alike, moves, won, known) for alike in _seen(seat, worlds)]
    return reduce(lambda some, more: _best({a | b for a in some for b in more}), fronts)


def _seen(seat: int, worlds: Mapping[int, Deal]) -> list[dict[int, Deal]]:
    """Returns the worlds in groups that look the same to the seat."""
    groups: dict[object, dict[int, Deal]] = {}
    for number, deal in worlds.items():
        view = deal.view(seat)
        looks = (view.plays, view.shown, view.face_down, view.trump, view.turn)
        groups.setdefault(looks, {})[number] = deal
    return list(groups.values())


def _front(seat: int, worlds: Mapping[int, Deal], moves: int, won: Won, known: Known) -> Front:
    some = next(iter(worlds.values()))
    if moves == 0 or some.phase == "over":
        reached = {number for number, deal in worlds.items() if _open(deal, seat, won, known)}
        return frozenset([frozenset(reached)])
    plays: list[Card | str] = sorted({card for deal in worlds.values() for card in deal.legal_cards()})
    if any(deal.can_reveal for deal in worlds.values()):
        plays.append("reveal")
    found: list[tuple[set[int], Front]] = []
    for play in plays:
        following = {
            number: plain.after(deal, play)
            for number, deal in worlds.items()
            if (play in deal.legal_cards() if isinstance(play, Card) else deal.can_reveal)
        }
        found.append((set(following), front(seat, following, moves - (some.turn == seat), won, known)))
    if some.turn == seat:
        return _best({plan for _, plans in found for plan in plans})
    result: set[Plan] = {frozenset() if some.turn == (seat + 2) % 4 else frozenset(worlds)}
    for there, plans in found:
        if some.turn == (seat + 2) % 4:
            result = {a | b for a in result for b in plans}
        else:
            result = {a & (b | (worlds.keys() - there)) for a in result for b in plans}
        result = set(_best(result))
    return frozenset(result)


def _best(plans: set[Plan]) -> Front:
    return frozenset(plan for plan in plans if not any(plan < other for other in plans))


def _open(deal: Deal, seat: int, won: Won, known: Known) -> bool:
    """Returns whether the seat's side reaches what is asked when all four see all cards."""
    sign = 1 if seat % 2 == 0 else -1
    return plain.best_end(deal, lambda end: sign if won(end) else -sign, known) == sign
