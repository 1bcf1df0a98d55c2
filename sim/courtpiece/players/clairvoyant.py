"""A player who sees all four hands: a bound on what players at the table can reach, not one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from courtpiece.cards import RANKS, Card
from courtpiece.players.builtin import built_in
from courtpiece.players.player import Player

if TYPE_CHECKING:
    from courtpiece.deal import Deal


class Clairvoyant(Player):
    """Does at each turn what is best for points, then for tricks, with open hands; of equals, as `greedy`.

    It calls as `strongest` does, on its own five cards.  It can play wherever `courtpiece.solve` answers.
    """

    sees_all = True

    def call(self, view: Any) -> str:
        return super().call(view.view(view.turn))

    def change(self, view: Any) -> str | None:
        return super().change(view.view(view.caller))

    def swap(self, view: Any) -> bool:
        return super().swap(view.view(view.turn))

    def play(self, view: Any) -> Card | Literal["reveal"]:
        from courtpiece.solve import solve

        deal: Deal = view
        values = {value.card: (value.points or 0, value.tricks) for value in solve(deal).cards}
        most = max(values.values())
        best = [move for move in values if values[move] == most]
        usual = built_in("greedy").play(deal.view(deal.turn))
        if usual in best:
            return usual
        move = min(best, key=_rank)
        return move if isinstance(move, Card) else "reveal"


def _rank(move: Card | str) -> int:
    return move.rank if isinstance(move, Card) else len(RANKS)
