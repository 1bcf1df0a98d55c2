"""Estimates with their errors: proportions, means, paired differences, ratios, and when to stop.

Everything but the bootstrap starts from whole-number sums (how many, their total, the total of their
squares), so that an estimate is the same to the last bit however the deals were split up and in
whatever order the parts were added.

Methods: proportions have Wilson's score interval (E. B. Wilson, 1927), its ends beside few events moved
(L. D. Brown, T. T. Cai and A. DasGupta, 2001), means and paired differences Student's t, ratios the
bootstrap, what is computed from several means the delta method, shares that are watched while they grow a
confidence sequence.  An interval is two-sided, at 95 % unless said otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import NormalDist
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

LEVEL = 0.95
_ENOUGH_ALIKE = 30                      # values that are all the same, to take that for more than luck
_ENOUGH_APART = 10                      # values that are not like most others, to tell how they vary
_ENOUGH_EQUAL = 20                      # values that make up a total, to tell how it varies
_FEW_EVENTS = 3                         # beside so many an interval ends where Poisson's does …
_FEW_DEALS = 50                         # … beside one fewer of at most so many deals
NORMAL = NormalDist().inv_cdf((1 + LEVEL) / 2)  # standard errors in the half-width of a normal's interval

Floats: TypeAlias = NDArray[np.float64]


class Method(StrEnum):
    """How an interval was made."""

    WILSON = "wilson"
    T = "t"
    PAIRED_T = "paired-t"
    BOOTSTRAP = "bootstrap"
    AGRESTI_MIN = "agresti-min"
    STRATA = "strata"
    DELTA = "delta"


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A number found by simulation, and how sure it is."""

    value: float
    standard_error: float
    low: float                          # the interval at `level`
    high: float
    n: int                              # deals (or other independent units) it rests on
    method: Method
    level: float = LEVEL

    @property
    def half_width(self) -> float:
        """See `half_width`."""
        return float(half_width(self.value, self.low, self.high))

    def __str__(self) -> str:
        """`0.6061 ± 0.0012`: the value and the half-width."""
        return plus_minus(self.value, self.half_width)


class Estimates(NamedTuple):
    """Many estimates of one kind, as four arrays of the same shape."""

    value: Floats
    standard_error: Floats
    low: Floats
    high: Floats

    @property
    def half_width(self) -> Floats:
        """See `half_width`."""
        return half_width(self.value, self.low, self.high)


def half_width(value: ArrayLike, low: ArrayLike, high: ArrayLike) -> Floats:
    """Returns how far intervals reach from their values, at the farther end.

    That is half of their length, but for chances: `value ± half_width` is an interval, too, and one that
    holds the other.  Where there is no value (nan) it is half of the length.
    """
    values, lows, highs = (np.asarray(part, np.float64) for part in (value, low, high))
    reach = np.maximum(highs - values, values - lows)
    return np.asarray(np.where(np.isnan(values), (highs - lows) / 2, reach))


def plus_minus(value: float, half_width: float) -> str:
    """Returns `value ± half_width`, both to two significant digits of the half-width.

    A value without error stands alone, and `–` for one of which no error is known, or nothing at all.

    >>> plus_minus(0.60612, 0.00123), plus_minus(0.2, 0.0), plus_minus(1.0, math.inf)
    ('0.6061 ± 0.0012', '0.2', '–')
    """
    if math.isnan(value) or not math.isfinite(half_width):
        return UNKNOWN
    if is_exact(value, half_width):
        return f"{value:z.4g}"
    digits = max(0, 1 - math.floor(math.log10(float(f"{half_width:.1e}"))))
    return f"{value:z.{digits}f} ± {half_width:.{digits}f}"


UNKNOWN = "–"                           # said of a value from too few deals to tell its error


def is_exact(value: float, half_width: float) -> bool:
    """True for a half-width that is none, but for rounding."""
    return half_width <= 1e-12 * abs(value)


def decimals(half_width: float, unknown: int) -> int:
    """Returns how many decimals a half-width deserves: one significant digit of it, two from 1 to 3.

    `unknown` is returned for one that tells nothing: zero, endless or not a number.

    >>> decimals(0.0123, 2), decimals(0.056, 2), decimals(4.0, 2), decimals(0.0, 2)
    (3, 2, 0, 2)
    """
    if not 0 < half_width < math.inf:
        return unknown
    first = math.floor(math.log10(half_width))
    return max(0, (half_width < 3 * 10.0**first) - first)


