"""Running a study: chunks over cores, kept on disk, gone on with, extended.

A chunk's results depend on the parameters and the numbers of its units alone, and a study's tables on
the sum of all chunks.  So the tables are equal to the last bit for any number of jobs, any chunk size,
any backend of joblib, and however often a run was interrupted.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from math import inf, isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from courtpiece.chunks import Done, Task, WorkersLostError, check_left_out
from courtpiece.design import MOST_CHUNKS, Design, Plan, design_of
from courtpiece.errors import PlayerError, RunError, UsageError, told
from courtpiece.patience import patience as patient
from courtpiece.places import write_whole
from courtpiece.results import Run, read_tables, scan_chunks, whole_tables
from courtpiece.signals import Halt, Stopped, stoppable
from courtpiece.stats import Stopping
from courtpiece.store import Folder, LeftOut, Shard, read_rows, read_shard
from courtpiece.studies import find
from courtpiece.studies.study import Parameters, Study, counted
from courtpiece.workers import PATIENCE, Result, Workers, in_a_worker, spread

if TYPE_CHECKING:
    import polars as pl

_FRUITLESS = 3                          # times that workers may die without a chunk done in between


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is."""

    unit: str
    done: int                           # units on disk
    total: int
    played: int                         # of them, by this call
    word: str = ""                      # what a person who watches should know now


Watch = Callable[[Progress], None]


def run(
    study: str | Study[Any],
    *,
    out: str | os.PathLike[str] | None = None,
    jobs: int | None = None,
    chunk: int | None = None,
    backend: str | None = None,
    scheduler: str | None = None,
    patience: float = PATIENCE,
    watch: Watch | None = None,
    **parameters: Any,
) -> Run:
    """Runs a study, or goes on with it, and returns the run, complete.

    `out` is its folder (results/NAME), or an address of fsspec such as s3://bucket/run; `chunk` is the number
    of units in one file of results (as the study finds good); an existing run keeps the chunk size it has.
    `jobs`, `backend`, `scheduler` and `patience` say who plays the chunks: see `courtpiece.workers.Workers`.
    `watch` is told of the progress.  All else are the study's parameters.

    A folder that holds the same design is gone on with, and left alone when all is there.  A run that is
    asked for fewer units than lie there keeps what there is.  With `precision` the run goes on until
    every half-width is at most that, but not beyond the number of units when one is given; where none is
    given, it does not wait for ever for what cannot be known.

    A chunk that is damaged is played again, and so is what workers were at when they died.  A unit in which a
    player in Python fails is left out of the results; `Run.left_out` tells which.

    Raises UsageError for parameters that cannot be; RunError for a folder that holds something else or is in
    use, and when workers die again and again; PlayerError when too many units would be left out; and
    KeyboardInterrupt after a Ctrl-C, SIGTERM or SIGHUP, once the chunks under way are done (a second one does
    not wait).
    What is complete is kept in every case.
    """
    workers = Workers(jobs=jobs, backend=backend, scheduler=scheduler, patience=patience)
    wanted = study if isinstance(study, Study) else find(study)
    with patient(workers.patience):     # players in Python are loaded here
        p = wanted.parameters(parameters)
    if chunk is not None and chunk < 1:
        raise UsageError(f"chunk: must be at least 1, not {chunk}")
    folder = Folder(Path("results") / wanted.name if out is None else out)
    folder.read_design()                # refuses a folder that is no run's before anything is put there
    with folder.locked():
        return _Execution(wanted, p, folder, workers, chunk, watch).run()


