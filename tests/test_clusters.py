"""Runs on other backends: the same bits out, and who dies costs no more than he was at."""

from __future__ import annotations

import os
import random
import signal
import socket
import sys
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from distributed import Client

from courtpiece import chunks, dask_cluster
from courtpiece.cli import main
from courtpiece.errors import RunError, UsageError
from courtpiece.results import Run
from courtpiece.run import Progress, run
from courtpiece.store import Folder
from tests.cluster import ROOT, Cluster, cluster
from tests.dice import Dice, DiceParameters
from tests.s3 import serving
from tests.test_faults import KILLS, verify_nothing_partial
from tests.test_places import stored
from tests.test_run import contents, dice_process

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A cluster that no test ends."""
    with cluster(tmp_path_factory.mktemp("cluster")) as started:
        yield started


class SlowDice(Dice):
    """Dice that take their time."""

    delay = 0.15


class QuickDice(Dice):
    """Dice that take a moment."""

    delay = 0.02


class DeadlyDice(Dice):
    """Dice that end the process that throws some of them."""

    def chunk(self, p: DiceParameters, start: int, stop: int) -> pl.DataFrame:
        if start == 300:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().chunk(p, start, stop)


class MortalDice(Dice):
    """Dice that end the process that first throws some of them."""

    def __init__(self, died: Path) -> None:
        self.died = died

    def chunk(self, p: DiceParameters, start: int, stop: int) -> pl.DataFrame:
        if start == 300 and not self.died.exists():
            self.died.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().chunk(p, start, stop)


class LostDice(Dice):
    """Dice that cannot be unpacked where they arrive, once."""

    def __init__(self, lost: Path) -> None:
        self.lost = lost

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if not self.lost.exists():
            self.lost.touch()
            raise OSError("gone")


class CrowdedDice(Dice):
    """Dice that are thrown when so many chunks are at it at once that two workers would not do."""

    crowd = 6

    def __init__(self, begun: Path) -> None:
        self.begun = begun

    def chunk(self, p: DiceParameters, start: int, stop: int) -> pl.DataFrame:
        (self.begun / str(start)).touch()
        deadline = time.monotonic() + 100
        while len(list(self.begun.iterdir())) < self.crowd:
            assert time.monotonic() < deadline, "no others came"
            time.sleep(0.05)
        return super().chunk(p, start, stop)


def on(started: Cluster) -> dict[str, Any]:
    return {"backend": "dask", "scheduler": started.address}


def wait_until(there: Callable[[], object]) -> None:
    while not there():
        time.sleep(0.01)


def test_a_cluster_changes_no_bit(tmp_path: Path, direct: Path, shared: Cluster) -> None:
    done = run(Dice(), out=tmp_path / "out", deals=1050, **on(shared))
    assert done.complete
    assert contents(tmp_path / "out") == contents(direct)


def test_a_scheduler_that_is_told_to_forgets_what_is_done(tmp_path: Path, direct: Path) -> None:
    def kept(dask_scheduler: Any) -> tuple[bool, list[int]]:
        comms = dask_scheduler.stream_comms.values()
        return "spans" in dask_scheduler.extensions, [comm.recent_message_log.maxlen for comm in comms]

    with cluster(tmp_path / "cluster", options=("--preload", "courtpiece.lean")) as started:
        run(Dice(), out=tmp_path / "out", deals=1050, **on(started))
        connect: Any = Client           # untyped
        with connect(started.address, set_as_default=False) as client:
            assert client.run_on_scheduler(kept) == (False, [10, 10])
            assert set(client.run(lambda dask_worker: "spans" in dask_worker.extensions).values()) == {False}
    assert contents(tmp_path / "out") == contents(direct)


def test_the_same_command_goes_on_elsewhere(
    tmp_path: Path, shared: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)         # the folder is named by where this process is, not the workers
    command = ["run", "kot-frequency", "--deals", "200000", "--chunk", "20000", "--seed", "3"]
    assert main([*command, "--out", "here"]) == 0
    assert main([*command, "--out", "there", "--backend", "dask", "--scheduler", shared.address]) == 0
    assert contents(Path("there")) == contents(Path("here"))
    command[3] = "300000"
    assert main([*command, "--out", "here", "--backend", "dask", "--scheduler", shared.address]) == 0
    assert main([*command, "--out", "there"]) == 0
    assert contents(Path("there")) == contents(Path("here"))


def test_a_cluster_writes_to_an_address(direct: Path, tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch, serving(patch) as bucket, cluster(tmp_path / "c") as started:
        address = f"{bucket}/{uuid.uuid4().hex}"
        run(Dice(), out=address, deals=1050, **on(started))
        assert stored(address) == contents(direct)


@pytest.mark.parametrize(("backend", "jobs", "bound"), [
    ("dask", None, 10), ("dask", 1, 6), ("loky", 2, 10), ("threading", 2, 10),
])
def test_never_more_chunks_are_handed_out_than_keep_the_workers_busy(
    tmp_path: Path, shared: Cluster, monkeypatch: pytest.MonkeyPatch, backend: str, jobs: int | None,
    bound: int,
) -> None:
    handed, most = [0], [0]
    make = chunks.Task

    def counting(*arguments: Any) -> chunks.Task:
        handed[0] += 1
        most[0] = max(most[0], handed[0] - progress[-1].played // 10)
        return make(*arguments)

    progress = [Progress("deals", 0, 0, 0)]
    monkeypatch.setattr(import_module("courtpiece.run"), "Task", counting)
    monkeypatch.setattr(dask_cluster, "_LOOK", 0.1)
    where = on(shared) if backend == "dask" else {"backend": backend}
    run(QuickDice(), out=tmp_path / "out", deals=1000, chunk=10, jobs=jobs, watch=progress.append, **where)
    assert handed[0] == 100
    assert most[0] <= bound             # in flight, those that joblib has ready, and those not told yet


def test_what_else_the_callers_client_has_dask_do_is_nothing_of_a_run(
    tmp_path: Path, direct: Path, shared: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask_cluster, "_LOOK", 0.1)
    connect: Any = Client               # untyped
    with connect(shared.address) as client:
        failed, cancelled = client.submit(divmod, 1, 0), client.submit(time.sleep, 0.1)
        cancelled.cancel()
        wait_until(lambda: failed.status == "error")
        run(SlowDice(), out=tmp_path / "out", deals=1050, backend="dask")
        assert client.submit(divmod, 7, 2).result() == (3, 1)
    assert contents(tmp_path / "out") == contents(direct)


@pytest.mark.parametrize("at", ["worker", "scheduler"])
def test_whoever_is_killed_the_run_goes_on(
    tmp_path: Path, direct: Path, rng: random.Random, at: str
) -> None:
    told: list[Progress] = []
    with cluster(tmp_path / "cluster") as started:

        def strike() -> None:
            wait_until((tmp_path / "out/shards").exists)
            time.sleep(rng.uniform(0, 0.3))
            if at == "worker":
                started.kill(started.workers[0])
                started.start_worker()
            else:
                assert started.scheduler
                started.kill(started.scheduler)
                started.start_scheduler()       # workers find it again by themselves, or new ones come
                started.start_worker()

        threading.Thread(target=strike, daemon=True).start()
        done = run(SlowDice(), out=tmp_path / "out", deals=1050, watch=told.append, **on(started))
    assert done.complete
    assert contents(tmp_path / "out") == contents(direct)
    assert any("going on" in progress.word for progress in told) == (at == "scheduler")


def test_whoever_is_killed_at_whatever_moment_nothing_is_lost_or_doubled(
    tmp_path: Path, direct: Path, rng: random.Random
) -> None:
    ends = Counter[str]()
    with cluster(tmp_path / "cluster") as started:
        for trial in range(max(1, KILLS // 3)):
            folder = tmp_path / str(ends["complete"])
            while len(started.alive) < 2:
                started.start_worker()
            process = dice_process(folder, "--deals", 1050, "--delay", 0.1, "--backend", "dask",
                                   "--scheduler", started.address)
            time.sleep(rng.uniform(0, 2))
            victim = rng.choice(["worker", "scheduler", "run"])
            if victim == "worker":
                started.kill(rng.choice(started.alive))
                started.start_worker()
            elif victim == "scheduler":
                assert started.scheduler
                started.kill(started.scheduler)
                started.start_scheduler()
                started.start_worker()
            if victim == "run" or rng.random() < 0.3:
                time.sleep(rng.uniform(0, 0.5))
                process.kill()
            _, told = process.communicate(timeout=120)
            end = {0: "done", -signal.SIGKILL: "killed"}.get(process.returncode)
            if victim == "scheduler" and "RunError: no scheduler answers at" in told:   # nor did it ever
                end = "told"
            assert end, (trial, victim, told)
            ends[f"{victim}: {end}"] += 1
            verify_nothing_partial(folder)
            if process.returncode == 0:
                assert contents(folder) == contents(direct), (trial, victim)
                ends["complete"] += 1
    print(dict(ends))
    assert run(Dice(), out=folder, deals=1050, jobs=1).units == 1050
    assert contents(folder) == contents(direct)


def test_a_task_that_dask_gives_up_is_done_again_though_joblib_is_told_nothing(
    tmp_path: Path, direct: Path, shared: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask_cluster, "_LOOK", 3)    # all others are done by then
    told: list[Progress] = []
    run(LostDice(tmp_path / "lost"), out=tmp_path / "out", deals=1050, watch=told.append, **on(shared))
    assert contents(tmp_path / "out") == contents(direct)
    assert any(progress.word.endswith("; going on") for progress in told)


def test_a_chunk_that_ends_every_worker_is_told_when_the_others_are_done(tmp_path: Path) -> None:
    with cluster(tmp_path / "cluster") as started:
        over = threading.Event()

        def supply() -> None:
            while not over.wait(0.1):
                if len(started.alive) < 2:
                    started.start_worker()

        thread = threading.Thread(target=supply)
        thread.start()
        try:
            with pytest.raises(RunError, match="workers end again and again at deals 300 to 399: 4 workers "
                                               r"died of it .* fewer jobs, or smaller chunks"):
                run(DeadlyDice(), out=tmp_path / "out", deals=1050, **on(started))
        finally:
            over.set()
            thread.join()
    assert Run.open(tmp_path / "out", Dice()).done == 950


def test_a_scheduler_that_is_gone_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_cluster, "_RECONNECT", 1)
    with cluster(tmp_path / "cluster") as started:

        def strike() -> None:
            wait_until((tmp_path / "out/shards").exists)
            assert started.scheduler
            started.kill(started.scheduler)

        threading.Thread(target=strike, daemon=True).start()
        with pytest.raises(RunError, match=r"workers end again and again: no scheduler answers at tcp:"):
            run(SlowDice(), out=tmp_path / "out", deals=1050, **on(started))
    assert run(Dice(), out=tmp_path / "out", deals=1050).complete


def test_a_run_waits_for_workers_and_says_so(tmp_path: Path, direct: Path) -> None:
    told: list[Progress] = []
    with cluster(tmp_path / "cluster", workers=0) as started:

        def come() -> None:
            wait_until(lambda: any(progress.word for progress in told))
            started.start_worker()

        threading.Thread(target=come, daemon=True).start()
        run(Dice(), out=tmp_path / "out", deals=1050, watch=told.append, **on(started))
    assert contents(tmp_path / "out") == contents(direct)
    words = [progress.word for progress in told if progress.word]
    assert words == [f"waiting for workers: `dask worker {started.address}` starts one"]


def test_a_run_whose_workers_all_go_waits_for_others_and_says_so(tmp_path: Path, direct: Path) -> None:
    told: list[Progress] = []
    with cluster(tmp_path / "cluster") as started:

        def go() -> None:
            wait_until(lambda: any((tmp_path / "out/shards").glob("0*")))
            told.clear()                # they may have been waited for at first
            for worker in started.workers:
                started.kill(worker)
            wait_until(lambda: any(progress.word for progress in told))
            started.start_worker()

        threading.Thread(target=go, daemon=True).start()
        run(SlowDice(), out=tmp_path / "out", deals=1050, watch=told.append, **on(started))
    assert contents(tmp_path / "out") == contents(direct)
    words = [progress.word for progress in told if progress.word]
    assert words == [f"waiting for workers: `dask worker {started.address}` starts one"]


def test_workers_that_come_later_are_given_chunks_too(tmp_path: Path, direct: Path) -> None:
    (begun := tmp_path / "begun").mkdir()
    with cluster(tmp_path / "cluster", workers=1) as started:

        def come() -> None:
            wait_until(lambda: any(begun.iterdir()))
            for _ in range(CrowdedDice.crowd - 1):
                started.start_worker()

        threading.Thread(target=come, daemon=True).start()
        run(CrowdedDice(begun), out=tmp_path / "out", deals=1050, **on(started))
    assert contents(tmp_path / "out") == contents(direct)


def test_workers_may_come_and_go_all_the_time(tmp_path: Path, direct: Path) -> None:
    over = threading.Event()
    with cluster(tmp_path / "cluster") as started:

        def churn() -> None:
            done = 0
            while not over.wait(0.2):
                if (now := len(list((tmp_path / "out/shards").glob("0*")))) == done:
                    continue            # on a busy machine nobody would live long enough to do anything
                done, oldest = now, started.alive[0]
                oldest.send_signal(signal.SIGTERM if len(started.workers) % 2 else signal.SIGKILL)
                oldest.wait()
                started.start_worker()

        thread = threading.Thread(target=churn)
        thread.start()
        try:
            run(SlowDice(), out=tmp_path / "out", deals=1050, **on(started))
        finally:
            over.set()
            thread.join()
        assert len(started.workers) > 3
    assert contents(tmp_path / "out") == contents(direct)


def left_open(address: str) -> list[str]:
    """Returns the states of dask's clients of an address that are not closed, as garbage has to be."""
    clients: Any = Client
    return [client.status for client in clients._instances
            if client._start_arg == address and client.status != "closed"]


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n"])
def test_what_answers_and_is_no_scheduler_is_told(
    tmp_path: Path, answer: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask_cluster, "_CONNECT", 1)
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            with suppress(OSError):
                while True:
                    there, _ = server.accept()
                    there.send(answer or b" ")
                    there.close()

        threading.Thread(target=serve, daemon=True).start()
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(RunError, match=f"no scheduler answers at {address}; `dask scheduler` starts one"):
            run(Dice(), out=tmp_path / "out", deals=1050, backend="dask", scheduler=address)
    assert left_open(address) == []


