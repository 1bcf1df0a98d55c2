"""Players in Python that fail in a run, whatever they do: they are told of, and the rest goes on."""

from __future__ import annotations

import math
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import courtpiece as cp
from courtpiece.errors import PlayerError, RunError, UsageError
from courtpiece.results import Run
from courtpiece.run import Progress, run
from courtpiece.studies import find
from courtpiece.verification import verify

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
            if self.how == "slow":
                time.sleep(1)
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
    assert done.notes[0].startswith(f"{len(left_out)} deals of 300 are in no result: the first: ")
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
    assert {shard.index for shard in stopped.folder.shards()} == set(range(6)) - deadly


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_a_worker_wrote_that_could_not_tell_counts(tmp_path: Path, mine: str, jobs: int) -> None:
    words: list[str] = []
    asked: dict[str, Any] = {"deals": 120, "chunk": 20, "jobs": jobs}
    done = run("kot-frequency", players=f"{mine}:how=shut:one_in=700", out=tmp_path / "out",
               watch=lambda progress: words.append(progress.word), **asked)
    good = run("kot-frequency", players=f"{mine}:how=good:one_in=700", out=tmp_path / "good", **asked)
    assert done.complete
    assert done.summary.drop("players").equals(good.summary.drop("players"))
    assert any(word.endswith("; going on") for word in words)


@pytest.mark.parametrize("workers", [{"jobs": 1}, {"backend": "dask", "scheduler": "tcp://127.0.0.1:1"}])
def test_a_player_that_ends_the_process_in_which_it_is_timed_is_named(
    tmp_path: Path, mine: str, workers: dict[str, Any]
) -> None:
    player = f"{mine}:how=exit:one_in=1"
    with pytest.raises(RunError, match=rf"ended \(EXIT\(0\)\) when the first deals were .*; {player} may"):
        run("kot-frequency", players=player, deals=120, out=tmp_path / "out", **workers)


def end_once_there_is(file: Path, mine: str) -> None:
    """Has the player end its process from when there is such a file."""
    ends = f"def play(self, view):\n        if os.path.exists({str(file)!r}):\n            os._exit(0)"
    Path(mine.partition(":")[0]).write_text(PLAYER.replace("def play(self, view):", ends))


def test_a_player_that_ends_the_process_in_which_deals_are_played_again_is_named(
    tmp_path: Path, mine: str
) -> None:
    again = tmp_path / "again"
    end_once_there_is(again, mine)

    def watch(progress: Progress) -> None:
        if progress.done == progress.total:
            again.touch()

    with pytest.raises(RunError, match=r"ended \(EXIT\(0\)\) when deals were played again for the files "
                                       rf"beside the tables; {mine}:how=good may have ended them$"):
        run("duel", us=f"{mine}:how=good", them="random", deals=20, chunk=20, jobs=1, out=tmp_path / "out",
            watch=watch)


def test_a_check_survives_the_players_that_it_has_play(tmp_path: Path, mine: str) -> None:
    again = tmp_path / "again"
    end_once_there_is(again, mine)
    done = run("kot-frequency", players=f"{mine}:how=good", deals=20, chunk=20, jobs=1, out=tmp_path / "out")
    again.touch()
    with pytest.raises(RunError, match=r"^a worker process ended \(EXIT\(0\)\) at deals 0 to 19$"):
        verify(done.path, sample=None, run_code=True)


def command(*arguments: object, **how: Any) -> subprocess.Popen[str]:
    """Starts the command line in a process of its own."""
    start = [sys.executable, "-c", "import sys; from courtpiece.cli import main; sys.exit(main())"]
    return subprocess.Popen([*start, *map(str, arguments)], text=True, stdout=subprocess.DEVNULL, **how)


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


def test_what_plays_deals_again_is_as_patient_as_the_run_or_says_so(tmp_path: Path, mine: str) -> None:
    done = run("duel", us=f"{mine}:how=sleep:one_in=40", them="simple", deals=12, chunk=6, jobs=1,
               out=tmp_path / "out", patience=0.3)
    assert done.left_out                # of which the duel times the first, and verify plays all
    assert verify(done.path, sample=None, run_code=True, patience=0.3).sound
    good = run("duel", us=f"{mine}:how=slow:one_in=40", them="simple", deals=12, chunk=6, jobs=1,
               out=tmp_path / "slow", patience=0.3)
    [problem, *_] = verify(good.path, sample=None, run_code=True, patience=30).problems
    assert "was left out in the run and not now, and a slow player needs the --patience" in problem
    assert "did not decide within 0.3 s" in problem


@pytest.mark.parametrize("seconds", [0, -1, math.nan])
def test_without_patience_nothing_is_played_or_verified(tmp_path: Path, seconds: float) -> None:
    run("kot-frequency", players="random", deals=20, out=tmp_path / "out")
    with pytest.raises(UsageError, match="patience: must be above 0"):
        run("kot-frequency", players="random", deals=20, out=tmp_path / "out", patience=seconds)
    with pytest.raises(UsageError, match="patience: must be above 0"):
        verify(tmp_path / "out", patience=seconds)


def test_patience_may_be_without_end(tmp_path: Path, mine: str) -> None:
    done = run("kot-frequency", players=f"{mine}:how=good", deals=20, out=tmp_path / "out", patience=math.inf)
    assert done.complete
    assert not done.left_out


def test_a_player_that_fails_too_often_stops_the_run(tmp_path: Path, mine: str) -> None:
    with pytest.raises(PlayerError, match=r"raised ValueError: .*; and so in 11 of 400 deals"):
        run("kot-frequency", players=f"{mine}:one_in=3", deals=2000, out=tmp_path / "out", jobs=1, chunk=400)
    counts = []
    for _ in range(2):                  # what the first left out is on disk for the second
        with pytest.raises(PlayerError, match=r"; and so in (\d+) of \1 deals") as told:
            run("kot-frequency", players=f"{mine}:one_in=1", deals=2000, out=tmp_path / "short", jobs=1,
                chunk=10)
        counts += re.findall(r"in (\d+) of", str(told.value))
    assert int(counts[0]) < int(counts[1])
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
