"""`courtpiece play`: watch a deal, trick by trick."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from courtpiece.cli.deal import titled_deal
from courtpiece.cli.files import reading
from courtpiece.cli.options import Dealer, Index, Players, Rules, Seed, dealer_seat
from courtpiece.cli.output import console
from courtpiece.errors import RecordError, UsageError

if TYPE_CHECKING:
    from courtpiece.deal import Deal


def play(
    seed: Seed = 1,
    index: Index = 0,
    rules: Rules = "single-sir",
    players: Players = "greedy",
    dealer: Dealer = None,
    record: Annotated[
        str | None, typer.Option(help="Show a record of this JSON Lines file instead; - for standard input.")
    ] = None,
    line: Annotated[int, typer.Option(help="Which record of the file, from 1.", min=1)] = 1,
) -> None:
    """Show a deal trick by trick: the hands, the call, who led and won, and how it ended."""
    if record is not None:
        _show(*recorded_deal(record, line))
        return

    from courtpiece.table import Table

    table = Table(rules, players)
    _show(*titled_deal(table, seed, index, dealer_seat(table, dealer)))


def _show(title: str, deal: Deal) -> None:
    from courtpiece.cli.table import print_opening, result_text, trick_table

    screen = console()
    print_opening(screen, title, deal)
    if deal.claimer is not None:
        screen.print(f"{deal.name(deal.claimer)} claims all thirteen tricks", soft_wrap=True)
    if deal.tricks:
        screen.print()
        screen.print(trick_table(deal))
    screen.print()
    screen.print(result_text(deal), style="bold", soft_wrap=True)


def recorded_deal(file: str, line: int) -> tuple[str, Deal]:
    """Returns a title and the deal of one record of a file."""
    from courtpiece.record import read
    from courtpiece.rules import name_of

    found = read(_record(file, line))
    return f"{file}, record {line} · {name_of(found.rules)}", found


def _record(file: str, line: int) -> Any:
    from courtpiece.record import lines, parse

    with reading(file) as stream:
        text = next((text for place, (_, text) in enumerate(lines(stream), 1) if place == line), None)
    if text is None:
        raise UsageError(f"{file} has no record {line}")
    try:
        told = parse(text)
    except RecordError as error:
        raise UsageError(f"{file}, record {line}: {error}") from None
    if not isinstance(told, dict):
        raise UsageError(f"{file}, record {line} is no deal")
    if "match" in told:
        raise UsageError(f"{file}, record {line} is a match, not a single deal")
    return told


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command()(play)
