"""What can happen to a run on the way: nothing that is done is lost, doubled or mixed up, and all is told.

COURTPIECE_KILLS is how many processes are killed at random moments (8 by default; a third of it on dask, see
test_clusters.py).
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import datetime, tzinfo
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from joblib.externals.loky.process_executor import ProcessPoolExecutor, TerminatedWorkerError

from courtpiece import places
from courtpiece.cli import main
from courtpiece.errors import RunError
from courtpiece.places import held, place, write_whole
from courtpiece.results import Run
from courtpiece.run import Progress, run
from courtpiece.store import read_table, write_table
from courtpiece.studies import find
from courtpiece.verification import verify
from tests.dice import Dice, DiceParameters
from tests.test_run import contents, dice_process

KILLS = int(os.environ.get("COURTPIECE_KILLS", "8"))
CORRUPTIONS = 1000


# --- workers and their parent ------------------------------------------------------------------------


class Deadly(Dice):
    """Dice that end the process that throws them at some units: as often as there are files to take away."""

    def __init__(self, lives: Path, *starts: int) -> None:
        self.lives, self.starts = lives, starts

    def chunk(self, p: DiceParameters, start: int, stop: int) -> pl.DataFrame:
        if start in self.starts:
            for life in sorted(self.lives.glob("*")):
                life.unlink()
                os.kill(os.getpid(), signal.SIGKILL)
        return super().chunk(p, start, stop)


@pytest.fixture
def lives(tmp_path: Path) -> Path:
    folder = tmp_path / "lives"
    folder.mkdir()
    return folder


@pytest.mark.parametrize("times", [1, 2])
def test_a_run_goes_on_when_a_worker_is_killed(tmp_path: Path, direct: Path, lives: Path, times: int) -> None:
    for life in range(times):
        (lives / str(life)).touch()
    told: list[Progress] = []
    done = run(Deadly(lives, 300), out=tmp_path / "out", deals=1050, jobs=2, watch=told.append)
    assert done.complete
    assert contents(tmp_path / "out") == contents(direct)
    words = [progress.word for progress in told if progress.word]
    assert words == ["a worker process ended (SIGKILL(-9)); going on"] * times


def test_a_chunk_that_ends_every_worker_is_named_when_all_others_are_done(
    tmp_path: Path, lives: Path
) -> None:
    for life in range(100):
        (lives / f"{life:03d}").touch()
    with pytest.raises(RunError, match=r"workers end again and again at deals 300 to 399: .*fewer jobs"):
        run(Deadly(lives, 300), out=tmp_path / "out", deals=1050, jobs=2)
    assert Run.open(tmp_path / "out", Dice()).done == 950


def test_a_run_goes_on_when_a_worker_dies_while_the_first_chunks_are_handed_out(
    tmp_path: Path, direct: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    submit, calls = ProcessPoolExecutor.submit, []

    def submit_to_the_dead(self: object, *arguments: object) -> object:
        calls.append(arguments)
        if len(calls) == 2:
            raise TerminatedWorkerError("The exit codes of the workers are {SIGKILL(-9)}")
        return submit(self, *arguments)

    monkeypatch.setattr(ProcessPoolExecutor, "submit", submit_to_the_dead)
    told: list[Progress] = []
    done = run(Dice(), out=tmp_path / "out", deals=1050, jobs=2, watch=told.append)
    assert done.complete
    assert len(calls) > 2
    assert contents(tmp_path / "out") == contents(direct)
    words = [progress.word for progress in told if progress.word]
    assert words == ["a worker process ended (SIGKILL(-9)); going on"]


@pytest.mark.parametrize("how", [("--jobs", 1), ("--jobs", 2), ("--jobs", 2, "--threads")], ids=str)
def test_whoever_is_killed_at_whatever_moment_nothing_is_lost_or_doubled(
    tmp_path: Path, direct: Path, how: tuple[object, ...], rng: random.Random
) -> None:
    folder = tmp_path / "killed"
    for trial in range(max(1, KILLS // 3)):
        process = dice_process(folder, "--deals", 1050, "--delay", 0.02, *how)
        time.sleep(rng.uniform(0, 0.3) + (0.5 if how == ("--jobs", 2) else 0))
        victim = process.pid
        if how == ("--jobs", 2) and rng.random() < 0.5:
            victim = rng.choice([*_children(process.pid), process.pid])
        os.kill(victim, signal.SIGKILL)
        if victim != process.pid:
            time.sleep(rng.uniform(0, 0.2))
            os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        if verify_nothing_partial(folder) and trial % 10 == 9:
            shutil.rmtree(folder)
    time.sleep(1.2)                     # a worker that outlived its parent may be writing its chunk
    assert run(Dice(), out=folder, deals=1050, jobs=1).units == 1050
    assert contents(folder) == contents(direct)


def test_a_run_ends_well_whatever_worker_is_killed_at_whatever_moment(
    tmp_path: Path, direct: Path, rng: random.Random
) -> None:
    for trial in range(max(1, KILLS // 3)):
        folder = tmp_path / str(trial)
        process = dice_process(folder, "--deals", 1050, "--delay", 0.1, "--jobs", 2)
        while not _workers(process.pid):
            time.sleep(0.01)
        time.sleep(rng.uniform(0, 1.5))
        with suppress(ProcessLookupError, IndexError):      # the run may have ended
            os.kill(rng.choice(_workers(process.pid)), signal.SIGKILL)
        out, err = process.communicate(timeout=60)
        assert (process.returncode, out) == (0, "1050 1050\n"), (trial, err)
        assert "Traceback" not in err, trial
        assert contents(folder) == contents(direct), trial


def _children(parent: int) -> list[int]:
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == parent:
            found.append(int(status.parent.name))
    return found


def _workers(parent: int) -> list[int]:
    """Returns the children of a process but joblib's tracker, which tells of its own death in its own way."""
    found = []
    for child in _children(parent):
        with suppress(OSError):
            if b"resource_tracker" not in Path(f"/proc/{child}/cmdline").read_bytes():
                found.append(child)
    return found


