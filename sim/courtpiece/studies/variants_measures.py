"""What the variants study measures, as functions of how often each deal ends in each way, and their errors.

Every measure comes with what each deal adds to it: its influence, the slope of the measure along the chance
of the way that the deal ended.  The mean of the influences is 0, and their spread over the deals gives the
error of the measure (the delta method); the spread of the difference of two influences on the same deal gives
that of a paired difference, also of measures that come out of a Markov chain.

Of a match are measured

first-call      the chance to win it of the side that calls first
deals-a-match   the mean number of deals, redeals not counted; deals-spread is its standard deviation
tricks-a-match  the mean number of tricks: deals are alike, so it is deals times tricks (Wald, 1944)
behind-at-half  the chance that the side which first has half of the target loses
comeback        the chance that the winner was at some time behind by half of the target or more
decisiveness    the share of a match's deals that are played when it is settled: from then on the chance of
                the winner stays at 0.9 or above until he has won (the mean over levels from 0.85 to 0.95,
                as one level alone jumps where a score's chance happens to lie at it)
drama           how much less likely to win than his opponents the later winner was, 0 where he was not
                behind: the mean over a match's deals

The last two are after Browne ("Automatic generation and evaluation of recombination games", 2008), with the
exact chance to win the match in place of an evaluation of the position.  His drama is a mean of square roots,
over the moves at which the winner was behind only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log

import numpy as np
from numpy.typing import NDArray

from courtpiece.chain import Chain, Odds, Result, State
from courtpiece.rules import Counting, Outcome, RuleSet

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

OUTCOMES = tuple(Outcome)
WINNERS = ("caller", "defender", "nobody")
TRICKS = 15                             # 0 to 13 taken by both sides together, and not known
ENDINGS = len(OUTCOMES) * len(WINNERS)
CELLS = ENDINGS * TRICKS                # ways in which a deal can end, with the tricks

DEAL_MEASURES = ("win", "points", "ahead", "variance", "skewness", "tricks")
MATCH_MEASURES = ("first-call", "deals-a-match", "deals-spread", "tricks-a-match", "behind-at-half",
                  "comeback", "decisiveness", "drama")
SKILL_MEASURES = ("deal-share", "match-share", "gain", "equal-deals")

SETTLED = np.linspace(0.85, 0.95, 11)   # the winner's chance from which on a match counts as settled
_MOST_LEADS = 12                        # for how many leads comebacks are told


@dataclass(frozen=True, kw_only=True)
class Measured:
    """Values and what one deal that ended in each way adds to them, (values, ways); deals rest on `n`."""

    values: Floats
    influences: Floats
    n: int


def decided(ways: int) -> NDArray[np.bool_]:
    """Returns which ways to end, CELLS or ENDINGS, are not a redeal."""
    return np.arange(ways) // (ways // ENDINGS) % len(WINNERS) < 2


def results_of(codes: Integers) -> tuple[Result, ...]:
    """Returns the results that ENDINGS mean."""
    return tuple((OUTCOMES[code // len(WINNERS)], int(code % len(WINNERS))) for code in codes)


def worths(rules: RuleSet) -> Integers:
    """Returns what each of ENDINGS brings the caller's side, as the match counts: below 0 what it loses."""
    counted = rules.kots_of if rules.counting is Counting.KOTS else rules.score_of
    found = np.zeros(ENDINGS, np.int64)
    for code in np.flatnonzero(decided(ENDINGS)):
        outcome, winner = OUTCOMES[code // len(WINNERS)], code % len(WINNERS)
        found[code] = counted(outcome, winner == 0) * (1 if winner == 0 else -1)
    return found


def ends(rules: RuleSet, counts: Integers) -> bool:
    """True when matches have a target and a result among `counts` of ENDINGS brings a side nearer to it."""
    return rules.target is not None and bool(
        np.abs(worths(rules))[counts > 0].any() or (rules.streak and rules.streak_bonus)
    )


# Of a deal


def deal_measures(rules: RuleSet, counts: Integers) -> Measured:
    """Returns DEAL_MEASURES from how many deals ended in each of CELLS; tricks are nan where unknown."""
    played = decided(CELLS)
    n, weights = int(counts[played].sum()), np.where(played, counts, 0)
    worth = np.repeat(worths(rules), TRICKS).astype(float)
    tricks = np.tile(np.arange(TRICKS), ENDINGS).astype(float)
    known = not counts[played & (tricks == TRICKS - 1)].any()

    def average(values: Floats) -> float:
        return float(weights @ values) / n

    won = np.repeat(np.arange(ENDINGS) % len(WINNERS) == 0, TRICKS).astype(float)
    ahead = average(worth)
    apart = worth - ahead
    variance = average(apart**2)
    values = [average(won), average(np.abs(worth)), ahead, variance, 0.0, average(tricks)]
    influences = [won - values[0], np.abs(worth) - values[1], apart, apart**2 - variance,
                  np.zeros(CELLS), tricks - values[5]]
    if variance > 0:
        z = apart / variance**0.5
        values[4] = average(z**3)
        influences[4] = z**3 - 3 * z - values[4] - 1.5 * values[4] * (z**2 - 1)
    if not known:
        values[5], influences[5] = np.nan, np.full(CELLS, np.nan)
    return _measured(np.array(values), np.array(influences), counts)


def _measured(values: Floats, influences: Floats, counts: Integers) -> Measured:
    """Returns measures of the deals played as measures of all deals, to which a redeal adds nothing."""
    played = decided(len(counts))
    share = counts[played].sum() / counts.sum()
    return Measured(values=values, influences=np.where(played, influences, 0.0) / share,
                    n=int(counts[played].sum()))


# Of a match


class MatchMeasures:
    """The chain of a rule set's matches between equal sides, and what is measured of it."""

    def __init__(self, rules: RuleSet, counts: Integers) -> None:
        """`counts` are of ENDINGS."""
        assert rules.target is not None
        self.target = rules.target
        self.codes = np.flatnonzero(np.where(decided(ENDINGS), counts, 0))
        self.counts = counts
        self.scores = [(ours, theirs) for ours in range(self.target) for theirs in range(self.target)]
        self.leads = np.unique(np.linspace(1, self.target - 1, min(self.target - 1, _MOST_LEADS)).astype(int))
        self.chain = Chain(rules, results_of(self.codes), [State(score) for score in self.scores])

    @cached_property
    def measured(self) -> Measured:
        """All values that `told` names the parts of, with their influences over ENDINGS."""
        counts = self.counts[self.codes].astype(float)
        values, slopes = _with_slopes(lambda chances: self._values(self.chain.odds(chances)), counts)
        return _measured(values, _spread(slopes, self.codes, len(values)), self.counts)

    def told(self) -> dict[str, slice]:
        """Returns where in `measured` measures (but tricks), comebacks by lead, and chances stand."""
        ends_at = np.cumsum([len(MATCH_MEASURES) - 1, len(self.leads), len(self.leads), len(self.scores)])
        names = ("measures", "comebacks", "chances", "scores")
        return {name: slice(int(end) - int(size), int(end)) for name, end, size in zip(
            names, ends_at, np.diff(ends_at, prepend=0), strict=True)}

    def _values(self, odds: Odds) -> Floats:
        chain, won = self.chain, odds.won
        start = chain.index[State((0, 0))]
        deals = odds.visits(start)
        left = odds.solve(np.ones(len(won)))
        squares = odds.solve(2 * left - 1)[start]
        length = float(left[start])
        behind = [self._behind(odds, start, lead) for lead in (*self.leads, (self.target + 1) // 2)]
        measures = [
            float(won[start]), length, max(0.0, float(squares) - length**2) ** 0.5,
            self._at_half(odds, start), behind[-1][0], self._settled(odds) @ deals / length,
            _drama(won) @ deals / length,
        ]
        by_score = [won[chain.index[State(score)]] for score in self.scores]
        comebacks, chances = zip(*behind, strict=True)
        return np.array([*measures, *comebacks[:-1], *chances[:-1], *by_score])

    def _at_half(self, odds: Odds, start: int) -> float:
        """Returns the chance that the side which first has half of the target loses."""
        half = 2 * self.chain.score >= self.target
        entered = odds.entered(start, half[:, 0] | half[:, 1])
        return float(entered @ np.where(half[:, 0], 1 - odds.won, odds.won))

    def _behind(self, odds: Odds, start: int, lead: int) -> tuple[float, float]:
        """Returns the share of matches whose winner had been behind by `lead`, and the chance to win of a
        side that has just fallen so far behind."""
        came, met = 0.0, 0.0
        for side, chances in enumerate((odds.won, 1 - odds.won)):
            lost = self.chain.score[:, 1 - side] - self.chain.score[:, side] >= lead
            entered = odds.entered(start, lost)
            came, met = came + float(entered @ chances), met + float(entered.sum())
        return came, came / met if met > 0 else np.nan

    def _settled(self, odds: Odds) -> Floats:
        """Returns by state the chance that the match is settled there, and stays so until it is won."""
        found = np.zeros(len(odds.won))
        for level in SETTLED:
            for side, chances in enumerate((odds.won, 1 - odds.won)):
                found += odds.solve(odds.wins(side), chances >= level)
        return found / len(SETTLED)


def _drama(won: Floats) -> Floats:
    """Returns by state how far behind in the chance to win the later winner is, on average."""
    less = np.minimum(won, 1 - won)
    return np.asarray(less * (1 - 2 * less))


def with_tricks(deal: Measured, match: Measured) -> Measured:
    """Returns MATCH_MEASURES with influences over CELLS: `match` has all of them but the tricks a match."""
    deals, tricks = match.values[1], deal.values[5]
    over_cells = np.repeat(match.influences, TRICKS, axis=1)
    influence = over_cells[1] * tricks + deals * deal.influences[5]
    place = MATCH_MEASURES.index("tricks-a-match")
    return Measured(values=np.insert(match.values, place, deals * tricks),
                    influences=np.insert(over_cells, place, influence, axis=0), n=deal.n)


def _with_slopes(function: Callable[[Floats], Floats], counts: Floats) -> tuple[Floats, Floats]:
    """Returns the values at the shares of `counts`, and their slopes along each share, (values, shares).

    Shares are of each row, the last axis.  A slope is taken across one standard error of the share to each
    side, the rest making room: where a value jumps, as what a threshold decides does, a slope at a point
    would say nothing of how it varies between samples.
    """
    totals = counts.sum(axis=-1, keepdims=True)
    shares = counts / totals
    steps = np.maximum(np.sqrt(shares * (1 - shares) / totals), 1e-9)
    values = function(shares)
    slopes = np.zeros((len(values), counts.size))
    for place, at in enumerate(np.ndindex(*counts.shape)):
        sides = []
        for sign in (1, -1):
            moved = shares.copy()
            moved[at] = max(0.0, moved[at] + sign * steps[at])
            moved[at[:-1]] /= moved[at[:-1]].sum()
            sides.append((function(moved), moved[at]))
        (above, high), (below, low) = sides
        # Moving one share by d moves it by d(1 - share) once the others have made room.
        slopes[:, place] = (above - below) / (high - low) * (1 - shares[at]) if high > low else 0.0
    return values, slopes


def _spread(slopes: Floats, codes: Integers, values: int) -> Floats:
    found = np.zeros((values, ENDINGS))
    found[:, codes] = slopes
    return found


# Of two players


def skill(
    rules: RuleSet, calling: Integers, defending: Integers, *, matches: bool
) -> tuple[Measured, Floats]:
    """Returns SKILL_MEASURES of us against them, from counts of ENDINGS with us, and with them, calling.

    The influences are those of the first counts; those of the second come beside.  What needs whole matches
    is nan without.
    """
    pair = (calling, defending)
    codes = np.flatnonzero(decided(ENDINGS) & (calling + defending > 0))
    counts = np.array([each[codes] for each in pair], float)
    ours = codes % len(WINNERS) == 0
    starts = [State((0, 0), caller=side) for side in (0, 1)]
    chain = Chain(rules, results_of(codes), starts) if matches else None

    def values(shares: Floats) -> Floats:
        deal = float(shares[0, ours].sum() + 1 - shares[1, ours].sum()) / 2
        match = np.nan
        if chain is not None:
            won = chain.odds(shares).won
            match = float(np.mean([won[chain.index[start]] for start in starts]))
        return np.array([deal, match, match - deal, equal_deals(deal, match)])

    found, slopes = _with_slopes(values, counts)
    first, second = np.split(slopes, 2, axis=1)
    influences = [
        _measured(found, _spread(part, codes, len(found)), each)
        for part, each in ((first, calling), (second, defending))
    ]
    return influences[0], influences[1].influences


def equal_deals(deal: float, match: float) -> float:
    """Returns of how many single deals the winner of most is as often the better player as that of a match.

    Between whole odd numbers it is read off the incomplete beta function, of which the chance to win most of
    2m - 1 deals is a value.  nan where deal and match do not favour the same player.
    """
    from scipy.optimize import brentq
    from scipy.special import betainc

    if not (deal - 0.5) * (match - 0.5) > 0:
        return float("nan")
    deal, match = max(deal, 1 - deal), max(match, 1 - match)

    def over(power: float) -> float:
        return float(betainc(np.exp(power), np.exp(power), deal)) - match

    low, high = log(1e-3), log(1e6)
    if over(low) > 0 or over(high) < 0:
        return float("nan")
    return float(2 * np.exp(brentq(over, low, high, xtol=1e-10)) - 1)


# Errors


def errors(influences: Floats, counts: Integers) -> Floats:
    """Returns the standard errors of values, from influences (values, ways) and how often each way came."""
    n = counts.sum()
    return np.asarray(np.sqrt(influences**2 @ counts) / n)


def paired_errors(
    influences: Sequence[tuple[Floats, Integers]], counts: Integers
) -> Floats:
    """Returns the standard errors of sums of influences on the same deals.

    Each of `influences` comes with the way that each kind of deal ended, of which there were `counts`.
    """
    apart = sum(part[:, ways] for part, ways in influences)
    return np.asarray(np.sqrt(np.asarray(apart) ** 2 @ counts) / counts.sum())
