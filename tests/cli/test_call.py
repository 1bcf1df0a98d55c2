"""`courtpiece call`."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from courtpiece import cli

Output = pytest.CaptureFixture[str]
FEW = ["--deals", "200", "--players", "simple"]


def test_it_shows_every_call_and_a_recommendation(capsys: Output) -> None:
    assert cli.main(["call", "AS KS 5S 2H 9D", *FEW]) == 0
    text = capsys.readouterr().out
    lines = text.splitlines()
    assert lines[0] == "A♠ K♠ 5♠ 2♥ 9♦"
    assert " ".join(lines[1].split()) == "call win % kot % conceded % points ahead tricks"
    assert lines[2].startswith("♠ spades")
    assert {line.split()[0] for line in lines[2:7]} == {"♠", "♥", "♦", "♣", "pass"}
    assert "Call spades: " in text
    assert "single-sir, players simple, 200 deals for each call, seed 1; ± is half a 95 % interval" in text


def test_a_hand_needs_no_quotes(capsys: Output) -> None:
    cli.main(["call", "AS", "KS", "5S", "2H", "9D", *FEW])
    first = capsys.readouterr().out
    cli.main(["call", "AK5.2.9.", *FEW])
    assert capsys.readouterr().out == first


def test_a_program_reads_it_as_json(capsys: Output) -> None:
    assert cli.main(["call", "2S 3H 5H 9D TD", "--rules", "bavan", "--seed", "4", "--json", *FEW]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["rules"], told["players"], told["seed"], told["deals"]) == ("bavan", "simple", 4, 200)
    assert ["redeal"] in [call["words"] for call in told["calls"]]
    assert told["recommendation"]["words"] == ["redeal"]
    assert told["recommendation"]["sure"] is (told["recommendation"]["lead"]["low"] > 0)


def test_hidden_trumps_are_cards_to_lay(capsys: Output) -> None:
    assert cli.main(["call", "AS KS 5S 2H 9D", "--rules", "mendikot-band", *FEW]) == 0
    assert "lay 2♥" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["AS KS 5S 2H"], "courtpiece: a calling hand is five cards, and AS KS 5S 2H is 4"),
        (["AS KS 5S 2H 2H"], "courtpiece: 2H is there twice"),
        (["AS KS 5S 2H XX"], 'courtpiece: there is no card "XX": '),
        (["AS KS 5S 2H 9D", "--rules", "be-ranga"], "courtpiece: be-ranga has no call: "),
        (["AS KS 5S 2H 9D", "--rules", "singel-sir"], "courtpiece: there is no preset "),
        (["AS KS 5S 2H 9D", "--players", "gredy"], 'courtpiece: there is no card player "gredy"'),
        (["AS KS 5S 2H 9D", "--deals", "1"], "courtpiece: deals must be at least 4"),
        (["AS KS 5S 2H 9D", "--precision", "0"], "courtpiece: precision must be above 0"),
        (["AS KS 5S 2H 9D", "--deals", "many"], "courtpiece: Invalid value for '--deals'"),
        ([], "courtpiece: Missing argument"),
    ],
)
def test_a_mistake_gets_one_line_and_status_2(capsys: Output, arguments: list[str], line: str) -> None:
    assert cli.main(["call", *arguments]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(line)
    assert said.err.count("\n") == 1


def test_it_starts_without_what_it_does_not_need() -> None:
    heavy = ["polars", "pandas", "matplotlib", "scipy.stats", "joblib", "jinja2"]
    code = (
        "import sys; from courtpiece.cli import main; main(['call', 'AK5.2.9.', '--deals', '50']);"
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
