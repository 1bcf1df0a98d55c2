"""Chunks spread by joblib over the cores of this machine, or over a cluster, and done however workers end.

joblib's own backends do the work: threads, loky, dask, ray.  Never more chunks are handed out than keep the
workers busy.  That workers died is told apart from all else, so that others can go on with what they were at.
"""

from __future__ import annotations

import os
import queue
import re
import threading
import time
import traceback
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from courtpiece.design import Plan, design_of
from courtpiece.errors import CourtpieceError, PlayerError, RunError, UsageError, one_line, suggest
from courtpiece.patience import patience
from courtpiece.signals import Halt, left_to_the_parent
from courtpiece.store import Folder, LeftOut
from courtpiece.studies.study import Parameters, Study, counted, schema

if TYPE_CHECKING:
    import polars as pl

BACKENDS = ("loky", "threading", "dask", "ray")
PATIENCE = 600.0                        # seconds that a player in Python may take over one decision
_CLUSTERS = ("dask", "ray")
_CONNECT, _RECONNECT = 10, 60           # seconds to wait for a scheduler; for one that was there, or results
_FOR_EVER = 1e9                         # seconds to wait for the first worker
_LOOK = 1.0                             # seconds between two looks at what dask says
_UNFIT = 70                             # how a worker ends that is in no state to go on
_MOST_LEFT_OUT = 10, 0.01               # units, and the share of all, that may be left out


@dataclass(frozen=True, kw_only=True)
class Workers:
    """Who plays the chunks.

    `jobs` is the number of chunks played at once: all cores by default, all that the cluster has when the run
    begins.  `backend` is joblib's: by default threads or processes of this machine, as the study finds good.
    `scheduler` is the address of dask's.  `patience` is how many seconds a player in Python may take over one
    decision.
    """

    jobs: int | None = None
    backend: str | None = None
    scheduler: str | None = None
    patience: float = PATIENCE

    def __post_init__(self) -> None:
        if self.jobs is not None and self.jobs < 1:
            raise UsageError(f"jobs: must be at least 1, not {self.jobs}")
        if self.backend is not None and self.backend not in BACKENDS:
            hint = suggest(self.backend, BACKENDS) or f"; there are {', '.join(BACKENDS)}"
            raise UsageError(f'backend: there is no "{self.backend}"{hint}')
        if self.scheduler is not None and self.backend != "dask":
            raise UsageError("scheduler: goes with backend dask alone")
        if not self.patience > 0:
            raise UsageError(f"patience: must be above 0, not {self.patience:g}")

    @property
    def remote(self) -> bool:
        """True when the workers may be on other machines."""
        return self.backend in _CLUSTERS


class Done(NamedTuple):
    """A chunk that is on disk, by its number, and the units left out of it."""

    chunk: int
    left_out: tuple[LeftOut, ...]


@dataclass(frozen=True)
class Task:
    """One chunk to play and to write, wherever joblib puts it."""

    study: Study[Any]
    p: Parameters
    folder: Folder
    behaviour: str                      # of the package that hands it out
    index: int
    start: int
    stop: int
    patience: float

    def play(self, halt: Halt) -> Done | Exception | None:
        """Plays the chunk, writes it, and returns what was done, or what went wrong.

        Returns None when nothing more is to be begun.
        """
        if halt.now:
            return None
        try:
            design = design_of(self.study, self.p, Plan(units=self.stop, chunk=self.stop))
            if design.behaviour != self.behaviour:
                raise RunError(f"a worker's package gives other results ({design.behaviour}) than this one "
                               f"({self.behaviour}): install the same version everywhere")
            with patience(self.patience):
                rows, left_out = played(self.study, self.p, self.start, self.stop)
            columns = self.study.columns(self.p)
            self.folder.write_shard(design, columns, self.index, self.start, self.stop, rows, left_out)
        except Exception as error:
            halt.now = True
            if not isinstance(error, CourtpieceError):      # another process would lose where it was raised
                error.add_note(f"in {self.study.name}, units {self.start} to {self.stop - 1}:\n"
                               f"{traceback.format_exc()}")
            return error
        except BaseException:           # what libraries panic with when a player closed their files
            if _is_worker and self.p.foreign_players:
                os._exit(_UNFIT)
            raise
        return Done(self.index, left_out)


