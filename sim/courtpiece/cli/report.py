"""`courtpiece report`: draw the page of a run again."""

from __future__ import annotations

import typer

from courtpiece.cli.options import RunFolder


def report(folder: RunFolder) -> None:
    """Draw the page that shows a run, report.html in its folder, and say where it lies."""
    from courtpiece.run import Run

    print(Run.open(folder).report())


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command()(report)
