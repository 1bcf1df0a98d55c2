"""What several modules of tests begin with."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from courtpiece.run import run
from tests.dice import Dice


@pytest.fixture
def rng() -> random.Random:
    """Random numbers of a seed that is told when the test fails, and that COURTPIECE_SEED gives again."""
    seed = int(os.environ.get("COURTPIECE_SEED") or random.randrange(10**6))
    print(f"COURTPIECE_SEED={seed}")
    return random.Random(seed)


@pytest.fixture
def direct(tmp_path: Path) -> Path:
    """A run of 1,050 throws in chunks of 100, done in one go."""
    folder = tmp_path / "direct"
    run(Dice(), out=folder, deals=1050, jobs=1)
    return folder
