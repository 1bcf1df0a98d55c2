"""Deals that the kernel played, as readable deals."""

from __future__ import annotations

from collections.abc import Iterator

from courtpiece.cards import Card
from courtpiece.deal import DEALER, Deal
from courtpiece.table import Table, check_numbers
from courtpiece.words import NONE, REVEAL, word_text

_BATCH = 256


def played(table: Table, seed: int, start: int, count: int, *, dealer: int = DEALER) -> Iterator[Deal]:
    """Returns deals start … start+count-1 of a seed, played to their ends by the table's players.

    `dealer` is a seat of the table and gives the seats their letters.  Raises UsageError for numbers that
    no deal has.
    """
    check_numbers(start, count)
    return _played(table, seed, start, count, dealer)


def _played(table: Table, seed: int, start: int, count: int, dealer: int) -> Iterator[Deal]:
    for at in range(start, start + count, _BATCH):
        trace = table.trace(seed, at, min(_BATCH, start + count - at))
        for hands, words, plays in zip(
            trace.hands.tolist(), trace.words.tolist(), trace.plays.tolist(), strict=True
        ):
            deal = Deal(table.rules, [[Card(card) for card in hand] for hand in hands], dealer=dealer)
            for word in words:
                if word != NONE:
                    deal.say(word_text(word))
            for play in plays:
                if play == REVEAL:
                    deal.reveal()
                elif play != NONE:
                    deal.play(Card(play))
            yield deal
