"""Checking a run's folder: its files, their checksums, and chunks played again from scratch."""

from __future__ import annotations

import os
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from courtpiece.chunks import WorkersLostError, played
from courtpiece.design import design_of
from courtpiece.errors import RunError
from courtpiece.patience import check_patience
from courtpiece.patience import patience as patient
from courtpiece.places import read_whole
from courtpiece.results import Run, scan_chunks
from courtpiece.run import Progress, Watch
from courtpiece.store import (
    Folder,
    LeftOut,
    checksum,
    left_out_in,
    read_table,
    shard_metadata,
    table_metadata,
)
from courtpiece.studies.study import Column, Study, schema
from courtpiece.workers import PATIENCE, in_a_worker

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, kw_only=True)
class Verification:
    """What was found in a run's folder."""

    folder: str
    units: int
    unit: str
    chunks: int                         # complete and as they should be
    recomputed: tuple[int, ...]         # the numbers of those played again from scratch
    problems: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def sound(self) -> bool:
        """True when nothing is wrong."""
        return not self.problems


def verify(
    path: str | os.PathLike[str],
    *,
    sample: int | None = 2,
    seed: int | None = None,
    study: Study[Any] | None = None,
    run_code: bool = False,
    patience: float = PATIENCE,
    watch: Watch | None = None,
) -> Verification:
    """Checks a run's folder: every file, every checksum, the tables, and chunks played again from scratch.

    `sample` is how many chunks to play again (None for all), chosen by `seed` (by chance).  Where players in
    Python played that the folder names, nothing is played again unless `run_code` has their code loaded; they
    have `patience` seconds for a decision, which should be what they had in the run.
    `watch` is told how much was played again.
    Raises RunError when the folder is no run's, or when a run is being written there; UsageError for no
    patience.
    """
    check_patience(patience)
    folder = Folder(path)
    with folder.locked(writing=False):
        inspection = _Inspection(Run.open(path, study, run_code=run_code), patience,
                                 watch or (lambda progress: None))
        return inspection.verify(sample, random.Random(seed))


# What files of the same run may tell differently: their own checksums, which package wrote them, and what a
# chunk lacks.
_FREE = {"sha256", "file_sha256", "package", "left_out"}


