"""No code runs, and no file is opened, because a text in a folder or a file says so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import courtpiece as cp
from courtpiece.cli import main
from courtpiece.errors import CourtpieceError, PlayerError
from courtpiece.players import recall_lineup
from courtpiece.results import Run
from courtpiece.verification import verify

PLAYER = """
from pathlib import Path
from courtpiece import Player

Path(__file__).with_name("ran").touch()

class Mine(Player):
    def play(self, view):
        return view.legal_cards[0]
"""


@pytest.fixture
def code(tmp_path: Path) -> Path:
    """A file with a player; a file "ran" beside it tells that it was executed."""
    path = tmp_path / "mine.py"
    path.write_text(PLAYER, encoding="utf-8")
    return path


def ran(code: Path) -> bool:
    """Returns whether the file was executed since the last time that this was asked."""
    mark = code.with_name("ran")
    there = mark.exists()
    mark.unlink(missing_ok=True)
    return there


@pytest.fixture
def folder(code: Path, tmp_path: Path) -> Path:
    """The folder of a run in which the player in the file played, as somebody else would find it."""
    run = cp.run("kot-frequency", players=f"{code}:Mine", deals=6, chunk=3, jobs=1, out=tmp_path / "run")
    assert ran(code)
    # The text of a file is executed once for each content it has: another content is another text.
    code.write_text(PLAYER + "\n# as it is now\n", encoding="utf-8")
    return run.path


def test_a_run_is_shown_without_the_code_of_its_players(folder: Path, code: Path) -> None:
    run = Run.open(folder)
    assert run.complete
    assert run.headline.height
    assert run.report().exists()
    assert str(code) in run.report().read_text(encoding="utf-8")
    assert not ran(code)


@pytest.mark.parametrize("command", ["report", "verify"])
def test_commands_on_a_folder_do_not_run_code_that_it_names(folder: Path, code: Path, command: str) -> None:
    assert main([command, str(folder)]) == 0
    assert not ran(code)


def test_a_run_of_players_in_python_is_verified_all_but_what_would_run_their_code(
    folder: Path, code: Path
) -> None:
    found = verify(folder, seed=1)
    assert found.sound
    assert found.chunks == 2
    assert found.recomputed == ()
    assert f"{code}:Mine" in found.notes[0]
    assert "--run-code" in found.notes[0]
    (folder / "shards/000001.parquet").write_bytes(b"PAR1")
    assert not verify(folder).sound
    assert not ran(code)


def test_chunks_are_played_again_where_the_code_is_asked_for(
    code: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = cp.run(
        "kot-frequency", players=f"{code}:Mine", deals=6, chunk=3, jobs=1, out=tmp_path / "run"
    ).path
    assert verify(path, sample=None, run_code=True).recomputed == (0, 1)
    assert main(["verify", str(path), "--all", "--run-code"]) == 0
    assert "played again, bit for bit: 0, 1" in capsys.readouterr().out
    code.unlink()
    assert main(["verify", str(path), "--run-code"]) == 2
    told = capsys.readouterr().err
    assert "cannot be played again: players: " in told
    assert "damaged" not in told        # the folder is as it was: what is gone lies elsewhere


def test_players_that_a_command_names_run_and_go_on_with_their_folder(code: Path, tmp_path: Path) -> None:
    asked: dict[str, Any] = {"players": f"{code}:Mine", "chunk": 3, "jobs": 1, "out": tmp_path / "run"}
    cp.run("kot-frequency", deals=3, **asked)
    assert cp.run("kot-frequency", deals=6, **asked).played == 3


@pytest.mark.parametrize("text", [
    "evil.py:Mine", "evil.py", "pimc:worlds=evil.py:Mine", "mc:x/evil.py:Mine", "some-package",
    "pimc/evil.py:Mine",
])
def test_a_recalled_player_of_foreign_code_is_a_stand_in_that_refuses_to_play(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    for name in ("evil.py", "pimc:worlds=evil.py", "mc:x/evil.py", "pimc/evil.py"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("raise SystemExit('code ran')", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    lineup = recall_lineup(text)
    assert str(lineup) == text
    player = lineup.players[0]
    assert isinstance(player, cp.players.OwnPlayer)
    with pytest.raises(PlayerError, match="was not loaded"):
        player.make()


def test_players_of_the_package_are_recalled_as_themselves() -> None:
    for text in ("greedy", "simple/longest:pass=never", "pimc:worlds=30", "greedy,pimc", "double-dummy,mc"):
        assert recall_lineup(text) == cp.players.parse_lineup(text)


def _rewritten(folder: Path, **parameters: Any) -> Path:
    file = folder / "study.json"
    told = json.loads(file.read_text(encoding="utf-8"))
    told["parameters"] |= parameters
    file.write_text(json.dumps(told), encoding="utf-8")
    return folder


@pytest.mark.parametrize("rules", ["secret.toml", "../run/secret.toml", "secret/rules"])
def test_a_folder_cannot_have_a_file_of_rules_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rules: str
) -> None:
    path = cp.run("kot-frequency", deals=2, jobs=1, out=tmp_path / "run").path
    monkeypatch.chdir(path)
    (path / "secret.toml").write_text('preset = "double-sir"\n', encoding="utf-8")
    with pytest.raises(CourtpieceError, match=r"study\.json is damaged"):
        _ = Run.open(_rewritten(path, rules=[rules])).parameters


def test_a_folder_cannot_have_a_file_of_hands_read(tmp_path: Path) -> None:
    hands = tmp_path / "hands.txt"
    hands.write_text("AS KS 5S 2H 9D\nAS KS 5S 2H 9C\n", encoding="utf-8")
    run = cp.run("trump-call", file=hands, deals=8, jobs=1, out=tmp_path / "run")
    assert Run.open(run.path).parameters == run.parameters
    hands.unlink()
    assert Run.open(run.path).headline.height
    hands.write_text("AS KS 5S 2H 9D\n", encoding="utf-8")
    with pytest.raises(CourtpieceError, match=r"study\.json is damaged"):
        _ = Run.open(_rewritten(run.path, file=str(hands))).parameters
