"""The frame of the command line: help, version, mistakes, exit statuses."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from courtpiece import cli
from courtpiece.cli import app
from courtpiece.errors import CourtpieceError, RulesError, UsageError

Output = pytest.CaptureFixture[str]
COMMAND = [sys.executable, "-m", "courtpiece"]


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"]])
def test_help_names_the_commands(capsys: Output, arguments: list[str]) -> None:
    assert cli.main(arguments) == 0
    text = capsys.readouterr().out
    assert "Simulation and strategy analysis of Court Piece" in text
    assert "List the presets" in text


def test_a_command_has_help_of_its_own(capsys: Output) -> None:
    assert cli.main(["rules", "--help"]) == 0
    assert "--book" in capsys.readouterr().out


def test_the_version_is_the_packages(capsys: Output) -> None:
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out == f"courtpiece {metadata.version('courtpiece')}\n"


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (
            ["rulse"],
            (f'courtpiece: there is no command "rulse"; there are {", ".join(app.COMMANDS)} '
             '(did you mean "rules"?)'),
        ),
        (["--verbose"], "courtpiece: No such option: --verbose (Possible options: --version)"),
    ],
)
def test_a_mistake_gets_one_line_and_status_2(capsys: Output, arguments: list[str], line: str) -> None:
    assert cli.main(arguments) == 2
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", line + "\n")


@pytest.mark.parametrize(
    ("error", "lines"),
    [
        (UsageError("no"), ["courtpiece: no"]),
        (RulesError(["one"]), ["courtpiece: one"]),
        (RulesError(["one"], "x.toml"), ["courtpiece: x.toml: one"]),
        (UsageError("no\n\x1b[31m\tcard"), [r"courtpiece: no\n\x1b[31m\tcard"]),
        (RulesError(["x" * 999, "a\nb"]),
         ["courtpiece: these rules: 2 things are wrong", f"  {'x' * 300}…", r"  a\nb"]),
        (RulesError(["one", "two"]), ["courtpiece: these rules: 2 things are wrong", "  one", "  two"]),
        (RulesError(["one", "two"], "x.toml"), ["courtpiece: x.toml: 2 things are wrong", "  one", "  two"]),
    ],
)
def test_an_error_becomes_a_line_or_a_line_a_reason(error: CourtpieceError, lines: list[str]) -> None:
    assert cli.complaint(error) == lines


@pytest.mark.parametrize(
    ("ending", "status"),
    [
        (UsageError("no"), 2),
        (KeyboardInterrupt(), 130),
    ],
)
def test_the_exit_status_tells_how_it_ended(
    monkeypatch: pytest.MonkeyPatch, ending: BaseException, status: int
) -> None:
    def run(_: list[str]) -> int:
        raise ending

    monkeypatch.setattr(app, "run", run)
    assert cli.main(["rules"]) == status


def test_a_fault_of_the_program_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "run", lambda _: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        cli.main(["rules"])


def test_a_reader_that_goes_away_is_no_fault() -> None:
    read, write = os.pipe()
    with subprocess.Popen([*COMMAND, "rules", "--book"], stdout=write, stderr=subprocess.PIPE) as process:
        os.close(read)
        os.close(write)
        _, said = process.communicate()
    assert said == b""


@pytest.mark.parametrize(
    "arguments", [["rules"], ["rules", "--book"], ["deal", "--plays", "3"], ["players", "--json"]]
)
def test_a_full_disk_gets_one_line(arguments: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([*COMMAND, *arguments], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.stderr == "courtpiece: reading or writing failed: no space left on device\n"
    assert done.returncode == 2


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize(("arguments", "status"), [("rules", 0), ("replay -", 0), ("rules x", 2)])
def test_closed_input_and_output_are_no_fault(closed: str, arguments: str, status: int) -> None:
    command = f"{shlex.join(COMMAND)} {arguments} {closed}"
    done = subprocess.run(["sh", "-c", command], input="", capture_output=True, text=True)
    assert done.returncode == status
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("arguments", [["play"], ["rules", "--book"], ["players"]])
@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_what_an_encoding_does_not_have_is_no_fault(arguments: list[str], encoding: str) -> None:
    environment = os.environ | {"PYTHONIOENCODING": encoding}
    done = subprocess.run([*COMMAND, *arguments], capture_output=True, env=environment)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode(encoding)


def test_the_rules_start_without_what_they_do_not_need() -> None:
    heavy = {"numpy", "scipy", "polars", "pandas", "matplotlib", "joblib", "pyarrow", "jinja2"}
    code = (
        "import sys; from courtpiece.cli import main; main(['rules']); "
        f"print(*sorted({heavy!r} & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.split() == []


def test_the_help_lists_every_command_in_one_order(capsys: Output) -> None:
    assert cli.main(["--help"]) == 0
    words = [line.split()[1] for line in capsys.readouterr().out.splitlines() if len(line.split()) > 2]
    assert [word for word in words if word in app.COMMANDS] == list(app.COMMANDS)
