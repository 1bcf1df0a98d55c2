"""Many threads at once get what one thread gets: with the GIL released, and on a Python without one.

Setups, rules and worlds are read by all threads; a solver, a search and a walk are one thread's, and kept so
by the package.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np
import pytest

from courtpiece import Deal, Player, RuleSet, Table, built_in, solve
from courtpiece.cards import PACK
from courtpiece.players import parse_player
from courtpiece.players.registry import OwnPlayer
from courtpiece.rules import resolve
from courtpiece.worlds import Worlds

THREADS = 8
T = TypeVar("T")


def by_threads(work: Callable[[int], T], jobs: int) -> list[T]:
    """What `work` returns for 0 … jobs-1, all begun together."""
    barrier = threading.Barrier(THREADS)

    def some(thread: int) -> list[T]:
        barrier.wait()
        return [work(job) for job in range(thread, jobs, THREADS)]

    switch = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)                 # threads take turns as often as they can
    try:
        with ThreadPoolExecutor(THREADS) as pool:
            parts = list(pool.map(some, range(THREADS)))
    finally:
        sys.setswitchinterval(switch)
    return [parts[job % THREADS][job // THREADS] for job in range(jobs)]


def dealt(rules: RuleSet, seed: int) -> Deal:
    """A deal in which the first words that may be said are said."""
    pack = [PACK[card] for card in np.random.default_rng(seed).permutation(52)]
    deal = Deal(rules, [pack[13 * seat : 13 * seat + 13] for seat in range(4)])
    while deal.phase == "call":
        deal.say(deal.legal_words()[0])
    return deal


def played_by(deal: Deal, players: list[Player], most: int = 60) -> list[str]:
    """What four players do from here on, so many actions at most."""
    done: list[str] = []
    while deal.phase == "play" and len(done) < most:
        action = players[deal.turn].play(deal.view(deal.turn))
        done.append(str(action))
        deal.reveal() if action == "reveal" else deal.play(action)
    return done


@pytest.mark.parametrize("player", ["random", "simple", "greedy", "signals:weak=on"])
def test_threads_that_share_a_table_play_the_deals_of_one_thread(player: str) -> None:
    tables = [Table(rules, player) for rules in ("single-sir", "double-sir", "hidden-trump", "mendikot",
    "bavan", "be-ranga")]

    def work(job: int) -> bytes:
        # Two threads play each chunk at once.
        return tables[job % 6].play(3, 500 * (job // 12), 500).tobytes()

    assert by_threads(work, 48) == [work(job) for job in range(48)]


def test_threads_solve_different_deals_and_the_same_as_one_thread_does() -> None:
    def work(job: int) -> list[tuple[object, ...]]:
        seed = job // 2                                     # two threads have each deal
        deal = dealt(resolve(("single-sir", "double-sir-house", "mendikot", "hidden-trump")[seed % 4]), seed)
        played_by(deal, [built_in("greedy")] * 4, 32)
        return [tuple(value) for value in solve(deal).cards] if deal.phase == "play" else []

    assert by_threads(work, 32) == [work(job) for job in range(32)]


def test_a_player_shared_by_threads_never_takes_one_deal_for_another() -> None:
    greedy = built_in("greedy")
    rules = resolve("hidden-trump")

    def work(job: int) -> list[str]:
        return played_by(dealt(rules, job), [greedy] * 4)

    assert by_threads(work, 64) == [work(job) for job in range(64)]


@pytest.mark.parametrize(
    "name", ["pimc:worlds=20", "pimc:worlds=4:leaf=solver", "ismcts:worlds=60", "alphamu:worlds=4:moves=1"]
)
def test_threads_think_as_one_thread_does(name: str) -> None:
    def work(job: int) -> list[str]:
        spec = parse_player(name)
        assert isinstance(spec, OwnPlayer)
        deal = dealt(resolve("single-sir" if job % 2 else "double-sir"), job // 2)
        played_by(deal, [built_in("greedy")] * 4, 36)
        players = [spec.make() for _ in range(4)]
        for seat, player in enumerate(players):
            player.rng = np.random.default_rng(seat)
        return played_by(deal, players, 6)

    assert by_threads(work, 16) == [work(job) for job in range(16)]


def test_threads_draw_from_the_same_worlds() -> None:
    worlds = Worlds(dealt(resolve("single-sir"), 5).view(1))

    def work(job: int) -> bytes:
        drawn = worlds.draw(200, seed=job // 2, fives=True)
        assert drawn.fives is not None
        return drawn.hands.tobytes() + drawn.face_down.tobytes() + drawn.fives.tobytes()

    assert by_threads(work, 32) == [work(job) for job in range(32)]
