"""The README and the pages of docs/ say what really happens: their blocks are run, in a fresh folder.

    python tests/test_readme.py         puts today's outputs into the pages

The language of a block says what is done with it:

    console     lines that begin with `$ ` are commands, those after them what is printed
    pycon       an interactive Python session
    python      runs as it stands
    sh          setting up, too slow to run here; what it makes must be a target of the Makefile

A line `…` in an output stands for lines left out.  An invisible comment before a block can say more:

    <!-- file: NAME -->     the block is what the reader puts into this file
    <!-- varies -->         what is printed depends on the machine and is not compared
    <!-- status: 1 -->      how the commands end; else they end well
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from difflib import unified_diff
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from courtpiece.design import BEHAVIOUR
from courtpiece.studies import find

ROOT = Path(__file__).parents[1]
PAGES = ("README.md", *sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")))
WIDTH = 88                              # columns of the terminal that the pages show

_BLOCK = re.compile(r"(?:<!-- (?P<note>[^\n]*) -->\n)?```(?P<language>\w+)\n(?P<body>.*?)^```$", re.M | re.S)


class Reader:
    """Somebody who goes through a page and tries everything in it."""

    def __init__(self, folder: Path, *, compare_all: bool) -> None:
        self.folder = folder
        self.compare_all = compare_all  # replaces what varies, too
        self.names: dict[str, Any] = {"__name__": "__main__"}

    def read(self, page: str) -> str:
        """Returns the page with the outputs that its blocks really have."""
        import polars as pl

        with contextlib.chdir(self.folder), pl.Config(tbl_width_chars=WIDTH):
            return _BLOCK.sub(self._block, page)

    def _block(self, block: re.Match[str]) -> str:
        told = dict(part.partition(": ")[::2] for part in (block["note"] or "").split("; "))
        body = block["body"]
        if "file" in told:
            Path(told["file"]).write_text(body, encoding="utf-8")
        elif block["language"] == "python":
            exec(body, self.names)
        elif block["language"] in ("console", "pycon"):
            made = self._console(body, int(told.get("status", 0))) if block["language"] == "console" else (
                self._session(body))
            if "varies" not in told or self.compare_all:
                start = block.start("body") - block.start()
                return block[0][:start] + made + block[0][start + len(body):]
        return block[0]

    def _console(self, body: str, status: int) -> str:
        parts = re.split(r"^\$ ((?:.*\\\n)*.*\n)", body, flags=re.M)
        assert parts[0] == "", f"no command: {parts[0]}"
        made = ""
        for command, shown in zip(parts[1::2], parts[2::2], strict=True):
            ended = subprocess.run(["sh", "-c", command], env=_environment(), capture_output=True, text=True)
            assert ended.returncode == status, f"{command}{ended.stdout}{ended.stderr}"
            printed = ended.stdout + (ended.stderr if status else "")
            made += f"$ {command}{_like(shown, printed)}"
        return made

    def _session(self, body: str) -> str:
        made = ""
        for part in doctest.DocTestParser().parse(body):
            if isinstance(part, str):
                made += part
                continue
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile(part.source, "<page>", "single"), self.names)
            first, *more = part.source.splitlines()
            made += "\n".join([f">>> {first}", *(f"... {line}".rstrip() for line in more), ""])
            made += _like(part.want, printed.getvalue())
        return made


def _environment() -> Mapping[str, str]:
    return {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "HOME": os.environ.get("HOME", "/"),
        "LANG": "C.UTF-8",
        "COLUMNS": str(WIDTH),
    }


def _like(shown: str, printed: str) -> str:
    """Returns what was printed, without the lines that the page leaves out."""
    lines = [line.rstrip() for line in printed.rstrip().splitlines()]
    page = shown.rstrip().splitlines()
    if "…" in page:
        left_out = page.index("…")
        after = len(page) - left_out - 1
        lines = [*lines[:left_out], "…", *lines[len(lines) - after:]]
    return "".join(f"{line}\n" for line in lines)


def _remake() -> None:
    for name in PAGES:
        path = ROOT / name
        page = path.read_text(encoding="utf-8")
        with TemporaryDirectory() as folder:
            made = Reader(Path(folder), compare_all=True).read(page)
        if made != page:
            path.write_text(made, encoding="utf-8")
            print(f"{name} changed")


@pytest.mark.parametrize("name", PAGES)
def test_a_page_shows_what_happens(name: str, tmp_path: Path) -> None:
    page = (ROOT / name).read_text(encoding="utf-8")
    made = Reader(tmp_path, compare_all=False).read(page)
    differences = "\n".join(unified_diff(page.splitlines(), made.splitlines(), name, "today", lineterm=""))
    assert not differences, f"{differences}\nif this is as it should be: python tests/test_readme.py"


def test_what_the_pages_make_can_be_made() -> None:
    targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.M)
    made = {
        target
        for name in PAGES
        for block in _BLOCK.finditer((ROOT / name).read_text(encoding="utf-8"))
        if block["language"] == "sh"
        for target in re.findall(r"\bmake (\w+)", block["body"])
    }
    assert {"study", "test"} <= made <= set(targets)


def _links() -> Iterator[tuple[str, str]]:
    for name in (*PAGES, "reports/README.md"):
        page = _BLOCK.sub("", (ROOT / name).read_text(encoding="utf-8"))
        for link in re.findall(r'\]\(([^)#\s]+)|src="([^"]+)"', page):
            yield name, "".join(link)


def test_links_lead_somewhere() -> None:
    dead = [f"{name}: {link}" for name, link in _links()
            if "://" not in link and not (ROOT / name).parent.joinpath(link).exists()]
    assert not dead


def test_the_readme_leads_to_every_page() -> None:
    linked = {link for name, link in _links() if name == "README.md"}
    assert linked >= {*PAGES[1:], "reports/README.md"}


@pytest.mark.parametrize("name", [*PAGES, "reports/README.md", "CHANGELOG.md"])
def test_no_merge_was_left_half_done(name: str) -> None:
    assert not re.findall(r"^(?:<{7}|={7}|>{7})", (ROOT / name).read_text(encoding="utf-8"), flags=re.M)


def test_the_figures_show_today_s_players() -> None:
    figures = [*(ROOT / "docs/figures").glob("*.svg")]
    assert figures
    for figure in figures:
        told = re.search(r"<desc>courtpiece (\d+), (\S+) (\d+): ", figure.read_text(encoding="utf-8"))
        assert told, f"{figure.name} does not tell which run it shows"
        assert (int(told[1]), int(told[3])) == (BEHAVIOUR, find(told[2]).version), (
            f"{figure.name} shows results of another version: make study, then docs/figures/draw.py"
        )


if __name__ == "__main__":
    _remake()
