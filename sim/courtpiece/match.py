"""A match: who calls first, who deals next, what the deals add up to, and when it is won.

Seats and sides here are those of the table, which stay while the deal moves round it: seats 0 to 3 in
order of play, seat 0 written S, and sides 0 (S and N) and 1 (E and W).  A deal numbers its own seats from
eldest; `Match.add` takes its result as the deal tells it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from courtpiece.cards import PACK, RANKS, Card
from courtpiece.deal import DEFENDERS
from courtpiece.errors import RecordError, UsageError
from courtpiece.rules import Counting, DrawTie, FirstCaller, Outcome, RuleSet

if TYPE_CHECKING:
    import numpy as np

SEATS = (0, 1, 2, 3)

# A kot sets the count of deals in a row to zero (S0.25).  Mendikot has none: its table is closed (A18).
KOTS = frozenset({Outcome.CALLER_KOT, Outcome.DEFENDER_KOT, Outcome.CLAIM_MADE})
# The callers' own kot or all thirteen tricks give the call to eldest's partner (S0.28, S0.91, S4.27).
MOVES_CALL = frozenset({Outcome.CALLER_KOT, Outcome.WHITEWASH, Outcome.CLAIM_MADE})


class FirstCall(NamedTuple):
    """Who calls first in a match, and every card drawn or laid for it, with the seat that got it."""

    caller: int
    drawn: tuple[tuple[int, Card], ...]

    @property
    def dealer(self) -> int:
        """The first dealer: the seat before the first caller (A2)."""
        return (self.caller - 1) % 4


def shuffled(generator: np.random.Generator) -> Iterator[Card]:
    """Yields the cards of a shuffled pack one by one, and then of the pack shuffled anew, without end."""
    while True:
        yield from (PACK[index] for index in generator.permutation(len(PACK)))


def first_caller(rules: RuleSet, cards: Iterable[Card] | np.random.Generator) -> FirstCall:
    """Returns the seat that calls first, by `rules.first_caller` and `rules.draw_tie`.

    `cards` come off the top of a pack in the order in which they are drawn or laid, seat 0 first; a
    generator shuffles one.  Raises `UsageError` when the cards run out before anyone is found.

    >>> from courtpiece.cards import parse_cards
    >>> from courtpiece.rules import RuleSet
    >>> first_caller(RuleSet(), parse_cards("KS 9D QC 4H")).caller
    0
    """
    pack = iter(cards if isinstance(cards, Iterable) else shuffled(cards))
    drawn: list[tuple[int, Card]] = []

    def draw(seat: int) -> Card:
        card = next(pack, None)
        if card is None:
            raise UsageError(f"the {len(drawn)} cards drawn do not settle who calls first; give more cards")
        drawn.append((seat, card))
        return card

    if rules.first_caller is FirstCaller.RANDOM:
        caller = int(draw(0).suit)  # B1: a cut card's suit is an equal chance for each seat
    elif rules.first_caller is FirstCaller.FIRST_ACE:
        caller = _first_to_get(RANKS.index("A"), draw)
    elif rules.first_caller is FirstCaller.FIRST_JACK:
        caller = _first_to_get(RANKS.index("J"), draw)
    else:
        caller = _highest(rules, draw)
    return FirstCall(caller, tuple(drawn))


def _first_to_get(rank: int, draw: Callable[[int], Card]) -> int:
    """Returns the first seat on which a card of the rank falls; seat 0 gets the first card (S3.8, B6)."""
    seat = 0
    while draw(seat).rank != rank:
        seat = (seat + 1) % 4
    return seat


def _highest(rules: RuleSet, draw: Callable[[int], Card]) -> int:
    """Returns the seat that draws the highest card, drawing again on a tie; suits break none (S0.6, A1)."""
    drawing: tuple[int, ...] = SEATS
    while True:
        cards = {seat: draw(seat) for seat in drawing}
        top = max(card.rank for card in cards.values())
        tied = tuple(seat for seat, card in cards.items() if card.rank == top)
        # S4.9, B8: partners who share the top rank do not tie; the first of them in turn calls.
        one_team = tied[0] % 2 == tied[-1] % 2 and len(tied) < 3
        if len(tied) == 1 or (rules.first_caller is FirstCaller.HIGHEST_CARD_TEAM and one_team):
            return tied[0]
        # A1, B9, S4.10: the toss is repeated, by all or by those who tied.
        drawing = tied if rules.draw_tie is DrawTie.TIED_REDRAW else SEATS


def next_dealer(rules: RuleSet, dealer: int, outcome: Outcome, winner: int | None) -> int:
    """Returns the seat that deals next, after `dealer`; `winner` is the deal's side, as in `Match.add`."""
    if outcome is Outcome.REDEAL:
        return dealer  # B10
    if winner == DEFENDERS:
        return (dealer + 1) % 4  # S0.26, S2.30, S3.10, B15, B16: the dealer's team won
    if rules.kot_moves_call and outcome in MOVES_CALL:
        return (dealer + 2) % 4
    return dealer  # S0.27, S0.90: eldest calls again, also when his partner called for him (A4)


class Match:
    """A match under one rule set, told the result of one deal after the other.

    rules    the rule set
    dealer   the seat that deals next
    deals    how many deals were played, redeals among them
    score    points or kots of each side, as `rules.counting` says, with streak bonuses
    streaks  how many deals each side has won in a row since its last kot or bonus
    winner   the side that reached the target, or None
    """

    def __init__(self, rules: RuleSet, dealer: int) -> None:
        self.rules = rules
        self.dealer = dealer
        self.deals = 0
        self.score = [0, 0]
        self.streaks = [0, 0]
        self.winner: int | None = None

    @property
    def eldest(self) -> int:
        """The seat that calls next: the dealer's right-hand neighbour (S0.7)."""
        return (self.dealer + 1) % 4

    def add(self, outcome: Outcome, winner: int | None) -> int:
        """Counts a deal dealt by `dealer`, and returns the streak bonus that it earned its winner.

        `winner` is the deal's side, 0 for the caller's side, None for a redeal.  Raises `RecordError`
        with code `match-over` when the match is already won.
        """
        if self.winner is not None:
            raise RecordError("match-over", f"the match was won after deal {self.deals}")
        self.deals += 1
        bonus = 0
        if winner is not None:
            side = (self.eldest + winner) % 2
            bonus = self._lengthen_streak(side, outcome)
            kots = self.rules.counting is Counting.KOTS  # S0.19
            worth = self.rules.kots_of if kots else self.rules.score_of
            self.score[side] += worth(outcome, winner != DEFENDERS) + bonus
            if self.rules.target is not None and self.score[side] >= self.rules.target:
                self.winner = side  # S0.30
        self.dealer = next_dealer(self.rules, self.dealer, outcome, winner)
        return bonus

    def _lengthen_streak(self, side: int, outcome: Outcome) -> int:
        if outcome in KOTS:
            self.streaks = [0, 0]  # S0.25, A14, A16: no bonus, and the kot is not the first of a new streak
            return 0
        self.streaks[side] += 1
        self.streaks[1 - side] = 0
        if self.streaks[side] != self.rules.streak:
            return 0
        self.streaks[side] = 0  # A15
        return self.rules.streak_bonus  # S0.24, A13; it does not move the call (A17)
