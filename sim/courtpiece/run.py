"""Running a study: chunks over cores, kept on disk, gone on with, extended.

A chunk's results depend on the parameters and the numbers of its units alone, and a study's tables on
the sum of all chunks.  So the tables are equal to the last bit for any number of jobs, any chunk size,
any backend of joblib, and however often a run was interrupted.
"""

from __future__ import annotations

import os
import shlex
import signal
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from courtpiece.errors import CourtpieceError, RunError, UsageError
from courtpiece.rules import name_of
from courtpiece.stats import Stopping
from courtpiece.store import (
    Design,
    Folder,
    Plan,
    Shard,
    read_metadata,
    read_table,
    write_whole,
)
from courtpiece.studies import find
from courtpiece.studies.study import Parameters, Study, parameter_fields, schema

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

    from courtpiece.language import Answer
    from courtpiece.plots import Figure

# Goes up when a deal, a random draw or a built-in player changes, so that the same seed gives other
# results; never for speed.
BEHAVIOUR = 1

MOST_CHUNKS = 1_000_000                 # files in one folder


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is."""

    unit: str
    done: int                           # units on disk
    total: int
    played: int                         # of them, by this call


Watch = Callable[[Progress], None]


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
    ) -> None:
        self.folder = folder
        self.study = study
        self.design = design
        self.played = played            # units played by the call that returned this run
        self.notes = tuple(notes)       # what its caller should know

    def __repr__(self) -> str:
        return f"Run({str(self.folder)!r}, {self.design.study}, {self.units:,} {self.design.unit})"

    @classmethod
    def open(cls, path: str | os.PathLike[str], study: Study[Any] | None = None) -> Run:
        """Returns the run in a folder, complete or not; `study` is needed for one that is not built in.

        Raises RunError when there is none.
        """
        folder = Folder(path)
        design = folder.read_design()
        if design is None:
            raise RunError(f"{folder} holds no run")
        return cls(folder, study or find(design.study), design)

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
        told = {name: value for name, value in self.design.parameters.items() if value is not None}
        try:
            p: Parameters = self.study.parameters({**told, self.design.unit: self.units})
        except CourtpieceError as error:
            raise RunError(f"{self.folder.study_file} is damaged: {error}") from None
        return p

    @property
    def done(self) -> int:
        """How many units lie on disk."""
        return sum(shard.stop - shard.start for shard in self._chunks())

    @property
    def complete(self) -> bool:
        """True when every unit and the tables lie on disk."""
        return self.done == self.units and _summarised(
            self.folder, self.design, self.study.table_columns(self.parameters)
        )

    def scan(self) -> pl.LazyFrame:
        """Returns the results of all chunks on disk, in order, unread."""
        return scan_chunks(self.study, self.parameters, [shard.path for shard in self._chunks()])

    def _chunks(self) -> list[Shard]:
        plan = self.design.plan
        return [shard for shard in self.folder.shards()
                if shard.index < len(plan) and (shard.start, shard.stop) == plan.bounds(shard.index)]

    @cached_property
    def tables(self) -> dict[str, pl.DataFrame]:
        """The study's tables by name; RunError when the run is not complete."""
        columns = self.study.table_columns(self.parameters)
        try:
            if _summarised(self.folder, self.design, columns):
                return {name: read_table(self.folder.table_file(name))[0] for name in columns}
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


def run(
    study: str | Study[Any],
    *,
    out: str | os.PathLike[str] | None = None,
    jobs: int | None = None,
    chunk: int | None = None,
    watch: Watch | None = None,
    **parameters: Any,
) -> Run:
    """Runs a study, or goes on with it, and returns the run, complete.

    `out` is its folder (results/NAME), `jobs` the number of cores to use (all), `chunk` the number of
    units in one file of results (as the study finds good); an existing run keeps the chunk size it has.
    `watch` is told of the progress.  All else are the study's parameters.

    A folder that holds the same design is gone on with, and left alone when all is there.  A run that is
    asked for fewer units than lie there keeps what there is.  With `precision` the run goes on until
    every half-width is at most that, but not beyond the number of units when one is given.

    Raises UsageError for parameters that cannot be, RunError for a folder that holds something else or is
    in use, and KeyboardInterrupt after a Ctrl-C, once the chunks under way are done (a second Ctrl-C does
    not wait).  What is complete is kept in every case.
    """
    wanted = find(study) if isinstance(study, str) else study
    p = wanted.parameters(parameters)
    for name, number in (("jobs", jobs), ("chunk", chunk)):
        if number is not None and number < 1:
            raise UsageError(f"{name}: must be at least 1, not {number}")
    folder = Folder(Path("results") / wanted.name if out is None else out)
    folder.read_design()                # refuses a folder that is no run's before anything is put there
    with folder.locked():
        return _Execution(wanted, p, folder, jobs, chunk, watch).run()


