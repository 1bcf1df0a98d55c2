"""What each decision of a deal cost: with all cards open, and on what the seat could know.

A decision is a moment with a real choice: a word of the call, whether to change trump, a card, a reveal.
Cards with nothing but gone cards between them are one choice, and who has one choice decides nothing.  Claims
of all thirteen are not judged.

*Open cards*: what perfect play by all four, who see all cards, comes to after each choice (`solve`), in
points by which the seat's side comes out ahead, and in tricks.  What a decision lost is what the best choice
comes to less what its own does, so it is never negative, and choices that come to the same are ties.

*At the table*: what each choice is worth over worlds, deals that agree with all that the seat had seen, when
all go on as `greedy` players (`players.search`).  The best choice is chosen on one half of the worlds and its
lead is measured on the other, because the best of several looks better than it is on what chose it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from courtpiece.cards import Card, Suit
from courtpiece.deal import CALLERS, FULL_HAND, REVEAL, Deal
from courtpiece.errors import UsageError
from courtpiece.players.search import LENGTH, Moment, Pimc, Sampled, Weighed
from courtpiece.record import answer, read, write
from courtpiece.rules import Collection, Objective, Trump, name_of
from courtpiece.sentences import count, deed, options
from courtpiece.solve import ask, ending, equal_plays, solve
from courtpiece.stats import LEVEL, Estimate, Method
from courtpiece.table import seed_key
from courtpiece.words import REVEAL as REVEAL_CODE

WORLDS = 1000
SAMPLES = 10  # independent samples, at least, in each half of the worlds: what an error can be told from
EXACT_FROM = 11  # cards a seat from which deals with hidden trump, piles or tens are solved
KEEP = "keep"  # the answer of a caller who could change trump and does not
CHANGE = "change"

# Purpose of random numbers: from here on, one for each decision.
_REVIEWS = 1 << 33


@dataclass(frozen=True, kw_only=True)
class Choice:
    """What could be done: a card with those that are the same in play, `reveal`, or a word of the call.

    tricks     the most tricks that its side collects from there on with open cards; None where not solved
    points     by how many points its side comes out ahead if both play for them with open cards; likewise
    expected   what it is worth at the table, in what the match counts; None where not weighed
    """

    actions: tuple[str, ...]
    tricks: int | None = None
    points: int | None = None
    expected: float | None = None

    def __str__(self) -> str:
        """The choice for a person: `K♥ or Q♥`, `spades`, `pass`."""
        return options(self.actions)


@dataclass(frozen=True, kw_only=True)
class Decision:
    """One decision and what it cost.

    number    from 1, among the decisions of the deal
    moment    how much had been said and played before
    seat      who decided, from eldest
    name      the letter of that seat
    trick     in which trick, from 1; 0 in the call
    kind      call, change, lead, follow, ruff, discard or reveal
    action    what was done, as in the deal record; `keep` for a trump that was not changed
    choices   what could be done: most points first, then by what is expected, and tricks
    place     which of the choices was made
    loss      what it lost at the table, with its error; 0 where no choice is better, None where not weighed
    """

    number: int
    moment: int
    seat: int
    name: str
    trick: int
    kind: str
    action: str
    choices: tuple[Choice, ...]
    place: int
    loss: Estimate | None

    def __str__(self) -> str:
        """What was done, as in `S leads K♥`."""
        return f"{self.name} {deed(self.kind, self.action)}"

    @property
    def chosen(self) -> Choice:
        """The choice that was made."""
        return self.choices[self.place]

    @property
    def best_points(self) -> int | None:
        """The most points ahead that a choice comes to with open cards."""
        return max((choice.points for choice in self.choices if choice.points is not None), default=None)

    @property
    def points_lost(self) -> int | None:
        """What the decision lost in points with open cards; None where not solved."""
        if self.chosen.points is None or self.best_points is None:
            return None
        return self.best_points - self.chosen.points

    @property
    def tricks_lost(self) -> int | None:
        """What it lost in tricks, had both sides played for tricks with open cards."""
        known = [choice.tricks for choice in self.choices if choice.tricks is not None]
        return None if self.chosen.tricks is None else max(known) - self.chosen.tricks

    @property
    def lost(self) -> int | None:
        """What it lost with open cards: points, or tricks in an ending, which has no points."""
        return self.tricks_lost if self.points_lost is None else self.points_lost

    @property
    def better(self) -> tuple[Choice, ...]:
        """The best choices with open cards, if the one made is not among them."""
        if not self.lost:
            return ()
        if self.points_lost is None:
            most = max(choice.tricks for choice in self.choices if choice.tricks is not None)
            return tuple(choice for choice in self.choices if choice.tricks == most)
        return tuple(choice for choice in self.choices if choice.points == self.best_points)

    @property
    def better_told(self) -> str:
        """The better choices in words, as `AK♠ or 7♥`."""
        return options([action for choice in self.better for action in choice.actions]) if self.better else ""

    @property
    def turns(self) -> bool:
        """True when with open cards it handed the deal to the other side."""
        if self.points_lost is None or self.chosen.points is None or self.best_points is None:
            return False
        return self.best_points > 0 >= self.chosen.points or self.best_points >= 0 > self.chosen.points

    @property
    def loss_told(self) -> str:
        """What it lost at the table, as `−0.16 ± 0.12`; "" where that is nothing, or not known."""
        if self.loss is None or self.loss.value < 0.005:
            return ""
        return f"−{self.loss.value:.2f} ± {self.loss.half_width:.2f}"

    @property
    def surely_worse(self) -> bool:
        """True when the loss at the table is more than chance would give."""
        return bool(self.loss_told) and self.loss is not None and self.loss.low > 0

    def to_dict(self) -> dict[str, Any]:
        """Returns the decision as JSON can hold it."""
        loss = self.loss
        return {
            "number": self.number,
            "moment": self.moment,
            "seat": self.name,
            "trick": self.trick,
            "kind": self.kind,
            "action": self.action,
            "points_lost": self.points_lost,
            "tricks_lost": self.tricks_lost,
            "turns": self.turns,
            "loss": None if loss is None else {
                "value": loss.value, "standard_error": loss.standard_error, "low": loss.low,
                "high": loss.high, "n": loss.n,
            },
            "choices": [
                {"actions": list(choice.actions), "points": choice.points, "tricks": choice.tricks,
                 "expected": choice.expected}
                for choice in self.choices
            ],
        }


@dataclass(frozen=True, kw_only=True)
class Decisions:
    """What one seat's decisions come to.

    decisions    how many
    solved       how many of them were solved with open cards
    best         how many of those lost nothing
    points_lost  points lost by them all together
    loss         what was lost at the table, all together, and its standard error; None where not weighed
    mistakes     how many surely lost something at the table
    worst        the decision that lost most with open cards, at the table among equals; None when none did
    """

    name: str
    decisions: int
    solved: int
    best: int
    points_lost: int
    loss: tuple[float, float] | None
    mistakes: int
    worst: Decision | None

    @classmethod
    def of(cls, name: str, decisions: Sequence[Decision]) -> Decisions:
        """Returns what decisions of one name come to."""
        solved = [decision for decision in decisions if decision.lost is not None]
        losses = [decision.loss for decision in decisions if decision.loss is not None]
        bad = [decision for decision in decisions if decision.lost or decision.surely_worse]
        return cls(
            name=name,
            decisions=len(decisions),
            solved=len(solved),
            best=sum(decision.lost == 0 for decision in solved),
            points_lost=sum(decision.points_lost or 0 for decision in solved),
            loss=(
                sum(loss.value for loss in losses), sqrt(sum(loss.standard_error**2 for loss in losses))
            ) if losses else None,
            mistakes=sum(decision.surely_worse for decision in decisions),
            worst=max(bad, key=_badness, default=None),
        )

    def to_dict(self) -> dict[str, Any]:
        """Returns it as JSON can hold it."""
        return {
            "seat": self.name,
            "decisions": self.decisions,
            "solved": self.solved,
            "best": self.best,
            "points_lost": self.points_lost,
            "loss": None if self.loss is None else {"value": self.loss[0], "standard_error": self.loss[1]},
            "mistakes": self.mistakes,
            "worst": None if self.worst is None else self.worst.number,
        }


def _badness(decision: Decision) -> tuple[int, float]:
    return decision.lost or 0, decision.loss.value if decision.loss is not None else 0.0


@dataclass(frozen=True, kw_only=True)
class Review:
    """A deal, decision by decision."""

    deal: Deal
    decisions: tuple[Decision, ...]
    worlds: int
    seed: int

    @cached_property
    def turning_point(self) -> Decision | None:
        """The decision that settled the deal, with open cards.

        The last one that handed it to the other side; if none did, the last that changed what it comes to
        in points; in an ending, which has no points, the one that lost most tricks.  None when none of those
        solved lost anything.
        """
        turned = [one for one in self.decisions if one.turns]
        changed = turned or [one for one in self.decisions if one.points_lost]
        if changed:
            return changed[-1]
        worst = max(self.decisions, key=lambda one: one.tricks_lost or 0, default=None)
        return worst if worst is not None and worst.lost else None

    @cached_property
    def players(self) -> tuple[Decisions, ...]:
        """What each seat's decisions come to, eldest first."""
        return tuple(
            Decisions.of(self.deal.name(seat), [one for one in self.decisions if one.seat == seat])
            for seat in range(4)
        )

    @property
    def unsolved(self) -> str:
        """Which decisions were too far from the end to be solved with open cards, in words; "" for none."""
        missing = [one for one in self.decisions if all(choice.tricks is None for choice in one.choices)]
        if not missing:
            return ""
        where = {0: "the call"}
        named = [where.get(one.trick, f"trick {one.trick}") for one in (missing[0], missing[-1])]
        return named[0] if named[0] == named[1] else f"{named[0]} to {named[1]}"

    @property
    def verdict(self) -> str:
        """The turning point in a sentence or two."""
        found = self.turning_point
        if found is None:
            if not self.decisions:
                return "Nobody had anything to decide."
            if all(one.lost is None for one in self.decisions):
                return "No decision could be judged with open cards."
            told_from = f"; not solved: {self.unsolved}" if self.unsolved else ""
            return f"With open cards no decision lost anything{told_from}."
        when = "the call" if found.trick == 0 else f"trick {found.trick}"
        side = self.deal.side_name(found.seat % 2)
        lost = count(found.lost or 0, "point" if found.points_lost is not None else "trick")
        text = f"Turning point: {when}, {found}; {found.better_told} was better by {lost}."
        if found.points_lost is not None and found.best_points is not None:
            text += (f" With open cards {side} was to come out {_ahead(found.best_points)}, "
                     f"and now {_ahead(found.chosen.points or 0)}.")
        return text

    @property
    def method(self) -> str:
        """How the numbers came about, in a line or two."""
        parts = ["open cards: all four see all cards and play perfectly from there on"]
        if self.unsolved:
            parts.append(f"not solved with open cards, as too much is left to play: {self.unsolved}")
        if self.worlds:
            parts.append(
                f"at the table: mean over {self.worlds:,} worlds that agree with what the seat had seen, "
                f"all going on as greedy, seed {self.seed}; ± is half a 95 % interval"
            )
        return "; ".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """Returns everything as JSON can hold it."""
        found = self.turning_point
        return {
            "record": write(self.deal) if self.deal.outcome is not None else None,
            "result": answer(self.deal) if self.deal.outcome is not None else None,
            "rules": name_of(self.deal.rules),
            "worlds": self.worlds,
            "seed": self.seed,
            "unsolved": self.unsolved,
            "turning_point": None if found is None else found.number,
            "verdict": self.verdict,
            "decisions": [decision.to_dict() for decision in self.decisions],
            "players": [player.to_dict() for player in self.players],
        }

    def __repr__(self) -> str:
        rows = [
            f"{one.number:3}  {one.trick or 'call':>4}  {one}: "
            f"{one.lost if one.lost is not None else '–'}"
            for one in self.decisions
        ]
        return "\n".join([*rows, self.verdict, self.method])

    def page(self, title: str | None = None) -> str:
        """Returns a page that steps through the deal, as HTML in one file."""
        from courtpiece.report.review import render

        return render(self, title or name_of(self.deal.rules))

    def _repr_html_(self) -> str:
        from html import escape

        return f'<iframe srcdoc="{escape(self.page())}" style="width:100%;height:760px;border:0"></iframe>'


