"""`courtpiece lab`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from courtpiece import cli
from courtpiece.cli import lab

NOTEBOOKS = sorted(path.name for path in (Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))
Output = pytest.CaptureFixture[str]


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[list[str]]:
    """What was started in place of the command."""
    pytest.importorskip("jupyterlab", reason="the extra lab is not installed")
    commands: list[list[str]] = []
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "jupyter"))
    monkeypatch.setattr(os, "execv", lambda path, command: commands.append(command))
    return commands


def test_a_folder_gets_the_notebooks_and_room_for_results(
    started: list[list[str]], tmp_path: Path, capsys: Output
) -> None:
    folder = tmp_path / "mine"
    assert cli.main(["lab", str(folder), "--no-browser", "--port", "8899"]) == 0
    assert sorted(path.name for path in (folder / "notebooks").iterdir()) == NOTEBOOKS
    assert lab.FIRST in NOTEBOOKS
    assert (folder / "results").is_dir()
    assert capsys.readouterr().out.splitlines() == [str(folder / "notebooks" / name) for name in NOTEBOOKS]
    command = started[0]
    assert command[:3] == [sys.executable, "-m", "jupyterlab"]
    assert f"--ServerApp.root_dir={folder}" in command
    assert "--LabApp.default_url=/lab/tree/notebooks/00-start.ipynb" in command
    assert "--no-browser" in command
    assert "--ServerApp.port=8899" in command


def test_jupyter_trusts_the_notebooks_as_they_came_and_no_others(
    started: list[list[str]], tmp_path: Path
) -> None:
    import nbformat
    from nbformat.sign import NotebookNotary

    folder = tmp_path / "mine"
    lab.prepare(folder)
    changed = folder / "notebooks" / NOTEBOOKS[-1]
    text = changed.read_text(encoding="utf-8").replace("import os", "import sys")
    changed.write_text(text, encoding="utf-8")
    lab.trust(folder)
    notary = NotebookNotary()                   # type: ignore[no-untyped-call]
    trusted = [
        notary.check_signature(nbformat.read(folder / "notebooks" / name, as_version=4))  # type: ignore[no-untyped-call]
        for name in NOTEBOOKS
    ]
    notary.store.close()
    assert trusted == [True] * (len(NOTEBOOKS) - 1) + [False]


def test_notebooks_that_are_there_stay_as_they_are(
    started: list[list[str]], tmp_path: Path, capsys: Output
) -> None:
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "notebooks" / lab.FIRST).write_text("mine")
    assert cli.main(["lab", str(tmp_path)]) == 0
    assert (tmp_path / "notebooks" / lab.FIRST).read_text() == "mine"
    assert lab.FIRST not in capsys.readouterr().out
    assert "--no-browser" not in started[0]


def test_without_jupyterlab_one_line_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Output
) -> None:
    monkeypatch.setattr(lab, "find_spec", lambda name: None)
    assert cli.main(["lab", str(tmp_path / "new")]) == 2
    assert capsys.readouterr().err == (
        "courtpiece: courtpiece lab needs JupyterLab: pip install '.[lab]' in a clone of courtpiece\n"
    )
    assert not (tmp_path / "new").exists()


def test_a_folder_that_cannot_be_is_refused_in_one_line(
    started: list[list[str]], tmp_path: Path, capsys: Output
) -> None:
    (tmp_path / "file").touch()
    assert cli.main(["lab", str(tmp_path / "file")]) == 2
    said = capsys.readouterr().err
    assert "file" in said
    assert said.count("\n") == 1
    assert started == []
