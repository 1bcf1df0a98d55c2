"""Exact answers: what comes of a position when all four hands are open and everybody plays perfectly.

Trump is fixed.  Seats are numbers in the order of play; sides are {0, 2} and {1, 3}.  `solve` answers one
position card by card, `solve_many` answers one question about many deals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from threading import local
from typing import Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from courtpiece._kernel import solver as kernel
from courtpiece.cards import Card, Suit, format_cards, parse_cards
from courtpiece.deal import FULL_HAND, MAJORITY, Deal, winning_position
from courtpiece.errors import CardError, UsageError
from courtpiece.rules import Collection, Kot, Objective, Outcome, RuleSet, RulesSpec, Trump, resolve

Hand = str | Sequence[Card]
Hands = str | Sequence[Hand]
Question = Literal["tricks", "seven", "kot", "thirteen"]
DealQuestion = Literal["tricks", "seven", "kot", "thirteen", "outcome"]

MEMORY = 64 << 20  # bytes of a solver's table
NO_TRUMP = 255
NO_SIDE = 255

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
        seen: set[Card] = set()
        for card in (*self.trick, *(card for hand in self.hands for card in hand)):
            if card in seen:
                raise CardError(f"{card} is there twice")
            seen.add(card)
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

    @classmethod
    def of(cls, deal: Deal) -> Self:
        """Returns the position of a deal under way whose trump is known; seat 0 is eldest."""
        if deal.phase == "over":
            raise UsageError("the deal is over: there is nothing left to solve")
        if deal.phase == "call" or deal.trump is None or deal.hidden_card is not None:
            raise UsageError("trump is not set yet in this deal: solve it once trump is called or shown")
        position = cls(
            hands=tuple(_read_hand(hand) for hand in deal.hands),
            trump=deal.trump,
            leader=deal.leader,
            trick=tuple(deal.trick),
            taken=(deal.taken[0], deal.taken[1]),
        )
        # Trump counts from the moment it is shown (S0.57, A30), and who asked for it may owe one (S0.55).
        counted = winning_position(deal.trick, deal.trump, deal._trump_from) if deal.trick else 0
        if set(position.legal_cards()) != set(deal.legal_cards()) or (
            deal.trick and counted != winning_position(deal.trick, deal.trump)
        ):
            raise UsageError(
                "trump was shown within this trick, which not all of its cards obey: solve the next trick"
            )
        return position

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
    """What one card is worth to the seat to play."""

    card: Card
    tricks: int  # the most tricks its side takes from here on after the card, this trick included
    equals: tuple[Card, ...]  # legal cards that are the same in play: nothing but gone cards between


@dataclass(frozen=True)
class Solution:
    """The exact answers to one position."""

    position: Position
    cards: tuple[CardValue, ...]  # every legal card, the best first
    outcome: Outcome | None  # how the deal ends when both sides play for points; None without rules

    @property
    def tricks(self) -> int:
        """The most tricks that the side of the seat to play can take from here on, this trick included."""
        return self.cards[0].tricks

    @cached_property
    def line(self) -> tuple[Card, ...]:
        """The cards of one way of best play for tricks, to the end of the deal."""
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

    `position` is a `Position`, a `Deal` whose trump is known (its rules count), or four hands in the order
    of play: "AK5.2..9 …" in one line or four, or sequences of cards.  The other arguments belong to four
    hands; see `Position`.  Seats 0 and 2 are the caller's side.

    >>> solve("A2... K3... Q4... J5...", trump="S").tricks
    1
    """
    if isinstance(position, Deal):
        rules = position.rules if rules is None else rules
        found = Position.of(position)
    elif isinstance(position, Position):
        found = position
    else:
        found = _read_position(position, trump, leader, trick, taken)
    if found.tricks_left == 0:
        raise CardError("the hands hold no cards: there is nothing to solve")
    ruleset = None if rules is None else resolve(rules)
    if ruleset is not None:
        _check_rules(ruleset, found)
    return Solution(found, _card_values(found), None if ruleset is None else _outcome(found, ruleset))


