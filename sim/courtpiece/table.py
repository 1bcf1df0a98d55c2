"""A table: rules and four players, ready to play deals by the million in the kernel.

Deal *i* is a function of (seed, stream, i) alone: the kernel draws from numpy's Philox with the key
`SeedSequence(seed).generate_state(2, uint64)` and the counter (block, purpose, i, stream).  A change of the
generator, of the order of draws or of a built-in player changes results, and with them the behaviour version
that is stamped on every run.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from courtpiece._kernel import engine
from courtpiece.cards import Card
from courtpiece.errors import UsageError
from courtpiece.players.callers import kernel_caller
from courtpiece.players.registry import Lineup, check_lineup, parse_lineup
from courtpiece.rules import RuleSet, RulesSpec, resolve
from courtpiece.rules.values import show

RESULT = engine.RESULT
DEALS = 2**64  # of one seed
NONE = 255  # in an array: no card, no suit, no seat
REVEAL = 64  # in an array of plays: the word `reveal`

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


class Trace(NamedTuple):
    """Deals with all that happened in them, one row a deal; 255 fills what is not there.

    `hands` (n, 4, 13): the cards of each seat in the order dealt, seat 0 is eldest; `words` (n, 6): what was
    said, as bytes of `word_text`; `plays` (n, 53): cards in the order played, 64 for `reveal`; `legal`
    (n, 53): the cards that were legal, bit 13*suit + rank, with bit 63 when `reveal` was; `results` (n,).
    """

    hands: NDArray[np.uint8]
    words: NDArray[np.uint8]
    plays: NDArray[np.uint8]
    legal: NDArray[np.uint64]
    results: NDArray[np.void]


class Table:
    """Rules and four players.

    `rules` is a rule set or what names one; `players` a line-up or its text ("greedy", or "greedy,simple":
    the caller's side first).
    """

    def __init__(self, rules: RulesSpec, players: Lineup | str) -> None:
        self.rules: RuleSet = resolve(rules)
        self.lineup = parse_lineup(players) if isinstance(players, str) else players
        seats = (self.lineup.caller_side, self.lineup.defender_side) * 2
        check_lineup(self.lineup, self.rules)
        caller = kernel_caller(self.lineup.caller_side)
        self._setup = engine.Setup(self.rules, [player.card for player in seats], [caller, caller])

    def play(self, seed: int, start: int, count: int, *, stream: int = 0) -> NDArray[np.void]:
        """Returns the results of deals start … start+count-1, an array of RESULT of shape (count,)."""
        check_numbers(start, count)
        out = np.empty(count, RESULT)
        engine.play_deals(self._setup, seed_key(seed), start, out, stream=stream)
        return out

    def play_calls(
        self, five: Sequence[int], words: Sequence[str], seed: int, start: int, count: int, *, stream: int = 0
    ) -> NDArray[np.void]:
        """Returns what comes of each of the words said on the same deals round eldest's five cards.

        The array of RESULT has the shape (count, len(words)).
        """
        check_numbers(start, count)
        out = np.empty((count, len(words)), RESULT)
        codes = np.array([word_code(word) for word in words], np.uint8)
        cards = [int(card) for card in five]
        engine.play_calls(self._setup, seed_key(seed), start, cards, codes, out, stream=stream)
        return out

    def trace(self, seed: int, start: int, count: int, *, stream: int = 0) -> Trace:
        """Returns the same deals as `play`, with the cards, the words and the plays."""
        check_numbers(start, count)
        return Trace(*engine.trace_deals(self._setup, seed_key(seed), start, count, stream=stream))


def check_numbers(start: int, count: int) -> None:
    """Raises UsageError unless there are `count` deals from number `start` on."""
    if start < 0 or count < 0 or start + count > DEALS:
        raise UsageError(f"deals are numbered from 0 to {DEALS - 1}: there are no {count} from {start} on")


def seed_key(seed: int) -> NDArray[np.uint64]:
    """Returns the key of the random numbers: two words from numpy's SeedSequence."""
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise UsageError(f"seed must be a whole number from 0 up, not {show(seed)}")
    return np.random.SeedSequence(seed).generate_state(2, np.uint64).astype(np.uint64, copy=False)
