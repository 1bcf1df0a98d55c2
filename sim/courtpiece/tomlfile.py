"""TOML files as people write them."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from courtpiece.errors import UsageError, reason

LONGEST = 1_000_000                     # letters; a file of options has some hundreds
MOST_DOTS = 200                         # in a line: the time that a key a.b.c… takes grows with their square
_ALL_DOTS = 5_000                       # in a file: each may be a table more, which takes some µs and bytes


def _check_size(text: str) -> None:
    """Raises UsageError for a text that would take the parser long."""
    if len(text) > LONGEST:
        raise UsageError(f"is longer than {LONGEST:,} letters, which no file of options is")
    if text.count(".") > _ALL_DOTS:
        raise UsageError(f"has more than {_ALL_DOTS:,} dots, which no file of options has")
    for number, line in enumerate(text.splitlines(), 1):
        if line.count(".") > MOST_DOTS:
            raise UsageError(f"has more than {MOST_DOTS} dots in line {number}: break it into several lines")


def read_toml(path: Path) -> dict[str, Any]:
    """Returns the table of a file, whatever its line endings, with or without a byte order mark.

    Raises UsageError with the end of a sentence that begins with the file's name.
    """
    try:
        with path.open(encoding="utf-8-sig") as file:
            text = file.read(LONGEST + 1)
        _check_size(text)
        return tomllib.loads(text)
    except FileNotFoundError:
        why = "there is no such file"
    except IsADirectoryError:
        why = "is a directory, not a file"
    except OSError as error:
        why = f"cannot be read: {reason(error)}"
    except UnicodeDecodeError:
        why = "is not text in UTF-8"
    except (ValueError, RecursionError) as error:  # a number of 5,000 digits is a bare ValueError
        why = f"is not TOML: {str(error).partition(';')[0]}"
    raise UsageError(why)
