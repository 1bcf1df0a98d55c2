"""Puts the book of a whole run of trump-book into the package: `python -m courtpiece.books RUN [FILE]`."""

from __future__ import annotations

import sys
from pathlib import Path

from courtpiece import books
from courtpiece.errors import CourtpieceError
from courtpiece.results import Run


def main(arguments: list[str]) -> int:
    """Writes the book and returns the exit status."""
    if not 1 <= len(arguments) <= 2:
        print("usage: python -m courtpiece.books RUN [FILE]", file=sys.stderr)
        return 2
    try:
        run = Run.open(arguments[0])
        p = run.parameters
        path = Path(arguments[1]) if len(arguments) > 1 else books.path_of(p.rules[0], p.players[0])
        books.write(run, path)
    except CourtpieceError as error:
        print(f"courtpiece.books: {error}", file=sys.stderr)
        return 2
    print(f"{path}: {path.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
