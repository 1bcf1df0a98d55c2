"""The built-in callers as tables of weights for the kernel.

The value of a suit as trump is the sum of what its length and its cards are worth as trumps and of what the
other suits' lengths and cards are worth beside them; a caller names the suit of highest value, the first of
equals in the order S, H, D, C.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from courtpiece.cards import RANKS
from courtpiece.players.registry import PlayerSpec

NEVER, ALWAYS = -(2**31), 2**31 - 1
BY_LOT = 0                              # of the random caller, which has no values: anything between the two


@dataclass(frozen=True, kw_only=True)
class Weights:
    """What cards are worth to a caller; the policies compare the value of the best suit with a threshold.

    Lengths are indexed by the number of cards (0 to 13), ranks from the two to the ace.
    """

    length: tuple[int, ...]
    trump: tuple[int, ...]
    side_length: tuple[int, ...] = (0,) * 14
    side: tuple[int, ...] = (0,) * 13
    pass_below: int = NEVER
    redeal_below: int = ALWAYS
    thirteenth_below: int = NEVER
    swap_below: int = NEVER

    def flat(self) -> tuple[int, ...]:
        """The 54 numbers in the kernel's order."""
        return self.length + self.trump + self.side_length + self.side


def _by_rank(**weights: int) -> tuple[int, ...]:
    """Returns weights for all ranks from those named A, K, Q, J, T, n9 …; the others are 0."""
    return tuple(weights.get(rank if rank.isalpha() else f"n{rank}", 0) for rank in RANKS)


# Length first; among equal lengths the suit whose highest cards are higher, compared from the top.
LONGEST = Weights(
    length=tuple(cards * 2**13 for cards in range(14)),
    trump=tuple(2**rank for rank in range(13)),
)

# Thousandths of the chance to win the deal: least squares on the results of a million calls, eight deals
# each, with all four playing `greedy` (docs/greedy.md).  Cards below those named are worth nothing beyond the
# length; the fit saw five cards, and from there on lengths go on by even steps.
STRONGEST = Weights(
    length=(406, 414, 436, 467, 495, 510, 525, 540, 555, 570, 585, 600, 615, 630),
    trump=_by_rank(A=136, K=95, Q=65, J=44, T=28, n9=17, n8=10, n7=5),
    side_length=(67, 0, -58, -109, -163, -232, -295, -358, -421, -484, -547, -610, -673, -736),
    side=_by_rank(A=110, K=70, Q=32, J=12, T=3),
    pass_below=605,         # a partner with five unseen cards does better
    redeal_below=605,       # the average deal is better
    thirteenth_below=465,   # so is a suit that nobody has seen
    swap_below=610,
)

KernelCaller = tuple[str, Sequence[int], Sequence[int]]


def suit_values(weights: Weights, held: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Returns the value of each suit as trump, (n, 4), to who holds these ranks of each suit, (n, 4, 13)."""
    lengths = held.sum(axis=2)
    own = np.array(weights.length)[lengths] + held @ np.array(weights.trump)
    beside = np.array(weights.side_length)[lengths] + held @ np.array(weights.side)
    return np.asarray(own + beside.sum(axis=1, keepdims=True) - beside)


def weights_of(player: PlayerSpec) -> Weights:
    """Returns the table of a player's caller; that of `longest` for callers who do not count."""
    return STRONGEST if player.caller == "strongest" else LONGEST


def kernel_caller(player: PlayerSpec) -> KernelCaller:
    """Returns the kernel's (kind, weights, thresholds) for a player's caller and its policies."""
    weights = weights_of(player)
    kind = player.caller if player.caller in ("random", "absent") else "weighted"
    thresholds = [weights.pass_below, weights.redeal_below, weights.thirteenth_below, weights.swap_below]
    if kind == "random":
        thresholds = [BY_LOT] * len(thresholds)
    if kind != "absent":
        for place, name in enumerate(("pass", "redeal", "thirteenth")):
            policy = player.option(name)
            thresholds[place] = {"never": NEVER, "always": ALWAYS}.get(policy, thresholds[place])
    return kind, weights.flat(), thresholds
