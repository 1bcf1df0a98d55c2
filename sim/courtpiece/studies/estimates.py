"""Estimates in the tables of the studies: a row of one, half of its interval, and several side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

from courtpiece import stats
from courtpiece.stats import Estimate, Estimates, Method

if TYPE_CHECKING:
    import polars as pl


def estimate_row(found: Estimates, n: int, method: Method, scale: float = 1) -> dict[str, Any]:
    """Returns one estimate, divided by `scale`, as ESTIMATE_COLUMNS have it."""
    numbers = {name: float(value) / scale for name, value in found._asdict().items()}
    return {**numbers, "n": n, "method": str(method)}


def single_row(found: Estimate, scale: float = 1) -> dict[str, Any]:
    """Returns an estimate that stands for itself, times `scale`, likewise."""
    return {
        "value": found.value * scale, "standard_error": found.standard_error * scale,
        "low": found.low * scale, "high": found.high * scale, "n": found.n, "method": str(found.method),
    }


@overload
def half_width(found: pl.DataFrame) -> pl.Series: ...
@overload
def half_width(found: Mapping[str, Any]) -> float: ...
def half_width(found: Any) -> Any:
    """Returns the half-width (as in `stats`) in a row of a table of estimates, or in each row of a table."""
    if isinstance(found, Mapping):
        return float(stats.half_width(found["value"], found["low"], found["high"]))
    import polars as pl

    return pl.Series(stats.half_width(*(found[name].to_numpy() for name in ("value", "low", "high"))))


def with_estimates(
    table: pl.DataFrame, on: Sequence[str], estimates: Mapping[str, pl.DataFrame]
) -> pl.DataFrame:
    """Returns a table with two columns more for each of some tables of estimates.

    The columns are the value, under the name given, and `NAME_half_width`; null where there is no estimate
    with the same values of `on`.
    """
    import polars as pl

    for name, found in estimates.items():
        one = found.select(*on, pl.col("value").alias(name), half_width(found).alias(f"{name}_half_width"))
        table = table.join(one, on=list(on), how="left", maintain_order="left")
    return table
