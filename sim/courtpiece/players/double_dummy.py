"""The player `double-dummy` at a table with others: it sees all four hands, a bound and no player."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from courtpiece.cards import Card
from courtpiece.deal import ELDEST
from courtpiece.players.builtin import built_in
from courtpiece.players.player import Player
from courtpiece.players.search import Moment, Sampled, _key
from courtpiece.words import NONE, REVEAL

if TYPE_CHECKING:
    from courtpiece.deal import Deal


class DoubleDummy(Player):
    """Does at each turn what is best for points if all four play on with open cards; of equals, as `greedy`.

    Where `greedy` would do something worse, it is of the equals the one that comes to most when all play on
    as `greedy`.  It calls on its own five cards.

    caller   who calls for it: a built-in caller
    """

    sees_all = True

    def __init__(self, caller: str = "strongest") -> None:
        self.caller = built_in(f"greedy/{caller}")

    def begin(self, rules: Any, seat: int, rng: np.random.Generator) -> None:
        super().begin(rules, seat, rng)
        self.caller.begin(rules, seat, rng)

    def call(self, view: Any) -> str:
        return self.caller.call(view.view(view.turn))

    def change(self, view: Any) -> str | None:
        return self.caller.change(view.view(view.caller))

    def swap(self, view: Any) -> bool:
        return self.caller.swap(view.view(ELDEST))

    def play(self, view: Any) -> Card | Literal["reveal"]:
        deal: Deal = view
        seen = deal.view(deal.turn)
        moment = Moment(seen, "points", _key(self.rng), beliefs=False)
        choices, world = moment.choices(), _true_world(deal)
        points = moment.exact(world, choices)[0]
        if points[0] == points.max():           # that is what `greedy` does
            return built_in("greedy").play(seen)
        tried = np.where(points == points.max(), moment.playouts(world, choices)[0], -np.inf)
        choice = choices[int(np.argmax(tried))]
        return "reveal" if choice == REVEAL else Card(choice)


def _true_world(deal: Deal) -> Sampled:
    hands = [[sum(1 << card for card in hand) for hand in deal.hands]]
    down = NONE if deal.hidden_card is None else int(deal.hidden_card)
    return Sampled(np.array(hands, np.uint64), np.array([down], np.uint8))
