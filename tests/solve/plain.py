"""Plain minimax over every legal card: the oracle of the solver's tests."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from random import Random

from courtpiece.cards import PACK, Card, Suit
from courtpiece.deal import Deal
from courtpiece.rules import RuleSet, Trump
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


def best_end(deal: Deal, worth: Callable[[Deal], int], known: dict[object, int] | None = None) -> int:
    """Returns what a deal comes to, by the worth of its ends to side 0, when both sides play for that."""
    if deal.phase == "over":
        return worth(deal)
    known = {} if known is None else known
    key = _state(deal)
    if key not in known:
        ends = [best_end(after, worth, known) for after in followers(deal)]
        known[key] = max(ends) if deal.turn % 2 == 0 else min(ends)
    return known[key]


def followers(deal: Deal) -> list[Deal]:
    """Returns the deals that one play leads to, a reveal first."""
    plays: list[Card | str] = ["reveal"] if deal.can_reveal else []
    return [after(deal, play) for play in [*plays, *deal.legal_cards()]]


def after(deal: Deal, play: Card | str) -> Deal:
    """Returns the deal after a card or a reveal."""
    following = deal.copy()
    if isinstance(play, Card):
        following.play(play)
    else:
        following.reveal()
    return following


def _state(deal: Deal) -> object:
    """Everything in a deal under way that its end can depend on."""
    swept = frozenset(trick.winner % 2 for trick in deal.tricks[:7])
    return (
        tuple(frozenset(hand) for hand in deal.hands), tuple(deal.trick), deal.leader, deal.trump,
        deal.hidden_card, deal._must_trump, deal._trump_from, deal.pile, deal._pile_tens, deal._run,
        deal._runner, deal.tricks[-1].winning_card if deal.tricks else None, tuple(deal.taken),
        tuple(deal.tens), len(swept) < 2 and swept,
    )  # fmt: skip


def random_deal_ending(dice: Random, rules: RuleSet, most_cards: int) -> Deal:
    """Returns a random ending under way by the rules, often of few suits and high cards."""
    cards = dice.randint(1, most_cards)
    weights = [dice.random() ** 2 + 0.05 for _ in Suit]
    pool = sorted(PACK, key=lambda card: dice.random() ** (1 / (weights[card.suit] * (1 + card.rank // 8))))
    pool = pool[-4 * cards :]
    dice.shuffle(pool)
    deal = Deal(rules, [pool[cards * seat : cards * (seat + 1)] for seat in range(4)])
    if deal.phase == "call":
        verb = "hide" if rules.trump is Trump.HIDDEN else ""
        if rules.caller_may_pass and dice.random() < 0.2:
            deal.say("pass")
        words = [word for word in deal.legal_words() if word.startswith(verb)]
        deal.say(dice.choice([word for word in words if verb or word in Suit.__members__]))
    play_at_random(deal, dice, dice.choice([0, 0, 0, 1, 2, 3, 4, 5, 6]))
    return deal


def play_at_random(deal: Deal, dice: Random, actions: int) -> None:
    """Plays random cards, and reveals, while a choice may be left."""
    for _ in range(actions):
        if deal.phase != "play" or sum(map(len, deal.hands)) <= 3:
            break
        if deal.can_reveal and dice.random() < 0.5:
            deal.reveal()
        else:
            deal.play(dice.choice(deal.legal_cards()))
