"""`courtpiece bench`: how fast the kernel is here."""

from __future__ import annotations

from typing import Annotated

import typer

from courtpiece.cli.options import AsJson
from courtpiece.cli.output import console, print_json


def bench(
    rules: Annotated[
        list[str] | None,
        typer.Option("--rules", help="A rule set; may be given several times. Default: the main presets."),
    ] = None,
    players: Annotated[
        list[str] | None,
        typer.Option("--players", help="Players; may be given several times. Default: all built-in ones."),
    ] = None,
    seconds: Annotated[
        float, typer.Option("--seconds", min=0.0, help="How long to measure, all cases together.")
    ] = 10.0,
    as_json: AsJson = False,
) -> None:
    """Measure deals per second on one core, case beside case in one run.

    The ratio is to the first case. Where open_spiel is installed its spades playouts are measured too.
    """
    from dataclasses import asdict

    from courtpiece import bench as benchmark

    found = benchmark.bench(rules or benchmark.RULES, players or benchmark.PLAYERS, seconds)
    if as_json:
        print_json(asdict(found))
        return
    from rich.table import Table

    table = Table(title=f"Speed on one core: kernel {found.kernel}, {found.machine}", title_justify="left")
    table.add_column("players and rules")
    table.add_column("deals/s", justify="right")
    table.add_column("ratio to the first", justify="right")
    for speed in found.speeds:
        table.add_row(speed.case, f"{speed.rate:,.0f}", f"{speed.ratio:.3f}")
    console(highlight=True).print(table)


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command(name="bench")(bench)
