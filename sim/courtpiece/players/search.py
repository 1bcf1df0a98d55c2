"""Players that think: they draw worlds that agree with what they see, and look what comes of each choice.

A world is a deal that would have shown the seat all that it saw.  With beliefs on, worlds come as often as
they are likely, if the others are `greedy` players that slip now and then: what they said and played tells
what they hold.  Such worlds are found by Metropolis walks (Metropolis and others 1953) that start from the
likeliest of some drawn uniformly and exchange unseen cards.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import inf, sqrt
from time import perf_counter
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from courtpiece._kernel import search as kernel
from courtpiece.cards import Card, Suit
from courtpiece.deal import ELDEST
from courtpiece.errors import UsageError, suggest
from courtpiece.players.builtin import BuiltIn, built_in, plays_of
from courtpiece.players.callers import KernelCaller, kernel_caller
from courtpiece.players.player import Player
from courtpiece.players.registry import parse_built_in
from courtpiece.players.stakes import fresh_deal, match_worths, point_worths
from courtpiece.rules import FirstLead, RuleSet, Trump
from courtpiece.solve import solver_of
from courtpiece.view import View
from courtpiece.words import NONE, REVEAL, word_code
from courtpiece.worlds import Knowledge, Worlds

Leaf = Literal["greedy", "solver", "mixed"]
Objective = Literal["points", "match"]
Values = NDArray[np.float64]

# How often an opponent, and the partner, leaves the path of `greedy`: the partner is a searcher himself.
RIVAL_SLIP, MATE_SLIP = 0.02, 0.15
TRICK = 0.01                            # of what lies between a win and a loss: what a trick more is worth
DRAWS = 10                              # worlds drawn uniformly for each walk that starts among them
LENGTH = 10                             # worlds taken from each walk, where a world costs less than a walk
MIXED = 7                               # cards a seat has left when `mixed` turns exact
TIE = 0.01                              # what a playout counts beside an exact answer, to tell equals apart
BURN, EVERY = 150, 10                   # steps of a walk before the first of them, and before each other
_PILOT = 20                             # worlds from which a player with little time learns how many to weigh


SUIT_CARDS, EVERY_CARD = 2**13 - 1, 2**52 - 1    # sets of cards


@dataclass(frozen=True)
class Sampled:
    """Worlds of one decision, n of them, all of equal weight.

    hands      what each seat can play, (n, 4) sets with bit 13*suit + rank
    face_down  the card that lies face down, 255 for none
    fives      the first five cards of each seat; not for worlds from walks
    length     how many of them, one after the other, come from one walk; 1 when they are independent
    """

    hands: NDArray[np.uint64]
    face_down: NDArray[np.uint8]
    fives: NDArray[np.uint64] | None = None
    length: int = 1


class Moment:
    """A decision of one seat, with the worlds that it may be in.

    scene     the kernel's side of it
    worlds    all worlds
    worths    what each outcome is worth to this seat's side, (10, 2): won by it, and by the other side
    trick     what each trick more is worth, to tell apart what ends the same
    """

    def __init__(self, view: View, objective: Objective, key: NDArray[np.uint64], *, beliefs: bool) -> None:
        self.view = view
        self.worlds = Worlds(view)
        facts = _facts(view, self.worlds.knowledge)
        self.scene = kernel.Scene(
            view.rules, _callers(), view.seat, _said(view), facts, _played(view), plays_of(view)
        )
        if objective == "match":
            self.worths = match_worths(view.rules, view.side, view.score, view.streaks)
        else:
            self.worths = point_worths(view.rules, view.side)
        self.trick = TRICK * _spread(self.worths)
        self._key, self._beliefs = key, beliefs

    def choices(self) -> bytes:
        """Returns what the seat in turn can do, of equal cards the lowest; what `greedy` does comes first."""
        world = self.worlds.draw_by(self._key, 1)
        hands, face_down = world.hands[0], int(world.face_down[0])
        choices = self.scene.choices(hands, face_down)
        first = self.scene.greedy(hands, face_down)
        if first != REVEAL:
            first = max(choice for choice in choices if choice <= first)        # which stands for it
        return bytes(sorted(choices, key=lambda choice: choice != first))

    def draw(self, n: int, length: int = LENGTH) -> Sampled:
        """Returns n worlds, or a few more to make up walks of `length` worlds."""
        if not self._beliefs:
            return self._uniform(n)
        if self.view.phase == "call":
            start = self._uniform(DRAWS * n)
            kept = _resampled(self._likelihoods(start), n)
            assert start.fives is not None
            return Sampled(start.hands[kept], start.face_down[kept], start.fives[kept])
        walks = -(-n // length)
        start = self._uniform(DRAWS * walks)
        assert start.fives is not None
        kept = _resampled(self._likelihoods(start), walks)
        hands = np.empty((walks, length, 4), np.uint64)
        face_down = np.empty((walks, length), np.uint8)
        self.scene.walk(
            start.hands[kept],
            start.face_down[kept],
            start.fives[kept],
            _free(self.worlds.knowledge),
            self._key,
            burn=BURN,
            every=EVERY,
            rival_slip=RIVAL_SLIP,
            mate_slip=MATE_SLIP,
            out_hands=hands,
            out_face_down=face_down,
        )
        return Sampled(hands.reshape(-1, 4), face_down.reshape(-1), length=length)

    def _uniform(self, n: int) -> Sampled:
        return Sampled(*self.worlds.draw_by(self._key, n, fives=True))

    def _likelihoods(self, sample: Sampled) -> Values:
        assert sample.fives is not None
        out = np.empty(len(sample.hands))
        self.scene.likelihoods(
            sample.hands, sample.face_down, sample.fives, out, rival_slip=RIVAL_SLIP, mate_slip=MATE_SLIP
        )
        return out

    def playouts(self, sample: Sampled, choices: bytes) -> Values:
        """Returns what each choice comes to in each world when all play on as `greedy`, (n, choices)."""
        out = np.empty((len(sample.hands), len(choices)))
        self.scene.playouts(sample.hands, sample.face_down, choices, self.worths, self.trick, out)
        return out

    def plans(self, sample: Sampled, choices: bytes, moves: int, evidence: float) -> Values:
        """Returns what each choice comes to in each world when this seat plans so many actions, (n, choices).

        The others play on as `greedy`, and so does the seat where no other action is better by so many
        standard errors.  It plans on what it will have seen by then; worlds of even walks choose for those of
        odd ones.
        """
        out = np.empty((len(choices), len(sample.hands)))
        self.scene.plans(
            sample.hands, sample.face_down, choices, self.worths, self.trick, moves, evidence, sample.length,
            out,
        )
        return out.T

    def exact(self, sample: Sampled, choices: bytes) -> Values:
        """Returns what each choice comes to in each world when all play on with open cards, (n, choices)."""
        out = np.empty((len(sample.hands), len(choices)))
        solver_of(self.view.rules).weigh(self.positions(sample), choices, self.worths, self.view.side, out)
        return out

    def positions(self, sample: Sampled) -> NDArray[np.uint8]:
        """Returns the deals of the worlds as the kernel hands them on, one row each."""
        out = np.empty((len(sample.hands), kernel.POSITION), np.uint8)
        self.scene.positions(sample.hands, sample.face_down, out)
        return out

    def values(self, sample: Sampled, choices: bytes, leaf: Leaf) -> Values:
        """Returns what each choice comes to in each world as `leaf` tries it, (n, choices).

        To an exact answer a hundredth of a playout is added: choices that come to the same with open cards
        are told apart by it.
        """
        tried = self.playouts(sample, choices)
        if leaf == "greedy" or (leaf == "mixed" and self.cards_left > MIXED):
            return tried
        return self.exact(sample, choices) + TIE * tried

    @property
    def cards_left(self) -> int:
        """How many cards a seat had at the start of the trick."""
        return len(self.view.pack) // 4 - len(self.view.tricks)

    def calls(self, sample: Sampled, words: Sequence[str]) -> Values:
        """Returns what each word comes to in each world when all go on as `greedy`, (n, words)."""
        assert sample.fives is not None
        out = np.empty((len(sample.hands), len(words)))
        codes = bytes(map(word_code, words))
        self.scene.calls(sample.hands, sample.fives, codes, self._key, self.worths, self.trick, out)
        if "redeal" in words:
            out[:, words.index("redeal")] = fresh_deal(self.view.rules, self.worths, self.view.side)
        return out


def _resampled(weights: Values, n: int) -> NDArray[np.intp]:
    """Returns n places, as often as their weights say: systematic resampling (Kitagawa 1996)."""
    sums = np.cumsum(weights)
    places: NDArray[np.intp] = np.searchsorted(sums, (np.arange(n) + 0.5) * (sums[-1] / n))
    return places


def _spread(worths: Values) -> float:
    """Returns what lies between winning and losing, on the whole."""
    return float(np.median(worths[:, 0]) - np.median(worths[:, 1]))


@lru_cache(maxsize=1)
def _callers() -> tuple[KernelCaller, KernelCaller]:
    caller = kernel_caller(parse_built_in("greedy"))
    return caller, caller


def _key(rng: np.random.Generator) -> NDArray[np.uint64]:
    """Returns a key for the random numbers of one decision."""
    return rng.bit_generator.random_raw(2)


def _facts(view: View, knowledge: Knowledge) -> tuple[int, ...]:
    """Returns the facts at the first lead: caller, trump, hider, card shown since, blind, claimer, leader."""
    caller_leads = view.rules.first_lead is FirstLead.CALLER and view.caller is not None
    return (
        _number(view.caller),
        _number(view.trump) if view.rules.trump is Trump.CALLED else NONE,
        _number(view.hider),
        NONE if view.shown is None else int(view.shown.card),
        knowledge.blind,
        _number(view.claimer),
        _number(view.caller) if caller_leads else ELDEST,
    )


def _number(value: int | None) -> int:
    return NONE if value is None else int(value)


def _said(view: View) -> bytes:
    """Returns what was said, in the kernel's bytes; a card that this seat does not know is any."""
    words = []
    for said in view.words:
        bare = said.word in ("hide", "blind", "change")
        words.append(word_code(f"{said.word} {Card(0)}" if bare else said.word))
    return bytes(words)


