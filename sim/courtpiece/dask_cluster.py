"""Chunks spread over a cluster of dask by joblib's backend, and what is done when dask loses some.

Joblib and dask do the work.  We look on, as joblib does not notice when dask is gone or loses a task, nor
when more workers come.
"""

from __future__ import annotations

import queue
import re
import threading
import time
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from courtpiece.chunks import Outcome, Task, WorkersLostError, first_line
from courtpiece.errors import RunError, UsageError, how_to_install
from courtpiece.signals import Halt

_CONNECT, _RECONNECT = 10, 60           # seconds to wait for a scheduler; for one that was there, or results
_FOR_EVER = 1e9                         # seconds to wait for the first worker
_CALLS_A_CORE = 2                       # in flight, as joblib has it
_LOOK = 1.0                             # seconds between two looks at what dask says


def on_dask(
    tasks: Iterator[Task], halt: Halt, scheduler: str | None, jobs: int | None, *, again: bool
) -> Generator[Outcome, None, None]:
    """Has joblib's backend do the tasks, in a thread, as it waits for ever for a task whose workers died.

    What dask says of the tasks is looked at meanwhile, and of the scheduler.  When that looks bad the thread
    is left to itself: its client may hang, too.
    """
    found: queue.SimpleQueue[Any] = queue.SimpleQueue()
    work: list[_Work] = []              # that more workers get more of, once it has begun
    over = threading.Event()
    seconds = _RECONNECT if again else _CONNECT

    def still_wanted() -> Iterator[Task]:
        while not over.is_set() and (task := next(tasks, None)) is not None:
            yield task

    def look_for_workers(client: Any) -> None:
        there = 1
        with suppress(Exception):       # of a client that is no more
            while not over.is_set():
                before, there = there, sum(client.ncores().values())
                if before and not there:
                    found.put(f"waiting for workers: `dask worker {client.scheduler.address}` starts one")
                for begun in work:
                    begun.hand_out(there)
                over.wait(_LOOK)

    def consume() -> None:
        import joblib

        try:
            with _client(scheduler, seconds) as client:
                found.put(_Connected(client, client.scheduler.address))
                threading.Thread(target=look_for_workers, args=(client,), daemon=True).start()
                with _cluster(client, jobs) as cores:
                    calls = (joblib.delayed(Task.play)(task, halt) for task in still_wanted())
                    parallel = joblib.Parallel(n_jobs=-1, return_as="generator_unordered", batch_size=1,
                                               pre_dispatch=jobs or _CALLS_A_CORE * cores)
                    finished = parallel(calls)
                    if jobs is None:
                        work.append(_Work(parallel, calls, cores))
                    for outcome in finished:
                        found.put(outcome)
            found.put(_Finished(None))
        except BaseException as error:
            found.put(_Finished(error))

    threading.Thread(target=consume, daemon=True).start()
    connected, deadline = None, time.monotonic() + 2 * seconds
    try:
        while True:
            try:
                item = found.get(timeout=_LOOK)
            except queue.Empty:
                if connected is not None and _is_at_work(*connected):
                    deadline = time.monotonic() + _RECONNECT
                elif time.monotonic() > deadline:
                    if connected is None:
                        raise _no_scheduler(scheduler, TimeoutError("no answer"), again=again) from None
                    raise WorkersLostError("dask is done, and some results did not come") from None
                continue
            deadline = time.monotonic() + _RECONNECT
            if isinstance(item, _Connected):
                connected = item
            elif not isinstance(item, _Finished):
                yield item
            elif item.error is None:
                return
            elif connected is None:
                raise _no_scheduler(scheduler, item.error, again=again) from item.error
            else:
                raise WorkersLostError(_why_lost(item.error)) from item.error
    finally:
        over.set()


