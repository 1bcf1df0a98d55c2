"""A run's folder: what lies on disk, written so that no crash can leave half of anything.

    study.json          what is run: written first
    shards/000000.parquet …     the results of one chunk each, complete or absent
    tables/NAME.parquet         the study's tables
    summary.parquet             the one called "summary"; written last, so that it vouches for the others
    report.html

Every file is written under a temporary name, flushed to the disk, and renamed.  A Parquet file says in
its own metadata, under the key `courtpiece` and as JSON, which run it belongs to, what its columns mean,
the checksum of its rows (`sha256`), which other programs can compare, and that of all its bytes
(`file_sha256`, taken with zeros in its own place), which tells of any damage.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import io
import json
import os
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from courtpiece.errors import RunError
from courtpiece.studies.study import Column, schema

if TYPE_CHECKING:
    import polars as pl

FORMAT = 1                              # of the folder; goes up when an older package could not read it
KEY = "courtpiece"                      # of a Parquet file's metadata

_SHARD = re.compile(r"(\d{6,})\.parquet")
_PAGE = re.compile(r"report(\.[a-z]{2})?\.(html|pdf)")
_SEAL = re.compile(rb'"file_sha256": "([0-9a-f]{64})"')


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Units 0 to `units`-1 in chunks of `chunk`; the last may be shorter.

    A longer plan with the same chunk begins with the same chunks, all but a short last one.
    """

    units: int
    chunk: int

    def __len__(self) -> int:
        return -(-self.units // self.chunk)

    def bounds(self, index: int) -> tuple[int, int]:
        """Returns the first unit of a chunk and the one after its last."""
        return index * self.chunk, min((index + 1) * self.chunk, self.units)


@dataclass(frozen=True, kw_only=True)
class Design:
    """What study.json tells: the study, its parameters, and the plan of the work.

    `study`, `behaviour` and `parameters` decide the results of every unit; the rest may change.
    """

    study: str
    behaviour: str                      # changes whenever the same parameters give other results
    parameters: Mapping[str, Any]
    shown: Mapping[str, str]            # the same as a person would type them
    rules: Mapping[str, str]            # by name: every option that is not at its default, in one line
    unit: str
    plan: Plan
    precision: float | None = None
    command: str = ""                   # makes the same folder again
    package: str = ""                   # the version of the package that wrote this

    def json(self) -> dict[str, Any]:
        """Returns the design as study.json holds it."""
        return {"format": FORMAT, **asdict(self)}

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Design:
        """Returns the design that study.json tells; ValueError or TypeError when it cannot be one."""
        values = {key: value for key, value in told.items() if key != "format"}
        design = cls(**{**values, "plan": Plan(**values["plan"])})
        texts = [design.study, design.behaviour, design.unit, design.command, design.package]
        for table in (design.shown, design.rules):
            texts += [*table.keys(), *table.values()]
        counts, precision = (design.plan.units, design.plan.chunk), design.precision
        if not (
            all(isinstance(text, str) for text in texts)
            and isinstance(design.parameters, dict)
            and all(type(count) is int and count > 0 for count in counts)
            and (precision is None or isinstance(precision, (int, float)))
        ):
            raise ValueError("a value of the wrong type")
        return design

    def differences(self, other: Design) -> list[str]:
        """Returns what makes the results of two designs different, in words, this one first."""
        if self.study != other.study:
            return [f"study: {self.study} there, {other.study} here"]
        found = []
        for name in sorted({*self.parameters, *other.parameters}):
            if self.parameters.get(name) != other.parameters.get(name):
                there, here = (side.shown.get(name, "") or "nothing" for side in (self, other))
                found.append(f"{name}: {there} there, {here} here")
        if not found and self.behaviour != other.behaviour:
            found.append(f"behaviour: {self.behaviour} there, {other.behaviour} here")
        return found


@dataclass(frozen=True, kw_only=True)
class Shard:
    """A chunk's results on disk, by what its file says of itself."""

    path: Path
    index: int
    start: int
    stop: int
    about: Mapping[str, Any]


class Folder:
    """The folder of one run."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        # A file of options, too, may say ~; Path's own way fails where there is no such user.
        self.path = Path(os.path.expanduser(path))      # noqa: PTH111

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
        return self.shards_folder / f"{index:06d}.parquet"

    @contextmanager
    def locked(self, *, writing: bool = True) -> Iterator[None]:
        """Keeps other processes from writing here (and from reading while this one writes).

        The operating system lets go of the lock when the process ends, however it ends.
        Raises RunError when another process has it.
        """
        lock = self.path / ".lock"
        if not writing and not lock.exists():       # nobody ever wrote here
            yield
            return
        with disk_errors(self.path):
            if writing:
                self.path.mkdir(parents=True, exist_ok=True)
            held = os.open(lock, os.O_RDWR | os.O_CREAT if writing else os.O_RDONLY, 0o666)
        try:
            try:
                fcntl.flock(held, (fcntl.LOCK_EX if writing else fcntl.LOCK_SH) | fcntl.LOCK_NB)
            except BlockingIOError:
                owner = os.read(held, 20).decode(errors="replace").strip()
                who = f"process {owner}" if owner else "another process"
                raise RunError(f"{self} is in use: {who} is at work in it; wait for its end or choose "
                               "another folder") from None
            if writing:
                with disk_errors(self.path):
                    os.ftruncate(held, 0)
                    os.write(held, f"{os.getpid()}\n".encode())
            yield
        finally:
            os.close(held)

    def read_design(self) -> Design | None:
        """Returns what is run here, None in a folder with nothing in it; RunError when it is no run's."""
        try:
            text = self.study_file.read_bytes()
        except FileNotFoundError:
            strange = self._other_files()
            if strange:
                more = ", …" if len(strange) > 3 else ""
                raise RunError(f"{self} is not the folder of a run: it has no study.json but holds "
                               f"{', '.join(strange[:3])}{more}; choose another folder") from None
            return None
        except NotADirectoryError:
            file = next(path for path in (self.path, *self.path.parents) if path.is_file())
            raise RunError(f"{self} cannot be a folder: {file} is a file") from None
        except OSError as error:
            raise RunError(f"{self.study_file} cannot be read: {error.strerror}") from None
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
        text = json.dumps(design.json(), indent=2, ensure_ascii=False) + "\n"
        write_whole(self.study_file, text.encode())

    def sweep(self) -> None:
        """Removes what a process that was killed left half-written."""
        for folder in (self.path, self.shards_folder, self.path / "tables"):
            for path in folder.glob(".*.tmp"):
                path.unlink(missing_ok=True)

    def shards(self) -> list[Shard]:
        """Returns the chunks' results that lie here, in order; RunError when a file cannot be read."""
        return [read_shard(path, index) for index, path in sorted(self.shard_files().items())]

    def shard_files(self) -> dict[int, Path]:
        """Returns the files that are named as chunks' results, by the number of the chunk."""
        found = ((_SHARD.fullmatch(path.name), path) for path in self.shards_folder.glob("*"))
        numbered = ((int(match[1]), path) for match, path in found if match)
        return {index: path for index, path in numbered if path == self.shard_file(index)}

    def write_shard(
        self, design: Design, columns: Sequence[Column], index: int, start: int, stop: int, rows: pl.DataFrame
    ) -> None:
        """Writes the results of one chunk, all at once or not at all."""
        about = shard_metadata(design, columns, index, start, stop)
        write_table(self.shard_file(index), rows, columns, about)

    def write_tables(
        self, design: Design, columns: Mapping[str, Sequence[Column]], tables: Mapping[str, pl.DataFrame]
    ) -> None:
        """Writes the study's tables, the summary last; reports of older tables go."""
        for page in self._pages():
            page.unlink()
        for name in sorted(tables, key=lambda name: (name == "summary", name)):
            write_table(self.table_file(name), tables[name], columns[name],
                        table_metadata(design, columns[name], name))

    def _pages(self) -> list[Path]:
        return [path for path in self.path.glob("report*") if _PAGE.fullmatch(path.name)]

    def _other_files(self) -> list[str]:
        names = (path.name for path in self.path.glob("*"))
        return sorted(name for name in names if name != ".lock" and not name.endswith(".tmp"))


def write_whole(path: Path, content: bytes) -> None:
    """Writes a file so that, whatever happens, `path` holds all of the content or what it held before.

    Raises RunError when the operating system refuses.
    """
    with disk_errors(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}.tmp")
        try:
            with temporary.open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)            # the new name, too, must survive a power cut
        finally:
            os.close(folder)


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

    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise RunError(f"{path} is missing") from None
    except OSError as error:
        raise RunError(f"{path} cannot be read: {error.strerror}") from None
    if not _is_whole(content):
        raise RunError(f"{path} is damaged: its bytes do not have the checksum they tell")
    return pl.read_parquet(io.BytesIO(content)), read_metadata(path)


