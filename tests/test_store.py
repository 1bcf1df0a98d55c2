"""Files that are whole or absent, that tell what they are, and that others can read."""

from __future__ import annotations

import json
import random
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from courtpiece.design import Plan
from courtpiece.errors import RunError
from courtpiece.places import write_whole
from courtpiece.run import run
from courtpiece.store import Folder, checksum, read_metadata, read_table, write_table
from courtpiece.studies.study import Column, schema
from tests.dice import Dice

COLUMNS = (
    Column("suit", "category", "", "of trump", ("S", "H", "D", "C")),
    Column("deals", "int64", "deals", "how many"),
    Column("share", "float64", "", "of all"),
    Column("note", "text", "", "anything"),
    Column("sure", "bool", "", "or not"),
    Column("tricks", "uint8", "tricks", "taken"),
)


def rows() -> pl.DataFrame:
    """Returns three rows of these columns, with nulls among them."""
    return pl.DataFrame(
        {"suit": ["S", "C", None], "deals": [5, None, -2**60], "share": [0.1, None, float("nan")],
         "note": ["é", "", None], "sure": [True, None, False], "tricks": [13, 0, None]},
        schema=schema(COLUMNS),
    )


@given(st.integers(1, 500), st.integers(1, 500), st.integers(1, 60))
def test_a_longer_plan_begins_with_the_chunks_of_a_shorter_one(units: int, more: int, chunk: int) -> None:
    short, long = Plan(units=units, chunk=chunk), Plan(units=units + more, chunk=chunk)
    bounds = [short.bounds(index) for index in range(len(short))]
    assert [unit for start, stop in bounds for unit in range(start, stop)] == list(range(units))
    assert [long.bounds(index) for index in range(len(short) - 1)] == bounds[:-1]
    assert len(long) * chunk >= units + more > (len(long) - 1) * chunk


def test_a_table_comes_back_as_it_was_written(tmp_path: Path) -> None:
    write_table(tmp_path / "a.parquet", rows(), COLUMNS, {"table": "a"})
    found, about = read_table(tmp_path / "a.parquet")
    assert found.equals(rows())
    assert found.schema == rows().schema
    assert about["table"] == "a"
    assert about["sha256"] == checksum(rows(), COLUMNS)


def test_rows_with_other_columns_are_not_written(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=r"a\.parquet: the rows have the columns"):
        write_table(tmp_path / "a.parquet", rows().drop("note"), COLUMNS, {})
    with pytest.raises(TypeError, match="the rows have the columns"):
        write_table(tmp_path / "a.parquet", rows().cast({"deals": pl.Int32}, strict=False), COLUMNS, {})
    with pytest.raises(TypeError, match="the rows have the columns"):
        write_table(tmp_path / "a.parquet", rows().select(reversed(rows().columns)), COLUMNS, {})
    assert not list(tmp_path.iterdir())


def test_the_checksum_of_rows_sees_every_value() -> None:
    known = {checksum(rows(), COLUMNS)}
    for name, at, value in [("suit", 0, "H"), ("suit", 2, "S"), ("deals", 1, 0), ("share", 2, 0.0),
                            ("note", 1, None), ("note", 0, "e"), ("sure", 1, False), ("tricks", 2, 0)]:
        column = rows()[name].to_list()
        column[at] = value
        changed = rows().with_columns(pl.Series(name, column, dtype=rows().schema[name]))
        known.add(checksum(changed, COLUMNS))
    known.add(checksum(rows().reverse(), COLUMNS))
    known.add(checksum(rows().head(2), COLUMNS))
    assert len(known) == 11


def test_one_flipped_bit_anywhere_in_a_file_is_noticed(tmp_path: Path, rng: random.Random) -> None:
    path = tmp_path / "a.parquet"
    write_table(path, rows(), COLUMNS, {"table": "a"})
    content = path.read_bytes()
    for _ in range(300):
        at, bit = rng.randrange(len(content)), 1 << rng.randrange(8)
        path.write_bytes(content[:at] + bytes([content[at] ^ bit]) + content[at + 1:])
        with pytest.raises(RunError, match="is damaged"):
            read_table(path)
    path.write_bytes(content[: rng.randrange(len(content))])
    with pytest.raises(RunError, match="is damaged"):
        read_table(path)


