"""`courtpiece replay`: judge recorded deals and matches."""

from __future__ import annotations

import json
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from courtpiece.errors import UsageError


def replay(
    file: Annotated[str, typer.Argument(help="JSON Lines, one deal or match a line; - for standard input.")],
) -> None:
    """Judge recorded deals and matches: one line of JSON for each, in order.

    The exit status is 1 when a record breaks a rule; the others are judged all the same.
    """
    from courtpiece.record import answers

    refused = False
    with nullcontext(sys.stdin.buffer) if file == "-" else _open(file) as stream:
        try:
            for answer in answers(stream):
                refused = refused or not answer["ok"]
                # Each answer is out before the next record is read, for whoever feeds them one by one.
                print(json.dumps(answer), flush=True)
        except OSError as error:
            if isinstance(error, BrokenPipeError):
                raise
            raise UsageError(f"{file} cannot be read: {error.strerror}") from None
    if refused:
        raise typer.Exit(1)


def _open(file: str) -> BinaryIO:
    try:
        return Path(file).open("rb")
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {(error.strerror or str(error)).lower()}") from None


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command()(replay)
