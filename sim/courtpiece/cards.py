"""Suits, ranks, cards, hands as text, and the classes of five-card hands.

A card is an integer, `13 * suit + rank`, with the suits in the order S H D C and the ranks from the two
(0) to the ace (12).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from itertools import combinations, combinations_with_replacement
from math import factorial, prod
from typing import TYPE_CHECKING, Self

from courtpiece.errors import CardError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

RANKS = "23456789TJQKA"
SUITS = "SHDC"
SYMBOLS = "♠♥♦♣"


class Suit(IntEnum):
    """One of the four suits; suits have no rank among themselves (S2.20)."""

    S = 0
    H = 1
    D = 2
    C = 3

    @property
    def symbol(self) -> str:
        """The suit as a pip, "♠"."""
        return SYMBOLS[self]

    @property
    def word(self) -> str:
        """The suit in English, "spades"."""
        return ("spades", "hearts", "diamonds", "clubs")[self]

    def __str__(self) -> str:
        return SUITS[self]

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)

    @classmethod
    def parse(cls, text: str) -> Suit:
        """Returns the suit of a letter, a pip or a word ("s", "♠", "spades"); raises `CardError`."""
        suit = _suits_by_text().get(text.strip().lower().rstrip(_VARIATIONS))
        if suit is None:
            raise CardError(f'there is no suit "{text}": a suit is S, H, D or C')
        return suit


class Card(IntEnum):
    """One of the 52 cards.  `Card.SA` is the ace of spades; `str` gives "AS"."""

    suit: Suit
    rank: int

    def __new__(cls, value: int) -> Self:
        card = int.__new__(cls, value)
        card._value_ = value
        card.suit = Suit(value // 13)  # plain attributes: the readable engine reads them in its loops
        card.rank = value % 13
        return card

    S2, S3, S4, S5, S6, S7, S8, S9, ST, SJ, SQ, SK, SA = range(13)
    H2, H3, H4, H5, H6, H7, H8, H9, HT, HJ, HQ, HK, HA = range(13, 26)
    D2, D3, D4, D5, D6, D7, D8, D9, DT, DJ, DQ, DK, DA = range(26, 39)
    C2, C3, C4, C5, C6, C7, C8, C9, CT, CJ, CQ, CK, CA = range(39, 52)

    def __str__(self) -> str:
        return RANKS[self.rank] + SUITS[self.suit]

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)

    def __repr__(self) -> str:
        return f"Card.{self.name}"

    @classmethod
    def parse(cls, text: str) -> Card:
        """Returns the card of "AS", "as", "10S", "A♠" or "SA"; raises `CardError`."""
        card = _cards_by_text().get(text)
        if card is None:
            card = _cards_by_text().get(_plain(text).strip())
        if card is None:
            raise CardError(
                f'there is no card "{text}": a card is a rank 2 to 9, T, J, Q, K, A and a suit S, H, D, C'
            )
        return card


class Hand(tuple[Card, ...]):
    """Some cards in the order given, of which Jupyter shows a picture; raises `CardError`.

    >>> Hand("AS KS 5S 2H 9D")
    Hand('AS KS 5S 2H 9D')
    """

    __slots__ = ()

    def __new__(cls, cards: str | Iterable[Card]) -> Self:
        return super().__new__(cls, parse_cards(cards) if isinstance(cards, str) else map(Card, cards))

    def __repr__(self) -> str:
        return f"Hand({str(self)!r})"

    def __str__(self) -> str:
        return format_cards(self)

    def _repr_svg_(self) -> str:
        from courtpiece.notebook import hand_picture

        return hand_picture(self)


PACK: tuple[Card, ...] = tuple(Card)
TENS: tuple[Card, ...] = (Card.ST, Card.HT, Card.DT, Card.CT)

_VARIATIONS = "\ufe0e\ufe0f"  # text and emoji selectors that may follow a pip
_PIPS = str.maketrans("♠♤♥♡♦♢♣♧", "SSHHDDCC", _VARIATIONS)
_RUN_OF_CARDS = re.compile(r"(?:(?:10|[2-9TJQKA])[SHDC])+|(?:[SHDC](?:10|[2-9TJQKA]))+")
_ONE_CARD = re.compile(r"(?:10|[2-9TJQKA])[SHDC]|[SHDC](?:10|[2-9TJQKA])")


def _plain(text: str) -> str:
    """Returns text in capitals, with letters for pips and T for 10."""
    return text.translate(_PIPS).upper().replace("10", "T")


@cache
def _suits_by_text() -> dict[str, Suit]:
    return {
        text: suit for suit in Suit for text in (str(suit).lower(), suit.symbol, suit.word, suit.word[:-1])
    }


@cache
def _cards_by_text() -> dict[str, Card]:
    spelled = {str(card): card for card in PACK}
    return spelled | {text[::-1]: card for text, card in spelled.items()}


def parse_cards(text: str) -> tuple[Card, ...]:
    """Returns the cards of a text, in its order; raises `CardError`.

    Cards stand alone ("AS KS 5S", "as,10h", "A♠ SA") or as the groups of spades, hearts, diamonds and
    clubs with dots between them; a missing suit is an empty group.

    >>> format_cards(parse_cards("AK5.2..9"))
    'AS KS 5S 2H 9C'
    """
    cards = _dotted_cards(text) if "." in text else _listed_cards(text)
    check_different(cards)
    return tuple(cards)


def check_different(cards: Sequence[Card]) -> None:
    """Raises CardError when a card is there twice."""
    if len(set(cards)) < len(cards):
        twice = next(card for card in cards if cards.count(card) > 1)
        raise CardError(f"{twice} is there twice")


def _listed_cards(text: str) -> list[Card]:
    cards = []
    for word in re.split(r"[\s,;]+", text):
        if (card := _cards_by_text().get(word)) is not None:
            cards.append(card)
        elif _RUN_OF_CARDS.fullmatch(_plain(word)):
            cards += [Card.parse(one) for one in _ONE_CARD.findall(_plain(word))]
        elif word:
            cards.append(Card.parse(word))
        if len(cards) > len(PACK):      # one of them is there twice; of a megabyte no more is read
            break
    return cards


def _dotted_cards(text: str) -> list[Card]:
    told = " ".join(text.split())
    groups = "".join(_plain(text).split()).split(".")
    if len(groups) > len(SUITS):
        raise CardError(f'"{told}" has {len(groups)} groups: spades.hearts.diamonds.clubs are four')
    cards = []
    for suit, group in zip(Suit, groups, strict=False):
        for letter in group.replace("-", "")[: len(PACK) + 1]:      # of a megabyte no more is read
            rank = RANKS.find(letter)
            if rank < 0:
                raise CardError(f'"{told}" has no rank "{letter}": ranks are 2 to 9, T, J, Q, K, A')
            cards.append(PACK[13 * suit + rank])
    return cards


def format_cards(cards: Iterable[Card]) -> str:
    """Returns "AS KS 5S", in the order given."""
    return " ".join(map(str, cards))


def dotted(cards: Iterable[Card]) -> str:
    """Returns "AK5.2..9": ranks from high to low, by suit in the order S.H.D.C."""
    held = sorted(cards, reverse=True)
    return ".".join("".join(RANKS[card.rank] for card in held if card.suit is suit) for suit in Suit)


def equal_suits(cards: Iterable[Card]) -> tuple[tuple[Suit, ...], ...]:
    """Returns the suits in groups whose holdings are equal, so that one call of each group suffices."""
    groups: dict[int, list[Suit]] = {}
    for suit, holding in zip(Suit, _holdings(cards), strict=True):
        groups.setdefault(holding, []).append(suit)
    return tuple(map(tuple, groups.values()))


# How the five cards of a calling hand can be spread over the suits.
SHAPES = ((5, 0, 0, 0), (4, 1, 0, 0), (3, 2, 0, 0), (3, 1, 1, 0), (2, 2, 1, 0), (2, 1, 1, 1))

# A holding is the cards of one suit as a number: the count of cards times 2**13, plus a bit for each
# rank.  Holdings therefore sort by length, then by rank, and each card adds its own amount.
_HOLDING_BITS = 16
_CARD_COUNT = 1 << 13


def _holdings(cards: Iterable[Card]) -> list[int]:
    holdings = [0, 0, 0, 0]
    for card in cards:
        holdings[card.suit] += _CARD_COUNT + (1 << card.rank)
    return holdings


@dataclass(frozen=True)
class HandClass:
    """All five-card hands that differ only by renaming the suits."""

    index: int  # 0..134458: by the first suit's holding, longer then higher first; then by the next one's
    cards: tuple[Card, ...]  # the canonical hand: its holdings in falling order on S, H, D, C
    weight: int  # how many hands are in it: 4, 12 or 24

    def __str__(self) -> str:
        return dotted(self.cards)


def class_of(cards: Iterable[Card]) -> tuple[HandClass, tuple[Suit, ...]]:
    """Returns the class of a five-card hand, and the hand's own suit for each canonical suit."""
    import numpy as np

    hand = tuple(cards)
    if len(set(hand)) != 5 or len(hand) != 5:
        raise CardError(f"a class is of five different cards, not of {format_cards(hand) or 'none'}")
    holdings = _holdings(hand)
    renaming = tuple(sorted(Suit, key=lambda suit: -holdings[suit]))
    code = np.uint64(_code(holdings[suit] for suit in renaming))  # a plain int is slow to search
    rising = int(_class_codes().searchsorted(code))
    return class_from_index(len(_class_codes()) - 1 - rising), renaming


