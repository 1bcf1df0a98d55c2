"""What a caller has of the suit that he calls, as far as all hands can be counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from math import comb
from typing import NamedTuple

from courtpiece.cards import Suit, all_classes
from courtpiece.deal import ELDEST
from courtpiece.players import Lineup, PlayerSpec
from courtpiece.rules import Redeal, RuleSet

CARDS = ("five", "thirteen")            # of the caller: those on which he called, and all
HAND_SIZES = {"five": 5, "thirteen": 13}
HONOURS = ("ace", "king", "queen")


class Exact(NamedTuple):
    """What a caller has of the suit that he calls, by counting all hands."""

    lengths: Mapping[str, Sequence[float]]
    measures: Mapping[str, Mapping[str, float]]


def exact_of(rules: RuleSet, lineup: Lineup) -> Exact | None:
    """Returns the exact numbers where eldest always calls his longest suit, else None."""
    eldest = lineup.players[ELDEST]
    calls = isinstance(eldest, PlayerSpec) and eldest.caller == "longest" and not eldest.options
    return exact_of_longest() if calls and rules.redeal is Redeal.OFF else None


@cache
def exact_of_longest() -> Exact:
    """Returns what the caller of the longest suit has of it, from the 134,459 classes of five cards."""
    five: Counter[int] = Counter()
    honours: Counter[str] = Counter()
    for hand in all_classes():
        suit = [card.rank for card in hand.cards if card.suit is Suit.S]     # the longest, then the highest
        five[len(suit)] += hand.weight
        honours.update({name: hand.weight for place, name in enumerate(HONOURS) if 12 - place in suit})
    hands = comb(52, 5)
    shares = [five[length] / hands for length in range(6)]
    thirteen = [
        sum(shares[had] * _drawn(length - had, 13 - had) for had in range(6) if had <= length)
        for length in range(14)
    ]
    chances = {name: honours[name] / hands for name in HONOURS}
    return Exact(
        {"five": shares, "thirteen": thirteen},
        {
            "five": {"length": _mean(shares), **chances},
            "thirteen": {
                "length": _mean(thirteen),
                **{name: had + (1 - had) * 8 / 47 for name, had in chances.items()},
            },
        },
    )


def _drawn(hits: int, left: int) -> float:
    """Returns the chance that of 8 cards from the other 47 so many are of a suit with `left` cards there."""
    return comb(left, hits) * comb(47 - left, 8 - hits) / comb(47, 8) if 0 <= hits <= 8 else 0.0


def _mean(shares: Sequence[float]) -> float:
    return sum(length * share for length, share in enumerate(shares))


def prior(cards: str, length: int) -> float:
    """Returns the chance of so many cards of a given suit in a hand."""
    size = HAND_SIZES[cards]
    return comb(13, length) * comb(39, size - length) / comb(52, size)
