"""`courtpiece replay`: answers on standard output, one line a record; the exit status tells a refusal."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from courtpiece.cli import main
from courtpiece.record import write
from tests.arranged import Arrangement

WINNERS = [0, 2, 0, 2, 0, 2, 0, 2, 0, 2, 0, 2]


def record(**changes: Any) -> str:
    arrangement = Arrangement(WINNERS)
    return json.dumps(write(arrangement.play(arrangement.start("single-sir", "H"))) | changes)


def test_every_record_gets_its_line_and_a_clean_file_ends_well(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "deals.jsonl"
    file.write_text(record(id=1) + "\n" + record(id=2) + "\n", encoding="utf-8")
    assert main(["replay", str(file)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [json.loads(line)["id"] for line in lines] == [1, 2]
    assert lines[0].startswith('{"ok": true, "id": 1, "outcome": "caller-kot", ')


def test_a_refused_record_makes_the_status_one_and_the_others_go_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "deals.jsonl"
    file.write_text("\n".join([record(), record(dealer="X"), "{", record()]), encoding="utf-8")
    assert main(["replay", str(file)]) == 1
    captured = capsys.readouterr()
    assert [json.loads(line).get("error") for line in captured.out.splitlines()] == [
        None,
        "bad-record",
        "bad-json",
        None,
    ]
    assert captured.err == ""


def test_an_empty_file_has_no_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "deals.jsonl"
    file.write_bytes(b"\n")
    assert main(["replay", str(file)]) == 0
    assert capsys.readouterr().out == ""


def test_a_dash_reads_standard_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(record().encode())))
    assert main(["replay", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["ok"] is True


@pytest.mark.parametrize("name", ["none.jsonl", ""])
def test_a_file_that_cannot_be_read_is_one_line_and_status_two(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    assert main(["replay", str(tmp_path / name)]) == 2  # a missing file; a folder
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.splitlines()) == 1
    assert str(tmp_path / name) in captured.err


def test_a_file_is_needed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay"]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_answers_come_one_by_one_while_records_are_still_being_written() -> None:
    command = [
        sys.executable,
        "-c",
        "import sys; from courtpiece.cli import main; sys.exit(main())",
        "replay",
        "-",
    ]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=os.environ | {"PYTHONUNBUFFERED": ""}
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for number in range(3):
            process.stdin.write(record(id=number).encode() + b"\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["id"] == number
        process.stdin.close()
    assert process.returncode == 0
