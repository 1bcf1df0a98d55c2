"""How a deal can end."""

from __future__ import annotations

from enum import StrEnum


class Outcome(StrEnum):
    """The result of one deal.  The order is fixed: the kernel's codes are the positions."""

    CALLER_WIN = "caller-win"
    DEFENDER_WIN = "defender-win"
    CALLER_KOT = "caller-kot"
    DEFENDER_KOT = "defender-kot"  # goon kot, hakim koti, baavan
    THREE_TENS = "three-tens"  # mendi
    TWO_TENS = "two-tens"  # two tens each, decided by seven tricks
    FOUR_TENS = "four-tens"  # mendikot
    WHITEWASH = "whitewash"  # safaya: all thirteen tricks
    CLAIM_MADE = "claim-made"  # bayasi
    REDEAL = "redeal"
