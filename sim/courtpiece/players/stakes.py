"""What the end of a deal is worth: its points, or the chance to win the match that comes with it."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from courtpiece.chain import Chain, State, after
from courtpiece.errors import UsageError
from courtpiece.rules import Outcome, RuleSet

OUTCOMES = tuple(Outcome)
_DEALS = 20_000                         # deals of four greedy players that tell how often each outcome comes


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
    state = State(score, streaks)
    won = _chances(rules, state)
    worths = np.zeros((len(OUTCOMES), 2))
    for row, outcome in enumerate(OUTCOMES):
        for column, winner in enumerate((side, 1 - side)):
            following = after(rules, state, (outcome, winner))
            chance = 1.0 - following if isinstance(following, int) else won.get(following, 0.5)
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


@lru_cache(maxsize=256)
def _chances(rules: RuleSet, start: State) -> dict[State, float]:
    """Returns the chance of side 0 to win, from each state from `start` on; none if matches never end."""
    chances = _outcome_chances(rules)
    places = [(row, winner) for row, winner in np.argwhere(chances).tolist()]
    chain = Chain(rules, [(OUTCOMES[row], winner) for row, winner in places], [start])
    try:
        won = chain.odds(np.array([chances[place] for place in places])).won
    except UsageError:
        return {}
    return dict(zip(chain.states, won.tolist(), strict=True))
