"""`courtpiece run`: run a study, or go on with it."""

from __future__ import annotations

import inspect
import sys
import threading
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from courtpiece.cli import STOPPED
from courtpiece.cli.output import console, print_json, say
from courtpiece.cli.progress import watching
from courtpiece.errors import UsageError, suggest
from courtpiece.rules.values import show
from courtpiece.signals import Stopped, heard
from courtpiece.studies import find, names
from courtpiece.studies.study import Kind, Study, counted, parameter_fields
from courtpiece.workers import BACKENDS, PATIENCE

if TYPE_CHECKING:
    from courtpiece.results import Run
    from courtpiece.run import Progress, Watch

_ADDRESS_SPACE = 2e9                    # bytes; on 2 cores 2.5 GB were enough and 1.5 GB were not
# What a file may say besides the study's parameters.
_FROM_FILE = ("out", "jobs", "chunk", "backend", "scheduler", "patience")


class _Studies(TyperGroup):
    """The studies as commands, each made when it is asked for."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(names())

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        return _command(find(cmd_name))


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    studies = typer.Typer(cls=_Studies, subcommand_metavar="STUDY [OPTIONS]")
    studies.callback(invoke_without_command=True)(run)
    app.add_typer(studies, name="run")


def run(context: typer.Context) -> None:
    """Run a study, or go on with one that was interrupted; more deals extend it."""
    if context.invoked_subcommand is None:
        raise UsageError(f"name a study to run: {', '.join(names())}")


def _command(study: Study[Any]) -> Any:
    """Returns the command of one study, its options made from the study's parameters."""

    def go(**given: Any) -> int:
        return _go(study, {name: value for name, value in given.items() if value not in (None, [])})

    options = []
    for about in parameter_fields(study.Parameters):
        default = study.default_units if about.name == study.extent else about.default
        options.append(_option(about.name, about.metadata, default))
    go.__signature__ = inspect.Signature([*options, *_COMMON])      # type: ignore[attr-defined]
    go.__doc__ = study.question
    alone = typer.Typer(
        add_completion=False, pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    alone.command(name=study.name)(go)
    return typer.main.get_command(alone)


def _option(name: str, about: Mapping[str, Any], default: Any) -> inspect.Parameter:
    kind: Kind = about["kind"]
    shown = ", ".join(map(str, default)) if isinstance(default, tuple) else default
    text = about["doc"] + ("" if shown is None else f" (default: {shown})")
    option = typer.Option(f"--{name.replace('_', '-')}", metavar=kind.word, help=text, show_default=False)
    return _parameter(name, list[str] | None if about["many"] else str | None, option, None)


def _parameter(name: str, kind: Any, option: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default,
                             annotation=Annotated[kind, option])


_COMMON = [
    _parameter(name, kind, typer.Option(*flags, metavar=metavar, help=text), default)
    for name, kind, flags, metavar, text, default in (
        ("out", str | None, ["--out"], "DIR",
         "the folder of results, or an address such as s3://bucket/run (default: results/STUDY)", None),
        ("jobs", int | None, ["--jobs", "-j"], "N", "how many chunks to play at once (default: a core each)",
         None),
        ("chunk", int | None, ["--chunk"], "N", "deals or hands a file; an existing run keeps its own", None),
        ("backend", str | None, ["--backend"], "|".join(BACKENDS),
         "joblib's backend (default: processes or threads of this machine)", None),
        ("scheduler", str | None, ["--scheduler"], "tcp://HOST:8786",
         "dask's scheduler, with --backend dask", None),
        ("patience", float | None, ["--patience"], "SECONDS",
         f"what a player in Python may take for a decision (default: {PATIENCE:g})", None),
        ("config", Path | None, ["--config"], "FILE",
         "a TOML file of these options; what the command line says goes first", None),
        ("as_json", bool, ["--json"], None, "print the answer for a program to read", False),
    )
]


def _go(study: Study[Any], given: dict[str, Any]) -> int:
    _check_address_space()
    from courtpiece.run import run

    as_json, config = given.pop("as_json"), given.pop("config", None)
    asked = (_from_file(config, study) if config else {}) | given
    last: list[Progress] = []
    with heard():
        try:
            with watching(study.name) as watch:
                done = run(study, watch=_keeping_the_last(_preparing_the_report(watch), last), **asked)
            for note in done.notes:
                say(note, sys.stderr)
            _report(done)
        except KeyboardInterrupt as stopped:
            _say_how_to_go_on(asked.get("out") or Path("results") / study.name, last)
            return stopped.number + 128 if isinstance(stopped, Stopped) else STOPPED
    if as_json:
        _print_json(done)
    else:
        _print_answer(done)
    return 0


def _check_address_space() -> None:
    """Raises UsageError for a limit under which libraries fail in ways of their own, or hang."""
    try:
        import resource
    except ImportError:                 # not a POSIX system
        return
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit != resource.RLIM_INFINITY and limit < _ADDRESS_SPACE:
        raise UsageError(f"the address space of this process is limited to {limit / 1e9:.1f} GB (ulimit -v), "
                         f"and a run takes {_ADDRESS_SPACE / 1e9:.0f} GB, which is hardly used: limit memory "
                         "otherwise, as by a cgroup")


def _from_file(path: Path, study: Study[Any]) -> dict[str, Any]:
    """Returns the options of a TOML file; raises UsageError for what it cannot say."""
    from courtpiece.tomlfile import read_toml

    try:
        told = read_toml(path)
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from None
    known = [*(about.name for about in parameter_fields(study.Parameters)), *_FROM_FILE]
    options = {key.replace("-", "_"): value for key, value in told.items()}
    meant = options.pop("study", study.name)
    if meant != study.name:
        raise UsageError(f'{path} is for the study "{meant}", not {study.name}')
    for key in options:
        if key not in known:
            hint = suggest(key, known) or f"; there are {', '.join(known)}"
            raise UsageError(f'{path}: there is no option "{key}"{hint}')
    for key in ("jobs", "chunk"):
        if isinstance(number := options.get(key, 1), bool) or not isinstance(number, int):
            raise UsageError(f"{path}: {key} must be a whole number, not {show(number)}")
    for key in ("out", "backend", "scheduler"):
        if not isinstance(options.get(key, ""), str):
            raise UsageError(f"{path}: {key} must be text, not {show(options[key])}")
    if isinstance(number := options.get("patience", 1), bool) or not isinstance(number, (int, float)):
        raise UsageError(f"{path}: patience must be a number, not {show(number)}")
    return options


def _preparing_the_report(watch: Watch) -> Watch:
    """Returns a watch that has what draws the report imported while the first deals are played."""
    begun = threading.Event()

    def watch_and_prepare(progress: Progress) -> None:
        if progress.done < progress.total and not begun.is_set():
            begun.set()
            threading.Thread(target=import_module, args=("courtpiece.plots.style",)).start()
        watch(progress)

    return watch_and_prepare


def _keeping_the_last(watch: Watch, last: list[Progress]) -> Watch:
    """Returns a watch that keeps how far the run is: to read a large folder for that takes long."""

    def watch_and_keep(progress: Progress) -> None:
        if not progress.word:
            last[:] = [progress]
        watch(progress)

    return watch_and_keep


def _say_how_to_go_on(folder: str | Path, last: Sequence[Progress]) -> None:
    line = "stopped before anything was played"
    if last:
        [far] = last
        line = f"stopped: {far.done:,} of {far.total:,} {far.unit} are kept in {folder}"
    say(f"{line}; run the same command again to go on", sys.stderr)


def _report(done: Run) -> None:
    if done.played or not done.folder.report_file.exists():
        done.report()


def _print_json(done: Run) -> None:
    print_json({
        "study": done.design.study,
        "folder": str(done.path),
        done.design.unit: done.units,
        "parameters": done.design.parameters,
        "rules": done.design.rules,
        "command": done.design.command,
        "answer": _sentences(done),
        "headline": done.headline.to_dicts(),
    })


def _sentences(done: Run) -> list[str]:
    """Returns the short answer as a terminal shows it, which keeps no words together."""
    return [sentence.replace("\N{NO-BREAK SPACE}", " ") for sentence in done.answer()]


def _print_answer(done: Run) -> None:
    """Prints the short answer in words and its table; as wide as a terminal is, not wrapped for a file."""
    from rich.table import Table
    from rich.text import Text

    from courtpiece.studies.study import readable

    heads, rows = readable(done.headline)
    wraps = sys.stdout.isatty()
    screen = console(width=None if wraps else 200)
    natural = [max(len(cell) for cell in column) for column in zip(heads, *rows, strict=True)]
    narrow = sum(natural) + 2 * len(heads) > screen.width
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1, 0, 0 if narrow else 1))
    for at, head in enumerate(heads):
        number = all(row[at][:1].isdigit() or row[at][:1] in "-–" for row in rows)
        table.add_column(head.replace("_", " "), justify="right" if number else "left")
    for row in rows:
        table.add_row(*(Text(cell.replace(" ± ", "\n±") if narrow else cell) for cell in row))
    screen.print(Text(done.study.title, style="bold"), Text(f"· {counted(done.units, done.design.unit)}"))
    for sentence in _sentences(done):
        screen.print(Text(sentence), soft_wrap=not wraps)
    screen.print(table)
    say(f"± half of the 95 % interval · {done.path}: report.html, summary.parquet, tables/ and shards/")
