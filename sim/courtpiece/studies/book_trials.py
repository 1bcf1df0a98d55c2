"""How far a book's advice holds with other players: the calls of some hands, tried by them on common deals.

Other players may be slow, so that a call is tried on few deals.  The call that looks best on a few deals is
seldom the best, and how far it is ahead is mostly luck.  Two numbers are safe on either side of the regret
of following the book: the best of the calls on the deals that show it (too much), and the best on one half
of the deals, valued on the other half (too little).  Between them stands an estimate by a model of random
effects (R. DerSimonian and N. Laird, "Meta-analysis in clinical trials", 1986): by how much a call is behind
the book's best with these players is a multiple of what it is in the book, and something for passing, and an
effect of its own, normal with a spread that is told by how much more the trials differ than luck explains.
Intervals of what it says are bootstrapped over the hands.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from courtpiece.stats import LEVEL, Floats, Method
from courtpiece.studies.book_hands import Hands, weighted
from courtpiece.studies.book_rows import ROLES, TrumpBookParameters
from courtpiece.studies.estimates import estimate_row

if TYPE_CHECKING:
    import polars as pl

TRIAL_MEASURES = (
    "points_ahead", "margin", "over_longest", "over_strongest", "still_best", "regret", "regret_at_least",
    "regret_at_most", "seems_best", "surely_not", "carries_over", "own_spread",
)
_SHARES = ("seems_best", "surely_not")
_PASS = ROLES.index("pass")
_RESAMPLES = 200
_DRAWS = 400


class Trial(NamedTuple):
    """The calls of some hands as other players made of them: arrays (hands,) or (hands, calls)."""

    weights: Floats                     # hands in the class
    best: NDArray[np.bool_]             # it is the book's best call
    rival: NDArray[np.bool_]            # there is such a call, and it is not the book's best
    second: NDArray[np.bool_]           # it is the book's next best
    in_book: Floats                     # how far it is behind the best there, in points a deal
    passing: Floats                     # 1 for a pass against a suit, -1 for a suit against a pass
    behind: Floats                      # how far it is behind the book's best with these players
    variance: Floats                    # of that mean
    points: Floats                      # its points ahead
    even: Floats                        # … on the even deals
    odd: Floats
    says: Mapping[str, Floats]          # the chance that a built-in caller makes it


def trials(p: TrumpBookParameters, hands: Hands, rows: pl.DataFrame) -> Iterator[dict[str, Any]]:
    """Yields the rows of the table: of the book's own players as a yardstick, then of each of the others."""
    for lineup in p.lineups if p.against else ():
        trial = _trial(hands, type(hands)(rows.filter(players=str(lineup))), p.trials)
        for measure, told in _measures(trial).items():
            yield {"players": str(lineup), "measure": measure, **told}


def _trial(hands: Hands, tried: Hands, deals: int) -> Trial:
    passing = (tried.roles >= _PASS).astype(np.float64) * tried.valid
    best = (tried.rank == 0) & tried.valid
    behind, error = tried.behind
    points, even = tried.spread("points"), tried.spread("even_points")
    halves = (deals + 1) // 2, deals // 2
    return Trial(
        weights=tried.weights,
        best=best,
        rival=tried.valid & ~best,
        second=tried.rank == 1,
        in_book=hands.behind[0],
        passing=passing - (passing * best).sum(axis=1, keepdims=True),
        behind=behind,
        variance=error**2,
        points=points / deals,
        even=even / halves[0],
        odd=(points - even) / halves[1],
        says={policy: tried.calls(policy) for policy in ("longest", "strongest")},
    )


