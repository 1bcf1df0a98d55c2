"""Which of several alternatives has the highest mean, found with few observations: ranking and selection.

Observations come in rows, one of every alternative still in question, made alike but for the alternative
(common random numbers), so that differences row by row vary little.  After each look an alternative goes
whose sum lags behind another's by more than chance would explain:

- by a fixed amount that shrinks as rows are added: the fully sequential procedure of S.-H. Kim and
  B. L. Nelson, "A fully sequential procedure for indifference-zone selection in simulation" (ACM TOMACS 11,
  2001), its variances brought up to date at each look as in their procedure KN++ (Operations Research 54,
  2006).  It always ends, since the amount reaches zero;
- or by an amount that grows a little faster than the square root of the number of rows: W. Fan, L. J. Hong
  and B. L. Nelson, "Indifference-zone-free selection of the best" (Operations Research 64, 2016).  It sees
  through large differences at once, for which the first is slow.

Four fifths of the chance of error are for the first and one fifth for the second; both share theirs out among
the rivals of the best one (Bonferroni).  Looking now and then instead of after each row errs less often.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from courtpiece.stats import LEVEL, Floats

# Of the alternatives at these places, for rows start … start+count-1: the sum of each one's observations, and
# of the products of every two, (m,) and (m, m) whole numbers.
Observe = Callable[[Sequence[int], int, int], tuple[NDArray[np.int64], NDArray[np.int64]]]

_FIRST = 200                            # rows before the first look: variances need some
_GROWTH = 1.25                          # of the number of rows from one look to the next
_CLEAR = 0.2                            # of the chance of error, for what is clear whatever the zone


class Choice(NamedTuple):
    """Which alternative was chosen, and what it was chosen by."""

    order: tuple[int, ...]              # the chosen one, then those that went last, the better ones first
    rows: tuple[int, ...]               # in how many each was observed, by place
    sums: tuple[int, ...]               # of its observations there


def select(observe: Observe, size: int, *, zone: float, level: float = LEVEL) -> Choice:
    """Returns which of `size` alternatives has the highest mean.

    It is the best one with a chance of at least `level` when the best is `zone` ahead of all others, for
    observations that are normal, or so many that sums of them are.  With closer rivals it may be one of
    these.
    """
    left = list(range(size))
    rows = np.zeros(size, np.int64)
    sums, products = np.zeros(size, np.int64), np.zeros((size, size), np.int64)
    gone: list[int] = []
    n, wanted = 0, _FIRST
    while len(left) > 1:
        seen, multiplied = observe(left, n, wanted - n)
        sums[left] += seen
        products[np.ix_(left, left)] += multiplied
        n = wanted
        rows[left] = n
        out = _ruled_out(n, sums[left], products[np.ix_(left, left)], size, zone, level)
        leaving = sorted((place for place, goes in zip(left, out, strict=True) if goes),
                         key=lambda place: -int(sums[place]))
        gone = leaving + gone
        left = [place for place in left if place not in leaving]
        wanted = math.ceil(n * _GROWTH)
    return Choice((*left, *gone), tuple(rows.tolist()), tuple(sums.tolist()))


def _ruled_out(
    n: int, sums: NDArray[np.int64], products: NDArray[np.int64], size: int, zone: float, level: float
) -> NDArray[np.bool_]:
    """Returns which of the alternatives left are out after n rows; never all of them."""
    squares = np.diag(products)
    ahead = (sums[:, None] - sums[None, :]).astype(np.float64)
    spread = (squares[:, None] + squares[None, :] - 2 * products - ahead**2 / n) / (n - 1)
    limit = boundary(n, spread, size, zone, level)
    beats = (ahead >= limit) & (ahead > 0)
    beats |= (ahead == 0) & (limit == 0) & ~np.tri(len(sums), dtype=bool)
    return np.asarray(beats.any(axis=0))


def boundary(n: int, variance: Floats, size: int, zone: float, level: float = LEVEL) -> Floats:
    """Returns how far the sum of one alternative must be behind another's to be out after n rows.

    `variance` is that of their differences, `size` the number of all alternatives there were.
    """
    rivals, error = size - 1, 1 - level
    shrinking = math.log(rivals / (2 * (1 - _CLEAR) * error)) * variance / zone - zone * n / 2
    clear = -2 * math.log(2 * _CLEAR * error / rivals)
    growing = np.sqrt(variance * (clear + math.log(n + 1)) * (n + 1))
    return np.asarray(np.minimum(shrinking.clip(0), growing))
