"""`courtpiece review`."""

from __future__ import annotations

import io
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from courtpiece import cli
from courtpiece.deal import Deal
from courtpiece.match import Match
from courtpiece.played import played
from courtpiece.record import write, write_match
from courtpiece.review import review
from courtpiece.rules import preset_names
from courtpiece.table import Table

Output = pytest.CaptureFixture[str]


def deals(count: int, rules: str = "single-sir", start: int = 0) -> list[Deal]:
    return list(played(Table(rules, "simple"), 7, start, count))


def lines(path: Path, *records: object) -> str:
    path.write_text("".join(json.dumps(record) + "\n\n" for record in records), encoding="utf-8")
    return str(path)


def answers(capsys: Output, *arguments: str) -> list[Any]:
    """Returns what the command prints as JSON, a line a deal."""
    assert cli.main(["review", *arguments, "--json"]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def refusal(capsys: Output, *arguments: str) -> str:
    """Returns the one line that refuses the arguments."""
    assert cli.main(["review", *arguments]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert said.err.startswith("courtpiece: ")
    return said.err


@pytest.mark.parametrize("rules", [name for name in preset_names() if not name.endswith("novice")])
def test_deals_of_every_rule_set_can_be_reviewed(capsys: Output, tmp_path: Path, rules: str) -> None:
    (deal,) = deals(1, rules, 2)
    file = lines(tmp_path / "deal.jsonl", write(deal))
    assert cli.main(["review", file, "--worlds", "20", "--exact", "7"]) == 0
    text = capsys.readouterr().out
    assert "Turning point: " in text or "With open cards no decision lost anything" in text
    found = review(deal, worlds=20, exact=7)
    numbers = [int(number) for number in re.findall(r"^ *(\d+)  ", text, flags=re.M)]
    assert numbers == [one.number for one in found.decisions]


def test_what_was_lost_stands_beside_what_was_better(capsys: Output, tmp_path: Path) -> None:
    (deal,) = deals(1)
    cli.main(["review", lines(tmp_path / "deal.jsonl", write(deal)), "--worlds", "0"])
    text = capsys.readouterr().out
    found = review(deal, worlds=0)
    assert any(one.points_lost for one in found.decisions)
    for one in found.decisions:
        line = next(line for line in text.splitlines() if re.match(rf" *{one.number}  ", line))
        assert f" {one.name}  {str(one).partition(' ')[2]}" in line
        assert (f" −{one.points_lost} " in line) == bool(one.points_lost)
        for choice in one.better[:1]:
            assert choice.actions[0][1] in "SHDC"
    assert f"\n{found.verdict[:60]}" in text


def test_several_deals_have_a_line_each_and_a_sum(capsys: Output, tmp_path: Path) -> None:
    three = deals(3)
    file = lines(tmp_path / "deals.jsonl", *(write(deal, id=f"7/{at}") for at, deal in enumerate(three)))
    assert cli.main(["review", file, "--worlds", "0"]) == 0
    text = capsys.readouterr().out
    reviews = [review(deal, worlds=0) for deal in three]
    assert [bool(re.search(rf"^ *{at}  7/{at - 1} ", text, flags=re.M)) for at in (1, 2, 3)] == [True] * 3
    for name in "SENW":
        his = [one for found in reviews for one in found.decisions if one.name == name]
        best = sum(one.lost == 0 for one in his)
        assert re.search(rf"^{name} +{len(his)} +{best} of {len(his)} ", text, flags=re.M)
    found = answers(capsys, file, "--worlds", "0", "--number", "2")
    assert [one["title"] for one in found] == [f"{file}, deal 2 · 7/1 · single-sir"]
    assert found[0]["decisions"] == reviews[1].to_dict()["decisions"]


def test_the_deals_of_a_match_are_reviewed_singly(capsys: Output, tmp_path: Path) -> None:
    table, match, told = Table("single-sir", "simple"), Match(Table("single-sir", "simple").rules, 3), []
    for index in range(3):
        (deal,) = played(table, 7, index, 1, dealer=match.dealer)
        assert deal.outcome is not None
        match.add(deal.outcome, deal.winner)
        told.append(deal)
    file = lines(tmp_path / "match.jsonl", write_match(told, id="friday"), write(told[0]))
    found = answers(capsys, file, "--worlds", "0")
    assert [one["title"].split(", ", 1)[1] for one in found] == [
        "deal 1 · friday, deal 1 of the match · single-sir",
        "deal 2 · friday, deal 2 of the match · single-sir",
        "deal 3 · friday, deal 3 of the match · single-sir",
        "deal 4 · single-sir",
    ]
    assert [one["result"]["outcome"] for one in found[:3]] == [str(deal.outcome) for deal in told]


def test_what_a_record_calls_itself_cannot_command_the_terminal(capsys: Output, tmp_path: Path) -> None:
    (deal,) = deals(1)
    file = lines(tmp_path / "deals.jsonl", *(write(deal, id=name) for name in ("\x1b[2J\nevil", "[bold]x")))
    assert cli.main(["review", file, "--worlds", "0"]) == 0
    text = capsys.readouterr().out
    assert "\x1b" not in text
    assert "\\x1b[2J\\nevil" in text
    assert "[bold]x" in text
    assert cli.main(["review", file, "--worlds", "0", "--number", "1"]) == 0
    assert "\x1b" not in capsys.readouterr().out


def test_records_come_from_standard_input_too(
    capsys: Output, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = json.dumps(write(deals(1)[0]))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xef\xbb\xbf" + text.encode())))
    assert answers(capsys, "-", "--worlds", "0")[0]["title"] == "-, deal 1 · single-sir"


def test_the_json_has_these_keys_and_no_others(capsys: Output, tmp_path: Path) -> None:
    (found,) = answers(capsys, lines(tmp_path / "deal.jsonl", write(deals(1)[0])), "--worlds", "20")
    assert [*found] == [
        "title", "record", "result", "rules", "unit", "worlds", "seed", "unsolved", "turning_point",
        "verdict", "decisions", "players",
    ]
    assert [*found["decisions"][0]] == [
        "number", "moment", "seat", "trick", "kind", "action", "points_lost", "tricks_lost", "turns", "loss",
        "choices",
    ]
    assert [*found["decisions"][0]["loss"]] == ["value", "standard_error", "low", "high", "n"]
    assert [*found["decisions"][0]["choices"][0]] == ["actions", "points", "tricks", "expected"]
    assert [*found["players"][0]] == [
        "seat", "decisions", "solved", "best", "points_lost", "loss", "mistakes", "worst",
    ]
    assert found["record"]["play"] == write(deals(1)[0])["play"]


# Mistakes


def test_a_record_that_breaks_a_rule_is_one_line(capsys: Output, tmp_path: Path) -> None:
    record = write(deals(1)[0])
    file = lines(tmp_path / "bad.jsonl", record, record | {"play": record["play"][:-1]})
    assert f"{file}, line 3: the play stops in trick " in refusal(capsys, file)
    assert "line 1: the line is not JSON" in refusal(capsys, _text(tmp_path, "{"))
    assert "line 1: a record must be an object, not a list" in refusal(capsys, _text(tmp_path, "[]"))
    assert 'line 1: the key "rules" is missing' in refusal(capsys, _text(tmp_path, "{}"))
    assert "has no deal" in refusal(capsys, _text(tmp_path, "\n\n"))
    sheet = {key: value for key, value in record.items() if key != "rules"}
    match = {"rules": "single-sir", "match": [sheet, sheet | {"dealer": "N"}]}
    assert "line 1: deal 2 of the match: " in refusal(capsys, _text(tmp_path, json.dumps(match)))
    assert "line 1: match must be a list" in refusal(
        capsys, _text(tmp_path, json.dumps({"rules": "single-sir", "match": 3}))
    )


def _text(folder: Path, text: str) -> str:
    path = folder / "text.jsonl"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_what_cannot_be_asked_for_is_one_line(capsys: Output, tmp_path: Path) -> None:
    two = lines(tmp_path / "two.jsonl", *map(write, deals(2)))
    assert "has 2 deals, no deal 3" in refusal(capsys, two, "--number", "3")
    page = str(tmp_path / "page.html")
    assert "a page shows one deal, and" in refusal(capsys, two, "--html", page)
    assert "an even number" in refusal(capsys, two, "--worlds", "3")
    assert "nowhere.jsonl cannot be read: no such file" in refusal(capsys, str(tmp_path / "nowhere.jsonl"))
    assert "cannot be written" in refusal(
        capsys, two, "--number", "1", "--worlds", "0", "--html", str(tmp_path / "none" / "page.html")
    )


def test_the_page_is_written(capsys: Output, tmp_path: Path) -> None:
    file, page = lines(tmp_path / "deal.jsonl", write(deals(1)[0])), tmp_path / "page.html"
    assert cli.main(["review", file, "--worlds", "20", "--html", str(page)]) == 0
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert "Turning point" in capsys.readouterr().out
