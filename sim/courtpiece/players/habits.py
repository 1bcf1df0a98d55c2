"""What `signals` and `forgetful` do otherwise than `greedy`, in the kernel's bits (habits.pxd)."""

from __future__ import annotations

from typing import NamedTuple

from courtpiece.players.registry import PlayerSpec

# The signals of S4.37 to S4.40: what each is called, and its bit.
SIGNALS = {"weak": 1 << 0, "top": 1 << 1, "middle": 1 << 2, "switch": 1 << 3}
LOW, WASTE = 1 << 4, 1 << 5             # S4.41 to the letter, and its opposite
FORGETS = {"trumps": 1 << 6, "voids": 1 << 7}


class Habit(NamedTuple):
    """What a seat sends and forgets, what it reads of its partner, what it understands of the other side."""

    does: int
    reads: int
    watches: int


NONE = Habit(0, 0, 0)


def kernel_card(player: PlayerSpec) -> tuple[str, Habit]:
    """Returns the kernel's card player for a built-in one, and its habits."""
    if player.card == "forgetful":
        forgets = player.option("forgets")
        return "greedy", Habit(sum(bit for name, bit in FORGETS.items() if forgets in (name, "both")), 0, 0)
    if player.card != "signals":
        return player.card, NONE
    said = {name: player.option(name) for name in SIGNALS}
    does = sum(bit for name, bit in SIGNALS.items() if said[name] in ("on", "send"))
    reads = sum(bit for name, bit in SIGNALS.items() if said[name] in ("on", "read"))
    does |= {"greedy": 0, "strict": LOW, "waste": WASTE}[player.option("low")]
    watches = sum(SIGNALS.values()) if player.option("watch") == "on" else 0
    return "greedy", Habit(does, reads, watches)
