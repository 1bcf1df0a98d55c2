"""Figures of the trump-book study."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from courtpiece.plots.style import Figure

if TYPE_CHECKING:
    import polars as pl


def trump_book(tables: Mapping[str, pl.DataFrame]) -> list[Figure]:
    """Returns the figures of the trump-book study."""
    return []
