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
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import courtpiece as cp
from courtpiece.cli import main
from courtpiece.errors import PlayerError, RunError, UsageError
from courtpiece.results import Run
from courtpiece.run import Progress, run
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


@pytest.mark.parametrize("how", [("--jobs", 1), ("--jobs", 2), ("--jobs", 2, "--threads")], ids=str)
def test_whoever_is_killed_at_whatever_moment_nothing_is_lost_or_doubled(
    tmp_path: Path, direct: Path, how: tuple[object, ...]
) -> None:
    seed = random.randrange(10**6)
    print("seed", seed)
    rng, folder = random.Random(seed), tmp_path / "killed"
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


def command(*arguments: object, **how: Any) -> subprocess.Popen[str]:
    """Starts the command line in a process of its own."""
    start = [sys.executable, "-c", "import sys; from courtpiece.cli import main; sys.exit(main())"]
    return subprocess.Popen([*start, *map(str, arguments)], text=True, stdout=subprocess.DEVNULL, **how)


def verify_nothing_partial(folder: Path) -> bool:
    """Returns whether all chunks are there; fails when one that shows is not whole."""
    if not folder.is_dir():
        return False
    shards = sorted((folder / "shards").glob("[0-9]*.parquet"))
    sound = [shard.index for shard in Run.open(folder, Dice()).folder.shards()] if shards else []
    assert sound == [int(path.stem) for path in shards if path.exists()]
    return len(shards) == 11


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


def test_every_corruption_of_a_file_is_found_and_mended_by_the_next_run(tmp_path: Path) -> None:
    folder = run(Dice(), out=tmp_path / "out", deals=250, jobs=1).path
    whole = contents(folder)
    seed = random.randrange(10**6)
    print("seed", seed)
    rng, tried = random.Random(seed), 0
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


def test_every_corruption_of_what_is_run_is_found(tmp_path: Path) -> None:
    folder = run(Dice(), out=tmp_path / "out", deals=250, jobs=1).path
    whole = (folder / "study.json").read_bytes()
    seed = random.randrange(10**6)
    print("seed", seed)
    rng = random.Random(seed)
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
    monkeypatch.setattr(time, "time", lambda: next(clock))
    run(Dice(), out=tmp_path / "out", deals=550, jobs=1)
    for path in (tmp_path / "out").rglob("*"):
        os.utime(path, (2e9, 2e9) if path.suffix else None)     # from the future
    run(Dice(), out=tmp_path / "out", deals=1050, jobs=1)
    assert contents(tmp_path / "out") == contents(direct)


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


# --- players in Python that fail ---------------------------------------------------------------------

PLAYER = '''
import os
import signal
import threading
import time
import courtpiece as cp

class Textless(Exception):
    def __str__(self):
        raise ValueError("no text")

class Slow:
    def __del__(self):
        while True:
            pass

class Mine(cp.Player):
    def __init__(self, how="raise", one_in=300):
        self.how, self.one_in = how, one_in

    def play(self, view):
        if self.how == "deaf" and len(view.hand) == 13:
            signal.signal(signal.SIGALRM, signal.SIG_IGN)
        mixed = sum(3**n * int(card) for n, card in enumerate(view.hand))
        if len(view.hand) == 7 and mixed % self.one_in == 0:
            if self.how == "raise":
                raise ValueError("\\x1b[31mno <b>idea</b>")
            if self.how == "illegal":
                return "2S" if "2S" not in map(str, view.hand) else "3S"
            if self.how == "memory":
                return bytearray(1 << 62)
            if self.how == "textless":
                raise Textless
            if self.how == "nothing":
                return Textless()
            if self.how == "leave":
                raise GeneratorExit
            if self.how == "interrupt":
                raise KeyboardInterrupt
            if self.how == "late":
                Slow()                  # what is raised in a finalizer is lost
                self.how = "loop"
            if self.how == "move":
                os.chdir("/")
            if self.how == "fork":
                os.fork()
            if self.how == "exit":
                os._exit(0)
            if self.how == "crash":
                os.kill(os.getpid(), signal.SIGSEGV)
            if self.how == "shut":
                os.closerange(3, 4096)
            if self.how == "close":
                os.closerange(0, 3)
            if self.how == "thread":
                threading.Thread(target=time.sleep, args=(1000,)).start()
            if self.how in ("move", "fork", "good", "thread"):
                return view.legal_cards[0]
            if self.how in ("sleep", "deaf"):
                time.sleep(1000)
            while self.how == "loop":
                pass
        return view.legal_cards[0]
'''


