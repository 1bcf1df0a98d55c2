"""Minimax over a compact state: an oracle quick enough for thousands of endings.

It is written from the rules once more and shares nothing with the kernel; tests hold it against `plain`,
which moves the readable engine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from courtpiece.deal import Deal
from courtpiece.rules import (
    BlockedRun,
    Collection,
    DealEnds,
    FailedClaim,
    Kot,
    Objective,
    Outcome,
    PileBlock,
    Reveal,
    RevealScope,
    RuleSet,
    Trump,
)

Pair: TypeAlias = tuple[int, int]
Hands: TypeAlias = tuple[int, ...]

ACE, TEN, LAST = 12, 8, 13
LANE = [0x1FFF << 13 * suit for suit in range(4)]


class Start(NamedTuple):
    """Everything at the start of a trick that the end can depend on."""

    hands: Hands                # masks with bit 13*suit + rank, without the card that lies face down
    down: int | None            # that card
    trump: int | None
    leader: int
    runner: int | None          # whose next win makes a pair (S0.42)
    ace: bool                   # the last trick was won with an ace
    pile: int
    pile_tens: int
    taken: Pair
    tens: Pair
    sides: int                  # bit s: side s has won one of the first seven tricks


class End(NamedTuple):
    """What is told of the end of a deal, under the names that `Deal` has for it."""

    taken: Pair
    tens: Pair
    outcome: Outcome | None     # none of an ending that nobody remembers
    winner: int | None
    points: Pair


class Minimax:
    """What both sides can reach from a deal under way and those after it, by the worth of ends to side 0."""

    def __init__(self, deal: Deal, worth: Callable[[End | Deal], int]) -> None:
        self.rules: RuleSet = deal.rules
        self.hider = deal.hider
        self.claimer = deal.claimer
        self.whole = len(deal.dealt[0]) == LAST
        self.pile = self.rules.collection is Collection.PILE
        self.first_void = self.rules.trump is Trump.FIRST_VOID
        self.worth = worth
        self.least = 0
        self.known: dict[int, dict[Start, bool]] = {}

    def reaches(self, deal: Deal, least: int) -> bool:
        """Returns whether side 0 reaches an end of so much worth."""
        self.least = least
        self.known.setdefault(least, {})
        if deal.phase == "over":
            return self.worth(deal) >= least
        start = Start(
            tuple(sum(1 << card for card in hand) for hand in deal.hands),
            deal.hidden_card, deal.trump, deal.leader, deal._runner if deal._run else None,
            bool(deal.tricks) and deal.tricks[-1].winning_card.rank == ACE,
            deal.pile, deal._pile_tens, _pair(deal.taken), _pair(deal.tens), _sides(deal),
        )  # fmt: skip
        trick = tuple(map(int, deal.trick))
        return self._turn(start, start.hands, start.down, start.trump, trick, deal._trump_from,
                          deal._must_trump)

    def _lead(self, start: Start) -> bool:
        known = self.known[self.least]
        if start not in known:
            if self._over(start):
                known[start] = self.worth(self._end(start)) >= self.least
            else:
                known[start] = self._turn(start, start.hands, start.down, start.trump, (), 0, False)
        return known[start]

    def _over(self, start: Start) -> bool:
        if not any(start.hands) and start.down is None:
            return True
        if not self.whole:
            return False
        if (
            self.claimer is not None
            and self.rules.failed_claim is FailedClaim.DEAL_LOST
            and start.taken[1 - self.claimer % 2]
        ):
            return True                                             # B18
        if self.rules.deal_ends is DealEnds.AFTER_THIRTEEN or max(start.taken) < 7:
            return False
        return self.rules.deal_ends is DealEnds.AT_SEVEN or min(start.taken) > 0

    def _turn(
        self, start: Start, hands: Hands, down: int | None, trump: int | None, trick: tuple[int, ...],
        since: int, owes: bool,
    ) -> bool:
        """`since` is the place in the trick from which trumps count; who `owes` must trump if able."""
        seat = (start.leader + len(trick)) % 4
        led = LANE[trick[0] // 13] if trick else 0
        options = [(hands, down, trump, since, owes)]
        if down is not None:
            assert self.hider is not None
            void = bool(trick) and not hands[seat] & led
            back = hands[self.hider] | 1 << down
            up = (
                (*hands[: self.hider], back, *hands[self.hider + 1 :]), None, down // 13,
                0 if self.rules.reveal_scope is RevealScope.WHOLE_TRICK else len(trick),
                self.rules.revealer_must_trump or not trick,
            )
            first_void = void and self.rules.reveal is Reveal.AT_FIRST_VOID
            if first_void or (seat == self.hider and not hands[seat]):          # S0.79, A37
                options = [up]
            elif void or (not trick and seat == self.hider and self.rules.reveal_on_lead):
                options.append(up)                                  # S0.55, S0.56
        for held, below, suit, counts, debt in options:
            legal = held[seat]
            if legal & led:
                legal &= led                                        # S0.15
            elif debt and suit is not None and legal & LANE[suit]:
                legal &= LANE[suit]                                 # S0.55, S0.80
            while legal:
                card = legal.bit_length() - 1
                legal ^= 1 << card
                left = (*held[:seat], held[seat] ^ 1 << card, *held[seat + 1 :])
                sets_trump = self.first_void and suit is None and led and not 1 << card & led
                shown = card // 13 if sets_trump else suit          # S0.64
                if len(trick) < 3:
                    yes = self._turn(start, left, below, shown, (*trick, card), counts, False)
                else:
                    yes = self._lead(self._closed(start, left, below, shown, (*trick, card), counts))
                if yes == (seat % 2 == 0):
                    return yes
        return seat % 2 == 1

    def _closed(
        self, start: Start, hands: Hands, down: int | None, trump: int | None, trick: tuple[int, ...],
        since: int,
    ) -> Start:
        """Returns the start of the next trick."""
        led = trick[0] // 13
        strengths = [
            card % 13 if card // 13 == led else card % 13 + 13 if card // 13 == trump and at >= since else -1
            for at, card in enumerate(trick)
        ]                                                           # S0.17, A30, A31
        place = strengths.index(max(strengths))
        winner, best = (start.leader + place) % 4, trick[place]
        side = winner % 2
        held = hands[start.leader].bit_count() + (down is not None and self.hider == start.leader)
        number, ace = LAST - held, best % 13 == ACE
        pile, tens = start.pile + 1, start.pile_tens + sum(card % 13 == TEN for card in trick)
        sides = start.sides | 1 << side if number <= 7 else start.sides
        runner: int | None = winner
        picks_up = not self.pile or number == LAST                  # S0.45
        if not picks_up and winner == start.runner:
            if not self._blocked(number, ace and best // 13 == trump, ace and start.ace):
                picks_up, runner = True, None                       # S0.42, A20
            elif self.rules.blocked_run is BlockedRun.RESTARTS:
                runner = None                                       # A22
        if not self.pile:
            runner = None
        taken, got = start.taken, start.tens
        if picks_up:
            taken, got = _more(taken, side, pile), _more(got, side, tens)
            pile = tens = 0
        return Start(hands, down, trump, winner, runner, self.pile and ace, pile, tens, taken, got, sides)

    def _blocked(self, number: int, trump_ace: bool, two_aces: bool) -> bool:
        blocks = self.rules.pile_blocks
        return (
            number in blocks
            or (trump_ace and PileBlock.TRUMP_ACE in blocks)
            or (two_aces and PileBlock.ACE_ON_ACE in blocks)
        )

    def _end(self, start: Start) -> End:
        if not self.whole:
            return End(start.taken, start.tens, None, None, (0, 0))
        outcome, winner = self._outcome(start)
        won = self.rules.score_of(outcome, winner == 0)
        return End(start.taken, start.tens, outcome, winner, (won, 0) if winner == 0 else (0, won))

    def _outcome(self, start: Start) -> tuple[Outcome, int]:
        """Returns how a whole deal has ended, and the side that has won it."""
        taken, tens = start.taken, start.tens
        if self.claimer is not None:
            side = self.claimer % 2
            if taken[side] == LAST:
                return Outcome.CLAIM_MADE, side
            if self.rules.failed_claim is FailedClaim.DEAL_LOST:
                return (Outcome.DEFENDER_WIN, Outcome.CALLER_WIN)[side], 1 - side
        side = int(taken[1] > taken[0])
        if self.rules.objective is Objective.TENS:
            if tens[0] != tens[1]:
                side = int(tens[1] > tens[0])
            rows = {2: Outcome.TWO_TENS, 3: Outcome.THREE_TENS, 4: Outcome.FOUR_TENS}
            return Outcome.WHITEWASH if taken[side] == LAST else rows[tens[side]], side
        swept = start.sides == 1 << side
        if {Kot.FIRST_SEVEN: swept, Kot.ALL_THIRTEEN: taken[side] == LAST, Kot.NONE: False}[self.rules.kot]:
            return (Outcome.CALLER_KOT, Outcome.DEFENDER_KOT)[side], side
        return (Outcome.CALLER_WIN, Outcome.DEFENDER_WIN)[side], side


def _pair(both: list[int]) -> Pair:
    return both[0], both[1]


def _more(both: Pair, side: int, by: int) -> Pair:
    return (both[0] + by, both[1]) if side == 0 else (both[0], both[1] + by)


def _sides(deal: Deal) -> int:
    first = deal.tricks[: max(0, 7 - LAST + len(deal.dealt[0]))]
    return sum({1 << trick.winner % 2 for trick in first})
