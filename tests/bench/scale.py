"""What a run costs as it grows: workers on each backend, the handing out of chunks, memory, merging.

    python -m tests.bench.scale [throughput overhead memory plan merge]

Seconds of processor time compare well on a busy machine, seconds on the clock on an idle one only; what is
compared is measured in turn, round after round.  Needs Linux, for /proc, and the extra `cluster`.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from courtpiece.chunks import Done
from courtpiece.design import Plan, design_of
from courtpiece.run import Progress, _Execution, run
from courtpiece.store import Folder
from courtpiece.studies import find
from courtpiece.studies.study import Study
from courtpiece.workers import Workers
from tests.bench.empty import Empty, Nowhere
from tests.cluster import Cluster, cluster
from tests.dice import Dice

_TICKS, _PAGE = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")


# --- processes ---------------------------------------------------------------------------------------


def processor(pid: int) -> float:
    """Returns the seconds of processor time that a process has used."""
    told = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(told[11]) + int(told[12])) / _TICKS


def memory(pid: int) -> float:
    """Returns the megabytes that a process has in memory."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE / 1e6


def children(pid: int) -> list[int]:
    """Returns the processes that a process has started and whose end it has not seen."""
    return [
        int(child)
        for task in Path(f"/proc/{pid}/task").iterdir()
        for child in (task / "children").read_text().split()
    ]


class Roles:
    """Who takes part in a run: this process, workers, a scheduler."""

    def __init__(self, started: Cluster) -> None:
        assert started.scheduler is not None
        self.scheduler = started.scheduler.pid
        self.on_dask = [worker.pid for worker in started.workers]

    def workers(self, backend: str) -> list[int]:
        """Returns the processes of the workers."""
        if backend == "dask":
            return self.on_dask
        return [child for child in children(os.getpid()) if child not in (self.scheduler, *self.on_dask)]

    def processor(self, backend: str) -> dict[str, float]:
        """Returns the seconds of processor time by role."""
        used = {"parent": processor(os.getpid()), "workers": sum(map(processor, self.workers(backend)))}
        return used | ({"scheduler": processor(self.scheduler)} if backend == "dask" else {})


@dataclass(frozen=True, kw_only=True)
class Steady:
    """A run from its first chunk that is done to its last, and the seconds until the first."""

    began: float
    clock: float
    units: int
    used: Mapping[str, float]


def steady(roles: Roles, backend: str, begin: Callable[[Callable[[Progress], None]], Any]) -> Steady:
    """Returns what a run costs that `begin` begins."""
    first: list[tuple[float, int, dict[str, float]]] = []
    last: list[tuple[float, int]] = []

    def watch(progress: Progress) -> None:
        if progress.played and not first:
            first.append((time.perf_counter(), progress.played, roles.processor(backend)))
        last[:] = [(time.perf_counter(), progress.played)]

    start = time.perf_counter()
    begin(watch)
    used = roles.processor(backend)
    then, before, had = first[0]
    return Steady(
        began=then - start, clock=last[0][0] - then, units=last[0][1] - before,
        used={role: used[role] - had.get(role, 0.0) for role in used},
    )


def options(backend: str, started: Cluster) -> dict[str, Any]:
    """Returns how `run` is told of a backend with two workers."""
    if backend == "dask":
        return {"backend": backend, "scheduler": started.address}
    return {"backend": backend, "jobs": 2}


@contextmanager
def two_workers(base: Path, *options: str) -> Iterator[tuple[Cluster, Roles]]:
    """Yields a cluster of two workers that are there."""
    with cluster(base / "cluster", options=options) as started:
        run(Dice(), out=base / "first", deals=10, chunk=1, backend="dask", scheduler=started.address)
        time.sleep(5)                   # until both have come
        yield started, Roles(started)


# --- measurements ------------------------------------------------------------------------------------