@contextmanager
def _cluster(client: Any, jobs: int | None) -> Iterator[int]:
    """Has joblib use dask for as many cores as it has now, or `jobs`; yields their number.

    That is two at least: joblib would do all in this process for one.  It is told of tasks that dask gives
    up, which its backend forgets.
    """
    import joblib
    from joblib.parallel import get_active_backend

    with joblib.parallel_config(backend="dask", client=client, wait_for_workers_timeout=_FOR_EVER):
        backend, _ = get_active_backend()
    there = backend.effective_n_jobs(-1)        # waits for the first worker
    cores = max(2, jobs or there)
    backend.effective_n_jobs = lambda _: cores
    submit = backend.submit

    def submit_and_tell(func: Any, callback: Callable[[BaseException], object]) -> Future[Any]:
        def tell(future: Future[Any]) -> None:
            if (error := future.exception()) is not None:
                callback(error)

        future: Future[Any] = submit(func, callback)
        future.add_done_callback(tell)
        return future

    backend.submit = submit_and_tell
    with joblib.parallel_config(backend=backend):
        yield cores


@dataclass
class _Work:
    """Calls that joblib hands out."""

    parallel: Any
    calls: Iterator[Any]
    cores: int                          # for which calls are in flight

    def hand_out(self, cores: int) -> None:
        """Has joblib hand out calls for more cores, if these are more, as it does when a call is done."""
        for _ in range(_CALLS_A_CORE * (cores - self.cores)):
            self.parallel.dispatch_one_batch(self.calls)
        self.cores = max(self.cores, cores)


class _Connected(NamedTuple):
    """The beginning of the results."""

    client: Any
    scheduler: str


class _Finished(NamedTuple):
    """The end of the results, or what ended them."""

    error: BaseException | None


@contextmanager
def _client(scheduler: str | None, seconds: float) -> Iterator[Any]:
    """Gives a client of dask's for a scheduler, that of the caller's client when none is named.

    It is one of our own: what else the caller's has dask do is nothing of this run's.
    """
    from distributed import get_client

    options = {}
    if scheduler is None:
        theirs: Any = get_client()
        scheduler, options = theirs.scheduler.address, {"security": theirs.security}
    with _kind_of_client()(scheduler, set_as_default=False, timeout=seconds, **options) as client:
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


def _no_scheduler(scheduler: str | None, error: BaseException, *, again: bool) -> Exception:
    """Returns what to raise when dask could not be connected to."""
    if isinstance(error, ImportError):
        return UsageError(f"backend dask needs a package that is not installed ({error}): "
                          f"{how_to_install('cluster')}")
    if scheduler is None:
        return UsageError("backend dask needs the address of a scheduler, such as --scheduler "
                          "tcp://HOST:8786; `dask scheduler` starts one")
    if "unexpected keyword argument" in str(error):
        return RunError(f"what answers at {scheduler} is no scheduler of this version of dask, but a "
                        f"worker, or of another version: install the same everywhere ({first_line(error)})")
    if again:
        return WorkersLostError(f"no scheduler answers at {scheduler}")
    return RunError(f"no scheduler answers at {scheduler}; `dask scheduler` starts one "
                    f"({first_line(error)})")


def _is_at_work(client: Any, scheduler: str) -> bool:
    """True when dask has tasks to do; raises WorkersLostError when one is lost, or the scheduler."""
    if client.status != "running":
        raise WorkersLostError(f"the connection to the scheduler at {scheduler} is lost")
    states = list(client.futures.values())
    if any(state.status == "cancelled" for state in states):    # one that is "lost" is made anew
        raise WorkersLostError(f"the scheduler at {scheduler} lost a task")
    return any(state.status != "finished" for state in states)


def _why_lost(error: BaseException) -> str:
    """Returns why dask gives a task up, without what it tells of the task."""
    workers = re.search(r"on (\d+) different workers, but all those workers died", str(error))
    if workers is None:
        return first_line(error)
    return f"{workers[1]} workers died of it one after another, and their logs tell why"
