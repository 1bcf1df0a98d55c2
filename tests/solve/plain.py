"""Plain minimax over every legal card: the oracle of the solver's tests."""

from __future__ import annotations

from functools import cache
from random import Random

from courtpiece.cards import PACK, Card, Suit
from courtpiece.solve import Position


@cache
def most_tricks(position: Position, side: int) -> int:
    """Returns the most of the tricks left that a side can take."""
    if position.tricks_left == 0:
        return 0
    values = []
    for card in position.legal_cards():
        following = position.after(card)
        won = following.taken[side] - position.taken[side]
        values.append(won + most_tricks(following, side))
    return max(values) if position.turn % 2 == side else min(values)


@cache
def longest_run(position: Position, side: int) -> int:
    """Returns how many tricks a side can take before it loses one."""
    if position.tricks_left == 0:
        return 0
    values = []
    for card in position.legal_cards():
        following = position.after(card)
        if following.taken[1 - side] > position.taken[1 - side]:
            values.append(0)
        else:
            won = following.taken[side] - position.taken[side]
            values.append(won + longest_run(following, side))
    return max(values) if position.turn % 2 == side else min(values)


def random_ending(dice: Random, most_cards: int) -> Position:
    """Returns a random ending, often of few suits, sometimes without trump, or within a trick."""
    cards = dice.randint(1, most_cards)
    weights = [dice.random() ** 2 + 0.05 for _ in Suit]
    pool = sorted(PACK, key=lambda card: dice.random() ** (1 / weights[card.suit]))[-4 * cards :]
    dice.shuffle(pool)
    hands = tuple(tuple(sorted(pool[cards * seat : cards * (seat + 1)], reverse=True)) for seat in range(4))
    trump = dice.choice([*Suit, None])
    position = Position(hands=hands, trump=trump, leader=dice.randrange(4))
    for _ in range(dice.choice([0, 0, 1, 2, 3])):
        position = position.after(dice.choice(position.legal_cards()))
    return position


def masks(position: Position) -> list[int]:
    """Returns the hands as masks with bit `1 << card`."""
    return [sum(1 << card for card in hand) for hand in position.hands]


def random_deal(dice: Random) -> tuple[tuple[Card, ...], ...]:
    """Returns the whole pack dealt to four seats."""
    pack = list(PACK)
    dice.shuffle(pack)
    return tuple(tuple(sorted(pack[13 * seat : 13 * seat + 13], reverse=True)) for seat in range(4))