def _free(known: Knowledge) -> tuple[object, ...]:
    """Returns what a walk over worlds may move, and where, as the kernel takes it."""
    barred = [sum(SUIT_CARDS << (13 * suit) for suit in suits) for suits in known.barred]
    return (
        bytes(sorted(known.unseen)),
        [EVERY_CARD if not known.need[seat] else barred[seat] for seat in range(4)],
        None if known.held is None else (known.held[0], SUIT_CARDS << (13 * known.held[1])),
        _number(known.hider),
        known.hides_unseen,
        known.blind,
        [sum(1 << card for card in cards) for cards in known.early],
        [sum(1 << card for card in cards) for cards in known.late],
    )


def _played(view: View) -> list[int]:
    sets = [0] * 4
    for play in view.plays:
        sets[play.seat] |= 1 << play.card
    return sets


@dataclass(frozen=True)
class Weighed:
    """Choices as a search weighs them; the first is what `greedy` does.

    choices    bytes of the kernel: cards, of equal ones the lowest, and 64 for `reveal`
    means      what each is worth, in the objective's unit
    errors     standard errors of what each is worth more than the first
    worlds     worlds, or iterations, that this rests on
    effective  as many independent worlds would give the first choice's worth as surely
    """

    choices: bytes
    means: Values
    errors: Values
    worlds: int
    effective: float

    def best(self, evidence: float) -> int:
        """Returns the place of the best choice that is surely better than the first.

        The test is a one-sided z test of the paired difference, at `evidence` standard errors; worlds of one
        walk count as one.  Where several pass, it is the one worth most; where none does, the first.
        """
        gains = self.means - self.means[0]
        passed = np.flatnonzero((gains > evidence * self.errors) & (gains > 0))
        return int(passed[np.argmax(gains[passed])]) if len(passed) else 0


