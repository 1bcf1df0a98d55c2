"""A run of a single deal: it tells what was seen, and claims no error that it cannot know."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from courtpiece import report
from courtpiece.run import run
from courtpiece.studies.study import readable


@pytest.mark.parametrize(
    ("study", "asked"),
    [
        ("kot-frequency", {"rules": ["single-sir", "bavan"]}),
        ("variants", {"rules": ["single-sir", "double-sir"]}),
        ("duel", {"us": "simple", "them": "random"}),
        ("ladder", {"player": ["simple", "random"]}),
        ("conventions", {}),
        ("rare-kots", {}),
        ("options", {"rules": "hidden-trump"}),
    ],
)
def test_no_error_is_told_that_one_deal_cannot_show(
    study: str, asked: dict[str, Any], tmp_path: Path
) -> None:
    one = run(study, deals=1, out=tmp_path, jobs=1, **asked)
    assert one.tables["summary"].filter(pl.col("n") < 2, pl.col("low") >= pl.col("high")).is_empty()
    shown = " ".join(cell for row in readable(one.headline)[1] for cell in row)
    page = report.render(one)
    for text in (shown, re.sub(r"<svg.*?</svg>", "", page, flags=re.S)):
        assert not re.search(r"\binf\b|\bnan\b|± 0(\.0*)?(?![.\d])", text)
