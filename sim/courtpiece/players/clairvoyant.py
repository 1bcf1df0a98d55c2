"""A player who sees all four hands: a bound on what players at the table can reach, not one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from courtpiece.cards import Card
from courtpiece.players.builtin import built_in
from courtpiece.players.player import Player

if TYPE_CHECKING:
    from courtpiece.deal import Deal


class Clairvoyant(Player):
    """Plays each card as the exact solver does with all hands open; of equally good ones, what `greedy` does.

    It calls as `strongest` does, on its own five cards.  It can play wherever `courtpiece.solve` answers.
    """

    sees_all = True

    def call(self, view: Any) -> str:
        return super().call(view.view(view.turn))

    def change(self, view: Any) -> str | None:
        return super().change(view.view(view.caller))

    def swap(self, view: Any) -> bool:
        return super().swap(view.view(view.turn))

    def play(self, view: Any) -> Card:
        from courtpiece.solve import solve

        deal: Deal = view
        solution = solve(deal)
        most = solution.tricks
        best = [value.card for value in solution.cards if value.tricks == most]
        usual = built_in("greedy").play(deal.view(deal.turn))
        return usual if isinstance(usual, Card) and usual in best else min(best, key=lambda card: card.rank)
