"""Chunks of no work that leave nothing behind: what a run costs beside its work and its files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from courtpiece.store import Folder
from courtpiece.studies.study import schema
from tests.dice import Dice, DiceParameters

if TYPE_CHECKING:
    from courtpiece.design import Design
    from courtpiece.store import LeftOut
    from courtpiece.studies.study import Column


class Empty(Dice):
    """Dice that nobody throws."""

    def chunk(self, p: DiceParameters, start: int, stop: int) -> pl.DataFrame:
        return pl.DataFrame(schema=schema(self.columns(p)))


class Nowhere(Folder):
    """A folder that forgets its chunks and claims to have them."""

    def write_shard(
        self,
        design: Design,
        columns: Sequence[Column],
        index: int,
        start: int,
        stop: int,
        rows: pl.DataFrame,
        left_out: Sequence[LeftOut] = (),
    ) -> None:
        pass

    def sees_shard(self, index: int) -> bool:
        return True

    def absolute(self) -> Any:
        return self
