"""`courtpiece play`."""

from __future__ import annotations

import io
import json
import re
import sys
from pathlib import Path

import pytest

from courtpiece import cli
from courtpiece.played import played
from courtpiece.record import write
from courtpiece.rules import preset_names
from courtpiece.table import Table

Output = pytest.CaptureFixture[str]


@pytest.mark.parametrize("rules", preset_names())
def test_every_rule_set_can_be_watched(capsys: Output, rules: str) -> None:
    assert cli.main(["play", "--rules", rules, "--players", "simple", "--index", "2"]) == 0
    text = capsys.readouterr().out
    assert "won by" in text or "A new deal by the same dealer." in text


def test_who_led_and_who_won_each_trick_is_marked(capsys: Output) -> None:
    assert cli.main(["play", "--index", "3", "--players", "simple"]) == 0
    text = capsys.readouterr().out
    deal = next(played(Table("single-sir", "simple"), 1, 3, 1))
    lines = [line for line in text.splitlines() if re.match(r"\s*\d+ ", line)]
    assert len(lines) == len(deal.tricks)
    for line, trick in zip(lines, deal.tricks, strict=True):
        card = str(trick.winning_card)
        assert re.findall(r"\[(..)\]", line) == [card[0] + trick.winning_card.suit.symbol]
        led = str(trick.cards[0])[0] + trick.cards[0].suit.symbol
        assert re.search(rf"› ?\[?{led}", line)
        assert f" {deal.name(trick.winner)} " in line
    ours, theirs = deal.taken
    assert f"tricks {max(ours, theirs)}–{min(ours, theirs)} against" in text


def test_piles_and_hidden_cards_are_told(capsys: Output) -> None:
    cli.main(["play", "--rules", "double-sir", "--players", "simple"])
    assert re.search(r"[SENW] picks up \d", capsys.readouterr().out)
    shown = ""
    for index in range(6):
        cli.main(["play", "--rules", "hidden-trump", "--players", "random", "--index", str(index)])
        text = capsys.readouterr().out
        assert " face down" in text or "passes" in text
        shown += text
    assert re.search(r"[SENW] (asks|shows): ..", shown)
    cli.main(["play", "--rules", "be-ranga"])
    assert "makes trump: " in capsys.readouterr().out


def test_a_recorded_deal_is_shown(capsys: Output, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deals = list(played(Table("hidden-rung", "random"), 1, 0, 2, dealer=1))
    lines = "".join(json.dumps(write(deal)) + "\n\n" for deal in deals)
    path = tmp_path / "deals.jsonl"
    path.write_text(lines)
    assert cli.main(["play", "--record", str(path), "--line", "2"]) == 0
    text = capsys.readouterr().out
    assert text.startswith(f"{path}, record 2 · hidden-rung\n")
    assert "E · dealer" in text
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines.encode())))
    assert cli.main(["play", "--record", "-", "--line", "2"]) == 0
    assert capsys.readouterr().out.split("\n", 1)[1] == text.split("\n", 1)[1]


def test_a_claim_is_told(capsys: Output, tmp_path: Path) -> None:
    suits = dict(zip("SENW", "SHDC", strict=True))
    hands = {seat: [rank + suit for rank in "AKQJT98765432"] for seat, suit in suits.items()}
    play = [card for trick in zip(*hands.values(), strict=True) for card in trick]
    record = {
        "rules": "bavan", "dealer": "W", "hands": hands, "call": ["S"], "claim": {"seat": "S"}, "play": play
    }
    path = tmp_path / "claim.jsonl"
    path.write_text(json.dumps(record))
    assert cli.main(["play", "--record", str(path)]) == 0
    text = capsys.readouterr().out
    assert "S claims all thirteen tricks" in text
    assert "SN makes the claim of all thirteen tricks: tricks 13–0 against EW; 82 points." in text


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{}", 'the key "rules" is missing'),
        ("{", "is not JSON"),
        ("[]", "is no deal"),
        ('{"match": []}', "is a match, not a single deal"),
        ("", "has no record 1"),
    ],
)
def test_what_is_no_record_of_a_deal_is_one_line(capsys: Output, tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(text)
    assert cli.main(["play", "--record", str(path)]) == 2
    said = capsys.readouterr()
    assert why in said.err
    assert said.err.count("\n") == 1


def test_a_file_that_is_not_there_is_one_line(capsys: Output) -> None:
    assert cli.main(["play", "--record", "/nowhere"]) == 2
    assert capsys.readouterr().err == "courtpiece: /nowhere cannot be read: no such file or directory\n"