def test_a_worker_or_another_version_in_the_place_of_the_scheduler_is_told(
    tmp_path: Path, shared: Cluster
) -> None:
    connect: Any = Client               # untyped
    with connect(shared.address, set_as_default=False) as client:
        client.wait_for_workers(1)
        worker = next(iter(client.ncores()))
    with pytest.raises(RunError, match=rf"what answers at {worker} is no scheduler of this version of dask"):
        run(Dice(), out=tmp_path / "out", deals=1050, backend="dask", scheduler=worker)
    assert left_open(worker) == []


def test_a_folder_that_workers_do_not_share_is_told(
    tmp_path: Path, shared: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Folder, "sees_shard", lambda self, index: False)
    with pytest.raises(RunError, match=r"\.parquet is not here though a worker wrote it: choose a folder"):
        run(Dice(), out=tmp_path / "out", deals=1050, **on(shared))


def test_workers_of_another_version_are_refused(
    tmp_path: Path, shared: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("courtpiece.design.BEHAVIOUR", 99)      # here, not on the workers
    with pytest.raises(RunError, match=r"a worker's package gives other results \(courtpiece 1, dice 1\)"):
        run(Dice(), out=tmp_path / "out", deals=1050, **on(shared))


@pytest.mark.parametrize(("options", "told"), [
    ({"backend": "dusk"}, 'there is no "dusk" \\(did you mean "dask"\\?\\)'),
    ({"scheduler": "tcp://127.0.0.1:1"}, "scheduler: goes with backend dask alone"),
    ({"backend": "dask"}, "needs the address of a scheduler"),
    ({"backend": "dask", "scheduler": "tcp://127.0.0.1:1"}, "no scheduler answers at tcp://127.0.0.1:1"),
    ({"backend": "dask", "scheduler": "127"}, "no scheduler answers at 127"),
    ({"backend": "dask", "scheduler": "bad://x"}, "no scheduler answers at bad://x"),
    ({"backend": "ray"}, "backend ray needs a package that is not installed .*: pip install ray"),
    ({"patience": 0}, "patience: must be above 0"),
])
def test_what_cannot_be_is_told_in_one_line(
    tmp_path: Path, options: dict[str, Any], told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask_cluster, "_CONNECT", 1)
    monkeypatch.setitem(sys.modules, "ray.exceptions", None)    # may be installed
    with pytest.raises((UsageError, RunError), match=told):
        run(Dice(), out=tmp_path / "out", deals=1050, **options)


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_a_backend_of_this_machine_may_be_named(tmp_path: Path, direct: Path, backend: str) -> None:
    run(Dice(), out=tmp_path / "out", deals=1050, jobs=2, backend=backend)
    assert contents(tmp_path / "out") == contents(direct)


@pytest.fixture(scope="module")
def ray() -> Iterator[Any]:
    """A cluster of ray's with two cores, where ray is installed."""
    module = pytest.importorskip("ray")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))
        module.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield module
    module.shutdown()


def test_ray_changes_no_bit(tmp_path: Path, direct: Path, ray: Any) -> None:
    told: list[Progress] = []
    done = run(Dice(), out=tmp_path / "out", deals=1050, jobs=99, backend="ray", watch=told.append)
    assert done.complete
    assert contents(tmp_path / "out") == contents(direct)
    assert sorted({progress.done for progress in told})[:2] in ([0, 50], [0, 100])      # told as it goes


def test_a_worker_of_ray_is_killed_and_the_run_goes_on(tmp_path: Path, direct: Path, ray: Any) -> None:
    told: list[Progress] = []
    run(MortalDice(tmp_path / "died"), out=tmp_path / "out", deals=1050, backend="ray", watch=told.append)
    assert contents(tmp_path / "out") == contents(direct)
    assert any(progress.word for progress in told)
