"""A scheduler and workers of dask in processes of their own, for tests that end them."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

ROOT = Path(__file__).parents[1]


# dask's command line, which ends when the process that started it does, however that ends.
_DASK = """
import os, sys, threading, time
from dask.__main__ import main

parent = int(sys.argv.pop(1))

def watch():
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)

threading.Thread(target=watch, daemon=True).start()
main()
"""


class Cluster:
    """A scheduler on loopback with workers of one thread."""

    def __init__(self, folder: Path, options: Sequence[str] = ()) -> None:
        self.folder = folder            # of what they print
        self.options = options          # of the scheduler and of workers
        self.port = _free_port()
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.scheduler: subprocess.Popen[bytes] | None = None
        self.workers: list[subprocess.Popen[bytes]] = []

    def start_scheduler(self) -> None:
        """Starts the scheduler, at the same address each time."""
        self.scheduler = self._start("scheduler", "--host", "127.0.0.1", "--port", str(self.port))
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            with socket.socket() as tried:
                if tried.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.05)
        raise AssertionError("the scheduler did not start")

    def start_worker(self, *options: str) -> None:
        """Starts a worker, without a nanny that would start it anew."""
        self.workers.append(self._start("worker", self.address, "--no-nanny", "--nthreads", "1", *options))

    @property
    def alive(self) -> list[subprocess.Popen[bytes]]:
        """The workers that have not ended."""
        return [worker for worker in self.workers if worker.poll() is None]

    def kill(self, process: subprocess.Popen[bytes]) -> None:
        """Kills one of the processes."""
        process.send_signal(signal.SIGKILL)
        process.wait()

    def stop(self) -> None:
        """Kills all of them."""
        for process in [*self.workers, *([self.scheduler] if self.scheduler else [])]:
            self.kill(process)

    def _start(self, kind: str, *options: str) -> subprocess.Popen[bytes]:
        log = (self.folder / f"{kind}.log").open("ab")
        path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
        return subprocess.Popen(
            [sys.executable, "-c", _DASK, str(os.getpid()), kind, "--no-dashboard", *self.options, *options],
            cwd=self.folder, stdout=log, stderr=log,
            env={**os.environ, "PYTHONPATH": path, "PYTHONWARNINGS": "ignore"},
        )


def _free_port() -> int:
    """Returns a port that the system gives no outgoing connection, not even while the scheduler is dead."""
    while True:
        port = 20_000 + secrets.randbelow(10_000)
        with socket.socket() as tried, suppress(OSError):
            tried.bind(("127.0.0.1", port))
            return port


@contextmanager
def cluster(folder: Path, workers: int = 2, options: Sequence[str] = ()) -> Iterator[Cluster]:
    """Yields a cluster that runs meanwhile."""
    folder.mkdir(parents=True, exist_ok=True)
    started = Cluster(folder, options)
    try:
        started.start_scheduler()
        for _ in range(workers):
            started.start_worker()
        yield started
    finally:
        started.stop()
