"""The habits of `signals` and `forgetful` in plain Python, from what a seat sees: the kernel's oracle."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from courtpiece._kernel import engine
from courtpiece.cards import PACK, Card, Suit
from courtpiece.players.builtin import BuiltIn
from courtpiece.players.player import Player
from courtpiece.view import View

JACK, QUEEN, KING, ACE = range(9, 13)
LEAVE_PARTNER = 1 << 7                  # the idea of `greedy` that waste=… leaves out

Cards = frozenset[Card]


def honours(suit: Suit) -> Cards:
    return frozenset({Card(13 * suit + ACE), Card(13 * suit + KING)})


def higher(card: Card) -> Cards:
    return frozenset(other for other in PACK if other.suit is card.suit and other > card)


@dataclass
class Heard:
    """What one seat has told by its cards."""

    weak: set[Suit] = field(default_factory=set)
    strong: set[Suit] = field(default_factory=set)
    asks: set[Suit] = field(default_factory=set)
    beneath: Cards = frozenset()

    def lacked(self, signals: Iterable[str]) -> Cards:
        """The cards that it said it lacks, by the signals that are heard."""
        found: Cards = frozenset()
        if "weak" in signals:
            found |= frozenset(card for suit in self.weak for card in honours(suit))
        if "top" in signals:
            found |= self.beneath
        if "switch" in signals:
            found |= frozenset(card for suit in self.asks for card in honours(suit))
        return found


def trump_at(view: View, trick: int) -> Suit | None:
    """The trump suit when a trick was led, where trump is called or hidden."""
    if view.rules.trump == "hidden" and (view.shown is None or view.shown.after > 4 * trick):
        return None
    return view.trump


class Story:
    """What the deal so far tells to who knows the signals."""

    def __init__(self, view: View) -> None:
        self.heard = [Heard() for _ in range(4)]
        self.led: set[Suit] = set()
        self.first_low = False          # of the trick under way
        self.answer: tuple[int, Card] | None = None     # who won his partner's first low lead, with what
        self.last: Cards = frozenset()
        for number, trick in enumerate(view.tricks):
            self._lead(trump_at(view, number), trick.leader, trick.cards[0])
            winning = trick.cards[(trick.winner - trick.leader) % 4]
            partner = trick.winner == (trick.leader + 2) % 4
            answers = self.first_low and partner and winning.suit is trick.cards[0].suit
            self.answer = (trick.winner, winning) if answers else None
            self.last = frozenset(trick.cards)
        if view.trick:
            self._lead(trump_at(view, len(view.tricks)), view.leader, view.trick[0])

    def _lead(self, trump: Suit | None, seat: int, card: Card) -> None:
        self.first_low = card.suit is not trump and card.suit not in self.led and card.rank < KING
        if self.answer is not None and self.answer[0] == seat:
            before = self.answer[1]
            if card.suit is before.suit:
                self.heard[seat].beneath |= higher(before)
            elif card.suit is not trump:
                if before.rank in (QUEEN, JACK):
                    self.heard[seat].strong.add(before.suit)
                if self.first_low:
                    self.heard[seat].asks.add(card.suit)
        if self.first_low:
            self.heard[seat].weak.add(card.suit)
        self.led.add(card.suit)


class PlainHabits(Player):
    """`greedy` with habits.  Each argument names signals (or what is forgotten) with + between them."""

    def __init__(self, sends: str = "", reads: str = "", watches: str = "", low: str = "greedy",
                 forgets: str = "") -> None:
        self.sends, self.reads, self.watches = sends.split("+"), reads.split("+"), watches.split("+")
        self.low, self.forgets = low, forgets.split("+")

    def play(self, view: View) -> Card | Literal["reveal"]:
        greedy = BuiltIn("greedy")
        if view.may_reveal and greedy.play(view) == "reveal":
            return "reveal"
        legal = frozenset(view.legal_cards)
        if len(legal) == 1:
            return next(iter(legal))
        story = Story(view)
        walk = greedy._at(view)
        choose = self._follow if view.trick else self._lead
        return choose(view, story, legal, walk)

    def _greedy(
        self, view: View, story: Story, walk: engine.Walk, among: Cards, *, gone: Cards = frozenset(),
        without: int = 0,
    ) -> Card:
        back: Cards = frozenset()
        if "trumps" in self.forgets and view.trump is not None:
            seen = frozenset(play.card for play in view.plays if play.card.suit is view.trump)
            back = seen - story.last - frozenset(view.trick)
        voids = view.trump if "voids" in self.forgets and view.trump is not None else 255
        return Card(walk.greedy_among(mask(among), mask(gone), mask(back), int(voids), without))

    def _believed(self, view: View, story: Story) -> Cards:
        """The cards that this seat takes for not seen yet."""
        seen = {play.card for play in view.plays} | set(view.hand)
        if view.hidden_card is not None:
            seen.add(view.hidden_card)
        unseen = frozenset(PACK) - seen
        if "trumps" in self.forgets and view.trump is not None:
            unseen |= frozenset(play.card for play in view.plays if play.card.suit is view.trump
                                and play.card not in story.last and play.card not in view.trick)
        return unseen

    def _lead(self, view: View, story: Story, legal: Cards, walk: engine.Walk) -> Card:
        hand, trump = frozenset(view.hand), view.trump
        ours, next_, last = (story.heard[(view.seat + place) % 4] for place in (2, 1, 3))
        gone = next_.lacked(self.watches) & last.lacked(self.watches)
        unseen = self._believed(view, story) - gone

        def of(suit: Suit) -> Cards:
            return frozenset(card for card in legal if card.suit is suit)

        def greedy(among: Cards) -> Card:
            return self._greedy(view, story, walk, among, gone=gone)

        if story.answer is not None and story.answer[0] == view.seat:
            with_ = story.answer[1]
            if of(with_.suit) & honours(with_.suit):
                fresh = frozenset(
                    card for card in legal
                    if card.suit is not trump and card.suit not in story.led and not hand & honours(card.suit)
                )
                if "switch" in self.sends and fresh:
                    return greedy(fresh)
            elif "top" in self.sends and of(with_.suit) and with_.rank < KING:
                return min(of(with_.suit))
        among = legal
        card = first = greedy(among)
        while "weak" in self.sends and (card.suit is not trump and card.suit not in story.led
                                        and card.rank < KING and hand & honours(card.suit)):
            among -= of(card.suit)
            card = greedy(among) if among else first
            if not among:
                break
        if card.suit is trump or not unseen & higher(card):
            return card
        for suit in Suit:
            if "switch" in self.reads and suit in ours.asks and of(suit):
                best = max(of(suit))
                if best.suit is trump or not unseen & higher(best):
                    return best
        for suit in Suit:
            if "middle" in self.reads and suit in ours.strong and of(suit) and unseen & honours(suit):
                return min(of(suit))
        if "middle" in self.watches:
            theirs = next_.strong | last.strong
            rest = frozenset(other for other in among if other.suit not in theirs)
            if card.suit in theirs and rest:
                return greedy(rest)
        return card

    def _follow(self, view: View, story: Story, legal: Cards, walk: engine.Walk) -> Card:
        led = view.trick[0].suit
        own = frozenset(card for card in legal if card.suit is led)
        strongest = max(view.trick, key=lambda card: (
            16 + card.rank if card.suit is led else 32 + card.rank if card.suit is view.trump else 0))
        winner = (view.leader + view.trick.index(strongest)) % 4
        if own and strongest.suit is led and len(view.trick) == 2 and story.first_low:
            winning = own & higher(strongest)
            if own & honours(led):
                middle = [card for card in winning if card.rank in (QUEEN, JACK)]
                if "middle" in self.sends and middle:
                    return max(middle)
            elif "top" in self.sends and winning:
                return max(winning)
        if own and winner == view.partner and self.low == "strict":
            return min(own)
        gone: Cards = frozenset()
        if len(view.trick) == 1 and not own:
            lacked = story.heard[view.partner].lacked(self.reads)
            gone = frozenset(card for card in lacked if card.suit is led)
        without = LEAVE_PARTNER if self.low == "waste" else 0
        return self._greedy(view, story, walk, legal, gone=gone, without=without)


def mask(cards: Iterable[Card]) -> int:
    return sum(1 << card for card in cards)