def proportions(successes: ArrayLike, n: ArrayLike, level: float = LEVEL) -> Estimates:
    """Returns the proportions of `successes` among `n`, with Wilson's score intervals.

    Beside 1 to 3 successes the lower end is Poisson's, as Brown, Cai and DasGupta modify it ("Interval
    estimation for a binomial proportion", Statistical Science 16, 2001), and so the upper end beside 1 to 3
    failures: without that, a chance of a sixth of an event in all would be missed by one interval in seven.
    Where n is 0 nothing is known: the value is nan and the interval 0 to 1.  The standard error is that of
    the observed proportion, so it is 0 when all or none succeeded; the interval is not.
    """
    from scipy.special import gammaincinv, ndtri

    count = np.asarray(n, np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        value = np.asarray(successes, np.float64) / count
        z = float(ndtri((1 + level) / 2))
        shrunk = 1 + z * z / count
        middle = (value + z * z / (2 * count)) / shrunk
        reach = z / shrunk * np.sqrt(value * (1 - value) / count + (z / (2 * count)) ** 2)
        error = np.sqrt(value * (1 - value) / count)
    # The ends are exact where all or none succeeded: rounding must not put the value outside.
    low = np.where(value == 0, 0.0, np.maximum(middle - reach, 0.0))
    high = np.where(value == 1, 1.0, np.minimum(middle + reach, 1.0))
    hits = np.asarray(successes, np.float64)
    for events in range(1, _FEW_EVENTS + 1):
        with np.errstate(divide="ignore"):
            fewest = gammaincinv(events, 1 - level) / count
        few = events <= np.where(count > _FEW_DEALS, _FEW_EVENTS, _FEW_EVENTS - 1)
        low = np.where(few & (hits == events), np.minimum(low, fewest), low)
        high = np.where(few & (count - hits == events), np.maximum(high, 1 - fewest), high)
    nothing = count == 0
    return Estimates(value, error, np.where(nothing, 0.0, low), np.where(nothing, 1.0, high))


def means(
    n: ArrayLike, total: ArrayLike, squares: ArrayLike, level: float = LEVEL, *, unsure: ArrayLike = False
) -> Estimates:
    """Returns means with Student's t intervals, from how many values there are, their total and the total
    of their squares (whole numbers of any size: the variance loses nothing to cancellation).

    Where n is below 2 the error is unknown: standard error nan, interval from -inf to inf.  So it is where
    all values are alike and there are fewer than 30: what comes out otherwise in every tenth deal would often
    not be among them, and an interval of no width would say that it never does.  So it is, too, where
    `unsure` says so: who has more than the sums knows `few_apart` or `few_large`.
    """
    from scipy.special import stdtrit

    count, sums, square_sums = (np.asarray(part) for part in (n, total, squares))
    if max(_largest(count) * _largest(square_sums), _largest(sums) ** 2) >= 2**63:
        count, sums, square_sums = (part.astype(object) for part in (count, sums, square_sums))
    # n(n-1) times the variance, exactly.
    spread = np.asarray(count * square_sums - sums * sums).astype(np.float64)
    ns = count.astype(np.float64)
    known = (ns > 1) & ((spread > 0) | (ns >= _ENOUGH_ALIKE)) & ~np.asarray(unsure)
    with np.errstate(invalid="ignore", divide="ignore"):
        value = sums.astype(np.float64) / ns
        error = np.where(known, np.sqrt(spread / (ns - 1)) / ns, np.nan)
        reach = np.where(known, stdtrit(np.maximum(ns - 1, 1.0), (1 + level) / 2) * error, np.inf)
        middle = np.where(known, value, 0.0)
    return Estimates(value, error, middle - reach, middle + reach)


def few_apart(apart: ArrayLike, n: ArrayLike) -> NDArray[np.bool_]:
    """Tells where so many of n values that are not like the others do not show how the values vary.

    A mean of values of which hardly any differ is as uncertain as their number is, which Student's t knows
    only where there are some: ten, or a quarter of all.
    """
    return np.asarray(np.asarray(apart) < np.minimum(_ENOUGH_APART, np.asarray(n) / 4))


def few_large(total: ArrayLike, squares: ArrayLike) -> NDArray[np.bool_]:
    """Tells where a few large values make up most of a total of values that are not negative.

    It is as uneven as that of fewer than twenty equal values, all others being 0 (L. Kish, "Survey Sampling",
    1965, on weights): Student's t would miss the mean too often, mostly from below.
    """
    return np.asarray(np.asarray(total, np.float64) ** 2 < _ENOUGH_EQUAL * np.asarray(squares, np.float64))


def unlike(values: ArrayLike, counts: ArrayLike | None = None) -> int:
    """Returns how many of some values, each of which came so often, are not like the commonest.

    >>> unlike([0, 3, 0, 0, -1]), unlike([2, 5], [100, 7])
    (2, 7)
    """
    _, place = np.unique(np.asarray(values), return_inverse=True)
    often = np.bincount(place, None if counts is None else np.asarray(counts, np.float64))
    return int(often.sum() - often.max(initial=0.0))


def shares_of_pairs(both: int, one: int, neither: int, level: float = LEVEL) -> Estimate:
    """Returns the share of games won, of games played in pairs on the same deals.

    Of so many pairs both games were won, one, or neither.  The interval is Agresti and Min's for matched
    pairs (2005): half a pair is added to both ends and one to the middle, so that it has a width even
    where all pairs came out the same.
    """
    from scipy.special import ndtri

    pairs = both + one + neither
    if pairs == 0:
        return _single(proportions(0, 0, level), 0, Method.AGRESTI_MIN, level)
    share, error = _mean_of_pairs(both, neither, pairs)
    middle, spread = _mean_of_pairs(both + 0.5, neither + 0.5, pairs + 2)
    reach = float(ndtri((1 + level) / 2)) * spread
    return Estimate(
        value=share, standard_error=error, low=max(0.0, min(middle - reach, share)),
        high=min(1.0, max(middle + reach, share)), n=pairs, method=Method.AGRESTI_MIN, level=level,
    )


def _mean_of_pairs(both: float, neither: float, pairs: float) -> tuple[float, float]:
    """Returns the share won and its standard error."""
    ahead = (both - neither) / pairs
    return (1 + ahead) / 2, math.sqrt(max(0.0, ((both + neither) / pairs - ahead**2) / pairs)) / 2


ELO = 400 / math.log(10)                # rating points for odds of e to 1: 400 points are ten to one


def bradley_terry(wins: Floats) -> Floats:
    """Returns the ratings of players, in Elo points with mean 0, from how often each beat each.

    `wins[i, j]` is how many games player i won against player j.  The model (Bradley and Terry, 1952) makes
    the chance that i beats j depend on the difference of their ratings; the ratings are the most likely
    ones once half a game is added to each side of every pairing, so that they are finite for one who never
    lost.
    """
    from scipy.optimize import minimize

    size = len(wins)
    games = wins + 0.5 * (1 - np.eye(size))
    games /= games.sum()

    def cost(ratings: Floats) -> float:
        return float((games * np.logaddexp(0, ratings[None, :] - ratings[:, None])).sum())

    def slope(ratings: Floats) -> Floats:
        surprise = games / (1 + np.exp(ratings[:, None] - ratings[None, :]))    # won by the row's player
        return np.asarray(surprise.sum(axis=0) - surprise.sum(axis=1))

    found = minimize(cost, np.zeros(size), jac=slope, method="BFGS", options={"gtol": 1e-9})
    return np.asarray(ELO * (found.x - found.x.mean()))


# Bets of the confidence sequence, as parts of the largest that is allowed: from nearly all to a thousandth.
_BETS = 0.99 * 2.0 ** (-np.arange(21) / 2)


def _log_capital(above: bool, mean: float, wins: int, splits: int, losses: int) -> float:
    """Returns the logarithm of what bets that the true mean lies above (or below) `mean` have made of one."""
    if not above:
        wins, losses, mean = losses, wins, 1 - mean
    if mean <= 0 or mean >= 1:
        return math.inf if mean <= 0 and wins + splits else 0.0
    bets = (wins * np.log1p(_BETS * (1 / mean - 1)) + splits * np.log1p(_BETS * (0.5 / mean - 1))
            + losses * np.log1p(-_BETS))
    top = float(bets.max())
    return top + math.log(float(np.exp(bets - top).mean()))


def sequential_p_value(wins: int, splits: int, losses: int) -> float:
    """Returns how surprising the results of pairs are if both players are equally good, at any time.

    However often one looks, and whenever one stops, it falls to `p` or below with a chance of at most `p`
    when the truth is an even share: the capital of somebody who bets against it can grow to 1/p with a
    chance of p only (Ville, 1939; Waudby-Smith and Ramdas, "Estimating means of bounded random variables
    by betting", 2024).  Half of the capital bets on each side.
    """
    best = max(_log_capital(above, 0.5, wins, splits, losses) for above in (True, False))
    return min(1.0, 2 * math.exp(-best))


def confidence_sequence(wins: int, splits: int, losses: int, level: float = LEVEL) -> tuple[float, float]:
    """Returns an interval for the mean share which, over all times at once, holds it with the chance `level`.

    It is made of the means that the bets of `sequential_p_value` have not refuted.
    """
    limit = math.log(2 / (1 - level))

    def end(above: bool) -> float:
        refuted, open_ = (0.0, 1.0) if above else (1.0, 0.0)
        for _ in range(50):
            middle = (refuted + open_) / 2
            if _log_capital(above, middle, wins, splits, losses) >= limit:
                refuted = middle
            else:
                open_ = middle
        return refuted

    return end(True), end(False)


def two_sided_p(value: ArrayLike, standard_error: ArrayLike, freedom: ArrayLike) -> Floats:
    """Returns how surprising values are if the truth is 0, by Student's t; 1 where nothing ever differed."""
    from scipy.special import stdtr

    values, errors = np.asarray(value, np.float64), np.asarray(standard_error, np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        tails = 2 * stdtr(np.asarray(freedom, np.float64), -np.abs(values) / errors)
    return np.asarray(np.where(errors > 0, tails, 1.0))


def holm(p_values: ArrayLike) -> Floats:
    """Returns p-values corrected for being several: if those of at most 0.05 are taken for findings, the
    chance of any false one is at most 0.05 (Holm, "A simple sequentially rejective multiple test procedure",
    1979).

    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    found = np.asarray(p_values, np.float64)
    order = np.argsort(found)
    stepped = np.minimum(1.0, found[order] * np.arange(len(found), 0, -1))
    out = np.empty_like(found)
    out[order] = np.maximum.accumulate(stepped)
    return out


def units_to_detect(variance: float, difference: float, *, power: float, level: float = LEVEL) -> int:
    """Returns how many units a test at `level` needs to find a difference of the mean with chance `power`."""
    from scipy.special import ndtri

    reach = float(ndtri((1 + level) / 2) + ndtri(power))
    return max(2, math.ceil(variance * (reach / difference) ** 2))


def proportion(successes: int, n: int, level: float = LEVEL) -> Estimate:
    """Returns one proportion with Wilson's score interval."""
    return _single(proportions(successes, n, level), n, Method.WILSON, level)


def mean(n: int, total: int, squares: int, level: float = LEVEL) -> Estimate:
    """Returns one mean with Student's t interval, from whole-number sums."""
    return _single(means(n, total, squares, level), n, Method.T, level)


def paired_difference(
    n: int, total: int, squares: int, level: float = LEVEL, *, unsure: ArrayLike = False
) -> Estimate:
    """Returns the mean of differences taken deal by deal, with Student's t interval.

    `total` and `squares` are the sums of the differences and of their squares over `n` deals that both
    sides of the comparison played; `unsure` is as in `means`.
    """
    return _single(means(n, total, squares, level, unsure=unsure), n, Method.PAIRED_T, level)


def t_intervals(
    value: ArrayLike, standard_error: ArrayLike, freedom: ArrayLike, level: float = LEVEL, *,
    chance: bool = False,
) -> Estimates:
    """Returns values whose errors are known with Student's t intervals; those of chances end at 0 and 1.

    Where freedom is below 1 no error can be known, and where the standard error is nan none is: the interval
    is from -inf to inf.
    """
    from scipy.special import stdtrit

    values, free = np.asarray(value, np.float64), np.asarray(freedom, np.float64)
    errors = np.where(free >= 1, standard_error, np.nan)
    reach = np.where(np.isnan(errors), np.inf, stdtrit(np.maximum(free, 1.0), (1 + level) / 2) * errors)
    low, high = values - reach, values + reach
    if chance:
        low, high = np.maximum(low, 0.0), np.minimum(high, 1.0)
    return Estimates(values, errors, np.asarray(low), np.asarray(high))


def with_error(
    value: float, standard_error: float, n: int, method: Method, level: float = LEVEL
) -> Estimate:
    """Returns the estimate of a mean over `n` units as `t_intervals` does, with n - 1 for the freedom."""
    return _single(t_intervals(value, standard_error, n - 1, level), n, method, level)


def ratio(
    numerators: Sequence[float] | Floats,
    denominators: Sequence[float] | Floats,
    *,
    seed: int,
    level: float = LEVEL,
    resamples: int = 9999,
) -> Estimate:
    """Returns sum(numerators) / sum(denominators) over paired units, with scipy's percentile bootstrap."""
    from scipy.stats import bootstrap

    above, below = np.asarray(numerators, np.float64), np.asarray(denominators, np.float64)
    if len(above) != len(below) or len(above) < 2:
        raise ValueError("a ratio needs as many numerators as denominators, and two at least")

    def of_sums(top: Floats, bottom: Floats, axis: int = -1) -> Floats:
        return np.asarray(top.sum(axis) / bottom.sum(axis))

    found = bootstrap(
        (above, below),
        of_sums,
        paired=True,
        vectorized=True,
        n_resamples=resamples,
        batch=max(1, 2_000_000 // len(above)),      # bounds the memory, not the result
        confidence_level=level,
        method="percentile",
        rng=np.random.default_rng(seed),
    )
    return Estimate(
        value=float(above.sum() / below.sum()),
        standard_error=float(found.standard_error),
        low=float(found.confidence_interval.low),
        high=float(found.confidence_interval.high),
        n=len(above),
        method=Method.BOOTSTRAP,
        level=level,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopping:
    """When a run of growing size is precise enough: every half-width at most `precision`.

    The run is looked at after whole chunks, in order.  Each look says how many chunks the next one should
    wait for: as many as the widest interval seems to need, at most `growth` times as many as now.

    Looking more than once favours moments at which the error happens to look small, so that the intervals
    printed hold the truth a little less often than their level says.  The looks are few (each is placed
    where the run is expected to end), which keeps the loss well under one percentage point; the tests
    measure it.
    """

    precision: float
    growth: int = 4
    patience: int = 256                 # chunks, of about a second each, that an interval has to become known

    def reached(self, half_widths: Iterable[float]) -> bool:
        """True when there is something to judge and none of it is wider than asked for."""
        widths = list(half_widths)
        return bool(widths) and all(width <= self.precision for width in widths)

    def in_vain(self, chunks: int, half_widths: Iterable[float]) -> bool:
        """True when only what is not known at all is missing, and was waited for long enough.

        It may never be known: of two players who always do the same, no deal tells how they differ.
        """
        return chunks >= self.patience and all(
            width <= self.precision or not math.isfinite(width) for width in half_widths
        )

    def next_look(self, chunks: int, half_widths: Iterable[float]) -> int:
        """Returns the number of chunks at which to look again, after an insufficient look at `chunks`."""
        widest = max(half_widths, default=math.inf)
        wanted = (widest / self.precision) ** 2 * chunks
        if not wanted < chunks * self.growth:       # also when it is not a number
            return chunks * self.growth
        return max(chunks + 1, math.ceil(wanted))


def _largest(values: NDArray[np.generic]) -> int:
    return max((abs(int(value)) for value in (values.max(), values.min())), default=0) if values.size else 0


def _single(many: Estimates, n: int, method: Method, level: float) -> Estimate:
    return Estimate(
        value=float(many.value),
        standard_error=float(many.standard_error),
        low=float(many.low),
        high=float(many.high),
        n=n,
        method=method,
        level=level,
    )
