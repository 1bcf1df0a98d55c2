"""`courtpiece deal`: show one deal of a seed, or write played deals as records."""

from __future__ import annotations

import json
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from courtpiece.errors import UsageError

if TYPE_CHECKING:
    from courtpiece.table import Table

RULES_HELP = "A preset, a TOML file, or a line such as single-sir,target=5."
PLAYERS_HELP = "Who plays: one for all seats, or two, the caller's side first."
_PLAYS_HELP = "Write this many played deals from the index on, as JSON Lines that `replay` reads."


def deal(
    seed: Annotated[int, typer.Option(help="The seed.", min=0)] = 1,
    index: Annotated[int, typer.Option(help="The number of the deal.", min=0)] = 0,
    rules: Annotated[str, typer.Option(help=RULES_HELP)] = "single-sir",
    players: Annotated[str, typer.Option(help=PLAYERS_HELP)] = "greedy",
    dealer: Annotated[
        str | None, typer.Option(help="The dealer's seat: S, E, N or W; by default S is to call.")
    ] = None,
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
        _show(table, seed, index, seat)


def dealer_seat(table: Table, letter: str | None) -> int:
    """Returns the dealer's seat at the table; UsageError for a letter that is none."""
    from courtpiece.deal import DEALER, LETTERS

    letters = LETTERS[table.rules.direction]
    if letter is None:
        return DEALER
    if len(letter) != 1 or letter.upper() not in letters:
        raise UsageError(f'the dealer is one of {", ".join(letters)}, not "{letter}"')
    return letters.index(letter.upper())


def _write_records(table: Table, seed: int, index: int, count: int, dealer: int, out: Path | None) -> None:
    from courtpiece.played import played
    from courtpiece.record import write

    with nullcontext(sys.stdout) if out is None else _opened(out) as stream:
        for number, one in enumerate(played(table, seed, index, count, dealer=dealer), index):
            print(json.dumps(write(one, id=f"{seed}/{number}")), file=stream)


def _opened(path: Path) -> TextIO:
    try:
        return path.open("w", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {(error.strerror or str(error)).lower()}") from None


def _show(table: Table, seed: int, index: int, dealer: int) -> None:
    from rich.console import Console
    from rich.text import Text

    from courtpiece.cli.table import call_lines, compass
    from courtpiece.played import played
    from courtpiece.rules import name_of

    one = next(played(table, seed, index, 1, dealer=dealer))
    console = Console(highlight=False)
    title = f"Deal {index:,} of seed {seed} · {name_of(table.rules)} · players {table.lineup}"
    console.print(Text(title, style="bold"), soft_wrap=True)
    console.print()
    console.print(compass(one))
    console.print()
    for line in call_lines(one):
        console.print(line, soft_wrap=True)


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command()(deal)
