"""The smallest runs of every study: whatever is not known then, all that shows a run can show it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NoReturn

import pytest

from courtpiece.cli import main
from courtpiece.language import LANGUAGES
from courtpiece.studies import names

SMALLEST = {
    "trump-call": "--hands 1 --deals 30",
    "trump-book": "--hands 1 --deals 10",
    "rules-of-thumb": "--hands 1",
    "kot-frequency": "--deals 1 --rules single-sir --rules bavan",
    "rare-kots": "--deals 1",
    "conventions": "--deals 1",
    "calls-that-lie": "--deals 1 --draws 50 --more 1",
    "duel": "--deals 1",
    "ladder": "--deals 1",
    "toss": "--draws 1",
    "variants": "--deals 2 --rules single-sir,target=1 --rules classic,target=1",
    "options": "--deals 1",
}


def test_every_study_has_a_smallest_run() -> None:
    assert set(SMALLEST) == set(names())


@pytest.mark.parametrize(("study", "asked"), SMALLEST.items(), ids=SMALLEST)
def test_the_smallest_run_is_shown_in_every_way(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], study: str, asked: str
) -> None:
    command = ["run", study, *asked.split(), "--jobs", "1", "--out", str(tmp_path / "run")]
    assert main([*command, "--json"]) == 0

    def refuse(constant: str) -> NoReturn:
        raise AssertionError(f"{constant} is not JSON")

    told = json.loads(capsys.readouterr().out, parse_constant=refuse)
    assert told["study"] == study
    assert main(command) == 0
    printed = capsys.readouterr().out
    assert not {"nan", "inf", "None"} & set(printed.split())
    for lang in LANGUAGES:
        assert main(["report", str(tmp_path / "run"), "--lang", lang]) == 0