def ask(position: Position, question: DealQuestion, *, rules: RuleSet | None = None) -> int | Outcome:
    """Returns the answer to one question about the side of the seat to play; 1 and 0 for yes and no.

    The questions are those of `solve_many`, and `outcome`: how the deal ends when both sides play for the
    points of the rules.  All but `tricks` are about a whole deal, whatever has been played of it.
    """
    check_question(position, question, rules)
    side = position.turn % 2
    if question == "tricks":
        return _most(position, side, (position.tricks_left + 2) // 2)
    if question == "outcome":
        assert rules is not None
        outcome = _outcome(position, rules)
        assert outcome is not None
        return outcome
    need, in_a_row = _NEEDS[question]
    if in_a_row and position.taken[1 - side]:
        return 0
    return int(_can(position, side, need - position.taken[side], in_a_row=in_a_row))


def check_question(position: Position, question: DealQuestion, rules: RuleSet | None = None) -> None:
    """Raises an error unless `ask` can answer."""
    left = position.tricks_left
    if left == 0:
        raise CardError("the hands hold no cards: there is nothing to solve")
    if rules is not None:
        _check_rules(rules, position)
    if question != "tricks" and sum(position.taken) + left != FULL_HAND:
        raise UsageError(
            f"{question} is asked of whole deals, {FULL_HAND} cards a seat; ask {left} for tricks"
        )
    if question == "outcome":
        if rules is None:
            raise UsageError("an outcome needs rules whose score counts")
        _check_score(rules)


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
    if position.trump is None and rules.trump is not Trump.FIRST_VOID:
        raise UsageError(f"trump={rules.trump} always has a trump: give one of S, H, D, C")
    if position.trump is None:
        raise UsageError("trump=first-void is not set yet here: exact answers need the trump suit")


_solvers = local()


def _solver() -> kernel.Solver:
    """Returns this thread's solver."""
    if not hasattr(_solvers, "solver"):
        _solvers.solver = kernel.Solver(MEMORY)
    solver: kernel.Solver = _solvers.solver
    return solver


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


def _equal_cards(position: Position) -> Iterator[tuple[Card, ...]]:
    """Iterates over the legal cards in groups that are the same in play."""
    seat = position.turn
    others = {
        *position.trick,
        *(card for other, hand in enumerate(position.hands) if other != seat for card in hand),
    }
    group: list[Card] = []
    for card in position.legal_cards():
        if group and (
            group[-1].suit is not card.suit or any(Card(c) in others for c in range(card, group[-1]))
        ):
            yield tuple(group)
            group = []
        group.append(card)
    if group:
        yield tuple(group)


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


_WINS = (Outcome.CALLER_WIN, Outcome.DEFENDER_WIN)
_KOTS = (Outcome.CALLER_KOT, Outcome.DEFENDER_KOT)


def _check_score(rules: RuleSet) -> None:
    """Raises an error unless the outcomes are those that `_outcome` asks for, in its order."""
    if rules.collection is Collection.PILE or rules.objective is Objective.TENS:
        raise UsageError(
            "exact outcomes are for tricks that count at once: not for collection=pile or objective=tens"
        )
    for side in (0, 1):
        if rules.score_of(_KOTS[side], side == 0) < rules.score_of(_WINS[side], side == 0):
            raise UsageError("exact outcomes need a kot that scores at least as much as a plain win")


def _outcome(position: Position, rules: RuleSet) -> Outcome | None:
    """Returns how the deal ends when both sides play for points: the few outcomes, asked from the best."""
    _check_score(rules)
    left = position.tricks_left
    if sum(position.taken) + left != FULL_HAND:
        return None  # an ending that nobody remembers has no outcome

    def can_kot(side: int) -> bool:
        if rules.kot is Kot.NONE or position.taken[1 - side]:
            return False
        if rules.kot is Kot.ALL_THIRTEEN:
            return _can(position, side, left)
        return _can(position, side, MAJORITY - position.taken[side], in_a_row=True)

    if can_kot(0):
        return _KOTS[0]
    if _can(position, 0, MAJORITY - position.taken[0]):
        return _WINS[0]
    return _KOTS[1] if can_kot(1) else _WINS[1]


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
    first trick; `hidden`, an (n, 2) array, who hides trump and his face-down card.  The answer has the
    fields `outcome`, a position in `list(Outcome)`, and `winner`, 0 for the caller's side {0, 2}.  The table
    takes at most `memory` bytes in each of `jobs` threads.
    """
    ruleset = resolve(rules)
    masks = _read_masks(hands)
    deals = len(masks)
    if deals and int(masks[0, 0]).bit_count() != FULL_HAND:
        raise CardError(f"an outcome is of whole deals, {FULL_HAND} cards a seat")
    check_outcomes(ruleset)
    if hidden is not None:
        raise UsageError("trump=called hides no card")
    trump = _column(trumps, deals, "trumps", range(4))
    leader = _column(leaders, deals, "leaders", range(4))
    out = np.zeros(deals, OUTCOMES)
    order = list(Outcome)

    def answer(part: slice) -> None:
        solver = kernel.Solver(memory)
        none = np.zeros(0, np.uint8)
        for deal in range(*part.indices(deals)):
            asked = _Asked(masks[deal], none, int(trump[deal]), int(leader[deal]))
            outcome = _outcome_of(ruleset, partial(solver.can, *asked))
            out[deal] = order.index(outcome), int(outcome in (Outcome.DEFENDER_WIN, Outcome.DEFENDER_KOT))

    _in_parts(answer, deals, jobs)
    return out


def check_outcomes(rules: RuleSet) -> None:
    """Raises UsageError unless `solve_outcomes` can answer under these rules, well within a second a deal."""
    if rules.trump is not Trump.CALLED:
        raise UsageError(f"outcomes of many deals need trump=called, not {rules.trump}")
    _check_score(rules)


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


def _outcome_of(rules: RuleSet, can: Callable[..., bool]) -> Outcome:
    """Returns how a whole deal ends: the few outcomes, asked from the best."""

    def can_kot(side: int) -> bool:
        if rules.kot is Kot.NONE:
            return False
        need, in_a_row = _NEEDS["kot" if rules.kot is Kot.FIRST_SEVEN else "thirteen"]
        return can(side, need, in_a_row=in_a_row)

    if can_kot(0):
        return _KOTS[0]
    if can(0, MAJORITY):
        return _WINS[0]
    return _KOTS[1] if can_kot(1) else _WINS[1]


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
