"""What a seat may believe of the caller's trumps: from its own eyes alone, from the call, from the cards.

Worlds are the deals that agree with all the seat has seen (`courtpiece.worlds`).  By `sight` all of them
count alike; by the `call` those in which the callers, with the first five cards they have there, would have
said what they said; by the `cards` as often as everything said and played makes them likely, if the others
are `greedy` players who slip now and then (the Metropolis walks of `players.search`).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log2
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from courtpiece._kernel import engine
from courtpiece.cards import PACK, RANKS, SUITS, Suit
from courtpiece.deal import ELDEST, PARTNER, Deal
from courtpiece.players import PlayerSpec
from courtpiece.players.search import Moment, Sampled
from courtpiece.studies.policies import BY_LOT, would_say
from courtpiece.table import seed_key
from courtpiece.view import View
from courtpiece.words import word_code

OBSERVERS = ("sight", "call", "cards")
PURPOSE = 1 << 35                       # of the random numbers of walks: one key for each trick of a deal
WALKED = 200                            # worlds from walks, in walks of LENGTH
LENGTH = 5
_OFTEN = 3                               # bits by which draws exceed worlds that are drawn several times each
UNSEEN = 0.1                            # worlds that speak for each possible number, drawn or not
_RANKS = len(RANKS)
_SUIT = 2**_RANKS - 1

Masks = NDArray[np.uint64]


class Belief(NamedTuple):
    """What is believed of how many trumps the caller was dealt.

    `chances` by their number, 0 to 13; `worlds` the logarithm to base 2 of how many worlds that is worth
    (Kish's effective number), nan where it cannot be told.
    """

    chances: NDArray[np.float64]
    worlds: float

    @property
    def entropy(self) -> float:
        """Bits that are missing."""
        held = self.chances[self.chances > 0]
        return float(-(held * np.log2(held)).sum())

    @property
    def mean(self) -> float:
        """The number that is expected."""
        return float(self.chances @ np.arange(len(self.chances)))

    def surprise(self, truth: int) -> float:
        """Bits of surprise at the truth: on average the entropy, if the belief is sound."""
        return -log2(float(self.chances[truth]))


def beliefs(
    deal: Deal, observer: int, callers: Sequence[PlayerSpec], seed: int, index: int, draws: int, *,
    cards: bool,
) -> dict[str, Belief]:
    """Returns what `observer` may believe at this moment of a deal, by what he goes by.

    `callers` are eldest's and his partner's; `draws` how many worlds are drawn; `cards` whether to tell what
    the cards played say, which takes the others for `greedy` players who call as `strongest` does.
    """
    assert deal.caller is not None
    assert deal.trump is not None
    view = deal.view(observer)
    key = engine.philox_block(seed_key(seed), len(deal.tricks), PURPOSE, index, 0)[:2]
    moment = Moment(view, "points", np.ascontiguousarray(key), beliefs=True)
    drawn = moment.worlds.draw_by(np.ascontiguousarray(key), draws, fives=True)
    assert drawn.fives is not None
    lengths = _dealt(view, drawn.hands, deal.caller, int(deal.trump))
    said = _agree(deal, callers, drawn.fives)
    possible = _possible(view, deal.caller, deal.trump)
    whole = log2(moment.worlds.count)
    found = {
        "sight": Belief(_chances(lengths, np.ones(draws), possible), whole),
        "call": Belief(
            _chances(lengths, said.astype(np.float64), possible), _effective(said, drawn.hands, whole)
        ),
    }
    if cards:
        likely = moment._likelihoods(Sampled(*drawn))
        walked = moment.draw(WALKED, LENGTH)
        by_walks = _dealt(view, walked.hands, deal.caller, int(deal.trump))
        found["cards"] = Belief(
            _chances(by_walks, np.ones(len(by_walks)), possible), _effective(likely, drawn.hands, whole)
        )
    return found


def dealt_trumps(deal: Deal) -> int:
    """Returns how many trumps the caller was dealt."""
    assert deal.caller is not None
    return sum(card.suit is deal.trump for card in deal.dealt[deal.caller])


def _possible(view: View, caller: int, trump: Suit) -> slice:
    """Returns the numbers of trumps that the caller can have been dealt, for all that is seen."""
    shown = sum(play.seat == caller and play.card.suit is trump for play in view.plays)
    shown += sum(card.suit is trump for card in view.known[caller])
    unseen = 0 if trump in view.voids[caller] else sum(card.suit is trump for card in view.unseen)
    return slice(shown, shown + min(unseen, view.sizes[caller]) + 1)


def _dealt(view: View, hands: Masks, caller: int, trump: int) -> NDArray[np.int64]:
    """Returns how many trumps the caller was dealt in each world."""
    played = sum(play.seat == caller and int(play.card.suit) == trump for play in view.plays)
    return np.asarray(np.bitwise_count(_of_suit(hands[:, caller], trump)), np.int64) + played


def _of_suit(cards: Masks, suit: int) -> Masks:
    """Returns the ranks of a suit in sets of cards."""
    return np.asarray(cards >> np.uint64(_RANKS * suit) & np.uint64(_SUIT), np.uint64)


def _held(cards: Masks) -> NDArray[np.bool_]:
    """Returns which ranks are held in each suit, (n, 4, 13), of sets of cards."""
    bits = cards[:, None] >> np.arange(len(PACK), dtype=np.uint64) & np.uint64(1)
    return np.asarray(bits.astype(np.bool_).reshape(-1, len(SUITS), _RANKS))


def _agree(deal: Deal, callers: Sequence[PlayerSpec], fives: Masks) -> NDArray[np.bool_]:
    """Tells in which worlds the callers would have said what they said."""
    agree = np.ones(len(fives), bool)
    speakers = (ELDEST, PARTNER) if deal.words and deal.words[0] == "pass" else (ELDEST,)
    for speaker, player, word in zip(speakers, callers, deal.words, strict=False):
        said = would_say(player, _held(fives[:, speaker]), deal.rules, eldest=speaker == ELDEST)
        agree &= (said == word_code(word)) | (said == BY_LOT)
    return agree


def _chances(
    lengths: NDArray[np.int64], weights: NDArray[np.float64], possible: slice
) -> NDArray[np.float64]:
    """Returns the chance of each number from weighed worlds, and a little for each that is possible."""
    counts: NDArray[np.float64] = np.bincount(lengths, weights, minlength=_RANKS + 1).astype(np.float64)
    counts[possible] += UNSEEN
    return np.asarray(counts / counts.sum())


def _effective(weights: NDArray[Any], hands: Masks, whole: float) -> float:
    """Returns the logarithm to base 2 of the effective number of worlds, from equally likely draws of them.

    Where each world was drawn several times its draws are one; where hardly any was drawn twice, the share of
    draws that count is that of worlds.
    """
    if whole <= log2(len(hands)) - _OFTEN:
        _, place = np.unique(hands, axis=0, return_inverse=True)
        weights = np.bincount(place.ravel(), weights)
        whole = log2(len(weights))
    squares = float((weights.astype(np.float64) ** 2).sum())
    if not squares:
        return float("nan")
    return max(0.0, whole + log2(float(weights.sum()) ** 2 / squares / len(weights)))
