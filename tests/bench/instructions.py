"""Instructions that the kernel needs for a card, counted by callgrind: the same however busy the machine is.

    python tests/bench/instructions.py --rules single-sir --players random

Dealing, calling and scoring are counted in.  Needs valgrind.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from tempfile import TemporaryDirectory

from courtpiece._kernel import engine
from courtpiece.bench import PLAYERS
from courtpiece.table import Table
from courtpiece.words import NONE, REVEAL

DEALS = 20_000


def instructions(rules: str, players: str) -> int:
    """Returns the instructions of one call of the kernel that plays DEALS deals."""
    program = f"from courtpiece import Table; Table({rules!r}, {players!r}).play(1, 0, {DEALS})"
    with TemporaryDirectory() as folder:
        told = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", "--collect-atstart=no",
             "--toggle-collect=*play_deals*", sys.executable, "-c", program],
            check=True, capture_output=True, text=True,
        )
    found = re.search(r"Collected : (\d+)", told.stderr)
    assert found, told.stderr
    return int(found[1])


def cards(rules: str, players: str) -> int:
    """Returns how many cards are played in the same deals."""
    plays = Table(rules, players).trace(1, 0, DEALS).plays
    return int(((plays != NONE) & (plays != REVEAL)).sum())


def main() -> None:
    """Prints a row for each case."""
    parser = argparse.ArgumentParser(description="Instructions per card played, counted by callgrind.")
    parser.add_argument("--rules", nargs="+", default=["single-sir"])
    parser.add_argument("--players", nargs="+", default=PLAYERS)
    asked = parser.parse_args()
    print(f"kernel {engine.__name__.rpartition('.')[2]}, {DEALS:,} deals a case")
    print(f"{'rules':14}{'players':14}{'a deal':>10}{'a card':>8}")
    for rules in asked.rules:
        for players in asked.players:
            spent, played = instructions(rules, players), cards(rules, players)
            print(f"{rules:14}{players:14}{spent / DEALS:10,.0f}{spent / played:8.1f}", flush=True)


if __name__ == "__main__":
    main()
