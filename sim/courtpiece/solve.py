"""Exact answers: what comes of a position when all four hands are open and everybody plays perfectly.

Seats are numbers in the order of play; sides are {0, 2} and {1, 3}.  `solve` answers one position card by
card: hands with a fixed trump, or a deal under way under any rules.  `solve_many` answers one question about
many deals with a fixed trump, `solve_outcomes` how many deals end under any rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from threading import local
from typing import Literal, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from courtpiece._kernel import exact
from courtpiece._kernel import solver as kernel
from courtpiece.cards import PACK, TENS, Card, Suit, check_different, format_cards, parse_cards
from courtpiece.deal import ACE, FULL_HAND, MAJORITY, REVEAL, Deal, winning_position
from courtpiece.errors import CardError, UsageError
from courtpiece.rules import Collection, Objective, Outcome, PileBlock, RuleSet, RulesSpec, Trump, resolve
from courtpiece.words import REVEAL as SHOW
from courtpiece.words import word_code

Hand = str | Sequence[Card]
Hands = str | Sequence[Hand]
Play = Card | str  # a card, or the word "reveal" before one
Question = Literal["tricks", "seven", "kot", "thirteen"]
DealQuestion = Literal["tricks", "seven", "kot", "thirteen", "outcome"]

MEMORY = 64 << 20  # bytes of a solver's table
NO_TRUMP = NOBODY = NO_SIDE = 255

_NEEDS: dict[str, tuple[int, bool]] = {  # how many tricks, and whether before the first lost one
    "seven": (MAJORITY, False),
    "kot": (MAJORITY, True),  # S0.38
    "thirteen": (FULL_HAND, False),
}


def _read_hand(hand: Hand) -> tuple[Card, ...]:
    cards = parse_cards(hand) if isinstance(hand, str) else tuple(Card(card) for card in hand)
    return tuple(sorted(cards, reverse=True))


def _read_trump(trump: Suit | str | None) -> Suit | None:
    if isinstance(trump, Suit) or trump is None:
        return trump
    return None if trump.strip() in {"", "-"} else Suit.parse(trump)


@dataclass(frozen=True, kw_only=True)
class Position:
    """A deal under way, or the end of one, all cards open; raises an error unless it could have come about.

    hands    what each seat still holds, in the order of play
    trump    the trump suit, or None for none
    leader   the seat that leads, or led, the trick under way
    trick    the cards of that trick on the table, in order
    taken    tricks taken so far by the sides {0, 2} and {1, 3}
    """

    hands: tuple[tuple[Card, ...], ...]
    trump: Suit | None
    leader: int = 0
    trick: tuple[Card, ...] = ()
    taken: tuple[int, int] = (0, 0)

    def __post_init__(self) -> None:
        if len(self.hands) != 4:
            raise CardError(f"a deal has four hands, not {len(self.hands)}")
        if self.leader not in range(4):
            raise UsageError(f"the leader is a seat from 0 to 3, not {self.leader}")
        if len(self.trick) > 3:
            raise UsageError(f"a trick under way has at most three cards on the table, not {len(self.trick)}")
        check_different([*self.trick, *chain.from_iterable(self.hands)])
        self._check_lengths()
        self._check_trick()

    def _check_lengths(self) -> None:
        sizes = [len(hand) for hand in self.hands]
        at_start = list(sizes)
        for place in range(len(self.trick)):
            at_start[(self.leader + place) % 4] += 1
        if len(set(at_start)) > 1:
            on_table = f" with {format_cards(self.trick)} on the table" if self.trick else ""
            raise CardError(f"the hands hold {sizes} cards{on_table}: every seat must have as many cards")
        if min(self.taken) < 0 or sum(self.taken) + at_start[0] > FULL_HAND:
            raise UsageError(
                f"{sum(self.taken)} tricks taken and {at_start[0]} left: a deal has {FULL_HAND} tricks"
            )

    def _check_trick(self) -> None:
        for place, card in enumerate(self.trick[1:], 1):
            led, seat = self.trick[0].suit, (self.leader + place) % 4
            kept = [held for held in self.hands[seat] if held.suit is led]
            if card.suit is not led and kept:
                raise UsageError(
                    f"seat {seat} cannot have played {card} to {self.trick[0]}: it still holds {kept[0]}"
                )

    @property
    def turn(self) -> int:
        """The seat to play."""
        return (self.leader + len(self.trick)) % 4

    @property
    def tricks_left(self) -> int:
        """Tricks not yet taken, the one on the table included."""
        return len(self.hands[self.turn])

    def legal_cards(self) -> tuple[Card, ...]:
        """Returns the cards that the seat to play may play (S0.15, S0.16), from the highest."""
        hand = self.hands[self.turn]
        if self.trick:
            return tuple(card for card in hand if card.suit is self.trick[0].suit) or hand
        return hand

    def after(self, card: Card) -> Position:
        """Returns the position after the seat to play has played a legal card."""
        turn = self.turn
        hands = tuple(
            tuple(held for held in hand if held is not card) if seat == turn else hand
            for seat, hand in enumerate(self.hands)
        )
        trick, leader, taken = (*self.trick, card), self.leader, self.taken
        if len(trick) == 4:
            leader = (leader + winning_position(trick, self.trump)) % 4
            taken = (taken[0] + (leader % 2 == 0), taken[1] + (leader % 2 == 1))
            trick = ()
        return Position(hands=hands, trump=self.trump, leader=leader, trick=trick, taken=taken)


class CardValue(NamedTuple):
    """What one card, or the word "reveal" before a card, is worth to the seat to play."""

    card: Play
    tricks: int  # the most tricks its side collects from here on after the card, this trick included
    equals: tuple[Play, ...]  # what is the same in play: legal cards with nothing but gone cards between
    points: int | None = None  # how far its side comes out ahead when both play for points; None without
    tens: int | None = None  # the most tens its side collects from here on; None where they do not count


@dataclass(frozen=True)
class Solution:
    """The exact answers to one position, or to a deal under way."""

    position: Position | Deal
    cards: tuple[CardValue, ...]  # everything that may be played, the best first
    outcome: Outcome | None  # how the deal ends when both sides play for points; None without rules
    winner: int | None = None  # the side that wins it

    @property
    def tricks(self) -> int:
        """The most tricks that the side of the seat to play can collect from here on, this trick included."""
        return max(value.tricks for value in self.cards)

    @property
    def points(self) -> int | None:
        """How far the side of the seat to play comes out ahead when both play for points, or None."""
        known = [value.points for value in self.cards if value.points is not None]
        return max(known, default=None)

    @cached_property
    def line(self) -> tuple[Play, ...]:
        """One way of best play to the end: for tricks in a position, for points first in a deal."""
        if isinstance(self.position, Deal):
            return tuple(_best_line_of_deal(self.position))
        return tuple(_best_line(self.position, self.tricks))

    def __str__(self) -> str:
        return "\n".join(f"{value.card}  {value.tricks}" for value in self.cards)


def solve(
    position: Position | Deal | Hands,
    *,
    trump: Suit | str | None = None,
    leader: int = 0,
    trick: str | Sequence[Card] = (),
    taken: tuple[int, int] = (0, 0),
    rules: RulesSpec | None = None,
) -> Solution:
    """Returns what each legal card is worth, and the outcome when the rules are known.

    `position` is a `Deal` under way, by its own rules; a `Position`; or four hands in the order of play:
    "AK5.2..9 …" in one line or four, or sequences of cards.  The other arguments belong to four hands; see
    `Position`.  Seats 0 and 2 are the caller's side.  In a deal all is counted: piles and runs, tens, trump
    that is still to be set, and the hidden card, which the solver sees; where it may be asked for or shown,
    "reveal" is among what may be played.

    >>> solve("A2... K3... Q4... J5...", trump="S").tricks
    1
    """
    if isinstance(position, Deal):
        if rules is not None and resolve(rules) != position.rules:
            raise UsageError("a deal has rules of its own: leave out rules")
        return _solve_deal(position)
    found = position
    if not isinstance(found, Position):
        found = _read_position(found, trump, leader, trick, taken)
    if found.tricks_left == 0:
        raise CardError("the hands hold no cards: there is nothing to solve")
    if rules is None:
        return Solution(found, _card_values(found), None)
    ruleset = resolve(rules)
    _check_rules(ruleset, found)
    return Solution(found, _card_values_by_rules(found, ruleset), *_outcome(found, ruleset))


def ask(position: Position | Deal, question: DealQuestion, *, rules: RuleSet | None = None) -> int | Outcome:
    """Returns the answer to one question about the side of the seat to play; 1 and 0 for yes and no.

    The questions are those of `solve_many`, and `outcome`: how the deal ends when both sides play for the
    points of the rules.  All but `tricks` are about a whole deal, whatever has been played of it.  A deal is
    asked by its own rules.
    """
    if question == "outcome":
        return ending(position, rules=rules)[0]
    if isinstance(position, Deal):
        return _ask_deal(position, question)
    check_question(position, question, rules)
    side = position.turn % 2
    if rules is not None and _needs_state(rules, position):
        solver = _taken_up(position, rules)
        return _ask_state(solver, question, side, position.taken[side], position.tricks_left)
    if question == "tricks":
        return _most(position, side, (position.tricks_left + 2) // 2)
    need, in_a_row = _NEEDS[question]
    if in_a_row and position.taken[1 - side]:
        return 0
    return int(_can(position, side, need - position.taken[side], in_a_row=in_a_row))


def ending(position: Position | Deal, *, rules: RuleSet | None = None) -> tuple[Outcome, int]:
    """Returns how a whole deal ends when both sides play for points, and the side that wins it."""
    if isinstance(position, Deal):
        solver = _taken_up_deal(position)
        _check_whole("outcome", len(position.dealt[0]))
    else:
        check_question(position, "outcome", rules)
        assert rules is not None
        solver = _taken_up(position, rules)
    return _named(solver)


def check_question(position: Position, question: DealQuestion, rules: RuleSet | None = None) -> None:
    """Raises an error unless `ask` can answer."""
    left = position.tricks_left
    if left == 0:
        raise CardError("the hands hold no cards: there is nothing to solve")
    if rules is not None:
        _check_rules(rules, position)
    _check_whole(question, sum(position.taken) + left)
    if question == "kot" and rules is not None:
        _check_sweep(rules)
    if question == "outcome" and rules is None:
        raise UsageError("an outcome needs rules whose score counts")


def _check_whole(question: str, tricks: int) -> None:
    if question != "tricks" and tricks != FULL_HAND:
        raise UsageError(
            f"{question} is asked of whole deals, {FULL_HAND} cards a seat; ask {tricks} for tricks"
        )


def _check_sweep(rules: RuleSet) -> None:
    if rules.collection is Collection.PILE:
        raise UsageError("kot asks for the first seven tricks in a row, which collection=pile does not count")


def _read_position(
    hands: Hands,
    trump: Suit | str | None,
    leader: int,
    trick: str | Sequence[Card],
    taken: tuple[int, int],
) -> Position:
    each = hands.split() if isinstance(hands, str) else hands
    table = parse_cards(trick) if isinstance(trick, str) else tuple(Card(card) for card in trick)
    return Position(
        hands=tuple(map(_read_hand, each)),
        trump=_read_trump(trump),
        leader=leader,
        trick=table,
        taken=taken,
    )


def _check_rules(rules: RuleSet, position: Position) -> None:
    if position.trump is None and rules.trump is Trump.HIDDEN:
        raise UsageError("trump=hidden needs the trump once shown, or a Deal, which knows the hidden card")
    if position.trump is None and rules.trump is Trump.CALLED:
        raise UsageError("trump=called always has a trump: give one of S, H, D, C")
    if sum(position.taken) and sum(position.taken) + position.tricks_left == FULL_HAND:
        for option in (rules.collection, rules.objective):
            if option in {Collection.PILE, Objective.TENS}:
                raise UsageError(f"the tricks taken do not tell all of a deal of {option}: solve the Deal")


def _needs_state(rules: RuleSet, position: Position) -> bool:
    """Returns whether more than the fixed trump and the cards decides what comes of a position."""
    return position.trump is None or rules.collection is Collection.PILE


_solvers = local()
_Search = TypeVar("_Search")


def _solver() -> kernel.Solver:
    """Returns this thread's solver."""
    if not hasattr(_solvers, "solver"):
        _solvers.solver = kernel.Solver(MEMORY)
    solver: kernel.Solver = _solvers.solver
    return solver


