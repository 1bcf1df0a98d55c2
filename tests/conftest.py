"""What several modules of tests begin with."""

from __future__ import annotations

from pathlib import Path

import pytest

from courtpiece.run import run
from tests.dice import Dice


@pytest.fixture
def direct(tmp_path: Path) -> Path:
    """A run of 1,050 throws in chunks of 100, done in one go."""
    folder = tmp_path / "direct"
    run(Dice(), out=folder, deals=1050, jobs=1)
    return folder
