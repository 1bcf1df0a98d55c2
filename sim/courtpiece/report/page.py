"""The page that shows a run: its answer, figures, tables, method, and the command that makes it again.

What is said on it in words lies in `texts/` (see `courtpiece.language`); a study without texts gets the rest.
The same folder gives the same page, to the last byte, with the same versions of what draws it.
"""

from __future__ import annotations

import platform
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from courtpiece.language import Words, is_finite, is_number
from courtpiece.places import local_copies, write_whole
from courtpiece.rules import RuleSet
from courtpiece.stats import LEVEL
from courtpiece.studies.estimates import half_width
from courtpiece.studies.study import ESTIMATE_COLUMNS, Column

if TYPE_CHECKING:
    import polars as pl

    from courtpiece.results import Run

_FOLDER = Path(__file__).parent
_LONGEST = 40                           # rows of a table that is shown whole
_P_VALUES = ("p_value", "p_holm")
_MOST_REASONS = 5                       # why units were left out
_CERTAIN = 100.0                        # per cent


class Cell(NamedTuple):
    """A cell of a table: what it shows, and the number by which it is sorted, if it is one."""

    text: str
    value: float | None = None


@dataclass(frozen=True, kw_only=True)
class PageTable:
    """A table as the page shows it."""

    name: str
    title: str
    caption: str
    heads: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    numbers: Sequence[bool]             # by column: it holds numbers


def write(run: Run, lang: str = "en", *, pdf: bool = False) -> Path:
    """Writes the page into the run's folder, and prints it if asked; returns the path of what was made."""
    page = run.folder.page_file(lang)
    write_whole(page, render(run, lang).encode())
    if not pdf:
        return page
    from courtpiece.report.pdf import print_page

    printed = run.folder.page_file(lang, "pdf")
    print_page(local_copies(run.path, [page.name])[0], printed)
    return printed


def render(run: Run, lang: str = "en") -> str:
    """Returns the page; raises RunError when the run is not complete, UsageError for an unknown language."""
    words = Words(run.design.study, lang)
    headline, tables = _as_spelled(run.headline, run.tables)
    hidden = words.names("hidden")
    shown = [
        _page_table(name, table, words)
        for name, table in tables.items()
        if name not in hidden and 0 < _shown_rows(table) <= _LONGEST
    ]
    page: str = template("page.html.j2").render(
        words=words,
        title=words.text("title", run.study.title),
        question=words.text("question", run.study.question),
        answer=run.answer(lang),
        headline=_page_table("headline", headline, words),
        figures=run.plot(lang),
        tables=shown,
        facts=_facts(run, words),
        method=_method(run, words),
        level=words.percent(f"{100 * LEVEL:g}"),
        rules=[
            (name, line, list(_options(RuleSet.from_string(line), words)))
            for name, line in run.design.rules.items()
        ],
        command=run.design.command,
        provenance=_provenance(run, words),
        files=_files(run, words),
    )
    return page


def _method(run: Run, words: Words) -> list[str]:
    """Returns the paragraphs that tell how the numbers came about."""
    told = words.paragraphs("method")
    if run.parameters.solved:
        told += words.paragraphs("double_dummy")
    if any(rules.claim for rules in run.parameters.rules):
        told += words.paragraphs("claim")
    return told


def _facts(run: Run, words: Words) -> list[tuple[str, str]]:
    """Returns the parameters as a person would type them, and how much was played."""
    unit = run.design.unit
    told = {name: text for name, text in run.design.shown.items() if text and name != unit}
    return [
        *((words.head(name), words.name(text)) for name, text in told.items()),
        (words.head(unit), words.whole(run.units)),
        *_left_out(run, words),
    ]


def _left_out(run: Run, words: Words) -> Iterator[tuple[str, str]]:
    """Yields how many units are in no result, and why the first of them are not."""
    left_out = run.left_out
    if left_out:
        reasons = [words.name(f"{unit.unit}: {unit.why}") for unit in left_out[:_MOST_REASONS]]
        more = ["…"] if len(left_out) > _MOST_REASONS else []
        told = words.page("left_out_told", count=words.whole(len(left_out)), all=words.whole(run.units))
        yield words.page("left_out"), "\n".join([told, *reasons, *more])


