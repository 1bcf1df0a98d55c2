"""TOML files as people write them."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from courtpiece.errors import UsageError, reason


def read_toml(path: Path) -> dict[str, Any]:
    """Returns the table of a file, whatever its line endings, with or without a byte order mark.

    Raises UsageError with the end of a sentence that begins with the file's name.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
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
