"""Runs wherever they lie: the same files at an address as in a folder, whole or not there, and one process at
a time."""

from __future__ import annotations

import json
import os
import random
import signal
import threading
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import fsspec
import pytest
from s3fs.core import S3File

from courtpiece import places
from courtpiece.cli import main
from courtpiece.errors import RunError, UsageError
from courtpiece.places import held, local_copies, names_in, place, remove, write_whole
from courtpiece.results import Run
from courtpiece.run import Progress, run
from courtpiece.verification import verify
from tests.dice import Dice, ThreadedDice
from tests.s3 import serving, troubled
from tests.test_run import contents, dice_process


@pytest.fixture(scope="module")
def bucket() -> Iterator[str]:
    with pytest.MonkeyPatch.context() as patch, serving(patch) as address:
        yield address


@pytest.fixture(params=["memory", "s3"])
def address(request: pytest.FixtureRequest) -> str:
    """The address of a run that is not there yet."""
    start = "memory://" if request.param == "memory" else request.getfixturevalue("bucket")
    return f"{start}/{uuid.uuid4().hex}"


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Locks that are files beat fast, but not so fast that a busy machine looks dead."""
    monkeypatch.setattr(places, "BEAT", 0.5)
    monkeypatch.setattr(places, "PATIENCE", 4.0)


def stored(address: str) -> dict[str, bytes]:
    """Returns every file of a run at an address but the lock, by name."""
    files, root = fsspec.url_to_fs(address)
    files.invalidate_cache()
    return {name.removeprefix(root).lstrip("/"): files.cat_file(name)
            for name in sorted(files.find(root)) if not name.endswith("/.lock")}


def test_a_run_at_an_address_is_the_same_to_the_last_bit(address: str, direct: Path) -> None:
    done = run(ThreadedDice(), out=address, deals=1050, jobs=2)
    assert stored(address) == contents(direct)
    assert done.complete
    assert done.scan().collect().equals(Run.open(direct, Dice()).scan().collect())
    assert Run.open(address, Dice()).summary.equals(done.summary)
    assert verify(address, sample=None, study=Dice()).sound


def test_a_run_at_an_address_is_gone_on_with_and_extended(address: str, direct: Path) -> None:
    run(Dice(), out=address, deals=250, jobs=1)
    assert run(Dice(), out=address, deals=250, jobs=1).played == 0
    assert run(Dice(), out=address, deals=1050, jobs=1).played == 850    # the last chunk of 50 anew
    assert stored(address) == contents(direct)


def test_what_is_damaged_at_an_address_is_found_and_played_again(address: str, direct: Path) -> None:
    run(Dice(), out=address, deals=1050, jobs=1)
    files, root = fsspec.url_to_fs(address)
    content = files.cat_file(f"{root}/shards/000004.parquet")
    files.pipe_file(f"{root}/shards/000004.parquet", content[:100] + b"?" + content[101:])
    found = verify(address, sample=0, study=Dice())
    assert len(found.problems) == 1
    assert "000004.parquet is damaged" in found.problems[0]
    assert run(Dice(), out=address, deals=1050, jobs=1).played == 100
    assert stored(address) == contents(direct)


def test_something_else_at_an_address_is_refused(address: str) -> None:
    files, root = fsspec.url_to_fs(address)
    files.makedirs(root, exist_ok=True)
    files.pipe_file(f"{root}/notes.txt", b"mine")
    with pytest.raises(RunError, match=r"is not the folder of a run: .* but holds notes\.txt"):
        run(Dice(), out=address, deals=10)


def test_a_report_is_written_where_the_run_lies(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "toss", "--draws", "200", "--out", address]) == 0
    assert main(["report", address, "--lang", "ur"]) == 0
    assert capsys.readouterr().out.endswith(f"{place(address) / 'report.ur.html'}\n")
    assert b"<html" in stored(address)["report.html"]
    assert main(["verify", address]) == 0
    assert main(["run", "toss", "--draws", "300", "--out", address]) == 0     # old pages go
    assert "report.ur.html" not in stored(address)


def test_processes_write_to_one_address(bucket: str, direct: Path) -> None:
    address = f"{bucket}/{uuid.uuid4().hex}"
    run(Dice(), out=address, deals=1050, jobs=2)
    assert stored(address) == contents(direct)


def test_a_process_that_is_killed_leaves_nothing_partial_at_an_address(
    bucket: str, direct: Path, rng: random.Random
) -> None:
    address = f"{bucket}/{uuid.uuid4().hex}"
    whole = contents(direct)
    counts = [0]
    for _ in range(3):
        remove(place(address) / ".lock")        # or the next would wait until its holder is taken for dead
        process = dice_process(address, "--deals", 1050, "--delay", 0.15)
        while len(names_in(place(address) / "shards")) == counts[-1] and process.poll() is None:
            time.sleep(0.01)
        time.sleep(rng.uniform(0, 0.5))
        os.killpg(process.pid, signal.SIGKILL)
        _, err = process.communicate()
        assert process.returncode in (0, -signal.SIGKILL), err
        shown = {name: content for name, content in stored(address).items() if name.startswith("shards")}
        assert shown.items() <= whole.items()
        counts.append(len(shown))
    assert any(0 < count < 11 for count in counts), counts
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(places, "BEAT", 0.2)
        patch.setattr(places, "PATIENCE", 0.6)
        run(Dice(), out=address, deals=1050, jobs=1)
    assert stored(address) == whole


def test_what_cannot_be_reached_is_one_line(bucket: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "toss", "--out", "s3://no-such-bucket-here/run"]) == 2
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 1
    assert told[0].startswith("courtpiece: s3://no-such-bucket-here/run")
    assert not fsspec.filesystem("s3").exists("no-such-bucket-here")
    assert main(["verify", "s3://no-such-bucket-here/run"]) == 2
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize(("how", "left", "told"), [
    ("500", 3, None),
    ("503", 3, None),
    ("cut", 1, None),
    ("cut", -1, "/shards cannot be reached: Connection was closed"),
    ("503", -1, "/shards: cannot be written: Service Unavailable"),
    ("403", -1, "/shards: cannot be written: Access Denied"),
])
@pytest.mark.usefixtures("quick")
def test_a_store_in_trouble_is_asked_again_or_told_of_and_the_next_run_goes_on(
    bucket: str, direct: Path, how: str, left: int, told: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = f"{bucket}/{uuid.uuid4().hex}"
    if told is not None:
        monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")     # or what comes in vain comes a minute later
    with troubled(monkeypatch) as trouble:
        begun: list[bool] = []

        def watch(progress: Progress) -> None:
            if progress.played >= 300 and not begun:
                begun.append(True)
                trouble.begin(how, left)

        if told is None:
            assert run(Dice(), out=address, deals=1050, jobs=1, watch=watch).complete
            assert trouble.left == 0
        else:
            with pytest.raises(RunError, match=told):
                run(Dice(), out=address, deals=1050, jobs=1, watch=watch)
            trouble.left = 0
            shown = {name: what for name, what in stored(address).items() if name.startswith("shards")}
            assert len(shown) == 3
            assert shown.items() <= contents(direct).items()
            assert run(Dice(), out=address, deals=1050, jobs=1).played == 750
        assert stored(address) == contents(direct)


@pytest.mark.parametrize(("address", "told"), [
    ("gopher://host/run", "is no address that fsspec knows"),
    ("gcs://bucket/run", "needs a package that is not installed"),
    ("github://nobody/run", "cannot be reached: "),
    ("dir://a/run", "cannot be reached: "),
    ("ftp://127.0.0.1:1/run", "cannot be reached: .*Connection refused"),
    ("a\0b", "holds what is no text"),
    ("run-\udcff", "holds what is no text"),
])
def test_an_address_that_is_none_is_refused(address: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        place(address)


def test_a_file_address_is_a_folder(tmp_path: Path) -> None:
    assert place(f"file://{tmp_path}/run") == tmp_path / "run"


def test_what_is_written_at_an_address_shows_when_it_is_whole(
    bucket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = f"{bucket}/{uuid.uuid4().hex}"
    path = place(address) / "file"
    write_whole(path, b"old")
    def broken(self: object) -> None:
        raise OSError("the network is gone")

    with monkeypatch.context() as patch:
        patch.setattr(S3File, "commit", broken)
        with pytest.raises(RunError, match="the network is gone"):
            write_whole(path, b"new")
    assert stored(address) == {"file": b"old"}
    write_whole(path, b"newer")
    assert stored(address) == {"file": b"newer"}


def test_what_was_written_at_an_address_is_not_kept_in_memory(address: str) -> None:
    write_whole(place(address) / "a", b"a")
    files, _ = fsspec.url_to_fs(address)
    assert not files.transaction.files


def test_copies_are_made_anew_when_a_file_changes(address: str) -> None:
    folder = place(address)
    write_whole(folder / "a", b"1")
    write_whole(folder / "b", b"1")
    assert [path.read_bytes() for path in local_copies(folder, ["a", "b"])] == [b"1", b"1"]
    write_whole(folder / "a", b"22")
    assert [path.read_bytes() for path in local_copies(folder, ["a", "b"])] == [b"22", b"1"]
    with pytest.raises(RunError, match="c is missing"):
        local_copies(folder, ["a", "c"])


# --- one process at a time ---------------------------------------------------------------------------


@pytest.mark.usefixtures("quick")
def test_a_second_run_at_an_address_is_told_who_is_at_work(address: str) -> None:
    lock = place(address) / ".lock"
    with held(lock, writing=True):
        for writing in (True, False):
            with pytest.raises(RunError, match=rf"is in use: process {os.getpid()} of .* is at work in it"), \
                    held(lock, writing=writing):
                pass
    with held(lock, writing=True):
        pass
    assert stored(address) == {}


@pytest.mark.usefixtures("quick")
def test_the_lock_of_a_dead_process_is_taken_over(address: str) -> None:
    lock = place(address) / ".lock"
    write_whole(lock, b"process 1 of elsewhere (abc), beat 7\n")
    began = time.monotonic()
    with held(lock, writing=True):
        assert time.monotonic() - began >= places.PATIENCE


def test_of_those_who_take_over_at_once_only_one_does(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "BEAT", 4.0)    # all have written when, a fifth of it later, the first looks
    monkeypatch.setattr(places, "PATIENCE", 1.0)
    wait, together = places._wait_for_sign_of_life, threading.Barrier(3)

    def wait_for_all(lock: Path) -> None:
        wait(lock)
        together.wait(60)

    monkeypatch.setattr(places, "_wait_for_sign_of_life", wait_for_all)
    lock = place(address) / ".lock"
    write_whole(lock, b"process 1 of elsewhere (abc), beat 7\n")
    working: list[int] = []
    refused: list[str] = []

    def work(number: int) -> None:
        try:
            with held(lock, writing=True):
                working.append(number)
                time.sleep(1)
        except RunError as error:
            refused.append(str(error))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(working), len(refused)) == (1, 2)


@pytest.mark.usefixtures("quick")
def test_where_the_operating_system_locks_nothing_a_file_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unable(*arguments: object) -> None:
        raise OSError(95, "Operation not supported")

    for patched in (("flock",), ()):
        with monkeypatch.context() as patch:
            if patched:
                patch.setattr("fcntl.flock", unable)
            else:
                patch.setattr(places, "fcntl", None)
            lock = tmp_path / "-".join(["run", *patched]) / ".lock"
            with held(lock, writing=True), pytest.raises(RunError, match="is in use"), \
                    held(lock, writing=True):
                pass
            assert run(Dice(), out=lock.parent, deals=100, jobs=1).complete
            assert json.loads((lock.parent / "study.json").read_text())["study"] == "dice"