class _Execution:
    """One call of `run`, in possession of the folder."""

    def __init__(
        self,
        study: Study[Any],
        p: Parameters,
        folder: Folder,
        jobs: int | None,
        chunk: int | None,
        watch: Watch | None,
    ) -> None:
        self.study, self.p, self.folder, self.jobs = study, p, folder, jobs
        self.unit = study.extent_of(p)
        self.watch = watch or (lambda progress: None)
        self.played = 0
        self.notes: list[str] = []
        self.on_disk = folder.read_design()
        self.size = chunk or (1 if self.on_disk else study.chunk_of(p))
        if self.on_disk is not None:
            self._check_same_design(self.on_disk)
            self.size = self.on_disk.plan.chunk
            if chunk not in (None, self.size):
                self.notes.append(f"{folder} keeps its chunks of {self.size:,} {self.unit}")
        folder.sweep()
        self.present = self._shards_on_disk()
        self.reach = max((stop for _, stop in self.present.values()), default=0)

    def run(self) -> Run:
        units = self.study.units(self.p)
        if self.p.precision is not None or self.p.stops_early:
            units = self._units_until_done(self.p.precision, units)
        assert units is not None
        if units < self.reach:
            self.notes.append(f"{self.folder} already holds {self.reach:,} {self.unit}; all are kept")
        design = self._complete(units)
        columns = self.study.table_columns(self.p)
        if not _whole_tables(self.folder, design, columns):
            self.folder.write_tables(design, columns, self._tables(len(design.plan)))
            self._write_extra_files(design)
        notes = (*self.notes, *self.study.notes(self.p, self._tables_on_disk()))
        return Run(self.folder, self.study, design, played=self.played, notes=notes)

    def _write_extra_files(self, design: Design) -> None:
        paths = [self.folder.shard_file(index) for index in range(len(design.plan))]
        shards = scan_chunks(self.study, self.p, paths)
        for name, content in self.study.extra_files(self.p, self._tables_on_disk(), shards).items():
            write_whole(self.folder.path / name, content)

    def _tables_on_disk(self) -> dict[str, pl.DataFrame]:
        columns = self.study.table_columns(self.p)
        return {name: read_table(self.folder.table_file(name))[0] for name in columns}

    def _check_same_design(self, there: Design) -> None:
        differences = there.differences(design_of(self.study, self.p, there.plan))
        if differences:
            raise RunError(f"{self.folder} holds another run ({'; '.join(differences)}); choose another "
                           "folder, or remove that one")

    def _shards_on_disk(self) -> dict[int, tuple[int, int]]:
        """Returns the chunks on disk by number; RunError for one that cannot be one of this run's."""
        try:
            found = self.folder.shards()
        except RunError as error:
            raise RunError(f"{error}; remove it and run the same command again") from None
        expected = design_of(self.study, self.p, Plan(units=1, chunk=self.size))
        for shard in found:
            full = shard.index * self.size, (shard.index + 1) * self.size
            if self.on_disk is None or shard.start != full[0] or not full[0] < shard.stop <= full[1]:
                raise RunError(f"{shard.path} is no chunk of this run; remove it")
            strange = _strange(shard, expected)
            if strange:
                raise RunError(f"{shard.path} belongs to another run ({strange} differs); remove it")
        return {shard.index: (shard.start, shard.stop) for shard in found}

    def _units_until_done(self, precision: float | None, most: int | None) -> int:
        """Plays until all is as precise as asked, or settled, and returns the units this takes.

        Each look is at a whole number of chunks from the first on, so that what is decided does not
        depend on the number of jobs or on which chunks happen to be there already.
        """
        stopping = Stopping(precision=0.0 if precision is None else precision)
        limit = None if most is None else max(most, self.reach)
        look = 1
        while True:
            units = look * self.size if limit is None else min(look * self.size, limit)
            self._complete(units, first=look)
            tables = self._tables(look)
            widths = self.study.half_widths(self.p, tables)
            if self.study.settled(self.p, tables) or (precision is not None and stopping.reached(widths)):
                return units
            if units == limit:
                if precision is not None:
                    self.notes.append(f"the widest half-width is {max(widths):.2g}, not yet {precision:g}: "
                                      f"more {self.unit} are needed")
                return units
            look = look + max(1, look // 4) if self.p.stops_early else stopping.next_look(look, widths)
            if limit is not None:
                look = min(look, len(Plan(units=limit, chunk=self.size)))

    def _complete(self, units: int, first: int | None = None) -> Design:
        """Plays what is missing among the `first` chunks (all) of a run of at least so many units."""
        design = design_of(self.study, self.p, Plan(units=max(units, self.reach), chunk=self.size))
        plan = design.plan
        if len(plan) > MOST_CHUNKS:
            raise UsageError(
                f"{plan.units:,} {self.unit} in chunks of {plan.chunk:,} are {len(plan):,} files; at "
                f"most {MOST_CHUNKS:,} can be: take fewer {self.unit} or larger chunks"
            )
        if self.on_disk is None or (self.on_disk.plan, self.on_disk.precision) != (plan, design.precision):
            self.folder.write_design(design)
            self.on_disk = design
        chunks = range(len(plan) if first is None else first)
        missing = [index for index in chunks if self.present.get(index) != plan.bounds(index)]
        self._tell(plan)
        for index in self._play(plan, missing):
            self.present[index] = plan.bounds(index)
            self.played += plan.bounds(index)[1] - plan.bounds(index)[0]
            self._tell(plan)
        return self.on_disk

    def _play(self, plan: Plan, missing: Sequence[int]) -> Iterator[int]:
        """Plays chunks and writes them, on as many cores as asked; yields their numbers as they finish."""
        tasks = [_Task(self.study, self.p, self.folder, index, *plan.bounds(index)) for index in missing]
        jobs = min(len(tasks), self.jobs or (_cores() if len(tasks) > 1 else 1))
        halt = _Halt()
        failed: Exception | None = None
        with _stoppable(halt):
            finished = (task.play(halt) for task in tasks) if jobs <= 1 else self._spread(tasks, jobs, halt)
            # After a failure, too, this goes on to the end: nobody may still be at work in the folder
            # when the lock is let go.
            for index in finished:
                if isinstance(index, Exception):
                    failed, halt.now = failed or index, True
                elif index is not None:
                    yield index
        if failed is not None:
            raise failed
        if halt.now:
            raise KeyboardInterrupt

    def _spread(
        self, tasks: Iterable[_Task], jobs: int, halt: _Halt
    ) -> Iterator[int | Exception | None]:
        """Has joblib do the tasks on several cores, on the backend that its caller chose, if any."""
        import joblib

        own = {}
        backend = self.study.backend(self.p)
        if backend == "processes":
            own = {"initializer": _begin_worker, "initargs": (os.getpid(),)}
        finished = joblib.Parallel(
            n_jobs=jobs, prefer=backend, return_as="generator_unordered", batch_size=1, **own
        )(joblib.delayed(_Task.play)(task, halt) for task in takewhile(lambda task: not halt.now, tasks))
        with closing(finished):
            yield from finished

    def _tell(self, plan: Plan) -> None:
        done = sum(stop - start for start, stop in self.present.values())
        self.watch(Progress(self.unit, min(done, plan.units), plan.units, self.played))

    def _tables(self, chunks: int) -> dict[str, pl.DataFrame]:
        """Returns the study's tables from the first chunks."""
        import polars as pl

        paths = [self.folder.shard_file(index) for index in range(chunks)]
        try:
            return self.study.summarise(self.p, scan_chunks(self.study, self.p, paths))
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
            for path in paths:
                read_table(path)        # raises what a user can act on, if a file is to blame
            raise


class _Halt:
    """Says to begin no more chunks; each worker process has a copy of its own."""

    now = False


@contextmanager
def _stoppable(halt: _Halt) -> Iterator[None]:
    """Makes a Ctrl-C wait for the chunks under way; a second one does not wait.

    An exception that a signal raises in the middle of anything could be lost in a callback, or lose a
    chunk that is nearly written.  Where somebody else handles the signal it is left to him.
    """
    alone = threading.current_thread() is threading.main_thread()
    if not alone or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        if halt.now:
            signal.default_int_handler(number, frame)
        halt.now = True

    signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _begin_worker(parent: int) -> None:
    """Leaves Ctrl-C to the parent, and makes a worker process end soon after its parent, which may be
    killed without a word to it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@dataclass(frozen=True)
class _Task:
    """One chunk to play and to write, wherever joblib puts it."""

    study: Study[Any]
    p: Parameters
    folder: Folder
    index: int
    start: int
    stop: int

    def play(self, halt: _Halt) -> int | Exception | None:
        """Plays the chunk, writes it, and returns its number, or what went wrong.

        Returns None when nothing more is to be begun.
        """
        if halt.now:
            return None
        try:
            rows = self.study.chunk(self.p, self.start, self.stop)
            columns = self.study.columns(self.p)
            design = design_of(self.study, self.p, Plan(units=self.stop, chunk=self.stop))
            self.folder.write_shard(design, columns, self.index, self.start, self.stop, rows)
        except Exception as error:
            halt.now = True
            if not isinstance(error, CourtpieceError):      # another process would lose where it was raised
                error.add_note(f"in {self.study.name}, units {self.start} to {self.stop - 1}:\n"
                               f"{traceback.format_exc()}")
            return error
        return self.index


def design_of(study: Study[Any], p: Parameters, plan: Plan) -> Design:
    """Returns what study.json tells of a run."""
    command = ["courtpiece", "run", study.name]
    for about in parameter_fields(type(p)):
        if about.metadata["design"]:
            option = "--" + about.name.replace("_", "-")
            command += [part for text in p.typed(about.name) for part in (option, text)]
    return Design(
        study=study.name,
        behaviour=", ".join([
            f"courtpiece {BEHAVIOUR}", f"{study.name} {study.version}",
            *(f"{player} {player.version}" for player in p.own_players if player.version),
        ]),
        parameters=p.design(),
        shown=p.shown(),
        rules={name_of(rules): str(rules) for rules in p.rules},
        unit=study.extent_of(p),
        plan=plan,
        precision=p.precision,
        command=shlex.join([*command, "--" + study.extent_of(p).replace("_", "-"), str(plan.units)]),
        package=_package_version(),
    )


def _strange(shard: Shard, design: Design) -> str:
    """Returns what shows that a chunk was made by another run, or ""."""
    told = (("study", design.study), ("behaviour", design.behaviour), ("parameters", design.parameters))
    return next((key for key, value in told if shard.about.get(key) != value), "")


def scan_chunks(study: Study[Any], p: Parameters, paths: list[Path]) -> pl.LazyFrame:
    """Returns the rows of some chunks, unread."""
    import polars as pl

    return pl.scan_parquet(paths, glob=False) if paths else pl.LazyFrame(schema=schema(study.columns(p)))


def _summarised(folder: Folder, design: Design, tables: Iterable[str]) -> bool:
    """True when the tables on disk are those of the whole run."""
    if not all(folder.table_file(name).exists() for name in tables):
        return False
    about = read_metadata(folder.table_file("summary"))
    return about.get("units") == design.plan.units and about.get("behaviour") == design.behaviour


def _whole_tables(folder: Folder, design: Design, tables: Iterable[str]) -> bool:
    """True when the tables on disk are those of the whole run, and none of them is damaged."""
    try:
        if not _summarised(folder, design, tables):
            return False
        for name in tables:
            read_table(folder.table_file(name))
    except RunError:
        return False
    return True


def _package_version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("courtpiece")
    except PackageNotFoundError:        # run from its sources
        return ""


def _cores() -> int:
    """Returns how many cores this process may use."""
    import joblib

    return int(joblib.cpu_count())
