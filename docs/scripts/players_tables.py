"""The tables of docs/players.md, measured again.

    python docs/scripts/players_tables.py strength [DEALS [PLAYER ...]]  players that think against greedy
    python docs/scripts/players_tables.py presets [DEALS]                players against random, every preset
    python docs/scripts/players_tables.py nature [DEALS]                 what Long and others (2010) measure

Play is mirrored: each deal is played twice, with the sides exchanged.  An interval is 1.96 standard errors
over deals.  Times are processor time of this process, for all decisions with more than one choice.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from math import log
from time import process_time

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from courtpiece import Card, Deal, Table, built_in
from courtpiece.driver import Decision, Driver
from courtpiece.players import parse_lineup
from courtpiece.rules import RuleSet, preset_names, resolve
from courtpiece.solve import solve
from courtpiece.table import seed_key
from courtpiece.worlds import Worlds

SEED, TARGET = 30_000, 7
RULES = resolve("classic-no-kot")
PLAYERS = (
    *(f"pimc:worlds={worlds}" for worlds in (30, 100, 300, 1000, 3000)),
    *(f"pimc:beliefs=off:worlds={worlds}" for worlds in (30, 100, 300, 1000)),
    *(f"pimc:leaf=solver:worlds={worlds}" for worlds in (10, 30)),
    *(f"pimc:leaf=mixed:worlds={worlds}" for worlds in (30, 100)),
    *(f"ismcts:worlds={worlds}" for worlds in (300, 1000)),
    *(f"ismcts:others=greedy:worlds={worlds}" for worlds in (300, 1000)),
    "ismcts:leaf=mixed:worlds=300",
    "ismcts:leaf=solver:worlds=30",
    *(f"alphamu:leaf=greedy:moves=2:worlds={worlds}" for worlds in (300, 1000)),
    "alphamu:worlds=20:moves=1",
    "alphamu:worlds=20:moves=2",
    "double-dummy",
)
Shares = NDArray[np.float64]


def mirrored(rules: RuleSet, us: str, them: str, deals: int) -> tuple[Shares, float]:
    """Returns the share of its two games that `us` won, deal by deal, and milliseconds a decision."""
    won, choices, began = np.zeros(deals), 0, process_time()

    def watch(decision: Decision) -> None:
        nonlocal choices
        ours = (decision.seat % 2 == 0) == first
        choices += ours and isinstance(decision.answer, Card) and len(decision.deal.legal_cards()) > 1

    for first in (True, False):
        lineup = parse_lineup(f"{us},{them}" if first else f"{them},{us}")
        sitting = Driver(rules, lineup).start(SEED, seed_key(SEED), 0)
        for index in range(deals):
            deal = sitting.play(index, watch=watch)
            won[index] += ((deal.winner == 0) == first) / 2
    return won, 1000 * (process_time() - began) / max(choices, 1)


def match_share(share: float) -> float:
    """Returns the chance to win a match to seven points of one each, if each deal is won with this chance.

    Exact where it does not matter who calls; mirrored matches are close to it.
    """
    return float(binom.sf(TARGET - 1, 2 * TARGET - 1, share))


def strength(deals: int, players: Sequence[str]) -> None:
    print("| player | deals won | matches to 7, from it | ms a decision |\n|---|---|---|---|")
    for player in players:
        won, cost = mirrored(RULES, player, "greedy", deals)
        mean, half = won.mean(), 1.96 * won.std(ddof=1) / deals**0.5
        low, high = match_share(mean - half), match_share(mean + half)
        match = f"{match_share(mean):.2f} ({low:.2f}–{high:.2f})"
        print(f"| `{player}` | {mean:.3f} ± {half:.3f} | {match} | {cost:.1f} |", flush=True)


def against_random(deals: int) -> None:
    players = ("simple", "greedy", "pimc:worlds=100", "ismcts:worlds=300")
    print("| rules | " + " | ".join(f"`{player}`" for player in players) + " |")
    print("|---" * (len(players) + 1) + "|")
    for name in preset_names():
        cells = []
        for player in players:
            won = mirrored(resolve(name), player, "random", deals)[0]
            cells.append(f"{won.mean():.3f} ± {1.96 * won.std(ddof=1) / deals**0.5:.3f}")
        print(f"| `{name}` | {' | '.join(cells)} |", flush=True)


def nature(deals: int) -> None:
    """Leaf correlation, bias and disambiguation, on deals that four greedy players play."""
    greedy, same, ours, tried = built_in("greedy"), 0, 0, 0
    shrinks: list[float] = []
    counts: dict[int, int] = {}
    trace = Table(RULES, "greedy").trace(SEED, 0, deals)
    for hands in trace.hands:
        deal = Deal(RULES, [[Card(int(card)) for card in hand] for hand in hands])
        deal.say(greedy.call(deal.view(0)))
        counts.clear()
        while deal.phase == "play":
            view = deal.view(deal.turn)
            if (count := Worlds(view).count) > 1 and view.seat in counts:
                shrinks.append(log(count) / log(counts[view.seat]))
            counts[view.seat] = count
            cards = [value for value in solve(deal).cards if value.points is not None]
            if len(deal.hands[view.seat]) <= 4 and len({card.equals for card in cards}) > 1:
                tried += 1
                same += len({card.points for card in cards}) == 1
                ours += cards[0].points > 0
            deal.play(greedy.play(view))
    print(f"last four tricks, decisions where all is worth the same (leaf correlation): {same / tried:.3f}")
    print(f"of those decisions, won by who has to move (bias): {ours / tried:.3f} ({tried} decisions)")
    print(f"log of the number of worlds, from one turn of a seat to its next (disambiguation): × "
          f"{np.mean(shrinks):.3f}")


if __name__ == "__main__":
    what = sys.argv[1] if len(sys.argv) > 1 else ""
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    if what == "strength":
        strength(count, sys.argv[3:] or PLAYERS)
    elif what == "presets":
        against_random(count)
    elif what == "nature":
        nature(count)
    else:
        sys.exit(__doc__)
