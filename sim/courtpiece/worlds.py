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
from courtpiece.deal import ELDEST, FIRST_CARDS, Deal
from courtpiece.errors import UsageError
from courtpiece.rules import Reveal, Trump, Uncalled
from courtpiece.table import DEALS, seed_key

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
    def of(cls, deal: Deal, seat: int) -> Knowledge:
        """Returns what `seat` knows in a deal under way, of which it looks at nothing that he cannot see.

        Raises `UsageError` when the deal is over.
        """
        if deal.phase == "over":
            raise UsageError("the deal is over: there is nothing left to guess")
        if deal.phase == "call":
            return cls._before_the_call(deal, seat)
        return _Reading(deal, seat).knowledge()

    @classmethod
    def _before_the_call(cls, deal: Deal, seat: int) -> Knowledge:
        """Five cards are dealt, and nobody has seen any but his own."""
        five, size = frozenset(deal.first_five(seat)), len(deal.dealt[seat])
        return cls(
            seat=seat,
            known=_at(seat, five),
            unseen=frozenset(card for hand in deal.dealt for card in hand) - five,
            need=tuple(size - len(five) if other == seat else size for other in SEATS),
            early=_at(seat, five),
            decision=len(deal.words),
        )


class _Reading:
    """What can be read, from one seat, off the words and the cards of a deal in play."""

    def __init__(self, deal: Deal, seat: int) -> None:
        self.deal = deal
        self.seat = seat
        self.played: list[set[Card]] = [set() for _ in SEATS]
        self.barred: list[set[Suit]] = [set() for _ in SEATS]
        self.held: tuple[int, Suit] | None = None
        words = deal.words
        # Nobody knows a card of the undealt pack that lies face down, till it is changed (S0.58, S0.61).
        self.blind = (
            deal.rules.trump is Trump.HIDDEN
            and words[-1].startswith("blind")
            and deal.rules.uncalled is Uncalled.BLIND_STOCK
        )
        self.shown: Card | None = None          # the hidden card, once everybody has seen it
        self.face_down: Card | None = None      # the same while it lies face down, if the seat knows it
        if deal.hider is not None:
            if deal.hidden_card is None:
                self.shown = _card_in(words[-1])
            elif deal.hider == seat and not self.blind:
                self.face_down = _card_in(words[-1])
        self._read_plays()

    def _read_plays(self) -> None:
        """Finds what the cards played, and the reveals, say of the hands they came from."""
        deal, rules = self.deal, self.deal.rules
        down, owes_trump = deal.hider is not None, False
        tricks = [(trick.leader, trick.cards) for trick in deal.tricks]
        turns = iter(
            ((leader + place) % 4, place, cards[0].suit)
            for leader, cards in [*tricks, (deal.leader, tuple(deal.trick))]
            for place in range(len(cards))
        )
        asked = False
        for item in deal.plays:
            if isinstance(item, str):
                asked = True
                continue
            seat, place, led = next(turns)
            void = place > 0 and item.suit is not led
            if asked or (down and self._turned_up(item, void=void)):
                # S0.55, S0.79: only a player without the suit led has it shown, unless he leads.  He may
                # follow with the very card that comes back to him (A32).
                down, asked = False, False
                owes_trump = rules.revealer_must_trump
                void = void or place > 0
            if void:
                self.barred[seat].add(led)
                if owes_trump and self.shown is not None and item.suit is not self.shown.suit:
                    self.barred[seat].add(self.shown.suit)
            owes_trump = False
            self.played[seat].add(item)
        if deal.trick:
            self._read_turn(down=down)

    def _turned_up(self, card: Card, *, void: bool) -> bool:
        """Tells whether the hidden card was turned up of itself before its finder played `card`."""
        return card is self.shown or (void and self.deal.rules.reveal is Reveal.AT_FIRST_VOID)

    def _read_turn(self, *, down: bool) -> None:
        """Finds what is known of the seat in turn before it plays to the trick on the table."""
        deal, led = self.deal, self.deal.trick[0].suit
        if down and self.shown is not None:
            self.barred[deal.turn].add(led)     # it has just been turned up for him, or he has asked for it
        elif down and deal.rules.reveal is Reveal.AT_FIRST_VOID:
            self.held = deal.turn, led          # S0.79: or it would have been turned up

    def knowledge(self) -> Knowledge:
        deal, seat = self.deal, self.seat
        known = [set[Card]() for _ in SEATS]
        known[seat].update(deal.hands[seat])
        if deal.claimer is not None:
            known[deal.claimer].update(deal.hands[deal.claimer])    # S4.32: his hand lies open
        early, late = [set[Card]() for _ in SEATS], [set[Card]() for _ in SEATS]
        early[seat].update(deal.first_five(seat))
        late[seat].update(deal.dealt[seat][FIRST_CARDS:])
        turned_up: Card | None = None
        if deal.hider is not None:
            if self.shown is not None:
                (late if self.blind else early)[deal.hider].add(self.shown)
                self._place(known, deal.hider, self.shown)      # A34: it went back to his hand
            if self.blind and seat == ELDEST and self.shown is None:
                # He has seen all of his cards but that one.
                late[seat] &= known[seat] | self.played[seat]
        else:
            turned_up = self._read_call(known, early, late)
        seen = set().union(*known, *self.played) | ({self.face_down} if self.face_down is not None else set())
        unseen = frozenset(card for hand in deal.dealt for card in hand) - seen
        size = len(deal.dealt[seat])
        hides = deal.hider is not None and self.shown is None
        need = tuple(
            size - len(self.played[other]) - len(known[other]) - (hides and other == deal.hider)
            for other in SEATS
        )
        marked = None
        if turned_up in unseen and turned_up is not None:
            later = max(size - FIRST_CARDS, 0)
            marked = turned_up, tuple(later if other == ELDEST else size for other in SEATS)
        held = self.held
        if held is not None and any(card.suit is held[1] for card in known[held[0]]):
            held = None
        return Knowledge(
            seat=seat,
            known=tuple(map(frozenset, known)),
            unseen=unseen,
            need=need,
            barred=tuple(map(frozenset, self.barred)),
            held=held,
            hider=deal.hider,
            face_down=self.face_down,
            hides_unseen=hides and self.face_down is None,
            marked=marked,
            played=tuple(map(frozenset, self.played)),
            early=tuple(map(frozenset, early)),
            late=tuple(map(frozenset, late)),
            blind=self.blind,
            decision=len(deal.words) + (deal.claimer is not None) + len(deal.plays),
        )

    def _place(self, known: list[set[Card]], owner: int, card: Card) -> None:
        if card not in self.played[owner]:
            known[owner].add(card)

    def _read_call(
        self, known: list[set[Card]], early: list[set[Card]], late: list[set[Card]]
    ) -> Card | None:
        """Notes the cards that the call has laid open; returns one that was, and then dealt on."""
        deal = self.deal
        if "thirteenth" in deal.words:
            card = deal.dealt[ELDEST][-1]       # B11: it is shown, then belongs to his hand
            late[ELDEST].add(card)
            self._place(known, ELDEST, card)
        blind = next((_card_in(word) for word in deal.words if word.startswith("blind")), None)
        if blind is None:
            return None
        if deal.rules.uncalled is Uncalled.RANDOM_OWN_FIVE:
            early[ELDEST].add(blind)            # S0.77
            self._place(known, ELDEST, blind)
            return None
        late[ELDEST].add(blind)                 # A7
        return blind                            # A9: dealt on as any other


def _card_in(word: str) -> Card:
    return Card.parse(word.split()[1])


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
