"""What a right is used by: policies that one number or one choice decides, and the deals played with them.

Every right is played both ways on the same deals: used whenever it may be, and never.  What a policy would
have come to is then known for every policy that uses it on some of the hands.  These are told apart by what
the player sees: for most rights the value of the best suit of his five cards, as the caller `strongest`
counts it; for a change of trump how much better the new suit is with all thirteen; for the card to hide, how
many of the suit are held.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from courtpiece._kernel import engine
from courtpiece.cards import RANKS, SUITS
from courtpiece.deal import ELDEST, PARTNER
from courtpiece.errors import RulesError
from courtpiece.players import Lineup, PlayerSpec
from courtpiece.players.callers import (
    ALWAYS,
    NEVER,
    STRONGEST,
    KernelCaller,
    kernel_caller,
    suit_values,
)
from courtpiece.rules import Extra, Redeal, Reveal, RuleSet, Trump
from courtpiece.studies.policies import holdings, may_redeal
from courtpiece.studies.variants_measures import OUTCOMES, WINNERS
from courtpiece.table import seed_key
from courtpiece.words import word_code

Integers = NDArray[np.int64]

RIGHTS = ("pass", "redeal", "thirteenth", "change-trump", "swap-cards", "hide", "ask", "ask-defending")
_THRESHOLDS = ("pass", "redeal", "thirteenth", "swap-cards")    # in the order of the kernel's thresholds
CHOICES = ("use", "keep", "lowest", "second", "never", "at-once", "show-on-lead", "built-in")
AGAINST = ("unused", "built-in", "rule-off")
NO_VALUE = 2**31 - 1                    # of deals in which the right cannot be used: above every threshold

ROUND_FIVE = 1 << 61                    # the stream of deals round the five cards of another deal
_PASS = word_code("pass")
_HIDE = 64                              # + the card, in a word
# Ideas of greedy (greedy.pxd) that a player is without who asks whenever he may, never, or shows on a lead.
_WITHOUT = {"at-once": 1 << 19, "never": 1 << 21, "show-on-lead": 1 << 22, "built-in": 0}


class Seen(NamedTuple):
    """How some deals came out for a policy of one choice, in points for the side whose right it is.

    value     what the policy looks at, by deal; NO_VALUE where the right cannot be used
    choice    what was chosen, of CHOICES
    against   what that is compared with
    more      points more than that, by deal; for a redeal the points themselves, of deals not given back
    played    deals that came to an end both ways
    """

    choice: str
    against: str
    value: Integers
    more: Integers
    played: NDArray[np.bool_]


@dataclass(frozen=True)
class Subject:
    """One right under one rule set, with one line-up."""

    right: str
    rules: RuleSet                      # with the right
    lineup: Lineup

    @cached_property
    def specs(self) -> tuple[PlayerSpec, ...]:
        """The players, who are all the kernel's."""
        return tuple(player for player in self.lineup.players if isinstance(player, PlayerSpec))

    @cached_property
    def callers(self) -> tuple[KernelCaller, KernelCaller]:
        """What eldest and his partner say by."""
        return kernel_caller(self.specs[ELDEST]), kernel_caller(self.specs[PARTNER])

    @property
    def built_in(self) -> int:
        """The threshold below which these players use the right by themselves."""
        if self.right == "change-trump":
            return 0                    # whenever another suit is better
        return int(self.callers[0][2][_THRESHOLDS.index(self.right)])

    def setup(
        self, *, threshold: int | None = None, rules: RuleSet | None = None,
        cards: Sequence[str] | None = None, without: int = 0,
    ) -> engine.Setup:
        """Returns the players with another threshold for the right, other rules, or other card players."""
        (kind, weights, thresholds), partner = self.callers
        if threshold is not None:
            place = _THRESHOLDS.index(self.right)
            thresholds = [*thresholds[:place], threshold, *thresholds[place + 1:]]
        who = [player.card for player in self.specs] if cards is None else cards
        return engine.Setup(rules or self.rules, who, [(kind, weights, thresholds), partner], without=without)

    def points(self, results: NDArray[np.void]) -> tuple[Integers, NDArray[np.bool_]]:
        """Returns the points ahead of the side whose right it is, by deal, and which deals were played."""
        worth = np.array([
            [self.rules.score_of(outcome, winner == 0) * (1, -1, 0)[winner] for winner in range(len(WINNERS))]
            for outcome in OUTCOMES
        ])
        winner = np.minimum(results["winner"], 2)
        sign = -1 if self.right == "ask-defending" else 1
        return sign * worth[results["outcome"], winner], winner < 2

    def seen(self, seed: int, start: int, count: int) -> Iterator[Seen]:
        """Yields how deals start … start+count-1 come out with each choice."""
        deals = Dealt(self, seed, start, count)
        found = {"redeal": _redeal, "change-trump": _change, "hide": _hide,
                 "ask": _ask, "ask-defending": _ask}.get(self.right, _threshold)
        yield from found(deals)


