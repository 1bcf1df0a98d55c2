"""`courtpiece studies`: the studies, or one with its parameters and tables."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from courtpiece.cli.options import AsJson
from courtpiece.cli.output import console, print_json
from courtpiece.studies import find, names
from courtpiece.studies.study import Column, Study, parameter_fields


def studies(
    name: Annotated[str | None, typer.Argument(metavar="[STUDY]", help="The study to describe.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the studies, or describe one: its parameters, and the columns of its tables."""
    asked = [find(each) for each in (names() if name is None else (name,))]
    if as_json:
        told = [_about(study) for study in asked]
        print_json(told if name is None else told[0])
    elif name is None:
        _list(asked)
    else:
        _describe(asked[0])


def _about(study: Study[Any]) -> dict[str, Any]:
    p = study.parameters({})
    return {
        "name": study.name,
        "title": study.title,
        "question": study.question,
        "parameters": [
            {"name": about.name, "meaning": about.metadata["doc"], "default": p.typed(about.name),
             "several": about.metadata["many"], "design": about.metadata["design"]}
            for about in parameter_fields(study.Parameters)
        ],
        "shards": [_column(column) for column in study.columns(p)],
        "tables": {name: [_column(column) for column in columns]
                   for name, columns in study.table_columns(p).items()},
    }


def _column(column: Column) -> dict[str, str]:
    return {"name": column.name, "type": column.type, "unit": column.unit, "meaning": column.meaning}


def _list(asked: list[Study[Any]]) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("study", no_wrap=True)
    table.add_column("what it answers")
    for study in asked:
        table.add_row(study.name, study.question)
    screen = console()
    screen.print(table)
    screen.print("\n[bold]courtpiece studies NAME[/] describes one, [bold]courtpiece run NAME[/] runs it.")


def _describe(study: Study[Any]) -> None:
    from rich.table import Table
    from rich.text import Text

    p = study.parameters({})
    screen = console()
    screen.print(Text.assemble((study.title, "bold"), f": {study.question}"))
    table = Table(box=None, pad_edge=False, header_style="bold", title="\nparameters", title_justify="left")
    for head in ("name", "default", "meaning"):
        table.add_column(head, no_wrap=head == "name")
    for about in parameter_fields(study.Parameters):
        default = f"{study.default_units:,}" if about.name == study.extent else ", ".join(p.typed(about.name))
        table.add_row(about.name, default, Text(about.metadata["doc"]))
    screen.print(table)
    tables = {"shards/*.parquet": study.columns(p)} | {
        "summary.parquet" if name == "summary" else f"tables/{name}.parquet": columns
        for name, columns in study.table_columns(p).items()
    }
    for name, columns in tables.items():
        table = Table(box=None, pad_edge=False, header_style="bold", title=f"\n{name}", title_justify="left")
        for head in ("column", "type", "unit", "meaning"):
            table.add_column(head, no_wrap=head != "meaning")
        for column in columns:
            table.add_row(column.name, column.type, column.unit, Text(column.meaning))
        screen.print(table)


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command()(studies)
