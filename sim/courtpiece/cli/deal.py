"""`courtpiece deal`: show one deal of a seed, or write played deals as records."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from courtpiece.cli.files import writing
from courtpiece.cli.options import Dealer, Index, Players, Rules, Seed, dealer_seat
from courtpiece.cli.output import console
from courtpiece.errors import UsageError

if TYPE_CHECKING:
    from courtpiece.deal import Deal
    from courtpiece.table import Table

_PLAYS_HELP = "Write this many played deals from the index on, as JSON Lines that `replay` reads."


def deal(
    seed: Seed = 1,
    index: Index = 0,
    rules: Rules = "single-sir",
    players: Players = "greedy",
    dealer: Dealer = None,
    plays: Annotated[int | None, typer.Option(help=_PLAYS_HELP, min=1)] = None,
    out: Annotated[Path | None, typer.Option(help="A file for the records instead of the screen.")] = None,
) -> None:
    """Show deal INDEX of a seed: the four hands and what its callers say."""
    from courtpiece.table import Table

    table = Table(rules, players)
    seat = dealer_seat(table, dealer)
    if plays is not None:
        _write_records(table, seed, index, plays, seat, out)
    elif out is not None:
        raise UsageError("--out takes records: say how many with --plays")
    else:
        _show(*titled_deal(table, seed, index, seat))


def titled_deal(table: Table, seed: int, index: int, dealer: int) -> tuple[str, Deal]:
    """Returns a title and deal `index` of a seed, played by the table's players."""
    from courtpiece.played import played
    from courtpiece.rules import name_of

    title = f"Deal {index:,} of seed {seed} · {name_of(table.rules)} · players {table.lineup}"
    return title, next(played(table, seed, index, 1, dealer=dealer))


def _write_records(table: Table, seed: int, index: int, count: int, dealer: int, out: Path | None) -> None:
    from courtpiece.played import played
    from courtpiece.record import write

    deals = played(table, seed, index, count, dealer=dealer)
    with writing(out) as stream:
        for number, one in enumerate(deals, index):
            print(json.dumps(write(one, id=f"{seed}/{number}")), file=stream)


def _show(title: str, one: Deal) -> None:
    from courtpiece.cli.table import print_opening

    print_opening(console(), title, one)


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command()(deal)