def review(
    deal: Deal | Mapping[str, Any], *, worlds: int = WORLDS, seed: int = 1, exact: int = EXACT_FROM
) -> Review:
    """Returns what each decision of a deal cost.

    `deal` is a `Deal`, over or under way, or the record of one.  `worlds` is how many worlds each decision is
    weighed on, 0 for none.  With open cards all is solved where tricks alone count, each at once, and no
    trump is hidden; elsewhere as soon as each seat has at most `exact` cards (11; more can take minutes).
    Raises RecordError for a record that breaks a rule, UsageError for the rest.
    """
    if worlds < 0 or worlds % 2:
        raise UsageError(f"worlds must be an even number, half to choose and half to measure, not {worlds}")
    if 0 < worlds < 2 * SAMPLES:
        raise UsageError(f"worlds must be {2 * SAMPLES} at least, as fewer tell nothing of chance, or 0 for "
                         f"none, not {worlds}")
    if not 0 <= exact <= FULL_HAND:
        raise UsageError(f"exact is a number of cards from 0 to {FULL_HAND}, not {exact}")
    played = deal if isinstance(deal, Deal) else read(deal)
    key = seed_key(seed)
    found: list[Decision] = []
    for asked in _asked(played):
        counter = np.array([0, _REVIEWS + asked.moment, 0, 0], np.uint64)
        drawn = np.random.Philox(key=key, counter=counter).random_raw(4)
        choices = _solved(asked, exact)
        if len(choices) > 1:
            found.append(_decision(asked, len(found) + 1, *_weighed(asked, choices, worlds, drawn)))
    return Review(deal=played, decisions=tuple(found), worlds=worlds, seed=seed)


