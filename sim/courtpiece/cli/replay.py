"""`courtpiece replay`: judge recorded deals and matches."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from courtpiece.cli.files import reading
from courtpiece.errors import UsageError, reason


def replay(
    file: Annotated[str, typer.Argument(help="JSON Lines, one deal or match a line; - for standard input.")],
) -> None:
    """Judge recorded deals and matches: one line of JSON for each, in order.

    The exit status is 1 when a record breaks a rule; the others are judged all the same.
    """
    from courtpiece.record import answers

    refused = False
    with reading(file) as stream:
        judged = answers(stream)
        while True:
            try:
                answer = next(judged, None)
            except OSError as error:
                raise UsageError(f"{file} cannot be read: {reason(error)}") from None
            if answer is None:
                break
            refused = refused or not answer["ok"]
            # Each answer is out before the next record is read, for whoever feeds them one by one.
            print(json.dumps(answer), flush=True)
    if refused:
        raise typer.Exit(1)


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command()(replay)