def _measures(trial: Trial) -> dict[str, dict[str, Any]]:
    """Returns the estimates by measure."""
    rival, weights = trial.rival, trial.weights
    behind = np.where(rival, trial.behind, np.inf)
    rivals = rival.sum(axis=1, keepdims=True)
    surely = behind < -_one_sided(1 - (1 - LEVEL) / rivals) * np.sqrt(trial.variance)
    by_hand = {
        "points_ahead": (trial.points * trial.best).sum(axis=1),
        "margin": (trial.behind * trial.second).sum(axis=1),
        "over_longest": (trial.behind * trial.says["longest"]).sum(axis=1),
        "over_strongest": (trial.behind * trial.says["strongest"]).sum(axis=1),
        "regret_at_least": _crossed(trial),
        "regret_at_most": np.maximum(0.0, -behind.min(axis=1)),
        "seems_best": (behind.min(axis=1) >= 0).astype(np.float64),
        "surely_not": surely.any(axis=1).astype(np.float64),
    }
    told = {name: _of_hands(values, weights, chance=name in _SHARES) for name, values in by_hand.items()}
    return told | modelled(trial)


def _one_sided(level: Floats) -> Floats:
    from scipy.special import ndtri

    return np.asarray(ndtri(level))


def _crossed(trial: Trial) -> Floats:
    """Returns by hand the points lost against the best call of one half of the deals, on the other half."""
    every, found = np.arange(len(trial.weights)), np.zeros(len(trial.weights))
    for chooses, values in ((trial.even, trial.odd), (trial.odd, trial.even)):
        picked = np.where(trial.rival | trial.best, chooses, -np.inf).argmax(axis=1)
        found += (values[every, picked] - (values * trial.best).sum(axis=1)) / 2
    return found


def _of_hands(values: Floats, weights: Floats, *, chance: bool) -> dict[str, Any]:
    """Returns the weighted mean over hands drawn from all, with its interval."""
    found = weighted(values, np.zeros(len(values)), weights, chance=chance)
    return estimate_row(found, len(values), Method.T)


# --- the model ---------------------------------------------------------------------------------------


def modelled(trial: Trial) -> dict[str, dict[str, Any]]:
    """Returns what the model of random effects says, with bootstrapped intervals."""
    names = ("still_best", "regret", "carries_over", "own_spread")
    source = np.random.default_rng(0)
    size = len(trial.weights)
    luck = source.standard_normal((_DRAWS, *trial.rival.shape))
    value = np.array(_fitted(trial, np.ones(size), luck))
    again = np.array([
        _fitted(trial, source.multinomial(size, np.full(size, 1 / size)).astype(np.float64), luck[:40])
        for _ in range(_RESAMPLES)
    ])
    low, high = np.quantile(again, ((1 - LEVEL) / 2, (1 + LEVEL) / 2), axis=0)
    return {
        name: {"value": float(value[at]), "standard_error": float(again[:, at].std(ddof=1)),
               "low": float(min(low[at], value[at])), "high": float(max(high[at], value[at])),
               "n": size, "method": Method.BOOTSTRAP}
        for at, name in enumerate(names)
    }


def _fitted(trial: Trial, times: Floats, luck: Floats) -> tuple[float, float, float, float]:
    """Returns the share of hands whose best call is the book's, the regret, the multiple and the spread.

    `times` is how often each hand counts.
    """
    rival = trial.rival
    counted = np.repeat(times * trial.weights, rival.sum(axis=1))
    known = np.stack([trial.in_book[rival], trial.passing[rival]], axis=1)
    seen = trial.behind[rival]
    noise = float(np.average(trial.variance[rival], weights=counted))
    root = np.sqrt(counted)[:, None]
    effects = np.linalg.lstsq(known * root, seen * root[:, 0], rcond=None)[0]
    expected = known @ effects
    spread = max(0.0, float(np.average((seen - expected) ** 2, weights=counted)) - noise)
    trust = spread / (spread + noise)
    middle, width = np.full(rival.shape, np.inf), np.zeros(rival.shape)
    middle[rival] = expected + trust * (seen - expected)
    width[rival] = np.sqrt(spread * (1 - trust))
    nearest = (middle + width * luck).min(axis=2)
    by_hand = times * trial.weights
    still = float(np.average((nearest >= 0).mean(axis=0), weights=by_hand))
    regret = float(np.average(np.maximum(0.0, -nearest).mean(axis=0), weights=by_hand))
    return still, regret, float(effects[0]), float(np.sqrt(spread))