@pytest.fixture
def mine(tmp_path: Path) -> str:
    (tmp_path / "mine.py").write_text(PLAYER)
    return f"{tmp_path / 'mine.py'}:Mine"


def test_deals_in_which_a_player_fails_are_left_out_and_told(tmp_path: Path, mine: str) -> None:
    done = run("kot-frequency", players=mine, deals=300, out=tmp_path / "out", jobs=2, chunk=40)
    left_out = done.left_out
    assert 0 < len(left_out) <= 10
    assert done.summary["n"].max() == 300 - len(left_out)
    for unit, why in left_out:
        assert f"in deal {unit} of seed 1 raised ValueError: \\x1b[31mno <b>idea</b>" in why
        assert "courtpiece play --seed 1" in why
    assert done.notes[0].startswith(f"{len(left_out)} deals of 300 are in no result: ")
    page = done.report().read_text()
    assert "\x1b" not in page
    assert "<b>idea" not in page
    assert f"in deal {left_out[0].unit} of seed 1" in page
    assert verify(done.path, sample=None).sound
    # The same deals are left out, and the rest is the same, whatever the chunks.
    again = run("kot-frequency", players=mine, deals=300, out=tmp_path / "again", jobs=1, chunk=300)
    assert again.left_out == left_out
    assert again.summary.equals(done.summary)


@pytest.mark.parametrize(("how", "told"), [
    ("illegal", "which the rules forbid"),
    ("memory", "MemoryError"),
    ("textless", "raised Textless: a Textless without a text"),
    ("nothing", "plays a Textless without a text, which the rules forbid"),
    ("leave", "raised GeneratorExit"),
    ("interrupt", "raised KeyboardInterrupt"),
    ("sleep", "did not decide within 0.3 s"),
    ("deaf", "did not decide within 0.3 s"),
    ("late", "did not decide within 0.3 s"),
    ("loop", "did not decide within 0.3 s"),
    ("close", "closed the input, output or errors of its process"),
])
@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_whatever_a_player_does_the_run_goes_on(
    tmp_path: Path, mine: str, how: str, told: str, backend: str
) -> None:
    if backend == "threading" and how in ("sleep", "deaf", "late"):
        pytest.skip("a thread that waits cannot be ended, and has no alarm to lose")
    if backend == "threading" and how == "interrupt":
        pytest.skip("nothing tells it from a Ctrl-C")
    if backend == "threading" and how == "close":
        pytest.skip("the streams are those of the tests")
    done = run("kot-frequency", players=f"{mine}:how={how}", deals=120, out=tmp_path / "out", jobs=2,
               chunk=30, backend=backend, patience=0.3)
    assert done.complete
    assert done.left_out
    assert all(told in why for _, why in done.left_out)
    assert done.summary["n"].max() == 120 - len(done.left_out)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_player_that_goes_elsewhere_takes_the_run_nowhere(
    tmp_path: Path, mine: str, jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)         # from where the folder and the player's file are named
    asked: dict[str, Any] = {"deals": 120, "chunk": 30, "jobs": jobs}
    good = run("kot-frequency", players="mine.py:Mine:how=good:one_in=9", out="good", **asked)
    done = run("kot-frequency", players="mine.py:Mine:how=move:one_in=9", out="out", **asked)
    assert Path.cwd() == tmp_path
    assert done.complete
    assert done.summary.drop("players").equals(good.summary.drop("players"))