def verify_nothing_partial(folder: Path) -> bool:
    """Returns whether all chunks are there; fails when one that shows is not whole."""
    if not folder.is_dir():
        return False
    shown = {int(path.stem) for path in (folder / "shards").glob("[0-9]*.parquet")}
    sound = {shard.index for shard in Run.open(folder, Dice()).folder.shards()} if shown else set()
    assert shown <= sound               # which a worker that outlives its run may have added to
    return len(shown) == 11


# --- files that are not as they were written ---------------------------------------------------------


def _corrupted(rng: random.Random, content: bytes) -> tuple[str, bytes]:
    """Returns what a disk or a power cut may make of a file, and its name."""
    at, size = rng.randrange(len(content)), rng.randint(1, 512)
    kind = rng.choice(["bit", "cut", "zeros", "noise", "longer", "doubled", "empty"])
    return kind, {
        "bit": content[:at] + bytes([content[at] ^ 1 << rng.randrange(8)]) + content[at + 1 :],
        "cut": content[:at],
        "zeros": content[:at] + bytes(len(content) - at),
        "noise": content[:at] + rng.randbytes(size) + content[at + size :],
        "longer": content + rng.randbytes(size),
        "doubled": content[:at] + content[max(0, at - size) :],
        "empty": b"",
    }[kind]


def test_every_corruption_of_a_file_is_found_and_mended_by_the_next_run(
    tmp_path: Path, rng: random.Random
) -> None:
    folder = run(Dice(), out=tmp_path / "out", deals=250, jobs=1).path
    whole, tried = contents(folder), 0
    while tried < CORRUPTIONS:
        name = rng.choice([name for name in whole if name.endswith(".parquet")])
        kind, content = _corrupted(rng, whole[name])
        if content == whole[name]:
            continue
        (folder / name).write_bytes(content)
        assert not verify(folder, sample=0, study=Dice()).sound, (name, kind, tried)
        if tried % 10 == 0:
            run(Dice(), out=folder, deals=250, jobs=1)
            assert contents(folder) == whole, (name, kind, tried)
        (folder / name).write_bytes(whole[name])
        tried += 1


