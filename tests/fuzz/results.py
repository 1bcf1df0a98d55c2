"""Results folders: that of a small run, damaged as the input says, then opened, checked and gone on with.

An input is a list of damages, each a line: the name of a file, what is done to it, and with what.  The seal
of a Parquet file, its checksum of its own bytes, is made good afterwards where the line begins with `!`, as
somebody would who does it on purpose.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import courtpiece as cp
from courtpiece.errors import CourtpieceError
from courtpiece.results import Run
from courtpiece.store import KEY, _sealed
from courtpiece.verification import verify

_PLACE = Path("/dev/shm") if Path("/dev/shm").is_dir() else None
_WORK = Path(tempfile.mkdtemp(prefix="fuzz-results-", dir=_PLACE))
ASKED: dict[str, Any] = {"deals": 40, "seed": 3}
STUDY = "kot-frequency"
FILES = ("study.json", "summary.parquet", "shards/000000.parquet", "shards/000001.parquet")


@cache
def whole() -> Path:
    """Returns the folder of a run that is as it should be."""
    return cp.run(STUDY, out=_WORK / "whole", jobs=1, chunk=20, **ASKED).path


def parse(data: bytes) -> object:
    """Damages a copy of the folder, then does with it all that the command line does."""
    folder = _WORK / "damaged"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(whole(), folder)
    for line in data.split(b"\n"):
        _damage(folder, line)
    steps: list[Callable[[], object]] = [
        lambda: _looked_at(folder),
        lambda: verify(folder, sample=1, seed=1),
        lambda: cp.run(STUDY, out=folder, jobs=1, **ASKED),
    ]
    problems = []
    for step in steps:
        try:
            step()
        except CourtpieceError as error:
            problems.append(error)
    if problems:
        raise problems[0]
    return None


def _looked_at(folder: Path) -> object:
    run = Run.open(folder)
    return repr(run), run.done, run.complete, run.headline, list(run.answer()), run.pandas()


def _damage(folder: Path, line: bytes) -> None:
    sealed = line.startswith(b"!")
    name, _, rest = line.removeprefix(b"!").partition(b" ")
    how, _, what = rest.partition(b" ")
    path = folder / FILES[name[0] % len(FILES) if name else 0]
    content = path.read_bytes() if path.is_file() else b""
    change = _DAMAGES.get(how.decode(errors="replace"))
    if change is None:
        return
    try:
        content = change(content, what)
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
        return
    if sealed and path.suffix == ".parquet":
        with suppress(ValueError):      # there may be no place for it any more
            content = _sealed(content)
    path.write_bytes(content)


def _flip(content: bytes, what: bytes) -> bytes:
    place, _, mask = what.partition(b" ")
    at = int(place) % len(content)
    return content[:at] + bytes([content[at] ^ (int(mask or b"1") & 255 or 1)]) + content[at + 1:]


def _cut(content: bytes, what: bytes) -> bytes:
    return content[: int(what) % (len(content) + 1)]


def _put(content: bytes, what: bytes) -> bytes:
    place, _, piece = what.partition(b" ")
    at = int(place) % (len(content) + 1)
    return content[:at] + piece + content[at + len(piece):]


def _told(content: bytes, what: bytes) -> bytes:
    """Puts a JSON value at a path of keys, in study.json or in what a Parquet file says of itself."""
    path, _, text = what.partition(b" ")
    value = json.loads(text)
    if content[:4] != b"PAR1":
        return json.dumps(_at(json.loads(content), path.decode().split("."), value)).encode()
    import io

    import pyarrow.parquet as pq

    table = pq.read_table(io.BytesIO(content))
    metadata = dict(table.schema.metadata or {})
    about = json.loads(metadata[KEY.encode()])
    metadata[KEY.encode()] = json.dumps(_at(about, path.decode().split("."), value)).encode()
    written = io.BytesIO()
    pq.write_table(table.replace_schema_metadata(metadata), written)
    return written.getvalue()


def _at(told: Any, path: list[str], value: Any) -> Any:
    if not path or path == [""]:
        return value
    first, *rest = path
    if isinstance(told, list):
        told[int(first)] = _at(told[int(first)], rest, value)
    else:
        told[first] = _at(told.get(first), rest, value)
    return told


def _rows(content: bytes, what: bytes) -> bytes:
    """Does something to the rows of a Parquet file and keeps what it says of itself."""
    import io

    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.read_table(io.BytesIO(content))
    metadata = table.schema.metadata
    kind, _, name = what.decode().partition(" ")
    column = table.column_names[int(name or 0) % table.num_columns]
    place = table.column_names.index(column)
    if kind == "none":
        table = table.slice(0, 0)
    elif kind == "twice":
        table = pa.concat_tables([table, table])
    elif kind == "drop":
        table = table.drop_columns([column])
    elif kind == "text":
        table = table.set_column(place, column, pa.array(["<b>\x1b[31m"] * table.num_rows))
    elif kind == "null":
        table = table.set_column(place, column, pa.nulls(table.num_rows, table.schema.field(column).type))
    elif kind == "float":
        table = table.set_column(place, column, pa.array([float("nan")] * table.num_rows))
    elif kind == "list":
        table = table.set_column(place, column, pa.array([[1, [2]][:1]] * table.num_rows))
    elif kind == "names":
        table = table.rename_columns([f"{name}\x1b]0;x" for name in table.column_names])
    elif kind == "plain":
        metadata = None
    written = io.BytesIO()
    pq.write_table(table.replace_schema_metadata(metadata), written)
    return written.getvalue()


_DAMAGES: dict[str, Callable[[bytes, bytes], bytes]] = {
    "flip": _flip, "cut": _cut, "put": _put, "told": _told, "rows": _rows,
    "all": lambda content, what: what,
}


if __name__ == "__main__":
    from campaign import as_script  # type: ignore[import-not-found]  # beside this file, a script here

    as_script(__file__)
