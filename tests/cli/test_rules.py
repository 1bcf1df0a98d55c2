"""`courtpiece rules`."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path

import pytest

from courtpiece.cli import main
from courtpiece.rules import RuleSet, preset, preset_names, resolve
from courtpiece.rules.loading import load_preset

Output = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal of 80 columns, whatever the tests run in."""
    monkeypatch.setenv("COLUMNS", "80")


def shown(output: Output, *arguments: str) -> str:
    """What the command prints; fails when it complains."""
    assert main(["rules", *arguments]) == 0
    said = output.readouterr()
    assert said.err == ""
    return said.out


def complaint(output: Output, *arguments: str) -> str:
    """What the command complains; fails when it does not."""
    assert main(["rules", *arguments]) == 2
    said = output.readouterr()
    assert said.out == ""
    return said.err


def test_the_presets_are_listed_one_a_line(capsys: Output) -> None:
    lines = shown(capsys).splitlines()
    for name in preset_names():
        (line,) = [line for line in lines if line.split(maxsplit=1)[:1] == [name]]
        assert line.rstrip().endswith(load_preset(name).about)
    assert len(lines) == len(preset_names()) + 4
    assert all(len(line) <= 80 for line in lines)


def test_the_presets_are_listed_for_programs(capsys: Output) -> None:
    listed = json.loads(shown(capsys, "--json"))
    assert [each["name"] for each in listed] == list(preset_names())
    for each in listed:
        base = {"preset": each["preset"]} if each["preset"] else {}
        assert resolve(base | each["changes"]) == preset(each["name"]) == resolve(each["line"])


@pytest.mark.parametrize("name", preset_names())
def test_a_rule_set_shows_every_option_with_its_meaning(capsys: Output, name: str) -> None:
    text = shown(capsys, name)
    words = text.split()
    assert all(option.name in words for option in fields(RuleSet))
    assert load_preset(name).about in text
    assert text.splitlines()[-1] == str(preset(name))
    assert " ".join(preset(name).deal_ends.doc.split()[:4]) in " ".join(words)
    assert all(len(line) <= 80 for line in text.splitlines()[3:-1])


def test_a_rule_set_shows_what_else_an_option_may_be(capsys: Output) -> None:
    words = " ".join(shown(capsys, "single-sir").split())
    assert "kot first-seven taking the first seven tricks in a row or all-thirteen, none" in words
    assert "caller_may_pass true eldest may pass the call to his partner, who may not pass or false" in words
    assert "reveal – when the hidden card is shown revealer_must_trump –" in words


def test_a_file_and_a_line_are_shown_like_a_preset(capsys: Output, tmp_path: Path) -> None:
    path = tmp_path / "house.toml"
    path.write_text('preset = "double-sir"\npile_blocks = [2]\ntarget = 7\n')
    text = shown(capsys, str(path))
    assert text.startswith("three-sar,target=7\n")
    assert shown(capsys, "double-sir,pile_blocks=[2],target=7") == text
    assert shown(capsys, str(resolve(path))) == text


def test_a_preset_shows_what_it_changes_of_its_base(capsys: Output) -> None:
    assert shown(capsys, "five-sar").splitlines()[:3] == [
        "five-sar",
        "no pick-up before trick 5",
        "double-sir with pile_blocks=[2,3,4]",
    ]
    assert shown(capsys, "hokm").splitlines()[2] == "hakim with no change"


def test_a_rule_set_is_shown_for_programs(capsys: Output) -> None:
    answer = json.loads(shown(capsys, "bavan,target=500", "--json"))
    rules = resolve("bavan", target=500)
    assert answer == {"name": "bavan,target=500", "line": str(rules), "options": rules.to_dict()}
    assert resolve(answer["options"]) == rules


def test_an_illegal_file_shows_all_reasons_at_once(capsys: Output, tmp_path: Path) -> None:
    path = tmp_path / "house.toml"
    path.write_text(
        'preset = "single-sir"\ntrump = "first-void"\nclaim = 82\ntarget = 0\ncolection = "pile"\n'
    )
    assert complaint(capsys, str(path)).splitlines() == [
        f"courtpiece: {path}: 5 things are wrong",
        '  target must be a whole number from 1 up or "none", not 0',
        '  there is no option "colection" (did you mean "collection"?)',
        '  caller_may_pass = true needs trump = "called" or "hidden", not "first-void"',
        '  uncalled = "blind-stock" needs trump = "called" or "hidden", not "first-void"',
        '  claim = 82 needs kot = "all-thirteen", not "first-seven"',
    ]


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["singel-sir"], 'courtpiece: there is no preset "singel-sir" (did you mean "single-sir"?)'),
        (["none.toml"], "courtpiece: none.toml: there is no such file"),
        (["/"], "courtpiece: /: is a directory, not a file"),
        (["hakim,target=x"], 'courtpiece: target must be a whole number from 1 up or "none", not "x"'),
        (["hakim", "bavan"], "courtpiece: Got unexpected extra argument(s) (bavan)"),
        (["--jsn"], "courtpiece: No such option: --jsn (Possible options: --json)"),
        (["--book", "A50"], 'courtpiece: the rule book has no "A50" (did you mean "A48"?)'),
    ],
)
def test_a_mistake_gets_one_line(capsys: Output, arguments: list[str], line: str) -> None:
    assert complaint(capsys, *arguments) == line + "\n"


def test_a_rule_is_looked_up_in_the_book(capsys: Output) -> None:
    text = shown(capsys, "--book", "S0.57")
    assert "S0.57" in text
    assert len(text.splitlines()) < 10
    assert json.loads(shown(capsys, "S0.57", "--book", "--json"))["text"] == text.strip()


def test_the_whole_book_is_shown(capsys: Output) -> None:
    text = shown(capsys, "--book")
    assert all(f"**{number}**" in text for number in ("S0.1", "S4.59", "A1", "B20"))
