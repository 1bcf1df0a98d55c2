"""Files that a command line names."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import BinaryIO, TextIO

from courtpiece.errors import UsageError, reason


def reading(file: str) -> AbstractContextManager[BinaryIO]:
    """Returns the bytes of a file to read, of standard input for "-"; raises UsageError."""
    if file == "-":
        return nullcontext(sys.stdin.buffer)
    try:
        return Path(file).open("rb")
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {reason(error)}") from None


@contextmanager
def writing(path: Path | None) -> Iterator[TextIO]:
    """Gives a file to write text to, standard output for None; raises UsageError.

    A file is there when all is written, and not before; what it held stays until then.
    """
    if path is None:
        yield sys.stdout
        return
    to_rename = not path.is_symlink() and (path.is_file() or not path.exists())     # /dev/stdout is a link
    written = path.with_name(f".{path.name}.{os.getpid()}.tmp") if to_rename else path
    try:
        with written.open("w", encoding="utf-8") as stream:
            yield stream
        if to_rename:
            written.replace(path)
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            raise
        raise UsageError(f"{path} cannot be written: {reason(error)}") from None
    finally:
        if to_rename:
            written.unlink(missing_ok=True)
