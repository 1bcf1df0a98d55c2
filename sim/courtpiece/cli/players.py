"""`courtpiece players`: the built-in card players and callers, and their options."""

from __future__ import annotations

import typer

from courtpiece.cli.options import AsJson
from courtpiece.players import CALLERS, CARD_PLAYERS, Caller, CardPlayer, own


def players(
    as_json: AsJson = False,
) -> None:
    """List the players: who plays the cards, who calls trump, and how to name one."""
    if as_json:
        import json
        from dataclasses import asdict

        print(json.dumps({"players": [asdict(player) for player in CARD_PLAYERS],
                          "callers": [asdict(caller) for caller in CALLERS],
                          "in_python": [asdict(about) for about in own.described()],
                          "installed": own.names()[len(own.BUILT_IN):]}, ensure_ascii=False))
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)

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
        console.print(table)

    show("card player", CARD_PLAYERS)
    console.print()
    show("caller", CALLERS)
    console.print()
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("player that calls and plays", no_wrap=True)
    table.add_column("default", no_wrap=True)
    table.add_column("what it does")
    for about in own.described():
        table.add_row(about.name, "", Text(about.summary))
        for option, default, doc in about.options:
            table.add_row(f"  :{option}=", Text(default, "dim"), Text(doc, "dim"))
    console.print(table)
    if installed := own.names()[len(own.BUILT_IN):]:
        console.print(f"Of installed packages: {', '.join(installed)}.")
    console.print()
    console.print("A player is written [bold]CARD[/] or [bold]CARD/CALLER[/], with options after colons:")
    console.print("greedy, random/strongest:pass=never. Two players, the caller's side first: greedy,simple.")


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command()(players)