def subjects(rules: RuleSet, lineup: Lineup, rights: Sequence[str]) -> list[Subject]:
    """Returns the rights that a rule set has, or that it may be given as an extra."""
    return [
        Subject(right, given, lineup) for right in rights
        if (given := _with_right(rules, right)) is not None
        and (not right.startswith("ask") or all(
            isinstance(player, PlayerSpec) and player.card == "greedy" for player in lineup.players))
    ]


def _with_right(rules: RuleSet, right: str) -> RuleSet | None:
    hidden = rules.trump is Trump.HIDDEN
    has = {
        "pass": rules.caller_may_pass, "redeal": rules.redeal is not Redeal.OFF,
        "thirteenth": rules.thirteenth, "hide": hidden, "ask": hidden and rules.reveal is Reveal.ON_REQUEST,
        "ask-defending": hidden and rules.reveal is Reveal.ON_REQUEST,
    }
    if right in has:
        return rules if has[right] else None
    extra = Extra(right)
    try:
        return rules.replace(extras=[*(other for other in rules.extras if other is not extra), extra])
    except RulesError:
        return None


class Dealt:
    """Some deals of a subject, with what eldest holds in them."""

    def __init__(self, subject: Subject, seed: int, start: int, count: int) -> None:
        self.subject, self.start, self.count = subject, start, count
        self.key = seed_key(seed)

    def play(self, setup: engine.Setup) -> tuple[Integers, NDArray[np.bool_]]:
        """Returns points and which deals were played, with a setup's players."""
        out = np.empty(self.count, engine.RESULT)
        engine.play_deals(setup, self.key, self.start, out)
        return self.subject.points(out)

    def traced(self, setup: engine.Setup) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """Returns the cards of each seat in the order dealt, and what was said."""
        hands, words, *_ = engine.trace_deals(setup, self.key, self.start, self.count)
        return hands, words

    @cached_property
    def five(self) -> NDArray[np.uint8]:
        """Eldest's first five cards, which are the same under all rules."""
        setup = engine.Setup(RuleSet(), ["random"] * 4, self.subject.callers)
        return self.traced(setup)[0][:, ELDEST, :5]

    @cached_property
    def value(self) -> Integers:
        """What the best suit of the five is worth, as `strongest` counts."""
        return np.asarray(suit_values(STRONGEST, holdings(self.five)).max(axis=1))


def _threshold(deals: Dealt) -> Iterator[Seen]:
    """Passing, the thirteenth card, swapping: used below a value of the hand."""
    subject = deals.subject
    used, ended = deals.play(subject.setup(threshold=ALWAYS))
    kept, ended_too = deals.play(subject.setup(threshold=NEVER))
    yield Seen("use", "unused", deals.value, used - kept, ended & ended_too)


def _redeal(deals: Dealt) -> Iterator[Seen]:
    """A new deal instead of this one: worth what deals are worth on average, with the same policy."""
    subject = deals.subject
    points, ended = deals.play(subject.setup(threshold=NEVER))
    value = np.where(may_redeal(subject.rules, holdings(deals.five)), deals.value, NO_VALUE)
    yield Seen("keep", "unused", value, points, ended)


