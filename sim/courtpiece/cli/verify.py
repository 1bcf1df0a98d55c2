"""`courtpiece verify`: check a run's folder."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Annotated

import typer

from courtpiece.cli.options import AsJson, RunFolder
from courtpiece.cli.output import print_json, say
from courtpiece.cli.progress import watching
from courtpiece.workers import PATIENCE


def verify(
    folder: RunFolder,
    chunks: Annotated[
        int, typer.Option("--chunks", min=0, metavar="N", help="How many chunks to play again.")
    ] = 2,
    everything: Annotated[bool, typer.Option("--all", help="Play all chunks again.")] = False,
    seed: Annotated[
        int | None, typer.Option("--seed", metavar="N", help="Chooses the chunks; by default chance does.")
    ] = None,
    run_code: Annotated[
        bool,
        typer.Option("--run-code", help="Load the players in Python that the folder names: their code runs."),
    ] = False,
    patience: Annotated[
        float,
        typer.Option("--patience", metavar="SECONDS", help="How long they may take to decide."),
    ] = PATIENCE,
    as_json: AsJson = False,
) -> int:
    """Check a run's files and checksums, and play some of its chunks again from scratch.

    The exit status is 1 when something is wrong.
    """
    from courtpiece.studies.study import counted
    from courtpiece.verification import verify as check

    with watching("verify", ends=False) as watch:
        sample = None if everything else chunks
        found = check(folder, sample=sample, seed=seed, run_code=run_code, patience=patience,
                      watch=watch)
    if as_json:
        from dataclasses import asdict

        print_json({"sound": found.sound, **asdict(found)})
        return 0 if found.sound else 1
    for line in (*found.notes, *found.problems):
        say(line)
    again = _ranges(found.recomputed) or "none"
    wrong = len(found.problems)
    verdict = "1 thing is wrong" if wrong == 1 else f"{wrong} things are wrong" if wrong else "sound"
    say(f"{found.folder}: {verdict}; {counted(found.units, found.unit)}, {counted(found.chunks, 'chunks')} "
        f"with the checksum they tell; played again, bit for bit: {again}")
    return 0 if found.sound else 1


def _ranges(numbers: Sequence[int]) -> str:
    """Returns rising numbers, three or more that follow each other as `first-last`."""
    parts: list[str] = []
    for _, pairs in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0]):
        run = [number for _, number in pairs]
        parts += [f"{run[0]}-{run[-1]}"] if len(run) > 2 else map(str, run)
    return ", ".join(parts)


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command()(verify)
