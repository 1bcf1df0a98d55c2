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
from courtpiece.rules import Reveal, Uncalled
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
        """Returns what the seat of a view knows.

        Raises `UsageError` when the deal is over.
        """
        if view.phase == "over":
            raise UsageError("the deal is over: there is nothing left to guess")
        if view.phase == "call":
            return cls._before_the_call(view)
        return _knowledge(view)

    @classmethod
    def _before_the_call(cls, view: View) -> Knowledge:
        """Five cards are dealt, and nobody has seen any but his own."""
        five, size = frozenset(view.dealt), len(view.pack) // 4
        return cls(
            seat=view.seat,
            known=_at(view.seat, five),
            unseen=view.pack - five,
            need=tuple(size - len(five) if other == view.seat else size for other in SEATS),
            early=_at(view.seat, five),
            decision=len(view.words),
        )


def _knowledge(view: View) -> Knowledge:
    """Returns what can be read off the words and the cards of a deal in play."""
    seat, size = view.seat, len(view.pack) // 4
    played = [set[Card]() for _ in SEATS]
    for play in view.plays:
        played[play.seat].add(play.card)
    early, late = [set[Card]() for _ in SEATS], [set[Card]() for _ in SEATS]
    early[seat].update(view.dealt[:FIRST_CARDS])
    late[seat].update(view.dealt[FIRST_CARDS:])
    if view.hider is not None and view.shown is not None:
        (late if view.blind else early)[view.hider].add(view.shown.card)
    if view.thirteenth is not None and size > FIRST_CARDS:
        late[ELDEST].add(view.thirteenth)           # B11
    marked = None
    if view.turned_up is not None:
        if view.rules.uncalled is Uncalled.RANDOM_OWN_FIVE:
            early[ELDEST].add(view.turned_up)       # S0.77
        else:
            late[ELDEST].add(view.turned_up)        # A7, and A9: dealt on as any other
            if view.turned_up in view.unseen:
                later = max(size - FIRST_CARDS, 0)
                marked = view.turned_up, tuple(later if other == ELDEST else size for other in SEATS)
    hides = view.face_down and view.hidden_card is None
    return Knowledge(
        seat=seat,
        known=view.known,
        unseen=view.unseen,
        need=tuple(view.sizes[other] - len(view.known[other]) for other in SEATS),
        barred=view.voids,
        held=_held(view),
        hider=view.hider,
        face_down=view.hidden_card if view.face_down else None,
        hides_unseen=hides,
        marked=marked,
        played=tuple(map(frozenset, played)),
        early=tuple(map(frozenset, early)),
        late=tuple(map(frozenset, late)),
        blind=view.blind,
        decision=len(view.words) + (view.claimer is not None) + len(view.plays) + (view.shown is not None),
    )


def _held(view: View) -> tuple[int, Suit] | None:
    """Returns who is seen to hold which suit: the seat in turn for whom no card was turned up (S0.79)."""
    if not view.trick or not view.face_down or view.rules.reveal is not Reveal.AT_FIRST_VOID:
        return None
    led = view.trick[0].suit
    if any(card.suit is led for card in view.known[view.turn]):
        return None
    return view.turn, led


def _at(seat: int, cards: Cards) -> tuple[Cards, ...]:
    return tuple(cards if other == seat else NOTHING for other in SEATS)


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

    def __init__(self, knowledge: Knowledge) -> None:
        self.knowledge = knowledge
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
        if not 0 <= deal < DEALS:
            raise UsageError(f"deals are numbered from 0 to {DEALS - 1}, not {deal}")
        return self.draw_by(seed_key(seed), n, deal=deal, stream=stream, start=start, fives=fives)

    def draw_by(
        self, key: NDArray[np.uint64], n: int, *, deal: int = 0, stream: int = 0, start: int = 0, fives: bool = False
    ) -> Sample:
        """Returns the same as `draw` for a key of random numbers, two words, instead of a seed."""
        if n < 0 or start < 0 or start + n > kernel.MOST_WORLDS:
            last = kernel.MOST_WORLDS - 1
            raise UsageError(f"worlds are numbered from 0 to {last}: there are no {n} from {start} on")
        sample = Sample(
            np.empty((n, 4), np.uint64),
            np.empty(n, np.uint8),
            np.empty((n, 4), np.uint64) if fives else None,
        )
        known = self.knowledge
        self._kernel.draw(key, stream, deal, known.seat, known.decision, start, *sample)
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