def _change(deals: Dealt) -> Iterator[Seen]:
    """Another trump after thirteen cards: used where it is better by a margin; the value is its negative."""
    subject = deals.subject
    extras = [extra for extra in subject.rules.extras if extra is not Extra.CHANGE_TRUMP]
    without = subject.rules.replace(extras=extras)
    used, ended = deals.play(subject.setup())
    kept, ended_too = deals.play(subject.setup(rules=without))
    hands, words = deals.traced(subject.setup(rules=without, cards=["random"] * 4))
    rows = np.arange(deals.count)
    passed = words[:, 0] == _PASS
    said = np.where(passed, words[:, 1], words[:, 0]).astype(np.int64)
    own = hands[rows, np.where(passed, PARTNER, ELDEST)]
    values = suit_values(STRONGEST, holdings(own))
    if subject.rules.trump is Trump.HIDDEN:
        suit = (said - _HIDE) // len(RANKS)
        there = np.stack([(own[:, :5] // len(RANKS) == of).any(axis=1) for of in range(len(SUITS))], axis=1)
        values = np.where(there, values, -NO_VALUE)
    else:
        suit = said
    margin = values.max(axis=1) - values[rows, np.minimum(suit, len(SUITS) - 1)]
    may = (suit < len(SUITS)) & (values.argmax(axis=1) != suit)
    yield Seen("use", "unused", np.where(may, -margin, NO_VALUE), used - kept, ended & ended_too)


def _hide(deals: Dealt) -> Iterator[Seen]:
    """Another card of the suit than the highest: by how many of it are held.

    Deals are dealt anew round eldest's five, who hides each of the cards in the same deal.
    """
    subject = deals.subject
    setup = subject.setup()
    hands, words = deals.traced(subject.setup(cards=["random"] * 4))
    value = np.full(deals.count, NO_VALUE)
    more = {choice: np.zeros(deals.count, np.int64) for choice in ("lowest", "second")}
    played = np.ones(deals.count, np.bool_)
    out = np.empty((1, 3), engine.RESULT)
    for row in np.flatnonzero(words[:, 0] >= _HIDE).tolist():
        five = hands[row, ELDEST, :5].tolist()
        hidden = (int(words[row, 0]) - _HIDE) // len(RANKS)
        suit = sorted((card for card in five if card // len(RANKS) == hidden), reverse=True)
        value[row] = len(suit)
        if len(suit) < 2:
            continue
        tried = [suit[0], suit[-1], suit[1]]
        codes = np.array([_HIDE + card for card in tried], np.uint8)
        engine.play_calls(setup, deals.key, deals.start + row, five, codes, out, stream=ROUND_FIVE)
        points, _ = subject.points(out[0])
        more["lowest"][row], more["second"][row] = points[1] - points[0], points[2] - points[0]
    for choice, found in more.items():
        yield Seen(choice, "built-in", value, found, played)


def _ask(deals: Dealt) -> Iterator[Seen]:
    """When to have the hidden card turned up: by both players of a side."""
    subject = deals.subject
    defending = subject.right == "ask-defending"
    cards = ["greedy", "ablated"] * 2 if defending else ["ablated", "greedy"] * 2
    found = {choice: deals.play(subject.setup(cards=cards, without=without))
             for choice, without in _WITHOUT.items() if not (defending and choice == "show-on-lead")}
    rule_off = subject.rules.replace(reveal=Reveal.AT_FIRST_VOID)
    references = {"unused": found["never"], "built-in": found["built-in"],
                  "rule-off": deals.play(subject.setup(rules=rule_off))}
    nothing = np.zeros(deals.count, np.int64)
    for choice, (points, ended) in found.items():
        for against, (others, ended_too) in references.items():
            yield Seen(choice, against, nothing, points - others, ended & ended_too)