class _Asked(NamedTuple):
    """A seat that was asked, and what it did."""

    deal: Deal                          # before it did; only until the next one is asked
    moment: int
    seat: int
    action: str


def _asked(deal: Deal) -> Iterator[_Asked]:
    """Plays a deal once more and yields every answer that a player gave."""
    again = Deal(deal.rules, deal.dealt, dealer=deal.dealer)
    for moment, word in enumerate(deal.words):
        seat = again.turn if again.phase == "call" else again.caller
        if seat is not None and not again.awaits_blind:
            yield _Asked(again, moment, seat, word)
        again.say(word)
    moment = len(deal.words)
    begun = bool(deal.plays) or deal.claimer is not None
    if begun and again.caller is not None and again.phase == "play" and again.legal_words():
        yield _Asked(again, moment, again.caller, KEEP)
    if deal.claimer is not None:
        again.claim(deal.claimer)
    for place, play in enumerate(deal.plays):
        yield _Asked(again, moment + place, again.turn, str(play))
        if isinstance(play, Card):
            again.play(play)
        else:
            again.reveal()


# Open cards


def _solved(asked: _Asked, exact: int) -> list[Choice]:
    """Returns what could be done, solved with open cards where that is not too far from the end."""
    deal = asked.deal
    if deal.phase == "call":
        words = [word for word in deal.legal_words() if not (word == "timeout" and asked.seat == 0
                                                            and "pass" in deal.legal_words())]
        return [
            Choice(actions=("pass", "timeout") if word == "pass" else (word,), **_after(deal, word, exact))
            for word in words
        ]
    if kind_of(asked.deal, asked.action) == CHANGE:
        return [Choice(actions=(KEEP,), **_comes_to(deal, exact)),
                *(Choice(actions=(word,), **_after(deal, word, exact)) for word in deal.legal_words())]
    if not _near_enough(deal, exact):
        groups: list[tuple[str, ...]] = [tuple(map(str, equals)) for equals in equal_plays(deal)]
        return [Choice(actions=group) for group in (*groups, *([(REVEAL,)] if deal.can_reveal else []))]
    return [
        Choice(actions=tuple(map(str, value.equals)), tricks=value.tricks, points=value.points)
        for value in solve(deal).cards
        if value.card == value.equals[0]
    ]


