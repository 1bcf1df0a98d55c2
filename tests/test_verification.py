"""`verify` finds whatever is wrong with a run's folder, and nothing where nothing is."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from courtpiece.errors import RunError
from courtpiece.run import Progress, run
from courtpiece.store import read_table, write_table
from courtpiece.verification import Verification, verify
from tests.dice import Dice


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs that differ in the seed, each of six chunks."""
    folder = tmp_path_factory.mktemp("runs")
    for seed in (1, 2):
        run(Dice(), out=folder / str(seed), deals=550, seed=seed, jobs=1)
    return folder


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Path:
    """A copy of the first run, to do things to."""
    return Path(shutil.copytree(whole / "1", tmp_path / "run"))


def check(folder: Path) -> Verification:
    """Verifies all of a folder of dice."""
    return verify(folder, study=Dice(), sample=None)


def test_a_run_that_nobody_touched_is_sound(folder: Path) -> None:
    found = check(folder)
    assert found.sound
    assert (found.units, found.chunks, found.recomputed, found.notes) == (550, 6, (0, 1, 2, 3, 4, 5), ())


def test_as_many_chunks_are_played_again_as_asked(folder: Path) -> None:
    chosen = {verify(folder, study=Dice(), sample=2, seed=seed).recomputed for seed in range(12)}
    assert all(len(chunks) == 2 for chunks in chosen)
    assert len(chosen) > 1
    assert verify(folder, study=Dice(), sample=0).recomputed == ()
    assert len(verify(folder, study=Dice(), sample=99).recomputed) == 6


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 4
    path.write_bytes(bytes(content))


def rewrite(path: Path, change: Callable[[pl.DataFrame], pl.DataFrame], study: Dice) -> None:
    """Changes the rows of a file and seals it again, as somebody would who wants to deceive."""
    rows, about = read_table(path)
    p = study.parameters({})
    columns = study.columns(p) if "chunk" in about else study.table_columns(p)[about["table"]]
    write_table(path, change(rows), columns, {k: v for k, v in about.items() if "sha256" not in k})


def edit_study(folder: Path) -> None:
    told = json.loads((folder / "study.json").read_text())
    told["parameters"]["seed"] = 2
    (folder / "study.json").write_text(json.dumps(told))


def one_more(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.with_columns(pl.col("throws") + 1)


DAMAGE: dict[str, tuple[Callable[[Path, Path], object], str]] = {
    "a flipped bit": (
        lambda folder, whole: flip(folder / "shards/000002.parquet"),
        "000002.parquet is damaged: its bytes do not have the checksum they tell"),
    "a chunk is gone": (
        lambda folder, whole: (folder / "shards/000002.parquet").unlink(),
        "1 of 6 chunks are missing (2); run the same command again to make them"),
    "a chunk of another run": (
        lambda folder, whole: shutil.copy(whole / "2/shards/000002.parquet", folder / "shards"),
        "000002.parquet does not belong to this run: its parameters differs"),
    "two chunks have changed places": (
        lambda folder, whole: shutil.copy(folder / "shards/000001.parquet", folder / "shards/000002.parquet"),
        "000002.parquet does not belong to this run: its chunk differs"),
    "a chunk too many": (
        lambda folder, whole: shutil.copy(folder / "shards/000001.parquet", folder / "shards/000077.parquet"),
        "000077.parquet lies beyond the end of the run"),
    "a chunk under a name nearly its own": (
        lambda folder, whole: (folder / "shards/000001.parquet").rename(folder / "shards/0000001.parquet"),
        "shards/0000001.parquet does not belong here"),
    "a file from elsewhere": (
        lambda folder, whole: (folder / "shards/notes.txt").write_text("mine"),
        "notes.txt does not belong here"),
    "forged results": (
        lambda folder, whole: rewrite(folder / "shards/000002.parquet", one_more, Dice()),
        "000002.parquet differs from the same chunk played again"),
    "a forged table": (
        lambda folder, whole: rewrite(
            folder / "tables/mean.parquet", lambda rows: rows.with_columns(pl.col("value") + 1e-12), Dice()),
        "mean.parquet differs from the table made again from the chunks"),
    "a damaged table": (
        lambda folder, whole: flip(folder / "summary.parquet"), "summary.parquet is damaged"),
    "a table is gone": (
        lambda folder, whole: (folder / "summary.parquet").unlink(), "summary.parquet is missing"),
    "another study.json": (
        lambda folder, whole: edit_study(folder),
        "000000.parquet does not belong to this run: its parameters differs"),
}


def test_who_watches_is_told_how_much_was_played_again(folder: Path) -> None:
    told: list[Progress] = []
    verify(folder, study=Dice(), sample=None, watch=told.append)
    assert [(progress.done, progress.total) for progress in told] == [(100 * n, 550) for n in range(6)]


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_is_found(folder: Path, whole: Path, name: str) -> None:
    damage, line = DAMAGE[name]
    damage(folder, whole)
    found = check(folder)
    assert not found.sound
    assert any(line in problem for problem in found.problems), found.problems


def test_leftovers_of_a_killed_process_are_only_noted(folder: Path) -> None:
    (folder / "shards/.000009.parquet.1-2.tmp").write_bytes(b"half")
    found = check(folder)
    assert found.sound
    assert "was left by a process that was killed" in found.notes[0]


def test_results_of_another_behaviour_are_checked_but_not_played_again(folder: Path) -> None:
    class Later(Dice):
        version = 2

    found = verify(folder, study=Later(), sample=None)
    assert (found.sound, found.chunks, found.recomputed) == (True, 6, ())
    assert "gives other results (courtpiece 1, dice 2)" in found.notes[0]


def test_a_folder_without_a_run_cannot_be_verified(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="holds no run"):
        verify(tmp_path)
    assert not list(tmp_path.iterdir())
