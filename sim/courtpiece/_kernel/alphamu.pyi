from typing import Self

import numpy as np
from numpy.typing import NDArray
from typing_extensions import disjoint_base

from courtpiece.rules import RuleSet

WORLDS: int

@disjoint_base
class Searcher:
    def __new__(cls, rules: RuleSet, memory: int) -> Self: ...
    @property
    def nodes(self) -> int: ...
    def weigh(
        self,
        positions: NDArray[np.uint8],
        choices: bytes,
        worths: NDArray[np.float64],
        moves: int,
        out: NDArray[np.uint64],
    ) -> tuple[float, float]: ...
