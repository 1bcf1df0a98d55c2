"""Runs on disk: equal bits whatever happens to them, nothing lost, nothing mixed up."""

from __future__ import annotations

import errno
import json
import math
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import joblib
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from courtpiece.errors import RunError, UsageError
from courtpiece.places import held
from courtpiece.results import Run
from courtpiece.run import Progress, run
from courtpiece.stats import Stopping
from courtpiece.store import Folder
from tests.dice import Dice, DiceParameters, ThreadedDice

ROOT = Path(__file__).parents[1]


def contents(folder: Path) -> dict[str, bytes]:
    """Returns every file of a run but the lock, by name."""
    return {str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(folder.rglob("*")) if path.is_file() and path.name != ".lock"}


def tables(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Returns the rows of a run's tables."""
    return {name: frame.to_dicts() for name, frame in Run.open(folder, Dice()).tables.items()}


def dice_process(*arguments: object) -> subprocess.Popen[str]:
    """Starts a process that runs the dice, in a session of its own, and waits until it has begun."""
    started = subprocess.Popen(
        [sys.executable, "-m", "tests.dice", *map(str, arguments)],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )
    assert started.stdout
    assert started.stdout.readline() == "ready\n"
    return started


class Interrupted(Dice):
    """Dice that are interrupted before some chunks."""

    def __init__(self, *starts: int, by: BaseException | None = None) -> None:
        self.starts, self.by = starts, by or KeyboardInterrupt()

    def chunk(self, p: DiceParameters, start: int, stop: int) -> pl.DataFrame:
        if start in self.starts:
            raise self.by
        return super().chunk(p, start, stop)


class Untouchable(Dice):
    """Dice that nobody may throw."""

    def chunk(self, p: DiceParameters, start: int, stop: int) -> pl.DataFrame:
        raise AssertionError("a chunk that is there was played again")


# --- what lies on disk -------------------------------------------------------------------------------


def test_a_run_lies_on_disk_as_documented(direct: Path) -> None:
    assert list(contents(direct)) == [
        *(f"shards/{n:06d}.parquet" for n in range(11)),
        "study.json", "summary.parquet", "tables/mean.parquet",
    ]
    told = json.loads((direct / "study.json").read_text())
    assert told["study"] == "dice"
    assert told["parameters"]["seed"] == 1
    assert told["plan"] == {"units": 1050, "chunk": 100}
    assert told["rules"] == {"single-sir": told["parameters"]["rules"][0]}
    assert told["command"] == ("courtpiece run dice --rules single-sir --players greedy --seed 1 --sides 6 "
                               "--deals 1050")


def test_what_is_run_is_written_before_anything_is_played(tmp_path: Path) -> None:
    class Looking(Dice):
        def chunk(self, p: DiceParameters, start: int, stop: int) -> pl.DataFrame:
            assert (tmp_path / "out/study.json").exists()
            return super().chunk(p, start, stop)

    assert run(Looking(), out=tmp_path / "out", deals=300, jobs=1).complete


def test_the_results_are_in_the_run_that_is_returned(direct: Path) -> None:
    done = run(Dice(), out=direct, deals=1050)
    throws = done.scan().select(pl.col("throws").sum()).collect().item()
    assert (throws, done.units, done.done) == (1050, 1050, 1050)
    assert done.summary["n"].to_list() == [1050] * 6
    assert done.pandas()["value"].sum() == pytest.approx(1)
    assert done.pandas("mean").shape == (1, 7)
    assert done.headline.columns == ["face", "value", "value_half_width"]
    assert done.parameters == DiceParameters(deals=1050)
    with pytest.raises(UsageError, match='no table "means"; there are summary, mean'):
        done.pandas("means")


# --- going on, extending -----------------------------------------------------------------------------


def test_the_same_command_again_does_nothing(direct: Path) -> None:
    before = {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in direct.rglob("*.*")}
    again = run(Untouchable(), out=direct, deals=1050, jobs=2)
    assert again.played == 0
    after = {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in direct.rglob("*.*")}
    assert {p: s for p, s in before.items() if p.name != ".lock"} == {
        p: s for p, s in after.items() if p.name != ".lock"}


@pytest.mark.parametrize("start", [0, 100, 500, 1000])
def test_an_interrupted_run_goes_on_where_it_stopped(tmp_path: Path, direct: Path, start: int) -> None:
    folder = tmp_path / "interrupted"
    with pytest.raises(KeyboardInterrupt):
        run(Interrupted(start), out=folder, deals=1050, jobs=1)
    stopped = Run.open(folder, Dice())
    assert (stopped.done, stopped.units, stopped.complete) == (start, 1050, False)
    with pytest.raises(RunError, match=f"is not complete: {start:,} of 1,050 deals are there"):
        stopped.tables  # noqa: B018
    assert run(Dice(), out=folder, deals=1050, jobs=1).played == 1050 - start
    assert contents(folder) == contents(direct)


@settings(max_examples=12, deadline=None)
@given(st.lists(st.integers(1, 900), min_size=1, max_size=3), st.integers(60, 400))
def test_a_run_extended_in_steps_equals_one_done_in_one_go(
    tmp_path_factory: pytest.TempPathFactory, steps: list[int], chunk: int
) -> None:
    folder, whole = (tmp_path_factory.mktemp("run") for _ in range(2))
    for units in sorted(steps):
        run(Dice(), out=folder, deals=units, chunk=chunk, jobs=1)
    run(Dice(), out=whole, deals=max(steps), chunk=chunk, jobs=1)
    assert contents(folder) == contents(whole)


def test_only_a_short_last_chunk_is_played_again_when_a_run_is_extended(direct: Path) -> None:
    assert run(Dice(), out=direct, deals=1300, jobs=1).played == 300


def test_an_extension_that_is_interrupted_does_not_show_old_tables_as_its_own(direct: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(Interrupted(1200), out=direct, deals=1300, jobs=1)
    with pytest.raises(RunError, match="is not complete"):
        Run.open(direct, Dice()).summary  # noqa: B018


def test_asking_for_fewer_keeps_what_is_there(direct: Path) -> None:
    before = contents(direct)
    again = run(Untouchable(), out=direct, deals=10)
    assert again.units == 1050
    assert again.notes == (f"{direct} already holds 1,050 deals; all are kept",)
    assert contents(direct) == before


def test_asking_for_fewer_than_planned_settles_for_what_was_done(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(Interrupted(400), out=tmp_path / "a", deals=5000, jobs=1)
    assert run(Dice(), out=tmp_path / "a", deals=250, jobs=1).units == 400
    run(Dice(), out=tmp_path / "b", deals=400, jobs=1)
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


def test_a_chunk_that_was_removed_is_played_again(direct: Path) -> None:
    before = contents(direct)
    (direct / "shards/000004.parquet").unlink()
    assert run(Dice(), out=direct, deals=1050, jobs=1).played == 100
    assert contents(direct) == before


def test_a_run_keeps_its_chunk_size(direct: Path) -> None:
    again = run(Dice(), out=direct, deals=1200, chunk=70, jobs=1)
    assert again.design.plan.chunk == 100
    assert again.notes == (f"{direct} keeps its chunks of 100 deals",)


# --- equal bits --------------------------------------------------------------------------------------


@pytest.mark.parametrize("jobs", [2, 3])
def test_threads_change_nothing(tmp_path: Path, direct: Path, jobs: int) -> None:
    run(ThreadedDice(), out=tmp_path / "threads", deals=1050, jobs=jobs)
    assert contents(tmp_path / "threads") == contents(direct)


def test_processes_change_nothing(tmp_path: Path, direct: Path) -> None:
    process = dice_process(tmp_path / "processes", "--deals", 1050, "--jobs", 2)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (0, "1050 1050\n"), err
    assert contents(tmp_path / "processes") == contents(direct)


@pytest.mark.parametrize("chunk", [1, 7, 333, 1050, 10**9])
def test_the_chunk_size_changes_no_table(tmp_path: Path, direct: Path, chunk: int) -> None:
    units = 1050 if chunk > 1 else 40
    if chunk == 1:
        direct = run(Dice(), out=tmp_path / "short", deals=40, jobs=1).path
    run(Dice(), out=tmp_path / "chunks", deals=units, chunk=chunk, jobs=1)
    assert tables(tmp_path / "chunks") == tables(direct)


@pytest.mark.parametrize("how", [("--jobs", 1), ("--jobs", 2), ("--jobs", 2, "--threads")], ids=str)
def test_a_run_killed_at_random_moments_loses_only_what_was_being_played(
    tmp_path: Path, direct: Path, how: tuple[object, ...], rng: random.Random
) -> None:
    folder = tmp_path / "killed"
    for _ in range(4):
        process = dice_process(folder, "--deals", 1050, "--delay", 0.03, *how)
        time.sleep(rng.uniform(0, 0.35) + (0.6 if how == ("--jobs", 2) else 0))
        kept = len(list((folder / "shards").glob("[0-9]*")))
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        assert len(list((folder / "shards").glob("[0-9]*"))) >= kept
    time.sleep(0.3)                     # a worker that outlived its parent may be writing its chunk
    finished = run(Dice(), out=folder, deals=1050, jobs=1)
    assert finished.units == 1050
    assert contents(folder) == contents(direct)


@pytest.mark.parametrize("how", [("--jobs", 1), ("--jobs", 2), ("--jobs", 2, "--threads")], ids=str)
def test_ctrl_c_stops_soon_and_keeps_what_is_done(
    tmp_path: Path, direct: Path, how: tuple[object, ...]
) -> None:
    folder = tmp_path / "stopped"
    process = dice_process(folder, "--deals", 1050, "--delay", 0.15, *how)
    deadline = time.monotonic() + 30
    while len(list((folder / "shards").glob("[0-9]*"))) < 2 and time.monotonic() < deadline:
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)       # as a terminal does: the workers get it too
    began = time.monotonic()
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    assert time.monotonic() - began < 5
    assert "Traceback" not in err
    done = Run.open(folder, Dice()).done
    assert 200 <= done < 1050
    assert run(Dice(), out=folder, deals=1050, jobs=1).played == 1050 - done
    assert contents(folder) == contents(direct)


@pytest.mark.parametrize("jobs", [1, 3])
def test_a_study_that_fails_keeps_what_is_done(tmp_path: Path, direct: Path, jobs: int) -> None:
    class Failing(ThreadedDice):
        def chunk(self, p: DiceParameters, start: int, stop: int) -> pl.DataFrame:
            if start == 500:
                raise ZeroDivisionError("six of one")
            time.sleep(0.01)
            return super().chunk(p, start, stop)

    with pytest.raises(ZeroDivisionError) as caught:
        run(Failing(), out=tmp_path / "out", deals=1050, jobs=jobs)
    assert caught.value.__notes__[0].startswith("in dice, units 500 to 599:\nTraceback")
    kept = contents(tmp_path / "out")
    time.sleep(0.1)
    assert contents(tmp_path / "out") == kept       # nobody was left at work
    assert run(Dice(), out=tmp_path / "out", deals=1050, jobs=1).played < 1050
    assert contents(tmp_path / "out") == contents(direct)


def test_a_second_ctrl_c_does_not_wait_for_the_chunk_under_way(tmp_path: Path, direct: Path) -> None:
    process = dice_process(tmp_path / "out", "--deals", 1050, "--delay", 60)
    while not (tmp_path / "out/study.json").exists():
        time.sleep(0.01)
    time.sleep(0.3)
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert time.monotonic() - began < 20
    assert "Traceback" not in err
    assert run(Dice(), out=tmp_path / "out", deals=1050, jobs=1).played == 1050
    assert contents(tmp_path / "out") == contents(direct)


def test_a_run_may_be_started_from_any_thread(tmp_path: Path, direct: Path) -> None:
    with ThreadPoolExecutor() as pool:
        pool.submit(run, ThreadedDice(), out=tmp_path / "other", deals=1050, jobs=2).result()
    assert contents(tmp_path / "other") == contents(direct)


@pytest.mark.parametrize("backend", ["threading", "sequential"])
def test_the_callers_backend_changes_nothing(tmp_path: Path, direct: Path, backend: str) -> None:
    with joblib.parallel_config(backend=backend):
        run(Dice(), out=tmp_path / "other", deals=1050, jobs=2)
    assert contents(tmp_path / "other") == contents(direct)


# --- what is refused ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"seed": 2}, "seed: 1 there, 2 here"),
        ({"sides": 4, "seed": 3}, "seed: 1 there, 3 here; sides: 6 there, 4 here"),
        ({"rules": "hakim"}, "rules: single-sir there, hakim here"),
        ({"rules": ["single-sir", "bavan"]}, "rules: single-sir there, single-sir, bavan here"),
        ({"players": "greedy,simple"}, "players: greedy there, greedy,simple here"),
    ],
)
def test_another_design_is_refused_and_named(direct: Path, asked: dict[str, Any], told: str) -> None:
    before = contents(direct)
    with pytest.raises(RunError) as caught:
        run(Dice(), out=direct, deals=1050, **asked)
    assert str(caught.value) == (f"{direct} holds another run ({told}); choose another folder, or remove "
                                 "that one")
    assert contents(direct) == before


