"""The page that shows a run: its answer, figures, tables, method, and the command that makes it again.

What is said on it in words about a study lies in `texts/NAME.toml`; a study without one gets the rest.
The same folder gives the same page, to the last byte, with the same versions of what draws it.
"""

from __future__ import annotations

import platform
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from courtpiece.rules import RuleSet
from courtpiece.stats import LEVEL, decimals
from courtpiece.store import write_whole
from courtpiece.studies.study import ESTIMATE_COLUMNS, Column

if TYPE_CHECKING:
    import polars as pl

    from courtpiece.run import Run

_FOLDER = Path(__file__).parent
_LONGEST = 40                           # rows of a table that is shown whole
_CERTAIN = 100.0                        # per cent


@dataclass(frozen=True, kw_only=True)
class Texts:
    """What is said about a study in words."""

    method: Sequence[str] = ()
    double_dummy: Sequence[str] = ()    # what is added where players see all cards
    claim: Sequence[str] = ()           # what is added where the rules have a claim of all thirteen
    titles: Mapping[str, str] = field(default_factory=dict)         # of tables
    captions: Mapping[str, str] = field(default_factory=dict)       # of tables, by name or by a column
    heads: Mapping[str, str] = field(default_factory=dict)          # of columns and measures
    values: Mapping[str, str] = field(default_factory=dict)         # what is written for a value
    percent: Sequence[str] = ()         # columns and measures that are chances, shown in per cent
    bare: Sequence[str] = ()            # those of them whose head does not say so
    hidden: Sequence[str] = ()          # tables that the figures and other tables tell in full


@dataclass(frozen=True, kw_only=True)
class PageTable:
    """A table as the page shows it."""

    name: str
    title: str
    caption: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    numbers: Sequence[bool]             # by column: it holds numbers


def write(run: Run) -> Path:
    """Writes the page into the run's folder and returns its path."""
    write_whole(run.folder.report_file, render(run).encode())
    return run.folder.report_file


def render(run: Run) -> str:
    """Returns the page; raises RunError when the run is not complete."""
    texts = _texts(run.design.study)
    tables = run.tables
    shown = [
        _page_table(name, table, texts)
        for name, table in tables.items()
        if name not in texts.hidden and 0 < _shown_rows(table) <= _LONGEST
    ]
    page: str = template("page.html.j2").render(
        title=run.study.title,
        question=run.study.question,
        answer=_page_table("headline", run.headline, texts),
        figures=run.plot(),
        tables=shown,
        facts=_facts(run),
        method=_method(run, texts),
        level=f"{100 * LEVEL:g} %",
        rules=[
            (name, line, list(_options(RuleSet.from_string(line)))) for name, line in run.design.rules.items()
        ],
        command=run.design.command,
        provenance=_provenance(run),
        files=_files(run),
    )
    return page


def _method(run: Run, texts: Texts) -> list[str]:
    """Returns the paragraphs that tell how the numbers came about."""
    told = list(texts.method)
    if run.parameters.solved:
        told += texts.double_dummy
    if any(rules.claim for rules in run.parameters.rules):
        told += texts.claim
    return told


def _facts(run: Run) -> list[tuple[str, str]]:
    """Returns the parameters as a person would type them, and how much was played."""
    unit = run.design.unit
    told = {name: text for name, text in run.design.shown.items() if text and name != unit}
    return [*told.items(), (unit, f"{run.units:,}")]


def _options(rules: RuleSet) -> Iterator[tuple[str, str, str]]:
    """Yields each option that is not at its default: name, value, what the option decides."""
    values = rules.to_dict()
    for option in fields(RuleSet):
        if getattr(rules, option.name) != getattr(RuleSet(), option.name):
            value = values[option.name]
            if isinstance(value, Mapping):
                value = ", ".join(f"{row.replace('_', ' ')} {points}" for row, points in value.items())
            text = str(value).lower() if isinstance(value, bool) else str(value)
            yield option.name, text, option.metadata["doc"]


def _provenance(run: Run) -> list[tuple[str, str]]:
    import matplotlib as mpl
    import numpy as np
    import polars as pl

    from courtpiece._kernel import engine

    drawn_with = (
        f"Python {platform.python_version()}, numpy {np.__version__}, polars {pl.__version__}, "
        f"matplotlib {mpl.__version__}"
    )
    return [
        ("made by", f"courtpiece {run.design.package}"),
        ("behaviour", run.design.behaviour),
        ("kernel", engine.__name__.rpartition(".")[2]),
        ("page drawn with", drawn_with),
    ]


def _files(run: Run) -> list[tuple[str, str, Sequence[Column]]]:
    """Returns the files of the folder: path, what is in it, its columns."""
    results = "shards/*.parquet", "the results, in chunks", run.study.columns(run.parameters)
    found: list[tuple[str, str, Sequence[Column]]] = [results]
    for name, columns in run.study.table_columns(run.parameters).items():
        path = run.folder.table_file(name).relative_to(run.path).as_posix()
        found.append((path, f"table “{name}”, {len(run.tables[name]):,} rows", columns))
    return found


# Tables


def _shown_rows(table: pl.DataFrame) -> int:
    return len(_spread(table)) if _is_long(table) else len(table)


