"""`courtpiece play`: watch a deal, trick by trick."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

from courtpiece.cli.deal import PLAYERS_HELP, RULES_HELP, dealer_seat
from courtpiece.errors import UsageError

if TYPE_CHECKING:
    from courtpiece.deal import Deal


def play(
    seed: Annotated[int, typer.Option(help="The seed.", min=0)] = 1,
    index: Annotated[int, typer.Option(help="The number of the deal.", min=0)] = 0,
    rules: Annotated[str, typer.Option(help=RULES_HELP)] = "single-sir",
    players: Annotated[str, typer.Option(help=PLAYERS_HELP)] = "greedy",
    dealer: Annotated[
        str | None, typer.Option(help="The dealer's seat: S, E, N or W; by default S is to call.")
    ] = None,
    record: Annotated[
        str | None, typer.Option(help="Show a record of this JSON Lines file instead; - for standard input.")
    ] = None,
    line: Annotated[int, typer.Option(help="Which record of the file, from 1.", min=1)] = 1,
) -> None:
    """Show a deal trick by trick: the hands, the call, who led and won, and how it ended."""
    if record is not None:
        _show(*_recorded(record, line))
        return

    from courtpiece.played import played
    from courtpiece.rules import name_of
    from courtpiece.table import Table

    table = Table(rules, players)
    shown = next(played(table, seed, index, 1, dealer=dealer_seat(table, dealer)))
    _show(f"Deal {index:,} of seed {seed} · {name_of(table.rules)} · players {table.lineup}", shown)


def _show(title: str, deal: Deal) -> None:
    from rich.console import Console
    from rich.text import Text

    from courtpiece.cli.table import call_lines, compass, result_text, trick_table

    console = Console(highlight=False)
    console.print(Text(title, style="bold"), soft_wrap=True)
    console.print()
    console.print(compass(deal))
    console.print()
    for said in call_lines(deal):
        console.print(said, soft_wrap=True)
    if deal.claimer is not None:
        console.print(f"{deal.name(deal.claimer)} claims all thirteen tricks", soft_wrap=True)
    if deal.tricks:
        console.print()
        console.print(trick_table(deal))
    console.print()
    console.print(result_text(deal), style="bold", soft_wrap=True)


def _recorded(file: str, line: int) -> tuple[str, Deal]:
    """Returns a title and the deal of one record of a file."""
    from courtpiece.record import read
    from courtpiece.rules import name_of

    found = read(_record(file, line))
    return f"{file}, record {line} · {name_of(found.rules)}", found


def _record(file: str, line: int) -> Any:
    import json

    with nullcontext(sys.stdin.buffer) if file == "-" else _open(file) as stream:
        lines = (text for text in stream if text.strip())
        text = next((text for number, text in enumerate(lines, 1) if number == line), None)
    if text is None:
        raise UsageError(f"{file} has no record {line}")
    try:
        told = json.loads(text)
    except ValueError as error:
        raise UsageError(f"{file}, record {line} is not JSON: {error}") from None
    if not isinstance(told, dict):
        raise UsageError(f"{file}, record {line} is no deal")
    if "match" in told:
        raise UsageError(f"{file}, record {line} is a match; play shows single deals")
    return told


def _open(file: str) -> BinaryIO:
    try:
        return Path(file).open("rb")
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {(error.strerror or str(error)).lower()}") from None


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command()(play)