def _options(rules: RuleSet, words: Words) -> Iterator[tuple[str, str, str]]:
    """Yields each option that is not at its default: name, value, what the option decides."""
    values = rules.to_dict()
    for option in fields(RuleSet):
        if getattr(rules, option.name) != getattr(RuleSet(), option.name):
            value = values[option.name]
            if isinstance(value, Mapping):
                value = ", ".join(f"{row.replace('_', ' ')} {points}" for row, points in value.items())
            text = str(value).lower() if isinstance(value, bool) else str(value)
            doc = words.table("options", option.name) or option.metadata["doc"]
            yield words.name(option.name), words.name(text), doc


def _provenance(run: Run, words: Words) -> list[tuple[str, str]]:
    import matplotlib as mpl
    import numpy as np
    import polars as pl

    from courtpiece._kernel import engine

    drawn_with = (
        f"Python {platform.python_version()}, numpy {np.__version__}, polars {pl.__version__}, "
        f"matplotlib {mpl.__version__}"
    )
    told = {
        "made_by": f"courtpiece {run.design.package}",
        "behaviour": run.design.behaviour,
        "kernel": engine.__name__.rpartition(".")[2],
        "drawn_with": drawn_with,
    }
    return [(words.page(key), words.name(text)) for key, text in told.items()]


def _files(run: Run, words: Words) -> list[tuple[str, str, Sequence[Column]]]:
    """Returns the files of the folder: path, what is in it, its columns."""
    results = "shards/*.parquet", words.page("results"), run.study.columns(run.parameters)
    found: list[tuple[str, str, Sequence[Column]]] = [results]
    for name, columns in run.study.table_columns(run.parameters).items():
        path = run.folder.table_file(name).relative_to(run.path).as_posix()
        found.append((path, words.page("table", name=name, rows=len(run.tables[name])), columns))
    return found


# Tables


def _shown_rows(table: pl.DataFrame) -> int:
    return len(_spread(table)[0]) if _is_long(table) else len(table)


_ESTIMATES = tuple(column.name for column in ESTIMATE_COLUMNS)


def _is_long(table: pl.DataFrame) -> bool:
    """True for a table with a row for each measure, and nothing but names beside its estimates."""
    names = [name for name, dtype in table.schema.items() if not dtype.is_numeric()]
    return "measure" in names and {*names, *_ESTIMATES} >= set(table.columns) >= set(_ESTIMATES)


def _page_table(name: str, table: pl.DataFrame, words: Words) -> PageTable:
    varying = [
        column for column in table.columns
        if column not in ("rules", "players", "first") or table[column].n_unique() > 1
    ]
    table = table.select(varying)
    heads, rows = _measures(table, words) if _is_long(table) else _cells(table, words)
    return PageTable(
        name=name,
        title=words.table("titles", name) or name.replace("_", " "),
        caption=next(filter(None, (words.table("captions", key) for key in (name, *table.columns))), ""),
        heads=heads,
        rows=rows,
        numbers=[all(is_number(row[at].text) for row in rows) for at in range(len(heads))],
    )


def _head(column: str, words: Words) -> str:
    told = column in words.names("percent") and column not in words.names("bare")
    return words.in_percent(words.head(column)) if told else words.head(column)


def _unknown_alone(table: pl.DataFrame) -> list[str]:
    """Returns the half-widths that are unknown where their value is known: of means over a single hand."""
    return [
        f"{name}_half_width" for name in table.columns
        if f"{name}_half_width" in table.columns and table[name].null_count() == 0
    ]


