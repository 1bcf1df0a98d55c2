"""How good is each trump call from five cards?

Every distinct call of a hand is played on the same deals (see `courtpiece.advice`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from courtpiece.advice import Calls, Worth, play_calls
from courtpiece.studies import trump_rows, trump_tables
from courtpiece.studies.hands import random_hands
from courtpiece.studies.study import Column, Parameters, Study
from courtpiece.studies.trump_rows import TrumpCallParameters
from courtpiece.table import Table

if TYPE_CHECKING:
    import polars as pl

    from courtpiece.language import Sentence, Words
    from courtpiece.plots import Figure

_PLAYED_A_SECOND = 700_000              # deals, by one core


class TrumpCall(Study[TrumpCallParameters]):
    """Each call's chances and points, and what the calling policies lose against the best call."""

    name = "trump-call"
    title = "Trump calls from five cards"
    question = "How good is each trump call from five cards?"
    extent: ClassVar[str] = "hands"
    default_units: ClassVar[int] = 10_000
    solved_units: ClassVar[int] = 200
    parallel: ClassVar[Literal["threads", "processes"]] = "threads"
    Parameters: ClassVar[type[Parameters]] = TrumpCallParameters

    def units(self, p: TrumpCallParameters) -> int | None:
        if p.given:
            return p.hands or len(p.given)
        return super().units(p)

    def chunk_units(self, p: TrumpCallParameters) -> int:
        assert p.deals is not None
        if p.solved:
            return max(1, int(1 / (5 * p.deals * p.solved_seconds)))
        return max(1, _PLAYED_A_SECOND // (5 * p.deals * len(p.rules) * len(p.players)))

    def columns(self, p: TrumpCallParameters) -> tuple[Column, ...]:
        return trump_rows.columns(p)

    def table_columns(self, p: TrumpCallParameters) -> dict[str, tuple[Column, ...]]:
        return trump_tables.table_columns(p)

    def chunk(self, p: TrumpCallParameters, start: int, stop: int) -> pl.DataFrame:
        import polars as pl

        assert p.deals is not None
        tables = [Table(rules, lineup) for rules in p.rules for lineup in p.players]
        worths = [Worth(table.rules) for table in tables]
        hands = p.given[start:stop] if p.given else random_hands(p.seed, start, stop)
        columns = self.columns(p)
        values: dict[str, list[NDArray[np.generic]]] = {column.name: [] for column in columns}
        for number, hand in enumerate(hands, start):
            for table, worth in zip(tables, worths, strict=True):
                calls = Calls.of(hand, table.rules)
                tally = play_calls(table, worth, calls, p.seed, 0, p.deals)
                for name, column in trump_rows.rows(number, table, calls, worth, tally).items():
                    values[name].append(column)
        rows = pl.DataFrame([
            pl.Series(column.name, np.concatenate(values[column.name])).cast(column.dtype)
            for column in columns
        ])
        solved = [str(lineup) for lineup in p.players if lineup.double_dummy]
        untold = pl.col("players").cast(pl.String).is_in(solved)
        return rows.with_columns(
            pl.when(untold).then(None).otherwise(pl.col(name)).alias(name) for name in trump_rows.OF_TRICKS
        )

    def summarise(self, p: TrumpCallParameters, shards: pl.LazyFrame) -> dict[str, pl.DataFrame]:
        return trump_tables.summarise(p, shards)

    def headline(self, p: TrumpCallParameters, tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
        return trump_tables.headline(p, tables)

    def answer(self, p: TrumpCallParameters, tables: Mapping[str, pl.DataFrame]) -> list[Sentence]:
        return trump_tables.answer(p, tables)

    def figures(
        self, p: TrumpCallParameters, tables: Mapping[str, pl.DataFrame], words: Words
    ) -> Sequence[Figure]:
        from courtpiece.plots.trump_call import trump_call

        return trump_call(tables, words)
