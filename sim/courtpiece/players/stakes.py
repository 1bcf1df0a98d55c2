"""What the end of a deal is worth: its points, or the chance to win the match that comes with it."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from courtpiece.errors import UsageError
from courtpiece.match import Match
from courtpiece.rules import Outcome, RuleSet

OUTCOMES = tuple(Outcome)
_DEALS = 20_000                         # deals of four greedy players that tell how often each outcome comes
MOST_STATES = 20_000                    # of a match, by score, streak and caller


def point_worths(rules: RuleSet, side: int) -> NDArray[np.float64]:
    """Returns what each outcome is worth to a side in points, (10, 2): won by it, and by the other side."""
    ours, theirs = side == 0, side == 1
    return np.array(
        [[rules.score_of(outcome, ours), -rules.score_of(outcome, theirs)] for outcome in OUTCOMES], float
    )


def match_worths(
    rules: RuleSet, side: int, score: tuple[int, int], streaks: tuple[int, int]
) -> NDArray[np.float64]:
    """Returns the chance of a side to win the match after each outcome, as `point_worths` does.

    score    what the callers of this deal and the others have
    streaks  deals that each of them has won in a row

    It is the exact chance of a Markov chain over score, caller and streak, if the deals to come go as for
    four `greedy` players, 20,000 of which are played.  Raises `UsageError` for rules without a target.
    """
    if rules.target is None:
        raise UsageError("objective=match needs rules with a target: these go on without end")
    state = _State(*score, *streaks)
    worths = np.zeros((len(OUTCOMES), 2))
    for row, outcome in enumerate(OUTCOMES):
        for column, winner in enumerate((side, 1 - side)):
            chance = _after(rules, state, outcome, winner)
            worths[row, column] = chance if side == 0 else 1 - chance
    return worths


def fresh_deal(rules: RuleSet, worths: NDArray[np.float64], side: int) -> float:
    """Returns what a new deal with the same callers is worth to a side, if four `greedy` players play it."""
    chances = _outcome_chances(rules)
    return float(sum(chances[:, winner] @ worths[:, winner ^ side] for winner in (0, 1)))


@lru_cache(maxsize=64)
def _outcome_chances(rules: RuleSet) -> NDArray[np.float64]:
    """Returns how often four greedy players end a deal so, by outcome and winner, but for redeals."""
    from courtpiece.table import Table

    results = Table(rules, "greedy").play(0, 0, _DEALS)
    counts = np.zeros((len(OUTCOMES), 2))
    over = results["winner"] < 2
    np.add.at(counts, (results["outcome"][over], results["winner"][over]), 1)
    chances: NDArray[np.float64] = counts / counts.sum()
    return chances


class _State(NamedTuple):
    """A match before a deal: scores and deals won in a row, of the side that calls and of the other."""

    callers: int
    others: int
    callers_run: int
    others_run: int


def _after(rules: RuleSet, state: _State, outcome: Outcome, winner: int) -> float:
    """Returns the chance to win the match of the side that called, once a deal has ended so."""
    following, chance = _step(rules, state, outcome, winner)
    if following is None:
        return chance
    won = _chances(rules, state).get(following, 0.5)
    return won if chance else 1 - won


def _step(rules: RuleSet, state: _State, outcome: Outcome, winner: int) -> tuple[_State | None, float]:
    """Returns what comes after a deal, and 1.0 when the side that called calls again; None: who has won."""
    match = Match(rules, dealer=3)
    match.score = [state.callers, state.others]
    match.streaks = [state.callers_run, state.others_run]
    match.add(outcome, winner)
    if match.winner is not None:
        return None, float(match.winner == 0)
    caller = match.eldest % 2
    return _State(*_from(match.score, caller), *_from(match.streaks, caller)), float(caller == 0)


def _from(pair: list[int], side: int) -> tuple[int, int]:
    return pair[side], pair[1 - side]


@lru_cache(maxsize=256)
def _chances(rules: RuleSet, start: _State) -> dict[_State, float]:
    """Returns the chance of the side that calls to win the match, from each state from `start` on."""
    odds = [
        (outcome, winner, chance)
        for row, outcome in enumerate(OUTCOMES)
        for winner in (0, 1)
        if (chance := float(_outcome_chances(rules)[row, winner]))
    ]
    steps: dict[_State, list[tuple[float, _State | None, float]]] = {}
    waiting = [start]
    while waiting:
        state = waiting.pop()
        if state in steps:
            continue
        if len(steps) == MOST_STATES:
            raise UsageError(
                f"objective=match is worked out for up to {MOST_STATES} scores: this target has more"
            )
        steps[state] = [(chance, *_step(rules, state, outcome, winner)) for outcome, winner, chance in odds]
        waiting += [following for _, following, _ in steps[state] if following is not None]
    chances = dict.fromkeys(steps, 0.5)
    # From high scores to low, and again while deals that score nothing lead back to states not yet settled.
    order = sorted(steps, key=lambda state: -(state.callers + state.others))
    change = 1.0
    while change > 1e-12:
        change = 0.0
        for state in order:
            chance = 0.0
            for weight, following, same in steps[state]:
                won = same if following is None else chances[following]
                chance += weight * (won if following is None or same else 1 - won)
            change = max(change, abs(chance - chances[state]))
            chances[state] = chance
    return chances