class _Inspection:
    """One call of `verify`."""

    def __init__(self, run: Run, patience: float, watch: Watch) -> None:
        self.patience, self.watch = patience, watch
        self.run, self.folder, self.design, self.study = run, run.folder, run.design, run.study
        self.p, self.plan = run.parameters, run.design.plan
        self.columns = self.study.columns(self.p)
        self.left_out: dict[int, Sequence[LeftOut]] = {}    # by chunk
        self.problems: list[str] = []
        self.notes: list[str] = []

    def verify(self, sample: int | None, rng: random.Random) -> Verification:
        current = design_of(self.study, self.p, self.plan)
        strangers = [str(player) for player in self.p.own_players if not player.loaded]
        # Of players who are not loaded nobody knows which version they are of.
        begins_alike = self.design.behaviour.startswith(f"{current.behaviour}, ")
        repeatable = current.behaviour == self.design.behaviour or (bool(strangers) and begins_alike)
        if repeatable and strangers:
            self.notes.append(f"nothing was played again: that would run the code of {', '.join(strangers)}, "
                              "which verify does only when asked to (--run-code)")
        if not repeatable:
            self.notes.append(f"this package gives other results ({current.behaviour}) than the one that "
                              f"made the run ({self.design.behaviour}): nothing was played again")
        self._check_design()
        sound = self._check_chunks()
        chosen: list[int] = []
        if repeatable and not strangers:
            chosen = sorted(sound if sample is None else rng.sample(list(sound), min(sample, len(sound))))
        asked, again = sum(stop - start for start, stop in map(self.plan.bounds, chosen)), 0
        for index in chosen:
            self.watch(Progress(self.design.unit, again, asked, again))
            start, stop = self.plan.bounds(index)
            again += stop - start
            rows, left_out = self._played(start, stop)
            if checksum(rows, self.columns) != sound[index]:
                path = self.folder.shard_file(index)
                self.problems.append(f"{path} differs from the same chunk played again"
                                     f"{_left_out_once(self.left_out[index], left_out)}")
        if len(sound) == len(self.plan):
            self._check_tables(repeatable)
        return Verification(
            folder=str(self.folder), units=self.plan.units, unit=self.design.unit, chunks=len(sound),
            recomputed=tuple(chosen), problems=tuple(self.problems), notes=tuple(self.notes),
        )

    def _played(self, start: int, stop: int) -> tuple[pl.DataFrame, tuple[LeftOut, ...]]:
        """Returns the results of some units, played again, and which were left out."""
        asked = self.study, self.p, start, stop
        if not self.p.foreign_players:
            with patient(self.patience):
                return played(*asked)
        try:
            return in_a_worker(played, *asked, patience=self.patience)
        except WorkersLostError as died:
            raise RunError(f"{died} at {self.design.unit} {start} to {stop - 1}") from died

    def _check_design(self) -> None:
        """Checks that study.json says what its own parameters come to, in just the bytes that say it."""
        made = replace(design_of(self.study, self.p, self.plan), behaviour=self.design.behaviour,
                       precision=self.design.precision, package=self.design.package)
        path = self.folder.study_file
        if made != self.design:
            told, expected = self.design.json(), made.json()
            wrong = ", ".join(key for key in expected if told[key] != expected[key])
            self.problems.append(f"{path} is damaged: its {wrong} and its parameters do not agree")
        elif read_whole(path) != self.design.text():
            self.problems.append(f"{path} is damaged: it is not as it was written")

    def _check_chunks(self) -> dict[int, str]:
        """Returns the checksums of the chunks that are as they should be."""
        indices = self.folder.shard_indices()
        for path in self.folder.strange_files():
            if path.name.endswith(".tmp"):
                self.notes.append(f"{path} was left by a process that was killed; the next run removes it")
            else:
                self.problems.append(f"{path} does not belong here")
        here = set(indices)
        missing = [index for index in range(len(self.plan)) if index not in here]
        if missing:
            first = ", ".join(str(index) for index in missing[:5]) + (", …" if len(missing) > 5 else "")
            self.problems.append(f"{len(missing)} of {len(self.plan)} chunks are missing ({first}); "
                                 "run the same command again to make them")
        sound = {}
        for index, path in zip(indices, self.folder.local_shards(indices), strict=True):
            try:
                sound[index] = self._check_chunk(index, path)
            except RunError as error:
                self.problems.append(str(error))
        return sound

    def _check_chunk(self, index: int, path: Path) -> str:
        """Returns the checksum of one chunk's rows; raises RunError for whatever is wrong with them."""
        if index >= len(self.plan):
            raise RunError(f"{path} lies beyond the end of the run")
        expected = shard_metadata(self.design, self.columns, index, *self.plan.bounds(index))
        found, about = self._check_file(path, self.columns, expected)
        try:
            self.left_out[index] = left_out_in(about)
        except (KeyError, TypeError, ValueError):
            raise RunError(f"{path} is damaged: it does not tell what it lacks") from None
        return found

    def _check_file(
        self, path: Path, columns: Sequence[Column], expected: Mapping[str, Any]
    ) -> tuple[str, Mapping[str, Any]]:
        """Returns the checksum of a file's rows and what it says of itself; RunError for what is wrong."""
        rows, about = read_table(path)
        for key in sorted({*expected, *about} - _FREE):
            if expected.get(key) != about.get(key):
                raise RunError(f"{path} does not belong to this run: its {key} differs")
        if dict(rows.schema) != schema(columns):
            raise RunError(f"{path} is damaged: its columns are not those of the study")
        found = checksum(rows, columns)
        if found != about.get("sha256"):
            raise RunError(f"{path} is damaged: its rows do not have the checksum it tells")
        return found, about

    def _check_tables(self, repeatable: bool) -> None:
        paths = self.folder.local_shards(range(len(self.plan)))
        tables = self.study.summarise(self.p, scan_chunks(self.study, self.p, paths)) if repeatable else {}
        for name, columns in self.study.table_columns(self.p).items():
            path = self.folder.table_file(name)
            try:
                found, _ = self._check_file(path, columns, table_metadata(self.design, columns, name))
            except RunError as error:
                self.problems.append(str(error))
                continue
            if name in tables and checksum(tables[name], columns) != found:
                self.problems.append(f"{path} differs from the table made again from the chunks")


def _left_out_once(then: Sequence[LeftOut], now: Sequence[LeftOut]) -> str:
    """Returns which unit was left out when a chunk was played, or played again, but not both times, or ""."""
    before, again = dict(then), dict(now)
    once = before.keys() ^ again.keys()
    if not once:
        return ""
    first = min(once)
    when = "in the run and not now" if first in before else "now and not in the run"
    return (f": {first} was left out {when}, and a slow player needs the --patience that it had then "
            f"({(before | again)[first]})")
