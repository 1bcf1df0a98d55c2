"""A study that needs no cards: dice thrown by number.  `python -m tests.dice OUT …` runs it in a process.

Unit *i* shows a face that depends on (seed, i) alone, like a deal.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import polars as pl

from courtpiece.run import run
from courtpiece.stats import means, proportions
from courtpiece.studies.study import ESTIMATE_COLUMNS, Column, Parameters, Study, parameter, schema, whole


@dataclass(frozen=True, kw_only=True)
class DiceParameters(Parameters):
    """Dice with so many sides."""

    sides: int = parameter("sides of the die", whole(2), 6)


def throw(seed: int, sides: int, start: int, stop: int) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    """Returns faces 0 … sides-1 by a fixed mixing of (seed, number)."""
    x = np.arange(start, stop, dtype=np.uint64) + np.uint64(seed * 0x9E3779B97F4A7C15 % 2**64)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (x ^ (x >> np.uint64(31))) % np.uint64(sides)


class Dice(Study[DiceParameters]):
    """How often each face comes up."""

    name = "dice"
    title = "Dice"
    question = "How often does each face come up?"
    default_units = 1000
    Parameters = DiceParameters
    delay: float = 0.0                  # seconds a chunk, for tests that interrupt

    def chunk_units(self, p: DiceParameters) -> int:
        return 100

    def columns(self, p: DiceParameters) -> tuple[Column, ...]:
        return (
            Column("face", "category", "", "the face that came up", tuple(f"f{n}" for n in range(p.sides))),
            Column("throws", "int64", "throws", "how often it did"),
        )

    def table_columns(self, p: DiceParameters) -> dict[str, tuple[Column, ...]]:
        face = self.columns(p)[0]
        mean = Column("faces", "text", "", "what the mean is of")
        return {"summary": (face, *ESTIMATE_COLUMNS), "mean": (mean, *ESTIMATE_COLUMNS)}

    def chunk(self, p: DiceParameters, start: int, stop: int) -> pl.DataFrame:
        time.sleep(self.delay)
        counts = np.bincount(throw(p.seed, p.sides, start, stop).astype(np.int64), minlength=p.sides)
        faces = np.flatnonzero(counts)
        return pl.DataFrame(
            {"face": [f"f{n}" for n in faces], "throws": counts[faces]}, schema=schema(self.columns(p))
        )

    def summarise(self, p: DiceParameters, shards: pl.LazyFrame) -> dict[str, pl.DataFrame]:
        counted = shards.group_by("face").agg(pl.col("throws").sum()).sort("face").collect()
        n, throws = int(counted["throws"].sum()), counted["throws"].to_numpy()
        faces = counted["face"].to_physical().to_numpy().astype(np.int64)
        columns = self.table_columns(p)
        shares = proportions(throws, n)._asdict()
        average = means(n, int(throws @ faces), int(throws @ faces**2))._asdict()
        return {
            "summary": pl.DataFrame(
                {"face": counted["face"], **shares, "n": n, "method": "wilson"},
                schema=schema(columns["summary"]),
            ),
            "mean": pl.DataFrame(
                {"faces": ["all"], **{name: [float(value)] for name, value in average.items()}, "n": [n],
                 "method": ["t"]},
                schema=schema(columns["mean"]),
            ),
        }

    def headline(self, p: DiceParameters, tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
        half_width = (pl.col("high") - pl.col("low")) / 2
        return tables["summary"].select("face", "value", value_half_width=half_width)


class ThreadedDice(Dice):
    """The same dice, thrown by threads."""

    parallel: ClassVar[Literal["threads", "processes"]] = "threads"


def main() -> None:
    """Runs the dice in this process, as the arguments say."""
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("--deals", type=int)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--chunk", type=int)
    parser.add_argument("--delay", type=float, default=0.0)
    parser.add_argument("--threads", action="store_true")
    parser.add_argument("--backend")
    parser.add_argument("--scheduler")
    asked = parser.parse_args()
    study = ThreadedDice() if asked.threads else Dice()
    study.delay = asked.delay
    print("ready", flush=True)
    try:
        done = run(study, out=asked.out, jobs=asked.jobs, chunk=asked.chunk, deals=asked.deals,
                   backend=asked.backend, scheduler=asked.scheduler)
    except KeyboardInterrupt:
        sys.exit(130)
    print(done.units, done.played)


if __name__ == "__main__":
    main()
