"""The folder of reports: its commands can be run, each page is named, all presets are compared."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import pytest

from courtpiece.rules import preset, presets
from courtpiece.studies import find, names
from courtpiece.studies.study import parameter_fields

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "reports/README.md").read_text(encoding="utf-8")
COMMANDS = [shlex.split(line) for line in re.findall(r"^courtpiece .*", TEXT, re.M)]
NAMED = [command[command.index("--out") + 1].removeprefix("results/reports/") for command in COMMANDS]


@pytest.mark.parametrize("command", COMMANDS, ids=NAMED)
def test_a_command_runs_a_study_with_options_that_it_has(command: list[str]) -> None:
    assert command[:2] == ["courtpiece", "run"]
    assert command[2] in names()
    asked = [option.removeprefix("--").replace("-", "_") for option in command if option.startswith("--")]
    known = [about.name for about in parameter_fields(find(command[2]).Parameters)]
    assert set(asked) <= {*known, "out", "config"}


def test_every_page_has_its_command_and_its_line() -> None:
    assert len(set(NAMED)) == len(NAMED)
    assert re.findall(r"^\| \[(.+?)\]\(\1\.html\)", TEXT, re.M) == NAMED
    for page in (ROOT / "reports").glob("*.html"):
        assert page.name.split(".")[0] in NAMED, page.name


@pytest.mark.parametrize("page", sorted((ROOT / "reports").glob("*.html")), ids=lambda page: page.name)
def test_a_page_is_whole_and_small_and_names_no_place_of_the_machine_that_made_it(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert text.rstrip().endswith("</html>")
    assert "courtpiece run" in text
    assert not re.search(r"/(home|tmp|work|root|Users)/", text)
    assert len(text) < 1_500_000


def test_all_presets_are_compared() -> None:
    compared = tomllib.loads((ROOT / "reports/presets.toml").read_text(encoding="utf-8"))["rules"]
    assert len({preset(name) for name in compared}) == len(compared)
    assert {preset(name) for name in compared} == {preset(name) for name in presets()}
