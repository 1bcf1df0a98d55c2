from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from typing_extensions import disjoint_base

MOST_WORLDS: int

@disjoint_base
class Worlds:
    def __init__(
        self,
        known: Sequence[int],
        unseen: int,
        need: Sequence[int],
        barred: Sequence[int],
        *,
        held: tuple[int, int] | None,
        hider: int | None,
        face_down: int | None,
        hides_unseen: bool,
        marked: tuple[int, Sequence[int]] | None,
        played: Sequence[int],
        early: Sequence[int],
        late: Sequence[int],
        blind: bool,
    ) -> None: ...
    @property
    def total(self) -> int: ...
    @property
    def worlds(self) -> int: ...
    def draw(
        self,
        key: NDArray[np.uint64],
        stream: int,
        index: int,
        seat: int,
        decision: int,
        start: int,
        hands: NDArray[np.uint64],
        face_down: NDArray[np.uint8],
        fives: NDArray[np.uint64] | None = None,
    ) -> None: ...
    def fill(
        self, start: int, hands: NDArray[np.uint64], face_down: NDArray[np.uint8], weights: NDArray[np.uint64]
    ) -> None: ...
