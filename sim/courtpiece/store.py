"""A run's folder: what lies on disk, written so that no crash can leave half of anything.

    study.json          what is run: written first
    shards/000000.parquet …     the results of one chunk each, complete or absent
    tables/NAME.parquet         the study's tables
    summary.parquet             the one called "summary"; written last, so that it vouches for the others
    report.html

The folder lies on this machine, or where an address of fsspec says (see `courtpiece.places`).  Every file is
written all at once or not at all.  A Parquet file says in its own metadata, under the key `courtpiece` and as
JSON, which run it belongs to, what its columns mean, the checksum of its rows (`sha256`), which others can
compare, and that of all its bytes (`file_sha256`, taken with zeros in its own place), which tells of damage.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from courtpiece.design import FORMAT, Design
from courtpiece.errors import RunError
from courtpiece.places import (
    disk_errors,
    exists,
    held,
    is_local,
    local_copies,
    names_in,
    place,
    read_whole,
    remove,
    write_whole,
)
from courtpiece.studies.study import Column, schema

if TYPE_CHECKING:
    import polars as pl

KEY = "courtpiece"                      # of a Parquet file's metadata
MOST_VALUES = 200_000_000               # in one Parquet file; the largest of ours have a tenth of that

_LOCK = ".lock"
_SHOWS = 10.0                           # seconds until a shared folder shows what another machine wrote
_LONGEST_DESIGN = 300_000_000           # bytes of study.json, which holds the hands of a file
_SHARD = re.compile(r"(\d{6,})\.parquet")
_PAGE = re.compile(r"report(\.[a-z]{2})?\.(html|pdf)")
_SEAL = re.compile(rb'"file_sha256": "([0-9a-f]{64})"')


class LeftOut(NamedTuple):
    """A unit that is not in the results of its chunk, and why."""

    unit: int
    why: str


@dataclass(frozen=True, kw_only=True)
class Shard:
    """A chunk's results on disk, by what its file says of itself."""

    path: Path
    index: int
    start: int
    stop: int
    left_out: tuple[LeftOut, ...]
    about: Mapping[str, Any]