def played(
    study: Study[Any], p: Parameters, start: int, stop: int
) -> tuple[pl.DataFrame, tuple[LeftOut, ...]]:
    """Returns the results of units start to stop-1, and which of them were left out.

    A unit in which a player in Python raises an error, breaks a rule, or thinks too long is left out: the
    units before and after it are played without it.  Raises PlayerError when that happens to too many.
    """
    import polars as pl

    waiting, parts, left_out = [(start, stop)], [], []
    while waiting:
        first, after = waiting.pop()
        try:
            parts.append(study.chunk(p, first, after))
        except PlayerError as error:
            if after - first == 1:
                left_out.append(LeftOut(first, one_line(str(error))))
                check_left_out(left_out, stop - start, study.extent_of(p))
            else:
                waiting += reversed(_around(error.deal, first, after))
    rows = pl.concat(parts) if parts else pl.DataFrame(schema=schema(study.columns(p)))
    return rows, tuple(left_out)


def _around(deal: int | None, first: int, after: int) -> list[tuple[int, int]]:
    """Returns ranges of units, of which one is the deal, where it can be a unit, or halves."""
    if deal is None or not first <= deal < after:
        deal = (first + after) // 2
        return [(first, deal), (deal, after)]
    ranges = [(first, deal), (deal, deal + 1), (deal + 1, after)]
    return [(one, other) for one, other in ranges if one < other]


def check_left_out(left_out: Sequence[LeftOut], units: int, unit: str) -> None:
    """Raises PlayerError when too many of some units are left out for the others to tell much."""
    least, share = _MOST_LEFT_OUT
    if len(left_out) > max(least, share * units):
        first = left_out[0]
        raise PlayerError(f"{first.why}; and so in {len(left_out)} of {counted(units, unit)}, which are too "
                          "many to be left out")


# --- spreading ---------------------------------------------------------------------------------------


Result = TypeVar("Result")
Outcome = Done | Exception | str | None     # of a task, or a word to a person who watches


class WorkersLostError(Exception):
    """Workers ended without a word; what they were at is to be done again."""

    @property
    def by_memory(self) -> bool:
        """True when too little memory may be why: the system kills for that, and dask does."""
        return any(word in str(self) for word in ("SIGKILL", "memory", "workers died"))


def spread(
    tasks: Iterator[Task],
    count: int,
    workers: Workers,
    prefer: str,
    halt: Halt,
    *,
    apart: bool = False,
    again: bool = False,
) -> Generator[Outcome, None, None]:
    """Has joblib do up to `count` tasks; yields what each returns, in the order in which they finish.

    A text among the outcomes is a word to who watches.

    Without a backend of its own it is the one that its caller chose for joblib, if any, else threads or
    processes as `prefer` says.  `apart` when no task is to be done in this process, not even one at a time;
    `again` when workers died before: then, too, and a scheduler that is not there may come back.  Raises
    WorkersLostError.
    """
    if workers.backend == "dask":
        return _on_dask(tasks, workers, halt, again=again)
    jobs = min(count, workers.jobs or (_cores() if count > 1 else 1))
    if workers.backend is None and jobs <= 1 and not (apart or again):
        return (task.play(halt) for task in tasks)
    return _on_this_machine(tasks, jobs, workers, prefer, halt, apart=apart or again)


def in_a_worker(call: Callable[..., Result], *arguments: Any, patience: float) -> Result:
    """Returns what a call returns in a worker process, which it may end; raises WorkersLostError then.

    Each decision of a player in Python may take `patience` seconds.
    """
    import joblib

    try:
        [result] = joblib.Parallel(n_jobs=2, prefer="processes", **_ONE_AT_A_TIME, **_beginning())(
            [joblib.delayed(_patiently)(patience, call, arguments)]
        )
    except BrokenProcessPool as error:
        raise WorkersLostError(_how_ended(error)) from error
    return cast(Result, result)


def _patiently(seconds: float, call: Callable[..., Any], arguments: Sequence[Any]) -> Any:
    with patience(seconds):
        return call(*arguments)


def _on_this_machine(
    tasks: Iterator[Task], jobs: int, workers: Workers, prefer: str, halt: Halt, *, apart: bool
) -> Generator[Outcome, None, None]:
    import joblib

    own: dict[str, Any] = {"prefer": prefer}
    died: tuple[type[Exception], ...] = (BrokenProcessPool,)
    with ExitStack() as stack:
        if workers.backend == "ray":
            died = _ray_errors()
            stack.enter_context(_on_ray(workers))
            own, jobs = {}, -1
        elif workers.backend is not None:
            stack.enter_context(joblib.parallel_config(backend=workers.backend))
            own = {}
        if workers.backend == "loky" or (workers.backend is None and prefer == "processes"):
            own |= _beginning()
            if apart and jobs == 1:     # of which joblib would make this process
                jobs, own = 2, own | _ONE_AT_A_TIME
        finished = joblib.Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=1, **own)(
            joblib.delayed(Task.play)(task, halt) for task in tasks
        )
        try:
            with closing(finished):
                yield from finished
        except died as error:
            raise WorkersLostError(_how_ended(error)) from error


