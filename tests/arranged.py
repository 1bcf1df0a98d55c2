"""Deals made to order: hands in which given seats win given tricks, and endings from a line of text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from courtpiece.cards import PACK, Card, Suit, parse_cards
from courtpiece.deal import REVEAL, Deal
from courtpiece.rules import RulesSpec, resolve

TOPS = "AS KS QS AH KH QH AD KD QD AC KC QC"  # one takes each of the first twelve tricks


def ending(rules: RulesSpec, hands: str, *words: str) -> Deal:
    """Returns an ending: `hands` are the four seats' cards with bars between them, eldest's first."""
    deal = Deal(resolve(rules), [parse_cards(hand) for hand in hands.split("|")])
    for word in words:
        deal.say(word)
    return deal


def play(deal: Deal, items: str) -> Deal:
    """Plays cards, and the word reveal, one after the other."""
    for item in items.split():
        if item == REVEAL:
            deal.reveal()
        else:
            deal.play(Card.parse(item))
    return deal


class Arrangement:
    """Four hands in which `winners` win the first tricks, everyone following suit.

    Trick i is taken by the i-th of `tops`, a high card of any suit, which is dealt to its winner; the
    others follow with lower cards of that suit.  `rest` are the cards of each seat that remain, dealt
    first or last; without it each seat keeps one deuce, and seat `last` the deuce of `trump`.
    """

    def __init__(
        self,
        winners: Sequence[int],
        *,
        tops: str = TOPS,
        trump: str = "H",
        last: int = 0,
        rest: Mapping[int, str] | None = None,
        rest_first: bool = False,
    ) -> None:
        if rest is None:
            others = iter(suit for suit in "SHDC" if suit != trump)
            rest = {seat: f"2{trump if seat == last else next(others)}" for seat in range(4)}
        self.rest = [parse_cards(rest[seat]) for seat in range(4)]
        high = parse_cards(tops)
        kept = {card for cards in self.rest for card in cards}
        low = {
            suit: [card for card in reversed(PACK) if card.suit is suit and card not in kept.union(high)]
            for suit in Suit
        }
        self.tricks: list[dict[int, Card]] = []
        for winner, top in zip(winners, high, strict=True):
            followers = [seat for seat in range(4) if seat != winner]
            self.tricks.append({winner: top} | {seat: low[top.suit].pop(0) for seat in followers})
        played = [[trick[seat] for trick in self.tricks] for seat in range(4)]
        self.hands = [
            [*rest, *cards] if rest_first else [*cards, *rest]
            for rest, cards in zip(self.rest, played, strict=True)
        ]

    def start(self, rules: RulesSpec, *words: str) -> Deal:
        """Returns the deal, called with `words`."""
        deal = Deal(resolve(rules), self.hands)
        for word in words:
            deal.say(word)
        return deal

    def play(self, deal: Deal, tricks: int = 13) -> Deal:
        """Plays up to the end of trick `tricks`; the thirteenth takes the single cards left."""
        for number in range(len(deal.tricks), tricks):
            for _ in range(4):
                if deal.phase == "over":
                    return deal
                rest = {seat: cards[0] for seat, cards in enumerate(self.rest)}
                deal.play((self.tricks[number] if number < len(self.tricks) else rest)[deal.turn])
        return deal


def winners(deal: Deal) -> list[int]:
    """Returns the winners of the finished tricks."""
    return [trick.winner for trick in deal.tricks]
