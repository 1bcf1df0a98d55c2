"""The application: the command named on the line, or all of them when help is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Annotated

import typer
import typer.core

from courtpiece.errors import UsageError, suggest

COMMANDS = (  # in the order of the help
    "run",
    "studies",
    "rules",
    "players",
    "call",
    "deal",
    "play",
    "solve",
    "review",
    "replay",
    "report",
    "verify",
    "bench",
    "lab",
)


class InOrder(typer.core.TyperGroup):
    """A group that lists its commands in the order of `COMMANDS`, those with subcommands among them."""

    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]
        """Returns the names of the commands there are."""
        return [name for name in COMMANDS if name in self.commands]


def run(arguments: Sequence[str]) -> int:
    """Runs the command that the arguments name and returns its exit status.

    Raises `UsageError` for arguments that the command does not take.
    """
    name = arguments[0] if arguments else ""
    if name not in COMMANDS and not name.startswith("-") and arguments:
        hint = suggest(name, COMMANDS)
        raise UsageError(f'there is no command "{name}"; there are {", ".join(COMMANDS)}{hint}')
    app = build([name] if name in COMMANDS else COMMANDS)
    try:
        status = app(list(arguments), prog_name="courtpiece", standalone_mode=False)
    except typer.TyperException as error:
        raise UsageError(" ".join(error.format_message().split())) from None
    except typer.Abort:
        raise KeyboardInterrupt from None
    return status if isinstance(status, int) else 0


def build(commands: Sequence[str] = COMMANDS) -> typer.Typer:
    """Returns the application with the commands named; only their modules are imported."""
    app = typer.Typer(
        cls=InOrder, pretty_exceptions_enable=False, context_settings={"help_option_names": ["-h", "--help"]}
    )
    app.callback(invoke_without_command=True)(courtpiece)
    for name in commands:
        import_module(f"{__package__}.{name}").register(app)
    return app


def courtpiece(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    """Simulation and strategy analysis of Court Piece (Rang, Rung, Coat Pees, Hukum)."""
    if version:
        from importlib import metadata

        print(f"courtpiece {metadata.version('courtpiece')}")
    elif context.invoked_subcommand is None:
        print(context.get_help())
