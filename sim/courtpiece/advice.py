"""What each call of five cards is worth: every distinct call of a hand, played on the same deals.

A hand is played in its canonical suits (`class_of`) and the answer is put back into its own, so that hands
which differ only by the names of their suits get the same numbers to the last bit.  Deal *i* of a hand is
deal *i* of the stream 1 + the number of its class; the calls meet the same cards and the same luck of the
players.  A call is what eldest says first: a suit, a card to lay face down, `pass`, `thirteenth` or `redeal`.
After `pass` the players' own caller speaks for the partner.  Time running out is no call.

Suits that are held alike are one call.  A redeal is worth what a fresh deal by the same dealer is worth to
the side that calls, when the players' own caller speaks; a fresh deal that he in turn has dealt again is
replaced, as at a table, until somebody calls.

What a call is worth are its *points ahead*: what the deal scores for the caller's side less what it scores
for the defenders, in what the match counts (points; kots where it counts those).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from numbers import Integral, Real
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

from courtpiece.cards import (
    PACK,
    SUITS,
    Card,
    HandClass,
    Suit,
    class_of,
    equal_suits,
    format_cards,
    parse_cards,
)
from courtpiece.deal import Deal
from courtpiece.errors import CardError, UsageError
from courtpiece.players import Lineup
from courtpiece.rules import Counting, Outcome, RuleSet, RulesSpec, Trump, name_of
from courtpiece.rules.values import either
from courtpiece.stats import (
    Estimate,
    Stopping,
    decimals,
    mean,
    paired_difference,
    plus_minus,
    proportion,
)
from courtpiece.table import RESULT, Table
from courtpiece.words import NONE

MOST_CALLS = 7                          # four suits (or five cards), pass, thirteenth, redeal
DEALS = 40_000                          # half-widths under half a percentage point of P(win)
SOLVED_DEALS = 1_000                    # with players who see all cards: some seconds

_BATCH = 20_000
_SOLVED_BATCH = 250
_REDEALT = 1 << 18                      # between the streams of a hand's fresh deals: above every class
_REDEAL_CODE = list(Outcome).index(Outcome.REDEAL)
_TAKEN = 14                             # 0 to 13 tricks
_CODES = len(Outcome) * 2 * _TAKEN      # what can come of a deal: outcome, winning side, tricks

Counts = NDArray[np.int64]


def read_five(hand: str | Iterable[Card]) -> tuple[Card, ...]:
    """Returns the five cards of a calling hand, in the order given; raises `CardError`."""
    cards = parse_cards(hand) if isinstance(hand, str) else tuple(hand) if isinstance(hand, Iterable) else ()
    if any(not isinstance(card, Card) for card in cards) or not isinstance(hand, Iterable):
        raise CardError(f"a calling hand is a text such as AS KS 5S 2H 9D, or five cards, not {hand!r}")
    if len(cards) != 5:
        raise CardError(f"a calling hand is five cards, and {format_cards(cards) or 'this'} is {len(cards)}")
    return cards


def distinct_calls(five: Sequence[Card], rules: RuleSet) -> tuple[tuple[str, ...], ...]:
    """Returns what eldest may say on five cards, words that come to the same together.

    Raises UsageError where nothing is called.

    >>> from courtpiece.rules import preset
    >>> distinct_calls(parse_cards("A..A.A92"), preset("hakim"))
    (('S', 'D'), ('H',), ('C',))
    """
    if rules.trump is Trump.FIRST_VOID:
        raise UsageError(f"{name_of(rules)} has no call: the first card thrown by a void player makes trump")
    others = [card for card in PACK if card not in five]
    legal = Deal(rules, [five, others[:5], others[5:10], others[10:15]]).legal_words()
    alike = {suit: group[0] for group in equal_suits(five) for suit in group}
    found: dict[str, list[str]] = {}
    for word in legal:
        if word != "timeout":
            found.setdefault(_rename(word, alike), []).append(word)
    return tuple(map(tuple, found.values()))


def _rename(word: str, suits: dict[Suit, Suit]) -> str:
    """Returns a call word with its suit renamed."""
    kind, _, text = word.partition(" ")
    if text:
        card = Card.parse(text)
        return f"{kind} {PACK[13 * suits[card.suit] + card.rank]}"
    return suits[Suit[word]].name if word in Suit.__members__ else word


@dataclass(frozen=True)
class Calls:
    """The distinct calls of one hand under one rule set."""

    hand: tuple[Card, ...]
    hand_class: HandClass
    canonical: tuple[str, ...]          # a word for each call, in the suits in which it is played
    words: tuple[tuple[str, ...], ...]  # all words for each call, in the hand's own suits

    @classmethod
    def of(cls, hand: tuple[Card, ...], rules: RuleSet) -> Calls:
        """Returns the calls of a hand; UsageError where nothing is called."""
        hand_class, renaming = class_of(hand)
        own = dict(zip(Suit, renaming, strict=True))
        groups = distinct_calls(hand_class.cards, rules)
        words = (
            tuple(sorted((_rename(word, own) for word in group), key=lambda word: SUITS.find(word[-1])))
            for group in groups
        )
        return cls(hand, hand_class, tuple(group[0] for group in groups), tuple(words))


@dataclass(frozen=True)
class Tally:
    """What came of the calls of a hand on some deals, kept apart for even and odd deals.

    Deals that were solved and not played tell no tricks; they are counted with none.

    The best of several calls is chosen on the deals of one half and valued on those of the other, because
    it looks too good on the deals that chose it.
    """

    counts: Counts                      # (2, calls, _CODES): deals by half, call and what came of them
    products: Counts                    # (2, calls, calls): sums of points ahead times points ahead

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.counts + other.counts, self.products + other.products)

    @cached_property
    def deals(self) -> Counts:
        """(2,): how many deals each half has."""
        return np.asarray(self.counts[:, 0].sum(axis=-1))

    def total(self, worth: Counts) -> Counts:
        """Returns the sum over the deals, (2, calls), of what `worth` gives for what came of each."""
        return self.counts @ worth


class Worth:
    """What may come of a deal, in numbers: arrays over the codes of `Tally.counts`."""

    def __init__(self, rules: RuleSet) -> None:
        score = rules.kots_of if rules.counting is Counting.KOTS else rules.score_of
        outcomes, sides, self.tricks = (
            part.ravel() for part in np.indices((len(Outcome), 2, _TAKEN), dtype=np.int64)
        )
        ours = sides == 0
        both = [(outcome, side) for outcome in Outcome for side in (True, False)]
        net = np.array([score(outcome, side) * (1 if side else -1) for outcome, side in both])
        kot = np.array([rules.kots_of(outcome, side) > 0 for outcome, side in both])
        place = outcomes * 2 + sides
        self.points: Counts = net[place].astype(np.int64)
        self.wins: Counts = ours.astype(np.int64)
        self.kots: Counts = (kot[place] & ours).astype(np.int64)
        self.conceded: Counts = (kot[place] & ~ours).astype(np.int64)


def play_calls(table: Table, worth: Worth, calls: Calls, seed: int, start: int, count: int) -> Tally:
    """Returns what comes of every call of a hand on its deals start … start+count-1."""
    size = _batch(table)
    batches = [
        _play_batch(table, worth, calls, seed, at, min(size, start + count - at))
        for at in range(start, start + count, size)
    ]
    return reduce(add, batches)


def _batch(table: Table) -> int:
    """Returns how many deals are played at a time."""
    return _SOLVED_BATCH if table.lineup.double_dummy else _BATCH


def _play_batch(table: Table, worth: Worth, calls: Calls, seed: int, start: int, count: int) -> Tally:
    stream = 1 + calls.hand_class.index
    out = np.empty((count, len(calls.canonical)), RESULT)
    said = [place for place, word in enumerate(calls.canonical) if word != "redeal"]
    words = [calls.canonical[place] for place in said]
    out[:, said] = table.play_calls(calls.hand_class.cards, words, seed, start, count, stream=stream)
    if "redeal" in calls.canonical:
        out[:, calls.canonical.index("redeal")] = _fresh_deals(table, seed, start, count, stream + _REDEALT)
    taken = np.where(out["taken"][:, :, 0] == NONE, 0, out["taken"][:, :, 0])
    codes = (out["outcome"].astype(np.int64) * 2 + out["winner"]) * _TAKEN + taken
    points = worth.points[codes]
    halves = [slice(start % 2, None, 2), slice(1 - start % 2, None, 2)]
    return Tally(
        np.array([[np.bincount(call, minlength=_CODES) for call in codes[half].T] for half in halves]),
        np.array([points[half].T @ points[half] for half in halves]),
    )


def _fresh_deals(table: Table, seed: int, start: int, count: int, stream: int) -> NDArray[np.void]:
    """Returns plain deals; one that is to be dealt again is replaced by its namesake of the next stream."""
    out = table.play(seed, start, count, stream=stream)
    while (again := np.flatnonzero(out["outcome"] == _REDEAL_CODE)).size:
        stream += _REDEALT
        for place in again:
            out[place] = table.play(seed, start + int(place), 1, stream=stream)[0]
    return out


@dataclass(frozen=True, kw_only=True)
class CallValue:
    """What one call is worth, over all deals played."""

    words: tuple[str, ...]              # suits held alike are one call
    win: Estimate                       # chance that the caller's side wins the deal
    kot: Estimate                       # … with a kot
    conceded: Estimate                  # chance that the defenders make a kot
    points: Estimate                    # mean points ahead: the caller's side's less the defenders'
    tricks: Estimate | None             # mean of the tricks the caller's side takes until the deal ends;
                                        # None where deals are solved and not played

    @property
    def estimates(self) -> dict[str, Estimate]:
        """The estimates by name."""
        told = {"win": self.win, "kot": self.kot, "conceded": self.conceded, "points": self.points}
        return told if self.tricks is None else {**told, "tricks": self.tricks}

    def __str__(self) -> str:
        """The call in words: `spades`, `hearts or clubs`, `lay 7♥ face down`, `pass`."""
        return describe(self.words)


_SAYINGS = {"pass": "pass", "thirteenth": "thirteenth card", "redeal": "new deal"}


def describe(words: Sequence[str]) -> str:
    """Returns what words that come to the same mean, for a person.

    >>> describe(["S", "H", "C"]), describe(["hide 7H", "hide 7C"])
    ('spades, hearts or clubs', 'lay 7♥ or 7♣ face down')
    """
    if words[0] in _SAYINGS:
        return _SAYINGS[words[0]]
    if words[0].startswith("hide "):
        cards = [Card.parse(word.removeprefix("hide ")) for word in words]
        return f"lay {either([str(card)[0] + card.suit.symbol for card in cards])} face down"
    return either([Suit[word].word for word in words])


def label(words: Sequence[str]) -> str:
    """Returns what words that come to the same mean, in a few letters.

    >>> label(["S"]), label(["S", "H", "C"]), label(["hide 7H", "hide 7C"])
    ('♠ spades', '♠ ♥ ♣', 'lay 7♥ 7♣')
    """
    if words[0] in Suit.__members__:
        suits = [Suit[word] for word in words]
        return f"{suits[0].symbol} {suits[0].word}" if len(suits) == 1 else " ".join(s.symbol for s in suits)
    told = words[0] if words[0] == "thirteenth" else describe(words)
    return told.replace(" face down", "").replace(",", "").replace(" or", "")


@dataclass(frozen=True, kw_only=True)
class Advice:
    """Which call is best on five cards, how good each is, and how sure that is.

    `best` and `runner_up` were chosen on the even deals; `lead`, the mean difference of their points
    ahead deal by deal, was measured on the odd deals.  In an answer from a book other deals chose them, and
    the two best calls may have been valued on more deals, `deals`, than the others.
    """

    hand: tuple[Card, ...]
    rules: RuleSet
    players: Lineup
    seed: int
    deals: int
    calls: tuple[CallValue, ...]        # most points first
    best: CallValue
    runner_up: CallValue
    lead: Estimate
    source: str = ""                    # where the numbers come from, if they were not played just now

    @property
    def unit(self) -> str:
        """What is counted: "points", or "kots" in a match of kots."""
        return str(self.rules.counting)

    @property
    def sure(self) -> bool:
        """True when the lead of the best call over the next is more than chance would give."""
        return self.lead.low > 0

    @property
    def verdict(self) -> str:
        """The recommendation in one sentence."""
        if self.sure:
            return (f"{_capital(_act(self.best.words))}: {self.lead} {self.unit} a deal better than the next "
                    f"best, {self.runner_up}.")
        either = f"{_capital(str(self.best))} or {self.runner_up}"
        if self.lead.half_width == 0:
            return f"{either}: the same in every deal."
        apart = plus_minus(abs(self.lead.value), self.lead.half_width)
        return f"{either}: too close to tell, {apart} {self.unit} a deal apart."

    @property
    def method(self) -> str:
        """How the numbers came about, in one line."""
        seen = " (all four see all cards and play perfectly)" if self.players.double_dummy else ""
        deals = self.source or f"{self.deals:,} deals for each call, seed {self.seed}"
        return f"{name_of(self.rules)}, players {self.players}{seen}, {deals}; ± is half a 95 % interval"

    def rows(self) -> list[tuple[str, ...]]:
        """Returns a row of text for each call: the call, then its estimates in the order of `head`."""
        columns = zip(*([*call.estimates.values()] for call in self.calls), strict=True)
        texts = [_column(column, 100 if place < 3 else 1, "+" if place == 3 else "")
                 for place, column in enumerate(columns)]
        return list(zip((label(call.words) for call in self.calls), *texts, strict=True))

    @property
    def head(self) -> tuple[str, ...]:
        """The names of the columns of `rows`."""
        told = ("call", "win %", "kot %", "conceded %", f"{self.unit} ahead", "tricks")
        return told[: 1 + len(self.best.estimates)]

    def to_dict(self) -> dict[str, Any]:
        """Returns everything as JSON can hold it."""
        return {
            "hand": format_cards(self.hand),
            "rules": name_of(self.rules),
            "players": str(self.players),
            "seed": self.seed,
            "deals": self.deals,
            "source": "book" if self.source else "played",
            "unit": self.unit,
            "calls": [
                {"words": list(call.words), **{name: _plain(told) for name, told in call.estimates.items()}}
                for call in self.calls
            ],
            "recommendation": {
                "words": list(self.best.words),
                "runner_up": list(self.runner_up.words),
                "lead": _plain(self.lead),
                "sure": self.sure,
                "verdict": self.verdict,
            },
        }

    def __repr__(self) -> str:
        rows = [self.head, *self.rows()]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [
            "  ".join([row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width
                                                   in zip(row[1:], widths[1:], strict=True))])
            for row in rows
        ]
        return "\n".join([format_cards(self.hand), *lines, self.verdict, self.method])

    def _repr_html_(self) -> str:
        from courtpiece.notebook import advice_page

        return advice_page(self)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _act(words: Sequence[str]) -> str:
    """Returns what to do, for a person: `call spades`, `lay 7♥ face down`, `ask for a new deal`."""
    told = describe(words)
    if words[0] in Suit.__members__:
        return f"call {told}"
    deeds = {"thirteenth": "let the thirteenth card decide", "redeal": "ask for a new deal"}
    return deeds.get(words[0], told)


def _column(estimates: Sequence[Estimate], scale: int, sign: str) -> list[str]:
    """Returns `value ± half-width` for each, all with the digits that the least certain one deserves."""
    widest = max(scale * told.half_width for told in estimates)
    digits = decimals(widest, unknown=2)
    return [f"{scale * told.value:{sign}z.{digits}f} ± {scale * told.half_width:.{digits}f}"
            for told in estimates]


def _plain(estimate: Estimate) -> dict[str, Any]:
    return {"value": estimate.value, "standard_error": estimate.standard_error,
            "low": estimate.low, "high": estimate.high, "n": estimate.n}


def call(
    hand: str | Iterable[Card],
    *,
    rules: RulesSpec = "single-sir",
    players: Lineup | str = "greedy",
    deals: int | None = None,
    precision: float | None = None,
    seed: int = 1,
) -> Advice:
    """Returns which call is best on five cards, and how good each is.

    `deals` (40,000; 1,000 with `double-dummy`) is how many deals each call is played on.  With `precision`
    the deals go on until every half-width in the table is at most that, but not beyond `deals` when both are
    given.
    Raises CardError for what is no calling hand, RulesError and UsageError for the rest.
    """
    five = read_five(hand)
    if deals is not None and not (isinstance(deals, Integral) and deals >= 4):
        raise UsageError("deals must be at least 4, two to choose on and two to measure, and a whole number, "
                         f"not {deals!r}")
    if precision is not None and not (isinstance(precision, Real) and precision > 0):
        raise UsageError(f"precision must be above 0, not {precision!r}")
    table = Table(rules, players)
    calls, worth = Calls.of(five, table.rules), Worth(table.rules)
    usual = SOLVED_DEALS if table.lineup.double_dummy else DEALS
    most = deals or (usual if precision is None else None)
    tally = _play_until(table, worth, calls, seed, most, precision)
    values = _values(table, tally, worth, calls)
    even, odd = (tally.total(worth.points)[half] for half in (0, 1))
    best, runner_up = sorted(range(len(values)), key=lambda place: -int(even[place]))[:2]
    return Advice(
        hand=five,
        rules=table.rules,
        players=table.lineup,
        seed=seed,
        deals=int(tally.deals.sum()),
        calls=tuple(sorted(values, key=lambda value: -value.points.value)),
        best=values[best],
        runner_up=values[runner_up],
        lead=_difference(tally, odd, best, runner_up),
    )


def _play_until(
    table: Table, worth: Worth, calls: Calls, seed: int, most: int | None, precision: float | None
) -> Tally:
    """Returns the tally of `most` deals, or of as many as the precision needs."""
    tally: Tally | None = None
    start, batches, look, size = 0, 0, 1, _batch(table)
    while True:
        count = size if most is None else min(size, most - start)
        played = play_calls(table, worth, calls, seed, start, count)
        tally = played if tally is None else tally + played
        start, batches = start + count, batches + 1
        if start == most:
            return tally
        if precision is not None and batches == look:
            stopping = Stopping(precision=precision)
            widths = [told.half_width for value in _values(table, tally, worth, calls)
                      for told in value.estimates.values()]
            if stopping.reached(widths):
                return tally
            look = stopping.next_look(batches, widths)


def _values(table: Table, tally: Tally, worth: Worth, calls: Calls) -> list[CallValue]:
    """Returns what each call is worth over all deals, in the order of `calls`."""
    n = int(tally.deals.sum())

    def sums(numbers: Counts) -> list[int]:
        return [int(total) for total in tally.total(numbers).sum(axis=0)]

    columns = zip(
        calls.words, sums(worth.wins), sums(worth.kots), sums(worth.conceded), sums(worth.points),
        sums(worth.points**2), sums(worth.tricks), sums(worth.tricks**2), strict=True,
    )
    return [
        CallValue(
            words=words,
            win=proportion(wins, n),
            kot=proportion(kots, n),
            conceded=proportion(conceded, n),
            points=mean(n, points, points_squared),
            tricks=None if table.lineup.double_dummy else mean(n, tricks, tricks_squared),
        )
        for words, wins, kots, conceded, points, points_squared, tricks, tricks_squared in columns
    ]


def _difference(tally: Tally, points: Counts, one: int, other: int) -> Estimate:
    """Returns the mean difference of two calls' points ahead on the same odd deals."""
    products = tally.products[1]
    squares = products[one, one] + products[other, other] - 2 * products[one, other]
    return paired_difference(int(tally.deals[1]), int(points[one] - points[other]), int(squares))