class Searcher(Player):
    """What the searching players have in common; `weigh` is what tells them apart.

    worlds     how many worlds a decision is weighed on
    time       milliseconds that a decision may take: then as many worlds as they allow, 0 for `worlds`
    beliefs    whether worlds are weighed by what the others said and played
    objective  `points` of the deal, or the chance to win the `match` from its score
    evidence   standard errors by which a choice must be better than that of `greedy` to be taken
    deals      deals on which each word of the call is tried, 0 to call as `strongest` does

    With `time`, what it does depends on the machine, and a run of it cannot be repeated to the bit.
    """

    length = LENGTH                     # worlds taken from each walk
    most = inf                          # worlds that a decision can be weighed on

    def __init__(
        self, *, worlds: int, time: float, beliefs: bool, objective: Objective, evidence: float, deals: int
    ) -> None:
        _check("worlds", worlds, 1)
        _check("time", time, 0)
        _check("evidence", evidence, 0)
        _check("deals", deals, 0)
        _check_word("objective", objective, get_args(Objective))
        self.worlds = worlds
        self.time = time
        self.beliefs = beliefs
        self.objective = objective
        self.evidence = evidence
        self.deals = deals

    def call(self, view: View) -> str:
        if self.deals == 0:
            return super().call(view)
        return best_word(
            view, self.deals, self.objective, self.rng, beliefs=self.beliefs, evidence=self.evidence
        )

    def play(self, view: View) -> Card | Literal["reveal"]:
        if len(view.legal_cards) == 1 and not view.may_reveal:
            return view.legal_cards[0]
        weighed = self.weighed(view)
        action = weighed.choices[weighed.best(self.evidence)]
        return "reveal" if action == REVEAL else Card(action)

    def weighed(self, view: View) -> Weighed:
        """Returns what each choice of the seat in turn is worth; of equal cards only the lowest is one."""
        began = perf_counter()
        moment = Moment(view, self.objective, _key(self.rng), beliefs=self.beliefs)
        choices = moment.choices()
        if len(choices) == 1:
            return Weighed(choices, np.zeros(1), np.zeros(1), 0, 0.0)
        if not self.time:
            return self.weigh(moment, choices, moment.draw(self.worlds, self.length))
        pilot_began = perf_counter()
        pilot = self.weigh(moment, choices, moment.draw(_PILOT, self.length))
        now = perf_counter()
        left = self.time / 1000 - (now - began)
        more = int(min(left / (now - pilot_began) * _PILOT, self.most))
        return self.weigh(moment, choices, moment.draw(more, self.length)) if more > _PILOT else pilot

    @abstractmethod
    def weigh(self, moment: Moment, choices: bytes, sample: Sampled) -> Weighed:
        """Returns what the choices are worth over the worlds of a sample."""