def throughput(base: Path, rounds: int, deals: int) -> None:
    """Prints deals a second of `kot-frequency` with `greedy` in chunks of its own size."""
    print(f"kot-frequency, greedy, {deals:,} deals in chunks of 500,000, {rounds} rounds in turn")
    print("from the first chunk done to the end; medians; processor time of all who take part")
    cases: dict[str, dict[str, Any]] = {}
    seen: dict[str, list[Steady]] = {}
    with two_workers(base) as (started, roles):
        cases = {
            "threads, 1 job": {"backend": "threading", "jobs": 1},
            "threads, 2 jobs": options("threading", started),
            "loky, 2 jobs": options("loky", started),
            "dask, 2 workers": options("dask", started),
        }
        for number in range(rounds):
            order = list(cases)
            for case in order[::-1] if number % 2 else order:
                out = base / "run"

                def begin(watch: Callable[[Progress], None], case: str = case, out: Path = out) -> None:
                    run("kot-frequency", out=out, deals=deals, watch=watch, **cases[case])

                found = steady(roles, cases[case]["backend"], begin)
                seen.setdefault(case, []).append(found)
                shutil.rmtree(out)
                print(f"  {case}: {found.units / found.clock / 1e6:.3f} M deals/s, "
                      f"{sum(found.used.values()) / found.units * 1e6:.3f} µs a deal", flush=True)
    print(f"{'':16} {'M deals/s':>9} {'µs of processor a deal':>23} {'s to first chunk':>17} {'at first':>9}")
    rate = {case: median(one.units / one.clock for one in runs) for case, runs in seen.items()}
    cost = {case: median(sum(one.used.values()) / one.units for one in runs) for case, runs in seen.items()}
    for case, all_found in seen.items():
        print(f"{case:16} {rate[case] / 1e6:9.3f} {cost[case] * 1e6:23.3f} "
              f"{median(one.began for one in all_found[1:] or all_found):17.2f} {all_found[0].began:9.2f}")
    of_pairs = [dask.units / dask.clock * loky.clock / loky.units
                for dask, loky in zip(seen["dask, 2 workers"], seen["loky, 2 jobs"], strict=True)]
    print(f"dask over loky: {median(of_pairs):.2f} on the clock "
          f"({', '.join(f'{ratio:.2f}' for ratio in of_pairs)}), "
          f"{cost['loky, 2 jobs'] / cost['dask, 2 workers']:.2f} by processor time")


def overhead(base: Path, chunks: int) -> None:
    """Prints what a chunk costs beside its work."""
    print(f"{chunks:,} chunks of next to no work; microseconds a chunk; on the clock, then of processor time")
    print(f"{'':26} {'clock':>7} {'parent':>7} {'workers':>8} {'scheduler':>10}")
    studies: dict[str, tuple[str | Study[Any], int]] = {
        "dice": (Dice(), 1), "kot-frequency": ("kot-frequency", 10),
    }
    with two_workers(base) as (started, roles):
        for name, (study, size) in studies.items():
            for backend in ("threading", "loky", "dask"):
                out = base / "run"

                def begin(watch: Callable[[Progress], None], told: Any = (study, size, backend)) -> None:
                    study, size, backend = told
                    run(study, out=base / "run", deals=chunks * size, chunk=size, watch=watch,
                        **options(backend, started))

                _print_overhead(f"{name}, {backend}", steady(roles, backend, begin), size)
                shutil.rmtree(out)
        for backend in ("threading", "loky", "dask"):

            def nothing(watch: Callable[[Progress], None], backend: str = backend) -> None:
                _empty(base / "empty", Workers(**options(backend, started)), watch)._complete(chunks)

            _print_overhead(f"nothing, {backend}", steady(roles, backend, nothing), 1)
            shutil.rmtree(base / "empty")


def _print_overhead(name: str, found: Steady, size: int) -> None:
    chunks = found.units / size
    figures = [found.clock, *(found.used.get(role, 0.0) for role in ("parent", "workers", "scheduler"))]
    clock, parent, workers, scheduler = (f"{figure / chunks * 1e6:,.0f}" for figure in figures)
    print(f"{name:26} {clock:>7} {parent:>7} {workers:>8} {scheduler:>10}", flush=True)


def _empty(out: Path, workers: Workers, watch: Callable[[Progress], None]) -> _Execution:
    study = Empty()
    return _Execution(study, study.parameters({}), Nowhere(out), workers, 1, watch)


