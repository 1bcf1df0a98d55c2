"""`courtpiece review`: what each decision of a recorded deal cost."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from courtpiece.cli.files import reading, writing
from courtpiece.cli.options import AsJson, Seed
from courtpiece.cli.output import console, print_json
from courtpiece.errors import RecordError, UsageError, one_line

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as Grid

    from courtpiece.deal import Deal
    from courtpiece.review import Decision, Review

_WORLDS = 1000                          # as in review, which is slow to import
_EXACT = 11


def review(
    file: Annotated[str, typer.Argument(help="JSON Lines, one deal or match a line; - for standard input.")],
    number: Annotated[
        int | None, typer.Option(help="Only this deal, from 1; a match counts as its deals.", min=1)
    ] = None,
    worlds: Annotated[
        int,
        typer.Option(
            help="Worlds on which each decision is weighed at the table, 20 at least; 0 for none.", min=0
        ),
    ] = _WORLDS,
    exact: Annotated[
        int,
        typer.Option(
            help="Cards a seat from which deals with a hidden trump, a pile or tens are solved.",
            min=0, max=13,
        ),
    ] = _EXACT,
    seed: Seed = 1,
    html: Annotated[
        Path | None, typer.Option(help="Write a page that steps through the deal to this file.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Say what each decision of a deal cost: with open cards, and on what the player could know.

    Of several deals it shows a line each, and what each seat's decisions come to.
    """
    from courtpiece.review import review as judge

    deals = _deals(file, number)
    if html is not None and len(deals) > 1:
        raise UsageError(f"a page shows one deal, and {file} has {len(deals)}: choose one with --number")

    from rich.progress import track

    errors = console(stderr=True)
    titles, reviews = [], []
    hide = len(deals) == 1 or not errors.is_terminal
    for title, deal in track(deals, "reviewing", console=errors, transient=True, disable=hide):
        found = judge(deal, worlds=worlds, seed=seed, exact=exact)
        titles.append(title)
        reviews.append(found)
        if html is not None:
            with writing(html) as stream:
                stream.write(found.page(title))
        if as_json:
            print_json({"title": title, **found.to_dict()}, flush=True)
    if as_json:
        return

    if len(reviews) == 1:
        _show(console(), titles[0], reviews[0])
    else:
        _show_all(console(), titles, reviews)


def _deals(file: str, number: int | None) -> list[tuple[str, Deal]]:
    """Returns titles and deals of a file, all or one; raises an error for a record that breaks a rule.

    What comes after the deal asked for is not read.
    """
    from courtpiece.record import lines, parse, read_deals
    from courtpiece.rules import name_of

    found: list[tuple[str, Deal]] = []
    with reading(file) as stream:
        for line, text in lines(stream):
            try:
                record = parse(text)
                deals = read_deals(record)  # type: ignore[arg-type]  # it says what is no record
            except RecordError as error:
                raise UsageError(f"{file}, line {line}: {error}") from None
            given = record.get("id") if isinstance(record, dict) else None
            for place, deal in enumerate(deals, 1):
                title = f"{file}, deal {len(found) + 1}"
                if given is not None:
                    title += f" · {one_line(str(given))}"
                title += f", deal {place} of the match" if len(deals) > 1 else ""
                found.append((f"{title} · {name_of(deal.rules)}", deal))
                if len(found) == number:
                    return found[-1:]
    if not found:
        raise UsageError(f"{file} has no deal")
    if number is not None:
        has = "one deal" if len(found) == 1 else f"{len(found)} deals"
        raise UsageError(f"{file} has {has}, no deal {number}")
    return found


# On the screen


def _show(screen: Console, title: str, found: Review) -> None:
    from rich.text import Text

    from courtpiece.cli.table import coloured, print_opening, result_text

    deal = found.deal
    print_opening(screen, title, deal)
    if deal.claimer is not None:
        screen.print(f"{deal.name(deal.claimer)} claims all thirteen tricks", soft_wrap=True)
    screen.print(result_text(deal), soft_wrap=True)
    screen.print()
    if found.decisions:
        screen.print(_decisions(found))
        screen.print()
    screen.print(_players([found]))
    screen.print()
    verdict = coloured(found.verdict)
    verdict.stylize("bold")
    screen.print(verdict, soft_wrap=True)
    screen.print(Text(f"{_capital(found.method)}.", style="dim"), soft_wrap=True)


