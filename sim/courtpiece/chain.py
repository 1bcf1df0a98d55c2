"""A match as a Markov chain: where each result of a deal leads, and what follows from the results' chances.

The state before a deal is the score, how many deals each side has won in a row, and the side that calls.
`Match` says what a result does to it, so that counting, streaks, kots and who calls next are told once.
Given the chance of each result, deals being independent of each other, all that is asked of a match is the
solution of linear equations: nothing is simulated.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from courtpiece.errors import UsageError
from courtpiece.match import Match
from courtpiece.rules import Outcome, RuleSet

if TYPE_CHECKING:
    from scipy.sparse.linalg import SuperLU

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

MOST_STATES = 40_000                    # of a match, by score, streak and caller


class State(NamedTuple):
    """A match before a deal: points of sides 0 and 1, deals each won in a row, and the side that calls."""

    score: tuple[int, int]
    streaks: tuple[int, int] = (0, 0)
    caller: int = 0


Result = tuple[Outcome, int]            # how a deal ends, and who wins it: 0 the caller's side


def after(rules: RuleSet, state: State, result: Result) -> State | int:
    """Returns the state after a deal, or the side that has won the match."""
    match = Match(rules, dealer=(state.caller - 1) % 4)
    match.score, match.streaks = list(state.score), list(state.streaks)
    match.add(*result)
    if match.winner is not None:
        return match.winner
    # Where streaks earn nothing, they make no difference.
    streaks = (match.streaks[0], match.streaks[1]) if rules.streak else (0, 0)
    return State((match.score[0], match.score[1]), streaks, match.eldest % 2)


class Chain:
    """All states that a match can come to from some of them, and what each result leads to.

    states      the states, those with most points first, so that few deals lead back
    following   (states, results) the state that follows, or -1 and -2 where side 0 or 1 has won
    """

    def __init__(self, rules: RuleSet, results: Sequence[Result], starts: Iterable[State]) -> None:
        self.rules, self.results = rules, tuple(results)
        if rules.target is None:
            raise UsageError("a match needs rules with a target: these go on without end")
        leads: dict[State, list[State | int]] = {}
        waiting = list(starts)
        while waiting:
            state = waiting.pop()
            if state in leads:
                continue
            if len(leads) == MOST_STATES:
                raise UsageError(
                    f"a match is worked out for up to {MOST_STATES:,} states: this target has more"
                )
            leads[state] = [after(rules, state, result) for result in self.results]
            waiting += [following for following in leads[state] if isinstance(following, State)]
        self.states = tuple(sorted(leads, key=lambda state: (-sum(state.score), state)))
        self.index = {state: place for place, state in enumerate(self.states)}
        self.following = np.array([
            [-1 - following if isinstance(following, int) else self.index[following]
             for following in leads[state]]
            for state in self.states
        ], np.int64).reshape(len(self.states), len(self.results))

    @cached_property
    def score(self) -> NDArray[np.int64]:
        """What each side has in each state, (states, 2)."""
        return np.array([state.score for state in self.states], np.int64)

    @cached_property
    def caller(self) -> NDArray[np.int64]:
        """The side that calls in each state."""
        return np.array([state.caller for state in self.states], np.int64)

    def odds(self, chances: Floats) -> Odds:
        """Returns the chain with the chances of its results, (results,), or (2, results) by who calls."""
        by_caller = np.broadcast_to(chances, (2, len(self.results)))
        return Odds(self, by_caller[self.caller])


class Odds:
    """A chain whose results have chances."""

    def __init__(self, chain: Chain, weights: Floats) -> None:
        self.chain, self._weights = chain, weights
        within = chain.following >= 0
        self._from, self._result = np.nonzero(within)
        self._to = chain.following[within]
        self._share = weights[within]

    def solve(self, gained: Floats, inside: Flags | None = None) -> Floats:
        """Returns what is gained in all from each state on: `gained` there, and on while the match goes on.

        Only states `inside` count; what leaves them gains nothing more.  0 for the others.
        """
        within = np.ones(len(gained), np.bool_) if inside is None else inside
        return np.asarray(self._factor(within).solve(np.where(within, gained, 0.0)) * within)

    def visits(self, start: int, inside: Flags | None = None) -> Floats:
        """Returns how many deals are begun in each state, on average, from `start` until `inside` is left."""
        within = np.ones(len(self.chain.states), np.bool_) if inside is None else inside
        begun = np.zeros(len(within))
        begun[start] = within[start]
        return np.asarray(self._factor(within, turned=True).solve(begun) * within)

    def wins(self, side: int) -> Floats:
        """Returns the chance that the next deal wins the match for a side, by state."""
        return np.asarray((self._weights * (self.chain.following == -1 - side)).sum(axis=1))

    @cached_property
    def won(self) -> Floats:
        """The chance of side 0 to win the match, by state."""
        return self.solve(self.wins(0))

    def entered(self, start: int, states: Flags) -> Floats:
        """Returns the chance that each of some states is the first of them that a match comes to."""
        if states[start]:
            return np.asarray(np.eye(1, len(states), start)[0])
        flow = self.visits(start, ~states)[self._from] * self._share
        reached = np.bincount(self._to, flow, minlength=len(states))
        return np.asarray(reached * states)

    def _factor(self, within: Flags, *, turned: bool = False) -> SuperLU:
        from scipy.sparse import csc_matrix, identity
        from scipy.sparse.linalg import splu

        both = within[self._from] & within[self._to]
        size = len(within)
        rows, columns = (self._to, self._from) if turned else (self._from, self._to)
        places = rows[both], columns[both]
        steps = csc_matrix((self._share[both], places), shape=(size, size))
        try:
            return splu(
                identity(size, format="csc") - steps, permc_spec="NATURAL", diag_pivot_thresh=0.0,
                options={"SymmetricMode": True},
            )
        except RuntimeError:            # singular: from some state no deal that can come ever ends it
            raise UsageError("such matches never end: no result that came scores a point") from None
