from typing import Self

import numpy as np
from numpy.typing import NDArray
from typing_extensions import disjoint_base

@disjoint_base
class Solver:
    def __new__(cls, memory: int) -> Self: ...
    @property
    def nodes(self) -> int: ...
    @property
    def forgotten(self) -> int: ...
    def at_least(
        self,
        hands: NDArray[np.uint64],
        trumps: NDArray[np.uint8],
        leaders: NDArray[np.uint8],
        needs: NDArray[np.uint8],
        out: NDArray[np.int8],
        *,
        in_a_row: bool = False,
    ) -> None: ...
    def most(
        self,
        hands: NDArray[np.uint64],
        trumps: NDArray[np.uint8],
        leaders: NDArray[np.uint8],
        out: NDArray[np.int8],
    ) -> None: ...
    def can(
        self,
        hands: NDArray[np.uint64],
        table: NDArray[np.uint8],
        trump: int,
        leader: int,
        side: int,
        need: int,
        *,
        in_a_row: bool = False,
    ) -> bool: ...
    def most_from(
        self,
        hands: NDArray[np.uint64],
        table: NDArray[np.uint8],
        trump: int,
        leader: int,
        side: int,
        guess: int,
    ) -> int: ...
