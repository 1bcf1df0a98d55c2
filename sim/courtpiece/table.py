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
from courtpiece.deal import ELDEST, PARTNER
from courtpiece.driver import Decision, Driver, open_choices, plays_of
from courtpiece.errors import UsageError
from courtpiece.players.callers import kernel_caller
from courtpiece.players.registry import Lineup, PlayerSpec, check_lineup, parse_lineup
from courtpiece.rules import RuleSet, RulesSpec, resolve
from courtpiece.rules.values import show
from courtpiece.words import MOST_PLAYS, MOST_WORDS, NONE, word_code

RESULT = engine.RESULT
DEALS = 2**64  # of one seed


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

    `rules` is a rule set or what names one; `players` a line-up or its text: "greedy"; "greedy,simple", the
    caller's side first; or four in order of play.  With a player in Python among them deals are played one
    by one, in thousandths of a second and what the player needs, and by one thread at a time.
    """

    def __init__(self, rules: RulesSpec, players: Lineup | str) -> None:
        self.rules: RuleSet = resolve(rules)
        self.lineup = parse_lineup(players) if isinstance(players, str) else players
        check_lineup(self.lineup, self.rules)
        self._driver: Driver | None = None
        specs = [player for player in self.lineup.players if isinstance(player, PlayerSpec)]
        if len(specs) < len(self.lineup.players):
            self._driver = Driver(self.rules, self.lineup)
        else:
            callers = [kernel_caller(specs[seat]) for seat in (ELDEST, PARTNER)]
            self._setup = engine.Setup(self.rules, [player.card for player in specs], callers)

    def play(self, seed: int, start: int, count: int, *, stream: int = 0) -> NDArray[np.void]:
        """Returns the results of deals start … start+count-1, an array of RESULT of shape (count,)."""
        check_numbers(start, count)
        out = np.empty(count, RESULT)
        if self._driver is None:
            engine.play_deals(self._setup, seed_key(seed), start, out, stream=stream)
            return out
        sitting = self._driver.start(seed, seed_key(seed), stream)
        for row in range(count):
            sitting.play(start + row)
            sitting.walk.report(out, row)
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
        if self._driver is None:
            engine.play_calls(self._setup, seed_key(seed), start, cards, codes, out, stream=stream)
            return out
        sitting, rows = self._driver.start(seed, seed_key(seed), stream), out.reshape(-1)
        for row in range(count):
            for place, word in enumerate(words):
                sitting.play(start + row, five=cards, word=word)
                sitting.walk.report(rows, row * len(words) + place)
        return out

    def trace(self, seed: int, start: int, count: int, *, stream: int = 0) -> Trace:
        """Returns the same deals as `play`, with the cards, the words and the plays."""
        check_numbers(start, count)
        if self._driver is None:
            return Trace(*engine.trace_deals(self._setup, seed_key(seed), start, count, stream=stream))
        trace = _empty_trace(count)
        sitting = self._driver.start(seed, seed_key(seed), stream)
        legal: list[int] = []

        def note(decision: Decision) -> None:
            if decision.deal.phase == "play":
                legal.append(open_choices(decision.deal))

        for row in range(count):
            legal.clear()
            deal = sitting.play(start + row, watch=note)
            trace.hands[row] = deal.dealt
            trace.words[row, : len(deal.words)] = [word_code(word) for word in deal.words]
            trace.plays[row, : len(deal.plays)] = plays_of(deal)
            trace.legal[row, : len(legal)] = legal
            sitting.walk.report(trace.results, row)
        return trace


def _empty_trace(count: int) -> Trace:
    return Trace(
        hands=np.empty((count, 4, 13), np.uint8),
        words=np.full((count, MOST_WORDS), NONE, np.uint8),
        plays=np.full((count, MOST_PLAYS), NONE, np.uint8),
        legal=np.zeros((count, MOST_PLAYS), np.uint64),
        results=np.zeros(count, RESULT),
    )


def check_numbers(start: int, count: int) -> None:
    """Raises UsageError unless there are `count` deals from number `start` on."""
    if start < 0 or count < 0 or start + count > DEALS:
        raise UsageError(f"deals are numbered from 0 to {DEALS - 1}: there are no {count} from {start} on")


def seed_key(seed: int) -> NDArray[np.uint64]:
    """Returns the key of the random numbers: two words from numpy's SeedSequence."""
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise UsageError(f"seed must be a whole number from 0 up, not {show(seed)}")
    return np.random.SeedSequence(seed).generate_state(2, np.uint64).astype(np.uint64, copy=False)
