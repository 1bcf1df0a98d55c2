"""The yardstick `simple`: its known figures, and card by card an independent reading of its definition."""

from __future__ import annotations

import numpy as np
import pytest

from courtpiece.cards import PACK, Card
from courtpiece.deal import Deal
from courtpiece.table import Table
from courtpiece.words import REVEAL, word_text
from tests.players.mirrored import mirrored_share

CALLER_KOT, DEFENDER_KOT = 2, 3


def lowest(deal: Deal, seat: int, legal: list[Card]) -> Card:
    """By rank, trumps above all others, ties from the shorter suit, then in the order of suits."""
    hand = deal.hands[seat]

    def order(card: Card) -> tuple[bool, int, int, int]:
        length = sum(other.suit == card.suit for other in hand)
        return card.suit == deal.trump, card.rank, length, card.suit

    return min(legal, key=order)


def beats(deal: Deal, card: Card, other: Card) -> bool:
    led = deal.trick[0].suit
    if card.suit == other.suit:
        return card.rank > other.rank
    return card.suit == deal.trump and other.suit == led


def simple_choice(deal: Deal) -> Card:
    """The fixed definition, on the readable engine's deal; it never asks for a reveal."""
    seat, legal = deal.turn, deal.legal_cards()
    if not deal.trick:
        seen = {card for trick in deal.tricks for card in trick.cards} | set(deal.hands[seat])
        if seat == deal.hider and deal.hidden_card is not None:
            seen.add(deal.hidden_card)
        unseen = [card for card in PACK if card not in seen]
        suits = sorted({card.suit for card in legal}, key=lambda suit: (suit != deal.trump, suit))
        for suit in suits:
            top = max(card for card in legal if card.suit == suit)
            if not any(card.suit == suit and card > top for card in unseen):
                return top
        return lowest(deal, seat, legal)
    best = deal.trick[0]
    for card in deal.trick[1:]:
        if beats(deal, card, best):
            best = card
    winner = (deal.leader + deal.trick.index(best)) % 4
    winning = [card for card in legal if beats(deal, card, best)]
    if (winner - seat) % 2 == 0 or not winning:
        return lowest(deal, seat, legal)
    following = winning[0].suit == deal.trick[0].suit
    return max(winning) if following and len(deal.trick) < 3 else min(winning)


@pytest.mark.parametrize(
    "rules", ["single-sir", "double-sir", "be-ranga", "mendikot", "bavan", "hidden-trump", "mendikot-band"])
def test_simple_plays_its_definition_card_by_card(rules: str) -> None:
    table = Table(rules, "simple")
    trace = table.trace(3, 0, 150)
    for hands, words, plays in zip(trace.hands, trace.words, trace.plays, strict=True):
        deal = Deal(table.rules, [[Card(card) for card in hand] for hand in hands.tolist()])
        for word in words[words != 255].tolist():
            deal.say(word_text(word))
        for play in plays[plays != 255].tolist():
            if play == REVEAL:
                raise AssertionError("simple never asks")
            assert simple_choice(deal) == Card(play)
            deal.play(Card(play))
        assert deal.phase in ("over", "play")


@pytest.mark.parametrize(
    ("player", "wins", "kots", "conceded"),
    [("simple", 0.606, 0.0428, 0.0152), ("random/longest", 0.601, 0.0105, 0.0068)],
)
def test_four_alike_give_the_known_figures(player: str, wins: float, kots: float, conceded: float) -> None:
    deals = 200_000
    results = Table("single-sir", player).play(1, 0, deals)
    for figure, measured in (
        (wins, (results["winner"] == 0).mean()),
        (kots, (results["outcome"] == CALLER_KOT).mean()),
        (conceded, (results["outcome"] == DEFENDER_KOT).mean()),
    ):
        rounding = 0.0005 if figure > 0.1 else 0.00005
        assert abs(measured - figure) < 4 * np.sqrt(2 * figure * (1 - figure) / deals) + rounding


def test_simple_takes_the_known_share_from_random() -> None:
    assert abs(mirrored_share("single-sir", "simple", "random/longest", 200_000) - 0.823) < 0.003
