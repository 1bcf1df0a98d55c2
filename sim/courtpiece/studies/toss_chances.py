"""Exact chances of who calls first in a match, by rational arithmetic over the order of the pack.

A draw for the highest card is a row of rounds off the top of one pack.  Each round is settled by its top rank
alone: on which of its cards that rank lies.  So ranks are dealt to the places of the pack from the highest
down, and all that must be remembered are the rounds that no card has reached yet; the first rank that reaches
a round has to lie on the right ones of its cards, and whatever comes later may lie anywhere in it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations
from math import comb
from typing import NamedTuple

from courtpiece.cards import RANKS, SUITS
from courtpiece.match import SEATS
from courtpiece.rules import DrawTie, FirstCaller, RuleSet

Seats = tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class TossChances:
    """The exact chances of a way to find the first caller.

    seats       of each seat to call first, seat 0 being the one that draws, or is served, first
    cards       of each number of cards that it takes
    rounds      of each number of rounds of the table, or of those who still draw
    unsettled   that one pack does not settle it, so that a second has to be shuffled; the other chances
                are those of the draws that one pack does settle
    """

    seats: tuple[Fraction, Fraction, Fraction, Fraction]
    cards: dict[int, Fraction]
    rounds: dict[int, Fraction]
    unsettled: Fraction


def toss_chances(rules: RuleSet, *, ranks: int = len(RANKS), suits: int = len(SUITS)) -> TossChances:
    """Returns the exact chances under `first_caller` and `draw_tie` of the rules, for a pack of any size."""
    if rules.first_caller is FirstCaller.RANDOM:
        ends = [(seat, 1, 1, Fraction(1, 4)) for seat in SEATS]                         # B1
    elif rules.first_caller in (FirstCaller.FIRST_ACE, FirstCaller.FIRST_JACK):
        ends = list(_first_of_a_rank(ranks * suits, suits))
    else:
        ends = list(_highest(rules, ranks, suits))
    settled = sum((chance for *_, chance in ends), Fraction(0))
    seats = [Fraction(0)] * 4
    cards: dict[int, Fraction] = defaultdict(Fraction)
    rounds: dict[int, Fraction] = defaultdict(Fraction)
    for seat, drawn, times, chance in ends:
        seats[seat] += chance / settled
        cards[drawn] += chance / settled
        rounds[times] += chance / settled
    return TossChances(seats=(seats[0], seats[1], seats[2], seats[3]), cards=dict(sorted(cards.items())),
                       rounds=dict(sorted(rounds.items())), unsettled=1 - settled)


def mean_of(chances: dict[int, Fraction]) -> Fraction:
    """Returns the mean of a number whose chances are given."""
    return sum((number * chance for number, chance in chances.items()), Fraction(0))


End = tuple[int, int, int, Fraction]    # who calls, cards, rounds, and the chance of all this


def _first_of_a_rank(pack: int, suits: int) -> Iterator[End]:
    """Yields the ways in which cards laid round the table find the first ace, or jack (S3.8, B6)."""
    for card in range(1, pack - suits + 2):
        chance = Fraction(comb(pack - card, suits - 1), comb(pack, suits))
        yield (card - 1) % 4, card, (card - 1) // 4 + 1, chance


class _Round(NamedTuple):
    """A round of a draw, by what must come of it: cards drawn, and on how many the top rank lies.

    `tops` pairs that number with how many choices of so many of its cards will do.
    """

    size: int
    tops: tuple[tuple[int, int], ...]


Rounds = tuple[tuple[_Round, int], ...]         # how many there are of each kind


def _highest(rules: RuleSet, ranks: int, suits: int) -> Iterator[End]:
    """Yields the ways in which a draw for the highest card can be settled within one pack (S0.6, S4.8)."""
    team = rules.first_caller is FirstCaller.HIGHEST_CARD_TEAM
    orders = _orders(ranks, suits)
    histories = _all_draw_again if rules.draw_tie is DrawTie.ALL_REDRAW else _tied_draw_again
    for drawing, before in histories(team, ranks * suits):
        cards = sum(each.size * count for each, count in before) + len(drawing)
        rounds = sum(count for _, count in before) + 1
        for seat in drawing:
            last = _Round(len(drawing), _settling(seat, drawing, team))
            yield seat, cards, rounds, Fraction(_ways(ranks, suits, _with(before, last, 1)), orders)


def _settling(seat: int, drawing: Seats, team: bool) -> tuple[tuple[int, int], ...]:
    """Returns what makes a seat the caller: its own top card, or one that it shares with its partner (B8)."""
    shares = team and seat + 2 in drawing
    return ((1, 1), (2, 1)) if shares else ((1, 1),)


def _ties(drawing: Seats, team: bool) -> Iterator[Seats]:
    """Yields the sets of seats whose sharing the top rank is a tie (A1, B9)."""
    for size in range(2, len(drawing) + 1):
        for tied in combinations(drawing, size):
            if not team or len({seat % 2 for seat in tied}) == 2:
                yield tied


def _all_draw_again(team: bool, pack: int) -> Iterator[tuple[Seats, Rounds]]:
    """Yields who draws last, all four, and the tied rounds before."""
    tops: dict[int, int] = defaultdict(int)
    for tied in _ties(SEATS, team):
        tops[len(tied)] += 1
    tie = _Round(4, tuple(tops.items()))
    for count in range(pack // 4):
        yield SEATS, ((tie, count),) if count else ()


def _tied_draw_again(
    team: bool, pack: int, drawing: Seats = SEATS, before: Rounds = ()
) -> Iterator[tuple[Seats, Rounds]]:
    """Yields who draws last, and the tied rounds before, after each of which the tied alone draw again."""
    left = pack - sum(each.size * count for each, count in before)
    ties = list(_ties(drawing, team))
    stays = _Round(len(drawing), ((len(drawing), 1),))
    for count in range(left // len(drawing) if drawing in ties else 1):
        again = _with(before, stays, count)
        yield drawing, again
        for tied in ties:
            if len(tied) < len(drawing) and left - (count + 1) * len(drawing) >= len(tied):
                yield from _tied_draw_again(
                    team, pack, tied, _with(again, _Round(len(drawing), ((len(tied), 1),)), 1)
                )


def _with(rounds: Rounds, kind: _Round, count: int) -> Rounds:
    """Returns the rounds with some more of a kind, in an order that depends on what they are alone."""
    counts = dict(rounds)
    counts[kind] = counts.get(kind, 0) + count
    return tuple(sorted((kind, count) for kind, count in counts.items() if count))


def _orders(ranks: int, suits: int) -> int:
    """Returns how many orders of the pack there are, cards of one rank being the same."""
    orders = 1
    for left in range(1, ranks + 1):
        orders *= comb(left * suits, suits)
    return orders


@cache
def _ways(ranks: int, suits: int, untouched: Rounds) -> int:
    """Returns in how many ways the lowest `ranks` ranks can lie so that untouched rounds come out right."""
    if not ranks:
        return int(not untouched)
    free = ranks * suits - sum(each.size * count for each, count in untouched)
    if free < 0 or not untouched:
        return _orders(ranks, suits) if free >= 0 else 0
    return sum(
        ways * comb(free, suits - placed) * _ways(ranks - 1, suits, rest)
        for placed, ways, rest in _reached(suits, untouched)
    )


def _reached(cards: int, untouched: Rounds) -> Iterator[tuple[int, int, Rounds]]:
    """Yields which rounds a rank reaches: cards laid there, in how many ways, what is still untouched."""
    if not untouched:
        yield 0, 1, ()
        return
    (kind, count), *others = untouched
    for placed, ways, rest in _reached(cards, tuple(others)):
        for more, choices, hit in _hits(kind, count, cards - placed):
            left = ((kind, count - hit),) if hit < count else ()
            yield placed + more, ways * choices, (*left, *rest)


def _hits(kind: _Round, count: int, cards: int) -> Iterator[tuple[int, int, int]]:
    """Yields how cards of a rank can be the top ones of some of `count` like rounds: cards, ways, rounds."""
    found = {(0, 0): 1}
    for hit in range(count + 1):
        level = {at: ways for at, ways in found.items() if at[1] == hit}
        for (placed, _), ways in level.items():
            yield placed, ways * comb(count, hit), hit
            for top, choices in kind.tops:
                if placed + top <= cards:
                    at = placed + top, hit + 1
                    found[at] = found.get(at, 0) + ways * choices
