"""What a built-in caller says on five cards, read from its table of weights in plain Python."""

from __future__ import annotations

from collections.abc import Sequence

from courtpiece.cards import Card, Suit
from courtpiece.players import PlayerSpec
from courtpiece.players.callers import ALWAYS, NEVER, kernel_caller
from courtpiece.rules import RuleSet, Trump


def said(player: PlayerSpec, five: Sequence[Card], rules: RuleSet, legal: Sequence[str]) -> tuple[str, ...]:
    """Returns the word that a player's caller says as eldest, or the words among which it draws lots.

    `legal` are the words that it may say, without `timeout`.
    """
    kind, weights, (pass_below, redeal_below, thirteenth_below, _) = kernel_caller(player)
    policies = [("redeal", redeal_below), ("pass", pass_below), ("thirteenth", thirteenth_below)]
    if kind == "random":
        demanded = [word for word, threshold in policies if threshold == ALWAYS and word in legal]
        forbidden = [word for word, threshold in policies if threshold == NEVER]
        return tuple(demanded[:1] or [word for word in legal if word not in forbidden])
    values = _suit_values(weights, five)
    best = max(values.values())
    for word, threshold in policies:
        if word in legal and best < threshold:
            return (word,)
    if rules.trump is Trump.HIDDEN:     # S0.52: of the suits he holds, the highest card
        held = {card.suit for card in five}
        suit = max((suit for suit in Suit if suit in held), key=lambda suit: values[suit])
        return (f"hide {max(card for card in five if card.suit is suit)}",)
    return (max(Suit, key=lambda suit: values[suit]).name,)


def _suit_values(weights: Sequence[int], five: Sequence[Card]) -> dict[Suit, int]:
    """Returns the value of each suit as trump: what it is worth itself, and what the others are beside it."""
    length, trump, side_length, side = weights[:14], weights[14:27], weights[27:41], weights[41:]
    ranks = {suit: [card.rank for card in five if card.suit is suit] for suit in Suit}
    beside = {suit: side_length[len(held)] + sum(side[rank] for rank in held) for suit, held in ranks.items()}
    return {
        suit: length[len(held)] + sum(trump[rank] for rank in held) + sum(beside.values()) - beside[suit]
        for suit, held in ranks.items()
    }
