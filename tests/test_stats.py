"""Estimates against scipy, against published numbers, and against their own promise."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats as scipy_stats

from courtpiece.stats import (
    Method,
    Stopping,
    few_apart,
    few_large,
    mean,
    means,
    paired_difference,
    plus_minus,
    proportion,
    proportions,
    ratio,
    unlike,
)


@pytest.mark.parametrize(
    ("successes", "n"), [(0, 10), (1, 10), (5, 10), (10, 10), (428, 10_000), (1, 50_000_000)]
)
@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
def test_proportions_have_the_interval_that_scipy_calls_wilson(successes: int, n: int, level: float) -> None:
    ours = proportion(successes, n, level)
    theirs = scipy_stats.binomtest(successes, n).proportion_ci(level, method="wilson")
    low = float(theirs.low)
    if successes == 1:                  # Brown, Cai and DasGupta: a half of the chi-squared quantile
        low = float(scipy_stats.chi2.ppf(1 - level, 2)) / 2 / n
    assert (ours.low, ours.high) == pytest.approx((low, theirs.high), rel=1e-9, abs=1e-15)
    assert ours.low <= ours.value <= ours.high
    assert ours.method is Method.WILSON


def test_wilson_agrees_with_newcombes_published_examples() -> None:
    # R. G. Newcombe, Statistics in Medicine 17 (1998) 857-872, table I, method 3.
    for successes, n, low, high in [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605),
                                    (0, 20, 0.0, 0.1611)]:
        found = proportion(successes, n)
        assert (round(found.low, 4), round(found.high, 4)) == (low, high)


@pytest.mark.parametrize("n", [20, 100, 1000])
def test_no_chance_is_missed_much_too_often_however_rare(n: int) -> None:
    hits = np.arange(n + 1)
    found = proportions(hits, n)
    for expected in np.linspace(0.02, 8, 300):
        p = expected / n
        chances = scipy_stats.binom.pmf(hits, n, p)
        # Wilson's own interval holds a chance of a sixth of an event in 85 of 100 cases.
        assert chances[(found.low <= p) & (p <= found.high)].sum() > 0.91, (n, p)
        # What is printed is the value and the half-width.
        assert chances[np.abs(p - found.value) <= found.half_width].sum() > 0.92, (n, p)


def test_values_that_hardly_differ_do_not_tell_how_sure_their_mean_is() -> None:
    assert few_apart([9, 10], 1000).tolist() == [True, False]
    assert few_apart([4, 5], 20).tolist() == [True, False]
    assert unlike([3, 3, 3, -1, 0, 3]) == 2
    assert unlike([0, 4], [10**6, 9]) == 9
    found = means(1000, 20, 40, unsure=[True, False])
    assert found.half_width.tolist()[0] == math.inf
    assert 0 < found.half_width[1] < 0.02
    # One large value among many small ones is worth no more than itself.
    assert few_large([100 + 50, 25 * 2], [100**2 + 50, 25 * 4]).tolist() == [True, False]


def test_means_have_students_interval() -> None:
    rng = np.random.default_rng(20)
    for n in (2, 3, 30, 5000):
        values = rng.integers(0, 53, n)
        found = mean(n, int(values.sum()), int((values**2).sum()))
        error = scipy_stats.sem(values)
        low, high = scipy_stats.t.interval(0.95, n - 1, loc=values.mean(), scale=error)
        assert (found.value, found.standard_error) == pytest.approx((values.mean(), error), rel=1e-12)
        assert (found.low, found.high) == pytest.approx((low, high), rel=1e-9)


def test_the_variance_of_huge_sums_is_exact() -> None:
    # Half of 4 billion values are 1,000,000,000 and half one more: the variance is a quarter.
    n, base = 4_000_000_000, 1_000_000_000
    total = n // 2 * (2 * base + 1)
    squares = n // 2 * (base**2 + (base + 1) ** 2)
    found = mean(n, total, squares)
    assert found.standard_error == pytest.approx(math.sqrt(Fraction(1, 4) / (n - 1)), rel=1e-12)


def test_many_estimates_at_once_equal_each_alone_to_the_last_bit() -> None:
    n = np.array([2, 10, 1000, 5_000_000_000])
    total, squares = n * 3, n * 82 * 82
    many = means(n, total, squares)
    for at, count in enumerate(n):
        alone = mean(int(count), int(total[at]), int(squares[at]))
        assert (alone.value, alone.low, alone.high) == (many.value[at], many.low[at], many.high[at])
    shares = proportions(n // 3, n)
    for at, count in enumerate(n):
        single = proportion(int(count) // 3, int(count))
        assert (single.value, single.low, single.high) == (shares.value[at], shares.low[at], shares.high[at])


def test_no_data_means_no_knowledge() -> None:
    nothing = proportion(0, 0)
    assert math.isnan(nothing.value)
    assert (nothing.low, nothing.high) == (0, 1)
    for n in (0, 1):
        assert mean(n, n * 3, n * 9).half_width == math.inf
    assert mean(1, 3, 9).value == 3


def test_a_paired_difference_is_the_mean_of_the_differences() -> None:
    rng = np.random.default_rng(21)
    ours, theirs = rng.integers(0, 4, 500), rng.integers(0, 5, 500)
    apart = ours - theirs
    found = paired_difference(500, int(apart.sum()), int((apart**2).sum()))
    interval = scipy_stats.ttest_rel(ours, theirs).confidence_interval()
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high), rel=1e-9)
    assert found.method is Method.PAIRED_T


def test_a_ratio_is_bootstrapped_and_repeats_with_its_seed() -> None:
    rng = np.random.default_rng(22)
    below = rng.integers(1, 20, 400).astype(float)
    above = below * 0.3 + rng.normal(0, 1, 400)
    found = ratio(above, below, seed=5)
    assert found == ratio(above, below, seed=5)
    # The delta method's error of a ratio of means.
    delta = np.std(above - found.value * below, ddof=1) / math.sqrt(400) / below.mean()
    assert found.standard_error == pytest.approx(delta, rel=0.05)
    assert found.low < found.value < found.high
    with pytest.raises(ValueError, match="as many numerators as denominators"):
        ratio([1.0, 2.0], [1.0], seed=1)


@pytest.mark.parametrize(
    ("value", "half_width", "text"),
    [
        (0.60612, 0.00123, "0.6061 ± 0.0012"),
        (0.0428, 0.000999, "0.0428 ± 0.0010"),
        (7.5, 0.25, "7.50 ± 0.25"),
        (12.34, 15.0, "12 ± 15"),
        (0.5, math.inf, "–"),
        (0.5, math.nan, "–"),
        (0.25, 0.0, "0.25"),
        (0.0, 0.0, "0"),
        (-0.4, 19.0, "0 ± 19"),
        (0.200000000000000094, 2.8e-17, "0.2"),         # the mean of so many fifths
        (2e-9, 3e-10, "0.00000000200 ± 0.00000000030"),
    ],
)
def test_a_value_is_shown_to_two_digits_of_its_error(value: float, half_width: float, text: str) -> None:
    assert plus_minus(value, half_width) == text


def test_what_is_rounded_to_nothing_has_no_sign() -> None:
    assert plus_minus(-0.04, 1.9) == "0.0 ± 1.9"
    assert plus_minus(-0.0, 0.0) == "0"


def test_a_few_values_that_are_all_alike_do_not_tell_how_sure_their_mean_is() -> None:
    few, many = means([29, 30], [58, 60], [116, 120]), means(29, 59, 121)
    assert few.value.tolist() == [2.0, 2.0]
    assert np.isnan(few.standard_error[0])
    assert (few.low[0], few.high[0]) == (-np.inf, np.inf)
    assert few.low[1] == few.high[1] == 2.0
    assert many.low < 2 < many.high < 3


@pytest.mark.parametrize("n", [2, 5, 10, 20])
def test_the_mean_of_a_few_values_that_seldom_differ_is_not_missed_much_too_often(n: int) -> None:
    rng = np.random.default_rng(n)      # a deal that is won is worth 1, one that is lost costs 2
    values = np.where(rng.random((20_000, n)) < 0.9, 1, -2)
    found = means(n, values.sum(1), (values**2).sum(1))
    assert np.mean((found.low <= 0.7) & (found.high >= 0.7)) > 0.9


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    rng, rounds = np.random.default_rng(23), 20_000
    for p, n in [(0.5, 100), (0.04, 400), (0.01, 2000)]:
        found = proportions(rng.binomial(n, p, rounds), n)
        covered = np.mean((found.low <= p) & (p <= found.high))
        assert 0.935 < covered < 0.97, (p, n)
    values = rng.integers(0, 4, (rounds, 50))
    many = means(50, values.sum(1), (values**2).sum(1))
    assert 0.945 < np.mean((many.low <= 1.5) & (many.high >= 1.5)) < 0.955


@pytest.mark.parametrize(("p", "chunk", "precision"), [
    (0.5, 100, 0.03), (0.5, 1000, 0.01), (0.04, 250, 0.01), (0.04, 1000, 0.005), (0.005, 1000, 0.002),
])
def test_stopping_on_precision_costs_little_coverage(p: float, chunk: int, precision: float) -> None:
    rng, rounds, stopping, covered = np.random.default_rng(24), 4000, Stopping(precision=precision), 0
    for _ in range(rounds):
        chunks, successes, look = 0, 0, 1
        while True:
            successes += int(rng.binomial((look - chunks) * chunk, p))
            chunks = look
            found = proportion(successes, chunks * chunk)
            if stopping.reached([found.half_width]):
                break
            look = stopping.next_look(chunks, [found.half_width])
        assert found.half_width <= precision
        covered += found.low <= p <= found.high
    # 4,000 rounds tell 0.95 from 0.94 at three standard errors.
    assert covered / rounds > 0.94 - 0.0105, (p, chunk, precision)


def test_a_look_never_goes_back_nor_too_far() -> None:
    stopping = Stopping(precision=0.01)
    assert not stopping.reached([])
    assert not stopping.reached([0.005, math.nan])
    assert not stopping.reached([0.005, 0.011])
    assert stopping.reached([0.005, 0.01])
    assert stopping.next_look(1, [0.0101]) == 2
    assert stopping.next_look(100, [0.011]) == 121
    assert stopping.next_look(10, [0.5]) == 40
    assert stopping.next_look(10, [math.inf]) == 40
    assert stopping.next_look(10, []) == 40
