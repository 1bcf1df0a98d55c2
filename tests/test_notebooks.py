"""The notebooks run, hold no logic and are kept with their outputs.

    python tests/test_notebooks.py [NAME …]     executes them all, or some, and stores what they show
"""

from __future__ import annotations

import ast
import json
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
_WIDGET = "application/vnd.jupyter.widget-view+json"
_PATIENCE = 1800                        # seconds a cell may take
_LOGIC = (ast.FunctionDef, ast.ClassDef, ast.For, ast.While, ast.If, ast.Try, ast.Lambda)

Json = dict[str, Any]


def execute(path: Path, folder: Path) -> Json:
    """Returns a notebook as it is after all its cells ran in `folder`/notebooks, its results beside that."""
    import nbformat
    from nbclient import NotebookClient

    place = folder / "notebooks"
    place.mkdir(exist_ok=True)
    notebook = nbformat.read(path, as_version=4)    # type: ignore[no-untyped-call]
    client = NotebookClient(
        notebook, timeout=_PATIENCE, kernel_name="python3", record_timing=False,
        resources={"metadata": {"path": str(place)}},
    )
    client.execute()
    done: Json = json.loads(nbformat.writes(notebook))     # type: ignore[no-untyped-call]
    return _tidied(done)


def _tidied(notebook: Json) -> Json:
    """Returns a notebook with nothing in it that differs from one execution to the next."""
    notebook["metadata"] = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    for number, cell in enumerate(notebook["cells"]):
        cell["id"] = f"{number:02}"
        cell["metadata"] = {}
        for output in cell.get("outputs", ()):
            if "metadata" in output:
                output["metadata"] = {}
            if _WIDGET in output.get("data", {}):
                output["data"] = {"text/plain": ["(a widget: run the cell to see it)"]}
    return notebook


def write(notebook: Json, path: Path) -> None:
    """Writes a notebook so that a change of one output changes few lines."""
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def read(path: Path) -> Json:
    """Returns a notebook."""
    notebook: Json = json.loads(path.read_text(encoding="utf-8"))
    return notebook


def source(cell: Json) -> str:
    """Returns the text of a cell."""
    return "".join(cell["source"])


def code(path: Path) -> list[Json]:
    """Returns the cells of a notebook that are run."""
    return [cell for cell in read(path)["cells"] if cell["cell_type"] == "code"]


def named(path: Path) -> str:
    return path.stem


@pytest.mark.parametrize("path", NOTEBOOKS, ids=named)
def test_a_notebook_runs_from_start_to_end(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("nbclient")
    monkeypatch.setenv("DEALS", "200")
    monkeypatch.setenv("PYTHONWARNINGS", "ignore")  # ours are errors in all other tests
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    done = execute(path, tmp_path)
    stored = read(path)
    assert [source(cell) for cell in done["cells"]] == [source(cell) for cell in stored["cells"]]
    for cell, kept in zip(done["cells"], stored["cells"], strict=True):
        if cell["cell_type"] == "code":
            assert [output["output_type"] for output in cell["outputs"]] == [
                output["output_type"] for output in kept["outputs"]
            ], source(cell)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=named)
def test_a_notebook_is_kept_with_its_outputs_as_they_came(path: Path) -> None:
    cells = code(path)
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    for cell in cells:
        last = ast.parse(source(cell)).body[-1]
        shows = isinstance(last, ast.Expr) and not source(cell).rstrip().endswith(";")
        assert bool(cell["outputs"]) == shows, source(cell)
        assert all(output["output_type"] in ("execute_result", "display_data") for output in cell["outputs"])


@pytest.mark.parametrize("path", NOTEBOOKS, ids=named)
def test_a_notebook_holds_no_logic(path: Path) -> None:
    for cell in code(path):
        nodes = ast.walk(ast.parse(source(cell)))
        assert not any(isinstance(node, _LOGIC) for node in nodes), source(cell)
    assert "DEALS = int(os.environ.get(" in source(code(path)[0])


@pytest.mark.parametrize("path", NOTEBOOKS, ids=named)
def test_a_notebook_names_no_place_of_the_machine_that_ran_it(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"/(home|tmp|work|root|Users|usr|private)/|object at 0x", text)
    assert read(path) == _tidied(read(path))
    assert text == json.dumps(read(path), indent=1, ensure_ascii=False) + "\n"
    assert len(text) < 700_000


def test_there_are_notebooks() -> None:
    assert "00-start" in map(named, NOTEBOOKS)


def main(names: list[str]) -> None:
    """Executes the notebooks named, all by default, each with a place of its own, and stores them."""
    for path in NOTEBOOKS:
        if names and path.stem not in names:
            continue
        with tempfile.TemporaryDirectory() as folder:
            write(execute(path, Path(folder)), path)
        print(f"{path.relative_to(ROOT)}: {path.stat().st_size // 1024} KiB")


if __name__ == "__main__":
    main(sys.argv[1:])