def _is_long(table: pl.DataFrame) -> bool:
    """True for a table with a row for each measure."""
    return "measure" in table.columns and {column.name for column in ESTIMATE_COLUMNS} <= set(table.columns)


def _page_table(name: str, table: pl.DataFrame, texts: Texts) -> PageTable:
    import polars as pl

    varying = [
        column for column in table.columns
        if column not in ("rules", "players", "first") or table[column].n_unique() > 1
    ]
    table = table.select(varying)
    if _is_long(table):
        heads, rows = _measures(table, texts)
    else:
        percent = [column for column in table.columns if column in texts.percent]
        both = [*percent, *(f"{column}_half_width" for column in percent)]
        table = table.with_columns(pl.col(column) * 100 for column in both if column in table.columns)
        table = table.drop_nulls(_unknown_alone(table))
        heads, rows = _cells(table, percent)
        heads = [_head(head, texts, percent=head in percent) for head in heads]
        rows = [[texts.values.get(cell, cell) for cell in row] for row in rows]
    return PageTable(
        name=name,
        title=texts.titles.get(name, name.replace("_", " ")),
        caption=next((texts.captions[key] for key in (name, *table.columns) if key in texts.captions), ""),
        heads=heads,
        rows=rows,
        numbers=[all(_is_number(row[at]) for row in rows) for at in range(len(heads))],
    )


def _is_number(cell: str) -> bool:
    return cell in ("", "–") or cell.lstrip("−<> ")[:1].isdigit()


def _head(column: str, texts: Texts, *, percent: bool) -> str:
    told = percent and column not in texts.bare
    return texts.heads.get(column, column.replace("_", " ")) + (", %" if told else "")


def _unknown_alone(table: pl.DataFrame) -> list[str]:
    """Returns the half-widths that are unknown where their value is known: of means over a single hand."""
    return [
        f"{name}_half_width" for name in table.columns
        if f"{name}_half_width" in table.columns and table[name].null_count() == 0
    ]


def _cells(table: pl.DataFrame, percent: Sequence[str]) -> tuple[list[str], list[list[str]]]:
    """Returns a table's heads and rows as text, a value and its half-width in one cell."""
    heads = [name for name in table.columns if not name.endswith("_half_width")]
    columns = []
    for name in heads:
        if f"{name}_half_width" in table.columns:
            pairs = zip(table[name], table[f"{name}_half_width"], strict=True)
            certain = _CERTAIN if name in percent else None
            columns.append(["–" if mean is None else _estimate(mean, half, certain) for mean, half in pairs])
        else:
            columns.append([_plain(value) for value in table[name]])
    return heads, [list(row) for row in zip(*columns, strict=True)]


def _plain(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _estimate(value: float, half_width: float, certain: float | None = None) -> str:
    """Returns `value ± half-width`, rounded as the half-width deserves, to three decimals at most.

    Where nothing, or everything up to `certain`, was seen, the interval has one end: `< 0.6`, `> 93`.
    """
    digits = min(3, decimals(half_width, unknown=3))
    if certain is not None and value in (0, certain):
        end = 2 * half_width if value == 0 else certain - 2 * half_width
        return f"{'<' if value == 0 else '>'} {end:.{digits}f}"
    return f"{value:.{digits}f} ± {half_width:.{digits}f}".replace("-", "−")


def _spread(table: pl.DataFrame) -> dict[tuple[str, ...], dict[tuple[str, ...], Mapping[str, Any]]]:
    """Returns the estimates of a long table: by measure and side, then by all else that tells rows apart."""
    estimates = {column.name for column in ESTIMATE_COLUMNS}
    down = [name for name in ("measure", "side") if name in table.columns]
    across = [name for name in table.columns if name not in estimates and name not in down]
    found: dict[tuple[str, ...], dict[tuple[str, ...], Mapping[str, Any]]] = {}
    for row in table.iter_rows(named=True):
        line = found.setdefault(tuple(str(row[name]) for name in down), {})
        line[tuple(str(row[name]) for name in across)] = row
    return found


def _measures(table: pl.DataFrame, texts: Texts) -> tuple[list[str], list[list[str]]]:
    """Returns a long table with a line for each measure and a column for each rule set, players, policy."""
    found = _spread(table)
    columns = list(dict.fromkeys(column for line in found.values() for column in line))
    heads = ["", *(" · ".join(texts.values.get(part, part) for part in column) for column in columns)]
    rows = []
    for (measure, *side), line in found.items():
        scale = 100 if measure in texts.percent else 1
        whose = [texts.values.get(name, name) for name in side]
        label = " · ".join([_head(measure, texts, percent=scale == 100), *whose])
        cells = [
            _estimate(scale * line[column]["value"], scale * (line[column]["high"] - line[column]["low"]) / 2)
            if column in line else "–"
            for column in columns
        ]
        rows.append([label, *cells])
    return heads, rows


# Words


@cache
def _texts(study: str) -> Texts:
    path = _FOLDER / "texts" / f"{study}.toml"
    return Texts(**tomllib.loads(path.read_text(encoding="utf-8"))) if path.exists() else Texts()


@cache
def template(name: str) -> Any:
    """Returns a template of this folder, which escapes all that it is given."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_FOLDER), autoescape=True, undefined=jinja2.StrictUndefined,
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True,
    )
    return environment.get_template(name)
