"""Speed of the kernel on this machine, as ratios measured side by side in one process.

Every case is run in turn, round after round, and the best round of each counts: what else the machine does
slows some rounds of all cases, and the best ones remain comparable.
"""

from __future__ import annotations

import platform
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec

from courtpiece._kernel import engine
from courtpiece.rules import name_of
from courtpiece.table import Table

PLAYERS = engine.CARD_PLAYERS
RULES = (
    "single-sir",
    "double-sir",
    "hidden-trump",
    "be-ranga",
    "mendikot",
    "mendikot-band",
    "classic",
    "hakim",
    "bavan",
)
DEALS_A_ROUND = 5_000
PEER = "open_spiel spades"


@dataclass(frozen=True, kw_only=True)
class Speed:
    """How fast one case ran: deals (of a peer: playouts) a second in its best round, and beside the first."""

    case: str
    rate: float
    ratio: float


@dataclass(frozen=True, kw_only=True)
class Bench:
    """The speeds of all cases, and what they were measured on."""

    kernel: str
    machine: str
    speeds: tuple[Speed, ...]


def best_rates(cases: Mapping[str, Callable[[], int]], seconds: float) -> dict[str, float]:
    """Returns the units a second of each case's best round; a case returns how many units it did.

    Rounds go on until `seconds` are over, at least three of them.
    """
    best = dict.fromkeys(cases, 0.0)
    end = time.perf_counter() + seconds
    rounds = 0
    while rounds < 3 or time.perf_counter() < end:
        for name, work in cases.items():
            start = time.perf_counter()
            units = work()
            best[name] = max(best[name], units / (time.perf_counter() - start))
        rounds += 1
    return best


def bench(rules: Sequence[str] = RULES, players: Sequence[str] = PLAYERS, seconds: float = 10.0) -> Bench:
    """Returns the speed of deals played on one core by each of the players under each of the rule sets.

    Where open_spiel is installed, random playouts of its spades from a dealt state are measured beside them.
    """
    cases = {
        f"{player} {name_of(table.rules)}": _playing(table)
        for player in players
        for table in (Table(rule, player) for rule in rules)
    }
    if find_spec("pyspiel"):
        cases[PEER] = _spades_playouts()
    rates = best_rates(cases, seconds)
    first = next(iter(rates.values()))
    return Bench(
        kernel=engine.__name__.rpartition(".")[2],
        machine=f"{platform.machine()}, Python {platform.python_version()}",
        speeds=tuple(Speed(case=case, rate=rate, ratio=rate / first) for case, rate in rates.items()),
    )


def _playing(table: Table) -> Callable[[], int]:
    def play() -> int:
        return len(table.play(1, 0, DEALS_A_ROUND))

    return play


def _spades_playouts() -> Callable[[], int]:
    """Returns random playouts of open_spiel's C++ spades from one dealt state, made inside its MCTSBot."""
    import pyspiel

    game = pyspiel.load_game("spades")
    state = game.new_initial_state()
    shuffled = random.Random(1)
    while state.is_chance_node():
        state.apply_action(shuffled.choice(state.chance_outcomes())[0])
    playouts = 1_000

    def play() -> int:
        evaluator = pyspiel.RandomRolloutEvaluator(playouts, 1)
        pyspiel.MCTSBot(game, evaluator, 2.0, 1, 1_000, False, 1, False).step(state)
        return playouts

    return play
