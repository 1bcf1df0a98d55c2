"""The players of the kernel behind the same interface as everybody's own: they decide on a view."""

from __future__ import annotations

from functools import lru_cache
from threading import local
from typing import TYPE_CHECKING, Literal

import numpy as np

from courtpiece._kernel import engine
from courtpiece.cards import Card
from courtpiece.deal import ELDEST, PARTNER
from courtpiece.errors import UsageError
from courtpiece.players.callers import kernel_caller
from courtpiece.players.habits import kernel_card
from courtpiece.players.player import Player
from courtpiece.players.registry import PlayerSpec, parse_player
from courtpiece.rules import FirstLead, RuleSet, Trump
from courtpiece.words import NONE, REVEAL, word_text

if TYPE_CHECKING:
    from courtpiece.view import View


class BuiltIn(Player):
    """A built-in player, such as `greedy` or `simple/strongest`, that decides on a view.

    It decides as it does in the kernel.  What it draws at random comes from `rng`.
    """

    def __init__(self, name: str | PlayerSpec) -> None:
        spec = parse_player(name) if isinstance(name, str) else name
        if not isinstance(spec, PlayerSpec):
            raise UsageError(f'"{name}" is no player of the kernel')
        self.spec = spec
        self._draws = "random" in (spec.card, spec.caller)

    def __repr__(self) -> str:
        return f"BuiltIn({str(self.spec)!r})"

    def call(self, view: View) -> str:
        return word_text(self._at(view).word())

    def play(self, view: View) -> Card | Literal["reveal"]:
        action = self._at(view).action()
        return "reveal" if action == REVEAL else Card(action)

    def change(self, view: View) -> str | None:
        word = self._at(view).change()
        return None if word == NONE else word_text(word)

    def swap(self, view: View) -> bool:
        return self._at(view).wants_swap()

    def _at(self, view: View) -> engine.Walk:
        """Returns the kernel's deal as the view's seat sees it."""
        if self._draws:
            walk = engine.Walk(_setup(view.rules, self.spec), self.rng.bit_generator.random_raw(2))
            walk.deal(0)
        else:
            walk = _walks.of(view.rules, self.spec)
        walk.observe(view.seat, bytes(view.dealt), _facts(view), plays_of(view))
        return walk


def built_in(name: str, rng: np.random.Generator | None = None) -> BuiltIn:
    """Returns a built-in player that draws from `rng`."""
    player = BuiltIn(name)
    if rng is not None:
        player.rng = rng
    return player


@lru_cache(maxsize=64)
def _setup(rules: RuleSet, spec: PlayerSpec) -> engine.Setup:
    caller = kernel_caller(spec)
    card, habit = kernel_card(spec)
    return engine.Setup(rules, [card] * 4, [caller, caller], habits=[habit] * 4)


class _Walks(local):
    """This thread's deals, one for rules and player, to be set up again for each decision."""

    def __init__(self) -> None:
        self.of = lru_cache(maxsize=64)(_walk)


def _walk(rules: RuleSet, spec: PlayerSpec) -> engine.Walk:
    return engine.Walk(_setup(rules, spec), np.zeros(2, np.uint64))


_walks = _Walks()


def _facts(view: View) -> tuple[int, ...]:
    hidden = view.hidden_card if view.shown is None else view.shown.card
    speaker = view.seat if view.seat in (ELDEST, PARTNER) else ELDEST
    called = view.rules.first_lead is FirstLead.CALLER
    return (
        speaker,
        _number(view.caller),
        _number(view.trump) if view.rules.trump is Trump.CALLED else NONE,
        _number(view.hider),
        _number(hidden),
        int(view.seat == view.hider and hidden is None),
        _number(view.claimer),
        view.caller if called and view.caller is not None else ELDEST,
    )


def _number(value: int | None) -> int:
    return NONE if value is None else int(value)


def plays_of(view: View) -> bytes:
    """Returns the cards played, in the kernel's bytes, with 64 where the hidden card was turned up."""
    cards = [card for trick in view.tricks for card in trick.cards]
    cards += view.trick
    if view.shown is not None:
        at = view.shown.after
        return bytes([*cards[:at], REVEAL, *cards[at:]])
    return bytes(cards)


