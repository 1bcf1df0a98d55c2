from typing import Self

import numpy as np
from numpy.typing import NDArray
from typing_extensions import disjoint_base

from courtpiece.rules import RuleSet

@disjoint_base
class Searcher:
    def __new__(cls, rules: RuleSet, memory: int) -> Self: ...
    def weigh(
        self,
        positions: NDArray[np.uint8],
        choices: bytes,
        worths: NDArray[np.float64],
        trick: float,
        *,
        explore: float,
        others_search: bool,
        exact_from: int,
        tie: float,
        visits: NDArray[np.uint32],
        values: NDArray[np.float64],
    ) -> None: ...
