from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from typing_extensions import disjoint_base

from courtpiece.players.callers import KernelCaller
from courtpiece.rules import RuleSet

POSITION: int

@disjoint_base
class Scene:
    def __init__(
        self,
        rules: RuleSet,
        callers: Sequence[KernelCaller],
        seat: int,
        words: bytes,
        facts: Sequence[int],
        played: Sequence[int],
        plays: bytes,
    ) -> None: ...
    def positions(
        self, hands: NDArray[np.uint64], face_down: NDArray[np.uint8], out: NDArray[np.uint8]
    ) -> None: ...
    def choices(self, hands: NDArray[np.uint64], face_down: int) -> list[int]: ...
    def greedy(self, hands: NDArray[np.uint64], face_down: int) -> int: ...
    def likelihoods(
        self,
        hands: NDArray[np.uint64],
        face_down: NDArray[np.uint8],
        fives: NDArray[np.uint64],
        out: NDArray[np.float64],
        *,
        rival_slip: float,
        mate_slip: float,
    ) -> None: ...
    def walk(
        self,
        hands: NDArray[np.uint64],
        face_down: NDArray[np.uint8],
        fives: NDArray[np.uint64],
        free: tuple[object, ...],
        key: NDArray[np.uint64],
        *,
        burn: int,
        every: int,
        rival_slip: float,
        mate_slip: float,
        out_hands: NDArray[np.uint64],
        out_face_down: NDArray[np.uint8],
    ) -> None: ...
    def playouts(
        self,
        hands: NDArray[np.uint64],
        face_down: NDArray[np.uint8],
        choices: bytes,
        worths: NDArray[np.float64],
        trick: float,
        out: NDArray[np.float64],
    ) -> None: ...
    def plans(
        self,
        hands: NDArray[np.uint64],
        face_down: NDArray[np.uint8],
        choices: bytes,
        worths: NDArray[np.float64],
        trick: float,
        moves: int,
        evidence: float,
        length: int,
        out: NDArray[np.float64],
    ) -> None: ...
    def calls(
        self,
        hands: NDArray[np.uint64],
        fives: NDArray[np.uint64],
        words: bytes,
        key: NDArray[np.uint64],
        worths: NDArray[np.float64],
        trick: float,
        out: NDArray[np.float64],
    ) -> None: ...
