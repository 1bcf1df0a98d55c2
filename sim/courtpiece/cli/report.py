"""`courtpiece report`: draw the page of a run again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def report(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="The folder of a run, such as results/trump-call.")
    ],
) -> None:
    """Draw the page that shows a run, report.html in its folder, and say where it lies."""
    from courtpiece.run import Run

    print(Run.open(folder).report())


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command()(report)
