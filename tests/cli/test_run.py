"""`courtpiece run`, `studies`, `players` and `verify`, as a user types them."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from courtpiece.cli import main
from courtpiece.results import Run
from courtpiece.studies import names
from tests.test_run import contents

SMALL = ["run", "kot-frequency", "--players", "random", "--deals", "2000", "--jobs", "1"]


@pytest.fixture(autouse=True)
def _somewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Returns the one line with which the command line refuses the arguments."""
    assert main(arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.endswith("\n")
    assert printed.err.count("\n") == 1
    return printed.err.removeprefix("courtpiece: ").rstrip("\n")


def test_a_run_prints_its_answer_and_where_things_lie(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(SMALL) == 0
    printed = capsys.readouterr()
    assert "Kot frequency · 2,000 deals" in printed.out
    answer = Run.open("results/kot-frequency").answer()
    assert printed.out.splitlines()[1 : 1 + len(answer)] == str(answer).replace("\xa0", " ").splitlines()
    assert "single-sir  random" in printed.out
    assert "±" in printed.out
    assert "results/kot-frequency: report.html, summary.parquet, tables/ and shards/" in printed.out
    assert "kot-frequency: 2,000 of 2,000 deals" in printed.err
    for name in ("report.html", "summary.parquet", "shards/000000.parquet", "study.json"):
        assert Path("results/kot-frequency", name).exists()


def test_the_same_command_again_prints_the_same_and_writes_nothing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    main(SMALL)
    first = capsys.readouterr().out
    times = {path: path.stat().st_mtime_ns for path in Path("results").rglob("*.*") if path.name != ".lock"}
    assert main(SMALL) == 0
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == (first, "")
    assert times == {path: path.stat().st_mtime_ns for path in Path("results").rglob("*.*")
                     if path.name != ".lock"}


def test_the_answer_as_json_is_one_object(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SMALL, "--rules", "single-sir", "--rules", "hakim", "--out", "there", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["study"], told["folder"], told["deals"]) == ("kot-frequency", "there", 2000)
    assert told["answer"] == str(Run.open("there").answer()).replace("\xa0", " ").splitlines()
    assert [row["rules"] for row in told["headline"]] == ["single-sir", "hakim"]
    assert 0 < told["headline"][0]["win_half_width"] < 0.05
    assert told["command"] == ("courtpiece run kot-frequency --rules single-sir --rules hakim "
                               "--players random --seed 1 --deals 2000")


def test_a_file_of_options_says_what_the_line_does_not(capsys: pytest.CaptureFixture[str]) -> None:
    Path("kot.toml").write_text("""
        study = "kot-frequency"
        rules = ["single-sir", {preset = "bavan", target = 3}]
        players = "simple"
        deals = 500
        jobs = 1
        out = "from-file"
    """)
    assert main(["run", "kot-frequency", "--config", "kot.toml", "--deals", "700", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["folder"], told["deals"]) == ("from-file", 700)
    assert list(told["rules"]) == ["single-sir", "bavan,target=3"]
    assert [row["players"] for row in told["headline"]] == ["simple", "simple"]


REFUSED = """
run | name a study to run: STUDIES
run kot-frequenzy | there is no study "kot-frequenzy"; there are STUDIES (did you mean "kot-frequency"?)
run kot-frequency --rules hakin | there is no preset "hakin" (did you mean "hakim"?)
run kot-frequency --rules hakim,targt=3 | there is no option "targt" (did you mean "target"?)
run kot-frequency --players greedy,simpel | players: there is no card player "simpel"; there are random, simple, greedy, double-dummy,
run kot-frequency --deals none | deals: must be a whole number, not "none"
run kot-frequency --deals 0 | deals: must be at least 1, not 0
run kot-frequency --deals 1e30 | deals: must be at most 1,000,000,000,000,000, not 1000000000000000000000000000000
run kot-frequency --deals 1e5000 | deals: must be a whole number, not "1e5000"
run kot-frequency --deals snan | deals: must be a whole number, not "snan"
run kot-frequency --rules nosuch | there is no preset "nosuch"; courtpiece rules lists them
run kot-frequency --jobs 0 | jobs: must be at least 1, not 0
run kot-frequency --chunk 0 | chunk: must be at least 1, not 0
run kot-frequency --precision -1 | precision: must be above 0, not -1
run kot-frequency --config none.toml | none.toml: there is no such file
run kot-frequency --config bad.toml | bad.toml: is not TOML
run kot-frequency --config strange.toml | strange.toml: there is no option "deels" (did you mean "deals"?)
run kot-frequency --config other.toml | other.toml is for the study "trump-call", not kot-frequency
run kot-frequency --config jobs.toml | jobs.toml: jobs must be a whole number, not "two"
run kot-frequency --out bad.toml | bad.toml cannot be a folder: bad.toml is a file
run kot-frequency --out . | . is not the folder of a run: it has no study.json but holds bad.toml, jobs.toml, other.toml, …; choose another folder
studies kot | there is no study "kot"
verify . | . is not the folder of a run
verify nowhere | nowhere holds no run
"""  # noqa: E501


@pytest.mark.parametrize("row", REFUSED.strip().split("\n"))
def test_a_mistake_is_one_line_that_says_what_would_be_right(
    capsys: pytest.CaptureFixture[str], row: str
) -> None:
    Path("bad.toml").write_text("deals = ")
    Path("strange.toml").write_text("deels = 3")
    Path("other.toml").write_text('study = "trump-call"')
    Path("jobs.toml").write_text('jobs = "two"')
    command, line = row.replace("STUDIES", ", ".join(names())).split(" | ")
    assert refused(capsys, *command.split(" ")).startswith(line)


def test_an_unknown_option_is_told_with_its_neighbours(capsys: pytest.CaptureFixture[str]) -> None:
    assert "--rules" in refused(capsys, "run", "kot-frequency", "--rule", "hakim")


def test_another_design_in_the_same_folder_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    main(SMALL)
    capsys.readouterr()
    line = refused(capsys, *SMALL, "--seed", "2")
    assert line == ("results/kot-frequency holds another run (seed: 1 there, 2 here); choose another folder, "
                    "or remove that one")


def test_help_shows_the_parameters_of_a_study(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "kot-frequency", "--help"]) == 0
    shown = capsys.readouterr().out
    for option in ("--rules", "--players", "--seed", "--deals", "--precision", "--jobs", "--out", "--config"):
        assert option in shown
    assert main(["run", "--help"]) == 0
    assert "trump-call" in capsys.readouterr().out


SLOW = """
import time
import courtpiece as cp

class Slow(cp.Player):
    def play(self, view):
        time.sleep(0.0005)
        return view.legal_cards[0]
"""


@pytest.mark.parametrize(("name", "status"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129)])
@pytest.mark.parametrize(("players", "chunk"), [("random", 20_000), ("slow.py:Slow", 20)])
def test_who_is_asked_to_end_says_how_to_go_on_and_which_signal_it_was(
    name: str, status: int, players: str, chunk: int
) -> None:
    Path("slow.py").write_text(SLOW)
    deals = 25_000 * chunk
    process = subprocess.Popen(
        [sys.executable, "-m", "courtpiece", "run", "kot-frequency", "--players", players,
         "--deals", str(deals), "--chunk", str(chunk), "--jobs", "2", "--out", "long"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )
    shards, deadline = Path("long/shards"), time.monotonic() + 60
    while len(list(shards.glob("0*"))) < 3 and time.monotonic() < deadline:
        time.sleep(0.01)
    os.killpg(process.pid, getattr(signal, name))       # as a terminal does: the workers get it too
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (status, ""), err
    kept = chunk * len(list(shards.glob("0*")))
    *_, last = told = err.splitlines()
    go_on = "run the same command again to go on"
    assert last == f"stopped: {kept:,} of {deals:,} deals are kept in long; {go_on}"
    assert "kot-frequency: stopping when the chunks under way are done; a second signal ends at once" in told
    assert "Traceback" not in err


BUSY = """
import os, threading, time
from pathlib import Path
import courtpiece as cp

HERE = Path(__file__).parent            # workers of an earlier test are in another folder

class Busy(cp.Player):
    played = 0

    def play(self, view):
        Busy.played += 1
        if Busy.played > 2000 and not (HERE / "calm").exists():
            (HERE / f"busy-{os.getpid()}-{threading.get_ident()}").touch()
            end = time.monotonic() + 100
            while time.monotonic() < end:
                pass
        return view.legal_cards[0]
"""


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_a_second_signal_does_not_wait_for_chunks_that_take_long(backend: str) -> None:
    Path("busy.py").write_text(BUSY)
    asked = ["run", "kot-frequency", "--players", "busy.py:Busy", "--deals", "200", "--chunk", "20",
             "--jobs", "2", "--backend", backend, "--out"]
    process = subprocess.Popen([sys.executable, "-m", "courtpiece", *asked, "long"], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, start_new_session=True)
    while len(list(Path().glob("busy-*"))) < 2 and process.poll() is None:
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)
    time.sleep(0.5)
    assert process.poll() is None
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    kept = 20 * len(list(Path("long/shards").glob("0*")))
    assert (process.returncode, out) == (130, ""), err
    *_, last = told = err.splitlines()
    assert last == f"stopped: {kept:,} of 200 deals are kept in long; run the same command again to go on"
    assert "kot-frequency: stopping when the chunks under way are done; a second signal ends at once" in told
    assert "Traceback" not in err
    Path("calm").touch()
    for folder in ("long", "direct"):
        assert main([*asked, folder]) == 0
    assert contents(Path("long")) == contents(Path("direct"))


WORKER = """
import os, signal, threading, time
from courtpiece.signals import left_to_the_parent

left_to_the_parent()
import polars as pl

def ask():
    for _ in range(500):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.001)

asking = threading.Thread(target=ask)
asking.start()
while asking.is_alive():
    pl.DataFrame({"a": range(100_000)}).lazy().sort("a", descending=True).collect()
"""


def test_a_worker_goes_on_with_its_chunk_when_the_parent_is_asked_to_end() -> None:
    ended = subprocess.run([sys.executable, "-c", WORKER], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize("megabytes", [600, 1500])
def test_too_little_address_space_is_told_in_one_line(megabytes: int) -> None:
    resource = pytest.importorskip("resource")
    most = megabytes * 10**6
    ended = subprocess.run(
        [sys.executable, "-m", "courtpiece", *SMALL], capture_output=True, text=True, check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (most, most)),
    )
    assert ended.returncode == 2
    assert ended.stderr == (
        f"courtpiece: the address space of this process is limited to {megabytes / 1000:.1f} GB (ulimit -v), "
        "and a run takes 2 GB, which is hardly used: limit memory otherwise, as by a cgroup\n")


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="no POSIX system")
def test_a_folder_that_may_not_be_written_is_read() -> None:
    # Root may write everywhere: it imports all, from wherever it lies; then another user looks.
    script = """if True:
        import os
        from pathlib import Path
        from courtpiece.cli import main
        asked = ["run", "toss", "--draws", "100", "--jobs", "1", "--out"]
        assert main([*asked, "out"]) == 0
        assert main(["verify", "out"]) == 0
        Path().chmod(0o755)
        if os.getuid() == 0:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
        else:
            for path in (Path(), *Path().rglob("*")):
                path.chmod(path.stat().st_mode & 0o555)
        assert main(["verify", "out"]) == 0
        assert main([*asked, "out"]) == 2
        assert main([*asked, "new"]) == 2
    """
    with TemporaryDirectory() as folder:        # not pytest's, which is closed to others
        ended = subprocess.run([sys.executable, "-c", script], cwd=folder, capture_output=True, text=True,
                               check=False)
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr.splitlines()[-2:] == [
        "courtpiece: out: cannot be written: Permission denied",
        "courtpiece: new: cannot be written: Permission denied",
    ]


