"""`courtpiece report`: draw the page of a run again."""

from __future__ import annotations

from typing import Annotated

import typer

from courtpiece.cli.options import RunFolder
from courtpiece.cli.output import say

Lang = Annotated[
    str, typer.Option("--lang", metavar="en|ur|hi", help="The language of the page: English, Urdu or Hindi.")
]
Pdf = Annotated[bool, typer.Option("--pdf", help="Also print the page to a PDF; this needs Chromium.")]


def report(folder: RunFolder, lang: Lang = "en", pdf: Pdf = False) -> None:
    """Draw the page that shows a run, report.html in its folder, and say where it lies."""
    from courtpiece.results import Run

    say(Run.open(folder).report(lang, pdf=pdf))


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command()(report)
