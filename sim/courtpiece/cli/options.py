"""Options that several commands take, each described once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from courtpiece.errors import UsageError

if TYPE_CHECKING:
    from courtpiece.table import Table

Rules = Annotated[str, typer.Option(help="A preset, a TOML file, or a line such as single-sir,target=5.")]
Players = Annotated[
    str, typer.Option(help="Who plays: one for all seats, two (the caller's side first), or four.")
]
Seed = Annotated[int, typer.Option(help="The seed of the deals.", min=0)]
Index = Annotated[int, typer.Option(help="The number of the deal.", min=0, max=2**64 - 1)]
Dealer = Annotated[
    str | None, typer.Option(help="The dealer's seat: S, E, N or W; by default S is to call.")
]
RunFolder = Annotated[
    str, typer.Argument(metavar="DIR", help="The folder of a run, or its address: results/trump-call.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for a program to read.")]


def dealer_seat(table: Table, letter: str | None) -> int:
    """Returns the dealer's seat at the table; UsageError for a letter that is none."""
    from courtpiece.deal import DEALER, LETTERS

    letters = LETTERS[table.rules.direction]
    if letter is None:
        return DEALER
    if len(letter) != 1 or letter.upper() not in letters:
        raise UsageError(f'the dealer is one of {", ".join(letters)}, not "{letter}"')
    return letters.index(letter.upper())