def _cells(table: pl.DataFrame, words: Words) -> tuple[list[str], list[list[Cell]]]:
    """Returns a table's heads and rows, a value and its half-width in one cell."""
    import polars as pl

    percent = [column for column in table.columns if column in words.names("percent")]
    both = [*percent, *(f"{column}_half_width" for column in percent)]
    table = table.with_columns(pl.col(column) * 100 for column in both if column in table.columns)
    table = table.drop_nulls(_unknown_alone(table))
    names = [name for name in table.columns if not name.endswith("_half_width")]
    columns = []
    for name in names:
        if f"{name}_half_width" in table.columns:
            pairs = zip(table[name], table[f"{name}_half_width"], strict=True)
            certain = _CERTAIN if name in percent else None
            columns.append([_estimate(mean, half, words, certain) for mean, half in pairs])
        else:
            columns.append([_plain(value, name, words) for value in table[name]])
    return [_head(name, words) for name in names], [list(row) for row in zip(*columns, strict=True)]


def _plain(value: object, column: str, words: Words) -> Cell:
    if value is None:
        return Cell("–")
    if isinstance(value, float):
        told = words.p_value(value) if column in _P_VALUES else words.number(value)
        return Cell(told, value if is_finite(value) else None)
    if isinstance(value, int) and not isinstance(value, bool):
        return Cell(words.whole(value), value)
    return Cell(words.term(str(value), column))


def _estimate(
    value: float | None, half_width: float, words: Words, certain: float | None = None
) -> Cell:
    if value is None:
        return Cell("–")
    known = is_finite(value) and is_finite(half_width)
    return Cell(words.estimate(value, half_width, certain), value if known else None)


def _as_spelled(
    headline: pl.DataFrame, tables: Mapping[str, pl.DataFrame]
) -> tuple[pl.DataFrame, Mapping[str, pl.DataFrame]]:
    """Returns tables that have terms for English texts, where a column `…_spelled` tells them."""
    import polars as pl
    import polars.selectors as cs

    terms: dict[str, str] = {}
    for table in tables.values():
        for spelled in table.select(cs.ends_with("_spelled")):
            terms |= zip(table[spelled.name.removesuffix("_spelled")], spelled, strict=True)

    def told(table: pl.DataFrame) -> pl.DataFrame:
        return table.select(~cs.ends_with("_spelled")).with_columns(pl.col(pl.String).replace(terms))

    return told(headline), {name: told(table) for name, table in tables.items()}


Spread = dict[tuple[str, ...], dict[tuple[str, ...], Mapping[str, Any]]]


def _spread(table: pl.DataFrame) -> tuple[Spread, Sequence[str], Sequence[str]]:
    """Returns the estimates of a long table: by measure and side, then by all else that tells rows apart.

    The names of the columns of both kinds follow.
    """
    down = [name for name in ("measure", "side") if name in table.columns]
    across = [name for name in table.columns if name not in _ESTIMATES and name not in down]
    found: Spread = {}
    for row in table.iter_rows(named=True):
        line = found.setdefault(tuple(_named(row[name]) for name in down), {})
        line[tuple(_named(row[name]) for name in across)] = row
    return found, down, across


def _named(value: object) -> str:
    return "–" if value is None else str(value)


def _measures(table: pl.DataFrame, words: Words) -> tuple[list[str], list[list[Cell]]]:
    """Returns a long table with a line for each measure and a column for each rule set, players, policy."""
    found, down, across = _spread(table)
    columns = list(dict.fromkeys(column for line in found.values() for column in line))
    heads = ["", *(" · ".join(map(words.term, column, across)) for column in columns)]
    rows = []
    for (measure, *side), line in found.items():
        scale = 100 if measure in words.names("percent") else 1
        label = " · ".join([_head(measure, words), *map(words.term, side, down[1:])])
        cells = [
            _estimate(scale * line[column]["value"],
                      scale * half_width(line[column]), words)
            if column in line else Cell("–")
            for column in columns
        ]
        rows.append([Cell(label), *cells])
    return heads, rows


@cache
def template(name: str) -> Any:
    """Returns a template of this folder, which escapes all that it is given."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_FOLDER), autoescape=True, undefined=jinja2.StrictUndefined,
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True,
    )
    return environment.get_template(name)