class Folder:
    """The folder of one run."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = place(path)

    def __str__(self) -> str:
        return str(self.path)

    @property
    def study_file(self) -> Path:
        """What is run."""
        return self.path / "study.json"

    @property
    def shards_folder(self) -> Path:
        """Where the chunks' results lie."""
        return self.path / "shards"

    @property
    def report_file(self) -> Path:
        """The page that shows the results, in English."""
        return self.page_file("en")

    def page_file(self, lang: str, kind: str = "html") -> Path:
        """Where the page in a language lies, as `html` or `pdf`."""
        return self.path / ("report" + f".{lang}" * (lang != "en") + f".{kind}")

    def table_file(self, name: str) -> Path:
        """Where one of the study's tables lies."""
        return self.path / ("summary.parquet" if name == "summary" else f"tables/{name}.parquet")

    def shard_file(self, index: int) -> Path:
        """Where the results of one chunk lie once they are complete."""
        return self.shards_folder / _shard_name(index)

    def locked(self, *, writing: bool = True) -> AbstractContextManager[None]:
        """Keeps other processes from writing here (and from reading while this one writes).

        Raises RunError when another process has the folder.
        """
        return held(self.path / _LOCK, writing=writing)

    def read_design(self) -> Design | None:
        """Returns what is run here, None in a folder with nothing in it; RunError when it is no run's."""
        try:
            text = read_whole(self.study_file, _LONGEST_DESIGN)
        except FileNotFoundError:
            strange = self._other_files()
            if strange:
                more = ", …" if len(strange) > 3 else ""
                raise RunError(f"{self} is not the folder of a run: it has no study.json but holds "
                               f"{', '.join(strange[:3])}{more}; choose another folder") from None
            return None
        except NotADirectoryError:
            above = (self.path, *self.path.parents)
            file = next(path for path in above if path.exists() and not path.is_dir())
            raise RunError(f"{self} cannot be a folder: {file} is a file") from None
        try:
            told = json.loads(text)
            made_by = told["format"]
            if made_by == FORMAT:
                return Design.of(told)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise RunError(f"{self.study_file} is damaged: it does not tell what is run") from None
        raise RunError(f"{self} has format {made_by}, and this package reads format {FORMAT}")

    def write_design(self, design: Design) -> None:
        """Writes study.json."""
        write_whole(self.study_file, design.text())

    def sweep(self) -> None:
        """Removes what a process that was killed left half-written."""
        if not is_local(self.path):     # where nothing half-written shows
            return
        for folder in (self.path, self.shards_folder, self.path / "tables"):
            with disk_errors(folder):
                for path in folder.glob(".*.tmp"):
                    path.unlink(missing_ok=True)

    def shards(self) -> Iterator[Shard]:
        """Yields the chunks' results that lie here undamaged, in order."""
        indices = self.shard_indices()
        for index, path in zip(indices, self.local_shards(indices), strict=True):
            with suppress(RunError):
                yield read_shard(path, index)

    def shard_indices(self) -> list[int]:
        """Returns the numbers of the chunks whose results lie here, damaged or not, in order."""
        matches = filter(None, map(_SHARD.fullmatch, names_in(self.shards_folder)))
        numbers = ((match[0], int(match[1])) for match in matches)
        return sorted(number for name, number in numbers if name == _shard_name(number))

    def strange_files(self) -> list[Path]:
        """Returns what lies among the chunks' results and is none."""
        known = set(map(_shard_name, self.shard_indices()))
        return [self.shards_folder / name for name in names_in(self.shards_folder) if name not in known]

    def local_shards(self, indices: Sequence[int]) -> list[Path]:
        """Returns files of this machine with the results of some chunks; RunError when one is not there."""
        return local_copies(self.shards_folder, list(map(_shard_name, indices)))

    def sees_shard(self, index: int) -> bool:
        """True when a chunk's results lie here; a shared folder may need a moment to show them."""
        deadline = time.monotonic() + _SHOWS
        while not (shown := exists(self.shard_file(index))):
            if time.monotonic() > deadline:
                break
            time.sleep(_SHOWS / 20)
        return shown

    def has_tables(self, names: Iterable[str]) -> bool:
        """True when all of the study's tables lie here."""
        here, tables = names_in(self.path), names_in(self.path / "tables")
        files = map(self.table_file, names)
        return all(file.name in (here if file.name == "summary.parquet" else tables) for file in files)

    def absolute(self) -> Folder:
        """Returns the same folder by its whole path, for processes that work elsewhere."""
        return Folder(self.path.absolute()) if is_local(self.path) else self

    def write_shard(
        self,
        design: Design,
        columns: Sequence[Column],
        index: int,
        start: int,
        stop: int,
        rows: pl.DataFrame,
        left_out: Sequence[LeftOut] = (),
    ) -> None:
        """Writes the results of one chunk, all at once or not at all."""
        about = shard_metadata(design, columns, index, start, stop)
        if left_out:
            about["left_out"] = [unit._asdict() for unit in left_out]
        write_table(self.shard_file(index), rows, columns, about)

    def write_tables(
        self, design: Design, columns: Mapping[str, Sequence[Column]], tables: Mapping[str, pl.DataFrame]
    ) -> None:
        """Writes the study's tables, the summary last; reports of older tables go."""
        for name in filter(_PAGE.fullmatch, names_in(self.path)):
            remove(self.path / name)
        for name in sorted(tables, key=lambda name: (name == "summary", name)):
            write_table(self.table_file(name), tables[name], columns[name],
                        table_metadata(design, columns[name], name))

    def _other_files(self) -> list[str]:
        return [name for name in names_in(self.path) if name != _LOCK and not name.endswith(".tmp")]


def _shard_name(index: int) -> str:
    return f"{index:06d}.parquet"


def write_table(
    path: Path,
    rows: pl.DataFrame,
    columns: Sequence[Column],
    about: Mapping[str, Any],
    compression_level: int | None = None,
) -> None:
    """Writes rows as Parquet with `about` and the checksum of the rows in the file's own metadata.

    `compression_level` is zstd's, 1 to 22; None for a fast one.  Raises TypeError when the rows do not have
    exactly these columns.
    """
    if dict(rows.schema) != schema(columns) or rows.columns != [column.name for column in columns]:
        raise TypeError(f"{path.name}: the rows have the columns {dict(rows.schema)}, not {schema(columns)}")
    content = io.BytesIO()
    told = {**about, "sha256": checksum(rows, columns), "file_sha256": "0" * 64}
    metadata = {KEY: json.dumps(told, ensure_ascii=False)}
    rows.write_parquet(content, compression="zstd", compression_level=compression_level, metadata=metadata)
    write_whole(path, _sealed(content.getvalue()))


def _sealed(content: bytes) -> bytes:
    """Returns the bytes of a file with their own checksum where the zeros are."""
    *_, place = _SEAL.finditer(content)
    seal = hashlib.sha256(content).hexdigest().encode()
    return content[: place.start(1)] + seal + content[place.end(1) :]


def _is_whole(content: bytes) -> bool:
    """True when the bytes of a file have the checksum that they tell."""
    places = list(_SEAL.finditer(content))
    if not places:
        return False
    start, end = places[-1].span(1)
    return _sealed(content[:start] + b"0" * 64 + content[end:]) == content


