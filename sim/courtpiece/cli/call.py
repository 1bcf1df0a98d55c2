"""`courtpiece call`: which call is best on five cards."""

from __future__ import annotations

from typing import Annotated

import typer

from courtpiece.cli.options import AsJson, Players, Rules
from courtpiece.cli.output import console, print_json


def call(
    hand: Annotated[
        list[str], typer.Argument(help='Five cards: "AS KS 5S 2H 9D", A♠ 10♥, or AK5.2.9. by suit, S.H.D.C.')
    ],
    rules: Rules = "single-sir",
    players: Players = "greedy",
    deals: Annotated[
        int | None,
        typer.Option(
            help="Deals on which each call is played; without --precision 40,000, or 1,000 with double-dummy."
        ),
    ] = None,
    precision: Annotated[
        float | None, typer.Option(help="Go on until every half-width is at most this, as 0.005.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="The seed of the deals, 1 unless said.", min=0)] = None,
    as_json: AsJson = False,
) -> None:
    """Say which call is best on five cards: each one's chances and points, and how sure that is.

    Points ahead are the deal's points for the caller's side less those for the other side.  Where a book of
    these rules and players lies ready the answer comes from it at once; with --deals, --precision or --seed
    the calls are played.
    """
    from courtpiece.books import call as answer

    advice = answer(
        " ".join(hand), rules=rules, players=players, deals=deals, precision=precision, seed=seed
    )
    if as_json:
        print_json(advice.to_dict())
        return

    from rich.table import Table
    from rich.text import Text

    from courtpiece.cli.table import card_text

    table = Table(box=None, pad_edge=False, header_style="dim")
    for place, title in enumerate(advice.head):
        table.add_column(title, justify="right" if place else "left")
    for value, row in zip(advice.calls, advice.rows(), strict=True):
        table.add_row(*row, style="bold green" if value is advice.best and advice.sure else "")
    screen = console(highlight=True)
    screen.print(Text(" ").join(card_text(card) for card in advice.hand))
    screen.print(table)
    screen.print(Text(advice.verdict, style="bold"), soft_wrap=True)
    screen.print(Text(advice.method, style="dim"), soft_wrap=True)


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command()(call)
