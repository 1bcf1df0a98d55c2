"""Files that a command line names."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, nullcontext
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


def writing(path: Path | None) -> AbstractContextManager[TextIO]:
    """Returns a file to write text to, standard output for None; raises UsageError."""
    if path is None:
        return nullcontext(sys.stdout)
    try:
        return path.open("w", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {reason(error)}") from None
