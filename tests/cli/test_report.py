"""`courtpiece report`."""

from __future__ import annotations

from pathlib import Path

import pytest

from courtpiece import cli
from courtpiece.run import run

Output = pytest.CaptureFixture[str]


def test_it_draws_the_page_again_and_says_where(capsys: Output, tmp_path: Path) -> None:
    run("kot-frequency", out=tmp_path, deals=200, players="simple", jobs=1)
    assert not (tmp_path / "report.html").exists()
    assert cli.main(["report", str(tmp_path)]) == 0
    assert capsys.readouterr().out == f"{tmp_path / 'report.html'}\n"
    first = (tmp_path / "report.html").read_bytes()
    assert cli.main(["report", str(tmp_path)]) == 0
    assert (tmp_path / "report.html").read_bytes() == first


@pytest.mark.parametrize(
    ("folder", "line"),
    [("", "courtpiece: Missing argument"), ("none", "holds no run"), ("other", "is not the folder of a run")],
)
def test_a_mistake_gets_one_line_and_status_2(capsys: Output, tmp_path: Path, folder: str, line: str) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "x").touch()
    assert cli.main(["report", *([str(tmp_path / folder)] if folder else [])]) == 2
    said = capsys.readouterr()
    assert line in said.err
    assert said.err.count("\n") == 1