def read_metadata(path: Path) -> dict[str, Any]:
    """Returns what one of our Parquet files says of itself, its rows unread.

    Raises RunError when it cannot be read or is not ours.
    """
    import polars as pl

    try:
        told = json.loads(pl.read_parquet_metadata(path)[KEY])
    except KeyError:
        raise RunError(f"{path} is not this package's: it says nothing of itself") from None
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError):
        raise RunError(f"{path} is damaged: it cannot be read") from None
    if not isinstance(told, dict):
        raise RunError(f"{path} is damaged: it does not tell what it is")
    return told


def read_shard(path: Path, index: int) -> Shard:
    """Returns what a chunk's file says of itself, its rows unread; RunError when it is damaged."""
    about = read_metadata(path)
    try:
        told = about["chunk"]
        shard = Shard(path=path, index=index, start=int(told["start"]), stop=int(told["stop"]), about=about)
        if told["index"] == index:
            return shard
    except (KeyError, TypeError, ValueError):
        pass
    raise RunError(f"{path} is damaged: it does not tell which chunk it is")


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


@contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Turns what the operating system refuses into one line that says how to go on."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            line = "the disk is full; make room and run the same command again: what is done is kept"
        else:
            line = f"cannot be written: {error.strerror or error}"
        raise RunError(f"{path}: {line}") from error


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