def _show_all(screen: Console, titles: Sequence[str], reviews: Sequence[Review]) -> None:
    from rich.table import Table
    from rich.text import Text

    from courtpiece.cli.table import coloured, result_text

    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    table.add_column("", justify="right")
    for head in ("deal", "result", "turning point"):
        table.add_column(head)
    for number, (title, found) in enumerate(zip(titles, reviews, strict=True), 1):
        named = title.partition(", ")[2].partition(" · ")[2]
        point = found.turning_point
        told = "" if point is None else f"{point.number}: {_where(point)}, {point}: {_lost(point.lost)}"
        table.add_row(str(number), Text(named), result_text(found.deal), coloured(told))
    screen.print(table)
    screen.print()
    screen.print(_players(reviews))
    screen.print()
    screen.print(Text(f"{_capital(reviews[0].method)}.", style="dim"), soft_wrap=True)


def _decisions(found: Review) -> Grid:
    """Returns the decisions of a deal, one a line."""
    from rich.table import Table
    from rich.text import Text

    from courtpiece.cli.table import coloured

    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    table.add_column("", justify="right", style="dim")
    table.add_column("trick", justify="right")
    table.add_column("")
    table.add_column("decision", no_wrap=True)
    table.add_column("better")
    for head in ("points", "tricks", "at the table"):
        table.add_column(head, justify="right", no_wrap=True)
    for one in found.decisions:
        style = "bold red" if one.turns else "red" if one.lost else "dim"
        table.add_row(
            str(one.number),
            _where(one).removeprefix("trick ").removeprefix("the "),
            one.name,
            coloured(str(one).partition(" ")[2]),
            coloured(one.better_told),
            Text(_lost(one.points_lost), style=style),
            Text(_lost(one.tricks_lost), style=style),
            Text(_loss(one), style="bold red" if one.surely_worse else "dim"),
        )
    return table


def _players(reviews: Sequence[Review]) -> Grid:
    """Returns what the decisions of each seat come to, in all deals."""
    from rich.table import Table

    from courtpiece.record import SEAT_LETTERS
    from courtpiece.review import Decisions

    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    table.add_column("seat")
    weighed = any(found.worlds for found in reviews)
    heads = ["at the table", "surely wrong"] if weighed else []
    for head in ("decisions", "best", "points lost", *heads, "worst"):
        table.add_column(head, justify="right")
    for name in SEAT_LETTERS:
        his = [one for found in reviews for one in found.decisions if one.name == name]
        player = Decisions.of(name, his)
        row = [str(player.decisions), f"{player.best} of {player.solved}", _lost(player.points_lost)]
        if weighed:
            row += [_told(player.loss), str(player.mistakes)]
        table.add_row(name, *row, _named(reviews, player.worst))
    return table


def _named(reviews: Sequence[Review], one: Decision | None) -> str:
    """Returns the number of a decision, and of its deal where there are several."""
    if one is None:
        return ""
    if len(reviews) == 1:
        return str(one.number)
    deal = next(at for at, found in enumerate(reviews, 1) if any(one is other for other in found.decisions))
    return f"{deal}: {one.number}"


def _where(one: Decision) -> str:
    return "the call" if one.trick == 0 else f"trick {one.trick}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _lost(value: int | None) -> str:
    return "?" if value is None else f"−{value}" if value else "·"


def _told(loss: tuple[float, float] | None) -> str:
    """Returns what was lost at the table all together, and half of its interval."""
    if loss is None:
        return ""
    return f"−{loss[0]:.2f} ± {1.96 * loss[1]:.2f}" if any(loss) else "·"


def _loss(one: Decision) -> str:
    return "" if one.loss is None else one.loss_told or "·"


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command()(review)
