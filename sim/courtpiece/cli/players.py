"""`courtpiece players`: the built-in card players and callers, and their options."""

from __future__ import annotations

import typer

from courtpiece.cli.options import AsJson
from courtpiece.cli.output import console, print_json
from courtpiece.players import CALLERS, CARD_PLAYERS, Caller, CardPlayer, own


def players(
    as_json: AsJson = False,
) -> None:
    """List the players: who plays the cards, who calls trump, and how to name one."""
    if as_json:
        from dataclasses import asdict

        print_json({"players": [asdict(player) for player in CARD_PLAYERS],
                    "callers": [asdict(caller) for caller in CALLERS],
                    "in_python": [asdict(about) for about in own.described()],
                    "installed": own.names()[len(own.BUILT_IN):]})
        return
    from rich.table import Table
    from rich.text import Text

    screen = console()

    def show(title: str, described: tuple[CardPlayer | Caller, ...]) -> None:
        table = Table(box=None, pad_edge=False, header_style="bold")
        table.add_column(title, no_wrap=True)
        table.add_column("comes with", no_wrap=True)
        table.add_column("what it does")
        for each in described:
            table.add_row(each.name, each.caller if isinstance(each, CardPlayer) else "", Text(each.summary))
            for option in each.options:
                table.add_row(f"  :{option.name}=", Text(option.takes, "dim"), Text(option.doc, "dim"))
        if not any(isinstance(each, CardPlayer) for each in described):
            table.columns[1].header = "takes"
        screen.print(table)

    show("card player", CARD_PLAYERS)
    screen.print()
    show("caller", CALLERS)
    screen.print()
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("player that calls and plays", no_wrap=True)
    table.add_column("default", no_wrap=True)
    table.add_column("what it does")
    for about in own.described():
        table.add_row(about.name, "", Text(about.summary))
        for option, default, doc in about.options:
            table.add_row(f"  :{option}=", Text(default, "dim"), Text(doc, "dim"))
    screen.print(table)
    if installed := own.names()[len(own.BUILT_IN):]:
        screen.print(Text(f"Of installed packages: {', '.join(installed)}."))
    screen.print()
    screen.print("A player is written [bold]CARD[/] or [bold]CARD/CALLER[/], with options after colons:")
    screen.print("greedy, random/strongest:pass=never. Two players, the caller's side first: greedy,simple.")


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command()(players)
