"""The words of the call, and all else in a deal, as the bytes in which the kernel has them."""

from __future__ import annotations

from courtpiece.cards import Card

NONE = 255  # in an array: no card, no suit, no seat
REVEAL = 64  # in an array of plays: the word `reveal`
MOST_WORDS = 6  # in a row of words
MOST_PLAYS = 53  # in a row of plays: 52 cards and one reveal

_PLAIN_WORDS = (
    "S",
    "H",
    "D",
    "C",
    "pass",
    "timeout",
    "thirteenth",
    "redeal",
    "change S",
    "change H",
    "change D",
    "change C",
)
_CARD_WORDS = {"hide": 64, "blind": 128, "change": 192}


def word_code(word: str) -> int:
    """Returns the kernel's byte for a call word of the deal record, such as `S`, `hide 7H` or `pass`.

    >>> word_code("pass"), word_text(word_code("hide 7H"))
    (4, 'hide 7H')
    """
    if word in _PLAIN_WORDS:
        return _PLAIN_WORDS.index(word)
    kind, _, card = word.partition(" ")
    return _CARD_WORDS[kind] + Card.parse(card)


def word_text(code: int) -> str:
    """Returns the call word for the kernel's byte."""
    if code < len(_PLAIN_WORDS):
        return _PLAIN_WORDS[code]
    kind = {code_: name for name, code_ in _CARD_WORDS.items()}[code & 192]
    return f"{kind} {Card(code & 63)}"
