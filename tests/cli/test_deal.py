"""`courtpiece deal`."""

from __future__ import annotations

import errno
import json
import subprocess
import sys
from pathlib import Path

import pytest

from courtpiece import cli
from courtpiece.cli import files
from courtpiece.errors import UsageError
from courtpiece.record import judge
from courtpiece.table import Table

Output = pytest.CaptureFixture[str]


def test_it_shows_the_four_hands_and_the_call(capsys: Output) -> None:
    assert cli.main(["deal", "--seed", "7", "--index", "123456"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("Deal 123,456 of seed 7 · single-sir · players greedy\n")
    ranks = "".join(text.split("\n\n", 1)[1].split("\nS holds")[0].split())
    assert sum(ranks.count(rank) for rank in "23456789TJQKA") == 52
    assert "S · eldest" in text
    assert "W · dealer" in text
    dealt = Table("single-sir", "greedy").trace(7, 123456, 1)
    first = dealt.hands[0, 0, 0]
    assert f"S holds {'23456789TJQKA'[first % 13]}{'♠♥♦♣'[first // 13]} " in text


def test_the_dealer_may_sit_anywhere(capsys: Output) -> None:
    cli.main(["deal", "--dealer", "n"])
    assert "W · eldest" in capsys.readouterr().out         # anticlockwise: N's right is W
    cli.main(["deal", "--dealer", "n", "--rules", "single-sir,direction=clockwise"])
    assert "E · eldest" in capsys.readouterr().out


def test_where_nothing_is_called_it_says_so(capsys: Output) -> None:
    assert cli.main(["deal", "--rules", "be-ranga"]) == 0
    assert "Nothing is called" in capsys.readouterr().out


@pytest.mark.parametrize("rules", ["single-sir", "bavan", "hidden-rung", "mendikot", "single-sir,target=5"])
def test_records_are_judged_to_be_in_order(capsys: Output, rules: str) -> None:
    arguments = ["--rules", rules, "--players", "random", "--seed", "3", "--index", "10", "--plays", "25"]
    assert cli.main(["deal", *arguments]) == 0
    records = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [record["id"] for record in records] == [f"3/{number}" for number in range(10, 35)]
    assert all(judge(record)["ok"] for record in records)


def test_the_last_deal_and_a_seed_of_any_length_can_be_shown(capsys: Output) -> None:
    assert cli.main(["deal", "--index", str(2**64 - 1), "--seed", str(2**70)]) == 0
    assert "Deal 18,446,744,073,709,551,615 of seed 1180591620717411303424" in capsys.readouterr().out


def write_half(path: Path, ending: BaseException) -> None:
    with files.writing(path) as stream:
        stream.write("half")
        raise ending


@pytest.mark.parametrize("ending", [KeyboardInterrupt(), OSError(errno.ENOSPC, "No space left on device")])
def test_a_file_that_is_not_finished_is_not_there(tmp_path: Path, ending: BaseException) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_text("mine")
    for path in (old, new):
        with pytest.raises((KeyboardInterrupt, UsageError)):
            write_half(path, ending)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("old", "mine")]


def test_records_can_go_to_a_pipe() -> None:
    program = "from courtpiece.cli import main; main(['deal', '--plays', '3', '--out', '/dev/stdout'])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.count('"id"') == 3


def test_numbers_that_no_deal_has_leave_the_file_alone(tmp_path: Path) -> None:
    out = tmp_path / "deals.jsonl"
    out.write_text("mine")
    assert cli.main(["deal", "--index", str(2**64 - 1), "--plays", "300", "--out", str(out)]) == 2
    assert out.read_text() == "mine"


def test_records_go_to_a_file(capsys: Output, tmp_path: Path) -> None:
    out = tmp_path / "deals.jsonl"
    assert cli.main(["deal", "--plays", "3", "--out", str(out)]) == 0
    assert capsys.readouterr().out == ""
    assert cli.main(["replay", str(out)]) == 0
    assert capsys.readouterr().out.count('"ok": true') == 3


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--dealer", "Q"], 'courtpiece: the dealer is one of S, E, N, W, not "Q"'),
        (["--out", "x.jsonl"], "courtpiece: --out takes records: say how many with --plays"),
        (["--plays", "2", "--out", "/no/x"], "courtpiece: /no/x cannot be written: no such file"),
        (["--rules", "single-sr"], "courtpiece: there is no preset "),
        (["--index", "-1"], "courtpiece: Invalid value for '--index'"),
        (["--index", str(2**64)], "courtpiece: Invalid value for '--index'"),
        (["--index", str(2**64 - 1), "--plays", "2"], "courtpiece: deals are numbered from 0 to 1844"),
    ],
)
def test_a_mistake_gets_one_line_and_status_2(capsys: Output, arguments: list[str], line: str) -> None:
    assert cli.main(["deal", *arguments]) == 2
    said = capsys.readouterr()
    assert said.err.startswith(line)
    assert said.err.count("\n") == 1
