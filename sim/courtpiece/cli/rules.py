"""`courtpiece rules`: the presets, one rule set with the meaning of each option, the rule book."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, fields
from typing import TYPE_CHECKING, Annotated, Any

import typer

from courtpiece.cli.options import AsJson
from courtpiece.cli.output import console, print_json
from courtpiece.rules import RuleSet, name_of, preset_names, resolve
from courtpiece.rules.line import write_options
from courtpiece.rules.loading import load_preset
from courtpiece.rules.ruleset import NEEDS
from courtpiece.rules.values import Choice

if TYPE_CHECKING:
    from rich.text import Text


def rules(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME|FILE|OPTIONS]",
            help='A preset, a TOML file, or a line such as "double-sir,pile_blocks=[2]"; with --book a rule.',
            show_default=False,
        ),
    ] = None,
    book: Annotated[
        bool,
        typer.Option("--book", help="Show the rule book, or the one rule whose number is given (S0.57)."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """List the presets, show a rule set with the meaning of every option, or look a rule up."""
    if book:
        _show_book(name, as_json)
    elif name is None:
        _show_presets(as_json)
    else:
        shown = resolve(name)
        _show_rules(shown, name if name in preset_names() else name_of(shown), as_json)


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command()(rules)


# --- the presets ------------------------------------------------------------------------------------


def _show_presets(as_json: bool) -> None:
    if as_json:
        listed = [
            {"name": each.name, "about": each.about, "preset": each.base or None, "changes": each.changes}
            | {"line": str(each.rules)}
            for each in map(load_preset, preset_names())
        ]
        print_json(listed)
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("preset", no_wrap=True)
    table.add_column("what it is, or changes")
    depths: dict[str, int] = {"": -1}
    for each in map(load_preset, preset_names()):
        depths[each.name] = depths[each.base] + 1
        table.add_row("  " * depths[each.name] + each.name, each.about)
    screen = console()
    screen.print(table)
    screen.print("\nA preset that is indented changes the one above it.")
    screen.print("[bold]courtpiece rules NAME[/] shows all its options and what they mean.")


# --- one rule set -----------------------------------------------------------------------------------


def _show_rules(shown: RuleSet, name: str, as_json: bool) -> None:
    if as_json:
        print_json({"name": name, "line": str(shown), "options": shown.to_dict()})
        return
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("option", no_wrap=True)
    table.add_column("value", max_width=24, overflow="fold")
    table.add_column("meaning")
    for option in fields(RuleSet):
        if _applies(option, shown):
            style = "bold" if getattr(shown, option.name) != getattr(RuleSet(), option.name) else ""
            meaning = Text.assemble(_meaning(option, shown), "\n", (_alternatives(option, shown), "dim"))
            table.add_row(Text(option.name, style), Text(_value(shown, option.name), style), meaning)
        else:
            table.add_row(*(Text(part, "dim") for part in (option.name, "–", option.metadata["doc"])))
    screen = console()
    screen.print(Text(name, "bold"), soft_wrap=True)
    if name in preset_names():
        screen.print(_about(name), soft_wrap=True)
    screen.print()
    screen.print(table)
    screen.print()
    screen.print(Text(str(shown)), soft_wrap=True)


def _about(name: str) -> Text:
    """Returns what a preset's file says of it, and what it changes of its base."""
    from rich.text import Text

    preset = load_preset(name)
    if not preset.base:
        return Text(preset.about)
    changes = write_options(preset.rules.difference(load_preset(preset.base).rules))
    return Text(f"{preset.about}\n{preset.base} with {changes or 'no change'}")


def _applies(option: Field[Any], shown: RuleSet) -> bool:
    """False for an option of the call or the hidden card where trump does not come about that way."""
    return all(
        getattr(shown, need.other) in need.allowed
        for need in NEEDS
        if need.option == option.name and need.other == "trump" and need.when is None
    )


def _value(shown: RuleSet, name: str) -> str:
    value = shown.to_dict()[name]
    if isinstance(value, Mapping):
        return "\n".join(f"{row} {points}" for row, points in value.items())
    if isinstance(value, list):
        return "[" + ", ".join(map(str, value)) + "]"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _meaning(option: Field[Any], shown: RuleSet) -> str:
    """Returns what the option's value means; a value that speaks for itself is told what it decides."""
    value = getattr(shown, option.name)
    members = value if isinstance(value, tuple) else (value,)
    meant = "; ".join(member.doc for member in members if isinstance(member, Choice))
    return meant or str(option.metadata["doc"])


def _alternatives(option: Field[Any], shown: RuleSet) -> str:
    """Returns what else the option may be."""
    value = getattr(shown, option.name)
    if isinstance(value, Choice):
        return "or " + ", ".join(other for other in type(value) if other is not value)
    if isinstance(value, bool):
        return f"or {str(not value).lower()}"
    return str(option.metadata["values"])


# --- the rule book ----------------------------------------------------------------------------------


def _show_book(number: str | None, as_json: bool) -> None:
    from courtpiece.rules import book

    text = book.text() if number is None else book.entry(number)
    if as_json:
        print_json({"number": number, "text": text})
        return
    screen = console()
    if screen.is_terminal:
        from rich.markdown import Markdown

        screen.print(Markdown(text))
    else:
        print(text)