def solver_of(rules: RuleSet) -> exact.Solver:
    """Returns this thread's solver for the rules."""
    return kept(exact.Solver, rules)


def kept(kind: Callable[[RuleSet, int], _Search], rules: RuleSet) -> _Search:
    """Returns this thread's search of a kind for the rules: the one used last, or a new one."""
    name = str(kind)
    last: tuple[RuleSet, _Search] | None = getattr(_solvers, name, None)
    if last is None or last[0] != rules:
        last = rules, kind(rules, MEMORY)
        setattr(_solvers, name, last)
    return last[1]


def _taken_up(position: Position, rules: RuleSet) -> exact.Solver:
    """Returns the solver for the rules with the position taken up."""
    solver = solver_of(rules)
    asked = _Asked.of(position)
    solver.begin(asked.hands, asked.trump, asked.leader, NOBODY, NOBODY, asked.table, *position.taken)
    return solver


def _taken_up_deal(deal: Deal) -> exact.Solver:
    """Returns the solver for the deal's rules with the deal taken up; raises an error unless it is played."""
    if deal.phase == "over":
        raise UsageError("the deal is over: there is nothing left to solve")
    if deal.phase == "call":
        raise UsageError("trump is not set yet in this deal: solve it once the call is complete")
    solver = solver_of(deal.rules)
    solver.place(
        np.array([[int(card) for card in hand] for hand in deal.dealt], np.uint8),
        np.array([word_code(word) for word in deal.words], np.uint8),
        NOBODY if deal.claimer is None else deal.claimer,
        np.array([_action(play) for play in deal.plays], np.uint8),
    )
    return solver