def test_every_corruption_of_what_is_run_is_found(tmp_path: Path, rng: random.Random) -> None:
    folder = run(Dice(), out=tmp_path / "out", deals=250, jobs=1).path
    whole = (folder / "study.json").read_bytes()
    for _ in range(100):
        kind, content = _corrupted(rng, whole)
        (folder / "study.json").write_bytes(content)
        try:
            sound = verify(folder, sample=0, study=Dice()).sound
        except RunError:
            sound = False
        assert not sound or _design(content) == _design(whole), (kind, content)


def _design(content: bytes) -> bytes:
    """Returns what study.json says, less the version of the package, which may change from call to call."""
    return re.sub(rb'"package": "[^"\\\n]*"', b"", content)


def test_a_chunk_of_another_design_that_was_copied_in_is_refused(tmp_path: Path, direct: Path) -> None:
    other = run(Dice(), out=tmp_path / "other", deals=1050, sides=20, jobs=1).path
    shutil.copy(other / "shards/000003.parquet", direct / "shards/000003.parquet")
    assert not verify(direct, study=Dice()).sound
    with pytest.raises(RunError, match=r"000003\.parquet belongs to another run \(parameters differs\)"):
        run(Dice(), out=direct, deals=1050)


@pytest.mark.parametrize(("key", "value"), [
    ("study", "coins"),
    ("behaviour", "courtpiece 1, dice 2"),
    ("parameters", {"seed": 2}),
])
def test_a_chunk_whose_seal_is_good_is_refused_when_it_tells_of_another_run(
    direct: Path, key: str, value: object
) -> None:
    path = direct / "shards/000003.parquet"
    rows, about = read_table(path)
    write_table(path, rows, Dice().columns(DiceParameters()), {**about, key: value})
    found = verify(direct, study=Dice())
    assert found.problems == (f"{path} does not belong to this run: its {key} differs",)
    with pytest.raises(RunError, match=rf"000003\.parquet belongs to another run \({key} differs\); remove"):
        run(Dice(), out=direct, deals=1050)


def test_a_folder_of_an_older_format_is_refused_with_both_formats_named(direct: Path) -> None:
    told = json.loads((direct / "study.json").read_text())
    (direct / "study.json").write_text(json.dumps({**told, "format": 0}))
    with pytest.raises(RunError, match="has format 0, and this package reads format 1"):
        run(Dice(), out=direct, deals=1050)


@pytest.mark.parametrize(("name", "told"), [
    ("summary.parquet", "summary.parquet is a folder, where a file belongs: remove it"),
    ("shards/000001.parquet", "000001.parquet is a folder, where a file belongs: remove it"),
    (".lock", r"\.lock is a folder, where a file belongs: remove it"),
    ("study.json", "study.json cannot be read: Is a directory"),
    (".old.tmp", r"\.old\.tmp is a folder, where a file belongs: remove it"),
])
def test_a_folder_in_the_place_of_a_file_is_named(direct: Path, name: str, told: str) -> None:
    (direct / name).unlink(missing_ok=True)
    (direct / name).mkdir()
    with pytest.raises(RunError, match=told):
        run(Dice(), out=direct, deals=1050, jobs=1)


def test_a_file_in_the_place_of_a_folder_is_told(direct: Path) -> None:
    shutil.rmtree(direct / "tables")
    (direct / "tables").touch()
    assert verify(direct, study=Dice()).problems == (f"{direct / 'tables/mean.parquet'} is missing",)
    with pytest.raises(RunError, match="tables: cannot be written: File exists"):
        run(Dice(), out=direct, deals=1050, jobs=1)
    with pytest.raises(RunError, match=r"^/dev/null/out cannot be a folder: /dev/null is a file$"):
        run(Dice(), out="/dev/null/out", deals=1050, jobs=1)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(direct: Path) -> None:
    (direct / ".lock").unlink()
    os.mkfifo(direct / ".lock")
    assert verify(direct, study=Dice()).sound
    for name in ("shards/000001.parquet", "study.json"):
        (direct / name).unlink()
        os.mkfifo(direct / name)
        with pytest.raises(RunError, match=f"{name} is no file"):
            raise RunError("; ".join(verify(direct, study=Dice()).problems))