FULL = """
mount -t tmpfs -o size=128k none full && echo mounted || exit
"$@" >&2
echo $?
"$1" -m courtpiece verify full --json
mount -o remount,size=64m full
"$@" >&2
echo $?
"$1" -m courtpiece verify full --all
"""


@pytest.mark.skipif(shutil.which("unshare") is None, reason="no file systems of one's own")
@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_a_disk_that_is_full_is_told_in_one_line_and_the_run_goes_on_when_there_is_room(backend: str) -> None:
    Path("full").mkdir()
    ended = subprocess.run(
        ["unshare", "-m" if os.getuid() == 0 else "-rm", "sh", "-c", FULL, "sh", sys.executable, "-m",
         "courtpiece", "run", "kot-frequency", "--players", "random", "--deals", "2000", "--chunk", "100",
         "--jobs", "2", "--backend", backend, "--out", "full"], capture_output=True, text=True, check=False)
    if not ended.stdout.startswith("mounted"):
        pytest.skip(f"no file system of one's own may be mounted: {ended.stderr}")
    _, first, found, second, sound = ended.stdout.splitlines()
    assert (first, second) == ("2", "0"), ended.stderr
    (told,) = (line for line in ended.stderr.splitlines() if line.startswith("courtpiece: "))
    assert told == (f"courtpiece: {Path('full/shards').absolute()}: the disk is full; make room and run the "
                    "same command again: what is done is kept")
    assert "Traceback" not in ended.stderr
    kept = json.loads(found)
    assert 0 < kept["chunks"] < 20
    assert kept["notes"] == []
    assert [problem.partition(" (")[0] for problem in kept["problems"]] == [
        f"{20 - kept['chunks']} of 20 chunks are missing"]
    assert sound.startswith("full: sound; 2,000 deals, 20 chunks")