class Pimc(Searcher):
    """Perfect-information Monte Carlo: each choice is tried in each world, as if that were the deal.

    Ginsberg, "GIB: Imperfect information in a computationally challenging game" (2001); where it errs: Long,
    Sturtevant, Buro and Furtak, "Understanding the success of perfect information Monte Carlo sampling in
    game tree search" (2010).

    leaf       how a world is tried: all play on as `greedy`; or as the exact `solver` says, with open cards
               and for the objective; or `mixed`, greedy down to eight cards a seat and exact from seven on,
               where 300 worlds cost as much either way

    With trump called or set by the first void, and tricks that count at once, exact answers take milliseconds
    a world in the first tricks; with hidden trump or a pile they take up to a second, and `mixed` is the leaf
    to choose.
    """

    def __init__(
        self,
        *,
        worlds: int = 300,
        time: float = 0.0,
        beliefs: bool = True,
        leaf: Leaf = "greedy",
        objective: Objective = "points",
        evidence: float = 1.0,
        deals: int = 400,
    ) -> None:
        super().__init__(
            worlds=worlds, time=time, beliefs=beliefs, objective=objective, evidence=evidence, deals=deals
        )
        _check_word("leaf", leaf, get_args(Leaf))
        self.leaf = leaf
        if leaf == "solver":
            self.length = 1

    def weigh(self, moment: Moment, choices: bytes, sample: Sampled) -> Weighed:
        return _weighed(choices, moment.values(sample, choices, self.leaf), sample)