def _ray_errors() -> tuple[type[Exception], ...]:
    try:
        from ray.exceptions import RayError
        from ray.util.joblib import register_ray
    except ImportError as error:
        raise UsageError(f"backend ray needs a package that is not installed ({error}): pip install "
                         "ray") from None
    register_ray()
    return (RayError,)


@contextmanager
def _on_ray(workers: Workers) -> Iterator[None]:
    """Has joblib use ray for `workers.jobs` chunks at once, or for as many as the cluster has cores.

    It hands results on as they come, though its backend says that it does not.
    """
    import joblib
    from joblib.parallel import get_active_backend

    with joblib.parallel_config(backend="ray"):
        backend, _ = get_active_backend()
        cores = backend.effective_n_jobs
        backend.effective_n_jobs = lambda n_jobs: min(cores(n_jobs), workers.jobs or cores(n_jobs))
        backend.supports_return_generator = True
        yield


def _on_dask(
    tasks: Iterator[Task], workers: Workers, halt: Halt, *, again: bool
) -> Generator[Outcome, None, None]:
    """Has joblib's backend do the tasks, in a thread, as it waits for ever for a task whose workers died.

    What dask says of the tasks is looked at meanwhile, and of the scheduler.  When that looks bad the thread
    is left to itself: its client may hang, too.
    """
    found: queue.SimpleQueue[Any] = queue.SimpleQueue()
    lost: list[BaseException] = []      # of tasks that joblib now waits for
    over = threading.Event()
    seconds = _RECONNECT if again else _CONNECT

    def still_wanted() -> Iterator[Task]:
        while not over.is_set() and (task := next(tasks, None)) is not None:
            yield task

    def look_for_workers(client: Any) -> None:
        there = True
        with suppress(Exception):       # of a client that is no more
            while not over.is_set():
                before, there = there, bool(client.ncores())
                if before and not there:
                    found.put(f"waiting for workers: `dask worker {client.scheduler.address}` starts one")
                over.wait(_LOOK)

    def consume() -> None:
        import joblib

        try:
            with _client(workers, seconds) as client:
                found.put(_Connected(client))
                threading.Thread(target=look_for_workers, args=(client,), daemon=True).start()
                with _cluster(workers, client, lost.append):
                    finished = joblib.Parallel(n_jobs=-1, return_as="generator_unordered", batch_size=1)(
                        joblib.delayed(Task.play)(task, halt) for task in still_wanted()
                    )
                    for outcome in finished:
                        found.put(outcome)
            found.put(_Finished(None))
        except BaseException as error:
            found.put(_Finished(error))

    threading.Thread(target=consume, daemon=True).start()
    client, deadline = None, time.monotonic() + 2 * seconds
    try:
        while True:
            try:
                item = found.get(timeout=_LOOK)
            except queue.Empty:
                if client is not None and _is_at_work(client, workers, lost):
                    deadline = time.monotonic() + _RECONNECT
                elif time.monotonic() > deadline:
                    if client is None:
                        raise _no_scheduler(workers, TimeoutError("no answer"), again=again) from None
                    raise WorkersLostError("dask is done, and some results did not come") from None
                continue
            deadline = time.monotonic() + _RECONNECT
            if isinstance(item, _Connected):
                client = item.client
            elif not isinstance(item, _Finished):
                yield item
            elif item.error is None:
                return
            elif client is None:
                raise _no_scheduler(workers, item.error, again=again) from item.error
            else:
                raise WorkersLostError(_first_line(item.error)) from item.error
    finally:
        over.set()


@contextmanager
def _cluster(workers: Workers, client: Any, lost: Callable[[BaseException], None]) -> Iterator[None]:
    """Has joblib use dask for `workers.jobs` chunks at once, or for as many as it has cores now.

    That is two at least: joblib would do all in this process for a cluster of one core, and stay at it.
    `lost` is told why dask gives a task up, which joblib is not.
    """
    import joblib
    from joblib.parallel import get_active_backend

    with joblib.parallel_config(backend="dask", client=client, wait_for_workers_timeout=_FOR_EVER):
        backend, _ = get_active_backend()
    cores = backend.effective_n_jobs    # waits for the first worker
    backend.effective_n_jobs = lambda n_jobs: max(2, cores(n_jobs), workers.jobs or 0)
    submit = backend.submit

    def tell(future: Future[Any]) -> None:
        if (error := future.exception()) is not None:
            lost(error)

    def submit_watched(*arguments: Any, **options: Any) -> Future[Any]:
        future: Future[Any] = submit(*arguments, **options)
        future.add_done_callback(tell)
        return future

    backend.submit = submit_watched
    with joblib.parallel_config(backend=backend):
        yield


