from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from typing_extensions import disjoint_base

from courtpiece.rules import RuleSet

CARD_PLAYERS: tuple[str, ...]
RESULT: np.dtype[np.void]

@disjoint_base
class Setup:
    def __init__(
        self,
        rules: RuleSet,
        cards: Sequence[str],
        callers: Sequence[tuple[str, Sequence[int], Sequence[int]]],
        *,
        without: int = 0,
        habits: Sequence[tuple[int, int, int]] = ...,
    ) -> None: ...

@disjoint_base
class Walk:
    def __init__(self, setup: Setup, key: NDArray[np.uint64], *, stream: int = 0) -> None: ...
    def deal(self, index: int) -> None: ...
    def deal_round(self, index: int, five: Sequence[int]) -> None: ...
    def hands(self) -> list[list[int]]: ...
    def wants_swap(self) -> bool: ...
    def swap(self) -> None: ...
    def word(self) -> int: ...
    def change(self) -> int: ...
    def say(self, word: int) -> None: ...
    def claim(self, seat: int) -> None: ...
    def action(self) -> int: ...
    def greedy_among(
        self, among: int, gone: int = 0, back: int = 0, forget_voids_of: int = 255, without: int = 0
    ) -> int: ...
    def act(self, action: int) -> None: ...
    def report(self, out: NDArray[np.void], row: int) -> None: ...
    def observe(
        self, seat: int, dealt: bytes, known_facts: tuple[int, ...], plays: bytes
    ) -> None: ...

def play_deals(
    setup: Setup,
    key: NDArray[np.uint64],
    start: int,
    out: NDArray[np.void],
    *,
    stream: int = 0,
    fives: NDArray[np.uint64] | None = None,
    suits: NDArray[np.uint8] | None = None,
) -> None: ...
def split_deals(
    setup: Setup,
    key: NDArray[np.uint64],
    start: int,
    reached: NDArray[np.int64],
    scores: NDArray[np.int8],
    *,
    side: int,
    levels: Sequence[int],
    factors: Sequence[int],
    moves: int,
    stream: int = 0,
) -> None: ...
def play_calls(
    setup: Setup,
    key: NDArray[np.uint64],
    start: int,
    five: Sequence[int],
    words: NDArray[np.uint8],
    out: NDArray[np.void],
    *,
    stream: int = 0,
) -> None: ...
def open_deals(
    setup: Setup,
    key: NDArray[np.uint64],
    start: int,
    size: int,
    *,
    stream: int = 0,
    fives: NDArray[np.uint64] | None = None,
    suits: NDArray[np.uint8] | None = None,
) -> tuple[NDArray[np.uint64], NDArray[np.uint8], NDArray[np.uint8], NDArray[np.void]]: ...
def open_calls(
    setup: Setup,
    key: NDArray[np.uint64],
    start: int,
    five: Sequence[int],
    words: NDArray[np.uint8],
    size: int,
    *,
    stream: int = 0,
) -> tuple[NDArray[np.uint64], NDArray[np.uint8], NDArray[np.uint8], NDArray[np.void]]: ...
def trace_deals(
    setup: Setup, key: NDArray[np.uint64], start: int, size: int, *, stream: int = 0
) -> tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint64], NDArray[np.void]]: ...
def drive(
    setup: Setup, hands: NDArray[np.uint8], words: NDArray[np.uint8], claimer: int, plays: NDArray[np.uint8]
) -> tuple[NDArray[np.uint64], NDArray[np.void]]: ...
def choose(
    setup: Setup, hands: NDArray[np.uint8], words: NDArray[np.uint8], claimer: int, plays: NDArray[np.uint8]
) -> int: ...
def perft(
    setup: Setup, hands: NDArray[np.uint8], words: NDArray[np.uint8], claimer: int, plays: NDArray[np.uint8]
) -> int: ...
def philox_block(
    key: NDArray[np.uint64], block: int, purpose: int, index: int, stream: int
) -> NDArray[np.uint64]: ...
def philox_words(
    key: NDArray[np.uint64], purpose: int, start: int, out: NDArray[np.uint64], *, stream: int = 0
) -> None: ...
