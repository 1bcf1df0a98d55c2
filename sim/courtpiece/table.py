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
from courtpiece.deal import ELDEST, FIRST_CARDS, PARTNER, Deal
from courtpiece.driver import Decision, Driver, open_choices, plays_of
from courtpiece.errors import UsageError
from courtpiece.players.callers import kernel_caller
from courtpiece.players.habits import NONE as NO_HABIT
from courtpiece.players.habits import kernel_card
from courtpiece.players.registry import Lineup, PlayerSpec, check_lineup, parse_lineup
from courtpiece.rules import Collection, FirstLead, Objective, Outcome, RuleSet, RulesSpec, Trump, resolve
from courtpiece.rules.values import show
from courtpiece.solve import certain_claims, solve_outcomes
from courtpiece.words import MOST_PLAYS, MOST_WORDS, NONE, word_code

RESULT = engine.RESULT
DEALS = 2**64  # of one seed
UNASKED = 254  # in an array of claims: nobody asked
OPENED = engine.CARD_PLAYERS[0]  # sits at the kernel's table where no card is played


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


class Split(NamedTuple):
    """How deals in which a side takes many tricks are split into others like them.

    `levels`: rising numbers of tricks; `factors`: how many deals are looked at for each that reached the
    level before, 1 for the first; `moves`: changes of a deal that are tried between two that are looked at.
    """

    levels: tuple[int, ...]
    factors: tuple[int, ...]
    moves: int


class Calls(NamedTuple):
    """What was called in deals: `fives` (n,) uint64, the first five cards of the caller, bit 13*suit + rank;
    `suits` (n,) uint8, the suit that he called or hid.  0 and 255 where nobody called."""

    fives: NDArray[np.uint64]
    suits: NDArray[np.uint8]

    @classmethod
    def of(cls, count: int) -> Calls:
        """Returns those of so many deals in which nobody called yet."""
        return cls(np.zeros(count, np.uint64), np.full(count, NONE, np.uint8))


