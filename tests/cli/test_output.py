"""What is written to a terminal: control characters in names are shown, never obeyed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.table import Table
from rich.text import Text

from courtpiece.cli import main
from courtpiece.cli.output import console, print_json, say
from tests.test_record import arranged_record

# Clears the screen, gives the window a title, and colours; turns text round; half a letter.
HOSTILE = "a\x1b[2J\x1b]0;t\x9b31m\u202eb\udcff"
SHOWN = "a\\x1b[2J\\x1b]0;t\\x9b31m\\u202eb\\udcff"


def obeyed(text: str) -> set[str]:
    """Returns the characters of some output that a terminal would obey instead of showing."""
    return {letter for letter in text if not letter.isprintable()} - {"\n"}


@pytest.mark.parametrize("write", [say, lambda text: console(width=200).print(Text(text))])
def test_a_hostile_name_is_shown_as_python_would_write_it(
    capsys: pytest.CaptureFixture[str], write: Callable[[str], None]
) -> None:
    write(HOSTILE)
    assert capsys.readouterr().out == f"{SHOWN}\n"


def test_a_table_shows_hostile_cells_and_keeps_its_own_colours(capsys: pytest.CaptureFixture[str]) -> None:
    table = Table("head")
    table.add_row(Text(HOSTILE, "bold"))
    console(force_terminal=True, width=200).print(table)
    out = capsys.readouterr().out
    assert "\x1b[1ma\\x1b[2J" in out    # rich's own for what is bold, then ours, as wide as there is room
    assert "\x1b[2J" not in out


def test_json_says_the_same_in_letters_that_are_to_be_seen(capsys: pytest.CaptureFixture[str]) -> None:
    value = {HOSTILE: ["♠ رنگ", HOSTILE, "\U000e0001"]}
    print_json(value)
    out = capsys.readouterr().out
    assert not obeyed(out)
    assert json.loads(out) == value
    assert "♠ رنگ" in out


NAME = "x\x1b[2J\x9b31m\u202e"


def _record_named(folder: Path) -> str:
    path = folder / NAME
    path.write_text(json.dumps({"id": NAME, **arranged_record()}), encoding="utf-8")
    return str(path)


def _rules_named(folder: Path) -> str:
    path = folder / f"{NAME}.toml"
    path.write_text(f'about = "{"x"}"\npreset = "single-sir"\n', encoding="utf-8")
    return str(path)


COMMANDS: list[Callable[[Path], list[str]]] = [
    lambda folder: ["play", "--record", _record_named(folder)],
    lambda folder: ["review", _record_named(folder), "--worlds", "0"],
    lambda folder: ["review", _record_named(folder), "--worlds", "0", "--json"],
    lambda folder: ["replay", _record_named(folder)],
    lambda folder: ["solve", _record_named(folder), "--after", "50"],
    lambda folder: ["rules", _rules_named(folder)],
    lambda folder: ["rules", str(folder / f"{NAME}.toml")],
    lambda folder: ["rules", NAME],
    lambda folder: ["rules", "--book", NAME],
    lambda folder: ["call", NAME],
    lambda folder: ["deal", "--players", NAME],
    lambda folder: ["deal", "--players", str(folder / f"{NAME}.py:Mine")],
    lambda folder: ["deal", "--plays", "1", "--out", str(folder / NAME / NAME)],
    lambda folder: ["studies", NAME],
    lambda folder: ["report", str(folder / NAME)],
    lambda folder: ["verify", str(folder / NAME)],
    lambda folder: ["run", "toss", "--config", str(folder / NAME)],
    lambda folder: ["run", NAME],
    lambda folder: [NAME],
    lambda folder: ["deal", f"--{NAME}"],
]


@pytest.mark.parametrize("arguments", COMMANDS)
def test_no_command_passes_a_hostile_name_on_to_the_terminal(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, arguments: Callable[[Path], list[str]]
) -> None:
    main(arguments(tmp_path))
    told = capsys.readouterr()
    assert told.out or told.err
    assert not obeyed(told.out)
    assert not obeyed(told.err)