# --- the machine -------------------------------------------------------------------------------------


def test_a_clock_that_goes_backwards_changes_nothing(
    tmp_path: Path, direct: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def backwards() -> Iterator[float]:
        now = 2e9
        while True:
            now -= 1000
            yield now

    clock = backwards()

    class Backwards(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Backwards:
            return cls.fromtimestamp(next(clock), tz)

    monkeypatch.setattr(time, "time", lambda: next(clock))
    monkeypatch.setattr(time, "time_ns", lambda: int(next(clock)) * 10**9)
    monkeypatch.setattr("fsspec.implementations.memory.datetime", Backwards)
    run(Dice(), out=tmp_path / "out", deals=550, jobs=1)
    for path in (tmp_path / "out").rglob("*"):
        os.utime(path, (2e9, 2e9) if path.suffix else None)     # from the future
    run(Dice(), out=tmp_path / "out", deals=1050, jobs=1)
    assert contents(tmp_path / "out") == contents(direct)

    # Not for all of this file, which workers import: it brings a client of S3.
    from tests.test_places import stored

    monkeypatch.setattr(places, "BEAT", 0.2)
    monkeypatch.setattr(places, "PATIENCE", 2.0)
    address = f"memory://{uuid.uuid4().hex}"
    lock = place(address) / ".lock"
    write_whole(lock, b"process 1 of elsewhere (abc), beat 7\n")
    run(Dice(), out=address, deals=550, jobs=1)
    with held(lock, writing=True), pytest.raises(RunError, match="is in use"):
        run(Dice(), out=address, deals=1050, jobs=1)
    run(Dice(), out=address, deals=1050, jobs=1)
    assert stored(address) == contents(direct)


class Disturbed(Dice):
    """Dice during whose throws something is done."""

    def __init__(self, disturb: Callable[[], object]) -> None:
        self.disturb = disturb

    def chunk(self, p: DiceParameters, start: int, stop: int) -> pl.DataFrame:
        if start == 500:
            self.disturb()
        return super().chunk(p, start, stop)


@pytest.mark.parametrize("relative", [False, True])
def test_a_folder_that_is_moved_away_while_it_is_written_is_not_begun_anew(
    tmp_path: Path, direct: Path, relative: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder, moved = Path("out") if relative else tmp_path / "out", tmp_path / "moved"
    with pytest.raises(RunError, match=r"out/shards: cannot be written: No such file or directory"):
        run(Disturbed(lambda: folder.rename(moved)), out=folder, deals=1050, jobs=1)
    assert not folder.exists()
    assert run(Dice(), out=moved, deals=1050, jobs=1).played == 550
    assert contents(moved) == contents(direct)


def test_a_chunk_that_is_removed_while_others_are_played_is_missed(tmp_path: Path, direct: Path) -> None:
    gone = tmp_path / "out/shards/000001.parquet"
    with pytest.raises(RunError, match=r"000001\.parquet is missing"):
        run(Disturbed(gone.unlink), out=tmp_path / "out", deals=1050, jobs=1)
    assert run(Dice(), out=tmp_path / "out", deals=1050, jobs=1).played == 100
    assert contents(tmp_path / "out") == contents(direct)


class Noted(Dice):
    """Dice that write a file beside the tables."""

    def extra_files(
        self, p: DiceParameters, tables: Mapping[str, pl.DataFrame], shards: pl.LazyFrame
    ) -> dict[str, bytes]:
        return {"note.txt": str(tables["summary"]["n"][0]).encode()}


def test_whichever_file_a_run_ends_at_the_next_run_makes_all_that_are_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = contents(run(Noted(), out=tmp_path / "whole", deals=150, jobs=1).path)
    assert "note.txt" in whole
    flush, left = os.fsync, [0]

    def fsync(file: int) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt
        flush(file)

    monkeypatch.setattr("os.fsync", fsync)
    ends = 0
    while True:
        folder, left[0] = tmp_path / str(ends), ends
        try:
            run(Noted(), out=folder, deals=150, jobs=1)
            break
        except KeyboardInterrupt:
            ends += 1
        left[0] = 1000
        run(Noted(), out=folder, deals=150, jobs=1)
        assert contents(folder) == whole, ends
    assert ends == 2 * len(whole)       # a file is flushed, and its name


def rows(n: int) -> object:
    """Has polars take memory, which ends the process when there is none."""
    return pl.select(pl.int_range(n))


class Hungry(Dice):
    """Dice for some of which a worker process has too little memory."""

    def __init__(self, takes: Callable[[int], object]) -> None:
        self.takes, self.parent = takes, os.getpid()

    def chunk(self, p: DiceParameters, start: int, stop: int) -> pl.DataFrame:
        if start != 300:
            return super().chunk(p, start, stop)
        assert os.getpid() != self.parent
        import resource

        pages = int(Path("/proc/self/statm").read_text().split()[0])
        limits = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + 10**8, limits[1]))
        try:
            self.takes(2 * 10**8)
        finally:
            resource.setrlimit(resource.RLIMIT_AS, limits)
        raise AssertionError("there was room for all that")


@pytest.mark.skipif(not Path("/proc/self/statm").is_file(), reason="not Linux")
@pytest.mark.parametrize(("takes", "told"), [
    (bytearray, "there is not enough memory; what is done is kept; fewer --jobs and a smaller --chunk"),
    (np.ones, "there is not enough memory; what is done is kept; fewer --jobs and a smaller --chunk"),
    (rows, "workers end again and again at deals 300 to 399: a worker process ended (SIGABRT(-6)); what is"),
], ids=["python", "numpy", "polars"])
def test_a_worker_that_has_too_little_memory_ends_the_run_with_one_line(
    tmp_path: Path,
    direct: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    takes: Callable[[int], object],
    told: str,
) -> None:
    out = tmp_path / "out"
    monkeypatch.setattr("courtpiece.cli.run.find", lambda name: Hungry(takes))
    assert main(["run", "toss", "--deals", "1050", "--jobs", "2", "--out", str(out)]) == 2
    err = capfd.readouterr().err
    assert err.splitlines()[-1].startswith(f"courtpiece: {told}")
    assert "Traceback" not in err
    there = Run.open(out, Dice()).done
    assert 300 <= there < 1050
    assert run(Dice(), out=out, deals=1050, jobs=1).played == 1050 - there
    assert contents(out) == contents(direct)


def test_too_little_memory_is_told_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def chunk(*arguments: object) -> None:
        raise MemoryError

    monkeypatch.setattr(find("toss").__class__, "chunk", chunk)
    assert main(["run", "toss", "--draws", "100", "--jobs", "1", "--out", str(tmp_path / "out")]) == 2
    assert "courtpiece: there is not enough memory; what is done is kept" in capsys.readouterr().err


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="no second file system")
def test_chunks_may_lie_on_another_file_system(tmp_path: Path, direct: Path) -> None:
    elsewhere = Path(f"/dev/shm/courtpiece-{os.getpid()}")
    elsewhere.mkdir()
    try:
        run(Dice(), out=tmp_path / "out", deals=100, jobs=1)
        shutil.rmtree(tmp_path / "out/shards")
        (tmp_path / "out/shards").symlink_to(elsewhere)
        assert elsewhere.stat().st_dev != tmp_path.stat().st_dev
        run(Dice(), out=tmp_path / "out", deals=1050, jobs=1)
        shards = {f"shards/{name}": content for name, content in contents(elsewhere).items()}
        assert contents(tmp_path / "out") | shards == contents(direct)
    finally:
        shutil.rmtree(elsewhere)
