"""Files made to harm: what opens them refuses in a line, or shows what they say without obeying it."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import courtpiece as cp
from courtpiece.cli import complaint, main
from courtpiece.errors import CourtpieceError, RulesError, RunError, UsageError
from courtpiece.record import LONGEST_LINE, answers
from courtpiece.results import Run
from courtpiece.rules import resolve
from courtpiece.store import KEY, MOST_VALUES, _sealed, read_metadata, read_table
from courtpiece.verification import verify
from tests.test_record import arranged_record

MOST_LINES = 45                         # of a complaint


def told(error: CourtpieceError) -> str:
    """Returns a complaint's lines, each of which is short and fit to be seen."""
    lines = complaint(error)
    assert len(lines) <= MOST_LINES
    assert all(line.isprintable() and len(line) < 2500 for line in lines)
    return "\n".join(lines)


# --- TOML and JSON -----------------------------------------------------------------------------------

TOML = {
    "deep arrays": "a = " + "[" * 100_000 + "]" * 100_000,
    "deep tables": "a = " + "{a = " * 50_000 + "1" + "}" * 50_000,
    "dotted keys": ".".join("a" * 50_000) + " = 1",
    "quoted dotted keys": '."'.join(['"'] * 50_000) + '" = 1',
    "many dotted keys": "\n".join(f"a{number}{'.a' * 150} = 1" for number in range(300)),
    "dotted headers": "\n".join(f"[{'.'.join('a' * count)}]" for count in range(1, 200)),
    "huge whole number": "target = " + "9" * 100_000,
    "huge number": "target = 1e999999999",
    "many keys": "\n".join(f"targett{number} = 1" for number in range(20_000)),
    "long key": f"{'a' * 1_000_000} = 1",
    "long text": f'about = "{"a" * 1_000_000}"\nobjective = "{"b" * 1_000_000}"',
    "long list": f"pile_blocks = [{'12, ' * 200_000}]",
    "escapes": r'"\u001b[2J" = "\u0000"',
}


@pytest.mark.parametrize("text", TOML.values(), ids=TOML)
def test_a_hostile_toml_file_is_refused_in_a_few_lines(tmp_path: Path, text: str) -> None:
    path = tmp_path / "rules.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(RulesError) as refused:
        resolve(path)
    told(refused.value)
    assert main(["run", "kot-frequency", "--config", str(path)]) == 2


def test_a_line_of_options_of_any_length_is_refused_in_a_few_lines() -> None:
    for text in ("a" * 1_000_000, "pile_blocks=" + "[" * 100_000, ",".join(["x=1"] * 100_000), "=" * 100_000):
        with pytest.raises(RulesError) as refused:
            resolve(f"single-sir,{text}")
        told(refused.value)


def test_a_parameter_of_endless_values_is_refused() -> None:
    for players in (["greedy"] * 100_000, [f"pimc:worlds={number}" for number in range(20, 100_000)]):
        with pytest.raises(CourtpieceError, match="players: give at most 1,000"):
            cp.run("kot-frequency", players=players, deals=1)


def test_files_without_end_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"^file: /dev/zero is longer than 100,000,000 letters"):
        cp.run("trump-call", file="/dev/zero", out=tmp_path / "out")
    (tmp_path / "run").mkdir()
    with (tmp_path / "run/study.json").open("wb") as file:
        file.truncate(1 << 40)          # a hole, which takes no room
    with pytest.raises(RunError, match=r"study\.json is longer than 300,000,000 bytes"):
        Run.open(tmp_path / "run")


def test_records_too_long_or_too_deep_are_refused_and_the_others_judged() -> None:
    good = json.dumps(arranged_record()).encode()
    number, blank = b'{"id": ' + b"9" * 100_000 + b"}", b" " * (LONGEST_LINE + 5)
    lines = [good, b"[" * 100_000, number, blank + b"{}", good]
    found = list(answers(io.BytesIO(b"\n".join(lines))))
    assert [answer["ok"] for answer in found] == [True, False, False, False, True]
    assert {answer["error"] for answer in found if not answer["ok"]} == {"bad-json"}