def test_a_player_that_makes_copies_of_its_process_is_played_once(tmp_path: Path, mine: str) -> None:
    asked: dict[str, Any] = {"deals": 120, "chunk": 30, "jobs": 2}
    good = run("kot-frequency", players=f"{mine}:how=good:one_in=9", out=tmp_path / "good", **asked)
    done = run("kot-frequency", players=f"{mine}:how=fork:one_in=9", out=tmp_path / "out", **asked)
    assert done.complete
    assert done.summary.drop("players").equals(good.summary.drop("players"))


@pytest.mark.parametrize(("how", "told"), [
    ("exit", r"a worker process ended \(EXIT\(0\)\)"),
    ("crash", r"a worker process ended \(SIGSEGV\(-11\)\)"),
    ("shut", r"a worker process (ended \(EXIT\(1\)\)|cannot be reached any more)"),
])
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_player_that_ends_its_process_is_named_when_all_other_chunks_are_done(
    tmp_path: Path, mine: str, how: str, told: str, jobs: int
) -> None:
    asked: dict[str, Any] = {"deals": 120, "chunk": 20, "out": tmp_path / "out", "jobs": jobs}
    with pytest.raises(RunError, match=rf"workers end again and again at deals (\d+) to \d+: {told}; what is "
                                       rf"done is kept; {mine}:how={how}:one_in=700 may have ended them$"):
        run("kot-frequency", players=f"{mine}:how={how}:one_in=700", **asked)
    stopped = Run.open(tmp_path / "out")
    raised = run("kot-frequency", players=f"{mine}:one_in=700", **asked | {"out": tmp_path / "raised"})
    deadly = {unit // 20 for unit, _ in raised.left_out}
    if how == "shut":                   # what it played is written, and not told
        deadly = set()
    assert {shard.index for shard in stopped.folder.shards()} == set(range(6)) - deadly


def test_a_player_that_ends_the_process_in_which_it_is_timed_is_named(tmp_path: Path, mine: str) -> None:
    player = f"{mine}:how=exit:one_in=1"
    with pytest.raises(RunError, match=rf"ended \(EXIT\(0\)\) when the first deals were .*; {player} may"):
        run("kot-frequency", players=player, deals=120, jobs=1, out=tmp_path / "out")


def test_a_check_survives_the_players_that_it_has_play(tmp_path: Path, mine: str) -> None:
    again = tmp_path / "again"
    ends = f"def play(self, view):\n        if os.path.exists({str(again)!r}):\n            os._exit(0)"
    Path(mine.partition(":")[0]).write_text(PLAYER.replace("def play(self, view):", ends))
    done = run("kot-frequency", players=f"{mine}:how=good", deals=20, chunk=20, jobs=1, out=tmp_path / "out")
    again.touch()
    with pytest.raises(RunError, match=r"^a worker process ended \(EXIT\(0\)\) at deals 0 to 19$"):
        verify(done.path, sample=None, run_code=True)


def test_threads_that_a_player_leaves_behind_do_not_keep_the_process(tmp_path: Path, mine: str) -> None:
    ended = command("run", "kot-frequency", "--players", f"{mine}:how=thread:one_in=9", "--deals", 60,
                    "--chunk", 30, "--jobs", 1, "--out", tmp_path / "out")
    assert ended.wait(60) == 0


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_file_that_hangs_when_it_is_loaded_is_told(tmp_path: Path, jobs: int) -> None:
    (tmp_path / "slow.py").write_text("import time\ntime.sleep(1000)\n")
    with pytest.raises(UsageError, match=r"slow\.py is not loaded within 0\.3 s"):
        run("kot-frequency", players=f"{tmp_path}/slow.py:Mine", deals=120, jobs=jobs, patience=0.3)


@pytest.mark.parametrize(("does", "told"), [
    ("time.sleep(1000)", r"mine\.py is not loaded within 0\.3 s"),
    ("raise ValueError", r"mine\.py fails when it is loaded: ValueError"),
])
def test_a_file_that_cannot_be_loaded_by_workers_is_told(
    tmp_path: Path, mine: str, does: str, told: str
) -> None:
    path = Path(mine.partition(":")[0])
    path.write_text(f"import os, time\nif os.getpid() != {os.getpid()}:\n    {does}\n{PLAYER}")
    with pytest.raises(UsageError, match=told):
        run("kot-frequency", players=mine, deals=120, chunk=60, jobs=2, patience=0.3, out=tmp_path / "out")


def test_a_file_that_is_changed_while_the_run_goes_on_is_told(tmp_path: Path, mine: str) -> None:
    path = Path(mine.partition(":")[0])

    def change(progress: Progress) -> None:
        path.write_text(PLAYER + "# another")       # after this process read it, before a worker does

    told = r"mine\.py:Mine:how=good is another player for a worker \(\w+\) than where the run began \(\w+\): "
    with pytest.raises(RunError, match=told + "it was changed meanwhile"):
        run("kot-frequency", players=f"{mine}:how=good", deals=120, chunk=60, jobs=2, watch=change,
            out=tmp_path / "out")


class Unsendable(cp.Player):
    """Holds what cannot be sent to another process."""

    def __init__(self) -> None:
        self.held = (number for number in range(3))

    def __deepcopy__(self, memo: object) -> Unsendable:
        return Unsendable()

    def play(self, view: cp.View) -> cp.Card:
        return view.legal_cards[0]


def test_a_player_that_cannot_be_sent_to_workers_plays_in_this_process_or_is_told(tmp_path: Path) -> None:
    asked: dict[str, Any] = {"us": Unsendable(), "them": "simple", "deals": 20, "chunk": 10}
    assert run("duel", jobs=1, out=tmp_path / "one", **asked).complete
    with pytest.raises(UsageError, match=r"^Unsendable cannot be sent to other processes \(cannot pickle"):
        run("duel", jobs=2, out=tmp_path / "two", **asked)


def test_a_player_that_cannot_be_copied_is_told(tmp_path: Path) -> None:
    class Single(Unsendable):
        __deepcopy__ = None             # type: ignore[assignment]

    with pytest.raises(UsageError, match="the player Single cannot be copied, and each seat gets a copy"):
        run("duel", us=Single(), them="simple", deals=20, out=tmp_path / "out")


def test_what_plays_deals_again_is_as_patient_as_the_run(
    tmp_path: Path, mine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("courtpiece.verification.PATIENCE", 0.3)
    done = run("duel", us=f"{mine}:how=sleep:one_in=40", them="simple", deals=12, chunk=6, jobs=1,
               out=tmp_path / "out", patience=0.3)
    assert done.left_out                # of which the duel times the first, and verify plays all
    assert verify(done.path, sample=None, run_code=True).sound


def test_a_player_that_fails_too_often_stops_the_run(tmp_path: Path, mine: str) -> None:
    with pytest.raises(PlayerError, match=r"raised ValueError: .*; and so in 11 of 400 deals"):
        run("kot-frequency", players=f"{mine}:one_in=3", deals=2000, out=tmp_path / "out", jobs=1, chunk=400)
    with pytest.raises(PlayerError, match="raised ValueError"):     # all of a few
        run("kot-frequency", players=f"{mine}:one_in=1", deals=5, out=tmp_path / "few", jobs=1)


@pytest.mark.parametrize("study", ["trump-call", "duel", "ladder"])
def test_other_studies_leave_out_units_too(tmp_path: Path, mine: str, study: str) -> None:
    asked: dict[str, Any] = {
        "trump-call": {"players": f"{mine}:one_in=97", "hands": 12, "deals": 4},
        "duel": {"us": f"{mine}:one_in=100", "them": "simple", "deals": 60},
        "ladder": {"player": (mine, "simple", "random"), "deals": 40},
    }[study]
    done = run(study, out=tmp_path / "out", jobs=1, chunk=5, **asked)
    assert done.complete
    assert done.left_out
    assert find(study).name == study
