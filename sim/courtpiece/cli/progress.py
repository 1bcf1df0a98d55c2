"""How far a command is, shown while it works."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Any

from courtpiece.cli.output import console, say
from courtpiece.studies.study import counted

if TYPE_CHECKING:
    from courtpiece.run import Progress, Watch

_PLAIN_EVERY = 10.0                     # seconds between lines where there is no terminal


@contextmanager
def watching(name: str, *, ends: bool = True) -> Iterator[Watch]:
    """Gives a function that shows progress: a bar on a terminal, else a line now and then, and at both ends
    unless these are told otherwise."""
    if not sys.stderr.isatty():
        yield _Lines(name, ends=ends)
        return
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    with Progress(
        TextColumn("[bold]{task.description}"), BarColumn(), TaskProgressColumn(),
        TextColumn("{task.fields[told]}"), TimeRemainingColumn(compact=True),
        console=console(stderr=True), transient=True,
    ) as bar:
        task = bar.add_task(name, total=None, told="")
        began = monotonic()

        def watch(progress: Any) -> None:
            if progress.word:
                bar.console.print(f"{name}: {progress.word}", markup=False, highlight=False)
                return
            bar.update(task, total=progress.total, completed=progress.done, told=_told(progress, began))

        yield watch


class _Lines:
    """Prints a line on stderr every now and then, and when the work begins and `ends`."""

    def __init__(self, name: str, *, ends: bool) -> None:
        self.name, self.ends = name, ends
        self.began = self.last = monotonic()
        self.quiet = ends               # nothing was missing so far

    def __call__(self, progress: Progress) -> None:
        if progress.word:
            say(f"{self.name}: {progress.word}", sys.stderr)
            return
        now, complete = monotonic(), progress.done >= progress.total
        if (self.quiet and complete and not progress.played) or not (
            self.quiet or (complete and self.ends) or now - self.last >= _PLAIN_EVERY
        ):
            return
        left = ""
        if progress.played and not complete:
            seconds = (progress.total - progress.done) * (now - self.began) / progress.played
            left = f", {seconds:.0f} s left"
        say(f"{self.name}: {_told(progress, self.began)}{left}", sys.stderr)
        self.quiet, self.last = False, now


def _told(progress: Progress, began: float) -> str:
    text = f"{progress.done:,} of {counted(progress.total, progress.unit)}"
    seconds = monotonic() - began
    if progress.played and seconds > 0:
        rate = progress.played / seconds
        text += f", {rate:{',.0f' if rate >= 10 else '.2g'}} {progress.unit}/s"
    return text