class Table:
    """Rules and four players.

    `rules` is a rule set or what names one; `players` a line-up or its text: "greedy"; "greedy,simple", the
    caller's side first; or four in order of play.  With a player in Python among them deals are played one
    by one, in thousandths of a second and what the player needs, and by one thread at a time.

    Where the players are `double-dummy` the callers speak, and what the deal then comes to is solved with all
    four hands open.  No cards are played, so `taken` of a result is 255, and `tens` where tens decide.
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
            cards = [(OPENED, NO_HABIT) if self.lineup.double_dummy else kernel_card(spec) for spec in specs]
            names, habits = zip(*cards, strict=True)
            self._setup = engine.Setup(self.rules, names, callers, habits=habits)

    def play(self, seed: int, start: int, count: int, *, stream: int = 0) -> NDArray[np.void]:
        """Returns the results of deals start … start+count-1, an array of RESULT of shape (count,)."""
        check_numbers(start, count)
        if self.lineup.double_dummy:
            return self._solved(self._opened(seed, start, count, stream))
        if self._driver is not None:
            return self.play_each(seed, range(start, start + count), stream=stream)
        out = np.empty(count, RESULT)
        engine.play_deals(self._setup, seed_key(seed), start, out, stream=stream)
        return out

    def play_each(self, seed: int, numbers: Sequence[int], *, stream: int = 0) -> NDArray[np.void]:
        """Returns the results of the deals of some numbers, an array of RESULT of shape (len(numbers),).

        Raises UsageError for a deal that is not there, and where the players see all cards.
        """
        if self.lineup.double_dummy:
            raise UsageError(f"{self.lineup} cannot be asked: deals are played one by one with card players")
        for number in (min(numbers, default=0), max(numbers, default=0)):
            check_numbers(number, 1)
        out, key = np.empty(len(numbers), RESULT), seed_key(seed)
        sitting = None if self._driver is None else self._driver.start(seed, key, stream)
        for row, number in enumerate(numbers):
            if sitting is None:
                engine.play_deals(self._setup, key, number, out[row : row + 1], stream=stream)
            else:
                sitting.play(number)
                sitting.walk.report(out, row)
        return out

    def play_and_tell(
        self, seed: int, start: int, count: int, *, stream: int = 0
    ) -> tuple[NDArray[np.void], Calls]:
        """Returns the results of `play`, and what was called in these deals."""
        check_numbers(start, count)
        calls = Calls.of(count)
        out = np.empty(count, RESULT)
        if self._driver is None:
            engine.play_deals(self._setup, seed_key(seed), start, out, stream=stream, **calls._asdict())
            if self.lineup.double_dummy:
                out = self._solved(self._opened(seed, start, count, stream))
            return out, calls
        sitting = self._driver.start(seed, seed_key(seed), stream)
        for row in range(count):
            deal = sitting.play(start + row)
            sitting.walk.report(out, row)
            if deal.caller is not None and deal.outcome is not Outcome.REDEAL:
                calls.fives[row] = sum(1 << card for card in deal.dealt[deal.caller][:FIRST_CARDS])
                calls.suits[row] = _suit_called(deal)
        return out, calls

    def called(
        self, seed: int, start: int, count: int, *, stream: int = 0
    ) -> tuple[NDArray[np.uint64], Calls]:
        """Returns the callers' thirteen cards in the deals of `play`, and what they called on five of them.

        The cards are (n,), with bit 13*suit + rank, 0 where nobody called.  No card is played.  Raises
        UsageError where a player is in Python.
        """
        check_numbers(start, count)
        if self._driver is not None:
            raise UsageError(f"{self.lineup} cannot be asked: calls are told of the kernel's callers")
        calls = Calls.of(count)
        opened = _Opened(*engine.open_deals(
            self._setup, seed_key(seed), start, count, stream=stream, **calls._asdict()
        ))
        callers = np.minimum(opened.results["caller"], 3)
        hands = opened.hands[np.arange(count), callers]
        return np.where(calls.suits < NONE, hands, np.uint64(0)), calls

    def split(
        self, seed: int, start: int, count: int, *, side: int, split: Split, stream: int = 0
    ) -> tuple[NDArray[np.int64], NDArray[np.int8]]:
        """Returns what deals split into where `side` takes many tricks (generalized splitting).

        The first array is (count, levels): for each deal the number of deals it was split into that reached
        each level.  Its expectation is the chance of the level times the product of the factors up to there.
        The second is (count,): the tricks that the side takes in the deal itself, -1 for a redeal.  Raises
        UsageError where a player is in Python or sees all cards.
        """
        check_numbers(start, count)
        if self._driver is not None or self.lineup.double_dummy:
            raise UsageError(f"{self.lineup} cannot be asked: deals are split with the kernel's card players")
        reached = np.empty((count, len(split.levels)), np.int64)
        scores = np.empty(count, np.int8)
        engine.split_deals(
            self._setup, seed_key(seed), start, reached, scores, side=side, levels=split.levels,
            factors=split.factors, moves=split.moves, stream=stream,
        )
        return reached, scores

    def play_calls(
        self, five: Sequence[int], words: Sequence[str], seed: int, start: int, count: int, *, stream: int = 0
    ) -> NDArray[np.void]:
        """Returns what comes of each of the words said on the same deals round eldest's five cards.

        The array of RESULT has the shape (count, len(words)).
        """
        check_numbers(start, count)
        codes = np.array([word_code(word) for word in words], np.uint8)
        cards = [int(card) for card in five]
        if self.lineup.double_dummy:
            opened = engine.open_calls(self._setup, seed_key(seed), start, cards, codes, count, stream=stream)
            return self._solved(_Opened(*opened))
        out = np.empty((count, len(words)), RESULT)
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
        if self.lineup.double_dummy:
            raise UsageError(
                "double-dummy says what a deal comes to and plays no cards: courtpiece solve shows best play"
            )
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

    def claims(
        self, seed: int, start: int, count: int, *, every: int = 1, stream: int = 0
    ) -> NDArray[np.uint8]:
        """Returns for each deal of `play` the side whose claim of all thirteen would be certain.

        Before the first card, with all four hands open, that side takes all tricks against any defence
        (S4.32); 255 where neither does.  Only deals whose numbers are multiples of `every` are asked about;
        254 for the others, and for a redeal.  Raises UsageError unless trump is called and each trick counts
        at once.
        """
        check_numbers(start, count)
        return self.claims_of(seed, start, count, np.arange(count) % every == -start % every, stream=stream)

    def claims_of(
        self, seed: int, start: int, count: int, which: NDArray[np.bool_], *, stream: int = 0
    ) -> NDArray[np.uint8]:
        """Returns the same, asked about the deals of which `which` (count,) is true."""
        if not can_tell_claims(self.rules):
            raise UsageError("certain claims are told where trump=called and collection=each-trick")
        out = np.full(count, UNASKED, np.uint8)
        asked = np.flatnonzero(which)
        if self._driver is None:
            opened = self._opened(seed, start, count, stream)
            asked = asked[opened.results["outcome"][asked] == NONE]
            hands, leaders = opened.hands[asked], opened.leaders[asked]
            trumps = opened.results["trump"][asked]
        else:
            sitting = self._driver.start(seed, seed_key(seed), stream)
            deals = {row: sitting.play(start + row) for row in asked.tolist()}
            deals = {row: deal for row, deal in deals.items() if deal.outcome is not Outcome.REDEAL}
            asked = np.array([*deals], np.int64)
            hands = np.array([deal.dealt for deal in deals.values()], np.uint8).reshape(-1, 4, 13)
            trumps = np.array([deal.trump for deal in deals.values()], np.uint8)
            by_caller = self.rules.first_lead is FirstLead.CALLER
            leaders = np.array([deal.caller if by_caller else ELDEST for deal in deals.values()], np.uint8)
        out[asked] = certain_claims(hands, trumps, leaders)
        return out

    def _opened(self, seed: int, start: int, count: int, stream: int) -> _Opened:
        return _Opened(*engine.open_deals(self._setup, seed_key(seed), start, count, stream=stream))

    def _solved(self, opened: _Opened) -> NDArray[np.void]:
        """Returns the results of deals when all four play for points with open cards.

        Calls that come to the same, such as a suit and a pass after which the partner names it, are solved
        once.
        """
        results = opened.results
        played = results["outcome"] == NONE
        asked = np.column_stack([
            opened.hands[played], results["trump"][played], opened.leaders[played], opened.hidden[played]
        ])
        distinct, place = np.unique(asked, axis=0, return_inverse=True)
        hidden = distinct[:, 6:] if self.rules.trump is Trump.HIDDEN else None
        found = solve_outcomes(
            self.rules, distinct[:, :4], distinct[:, 4], distinct[:, 5], hidden=hidden
        )[place.ravel()]
        for name in ("outcome", "winner"):
            results[name][played] = found[name]
        results["taken"][played] = NONE
        if self.rules.objective is Objective.TENS:
            results["tens"][played] = NONE
        return results


def _suit_called(deal: Deal) -> int:
    """Returns the suit that was called or hidden in a deal that is over."""
    hidden = deal.shown.card if deal.shown is not None else deal.hidden_card
    if deal.rules.trump is Trump.HIDDEN and hidden is not None:
        return int(hidden.suit)
    return NONE if deal.trump is None else int(deal.trump)


def _empty_trace(count: int) -> Trace:
    return Trace(
        hands=np.empty((count, 4, 13), np.uint8),
        words=np.full((count, MOST_WORDS), NONE, np.uint8),
        plays=np.full((count, MOST_PLAYS), NONE, np.uint8),
        legal=np.zeros((count, MOST_PLAYS), np.uint64),
        results=np.zeros(count, RESULT),
    )


class _Opened(NamedTuple):
    """Deals before the first lead, as the kernel's `open_deals` and `open_calls` tell them."""

    hands: NDArray[np.uint64]
    leaders: NDArray[np.uint8]
    hidden: NDArray[np.uint8]
    results: NDArray[np.void]


def can_tell_claims(rules: RuleSet) -> bool:
    """True where trump is known before the first card and each trick counts at once."""
    return rules.trump is Trump.CALLED and rules.collection is Collection.EACH_TRICK


def check_numbers(start: int, count: int) -> None:
    """Raises UsageError unless there are `count` deals from number `start` on."""
    if start < 0 or count < 0 or start + count > DEALS:
        raise UsageError(f"deals are numbered from 0 to {DEALS - 1}: there are no {count} from {start} on")


def seed_key(seed: int) -> NDArray[np.uint64]:
    """Returns the key of the random numbers: two words from numpy's SeedSequence."""
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise UsageError(f"seed must be a whole number from 0 up, not {show(seed)}")
    return np.random.SeedSequence(seed).generate_state(2, np.uint64).astype(np.uint64, copy=False)