def test_ctrl_c_on_a_terminal_is_heard() -> None:
    fcntl, pty, termios = map(pytest.importorskip, ("fcntl", "pty", "termios"))
    ours, theirs = pty.openpty()

    def take_the_terminal() -> None:
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    process = subprocess.Popen(
        [sys.executable, "-m", "courtpiece", "run", "kot-frequency", "--players", "random", "--deals",
         "500000000", "--chunk", "20000", "--jobs", "2", "--out", "long"],
        stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True, preexec_fn=take_the_terminal,
    )
    os.close(theirs)
    shards, pressed, shown = Path("long/shards"), False, b""
    with suppress(OSError):             # when the last who has the terminal is gone
        while read := os.read(ours, 1000):
            shown += read
            if not pressed and len(list(shards.glob("0*"))) >= 3:
                os.write(ours, b"\x03")
                pressed = True
    os.close(ours)
    assert process.wait(60) == 130
    told = " ".join(shown.decode().split())
    assert "kot-frequency: stopping when the chunks under way are done; a second signal ends at once" in told
    assert "run the same command again to go on" in told
    assert "Traceback" not in told


def test_verify_answers_with_its_exit_status(capsys: pytest.CaptureFixture[str]) -> None:
    main([*SMALL, "--chunk", "500", "--out", "kot"])
    capsys.readouterr()
    assert main(["verify", "kot", "--all"]) == 0
    assert capsys.readouterr().out == ("kot: sound; 2,000 deals, 4 chunks with the checksum they tell; "
                                       "played again, bit for bit: 0-3\n")
    Path("kot/shards/000001.parquet").write_bytes(b"nothing")
    assert main(["verify", "kot", "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["sound"], told["chunks"]) == (False, 3)
    assert "000001.parquet is damaged" in told["problems"][0]


def test_studies_and_players_describe_themselves(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["studies"]) == 0
    assert "kot-frequency" in capsys.readouterr().out
    assert main(["studies", "kot-frequency"]) == 0
    assert "shards/*.parquet" in capsys.readouterr().out
    assert main(["studies", "--json"]) == 0
    told = {study["name"]: study for study in json.loads(capsys.readouterr().out)}
    parameters = told["kot-frequency"]["parameters"]
    assert {"name", "meaning", "default", "several", "design"} == parameters[0].keys()
    assert [column["name"] for column in told["kot-frequency"]["tables"]["summary"]][-1] == "method"
    assert main(["players"]) == 0
    assert "greedy" in capsys.readouterr().out
    assert main(["players", "--json"]) == 0
    described = json.loads(capsys.readouterr().out)
    assert [caller["name"] for caller in described["callers"]] == ["random", "longest", "strongest", "absent"]


def test_more_files_than_a_folder_should_hold_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    line = refused(capsys, "run", "kot-frequency", "--deals", "1e9", "--chunk", "1")
    assert line == ("1,000,000,000 deals in chunks of 1 are 1,000,000,000 files; at most 1,000,000 can be: "
                    "take fewer deals or larger chunks")
    assert not Path("results/kot-frequency/study.json").exists()