class _Execution:
    """One call of `run`, in possession of the folder."""

    def __init__(
        self,
        study: Study[Any],
        p: Parameters,
        folder: Folder,
        workers: Workers,
        chunk: int | None,
        watch: Watch | None,
    ) -> None:
        self.study, self.p, self.folder, self.workers = study, p, folder, workers
        self.unit = study.extent_of(p)
        self.watch = watch or (lambda progress: None)
        self.played = 0
        self.left_out: dict[int, LeftOut] = {}
        self.notes: list[str] = []
        self.on_disk = folder.read_design()
        self.apart = _plays_apart(p, workers)
        if self.on_disk is None:
            timed = f"when the first {self.unit} were played to see how long they take"
            self.size = chunk or self._call(timed, study.chunk_of, p)
        else:
            self._check_same_design(self.on_disk)
            self.size = self.on_disk.plan.chunk
            if chunk not in (None, self.size):
                self.notes.append(f"{folder} keeps its chunks of {self.size:,} {self.unit}")
        folder.sweep()
        self.damaged: list[int] = []
        self.ends = self._ends_on_disk()
        self.there = int((self.ends - np.arange(len(self.ends)) * self.size)[self.ends > 0].sum())
        self.reach = self._reach()

    def run(self) -> Run:
        units = self.study.units(self.p)
        if self.p.precision is not None or self.p.stops_early:
            units = self._units_until_done(self.p.precision, units)
        assert units is not None
        if units < self.reach:
            self.notes.append(f"{self.folder} already holds {self.reach:,} {self.unit}; all are kept")
        design = self._complete(units)
        self._tell_left_out(design)
        columns = self.study.table_columns(self.p)
        if not whole_tables(self.folder, design, columns):
            tables = self._tables(len(design.plan))
            self._write_extra_files(design, tables)     # before the tables, which vouch for them
            self.folder.write_tables(design, columns, tables)
        notes = (*self.notes, *self.study.notes(self.p, self._tables_on_disk()))
        return Run(self.folder, self.study, design, played=self.played, notes=notes)

    def _tell_left_out(self, design: Design) -> None:
        """Notes which units are in no result; raises PlayerError when all are."""
        left_out = [self.left_out[unit] for unit in sorted(self.left_out)]
        if not left_out:
            return
        if len(left_out) >= design.plan.units:
            raise PlayerError(left_out[0].why)
        are = "is" if len(left_out) == 1 else "are"
        self.notes.append(f"{counted(len(left_out), self.unit)} of {design.plan.units:,} {are} in no result: "
                          f"{'the first: ' * (len(left_out) > 1)}{left_out[0].why}")

    def _write_extra_files(self, design: Design, tables: Mapping[str, pl.DataFrame]) -> None:
        shards = scan_chunks(self.study, self.p, self.folder.local_shards(range(len(design.plan))))
        again = f"when {self.unit} were played again for the files beside the tables"
        files = self._call(again, self.study.extra_files, self.p, tables, shards)
        for name, content in files.items():
            write_whole(self.folder.path / name, content)

    def _call(self, when: str, call: Callable[..., Result], *arguments: Any) -> Result:
        """Returns what a method of the study returns that may have players in Python play.

        `when` says at what these end their process, if they do.
        """
        if not self.apart:
            with patient(self.workers.patience):
                return call(*arguments)
        try:
            return in_a_worker(call, *arguments, patience=self.workers.patience)
        except WorkersLostError as died:
            raise RunError(f"{died} {when}{self._advice(died)}") from died

    def _tables_on_disk(self) -> dict[str, pl.DataFrame]:
        return read_tables(self.folder, self.study.table_columns(self.p))

    def _check_same_design(self, there: Design) -> None:
        differences = there.differences(design_of(self.study, self.p, there.plan))
        if differences:
            raise RunError(f"{self.folder} holds another run ({'; '.join(differences)}); choose another "
                           "folder, or remove that one")

    def _ends_on_disk(self) -> NDArray[np.int64]:
        """Returns, by the number of a chunk, the unit after its last that lies on disk, 0 where it does not.

        What is damaged counts as not there.  Raises RunError for a chunk that cannot be one of this run's.
        """
        indices = self.folder.shard_indices()
        if indices and indices[-1] >= MOST_CHUNKS:
            raise self._no_chunk(self.folder.shard_file(indices[-1]))
        ends = np.zeros(indices[-1] + 1 if indices else 0, np.int64)
        expected = design_of(self.study, self.p, Plan(units=1, chunk=self.size))
        for shard in self.folder.shards():
            full = shard.index * self.size, (shard.index + 1) * self.size
            if self.on_disk is None or shard.start != full[0] or not full[0] < shard.stop <= full[1]:
                raise self._no_chunk(self.folder.shard_file(shard.index))
            strange = _strange(shard, expected)
            if strange:
                path = self.folder.shard_file(shard.index)
                raise RunError(f"{path} belongs to another run ({strange} differs); remove it")
            ends[shard.index] = shard.stop
            self._leave_out(shard.left_out)
        self.damaged = [index for index in indices if not ends[index]]
        if self.damaged:
            first = f"{self.folder.shard_file(self.damaged[0])} is damaged"
            also = f", and {len(self.damaged) - 1} more" if len(self.damaged) > 1 else ""
            self.notes.append(f"{first}{also}: played again")
        return ends

    def _reach(self) -> int:
        """Returns the unit after the last that lies on disk, or did before it was damaged."""
        ends = [int(self.ends.max(initial=0))]
        if self.on_disk is not None:
            plan = self.on_disk.plan
            ends += [plan.bounds(index)[1] for index in self.damaged if index < len(plan)]
        return max(ends)

    def _leave_out(self, units: Iterable[LeftOut]) -> None:
        self.left_out |= {left_out.unit: left_out for left_out in units}

    def _no_chunk(self, path: Path) -> RunError:
        return RunError(f"{path} is no chunk of this run; remove it")

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
                    widest = max(widths, default=inf)
                    shown = f"{widest:.2g}" if isfinite(widest) else "not known yet"
                    self.notes.append(f"the widest half-width is {shown}, to be {precision:g}: "
                                      f"more {self.unit} are needed")
                return units
            if precision is not None and limit is None and stopping.in_vain(look, widths):
                unknown = sum(not isfinite(width) for width in widths)
                self.notes.append(
                    f"{unknown} of {len(widths)} half-widths are not known yet, and may never be; the others "
                    f"are at most {precision:g}: to go on, say how many {self.unit}"
                )
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
        chunks = len(plan) if first is None else first
        self.ends = np.pad(self.ends, (0, max(0, chunks - len(self.ends))))
        self._tell(plan)
        for _ in self._play(plan, chunks):
            self._tell(plan)
        return self.on_disk

    def _play(self, plan: Plan, chunks: int) -> Iterator[int]:
        """Plays what is missing among the first chunks and writes it; yields the number of each when done."""
        halt = Halt()
        failed: Exception | None = None
        deaths: Counter[int] = Counter()    # by chunk: how often workers died while it was played
        fruitless = 0
        with stoppable(halt, lambda word: self._say(word, plan)):
            while not halt.now and (missing := self._missing(plan, chunks, deaths)):
                handed: set[int] = set()
                again = bool(fruitless or deaths)
                with closing(self._outcomes(plan, missing, handed, halt, again=again)) as outcomes:
                    # After a failure, too, this goes on to the end: nobody may still be at work in the folder
                    # when the lock is let go.
                    for outcome in outcomes:
                        if isinstance(outcome, Done):
                            fruitless = 0
                            yield outcome.chunk
                        elif isinstance(outcome, WorkersLostError):
                            for chunk in self._written(plan, handed):
                                fruitless = 0
                                yield chunk
                            deaths.update(handed)
                            fruitless += 1
                            if fruitless >= _FRUITLESS:
                                raise self._gives_up(outcome, plan, handed) from outcome
                            self._say(f"{outcome}; going on", plan)
                        else:
                            failed, halt.now = failed or outcome, True
        if deaths or self.workers.remote:   # dask replaces workers without a word
            self.folder.sweep()
        if failed is not None:
            raise failed
        if halt.now:
            raise Stopped(halt.by)

    def _outcomes(
        self, plan: Plan, missing: Sequence[int], handed: set[int], halt: Halt, *, again: bool
    ) -> Generator[Done | Exception, None, None]:
        """Has workers play chunks; yields what is done, why the run cannot go on, and that workers died.

        `handed` holds the chunks that workers are at.
        """
        outcomes = spread(self._tasks(plan, missing, handed, halt), len(missing), self.workers,
                          self.study.backend(self.p), halt, apart=self.apart, again=again)
        try:
            with closing(outcomes):
                for outcome in outcomes:
                    if isinstance(outcome, Done):
                        handed.discard(outcome.chunk)
                        yield self._problem(outcome, plan) or outcome
                    elif isinstance(outcome, str):
                        self._say(outcome, plan)
                    elif outcome is not None:
                        yield outcome
        except WorkersLostError as died:
            yield died

    def _missing(self, plan: Plan, chunks: int, deaths: Counter[int]) -> list[int]:
        """Returns chunks to play: what is missing, and when nothing else is, what workers died of.

        Those are played one at a time, as others may have died with one; on a cluster at first all at once,
        which may be many.
        """
        ends = np.minimum((np.arange(chunks, dtype=np.int64) + 1) * plan.chunk, plan.units)
        missing: list[int] = np.flatnonzero(self.ends[:chunks] != ends).tolist()
        if not deaths:
            return missing
        for most in (0, 1) if self.workers.remote else (0,):
            if innocent := [index for index in missing if deaths[index] <= most]:
                return innocent
        return sorted(missing, key=lambda index: deaths[index])[:1]

    def _tasks(self, plan: Plan, missing: Sequence[int], handed: set[int], halt: Halt) -> Iterator[Task]:
        folder = self.folder.absolute()         # workers may be elsewhere, or be led there by a player
        behaviour = design_of(self.study, self.p, plan).behaviour
        for index in missing:
            if halt.now:
                return
            handed.add(index)
            start, stop = plan.bounds(index)
            yield Task(self.study, self.p, folder, behaviour, index, start, stop, self.workers.patience)

    def _written(self, plan: Plan, handed: set[int]) -> Iterator[int]:
        """Yields what workers wrote before they were lost, and takes it from the chunks handed out."""
        here = sorted(handed & set(self.folder.shard_indices()))
        for index, path in zip(here, self.folder.local_shards(here), strict=True):
            with suppress(RunError):    # it was damaged before
                shard = read_shard(path, index)
                if (shard.start, shard.stop) == plan.bounds(index):
                    handed.discard(index)
                    self._count(Done(index, shard.left_out), plan)
                    yield index

    def _count(self, done: Done, plan: Plan) -> None:
        start, stop = plan.bounds(done.chunk)
        self.there += stop - max(start, int(self.ends[done.chunk]))
        self.ends[done.chunk] = stop
        self.played += stop - start
        self._leave_out(done.left_out)

    def _problem(self, done: Done, plan: Plan) -> Exception | None:
        """Counts a chunk that was played; returns why the run cannot go on, if it cannot."""
        if self.workers.remote and not self.folder.sees_shard(done.chunk):
            return RunError(f"{self.folder.shard_file(done.chunk)} is not here though a worker wrote it: "
                            "choose a folder that all workers share, or an address such as s3://bucket/run")
        self._count(done, plan)
        try:
            check_left_out(self.left_out.values(), self.there, self.unit)
        except PlayerError as error:
            return error
        return None

    def _gives_up(self, died: WorkersLostError, plan: Plan, handed: set[int]) -> RunError:
        where = ""
        if len(handed) == 1:
            start, stop = plan.bounds(*handed)
            where = f" at {self.unit} {start} to {stop - 1}"
        return RunError(f"workers end again and again{where}: {died}; what is done is kept"
                        f"{self._advice(died)}")

    def _advice(self, died: WorkersLostError) -> str:
        """Returns what to do about workers that ended in some way, as the end of a sentence."""
        advice = ""
        if self.p.foreign_players:
            advice = f"; {' or '.join(map(str, self.p.foreign_players))} may have ended them"
        if died.by_memory:
            advice += "; with fewer jobs, or smaller chunks in another folder, each has more memory"
        return advice

    def _say(self, word: str, plan: Plan) -> None:
        self.watch(Progress(self.unit, 0, plan.units, self.played, word))

    def _tell(self, plan: Plan) -> None:
        self.watch(Progress(self.unit, min(self.there, plan.units), plan.units, self.played))

    def _tables(self, chunks: int) -> dict[str, pl.DataFrame]:
        """Returns the study's tables from the first chunks."""
        import polars as pl

        indices = range(chunks)
        paths = self.folder.local_shards(indices)
        try:
            return self.study.summarise(self.p, scan_chunks(self.study, self.p, paths))
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
            for index, path in zip(indices, paths, strict=True):
                read_shard(path, index)     # raises what a user can act on, if a file is to blame
                try:
                    read_rows(path, self.study.columns(self.p))
                except RunError as error:
                    raise RunError(f"{error}; remove it and run the same command again") from None
            raise


def _plays_apart(p: Parameters, workers: Workers) -> bool:
    """True when players play that may do anything to their process, which then is never the user's.

    Raises UsageError for one that cannot be sent to another process, unless `jobs` is 1.
    """
    if not p.foreign_players or workers.backend == "threading":
        return False
    from joblib.externals.loky.backend.reduction import dumps

    try:
        dumps(p)
    except Exception as error:
        if workers.jobs == 1 and not workers.remote:
            return False
        players = ", ".join(map(str, p.foreign_players))
        raise UsageError(f"{players} cannot be sent to other processes ({told(error)}): with jobs 1 this one "
                         "plays, or name a class in a file, as mine.py:NAME") from error
    return True


def _strange(shard: Shard, design: Design) -> str:
    """Returns what shows that a chunk was made by another run, or ""."""
    expected = {"study": design.study, "behaviour": design.behaviour, "parameters": design.parameters}
    return next((key for key, value in expected.items() if shard.about.get(key) != value), "")