def test_another_study_is_refused(direct: Path) -> None:
    class Coins(Dice):
        name = "coins"

    with pytest.raises(RunError, match="study: dice there, coins here"):
        run(Coins(), out=direct, deals=1050)


def test_results_of_another_behaviour_are_not_added_to(direct: Path) -> None:
    class Later(Dice):
        version = 2

    with pytest.raises(RunError, match="behaviour: courtpiece 1, dice 1 there, courtpiece 1, dice 2 here"):
        run(Later(), out=direct, deals=1050)


def test_a_folder_that_holds_something_else_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(RunError, match=r"has no study\.json but holds notes\.txt; choose another folder"):
        run(Dice(), out=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_a_damaged_study_file_is_refused(direct: Path) -> None:
    (direct / "study.json").write_text('{"format": 1')
    with pytest.raises(RunError, match=r"study\.json is damaged"):
        run(Dice(), out=direct)
    (direct / "study.json").write_text('{"format": 99}')
    with pytest.raises(RunError, match="has format 99, and this package reads format 1"):
        run(Dice(), out=direct)


@pytest.mark.parametrize(
    "change",
    [
        {"study": 5}, {"plan": {"units": 10, "chunk": 0}}, {"plan": {"units": "a", "chunk": "b"}},
        {"plan": {"units": True, "chunk": 5}}, {"plan": 5}, {"parameters": 7}, {"parameters": {"seed": -4}},
        {"shown": 3}, {"rules": {"a": 5}}, {"command": 5}, {"precision": "fine"}, {"more": 1},
    ],
    ids=str,
)
def test_a_study_file_that_was_edited_is_refused_in_one_line(direct: Path, change: dict[str, Any]) -> None:
    path = direct / "study.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(RunError, match=r"study\.json is damaged"):
        Run.open(direct, Dice()).report()


def test_a_study_file_nested_too_deeply_is_refused(direct: Path) -> None:
    (direct / "study.json").write_text("[" * 100_000)
    with pytest.raises(RunError, match=r"study\.json is damaged"):
        Run.open(direct, Dice())


@pytest.mark.parametrize("name", ["summary.parquet", "tables/mean.parquet"])
@pytest.mark.parametrize("content", [b"", b"PAR1 and nothing more PAR1"])
def test_a_damaged_table_is_made_anew(direct: Path, name: str, content: bytes) -> None:
    path = direct / name
    whole = path.read_bytes()
    path.write_bytes(content)
    with pytest.raises(RunError, match=r"damaged: .*; run the same command again to make it anew"):
        _ = Run.open(direct, Dice()).tables
    run(Dice(), out=direct, deals=1050)
    assert path.read_bytes() == whole


def test_a_folder_may_be_named_by_the_home_it_is_in(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert run(Dice(), out="~/here", deals=10).path == tmp_path / "here"


def test_chunks_of_another_run_are_not_mixed_in(tmp_path: Path, direct: Path) -> None:
    other = run(Dice(), out=tmp_path / "other", deals=1050, seed=2, jobs=1)
    (other.path / "shards/000003.parquet").rename(direct / "shards/000003.parquet")
    with pytest.raises(RunError, match=r"000003\.parquet belongs to another run \(parameters differs\)"):
        run(Dice(), out=direct, deals=1050)


def test_chunks_of_one_run_under_the_wrong_name_are_played_again(direct: Path) -> None:
    before = contents(direct)
    (direct / "shards/000002.parquet").rename(direct / "shards/000003.parquet")
    again = run(Dice(), out=direct, deals=1050)
    assert again.played == 200
    assert again.notes == (f"{direct}/shards/000003.parquet is damaged: played again",)
    assert contents(direct) == before


def test_a_process_that_has_ended_is_not_told_to_be_at_work(tmp_path: Path) -> None:
    lock = tmp_path / ".lock"
    with held(lock, writing=True):
        pass
    with held(lock, writing=False), pytest.raises(RunError, match="in use: another process is at work"):
        held(lock, writing=True).__enter__()


def test_fewer_deals_and_a_damaged_end_make_a_run_no_shorter(tmp_path: Path) -> None:
    whole = contents(run(Dice(), out=tmp_path / "out", deals=1050, jobs=1).path)
    last = max((tmp_path / "out/shards").iterdir())
    last.write_bytes(last.read_bytes()[:-1])
    done = run(Dice(), out=tmp_path / "out", deals=500, jobs=1)
    assert done.units == 1050
    assert contents(done.path) == whole


def test_two_processes_cannot_write_the_same_run_at_once(tmp_path: Path) -> None:
    process = dice_process(tmp_path / "shared", "--deals", 1050, "--delay", 0.2)
    try:
        while not (tmp_path / "shared/study.json").exists():
            time.sleep(0.01)
        with pytest.raises(RunError, match=f"is in use: process {process.pid} is at work in it"):
            run(Dice(), out=tmp_path / "shared", deals=1050)
    finally:
        process.kill()
        process.communicate()
    # The lock goes with the process that held it.
    assert run(Dice(), out=tmp_path / "shared", deals=1050, jobs=1).complete


@pytest.mark.parametrize("name", ["jobs", "chunk"])
def test_numbers_below_one_are_refused(tmp_path: Path, name: str) -> None:
    asked: dict[str, Any] = {name: 0}
    with pytest.raises(UsageError, match=f"{name}: must be at least 1, not 0"):
        run(Dice(), out=tmp_path / "out", **asked)
    assert not (tmp_path / "out").exists()


# --- a disk that is full -----------------------------------------------------------------------------


@pytest.fixture
def failing_disk(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Gives a function that makes every flush after the first so many fail for want of room."""
    flush, left = os.fsync, [10**9]

    def fsync(file: int) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        flush(file)

    monkeypatch.setattr("os.fsync", fsync)
    return lambda count: left.__setitem__(0, count)


@pytest.mark.parametrize("flushes", [0, 1, 2, 3, 8, 21, 23, 24, 25, 26])
@pytest.mark.parametrize("study", [Dice(), ThreadedDice()], ids=["alone", "threads"])
def test_a_full_disk_is_told_in_one_line_and_corrupts_nothing(
    tmp_path: Path, direct: Path, failing_disk: Callable[[int], None], flushes: int, study: Dice
) -> None:
    folder = tmp_path / "full"
    failing_disk(flushes)
    with pytest.raises(RunError, match="the disk is full; make room and run the same") as caught:
        run(study, out=folder, deals=1050, jobs=2 if isinstance(study, ThreadedDice) else 1)
    assert "\n" not in str(caught.value)
    assert not list(folder.rglob("*.tmp"))
    failing_disk(10**9)
    run(Dice(), out=folder, deals=1050, jobs=1)
    assert contents(folder) == contents(direct)


# --- precision ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("precision", [0.05, 0.02])
def test_a_run_goes_on_until_it_is_as_precise_as_asked(tmp_path: Path, precision: float) -> None:
    done = run(Dice(), out=tmp_path / "a", precision=precision, jobs=1)
    assert done.units % 100 == 0
    assert max(done.study.half_widths(done.parameters, done.tables)) <= precision
    before = contents(tmp_path / "a")
    assert run(Untouchable(), out=tmp_path / "a", precision=precision).played == 0
    assert contents(tmp_path / "a") == before
    run(ThreadedDice(), out=tmp_path / "b", precision=precision, jobs=3)
    assert contents(tmp_path / "b") == before


def test_what_lies_on_disk_already_does_not_change_where_a_precise_run_ends(tmp_path: Path) -> None:
    plain = run(Dice(), out=tmp_path / "a", precision=0.02, jobs=1)
    with pytest.raises(KeyboardInterrupt):
        run(Interrupted(700), out=tmp_path / "b", precision=0.02, jobs=1)
    assert run(Dice(), out=tmp_path / "b", precision=0.02, jobs=1).units == plain.units
    run(Dice(), out=tmp_path / "c", deals=250, jobs=1)
    assert run(Dice(), out=tmp_path / "c", precision=0.02, jobs=1).units == plain.units
    assert contents(tmp_path / "a") == contents(tmp_path / "b") == contents(tmp_path / "c")


def test_a_long_run_is_left_alone_when_it_is_precise_enough(tmp_path: Path) -> None:
    run(Dice(), out=tmp_path / "a", deals=5050, jobs=1)
    kept = run(Untouchable(), out=tmp_path / "a", precision=0.05)
    assert (kept.units, kept.played) == (5050, 0)


def test_a_precise_run_stops_at_the_number_of_deals_it_is_given(tmp_path: Path) -> None:
    done = run(Dice(), out=tmp_path / "a", deals=350, precision=0.001, jobs=1)
    assert done.units == 350
    (note,) = done.notes
    assert note.startswith("the widest half-width is 0.0")
    assert note.endswith("to be 0.001: more deals are needed")


class Unknowable(Dice):
    """Dice of which one interval is known from so many chunks on."""

    def __init__(self, known_from: float) -> None:
        self.known_from = known_from

    def half_widths(self, p: DiceParameters, tables: Mapping[str, pl.DataFrame]) -> list[float]:
        known = tables["summary"]["n"][0] >= 5 * self.known_from
        return [*super().half_widths(p, tables), 0.0 if known else math.inf]


def test_a_precise_run_does_not_wait_for_ever_for_what_is_never_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.fsync", lambda file: None)
    done = run(Unknowable(math.inf), out=tmp_path / "a", chunk=5, precision=0.1, jobs=1)
    assert (done.units, done.complete) == (5 * 256, True)
    (note,) = done.notes
    assert note == ("1 of 7 half-widths are not known yet, and may never be; the others are at most 0.1: to "
                    "go on, say how many deals")
    again = run(Unknowable(math.inf), out=tmp_path / "a", precision=0.1, jobs=1)
    assert (again.played, again.notes) == (0, done.notes)
    more = run(Unknowable(math.inf), out=tmp_path / "a", deals=5 * 300, precision=0.1, jobs=1)
    assert (more.units, more.played) == (5 * 300, 5 * 44)
    patient = run(Unknowable(200), out=tmp_path / "b", chunk=5, precision=0.1, jobs=1)
    assert (patient.units, patient.notes) == (5 * 256, ())


def test_what_is_too_wide_is_waited_for_whatever_is_not_known() -> None:
    stopping = Stopping(precision=0.1)
    assert not stopping.in_vain(255, [0.1, math.inf])
    assert stopping.in_vain(256, [0.1, math.inf, math.nan])
    assert not stopping.in_vain(10**6, [0.11, math.inf])


def test_intervals_of_precise_runs_hold_the_truth_as_often_as_they_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.fsync", lambda file: None)      # a hundred runs need not survive a power cut
    covered = asked = 0
    for seed in range(150):
        done = run(Dice(), out=tmp_path / str(seed), precision=0.04, seed=seed, jobs=1)
        held = done.summary.select((pl.col("low") <= 1 / 6) & (pl.col("high") >= 1 / 6)).to_series()
        covered, asked = covered + int(held.sum()), asked + len(held)
    assert asked == 900
    # 900 intervals (six dependent ones a run) tell 0.95 from 0.92 at about three standard errors.
    assert covered / asked > 0.92, covered / asked


# --- progress ----------------------------------------------------------------------------------------


def test_progress_is_told_chunk_by_chunk(tmp_path: Path) -> None:
    seen: list[Progress] = []
    run(Dice(), out=tmp_path / "a", deals=250, jobs=1)
    run(Dice(), out=tmp_path / "a", deals=450, jobs=1, watch=seen.append)
    assert seen == [Progress("deals", done, 450, played) for done, played in
                    [(250, 0), (300, 100), (400, 200), (450, 250)]]


def test_half_written_files_of_killed_processes_are_swept_up(direct: Path) -> None:
    (direct / "shards/.000099.parquet.123-456.tmp").write_bytes(b"half")
    run(Dice(), out=direct, deals=1050)
    assert not list(direct.rglob("*.tmp"))


def test_a_folder_with_nothing_in_it_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="holds no run"):
        Run.open(tmp_path)
    assert Folder(tmp_path / "nowhere").read_design() is None
