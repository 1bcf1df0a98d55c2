"""What a player is to the program: a class that says words and plays cards on what its seat sees."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from courtpiece.cards import Card
from courtpiece.rules import RuleSet

if TYPE_CHECKING:
    import numpy as np

    from courtpiece.view import View


class Player:
    """A player of your own: derive from this class and write `play`.

    One object sits on one seat and plays one deal after the other; `begin` tells it of each.  What it
    keeps from a deal must not matter in the next, as deals are played in any order.  Options in the text
    that names it, as in `mine.py:Mine:depth=3`, are keyword arguments of its `__init__`.

    rng     a generator of random numbers, set anew before each decision to numbers that depend on the seed,
            the deal, the seat and the decision alone, so that results do not depend on what ran before
    """

    sees_all: ClassVar[bool] = False    # True for one that cheats: it is given the whole Deal, not a View

    rng: np.random.Generator

    def begin(self, rules: RuleSet, seat: int, rng: np.random.Generator) -> None:
        """Is called before each deal; whoever writes his own calls this one too."""
        self.rng = rng

    def call(self, view: View) -> str:
        """Returns one of `view.legal_words`; unless written anew, what the caller `strongest` says."""
        return self._strongest().call(view)

    def play(self, view: View) -> Card | Literal["reveal"]:
        """Returns one of `view.legal_cards`, or "reveal" where `view.may_reveal`; then it is asked again."""
        raise NotImplementedError(f"{type(self).__name__} has no play(view)")

    def change(self, view: View) -> str | None:
        """Returns one of the words that change trump before the first card, or None (S0.34).

        Asked only where the rules have the extra; unless written anew, as the caller `strongest` does.
        """
        return self._strongest().change(view)

    def swap(self, view: View) -> bool:
        """Returns whether eldest gives his five cards back to the pack (S0.33); asked as `change` is."""
        return self._strongest().swap(view)

    def claim(self, view: View) -> bool:
        """Returns whether to claim all thirteen tricks before the first card (S4.32); by default never."""
        return False

    def _strongest(self) -> Player:
        from courtpiece.players.builtin import built_in

        return built_in("greedy/strongest", getattr(self, "rng", None))