class _Connected(NamedTuple):
    """The beginning of the results."""

    client: Any


class _Finished(NamedTuple):
    """The end of the results, or what ended them."""

    error: BaseException | None


@contextmanager
def _client(workers: Workers, seconds: float) -> Iterator[Any]:
    """Gives dask's client for a scheduler, or that of the caller, which is left open, when none is named."""
    from distributed import get_client

    if workers.scheduler is None:
        yield get_client()
        return
    with _kind_of_client()(workers.scheduler, set_as_default=False, timeout=seconds) as client:
        yield client


@cache
def _kind_of_client() -> Any:
    """Returns dask's class of clients, closing those that find no scheduler.

    Dask leaves these to the garbage collector, and closes them wherever that comes to run: also where another
    client just begins, which has the lock that closing waits for, and then waits for ever.
    """
    from distributed import Client

    class TidyClient(Client):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            try:
                super().__init__(*arguments, **options)     # type: ignore[no-untyped-call]
            except BaseException:
                with suppress(Exception):
                    self.close()        # type: ignore[no-untyped-call]
                raise

    return TidyClient


def _no_scheduler(workers: Workers, error: BaseException, *, again: bool) -> Exception:
    """Returns what to raise when dask could not be connected to."""
    if isinstance(error, ImportError):
        return UsageError(f"backend dask needs a package that is not installed ({error}): pip install "
                          '"courtpiece[cluster]"')
    if workers.scheduler is None:
        return UsageError("backend dask needs the address of a scheduler, such as --scheduler "
                          "tcp://HOST:8786; `dask scheduler` starts one")
    if "unexpected keyword argument" in str(error):
        return RunError(f"what answers at {workers.scheduler} is no scheduler of this version of dask, but a "
                        f"worker, or of another version: install the same everywhere ({_first_line(error)})")
    if again:
        return WorkersLostError(f"no scheduler answers at {workers.scheduler}")
    return RunError(f"no scheduler answers at {workers.scheduler}; `dask scheduler` starts one "
                    f"({_first_line(error)})")


def _is_at_work(client: Any, workers: Workers, lost: Sequence[BaseException]) -> bool:
    """True when dask has tasks to do; raises WorkersLostError when one is lost, or the scheduler."""
    if client.status != "running":
        raise WorkersLostError(f"the connection to the scheduler at {workers.scheduler} is lost")
    states = list(client.futures.values())
    for error in [*lost, *(state.exception for state in states if state.status == "error")]:
        raise WorkersLostError(_how_many_died(error))
    if any(state.status == "cancelled" for state in states):    # one that is "lost" is made anew
        raise WorkersLostError(f"the scheduler at {workers.scheduler} lost a task")
    return any(state.status != "finished" for state in states)


def _how_ended(error: Exception) -> str:
    """Returns how a worker process ended: the signals or statuses at the end of loky's long text."""
    statuses = re.search(r"exit codes of the workers are \{([^}]*)\}", str(error))
    how = statuses[1] if statuses else _first_line(error)
    return f"a worker process ended ({how})" if how else "a worker process cannot be reached any more"


def _how_many_died(error: BaseException) -> str:
    """Returns why dask gives a task up, without what it tells of the task."""
    workers = re.search(r"on (\d+) different workers, but all those workers died", str(error))
    if workers is None:
        return _first_line(error)
    return f"{workers[1]} workers died of it one after another, and their logs tell why"


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


# --- this process and its workers --------------------------------------------------------------------


# Two processes for one task at a time: joblib does in this process what it has one for.
_ONE_AT_A_TIME: dict[str, Any] = {"pre_dispatch": 1}
_is_worker = False


def _beginning() -> dict[str, Any]:
    return {"initializer": _begin_worker, "initargs": (os.getpid(),)}


def _begin_worker(parent: int) -> None:
    """Leaves Ctrl-C and the like to the parent, and makes a worker process end soon after its parent, which
    may be killed without a word to it, and soon after its work, whatever threads a player left in it."""
    global _is_worker
    _is_worker = True
    left_to_the_parent()

    def watch() -> None:
        while os.getppid() == parent and threading.main_thread().is_alive():
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _cores() -> int:
    """Returns how many cores this process may use."""
    import joblib

    return int(joblib.cpu_count())