class Mc(Player):
    """A caller by simulation: each word is tried on sampled deals; the cards are played by another player.

    deals      deals on which each word is tried
    cards      who plays the cards
    beliefs    whether deals are weighed by what was said before
    objective  `points` of the deal, or the chance to win the `match` from its score
    evidence   standard errors by which a word must be better than that of `strongest` to be said
    """

    def __init__(
        self,
        *,
        deals: int = 1000,
        cards: str = "greedy",
        beliefs: bool = True,
        objective: Objective = "points",
        evidence: float = 1.0,
    ) -> None:
        _check("deals", deals, 1)
        _check("evidence", evidence, 0)
        _check_word("objective", objective, get_args(Objective))
        self.deals = deals
        self.cards = BuiltIn(cards)
        self.beliefs = beliefs
        self.objective: Objective = objective
        self.evidence = evidence

    def begin(self, rules: RuleSet, seat: int, rng: np.random.Generator) -> None:
        super().begin(rules, seat, rng)
        self.cards.begin(rules, seat, rng)

    def call(self, view: View) -> str:
        return best_word(
            view, self.deals, self.objective, self.rng, beliefs=self.beliefs, evidence=self.evidence
        )

    def play(self, view: View) -> Card | Literal["reveal"]:
        return self.cards.play(view)


def best_word(
    view: View, deals: int, objective: Objective, rng: np.random.Generator, *, beliefs: bool, evidence: float
) -> str:
    """Returns the word of the call that does best on sampled deals when all go on as `greedy` players.

    As with cards, it is what the caller `strongest` says unless another is better by so many standard errors
    on the same deals.
    """
    usual = built_in("greedy", rng).call(view)
    words = sorted(_distinct_words(view, usual), key=lambda word: word != usual)
    if len(words) == 1:
        return words[0]
    moment = Moment(view, objective, _key(rng), beliefs=beliefs)
    sample = moment.draw(deals)
    return words[_weighed(b"", moment.calls(sample, words), sample).best(evidence)]


def _distinct_words(view: View, usual: str) -> list[str]:
    """Returns the words that may be said without those that come to the same as another one.

    Letting the time run out is passing (S0.12), and of suits with the same ranks in the hand one will do.
    """
    same: dict[object, str] = {}
    for word in view.legal_words:
        about: object = "pass" if word == "timeout" and "pass" in view.legal_words else word
        if word in Suit.__members__:
            about = frozenset(card.rank for card in view.dealt if card.suit is Suit[word])
        if about not in same or word == usual:
            same[about] = word
    return list(same.values())


def _weighed(choices: bytes, values: Values, sample: Sampled) -> Weighed:
    """Returns choices weighed by what each came to in each world, (worlds, choices)."""
    walks = values.reshape(-1, sample.length, values.shape[1]).mean(axis=1)
    errors = (walks - walks[:, :1]).std(axis=0) / sqrt(max(len(walks) - 1, 1))
    spread, error = values[:, 0].var(), walks[:, 0].var() / len(walks)
    effective = min(float(spread / error), float(len(values))) if error else float(len(values))
    return Weighed(choices, values.mean(axis=0), errors, len(values), effective)


def _check(name: str, value: float, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not least <= value < inf:
        raise UsageError(f'player option "{name}" is a number from {least} up, not {value}')


def _check_word(name: str, value: str, known: Sequence[str]) -> None:
    if value not in known:
        raise UsageError(
            f'player option "{name}" takes {", ".join(known)}, not "{value}"{suggest(value, known)}'
        )
