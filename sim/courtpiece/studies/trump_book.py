"""What is the best call of every hand?

Every class of five-card hands, every distinct call: its chances, its points, and how far it is behind the
best one.  Deals go where the choice is close (`courtpiece.selection`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from courtpiece.studies import book_rows, book_tables
from courtpiece.studies.book_rows import CLASSES, TrumpBookParameters
from courtpiece.studies.study import Column, Parameters, Study, schema

if TYPE_CHECKING:
    import polars as pl

    from courtpiece.language import Sentence, Words
    from courtpiece.plots import Figure

_CLASSES_A_SECOND = 30                  # by one core, with 2,000 deals a call


class TrumpBook(Study[TrumpBookParameters]):
    """The best call of every five-card hand, what each call is worth, and how clear the choice is."""

    name = "trump-book"
    title = "The book of trump calls"
    question = "What is the best call of every five-card hand, and how clear is it?"
    extent: ClassVar[str] = "hands"
    default_units: ClassVar[int] = 4000
    parallel: ClassVar[Literal["threads", "processes"]] = "threads"
    Parameters: ClassVar[type[Parameters]] = TrumpBookParameters

    def units(self, p: TrumpBookParameters) -> int | None:
        if p.hands is None and p.precision is not None:
            return CLASSES
        return p.hands or (100 if p.against else self.default_units)

    def chunk_units(self, p: TrumpBookParameters) -> int:
        solved = p.trials * 5 * p.solved_seconds
        return max(1, round(2 / (1 / _CLASSES_A_SECOND + solved)))

    def columns(self, p: TrumpBookParameters) -> tuple[Column, ...]:
        return book_rows.columns(p)

    def table_columns(self, p: TrumpBookParameters) -> dict[str, tuple[Column, ...]]:
        return book_tables.table_columns(p)

    def chunk(self, p: TrumpBookParameters, start: int, stop: int) -> pl.DataFrame:
        import polars as pl

        names = [column.name for column in self.columns(p)]
        values: dict[str, list[Any]] = {name: [] for name in names}
        for row in book_rows.rows(p, map(book_rows.class_of_unit, range(start, stop))):
            for name in names:
                values[name].append(row[name])
        return pl.DataFrame(values, schema=schema(self.columns(p)))

    def summarise(self, p: TrumpBookParameters, shards: pl.LazyFrame) -> dict[str, pl.DataFrame]:
        return book_tables.summarise(p, shards)

    def headline(self, p: TrumpBookParameters, tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
        return book_tables.headline(p, tables)

    def notes(self, p: TrumpBookParameters, tables: Mapping[str, pl.DataFrame]) -> Sequence[str]:
        looked_at = tables["book"]["class"].n_unique()
        if p.against or looked_at == CLASSES:
            return ()
        note = (f"{looked_at:,} of {CLASSES:,} classes of hands were looked at, and stand for all; "
                f"--hands {CLASSES} makes the whole book")
        return (note,)

    def answer(self, p: TrumpBookParameters, tables: Mapping[str, pl.DataFrame]) -> Sequence[Sentence]:
        return book_tables.answer(p, tables)

    def figures(
        self, p: TrumpBookParameters, tables: Mapping[str, pl.DataFrame], words: Words
    ) -> Sequence[Figure]:
        from courtpiece.plots.trump_book import trump_book

        return trump_book(tables, words)