def _action(play: Play | str) -> int:
    return int(play) if isinstance(play, Card) else SHOW


def _solve_deal(deal: Deal) -> Solution:
    solver = _taken_up_deal(deal)
    whole, side = len(deal.dealt[0]) == FULL_HAND, deal.turn % 2
    plays: list[tuple[Play, ...]] = list(equal_plays(deal))
    if deal.can_reveal:
        plays.append((REVEAL,))
    tens = deal.rules.objective is Objective.TENS
    guess = deal.taken[side] + (FULL_HAND - deal.trick_number + deal.pile + 2) // 2
    values = []
    for equals in plays:
        solver.act(_action(equals[0]))
        guess = solver.most_tricks(side, guess)
        ahead = solver.outcome()[2] * (1 if side == 0 else -1) if whole else None
        more_tens = solver.most_tens(side) - deal.tens[side] if tens else None
        values += [CardValue(play, guess - deal.taken[side], equals, ahead, more_tens) for play in equals]
        solver.back()
    return Solution(deal, _best_first(values), *(_named(solver) if whole else (None, None)))


def _best_first(values: list[CardValue]) -> tuple[CardValue, ...]:
    return tuple(sorted(values, key=lambda value: (-(value.points or 0), -(value.tens or 0), -value.tricks)))