def _near_enough(deal: Deal, exact: int) -> bool:
    """True where a deal is solved: tricks alone count and no trump is hidden, or there are few cards left."""
    rules = deal.rules
    plain = rules.collection is Collection.EACH_TRICK and rules.objective is Objective.TRICKS
    open_trump = deal.trump is not None or rules.trump is Trump.FIRST_VOID
    return (plain and open_trump and deal.hidden_card is None) or FULL_HAND - deal.trick_number + 1 <= exact


def _after(deal: Deal, word: str, exact: int) -> dict[str, int]:
    following = deal.copy()
    following.say(word)
    return _best(following, exact)


def _best(deal: Deal, exact: int) -> dict[str, int]:
    """Returns the tricks and points of the caller's side, which speaks on; {} where not solved."""
    if deal.phase == "over" or deal.awaits_blind:
        return {}                       # what a new deal, or a card turned up unseen, brings is up to chance
    if deal.phase == "play":
        options = [_comes_to(deal, exact), *(_after(deal, word, exact) for word in deal.legal_words())]
    else:
        options = [_after(deal, word, exact) for word in deal.legal_words()]
    known = [option for option in options if option]
    return {name: max(option[name] for option in known) for name in known[0]} if known else {}


def _comes_to(deal: Deal, exact: int) -> dict[str, int]:
    """Returns the same before the first card, if nothing more is said."""
    if not _near_enough(deal, exact):
        return {}
    tricks = ask(deal, "tricks")
    assert isinstance(tricks, int)
    found = {"tricks": tricks if deal.turn % 2 == CALLERS else len(deal.dealt[0]) - tricks}
    if len(deal.dealt[0]) == FULL_HAND:
        outcome, winner = ending(deal)
        score = deal.rules.score_of(outcome, winner == CALLERS)
        found["points"] = score if winner == CALLERS else -score
    return found