@pytest.mark.parametrize("command", [["play", "--record"], ["review"], ["solve"]])
@pytest.mark.parametrize(
    "line", [b"[" * 100_000, b'{"id":"' + b"a" * LONGEST_LINE + b'"}'], ids=["deep", "long"]
)
def test_commands_refuse_such_records_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: list[str], line: bytes
) -> None:
    path = tmp_path / "records.jsonl"
    path.write_bytes(line)
    assert main([*command, str(path)]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


# --- Parquet made by others --------------------------------------------------------------------------

def _write_pandas(path: Path) -> None:
    pd.DataFrame({"a": [1, 2]}).to_parquet(path)


def _write_polars(path: Path) -> None:
    pl.DataFrame({"a": [1, 2]}).write_parquet(path)


def _write_duckdb(path: Path) -> None:
    duckdb.sql(f"copy (select 1 as a) to '{path}' (format parquet)")


def _write_encrypted(path: Path) -> None:
    _write_polars(path)
    path.write_bytes(b"PARE" + path.read_bytes()[4:-4] + b"PARE")      # as a file with an encrypted footer


MAKERS: list[Callable[[Path], None]] = [_write_pandas, _write_polars, _write_duckdb, _write_encrypted]


@pytest.mark.parametrize("make", MAKERS)
def test_a_parquet_file_of_another_program_is_refused(tmp_path: Path, make: Callable[[Path], None]) -> None:
    path = tmp_path / "other.parquet"
    make(path)
    for read in (read_table, read_metadata):
        with pytest.raises(RunError) as refused:
            read(path)
        told(refused.value)


def _sealed_file(path: Path, table: pa.Table, about: dict[str, Any]) -> None:
    written = io.BytesIO()
    metadata = {KEY: json.dumps({**about, "file_sha256": "0" * 64})}
    pq.write_table(table.replace_schema_metadata(metadata), written)
    path.write_bytes(_sealed(written.getvalue()))


def test_a_small_file_that_stands_for_all_memory_is_refused_unread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "bomb.parquet"
    rows = 1_000_000
    _sealed_file(path, pa.table({"x": pa.array([7]).take(pa.array([0] * rows, pa.int8()))}), {})
    assert path.stat().st_size < rows / 10
    assert read_table(path)[0].height == rows
    monkeypatch.setattr("courtpiece.store.MOST_VALUES", rows - 1)
    with pytest.raises(RunError, match="1,000,000 values"):
        read_table(path)
    assert MOST_VALUES < 2**28


@pytest.mark.parametrize("table", [
    pa.table({f"c{number}": [1] for number in range(2_000)}),
    pa.table({"units": pa.array([], pa.int64())}),
    pa.table({"units": [[1, [2]][:1]]}),
    pa.table({"units": [float("nan")], "\x1b[2J<b>": ["</script>"]}),
], ids=["thousands of columns", "no rows", "lists", "strange names"])
@pytest.mark.parametrize("name", ["shards/000000.parquet", "summary.parquet"])
def test_a_file_of_other_columns_under_a_good_seal_is_found_and_made_anew(
    tmp_path: Path, table: pa.Table, name: str
) -> None:
    asked: dict[str, Any] = {"deals": 40, "jobs": 1, "chunk": 20, "out": tmp_path / "run"}
    run = cp.run("kot-frequency", **asked)
    before = run.headline
    about = read_metadata(run.path / name)
    _sealed_file(run.path / name, table, about)
    found = verify(run.path, seed=1)
    assert not found.sound
    assert any(name in problem for problem in found.problems)
    if name != "summary.parquet":       # which vouches for tables that need no chunk any more
        (run.path / "summary.parquet").unlink()
        with pytest.raises(RunError, match="remove it") as refused:
            cp.run("kot-frequency", **asked)
        told(refused.value)
        (run.path / name).unlink()
    assert cp.run("kot-frequency", **asked).headline.equals(before)
    assert verify(run.path, seed=1).sound


# --- names on pages ----------------------------------------------------------------------------------

EVIL = 'x"><script>alert(1)<'           # and what a path cannot hold comes from study.json
TAGS = "</script></title></style><img/src=x/onerror=alert(1)><svg/onload=alert(1)>"


class Elements(HTMLParser):
    """Counts the elements of a page, and collects what could run."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.count: dict[str, int] = {}
        self.active: list[tuple[str, str | None]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.count[tag] = self.count.get(tag, 0) + 1
        self.active += [(name, value) for name, value in attrs
                        if name.startswith("on") or (value or "").strip().lower().startswith("javascript:")]


def test_names_in_a_run_are_text_on_its_page_and_in_its_figures(tmp_path: Path) -> None:
    run = cp.run("kot-frequency", deals=60, jobs=1, out=tmp_path / "run")
    plain = Elements(run.report().read_text(encoding="utf-8"))
    folder = tmp_path / "evil"
    code = tmp_path / f"{EVIL}.py"
    code.write_text(
        "from courtpiece import Player\nclass Mine(Player):\n    def play(self, view):\n"
        "        return view.legal_cards[0]\n", encoding="utf-8",
    )
    evil = cp.run("kot-frequency", deals=60, jobs=1, chunk=60, players=f"{code}:Mine", out=folder)
    file = folder / "study.json"
    design = json.loads(file.read_text(encoding="utf-8"))
    for name in ("command", "package", "behaviour"):
        design[name] = f"{design[name]}{TAGS}javascript:alert(1)" if name != "behaviour" else design[name]
    design["shown"]["seed"] = TAGS
    file.write_text(json.dumps(design), encoding="utf-8")
    page = Run.open(evil.path).report().read_text(encoding="utf-8")
    found = Elements(page)
    assert "&lt;script&gt;alert(1)" in page
    for tag in ("script", "style", "title", "img", "iframe", "link", "object"):
        assert found.count.get(tag, 0) == plain.count.get(tag, 0), tag
    assert found.active == plain.active == []
    for figure in Run.open(evil.path).plot():
        tags = {each.tag.rpartition("}")[2] for each in ElementTree.fromstring(figure.svg()).iter()}
        assert not tags & {"script", "foreignObject"}


def test_names_in_a_record_are_text_on_the_page_of_its_review(tmp_path: Path) -> None:
    path = tmp_path / f"{EVIL}.jsonl"
    path.write_text(json.dumps({"id": f"{TAGS}\x1b[2J", **arranged_record()}), encoding="utf-8")
    page = tmp_path / "page.html"
    assert main(["review", str(path), "--worlds", "0", "--html", str(page)]) == 0
    text = page.read_text(encoding="utf-8")
    found = Elements(text)
    assert found.count["script"] == 2   # the data and the page's own
    assert "img" not in found.count
    assert found.active == []
    assert "\x1b" not in text
    (data,) = re.findall(r'<script type="application/json" id="states">(.*?)</script>', text, re.DOTALL)
    assert "<" not in data


# --- paths -------------------------------------------------------------------------------------------

def test_names_cannot_lead_out_of_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.chdir(home)
    run = cp.run("kot-frequency", deals=4, jobs=1, out="run")
    before = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*"))
    for arguments in (
        ["report", "run", "--lang", "../../x"], ["report", "run", "--lang", "/tmp/x"],
        ["run", "../../x"], ["studies", "../../report/texts/page"], ["rules", "--book", "../book"],
        ["rules", "../presets/single-sir"], ["rules", "single-sir,preset=../x"],
    ):
        assert main(arguments) == 2, arguments
    with pytest.raises(CourtpieceError, match="there is no table"):
        run.pandas("../../x")
    file = run.path / "study.json"
    design = json.loads(file.read_text(encoding="utf-8"))
    for name in ("study", "unit"):
        file.write_text(json.dumps({**design, name: "../../x"}), encoding="utf-8")
        with pytest.raises(CourtpieceError):
            Run.open(run.path).report()
    file.write_text(json.dumps(design, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    after = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*"))
    assert [path for path in after if path not in before] == []