def test_a_strange_parquet_file_is_not_taken_for_ours(tmp_path: Path) -> None:
    rows().write_parquet(tmp_path / "a.parquet")
    with pytest.raises(RunError, match="says nothing of itself"):
        read_metadata(tmp_path / "a.parquet")
    with pytest.raises(RunError, match=r"b\.parquet is missing"):
        read_table(tmp_path / "b.parquet")


def test_a_file_holds_what_it_held_when_writing_it_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_whole(tmp_path / "a", b"before")

    def fail(file: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(KeyboardInterrupt):
        write_whole(tmp_path / "a", b"after")
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"before"]


def test_what_cannot_be_written_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    for path in (tmp_path / "file", tmp_path / "file/out", tmp_path / "file/out/deeper"):
        with pytest.raises(RunError) as caught:
            run(Dice(), out=path, deals=10)
        assert str(caught.value) == f"{path} cannot be a folder: {tmp_path / 'file'} is a file"
    with pytest.raises(RunError, match="is a folder, where a file belongs: remove it"):
        write_whole(tmp_path, b"content")


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """The folder of a complete run of dice."""
    run(Dice(), out=tmp_path / "run", deals=250, jobs=1)
    return Folder(tmp_path / "run")


def test_a_file_tells_what_it_is_and_what_its_columns_mean(folder: Folder) -> None:
    raw = pq.read_metadata(folder.shard_file(2)).metadata[b"courtpiece"]
    about = json.loads(raw)
    assert about["study"] == "dice"
    assert about["parameters"]["seed"] == 1
    assert about["rules"] == {"single-sir": about["parameters"]["rules"][0]}
    assert about["behaviour"] == "courtpiece 1, dice 1"
    assert about["chunk"] == {"index": 2, "start": 200, "stop": 250}
    assert about["columns"] == [
        {"name": "face", "type": "category", "unit": "", "meaning": "the face that came up"},
        {"name": "throws", "type": "int64", "unit": "throws", "meaning": "how often it did"},
    ]
    told = read_metadata(folder.table_file("summary"))
    assert (told["table"], told["units"]) == ("summary", 250)
    assert told["command"].startswith("courtpiece run dice ")


def test_enumerations_are_dictionaries_for_everyone(folder: Folder) -> None:
    path = folder.shard_file(0)
    kind = pq.read_schema(path).field("face").type
    assert str(kind.value_type) == "string"
    assert pq.ParquetFile(path).metadata.row_group(0).column(0).encodings[-1].endswith("DICTIONARY")
    by_pandas = pd.read_parquet(path)
    assert by_pandas["face"].dtype == "category"
    assert int(by_pandas["throws"].sum()) == 100
    by_polars = pl.read_parquet(folder.shards_folder / "*.parquet")
    assert by_polars["face"].dtype == pl.Enum([f"f{n}" for n in range(6)])
    assert by_polars["throws"].sum() == 250


def test_duckdb_reads_the_shards(folder: Folder) -> None:
    found = duckdb.execute(f"select sum(throws) from '{folder.shards_folder}/*.parquet'").fetchall()
    assert found == [(250,)]
    [(_, kind, *_)] = duckdb.execute(f"describe select face from '{folder.shard_file(0)}'").fetchall()
    assert kind == "VARCHAR" or kind.startswith("ENUM")


def test_sums_over_shards_need_no_order(folder: Folder) -> None:
    frames = [pl.read_parquet(shard.path) for shard in folder.shards()]
    rng = np.random.default_rng(3)
    order = rng.permutation(len(frames))
    shuffled = pl.concat([frames[at].sample(fraction=1, shuffle=True, seed=7) for at in order])
    study = Dice()
    p = study.parameters({"deals": 250})
    found = study.summarise(p, shuffled.lazy())
    assert found["summary"].equals(read_table(folder.table_file("summary"))[0])
