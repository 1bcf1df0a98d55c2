"""Worlds: the deals that are consistent with what a seat knows, counted exactly and drawn uniformly.

A shuffle makes every order of the pack equally likely.  So do worlds: each weighs as much as there are orders
of dealing that would have shown the seat all that it saw, and a hidden trump card is any of the first five of
its owner with equal chance.  What a caller tends to say is no part of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from courtpiece._kernel import worlds as kernel
from courtpiece.cards import Card, Suit
from courtpiece.deal import ELDEST, FIRST_CARDS
from courtpiece.errors import UsageError
from courtpiece.rules import Reveal, Trump, Uncalled
from courtpiece.table import DEALS, seed_key
from courtpiece.view import View

SEATS = range(4)
Cards = frozenset[Card]
NOTHING: Cards = frozenset()


@dataclass(frozen=True, kw_only=True)
class Knowledge:
    """What one seat knows of where the cards are.  Where a field has four entries, they go by seat.

    seat         whose knowledge it is
    known        cards known to lie in a playable hand: his own, and what others have shown
    unseen       cards whose place he does not know, one that lies face down included
    need         how many of them each playable hand has
    barred       suits that none of them in a playable hand can have
    held         a seat and a suit of which it has at least one of them for certain
    hider        whose card lies or lay face down
    face_down    the card that lies face down, if he knows it
    hides_unseen whether a card that he does not know lies face down
    marked       an unseen card, and what a world weighs when it lies with each seat
    played       cards played
    early        cards known to have been among a seat's first five
    late         cards that were not among a seat's first five, should it hold them
    blind        whether the card that he does not know was none of its owner's first five
    decision     how much had been said and played
    """

    seat: int
    known: tuple[Cards, ...]
    unseen: Cards
    need: tuple[int, ...]
    barred: tuple[frozenset[Suit], ...] = (frozenset(),) * 4
    held: tuple[int, Suit] | None = None
    hider: int | None = None
    face_down: Card | None = None
    hides_unseen: bool = False
    marked: tuple[Card, tuple[int, ...]] | None = None
    played: tuple[Cards, ...] = (NOTHING,) * 4
    early: tuple[Cards, ...] = (NOTHING,) * 4
    late: tuple[Cards, ...] = (NOTHING,) * 4
    blind: bool = False
    decision: int = 0

    @classmethod
    def of(cls, view: View) -> Knowledge:
        """Returns what a view tells of where the cards are; raises `UsageError` when the deal is over."""
        if view.phase == "over":
            raise UsageError("the deal is over: there is nothing left to guess")
        played = tuple(frozenset(play.card for play in view.plays if play.seat == seat) for seat in SEATS)
        early, late = _first_cards(view)
        size = len(view.pack) // 4
        down = view.hider is not None and view.face_down
        return cls(
            seat=view.seat,
            known=view.known,
            unseen=view.unseen,
            need=tuple(
                size - len(played[seat]) - len(view.known[seat]) - (down and seat == view.hider)
                for seat in SEATS
            ),
            barred=_barred(view),
            held=_held(view),
            hider=view.hider,
            face_down=view.hidden_card,
            hides_unseen=down and view.hidden_card is None,
            marked=_marked(view, size),
            played=played,
            early=early,
            late=late,
            blind=_is_of_the_stock(view),
            decision=len(view.words) + len(view.plays) + sum(
                1 for event in (view.claimer, view.shown) if event is not None
            ),
        )


def _barred(view: View) -> tuple[frozenset[Suit], ...]:
    """Returns for each seat the suits of none of the unseen cards in its hand."""
    barred = list(view.voids)
    if view.shown is not None and view.shown.after % 4:
        # S0.55, S0.79: the card was shown for want of the suit led, also to one who then could follow with
        # that very card (A32), or has yet to play.
        barred[view.shown.turn] |= {view.plays[view.shown.after // 4 * 4].card.suit}
    return tuple(barred)


def _held(view: View) -> tuple[int, Suit] | None:
    """Returns a seat and a suit that it holds for certain, in one of the unseen cards."""
    if not (view.face_down and view.trick and view.rules.reveal is Reveal.AT_FIRST_VOID):
        return None
    led = view.trick[0].suit
    # S0.79: without the suit led, the seat in turn would have had the hidden card turned up.
    if view.turn == view.seat or any(card.suit is led for card in view.known[view.turn]):
        return None
    return view.turn, led


def _marked(view: View, size: int) -> tuple[Card, tuple[int, ...]] | None:
    """The blind card that was dealt on (A9), and in how many orders of `size` each seat can hold it."""
    if view.turned_up is None or view.turned_up not in view.unseen:
        return None
    later = size - min(size, FIRST_CARDS)
    return view.turned_up, tuple(later if seat == ELDEST else size for seat in SEATS)  # A7


def _is_of_the_stock(view: View) -> bool:
    """Tells whether the card laid face down was seen by nobody (S0.58), still unchanged (S0.61)."""
    rules = view.rules
    if rules.trump is not Trump.HIDDEN or rules.uncalled is not Uncalled.BLIND_STOCK or not view.words:
        return False
    return view.words[-1].word.startswith("blind")


def _first_cards(view: View) -> tuple[tuple[Cards, ...], tuple[Cards, ...]]:
    """Returns by seat what is known to have been among the first five cards, and what was not."""
    early, late = [NOTHING] * 4, [NOTHING] * 4
    early[view.seat] = frozenset(view.dealt[:FIRST_CARDS])
    late[view.seat] = frozenset(view.dealt[FIRST_CARDS:])
    if view.shown is not None and view.hider is not None:
        which = late if _is_of_the_stock(view) else early
        which[view.hider] |= {view.shown.card}
    if view.turned_up is not None:
        which = early if view.rules.uncalled is Uncalled.RANDOM_OWN_FIVE else late
        which[ELDEST] |= {view.turned_up}  # S0.77, A7
    if view.thirteenth is not None and len(view.pack) // 4 > FIRST_CARDS:
        late[ELDEST] |= {view.thirteenth}
    return tuple(early), tuple(late)


def _mask(cards: Iterable[int]) -> int:
    return sum(1 << card for card in cards)


class Sample(NamedTuple):
    """Worlds, one row each.

    `hands` (n, 4) uint64: what each seat can play, bit 13*suit + rank; `face_down` (n,) uint8: the card that
    lies face down, 255 for none; `fives` (n, 4) uint64, if asked for: the first five cards of each seat.
    """

    hands: NDArray[np.uint64]
    face_down: NDArray[np.uint8]
    fives: NDArray[np.uint64] | None = None


class Worlds:
    """All deals that are consistent with what a seat knows.  Raises `UsageError` when there is none."""

    def __init__(self, known: View | Knowledge) -> None:
        self.knowledge = knowledge = Knowledge.of(known) if isinstance(known, View) else known
        self._kernel = _kernel_worlds(knowledge)
        if not self._kernel.worlds:
            told = _told(knowledge)
            raise UsageError(f"no deal is consistent with what seat {knowledge.seat} knows: {told}")

    @property
    def count(self) -> int:
        """The number of worlds: of ways to place the unseen cards in the hands, and face down."""
        return self._kernel.worlds

    @property
    def weight(self) -> int:
        """What all worlds weigh together."""
        return self._kernel.total

    def draw(
        self, n: int, *, seed: int, deal: int = 0, stream: int = 0, start: int = 0, fives: bool = False
    ) -> Sample:
        """Returns worlds start … start+n-1 of this decision in deal number `deal` of the seed.

        Each is drawn by weight, which is uniformly but for a blind card dealt on (A9), and is a function of
        (seed, stream, deal, seat, decision, its number) alone.  With `fives` it is also drawn, uniformly
        among the orders of that world, which five cards of each seat came first.
        """
        if n < 0 or start < 0 or start + n > kernel.MOST_WORLDS:
            last = kernel.MOST_WORLDS - 1
            raise UsageError(f"worlds are numbered from 0 to {last}: there are no {n} from {start} on")
        if not 0 <= deal < DEALS:
            raise UsageError(f"deals are numbered from 0 to {DEALS - 1}, not {deal}")
        sample = Sample(
            np.empty((n, 4), np.uint64),
            np.empty(n, np.uint8),
            np.empty((n, 4), np.uint64) if fives else None,
        )
        known = self.knowledge
        self._kernel.draw(seed_key(seed), stream, deal, known.seat, known.decision, start, *sample)
        return sample

    def every(self, start: int = 0, n: int | None = None) -> tuple[Sample, NDArray[np.uint64]]:
        """Returns worlds start … start+n-1 of all (by default the rest), each once, and what each weighs.

        Raises `UsageError` for worlds that are not there.
        """
        count = self.count - start if n is None else n
        if start < 0 or count < 0 or start + count > self.count or not _all_dealt(self.knowledge):
            raise UsageError(f"there are {self.count} worlds: no {count} from {start} on can be listed")
        sample = Sample(np.empty((count, 4), np.uint64), np.empty(count, np.uint8))
        weights = np.empty(count, np.uint64)
        self._kernel.fill(start, sample.hands, sample.face_down, weights)
        return sample, weights


def _all_dealt(knowledge: Knowledge) -> bool:
    """Tells whether the seat has seen all cards of its own, so that only three hands are unknown."""
    return not all(knowledge.need)


def _kernel_worlds(k: Knowledge) -> kernel.Worlds:
    return kernel.Worlds(
        [_mask(cards) for cards in k.known],
        _mask(k.unseen),
        k.need,
        [_mask(suits) for suits in k.barred],
        held=None if k.held is None else (k.held[0], int(k.held[1])),
        hider=k.hider,
        face_down=k.face_down,
        hides_unseen=k.hides_unseen,
        marked=None if k.marked is None else (int(k.marked[0]), k.marked[1]),
        played=[_mask(cards) for cards in k.played],
        early=[_mask(cards) for cards in k.early],
        late=[_mask(cards) for cards in k.late],
        blind=k.blind,
    )


def _told(k: Knowledge) -> str:
    """Returns in words what the unseen cards must do."""
    told = []
    for seat in SEATS:
        if k.need[seat]:
            barred = " or ".join(suit.word for suit in sorted(k.barred[seat]))
            told.append(f"{k.need[seat]} for seat {seat}" + (f" but no {barred}" if barred else ""))
    return f"of {len(k.unseen)} unseen cards, {', '.join(told) or 'none for any hand'}"
