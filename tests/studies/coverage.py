"""How often the intervals that a study prints hold the truth, told by many small runs and one large one.

What is an interval is read off a study's own tables: `X` with `X_half_width` beside it, and ends called
`low` and `high`, or `X_low` and `X_high`.  So what is added to a table is measured without being named here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from courtpiece.studies import find
from courtpiece.studies.study import Parameters

Row = Mapping[str, Any]
TRUTH = 10**6                           # the seed of the larger run: none of the small ones
HEADLINE = "headline"
_KEYS = ("category", "text", "bool", "uint8", "uint16", "uint32", "int32")
_ROUNDING = 1e-9


class Ran(NamedTuple):
    """A run: what was asked, the rows of its chunks, the tables made of them, and the short table."""

    p: Parameters
    rows: pl.DataFrame
    tables: Mapping[str, pl.DataFrame]


# What a row's value is in truth, by table, row and column; None where the larger run's row of that name says.
Truth = Callable[[str, Row, str], float | None]


class Interval(NamedTuple):
    """One printed interval: its name, the columns of its value, and of its ends or of half its width."""

    name: str
    value: str
    low: str
    high: str

    def ends(self, row: Row) -> tuple[float, float] | None:
        """Returns the ends, or None where the row says that they are not known."""
        low, high = row[self.low], row[self.high]
        if self.low == self.high and None not in (low, row[self.value]):
            low, high = row[self.value] - low, row[self.value] + low
        if low is None or high is None or not isfinite(high - low):
            return None
        return low, high


def intervals(names: list[str]) -> Iterator[Interval]:
    """Yields the intervals of a table with these columns."""
    estimate = "value"
    for name in names:
        if f"{name}_half_width" in names:
            estimate = name
            yield Interval(name, name, f"{name}_half_width", f"{name}_half_width")
        elif name == "low" or name.endswith("_low"):
            prefix = name.removesuffix("low")
            of = prefix.removesuffix("_")
            yield Interval(f"{name} to {prefix}high", of if of in names else estimate, name, f"{prefix}high")


@dataclass(frozen=True, kw_only=True)
class Case:
    """A small run of a study, the larger one that tells the truth of it, and what is special about them."""

    study: str
    given: Mapping[str, Any]
    units: int
    times: int = 40                     # as many units has the larger run
    of_truth: Mapping[str, Any] = field(default_factory=dict)   # what else makes it larger
    elsewhere: bool = False             # the units of a run are not those of another: its seed has no say
    # By table, columns that tell what a run chose, and so name no row of another.
    chosen: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    # By table and interval, where these hold all at once: the columns that tell one such family from another.
    at_once: Mapping[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    # Of the larger run and a small one, how the truth of that is found where names of rows do not find it.
    special: Callable[[Ran, Ran], Truth] | None = None
    without: tuple[str, ...] = ()       # tables that another case looks at
    slow: int = 1                       # one seed in so many is run
    name: str = ""

    def __str__(self) -> str:
        return self.name or self.study

    def run(self, seed: int) -> Ran:
        """Returns what `courtpiece run` would make of a seed; of TRUTH, the larger run."""
        study, larger = find(self.study), seed == TRUTH
        given = {**self.given, **(self.of_truth if larger else {})}
        p = study.parameters(given if self.elsewhere else {**given, "seed": seed})
        units = self.units * (self.times if larger else 1)
        start = 0 if larger or not self.elsewhere else seed % self.times * self.units
        rows = study.chunk(p, start, start + units)
        tables = study.summarise(p, rows.lazy())
        return Ran(p, rows, {**tables, HEADLINE: study.headline(p, tables)})

    def keys(self, p: Parameters, table: str, frame: pl.DataFrame) -> list[str]:
        """Returns the columns that name the rows of a table."""
        if table == HEADLINE:
            found = [name for name, dtype in frame.schema.items() if not dtype.is_numeric()]
        else:
            columns = find(self.study).table_columns(p)[table]
            found = [column.name for column in columns if column.type in _KEYS]
        return [name for name in found if name not in (*self.chosen.get(table, ()), "method")]


@dataclass
class Kind:
    """All intervals of one name in a table, over the runs."""

    shares: list[float] = field(default_factory=list)       # of each run's intervals that hold the truth
    rows: dict[str, list[bool]] = field(default_factory=dict)       # by row, whether each run's does
    looseness: list[float] = field(default_factory=list)    # the width of the truth's interval by theirs
    unknown: int = 0                    # rows that say that they do not know


def measure(case: Case, seeds: int) -> dict[tuple[str, str], Kind]:
    """Returns how the intervals of each table and name fare in small runs of so many seeds."""
    large = case.run(TRUTH)
    named: dict[str, tuple[list[str], dict[tuple[str, ...], Row]]] = {}
    for table, frame in large.tables.items():
        if table not in case.without and any(intervals(frame.columns)):
            keys = case.keys(large.p, table, frame)
            named[table] = keys, {_name(row, keys): row for row in frame.iter_rows(named=True)}
    found: dict[tuple[str, str], Kind] = {}
    for seed in range(1, seeds + 1):
        small = case.run(seed)
        truth = case.special(large, small) if case.special else None
        for table, (keys, known) in named.items():
            frame = small.tables[table]
            apart = frame.is_empty() or frame.select(keys).is_unique().all()
            assert apart or case.special, f"{case}, {table}: {keys} do not tell its rows apart"
            for interval in intervals(frame.columns):
                kind = found.setdefault((table, interval.name), Kind())
                _judge(case, table, interval, keys, known, truth, frame, kind)
    return found


def _judge(
    case: Case,
    table: str,
    interval: Interval,
    keys: list[str],
    known: Mapping[tuple[str, ...], Row],
    truth: Truth | None,
    frame: pl.DataFrame,
    kind: Kind,
) -> None:
    """Adds to a kind how the intervals of one small run fare; `known` are the rows of the larger run."""
    families: dict[tuple[str, ...], list[bool]] = {}
    by = case.at_once.get((table, interval.name), keys)
    for row in frame.iter_rows(named=True):
        ends = interval.ends(row)
        if ends is None:
            kind.unknown += 1
            continue
        name = _name(row, keys)
        there = known.get(name, {})
        true = truth(table, row, interval.value) if truth else None
        true = there.get(interval.value) if true is None else true
        assert true is not None, f"{case}, {table}, {interval.name}: nothing is known of {name}"
        slack = _ROUNDING * max(1.0, abs(true))
        holds = ends[0] - slack <= true <= ends[1] + slack
        kind.rows.setdefault(", ".join(name), []).append(holds)
        families.setdefault(_name(row, by), []).append(holds)
        if there and (wide := interval.ends(there)) and ends[1] > ends[0]:
            kind.looseness.append((wide[1] - wide[0]) / (ends[1] - ends[0]))
    if families:
        kind.shares.append(float(np.mean([all(held) for held in families.values()])))


def _name(row: Row, columns: Sequence[str]) -> tuple[str, ...]:
    return tuple(str(row[column]) for column in columns)