def read_table(path: Path) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Returns the rows of one of our Parquet files and what it says of itself.

    Raises RunError when a single bit of it is not as it was written.
    """
    import polars as pl

    content = _whole(path)
    about = _metadata(path, content)
    _check_size(path, content)
    try:
        return pl.read_parquet(io.BytesIO(content)), about
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        raise RunError(f"{path} is damaged: it cannot be read") from None


def read_rows(path: Path, columns: Sequence[Column]) -> pl.DataFrame:
    """Returns the rows of one of our Parquet files; RunError, too, when it has not just these columns."""
    rows, _ = read_table(path)
    if dict(rows.schema) != schema(columns):
        raise RunError(f"{path} is damaged: its columns are not those of the study")
    return rows


def _whole(path: Path) -> bytes:
    """Returns the bytes of one of our Parquet files; RunError when a bit is not as it was written."""
    try:
        content = read_whole(path)
    except (FileNotFoundError, NotADirectoryError):
        raise RunError(f"{path} is missing") from None
    if not _is_whole(content):
        raise RunError(f"{path} is damaged: its bytes do not have the checksum they tell")
    return content


def read_metadata(path: Path) -> dict[str, Any]:
    """Returns what one of our Parquet files says of itself, its rows unread.

    Raises RunError when it cannot be read or is not ours.
    """
    return _metadata(path, path if is_local(path) else read_whole(path))


def _check_size(path: Path, content: bytes) -> None:
    """Raises RunError for a file with more values than any of ours: a few bytes can stand for all memory."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        about = pq.read_metadata(io.BytesIO(content))
        values = about.num_rows * about.num_columns
    except (pa.ArrowException, OSError, ValueError):
        raise RunError(f"{path} is damaged: it cannot be read") from None
    if values > MOST_VALUES:
        raise RunError(f"{path} is not this package's: it tells of {values:,} values, and at most "
                       f"{MOST_VALUES:,} can be")


def _metadata(path: Path, content: Path | bytes) -> dict[str, Any]:
    import polars as pl

    try:
        told = json.loads(pl.read_parquet_metadata(content)[KEY])
    except KeyError:
        raise RunError(f"{path} is not this package's: it says nothing of itself") from None
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError):
        raise RunError(f"{path} is damaged: it cannot be read") from None
    if not isinstance(told, dict):
        raise RunError(f"{path} is damaged: it does not tell what it is")
    return told


def read_shard(path: Path, index: int) -> Shard:
    """Returns what a chunk's file says of itself; RunError when a bit of it is not as it was written."""
    content = _whole(path)
    about = _metadata(path, content)
    _check_size(path, content)
    try:
        told = about["chunk"]
        shard = Shard(path=path, index=index, start=int(told["start"]), stop=int(told["stop"]),
                      left_out=left_out_in(about), about=about)
        if told["index"] == index:
            return shard
    except (KeyError, TypeError, ValueError):
        pass
    raise RunError(f"{path} is damaged: it does not tell which chunk it is")


def left_out_in(about: Mapping[str, Any]) -> tuple[LeftOut, ...]:
    """Returns the units that a chunk lacks, by what its file says of itself."""
    return tuple(LeftOut(int(unit["unit"]), str(unit["why"])) for unit in about.get("left_out", ()))


def shard_metadata(
    design: Design, columns: Sequence[Column], index: int, start: int, stop: int
) -> dict[str, Any]:
    """Returns what the file of one chunk says of itself."""
    return {**_origin(design, columns), "chunk": {"index": index, "start": start, "stop": stop}}


def table_metadata(design: Design, columns: Sequence[Column], name: str) -> dict[str, Any]:
    """Returns what the file of one of the study's tables says of itself."""
    return {**_origin(design, columns), "table": name, "units": design.plan.units, "command": design.command}


def checksum(rows: pl.DataFrame, columns: Sequence[Column]) -> str:
    """Returns the SHA-256 of a table's contents: names, types and values, however a file packs them."""
    import polars as pl

    digest = hashlib.sha256()
    for about in columns:
        column = rows[about.name]
        nulls = column.null_count()
        told = [about.name, about.type, *about.values, str(len(column)), str(nulls), ""]
        digest.update("\0".join(told).encode())
        if about.type == "category":
            column = column.to_physical().cast(pl.UInt32)
        if nulls:
            digest.update(column.is_null().to_numpy().tobytes())
            column = column.fill_null({"text": "", "bool": False}.get(about.type, 0))
        if about.type == "text":
            digest.update("\0".join(column).encode())
        else:
            digest.update(column.to_numpy().tobytes())
    return digest.hexdigest()


def _origin(design: Design, columns: Sequence[Column]) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "study": design.study,
        "behaviour": design.behaviour,
        "package": design.package,
        "parameters": dict(design.parameters),
        "rules": dict(design.rules),
        "columns": [
            {"name": column.name, "type": column.type, "unit": column.unit, "meaning": column.meaning}
            for column in columns
        ],
    }