def _ask_deal(deal: Deal, question: DealQuestion) -> int:
    whole, side = len(deal.dealt[0]) == FULL_HAND, deal.turn % 2
    solver = _taken_up_deal(deal)
    _check_whole(question, FULL_HAND if whole else len(deal.dealt[0]))
    if question == "kot":
        _check_sweep(deal.rules)
    return _ask_state(solver, question, side, deal.taken[side], FULL_HAND - deal.trick_number + 1 + deal.pile)


def _ask_state(
    solver: exact.Solver, question: DealQuestion, side: int, taken: int, left: int
) -> int:
    if question == "tricks":
        return solver.most_tricks(side, taken + (left + 2) // 2) - taken
    if question == "kot":
        return int(solver.can_sweep(side))
    return int(solver.can_take(side, _NEEDS[question][0]))


def _best_line_of_deal(deal: Deal) -> Iterator[Play]:
    """Iterates over one line of best play: for points in a whole deal, then for tens and tricks."""
    deal = deal.copy()
    solver = _taken_up_deal(deal)
    worth = solver.worth(len(deal.dealt[0]) == FULL_HAND)
    while deal.phase == "play":
        plays: list[Play] = [*sorted(deal.legal_cards(), key=lambda card: card.rank)]
        if deal.can_reveal:
            plays.append(REVEAL)
        for play in plays:
            solver.act(_action(play))
            # The side of the seat keeps what it has, or the other side gives nothing away.
            callers = deal.turn % 2 == 0
            if len(plays) == 1 or solver.reaches(worth if callers else worth + 1) == callers:
                break
            solver.back()
        yield play
        if isinstance(play, Card):
            deal.play(play)
        else:
            deal.reveal()


def _card_values_by_rules(position: Position, rules: RuleSet) -> tuple[CardValue, ...]:
    """Returns what each card is worth under rules, its points too if the deal is whole."""
    side, whole = position.turn % 2, sum(position.taken) + position.tricks_left == FULL_HAND
    known = {} if _needs_state(rules, position) else {v.card: v.tricks for v in _card_values(position)}
    tens = rules.objective is Objective.TENS
    solver = _taken_up(position, rules)
    guess, values = position.taken[side] + (position.tricks_left + 1) // 2, []
    for equals in _equal_cards(position, _special_cards(rules)):
        solver.act(int(equals[0]))
        guess = known[equals[0]] + position.taken[side] if known else solver.most_tricks(side, guess)
        ahead = solver.outcome()[2] * (1 if side == 0 else -1) if whole else None
        more_tens = solver.most_tens(side) if tens else None
        values += [CardValue(card, guess - position.taken[side], equals, ahead, more_tens) for card in equals]
        solver.back()
    return _best_first(values)


def _mask(cards: Sequence[Card]) -> int:
    return sum(1 << card for card in cards)


class _Asked(NamedTuple):
    """A position as the kernel takes it."""

    hands: NDArray[np.uint64]
    table: NDArray[np.uint8]
    trump: int
    leader: int

    @classmethod
    def of(cls, position: Position) -> Self:
        return cls(
            np.array([_mask(hand) for hand in position.hands], np.uint64),
            np.array(position.trick, np.uint8),
            NO_TRUMP if position.trump is None else int(position.trump),
            position.leader,
        )


def _can(position: Position, side: int, need: int, *, in_a_row: bool = False) -> bool:
    """Returns whether a side can take so many of the tricks left, or so many before it loses one."""
    if position.tricks_left == 0 or need <= 0:
        return need <= 0
    return _solver().can(*_Asked.of(position), side, need, in_a_row=in_a_row)


def _most(position: Position, side: int, guess: int) -> int:
    if position.tricks_left == 0:
        return 0
    return _solver().most_from(*_Asked.of(position), side, guess)


def _card_values(position: Position) -> tuple[CardValue, ...]:
    side = position.turn % 2
    guess = (position.tricks_left + 1) // 2
    values = []
    for equals in _equal_cards(position):
        following = position.after(equals[0])
        taken = following.taken[side] - position.taken[side]
        guess = taken + _most(following, side, guess - taken)
        values += [CardValue(card, guess, equals) for card in equals]
    return tuple(sorted(values, key=lambda value: -value.tricks))


def _equal_cards(position: Position, special: frozenset[Card] = frozenset()) -> Iterator[tuple[Card, ...]]:
    """Iterates over the legal cards in groups that are the same in play; a special card equals none."""
    hands = position.hands
    others = {*position.trick, *(c for seat, hand in enumerate(hands) if seat != position.turn for c in hand)}
    return _equals_among(position.legal_cards(), others, special)


def equal_plays(deal: Deal) -> Iterator[tuple[Card, ...]]:
    """Iterates over the legal cards of a deal in groups that are the same in play."""
    others = {*deal.trick, *(c for seat, hand in enumerate(deal.hands) if seat != deal.turn for c in hand)}
    if deal.hidden_card is not None and deal.hider != deal.turn:
        others.add(deal.hidden_card)
    cards = sorted(deal.legal_cards(), reverse=True)
    return _equals_among(cards, others, _special_cards(deal.rules))


def _equals_among(
    cards: Sequence[Card], others: set[Card], special: frozenset[Card]
) -> Iterator[tuple[Card, ...]]:
    """Iterates over cards of one hand, from the highest, in groups with none of the others between."""
    group: list[Card] = []
    for card in cards:
        if card in special:
            yield (card,)
            continue
        if group and (
            group[-1].suit is not card.suit or any(Card(c) in others for c in range(card, group[-1]))
        ):
            yield tuple(group)
            group = []
        group.append(card)
    if group:
        yield tuple(group)


def _special_cards(rules: RuleSet) -> frozenset[Card]:
    """Returns the cards that count for more than their rank: tens, and aces that may refuse a pick-up."""
    aces = rules.collection is Collection.PILE and not {PileBlock.ACE_ON_ACE, PileBlock.TRUMP_ACE}.isdisjoint(
        rules.pile_blocks
    )
    tens = TENS if rules.objective is Objective.TENS else ()
    return frozenset([*tens, *(card for card in PACK if aces and card.rank == ACE)])


def _best_line(position: Position, tricks: int) -> Iterator[Card]:
    side = position.turn % 2
    target = position.taken[side] + tricks
    while position.tricks_left:
        for card in reversed(position.legal_cards()):
            following = position.after(card)
            more = target - following.taken[side]
            # The side keeps its tricks, or the other side gives away none.
            if position.turn % 2 == side:
                keeps = _can(following, side, more)
            else:
                keeps = not _can(following, side, more + 1)
            if keeps:
                yield card
                position = following
                break


_ORDER = tuple(Outcome)


def _named(solver: exact.Solver) -> tuple[Outcome, int]:
    """Returns how the whole deal taken up ends when both sides play for points, and the side that wins it."""
    outcome, winner, _ = solver.outcome()
    return _ORDER[outcome], winner


def _outcome(position: Position, rules: RuleSet) -> tuple[Outcome, int] | tuple[None, None]:
    """Returns how the deal ends, and who wins; None for an ending that nobody remembers."""
    if sum(position.taken) + position.tricks_left != FULL_HAND:
        return None, None
    return _named(_taken_up(position, rules))


def solve_many(
    hands: ArrayLike,
    trumps: ArrayLike,
    leaders: ArrayLike = 0,
    *,
    question: Question = "tricks",
    memory: int = MEMORY,
    jobs: int = 1,
) -> NDArray[np.int8]:
    """Returns one answer a deal, for the leader's side.

    `hands` is an (n, 4) array of masks with bit `1 << card`, or an (n, 4, cards) array of card numbers;
    `trumps` holds suits, 255 for none; `leaders` seats.  Questions: `tricks`, the most it can take;
    `seven`, whether it can take seven; `kot`, whether it can take the first seven (S0.38); `thirteen`.
    The table takes at most `memory` bytes in each of `jobs` threads.
    """
    masks = _read_masks(hands)
    deals = len(masks)
    trump = _column(trumps, deals, "trumps", (*range(4), NO_TRUMP))
    leader = _column(leaders, deals, "leaders", range(4))
    if question != "tricks" and question not in _NEEDS:
        raise UsageError(f'there is no question "{question}": ask for tricks, {", ".join(_NEEDS)}')
    out = np.zeros(deals, np.int8)

    def answer(part: slice) -> None:
        solver = kernel.Solver(memory)
        if question == "tricks":
            solver.most(masks[part], trump[part], leader[part], out[part])
        else:
            need, in_a_row = _NEEDS[question]
            needs = np.full(len(out[part]), need, np.uint8)
            solver.at_least(masks[part], trump[part], leader[part], needs, out[part], in_a_row=in_a_row)

    _in_parts(answer, deals, jobs)
    return out


OUTCOMES = np.dtype([("outcome", "u1"), ("winner", "u1")])  # numbers of Outcome and of the side that won


def solve_outcomes(
    rules: RulesSpec,
    hands: ArrayLike,
    trumps: ArrayLike,
    leaders: ArrayLike = 0,
    *,
    hidden: ArrayLike | None = None,
    memory: int = MEMORY,
    jobs: int = 1,
) -> NDArray[np.void]:
    """Returns how each of many whole deals ends when all four play for points with open cards.

    `hands` is an (n, 4) array of masks with bit `1 << card`, or an (n, 4, 13) array of card numbers, by
    seat from eldest; `trumps` holds suits, 255 where trump is not set yet; `leaders` the seats that lead the
    first trick; `hidden`, an (n, 2) array, the seat that hides trump and its face-down card, one of its 13.
    The answer has the fields `outcome`, a position in `list(Outcome)`, and `winner`, 0 for the caller's side
    {0, 2}.  Of outcomes that score the same each side prefers the greater for itself: a win to a loss, a kot
    to a win.  The table takes at most `memory` bytes in each of `jobs` threads.
    """
    ruleset = resolve(rules)
    masks = _read_masks(hands)
    deals = len(masks)
    if deals and int(masks[0, 0]).bit_count() != FULL_HAND:
        raise CardError(f"an outcome is of whole deals, {FULL_HAND} cards a seat")
    suits: tuple[int, ...] = tuple(range(4))
    if ruleset.trump is Trump.FIRST_VOID:
        suits += (NO_TRUMP,)
    elif hidden is not None:
        suits = (NO_TRUMP,)
    trump = _column(trumps, deals, "trumps", suits)
    leader = _column(leaders, deals, "leaders", range(4))
    laid = _read_hidden(hidden, masks, ruleset)
    out = np.zeros(deals, OUTCOMES)

    def answer(part: slice) -> None:
        solver = exact.Solver(ruleset, memory)
        rows = out[part].view(np.uint8).reshape(-1, 2)
        solver.outcomes(masks[part], trump[part], leader[part], laid[part], rows)

    _in_parts(answer, deals, jobs)
    return out


def _read_hidden(hidden: ArrayLike | None, masks: NDArray[np.uint64], rules: RuleSet) -> NDArray[np.uint8]:
    """Returns the hider and the face-down card of each deal, 255 where there is none."""
    deals = len(masks)
    if hidden is None:
        return np.full((deals, 2), NOBODY, np.uint8)
    if rules.trump is not Trump.HIDDEN:
        raise UsageError(f"trump={rules.trump} knows no hidden card: leave out hidden")
    given = np.asarray(hidden)
    if given.dtype.kind not in "iu" or given.shape != (deals, 2):
        raise UsageError(f"hidden has a seat and a card for each of the {deals} deals")
    if deals and not (given.min() >= 0 and given[:, 0].max() < 4 and given[:, 1].max() < 52):
        raise UsageError("hidden has seats from 0 to 3 and cards from 0 to 51")
    held = masks[np.arange(deals), given[:, 0]] >> given[:, 1].astype(np.uint64) & np.uint64(1)
    if not held.all():
        bad = int(np.nonzero(held == 0)[0][0])
        raise CardError(f"deal {bad}: seat {given[bad, 0]} does not hold {Card(given[bad, 1])}")
    return np.ascontiguousarray(given.astype(np.uint8))


FASTEST_OUTCOME = 0.002  # seconds
_SLOWEST_OUTCOME = 1.2


def outcome_seconds(rules: RuleSet) -> float:
    """Returns about how long one core takes over one outcome of `solve_outcomes`: measured, on average.

    Half of the deals take a tenth of it, and a few of them ten times as long.
    """
    hidden, pile = rules.trump is Trump.HIDDEN, rules.collection is Collection.PILE
    if rules.objective is Objective.TENS:
        return 1.5 if pile else 0.35 if hidden else 0.2
    if pile:
        aces = not {PileBlock.ACE_ON_ACE, PileBlock.TRUMP_ACE}.isdisjoint(rules.pile_blocks)
        return 1.1 if aces else 0.15
    return 0.05 if hidden else FASTEST_OUTCOME


def check_outcomes(rules: RuleSet) -> None:
    """Raises UsageError where `solve_outcomes` takes too long for thousands of deals."""
    seconds = outcome_seconds(rules)
    if seconds > _SLOWEST_OUTCOME:
        raise UsageError(
            f"exact outcomes take about {seconds:g} seconds a deal, and up to a minute, where objective=tens "
            "and collection=pile"
        )


def certain_claims(
    hands: ArrayLike, trumps: ArrayLike, leaders: ArrayLike = 0, *, memory: int = MEMORY
) -> NDArray[np.uint8]:
    """Returns for each whole deal the side that takes all thirteen tricks against any defence, 255 for none.

    A claim of all thirteen by that side (S4.32) is certain when all four hands are open.  The arguments are
    those of `solve_many`.
    """
    masks = _read_masks(hands)
    deals = len(masks)
    if deals and int(masks[0, 0]).bit_count() != FULL_HAND:
        raise CardError(f"a claim of all thirteen is of whole deals, {FULL_HAND} cards a seat")
    trump = _column(trumps, deals, "trumps", (*range(4), NO_TRUMP))
    leader = _column(leaders, deals, "leaders", range(4))
    solver = kernel.Solver(memory)
    takes_all, takes_one = np.zeros((2, deals), np.int8)
    for need, out in ((FULL_HAND, takes_all), (1, takes_one)):
        solver.at_least(masks, trump, leader, np.full(deals, need, np.uint8), out)
    sides = leader % 2
    return np.where(takes_all == 1, sides, np.where(takes_one == 0, 1 - sides, NO_SIDE)).astype(np.uint8)




def _in_parts(answer: Callable[[slice], None], deals: int, jobs: int) -> None:
    """Calls `answer` for all of the deals, in parts on as many threads as there are jobs."""
    if jobs == 1 or deals < 2:
        answer(slice(0, deals))
        return

    from joblib import Parallel, delayed

    size = max(1, deals // (8 * jobs))
    parts = [slice(start, start + size) for start in range(0, deals, size)]
    Parallel(n_jobs=jobs, prefer="threads")(delayed(answer)(part) for part in parts)


def _read_masks(hands: ArrayLike) -> NDArray[np.uint64]:
    given = np.asarray(hands)
    if given.ndim == 3 and given.shape[1] == 4 and given.dtype.kind in "iu":
        if given.size and not 0 <= given.min() <= given.max() < 52:
            raise CardError("card numbers go from 0 to 51")
        bits = np.uint64(1) << given.astype(np.uint64)
        masks = np.bitwise_or.reduce(bits, axis=2, initial=0)
        if (np.bitwise_count(masks) != given.shape[2]).any():
            raise CardError("a hand holds a card twice")
    elif given.ndim == 2 and given.shape[1] == 4 and given.dtype.kind in "iu":
        masks = given.astype(np.uint64)
    else:
        raise CardError(f"hands are an (n, 4) array of masks or an (n, 4, cards) array, not {given.shape}")
    counts = np.bitwise_count(masks).astype(np.int64)
    if (masks >> np.uint64(52)).any():
        raise CardError("a mask of cards has bits 0 to 51 only")
    if (counts != counts[:, :1]).any():
        bad = int(np.nonzero((counts != counts[:, :1]).any(axis=1))[0][0])
        raise CardError(
            f"deal {bad}: the hands hold {counts[bad].tolist()} cards: every seat must have as many"
        )
    if (counts[:, 0] == 0).any():
        raise CardError("a deal has at least one card a seat")
    whole = np.bitwise_count(np.bitwise_or.reduce(masks, axis=1)).astype(np.int64)
    if (whole != counts.sum(axis=1)).any():
        bad = int(np.nonzero(whole != counts.sum(axis=1))[0][0])
        raise CardError(f"deal {bad}: a card is in two hands")
    return np.ascontiguousarray(masks)


def _column(values: ArrayLike, deals: int, name: str, known: Sequence[int]) -> NDArray[np.uint8]:
    given = np.asarray(values)
    if given.dtype.kind not in "iu" or given.ndim > 1 or (given.ndim == 1 and len(given) != deals):
        raise UsageError(f"{name} are one number, or one for each of the {deals} deals")
    if not np.isin(given, np.array(known)).all():
        raise UsageError(f"{name} are {', '.join(map(str, known))}, nothing else")
    return np.ascontiguousarray(np.broadcast_to(given, deals).astype(np.uint8))
