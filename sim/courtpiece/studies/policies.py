"""What built-in callers say on five cards, told in Python for many hands at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from courtpiece.cards import PACK, RANKS, SUITS, Card
from courtpiece.deal import HIGHEST_FOR_REDEAL
from courtpiece.players import CALLERS, PlayerSpec
from courtpiece.players.callers import ALWAYS, NEVER, kernel_caller, suit_values, weights_of
from courtpiece.rules import Redeal, RuleSet, Trump
from courtpiece.words import word_code, word_text

POLICIES = tuple(caller.name for caller in CALLERS if caller.name != "absent")     # who say something
BY_LOT = -1                             # in place of a word
_NOT_HELD = np.iinfo(np.int64).min


def holdings(cards: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Returns which ranks are held in each suit, (n, 4, 13), of rows of cards."""
    held = np.zeros((len(cards), len(PACK)), np.bool_)
    held[np.arange(len(cards))[:, None], cards] = True
    return held.reshape(-1, len(SUITS), len(RANKS))


def may_redeal(rules: RuleSet, held: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Tells on which five cards eldest may ask for a new deal (S4.17)."""
    if rules.redeal is Redeal.OFF:
        return np.zeros(len(held), np.bool_)
    return np.asarray(~held[:, :, HIGHEST_FOR_REDEAL[rules.redeal] + 1:].any(axis=(1, 2)))


def would_say(
    player: PlayerSpec, held: NDArray[np.bool_], rules: RuleSet, *, eldest: bool = True
) -> NDArray[np.int64]:
    """Returns the word of a player's caller on each five cards, as the kernel's code, or BY_LOT.

    `eldest` has ways out that his partner, who speaks after a pass, has not.
    """
    kind, _, (pass_below, redeal_below, thirteenth_below, _) = kernel_caller(player)
    if kind != "weighted":
        return np.full(len(held), BY_LOT, np.int64)
    values = suit_values(weights_of(player), held)
    best = values.max(axis=1)
    words: NDArray[np.int64]
    if rules.trump is Trump.HIDDEN:     # S0.52: of the suits he holds, the highest card
        suits = np.where(held.any(axis=2), values, _NOT_HELD).argmax(axis=1)
        ranks = np.where(held[np.arange(len(held)), suits], np.arange(len(RANKS)), -1).max(axis=1)
        words = word_code(f"hide {PACK[0]}") + len(RANKS) * suits + ranks
    else:
        words = word_code(SUITS[0]) + values.argmax(axis=1)
    if eldest:                          # the first of the kernel's order is written last
        words[rules.thirteenth & (best < thirteenth_below)] = word_code("thirteenth")
        words[rules.caller_may_pass & (best < pass_below)] = word_code("pass")
        words[may_redeal(rules, held) & (best < redeal_below)] = word_code("redeal")
    return words


def said(
    player: PlayerSpec, fives: Sequence[Sequence[Card]], rules: RuleSet, legal: Sequence[Sequence[str]]
) -> list[tuple[str, ...]]:
    """Returns the word that a player's caller says as eldest on each five cards, or those among which he
    draws lots.  `legal` are the words that he may say on each, without `timeout`.
    """
    ways_out = dict(zip(("pass", "redeal", "thirteenth"), kernel_caller(player)[2], strict=False))

    def among(legal: Sequence[str]) -> tuple[str, ...]:
        for way in ("redeal", "pass", "thirteenth"):
            if ways_out[way] == ALWAYS and way in legal:
                return (way,)
        return tuple(word for word in legal if ways_out.get(word) != NEVER)

    words = would_say(player, holdings(np.array(fives, np.uint8)), rules).tolist()
    return [among(may) if word == BY_LOT else (word_text(word),)
            for word, may in zip(words, legal, strict=True)]
