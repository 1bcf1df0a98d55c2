"""What a run costs beside the kernel that plays its deals: time on one core and on two, and memory.

    python tests/bench/end_to_end.py --deals 20000000 --players greedy

"of the kernel" compares seconds of processor time, which a busy machine hardly changes; "faster" compares
seconds on the clock and means something on an idle machine only.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from tempfile import TemporaryDirectory

from courtpiece.table import Table

BATCH = 10_000


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What something took: seconds on the clock and of processor time, and the most memory in megabytes."""

    clock: float
    processor: float
    memory: float = 0.0


def kernel(deals: int, players: str) -> Cost:
    """Returns what the deals cost when the kernel is called on one core and nothing is kept."""
    table = Table("single-sir", players)
    clock, processor = time.perf_counter(), time.process_time()
    for start in range(0, deals, BATCH):
        table.play(1, start, min(BATCH, deals - start))
    return Cost(clock=time.perf_counter() - clock, processor=time.process_time() - processor)


def whole_run(deals: int, players: str, jobs: int) -> Cost:
    """Returns what `courtpiece run kot-frequency` costs on so many cores, its start and report included."""
    with TemporaryDirectory() as folder:
        command = [
            sys.executable, "-m", "courtpiece",
            "run", "kot-frequency", "--deals", str(deals), "--players", players,
            "--jobs", str(jobs), "--out", f"{folder}/run",
        ]
        clock = time.perf_counter()
        started = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(started.pid, 0)
        assert status == 0
        return Cost(
            clock=time.perf_counter() - clock,
            processor=used.ru_utime + used.ru_stime,
            memory=used.ru_maxrss / 1024,
        )


def main() -> None:
    """Prints the costs."""
    parser = argparse.ArgumentParser(description="What a run costs beside the kernel.")
    parser.add_argument("--deals", type=int, default=20_000_000)
    parser.add_argument("--players", default="greedy")
    asked = parser.parse_args()
    alone = kernel(asked.deals, asked.players)
    one, two = (whole_run(asked.deals, asked.players, jobs) for jobs in (1, 2))
    print(f"{asked.deals:,} deals of single-sir, players {asked.players}")
    print(f"kernel   {alone.processor:7.2f} s of processor time")
    print(f"--jobs 1 {one.processor:7.2f} s, {alone.processor / one.processor:.2f} of the kernel, "
          f"{one.memory:.0f} MB at most")
    print(f"--jobs 2 {two.processor:7.2f} s, {one.clock / two.clock:.2f} times faster, "
          f"{two.memory:.0f} MB at most")


if __name__ == "__main__":
    main()
