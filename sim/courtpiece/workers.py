"""Chunks spread by joblib over the cores of this machine, or over a cluster, and done however workers end.

joblib's own backends do the work: threads, loky, dask, ray.  Never more chunks are handed out than keep the
workers busy.  That workers died is told apart from all else, so that others can go on with what they were at.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from courtpiece.chunks import Outcome, Task, WorkersLostError, begin_worker, first_line
from courtpiece.dask_cluster import on_dask
from courtpiece.errors import UsageError, suggest
from courtpiece.patience import check_patience, patience
from courtpiece.signals import Halt, hang_up_held_back

BACKENDS = ("loky", "threading", "dask", "ray")
PATIENCE = 600.0                        # seconds that a player in Python may take over one decision
_CLUSTERS = ("dask", "ray")


@dataclass(frozen=True, kw_only=True)
class Workers:
    """Who plays the chunks.

    `jobs` is the number of chunks played at once: all cores by default, and on dask those that come later,
    too.  `backend` is joblib's: by default threads or processes of this machine, as the study finds good.
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
        check_patience(self.patience)

    @property
    def remote(self) -> bool:
        """True when the workers may be on other machines."""
        return self.backend in _CLUSTERS


# --- spreading ---------------------------------------------------------------------------------------


Result = TypeVar("Result")


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
        return on_dask(tasks, halt, workers.scheduler, workers.jobs, again=again)
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
        with hang_up_held_back():
            results = joblib.Parallel(n_jobs=2, prefer="processes", return_as="generator", **_ONE_AT_A_TIME,
                                      **_beginning())([joblib.delayed(_patiently)(patience, call, arguments)])
        [result] = results
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
        try:
            with hang_up_held_back():   # workers of another look may die while the first tasks are handed out
                finished = joblib.Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=1, **own)(
                    joblib.delayed(Task.play)(task, halt) for task in tasks
                )
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


def _how_ended(error: Exception) -> str:
    """Returns how a worker process ended: the signals or statuses at the end of loky's long text."""
    statuses = re.search(r"exit codes of the workers are \{([^}]*)\}", str(error))
    how = statuses[1] if statuses else first_line(error)
    return f"a worker process ended ({how})" if how else "a worker process cannot be reached any more"


# --- this process and its workers --------------------------------------------------------------------


# Two processes for one task at a time: joblib does in this process what it has one for.
_ONE_AT_A_TIME: dict[str, Any] = {"pre_dispatch": 1}


def _beginning() -> dict[str, Any]:
    return {"initializer": begin_worker, "initargs": (os.getpid(),)}


def _cores() -> int:
    """Returns how many cores this process may use."""
    import joblib

    return int(joblib.cpu_count())
