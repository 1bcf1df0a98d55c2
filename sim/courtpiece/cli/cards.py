"""Cards and hands in colour on a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from courtpiece.cards import RANKS, Card, Suit

# Four colours, so that the suits are told apart where pips are small; legible on dark and on light.
_COLOURS = {Suit.S: "bold", Suit.H: "bold red", Suit.D: "bold dark_orange3", Suit.C: "bold green4"}


def suit_text(suit: Suit) -> Text:
    """Returns the pip of a suit."""
    return Text(suit.symbol, style=_COLOURS[suit])


def card_text(card: Card) -> Text:
    """Returns a card as `A♠`."""
    return Text(RANKS[card.rank] + card.suit.symbol, style=_COLOURS[card.suit])


def hand_text(cards: Sequence[Card]) -> Text:
    """Returns a hand, a suit a line, high cards first."""
    lines = []
    for suit in Suit:
        ranks = [RANKS[card.rank] for card in sorted(cards, reverse=True) if card.suit is suit]
        lines.append(Text.assemble(suit_text(suit), " ", " ".join(ranks) or "–"))
    return Text("\n").join(lines)
