"""ISMCTS: a search player that grows one tree over all worlds that look the same."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from courtpiece._kernel import ismcts as kernel
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
    _spread,
)
from courtpiece.solve import kept

_EXACT_FROM = {"greedy": 0, "mixed": MIXED, "solver": 13}       # cards a seat has left


class Ismcts(Searcher):
    """Information-set Monte Carlo tree search: one tree over all worlds, one iteration in each.

    Cowling, Powley and Whitehouse, "Information set Monte Carlo tree search" (2012), the form with a single
    observer, as all choices in a deal are seen by all.  The first choice that a node tries is that of
    `greedy`.

    explore    weight of the upper confidence bound, in units of what lies between a win and a loss
    others     `search`: the other seats choose by the tree as well, each for its side; `greedy`: they play so
    leaf       how the deal is valued below the tree: all play on as `greedy`; or as the exact `solver` says,
               with open cards and for the objective; or `mixed`, greedy down to eight cards a seat and exact
               from seven on
    """

    def __init__(
        self,
        *,
        worlds: int = 2000,
        time: float = 0.0,
        beliefs: bool = True,
        leaf: Leaf = "greedy",
        explore: float = 0.4,
        others: Literal["search", "greedy"] = "search",
        objective: Objective = "points",
        evidence: float = 1.0,
        deals: int = 400,
    ) -> None:
        super().__init__(
            worlds=worlds, time=time, beliefs=beliefs, objective=objective, evidence=evidence, deals=deals
        )
        _check("explore", explore, 0)
        _check_word("leaf", leaf, get_args(Leaf))
        _check_word("others", others, ("search", "greedy"))
        self.explore = explore
        self.leaf = leaf
        self.others = others

    def weigh(self, moment: Moment, choices: bytes, sample: Sampled) -> Weighed:
        visits, means = np.empty(len(choices), np.uint32), np.empty(len(choices))
        spread = _spread(moment.worths)
        kept(kernel.Searcher, moment.view.rules).weigh(
            moment.positions(sample), choices, moment.worths, moment.trick, explore=self.explore * spread,
            others_search=self.others == "search", exact_from=_EXACT_FROM[self.leaf], tie=TIE,
            visits=visits, values=means,
        )
        # A visit tells a win from a loss, so that its standard error is at most half of what lies between.
        with np.errstate(divide="ignore"):
            errors = spread / 2 * np.sqrt(1 / visits + 1 / visits[0])
        return Weighed(choices, means, errors, len(sample.hands), float(visits[0]))
