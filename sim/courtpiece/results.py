"""A run on disk, as it is looked at: its results, its tables, its answer, its report."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from courtpiece.design import Design, Plan
from courtpiece.errors import CourtpieceError, RunError, UsageError
from courtpiece.store import Folder, LeftOut, Shard, read_metadata, read_rows
from courtpiece.studies import find
from courtpiece.studies.study import Column, Parameters, Study, recalled, schema

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

    from courtpiece.language import Answer
    from courtpiece.plots import Figure


class Run:
    """A run on disk: its results, its tables, its report."""

    def __init__(
        self,
        folder: Folder,
        study: Study[Any],
        design: Design,
        *,
        played: int = 0,
        notes: Sequence[str] = (),
        run_code: bool = False,
    ) -> None:
        self.folder = folder
        self.study = study
        self.design = design
        self.played = played            # units played by the call that returned this run
        self.notes = tuple(notes)       # what its caller should know
        self._run_code = run_code

    def __repr__(self) -> str:
        return f"Run({str(self.folder)!r}, {self.design.study}, {self.units:,} {self.design.unit})"

    @classmethod
    def open(
        cls, path: str | os.PathLike[str], study: Study[Any] | None = None, *, run_code: bool = False
    ) -> Run:
        """Returns the run in a folder, complete or not; `study` is needed for one that is not built in.

        Players in Python that the folder names are not loaded, as that would run whatever code it names:
        nothing that a run is looked at for needs them.  With `run_code` they are.
        Raises RunError when there is none.
        """
        folder = Folder(path)
        design = folder.read_design()
        if design is None:
            raise RunError(f"{folder} holds no run")
        return cls(folder, study or find(design.study), design, run_code=run_code)

    @property
    def path(self) -> Path:
        """The run's folder."""
        return self.folder.path

    @property
    def units(self) -> int:
        """How many units the run has when it is complete."""
        return self.design.plan.units

    @cached_property
    def parameters(self) -> Parameters:
        """The parameters of the study, the extent being what the run has."""
        try:
            p = self._recalled(run_code=False)
        except CourtpieceError as error:
            raise RunError(f"{self.folder.study_file} is damaged: {error}") from None
        if not self._run_code:
            return p
        try:
            return self._recalled(run_code=True)
        except CourtpieceError as error:        # a player's file is gone, or has changed
            raise RunError(f"{self.folder} cannot be played again: {error}") from None

    def _recalled(self, *, run_code: bool) -> Parameters:
        told = recalled(self.study.Parameters, self.design.parameters, run_code=run_code)
        p: Parameters = self.study.parameters({**told, self.design.unit: self.units})
        return p

    @property
    def done(self) -> int:
        """How many units lie on disk."""
        return sum(shard.stop - shard.start for shard in _chunks(self.folder, self.design.plan))

    @property
    def complete(self) -> bool:
        """True when every unit and the tables lie on disk."""
        return self.done == self.units and summarised(
            self.folder, self.design, self.study.table_columns(self.parameters)
        )

    @property
    def left_out(self) -> list[LeftOut]:
        """The units that are in no result, because a player in Python failed in them, and why."""
        if not self.parameters.own_players:         # nobody else fails in any
            return []
        return [unit for shard in _chunks(self.folder, self.design.plan) for unit in shard.left_out]

    def scan(self) -> pl.LazyFrame:
        """Returns the results of all chunks on disk, in order, unread."""
        paths = [shard.path for shard in _chunks(self.folder, self.design.plan)]
        return scan_chunks(self.study, self.parameters, paths)

    @cached_property
    def tables(self) -> dict[str, pl.DataFrame]:
        """The study's tables by name; RunError when the run is not complete."""
        columns = self.study.table_columns(self.parameters)
        try:
            if summarised(self.folder, self.design, columns):
                return read_tables(self.folder, columns)
        except RunError as error:
            raise RunError(f"{error}; run the same command again to make it anew") from None
        raise RunError(f"{self.folder} is not complete: {self.done:,} of {self.units:,} "
                       f"{self.design.unit} are there; run the same command again to go on")

    @property
    def summary(self) -> pl.DataFrame:
        """The study's main table."""
        return self.tables["summary"]

    @property
    def headline(self) -> pl.DataFrame:
        """The short table that answers the study's question."""
        return self.study.headline(self.parameters, self.tables)

    def pandas(self, table: str = "summary") -> pd.DataFrame:
        """Returns one of the study's tables as a pandas frame."""
        if table not in self.tables:
            raise UsageError(f'there is no table "{table}"; there are {", ".join(self.tables)}')
        return self.tables[table].to_pandas()

    def answer(self, lang: str = "en") -> Answer:
        """Returns the short answer, sentence by sentence, in English ("en"), Urdu ("ur") or Hindi ("hi")."""
        from courtpiece.language import Answer, Words

        return Answer(Words(self.design.study, lang), self.study.answer(self.parameters, self.tables))

    def plot(self, lang: str = "en") -> Sequence[Figure]:
        """Returns the study's figures, in English ("en"), Urdu ("ur") or Hindi ("hi")."""
        from courtpiece.language import Words

        return self.study.figures(self.parameters, self.tables, Words(self.design.study, lang))

    def report(self, lang: str = "en", *, pdf: bool = False) -> Path:
        """Writes the page that shows the run and returns its path.

        It is report.html in English ("en"), report.ur.html in Urdu, report.hi.html in Hindi.  With `pdf`
        the page is also printed by Chromium, to report.pdf or the like, and that is the path.  Raises
        RunError when the run is not complete, UsageError when there is no Chromium.
        """
        from courtpiece import report

        return report.write(self, lang, pdf=pdf)


def _chunks(folder: Folder, plan: Plan) -> Iterator[Shard]:
    """Yields the chunks on disk that are whole and of this plan."""
    for shard in folder.shards():
        if shard.index < len(plan) and (shard.start, shard.stop) == plan.bounds(shard.index):
            yield shard


def scan_chunks(study: Study[Any], p: Parameters, paths: list[Path]) -> pl.LazyFrame:
    """Returns the rows of some chunks, unread."""
    import polars as pl

    return pl.scan_parquet(paths, glob=False) if paths else pl.LazyFrame(schema=schema(study.columns(p)))


def summarised(folder: Folder, design: Design, tables: Iterable[str]) -> bool:
    """True when the tables on disk are those of the whole run."""
    if not folder.has_tables(tables):
        return False
    about = read_metadata(folder.table_file("summary"))
    return about.get("units") == design.plan.units and about.get("behaviour") == design.behaviour


def read_tables(folder: Folder, tables: Mapping[str, Sequence[Column]]) -> dict[str, pl.DataFrame]:
    return {name: read_rows(folder.table_file(name), columns) for name, columns in tables.items()}


def whole_tables(folder: Folder, design: Design, tables: Mapping[str, Sequence[Column]]) -> bool:
    """True when the tables on disk are those of the whole run, and none of them is damaged."""
    try:
        if not summarised(folder, design, tables):
            return False
        read_tables(folder, tables)
    except RunError:
        return False
    return True
