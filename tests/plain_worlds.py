"""Worlds the slow way: every way to deal the cards that a seat cannot see, replayed with the readable engine.

A deal counts when, word by word and card by card, it would have shown the seat what the true one showed.
Nothing here knows of voids, pools or weights; a world weighs as many orders of dealing as came out right.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, product
from math import comb, prod
from typing import NamedTuple

from courtpiece.cards import PACK, Card
from courtpiece.deal import Deal
from courtpiece.errors import RecordError
from courtpiece.rules import RuleSet, Trump, Uncalled

Hands = tuple[tuple[Card, ...], ...]


class Played(NamedTuple):
    """What is needed to play a deal up to some moment again."""

    rules: RuleSet
    hands: Hands
    words: tuple[str, ...]
    claimer: int | None
    plays: tuple[Card | str, ...]


class World(NamedTuple):
    """What each seat can play, what lies face down, and the first five cards where words depend on them."""

    hands: tuple[frozenset[Card], ...]
    face_down: Card | None
    first: tuple[frozenset[Card] | None, ...]


def random_deal(rules: RuleSet, source: random.Random, size: int, *, prefer: str = "") -> Deal:
    """Returns a deal of so many cards a seat, played at random to its end.

    `prefer` is what is done wherever it may be: a word of the call, or "claim".
    """
    cards = source.sample(list(PACK), 4 * size)
    deal = Deal(rules, [cards[size * seat : size * (seat + 1)] for seat in range(4)])
    while deal.phase == "call":
        words = deal.legal_words()
        deal.say(next((word for word in words if word == prefer), None) or _a_word(words, source))
    if deal.phase == "play":
        if (changes := deal.legal_words()) and source.random() < 0.5:
            deal.say(source.choice(changes))
        if rules.claim and (prefer == "claim" or source.random() < 0.4):
            deal.claim(source.randrange(4))
    asks = source.choice([0, 0.3])
    while deal.phase == "play":
        if deal.can_reveal and source.random() < asks:
            deal.reveal()
        else:
            deal.play(source.choice(deal.legal_cards()))
    return deal


def _a_word(words: Sequence[str], source: random.Random) -> str:
    """Returns one of the words, each kind with the same chance."""
    kinds = {word: word.split()[0] if len(word) > 1 else "suit" for word in words}
    kind = source.choice(sorted(set(kinds.values())))
    return source.choice([word for word in words if kinds[word] == kind])


def at(deal: Deal, plays: int) -> Played:
    """Returns the deal as it was after so many plays, the word reveal among them."""
    return Played(deal.rules, deal.dealt, tuple(deal.words), deal.claimer, tuple(deal.plays[:plays]))


def steps(played: Played) -> Iterator[Deal]:
    """Plays the deal again, and yields it after the call and after each play."""
    deal = Deal(played.rules, played.hands)
    for word in played.words:
        deal.say(word)
    if played.claimer is not None:
        deal.claim(played.claimer)
    yield deal
    for item in played.plays:
        if isinstance(item, Card):
            deal.play(item)
        else:
            deal.reveal()
        yield deal


def replayed(played: Played) -> Deal:
    """Returns the deal after the last play."""
    for deal in steps(played):
        last = deal
    return last


def _unseen_blind(played: Played) -> bool:
    """True when the last card to be laid face down has been seen by nobody."""
    rules = played.rules
    if rules.trump is not Trump.HIDDEN or rules.uncalled is not Uncalled.BLIND_STOCK:
        return False
    return played.words[-1].startswith("blind")


def _heard(played: Played, *, knows_own: bool) -> list[str]:
    """The words, without the cards in them that the seat does not know."""
    hidden = played.rules.trump is Trump.HIDDEN
    return [word.split()[0] if hidden and not knows_own else word for word in played.words]


def sights(played: Played, seat: int) -> Iterator[object]:
    """Yields what the seat sees, after the call and after each play."""
    for number, deal in enumerate(steps(played)):
        own_dealt: list[Card] = list(deal.dealt[seat])
        if seat == deal.hider and deal.hidden_card is not None and _unseen_blind(played):
            own_dealt.remove(deal.hidden_card)
        knows_own = seat == deal.hider and not _unseen_blind(played)
        in_turn = deal.turn == seat
        shown = deal.hider is not None and deal.hidden_card is None
        yield (
            played.words[-1].split()[1] if shown else None,
            own_dealt if number == 0 or deal.hidden_card is None else None,
            deal.dealt[0][-1] if "thirteenth" in deal.words else None,
            deal.hidden_card if knows_own else deal.hidden_card is None,
            _heard(played, knows_own=knows_own),
            (deal.phase, deal.turn, deal.leader, deal.trump, deal.caller, deal.hider, deal.claimer),
            (list(deal.trick), list(deal.taken), deal.pile, [len(hand) for hand in deal.hands]),
            frozenset(deal.hands[seat]),
            None if deal.claimer is None else frozenset(deal.hands[deal.claimer]),
            (frozenset(deal.legal_cards()), deal.can_reveal) if in_turn else None,
        )


def looks_the_same(candidate: Played, truth: Sequence[object], seat: int) -> bool:
    """Tells whether the candidate can be played like that, and shows the seat what the truth did."""
    try:
        return all(mine == other for mine, other in zip(sights(candidate, seat), truth, strict=True))
    except RecordError:
        return False


def _hands(cards: frozenset[Card], sizes: Sequence[int]) -> Iterator[tuple[frozenset[Card], ...]]:
    """Yields every way to give the cards to seats that get so many each."""
    if not sizes:
        yield ()
        return
    for chosen in combinations(sorted(cards), sizes[0]):
        for others in _hands(cards - set(chosen), sizes[1:]):
            yield (frozenset(chosen), *others)


def _orders(hand: frozenset[Card], *, last_tells: bool) -> Iterator[tuple[Card, ...]]:
    """Yields one order for each choice of the first five, and of the last card if it tells something.

    Each stands for equally many.
    """
    for last in [{card} for card in hand] if last_tells else [set[Card]()]:
        others = sorted(hand - last)
        for five in combinations(others, min(5, len(others))):
            yield (*five, *(card for card in others if card not in five), *last)


def _sayings(
    heard: Sequence[str], hands: Hands, speaker: int, *, from_five: bool
) -> Iterator[tuple[str, ...]]:
    """Yields the words with every card that the hider may have meant."""
    meant: list[list[str]] = []
    for word in heard:
        if word in {"hide", "change"}:
            meant.append([f"{word} {card}" for card in hands[speaker][:5]])
        elif word == "blind":
            meant.append([f"blind {card}" for card in (hands[0][:5] if from_five else hands[0][5:])])
        else:
            meant.append([word])
    yield from product(*meant)


class Question:
    """The worlds of a seat at some moment, and how many deals have to be tried to find them."""

    def __init__(self, played: Played, seat: int) -> None:
        self.played = played
        self.seat = seat
        deal = replayed(played)
        self.truth = list(sights(played, seat))
        down = [set[Card]() for _ in range(4)]
        for trick in (*deal.tricks, (deal.leader, tuple(deal.trick), None)):
            for place, card in enumerate(trick[1]):
                down[(trick[0] + place) % 4].add(card)
        self.down = [frozenset(cards) for cards in down]
        own = set(played.hands[seat])
        if seat == deal.hider and deal.hidden_card is not None and _unseen_blind(played):
            own.discard(deal.hidden_card)
        self.own = frozenset(own)
        self.unseen = frozenset(card for hand in played.hands for card in hand) - own.union(*down)
        size = len(played.hands[0])
        self.sizes = [size - len(self.own if other == seat else self.down[other]) for other in range(4)]
        # Words depend on the order of the hand of eldest, or of whoever hid a card.
        self.speaker = 0 if deal.hider is None else deal.hider
        self.heard = _heard(played, knows_own=seat == deal.hider and not _unseen_blind(played))
        hidden = played.rules.trump is Trump.HIDDEN
        self.last_tells = "thirteenth" in played.words
        self.from_five = played.rules.uncalled is Uncalled.RANDOM_OWN_FIVE
        tells = hidden or self.last_tells or any(word.startswith("blind") for word in played.words)
        self.ordered = self.speaker != seat and tells
        rest = size - self.last_tells
        orders = comb(rest, min(5, rest)) * (size if self.last_tells else 1)
        hands = prod(comb(sum(self.sizes[other:]), self.sizes[other]) for other in range(4))
        options = {"hide": min(5, size), "change": min(5, size), "blind": 5 if self.from_five else size - 5}
        sayings = prod(options.get(word, 1) for word in self.heard)
        self.trials = hands * sayings * (orders if self.ordered else 1)

    def worlds(self) -> Counter[World]:
        """Returns all worlds, with the number of orders of each."""
        found: Counter[World] = Counter()
        for given in _hands(self.unseen, self.sizes):
            sets = [
                (self.own if other == self.seat else self.down[other]) | given[other] for other in range(4)
            ]
            orders: Iterator[tuple[Card, ...]] = iter([()])
            if self.ordered:
                orders = _orders(sets[self.speaker], last_tells=self.last_tells)
            for order in orders:
                hands = self._hands_in_order(sets, order)
                for words in _sayings(self.heard, hands, self.speaker, from_five=self.from_five):
                    candidate = self.played._replace(hands=hands, words=words)
                    if looks_the_same(candidate, self.truth, self.seat):
                        deal = replayed(candidate)
                        first = tuple(
                            frozenset(hands[other][:5]) if other in {self.seat, self.speaker} else None
                            for other in range(4)
                        )
                        found[World(tuple(map(frozenset, deal.hands)), deal.hidden_card, first)] += 1
        return found

    def _hands_in_order(self, sets: Sequence[frozenset[Card]], order: tuple[Card, ...]) -> Hands:
        hands = [tuple(sorted(cards)) for cards in sets]
        # The seat knows its own order; where the card that it has not seen lies in it makes no difference.
        hands[self.seat] = tuple(
            card if card in self.own else min(sets[self.seat] - self.own)
            for card in self.played.hands[self.seat]
        )
        if self.ordered:
            hands[self.speaker] = order
        return tuple(hands)


def moments(deal: Deal, source: random.Random) -> list[int]:
    """Returns the numbers of plays after which the deal still went on: in order, or at random."""
    numbers = list(range(len(deal.plays)))
    if source.random() < 0.3:
        source.shuffle(numbers)
    return numbers