# At the table


def _weighed(
    asked: _Asked, choices: list[Choice], worlds: int, key: NDArray[np.uint64]
) -> tuple[list[Choice], Estimate | None]:
    """Returns the choices with what is expected of each, and what the one made loses."""
    if not worlds or kind_of(asked.deal, asked.action) == CHANGE:
        return choices, None
    view = asked.deal.view(asked.seat)
    halves = [Moment(view, "points", part, beliefs=True) for part in key.reshape(2, 2)]
    weigh = _words_weighed if asked.deal.phase == "call" else _cards_weighed
    made = next(choice for choice in choices if asked.action in choice.actions)
    length = min(LENGTH, worlds // 2 // SAMPLES)
    samples = [half.draw(worlds // 2, length) for half in halves]
    place, chosen_on, measured_on = weigh(asked, choices, made, list(zip(halves, samples, strict=True)))
    best = int(chosen_on.means.argmax())
    means = (chosen_on.means + measured_on.means) / 2
    return [
        replace(choice, expected=float(means[at])) for choice, at in zip(choices, place, strict=True)
    ], _loss(measured_on, best, len(samples[1].hands) // samples[1].length)


def _cards_weighed(
    asked: _Asked, choices: Sequence[Choice], made: Choice, halves: Sequence[tuple[Moment, Sampled]]
) -> tuple[list[int], Weighed, Weighed]:
    """Returns which of the choices weighed stands for each choice, and how both halves weigh them.

    The one made is weighed first, so that the errors are those of what the others are worth more.
    """
    codes = halves[0][0].choices()
    stands = [_code(codes, choice) for choice in choices]
    first = stands[choices.index(made)]
    codes = bytes(sorted(codes, key=lambda code: code != first))
    one, two = (Pimc(leaf="greedy").weigh(moment, codes, sample) for moment, sample in halves)
    return [codes.index(code) for code in stands], one, two


def _code(codes: bytes, choice: Choice) -> int:
    """Returns the kernel's choice, of equal cards the lowest, that stands for a choice."""
    if choice.actions == (REVEAL,):
        return REVEAL_CODE
    card = min(Card.parse(action) for action in choice.actions)
    return max(code for code in codes if code <= card)


def _words_weighed(
    asked: _Asked, choices: Sequence[Choice], made: Choice, halves: Sequence[tuple[Moment, Sampled]]
) -> tuple[list[int], Weighed, Weighed]:
    """Returns the same for the words of the call; suits held alike are one to who sees five cards."""
    first: dict[object, str] = {}
    five = asked.deal.first_five(asked.seat)
    stands = []
    for choice in (made, *choices):
        word = choice.actions[0]
        alike: object = word
        if word in Suit.__members__:
            alike = frozenset(card.rank for card in five if card.suit is Suit[word])
        stands.append(first.setdefault(alike, word))
    words = list(dict.fromkeys(stands))
    one, two = (_weigh_words(moment, words, sample) for moment, sample in halves)
    return [words.index(word) for word in stands[1:]], one, two


def _weigh_words(moment: Moment, words: Sequence[str], sample: Sampled) -> Weighed:
    values = moment.calls(sample, words)
    errors = (values - values[:, :1]).std(axis=0) / sqrt(max(len(values) - 1, 1))
    return Weighed(b"", values.mean(axis=0), errors, len(values), float(len(values)))


def _loss(weighed: Weighed, best: int, independent: int) -> Estimate:
    """Returns how much more the best choice is worth than the first, or 0 where it is not worth more.

    `independent` is how many independent groups of worlds the error rests on.
    """
    from scipy.special import stdtrit

    value, error = float(weighed.means[best] - weighed.means[0]), float(weighed.errors[best])
    reach = float(stdtrit(max(independent - 1, 1), (1 + LEVEL) / 2)) * error
    return Estimate(
        value=max(0.0, value), standard_error=error, low=value - reach, high=value + reach, n=weighed.worlds,
        method=Method.PAIRED_T,
    )


def _decision(asked: _Asked, number: int, choices: Sequence[Choice], loss: Estimate | None) -> Decision:
    deal, kind = asked.deal, kind_of(asked.deal, asked.action)
    ordered = sorted(choices, key=lambda choice: tuple(
        -value if value is not None else 0.0 for value in (choice.points, choice.tricks, choice.expected)
    ))
    place = next(at for at, choice in enumerate(ordered) if asked.action in choice.actions)
    return Decision(
        number=number,
        moment=asked.moment,
        seat=asked.seat,
        name=deal.name(asked.seat),
        trick=0 if kind in ("call", CHANGE) else deal.trick_number,
        kind=kind,
        action=asked.action,
        choices=tuple(ordered),
        place=place,
        loss=loss,
    )


def kind_of(deal: Deal, action: str) -> str:
    """Returns the kind of a decision, from the deal before it."""
    if deal.phase == "call":
        return "call"
    if action == KEEP or " " in action:
        return CHANGE
    if action == REVEAL:
        return "reveal"
    if not deal.trick:
        return "lead"
    card, led = Card.parse(action), deal.trick[0].suit
    if card.suit is led:
        return "follow"
    sets_trump = deal.trump is None and deal.rules.trump is Trump.FIRST_VOID  # S0.64: it counts at once
    return "ruff" if card.suit is deal.trump or sets_trump else "discard"


def _ahead(points: int) -> str:
    if points == 0:
        return "level"
    return f"{count(abs(points), 'point')} {'ahead' if points > 0 else 'behind'}"
