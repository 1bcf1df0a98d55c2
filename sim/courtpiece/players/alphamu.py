"""αμ: a search player whose plan has to work for all worlds that look the same."""

from __future__ import annotations

from typing import get_args

import numpy as np

from courtpiece._kernel import alphamu as kernel
from courtpiece.errors import UsageError
from courtpiece.players.search import (
    MIXED,
    TIE,
    Leaf,
    Moment,
    Objective,
    Sampled,
    Searcher,
    Weighed,
    _check,
    _check_word,
    _weighed,
)
from courtpiece.solve import kept


class AlphaMu(Searcher):
    """αμ search: with open cards one may play another card in each world; here one plan serves all of them.

    Cazenave and Ventos, "The αμ search algorithm for the game of bridge" (2020).  The seat's own next actions
    are planned on what it will have seen by then.  With `leaf=solver` a choice is weighed by the worlds in
    which its best plan wins the deal; when all choices win in all of them, or lose in all, by those in which
    it makes, or escapes, a kot or what else the rules score.  The others see all cards, the opponents against
    it and the partner with it, as declarer's partner does in bridge; after the plan all four play on with
    open cards.  A hundredth of a playout is added, to tell equal choices apart.

    worlds     at most 64, but with `leaf=greedy`
    moves      actions of the seat that are planned, this one included: with 1 it is `pimc` with that leaf,
               with `leaf=solver` asked for the win alone
    leaf       whom the plan meets, and how it is valued: the exact `solver`; or the others play as `greedy`,
               after it as within; or `mixed`, greedy down to eight cards a seat and exact from seven on

    With hidden trump or a pile a decision of the first tricks takes from seconds to more than half a minute
    with exact leaves.
    """

    def __init__(
        self,
        *,
        worlds: int = 20,
        moves: int = 2,
        time: float = 0.0,
        beliefs: bool = True,
        leaf: Leaf = "solver",
        objective: Objective = "points",
        evidence: float = 1.0,
        deals: int = 400,
    ) -> None:
        super().__init__(
            worlds=worlds, time=time, beliefs=beliefs, objective=objective, evidence=evidence, deals=deals
        )
        _check("moves", moves, 1)
        _check_word("leaf", leaf, get_args(Leaf))
        if leaf != "greedy":
            self.length, self.most = 1, kernel.WORLDS
            if worlds > self.most:
                raise UsageError(
                    f'player option "worlds" of alphamu is at most {self.most} with leaf={leaf}, not {worlds}'
                )
        self.moves = moves
        self.leaf = leaf

    def weigh(self, moment: Moment, choices: bytes, sample: Sampled) -> Weighed:
        if self.leaf == "greedy" or (self.leaf == "mixed" and moment.cards_left > MIXED):
            return _weighed(choices, moment.plans(sample, choices, self.moves, self.evidence), sample)
        positions = moment.positions(sample)
        won = np.empty(len(choices), np.uint64)
        searcher = kept(kernel.Searcher, moment.view.rules)
        more, less = searcher.weigh(positions, choices, moment.worths, self.moves, won)
        worlds = np.arange(len(positions), dtype=np.uint64)
        reached = (won >> worlds[:, None] & np.uint64(1)).astype(bool)
        values = np.where(reached, more, less) + TIE * moment.playouts(sample, choices)
        return _weighed(choices, values, sample)