def class_from_index(index: int) -> HandClass:
    """Returns the class with the given number; raises `CardError` beyond the last."""
    table = _class_codes()
    if not 0 <= index < len(table):
        raise CardError(f"there is no class {index}: classes go from 0 to {len(table) - 1}")
    code = int(table[len(table) - 1 - index])
    holdings = [code >> shift & ((1 << _HOLDING_BITS) - 1) for shift in (48, 32, 16, 0)]
    cards = (
        PACK[13 * suit + rank]
        for suit, holding in enumerate(holdings)
        for rank in range(12, -1, -1)
        if holding >> rank & 1
    )
    weight = factorial(4) // prod(factorial(holdings.count(holding)) for holding in set(holdings))
    return HandClass(index, tuple(cards), weight)


def all_classes() -> Iterator[HandClass]:
    """Iterates over the 134,459 classes in the order of their index."""
    return map(class_from_index, range(len(_class_codes())))


def class_indices(hands: ArrayLike) -> NDArray[np.int64]:
    """Returns the index of the class of each of n hands, from an (n, 5) array of card numbers."""
    import numpy as np

    cards = np.asarray(hands)
    if cards.ndim != 2 or cards.shape[1] != 5 or cards.dtype.kind not in "iu":
        raise CardError(f"hands are an (n, 5) array of card numbers, not {cards.dtype} {cards.shape}")
    if cards.size and not 0 <= cards.min() <= cards.max() < 52:
        raise CardError("card numbers go from 0 to 51")
    suits, ranks = np.divmod(cards.astype(np.int64), 13)
    amounts = _CARD_COUNT + (1 << ranks)
    holdings = np.stack([np.where(suits == suit, amounts, 0).sum(axis=1) for suit in Suit], axis=1)
    holdings.sort(axis=1)
    codes = (holdings.astype(np.uint64) << np.array([0, 16, 32, 48], np.uint64)).sum(axis=1, dtype=np.uint64)
    table = _class_codes()
    places = np.minimum(table.searchsorted(codes), len(table) - 1)
    if not np.array_equal(table[places], codes):
        raise CardError("a hand holds a card twice")
    return np.asarray(len(table) - 1 - places, np.int64)


@cache
def _class_codes() -> NDArray[np.uint64]:
    """Returns the codes of all classes in rising order, read-only."""
    import numpy as np

    tables = []
    for shape in SHAPES:
        codes = np.zeros(1, np.uint64)
        for length in sorted(set(shape), reverse=True):
            count = shape.count(length)
            codes = (
                codes[:, None] << np.uint64(_HOLDING_BITS * count) | _equally_long(length, count)
            ).ravel()
        tables.append(codes)
    table = np.sort(np.concatenate(tables))
    table.flags.writeable = False
    return table


def _equally_long(length: int, count: int) -> NDArray[np.uint64]:
    """Returns the codes of all sets of `count` holdings of one length."""
    import numpy as np

    ranks = combinations(range(12, -1, -1), length)
    holdings = [_CARD_COUNT * length + sum(1 << rank for rank in held) for held in ranks]
    return np.array([_code(several) for several in combinations_with_replacement(holdings, count)], np.uint64)


def _code(holdings: Iterable[int]) -> int:
    """Returns holdings, in falling order, as one number of 16 bits for each."""
    code = 0
    for holding in holdings:
        code = code << _HOLDING_BITS | holding
    return code