def in_memory(base: Path, chunks: int, preload: str | None) -> None:
    """Prints how memory grows over many chunks on dask."""
    print(f"{chunks:,} chunks of nothing on dask{f' with {preload}' * bool(preload)}; megabytes in memory")
    print(f"{'chunks':>9} {'scheduler':>10} {'parent':>8} {'worker':>8} {'seconds':>8}")
    step = max(1, chunks // 20)
    with two_workers(base, *(("--preload", preload) if preload else ())) as (started, roles):
        begun = time.perf_counter()

        def watch(progress: Progress) -> None:
            if progress.played % step == 0:
                worker = max(map(memory, roles.on_dask))
                print(f"{progress.played:9,} {memory(roles.scheduler):10.1f} {memory(os.getpid()):8.1f} "
                      f"{worker:8.1f} {time.perf_counter() - begun:8.0f}", flush=True)

        _empty(base / "empty", Workers(**options("dask", started)), watch)._complete(chunks)


def plan(base: Path, chunks: int) -> None:
    """Prints the memory of the parent alone, of a run whose chunks are done as soon as handed out."""
    print(f"{chunks:,} chunks that are done as soon as they are handed out; the parent")
    module: Any = import_module("courtpiece.run")
    handed = module.spread
    module.spread = lambda tasks, *_, **__: (Done(task.index, ()) for task in tasks)
    begun = time.perf_counter()
    print(f"at first {memory(os.getpid()):8.1f} MB")

    def watch(progress: Progress) -> None:
        if progress.played % max(1, chunks // 5) == 0:
            print(f"{progress.played:9,} {memory(os.getpid()):7.1f} MB {time.perf_counter() - begun:5.0f} s")

    try:
        _empty(base / "empty", Workers(), watch)._complete(chunks)
    finally:
        module.spread = handed


def merge(base: Path, shards: int) -> None:
    """Prints what the parts of a run cost that look at every chunk on disk."""
    print(f"{shards:,} chunks on disk; seconds on the clock, of processor time, megabytes at most")
    cli = [sys.executable, "-m", "courtpiece"]
    for study, size, more in (("trump-call", 1, {"deals": 10}), ("kot-frequency", 10, {})):
        out, extent = base / study, "hands" if more else "deals"
        begun = time.perf_counter()
        _fill(study, out, shards, size, {**more, extent: shards * size})
        print(f"{study}: {shards:,} files in {time.perf_counter() - begun:.0f} s")
        again = ["run", study, "--chunk", str(size), "--out", str(out)]
        for name, value in {**more, extent: shards * size}.items():
            again += [f"--{name}", str(value)]
        for what, arguments in (
            ("merge", again), ("resume", again), ("verify --chunks 0", ["verify", str(out), "--chunks", "0"]),
        ):
            clock = time.perf_counter()
            started = subprocess.Popen([*cli, *arguments], stdout=subprocess.DEVNULL)
            _, status, used = os.wait4(started.pid, 0)
            assert status == 0, what
            print(f"  {what:18} {time.perf_counter() - clock:7.1f} {used.ru_utime + used.ru_stime:7.1f} "
                  f"{used.ru_maxrss / 1024:6.0f}", flush=True)


def _fill(name: str, out: Path, shards: int, size: int, parameters: Mapping[str, Any]) -> None:
    """Fills a run's folder with its chunks without waiting for the disk at each."""
    study = find(name)
    p, folder = study.parameters(parameters), Folder(out)
    design = design_of(study, p, Plan(units=shards * size, chunk=size))
    folder.write_design(design)
    flush, os.fsync = os.fsync, lambda fd: None
    try:
        for index in range(shards):
            start, stop = design.plan.bounds(index)
            folder.write_shard(design, study.columns(p), index, start, stop, study.chunk(p, start, stop))
    finally:
        os.fsync = flush


def main() -> None:
    """Prints what is asked for, or all."""
    measured: dict[str, Callable[[Path, argparse.Namespace], None]] = {
        "throughput": lambda base, asked: throughput(base, asked.rounds, asked.deals),
        "overhead": lambda base, asked: overhead(base, asked.chunks or 2_000),
        "memory": lambda base, asked: in_memory(base, asked.chunks or 100_000, asked.preload),
        "plan": lambda base, asked: plan(base, asked.chunks or 1_000_000),
        "merge": lambda base, asked: merge(base, asked.chunks or 10_000),
    }
    parser = argparse.ArgumentParser(description="What a run costs as it grows.")
    parser.add_argument("what", nargs="*", choices=[*measured, []], default=[*measured])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--deals", type=int, default=20_000_000, help="of the measurement of throughput")
    parser.add_argument("--chunks", type=int, help="of the other measurements")
    parser.add_argument("--preload", help="a module for dask, of the measurement of memory: courtpiece.lean")
    asked = parser.parse_args()
    print(f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    for what in asked.what:
        with TemporaryDirectory() as base:
            measured[what](Path(base), asked)
        print(flush=True)


if __name__ == "__main__":
    main()
