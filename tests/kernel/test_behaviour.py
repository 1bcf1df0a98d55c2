"""Results do not change unnoticed: the same deals come out as they did when the behaviour version was set.

A change of what a built-in player does, of the order of random draws or of a rule changes these lines.  When
it is meant, raise `BEHAVIOUR` in courtpiece/design.py, say so in CHANGELOG.md, and remake the file:

    python tests/kernel/test_behaviour.py
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from courtpiece.design import BEHAVIOUR
from courtpiece.errors import UsageError
from courtpiece.rules import preset_names
from courtpiece.table import Table

GOLDEN = Path(__file__).with_name("behaviour.txt")
PLAYERS = ("random", "simple", "greedy", "random/strongest", "simple/absent", "greedy/longest:pass=always")
DEALS = 300


def lines() -> list[str]:
    """What the file should say: a digest of the plays and results of some deals by preset and player."""
    found = [f"behaviour {BEHAVIOUR}"]
    for name in preset_names():
        for players in PLAYERS:
            try:
                table = Table(name, players)
            except UsageError:              # nobody can be absent where the rules do not decide for him
                continue
            trace = table.trace(2026, 0, DEALS)
            digest = hashlib.sha256(trace.plays.tobytes() + trace.words.tobytes() + trace.results.tobytes())
            found.append(f"{name} {players} {digest.hexdigest()[:16]}")
    return found


def test_deals_come_out_as_they_did_at_this_behaviour_version() -> None:
    assert lines() == GOLDEN.read_text(encoding="utf-8").splitlines()


if __name__ == "__main__":
    GOLDEN.write_text("\n".join(lines()) + "\n", encoding="utf-8")
