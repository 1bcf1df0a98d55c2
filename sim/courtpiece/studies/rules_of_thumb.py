"""What is the best short rule for calling trump?

Rules that a person can remember, distilled from a book of all hands, each with what it costs in points a deal
against the book, beside what people say and the built-in callers.
"""

from __future__ import annotations

import json
import os.path
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from courtpiece.errors import CourtpieceError, UsageError
from courtpiece.language import Mean, Sentence, Share, Term, Words
from courtpiece.players import Lineup, parse_lineup, recall_lineup
from courtpiece.rules import RuleSet, Trump, name_of, preset
from courtpiece.stats import NORMAL, Estimates, Method, t_intervals
from courtpiece.store import read_metadata, read_table
from courtpiece.studies.book_rows import CLASSES, ROLES
from courtpiece.studies.estimates import estimate_row
from courtpiece.studies.study import (
    ESTIMATE_COLUMNS,
    Column,
    Kind,
    Parameters,
    Study,
    combination,
    parameter,
    schema,
    whole,
)
from courtpiece.studies.thumb_hands import ANY, ENOUGH, QUESTIONS, ThumbHands
from courtpiece.studies.thumb_rules import FAMILIES, Rule, callers, counts, folk, trees
from courtpiece.studies.trump_rows import CALLS

if TYPE_CHECKING:
    import polars as pl

    from courtpiece.plots import Figure

_MEASURES = ("cost", "held_out", "agreement", "points_ahead")
_QUESTION = Column("question", "category", "",
                   "any: which call, against the book's best; suit: which suit, where one must be called, "
                   "against the finest count",
                   QUESTIONS)
_CLASSES_A_CHUNK = 20_000


@dataclass(frozen=True)
class Source:
    """A book, by where it lies and what is in it."""

    path: str                           # "" for the one that comes with the package
    sha256: str                         # of its rows
    rules: str                          # the rule set in one line
    players: str

    def __str__(self) -> str:
        return self.path or _SHIPPED


_SHIPPED = "shipped"


def _read_source(value: Any) -> Source:
    """Returns the book that a path means, or the text of study.json; UsageError when there is none."""
    if isinstance(value, Source):
        return value
    if not isinstance(value, (str, Path)):
        raise UsageError(f"must be the folder of a run of trump-book, or the file of a book, not {value!r}")
    if (kept := _kept_source(str(value))) is not None:
        return kept
    if not str(value):
        raise UsageError('must be the folder of a run of trump-book, or the file of a book, not ""')
    path = _file(str(value))
    if not os.path.isfile(path):        # noqa: PTH113 (False, too, where no file can be)
        raise UsageError(f"{value}: there is no book; courtpiece run trump-book makes one")
    try:
        about = read_metadata(path)
        (line,), (players,) = about["rules"].values(), about["parameters"]["players"]
        sha256 = str(about["sha256"])
    except (CourtpieceError, KeyError, TypeError, AttributeError, ValueError):
        raise UsageError(f"{value} holds no book; courtpiece run trump-book makes one") from None
    return Source("" if value == _SHIPPED else str(value), sha256, line, players)


def _kept_source(text: str) -> Source | None:
    """Returns the book of which study.json keeps this text; None for another text, such as a path."""
    try:
        source = Source(**json.loads(text)) if text.startswith("{") else None
    except (ValueError, TypeError, RecursionError):
        return None
    return source if source and all(isinstance(value, str) for value in asdict(source).values()) else None


def _file(name: str) -> Path:
    """Returns the file that holds a book: a file, one in the folder of a run, or the package's own."""
    from courtpiece import books  # which reads runs, and so stands above the studies

    if name in ("", _SHIPPED):
        return books.path_of(preset("single-sir"), parse_lineup("greedy"))
    folder = os.path.isdir(name)        # noqa: PTH112 (as above)
    return Path(name) / "tables" / "book.parquet" if folder else Path(name)


def _recall_source(value: Any) -> Source:
    source = _kept_source(value) if isinstance(value, str) else None
    if source is None:
        raise UsageError("must be what a run keeps of a book")
    return source


BOOK = Kind("BOOK", _read_source, lambda source: json.dumps(asdict(source)), str, _recall_source)


@dataclass(frozen=True, kw_only=True)
class ThumbParameters(Parameters):
    """What the study can be asked."""

    rules: tuple[RuleSet, ...] = field(init=False)
    players: tuple[Lineup, ...] = field(init=False)
    seed: int = field(init=False, default=0)
    deals: int | None = field(init=False, default=None)
    precision: float | None = field(init=False, default=None)
    book: Source = parameter(  # noqa: RUF009 (as the base class's, a dataclass field)
        "the book to distil: the folder of a run of trump-book, or the file of a book", BOOK, _SHIPPED
    )
    hands: int | None = parameter(
        "how many classes of the book's hands, spread evenly", whole(1, CLASSES), None, optional=True,
        design=False,
    )

    def __post_init__(self) -> None:
        for name in ("rules", "players"):
            object.__setattr__(self, name, ())
        super().__post_init__()
        object.__setattr__(self, "rules", (RuleSet.from_string(self.book.rules),))
        object.__setattr__(self, "players", (recall_lineup(self.book.players),))
        if self.rules[0].trump is not Trump.CALLED:
            raise UsageError(f"book: rules of thumb are for calling a suit, and in {name_of(self.rules[0])} "
                             "none is called")


@cache
def _rows(source: Source) -> pl.DataFrame:
    """Returns the calls of all classes of a book, by class; UsageError when it is another one by now."""
    import polars as pl

    from courtpiece import books

    path = _file(source.path)
    table, about = read_table(path)
    if about["sha256"] != source.sha256:
        raise UsageError(f"book: {source} is not what it was")
    if "role" not in table.columns:
        book = books.Book(path, RuleSet.from_string(source.rules), parse_lineup(source.players), about)
        return book.rows()
    return table.select(
        "class", "weight", "cards", "call", "role", "rank", "points_ahead",
        (pl.col("points_ahead_half_width") / NORMAL).alias("error"),
        (pl.col("behind_half_width") / NORMAL).alias("behind_error"),
    )


class RulesOfThumb(Study[ThumbParameters]):
    """Short rules distilled from a book of all hands, and what each costs."""

    name = "rules-of-thumb"
    title = "Rules of thumb for calling trump"
    question = "Which short rule for calling trump costs least?"
    extent: ClassVar[str] = "hands"
    version: ClassVar[int] = 2
    default_units: ClassVar[int] = CLASSES
    parallel: ClassVar[Literal["threads", "processes"]] = "threads"
    Parameters: ClassVar[type[Parameters]] = ThumbParameters

    def units(self, p: ThumbParameters) -> int | None:
        there = _rows(p.book)["class"].n_unique()
        if p.hands and p.hands > there:
            raise UsageError(f"hands: the book has {there:,} classes, not {p.hands:,}")
        return p.hands or there

    def chunk_units(self, p: ThumbParameters) -> int:
        return _CLASSES_A_CHUNK

    def columns(self, p: ThumbParameters) -> tuple[Column, ...]:
        unit = str(p.rules[0].counting)
        return (
            Column("class", "uint32", "", "number of the class, alike but for the names of the suits"),
            Column("weight", "uint8", "hands", "how many hands are in it"),
            Column("cards", "text", "", "one of them, its suits in falling order"),
            Column("call", "category", "", "what eldest says", CALLS),
            Column("role", "category", "", "what the call is: of the suits in falling order", ROLES),
            Column("rank", "uint8", "", "in the book: 0 the best call, 1 the next best, …"),
            Column("points_ahead", "float64", unit, "what it is worth in the book"),
            Column("error", "float64", unit, "its standard error"),
            Column("behind_error", "float64", unit, "standard error of how far it is behind the best call"),
        )

    def table_columns(self, p: ThumbParameters) -> dict[str, tuple[Column, ...]]:
        unit = str(p.rules[0].counting)
        rule = (
            *combination(p), _QUESTION,
            Column("rule", "text", "", "its name"),
            Column("family", "category", "", "what people say, a built-in caller, a tree, a count of points",
                   FAMILIES),
            Column("size", "uint8", "", "things to remember: a tree's questions, a count's numbers"),
        )
        return {
            "summary": (
                *rule,
                Column("measure", "category", "", "cost: points a deal lost against the best over all hands; "
                       "held_out: the same for the rule fitted on half of the hands, on the other half; "
                       "agreement: how often it says the best; points_ahead: what it is worth",
                       _MEASURES),
                *ESTIMATE_COLUMNS,
            ),
            "rules": (
                *rule,
                Column("cost", "float64", unit, "points a deal lost against the best, over all hands"),
                Column("cost_half_width", "float64", unit, "how far the 95 % interval of cost reaches"),
                Column("agreement", "float64", "", "how often it says the best"),
                Column("words", "text", "", "the rule, in English"),
                Column("words_spelled", "text", "", "the rule as a term: if(question,yes,no), …"),
            ),
        }

    def chunk(self, p: ThumbParameters, start: int, stop: int) -> pl.DataFrame:
        import polars as pl

        rows = _rows(p.book)
        wanted = _spread(rows["class"].n_unique())[start:stop]
        return rows.filter(pl.col("class").rle_id().is_in(wanted)).select(
            pl.col(column.name).cast(column.dtype) for column in self.columns(p)
        )

    def summarise(self, p: ThumbParameters, shards: pl.LazyFrame) -> dict[str, pl.DataFrame]:
        import polars as pl

        hands = ThumbHands(shards.sort("class", "role").collect())
        where = {"rules": name_of(p.rules[0]), "players": str(p.players[0])}
        summary: list[dict[str, Any]] = []
        told: list[dict[str, Any]] = []
        english = Words(self.name)
        for question in hands.questions:
            for rule, measures in _judged(hands, question):
                about = {**where, "question": question, "rule": rule.name, "family": rule.family,
                         "size": rule.size}
                summary += [
                    {**about, "measure": measure, **estimate_row(found, len(hands), Method.T)}
                    for measure, found in measures.items()
                ]
                told.append({
                    **about, "cost": float(measures["cost"].value),
                    "cost_half_width": float(measures["cost"].half_width),
                    "agreement": float(measures["agreement"].value), "words": english.term(rule.spelled),
                    "words_spelled": rule.spelled,
                })
        columns = {name: schema(columns) for name, columns in self.table_columns(p).items()}
        return {"summary": pl.DataFrame(summary, schema=columns["summary"]),
                "rules": pl.DataFrame(told, schema=columns["rules"])}

    def headline(self, p: ThumbParameters, tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
        import polars as pl

        kept = pl.concat([_front(part) for part in tables["rules"].partition_by("question")])
        return kept.select("question", "size", "cost", "cost_half_width", "agreement", rule="words")

    def answer(self, p: ThumbParameters, tables: Mapping[str, pl.DataFrame]) -> Sequence[Sentence]:
        return list(_sentences(tables["rules"]))

    def figures(
        self, p: ThumbParameters, tables: Mapping[str, pl.DataFrame], words: Words
    ) -> Sequence[Figure]:
        from courtpiece.plots.rules_of_thumb import rules_of_thumb

        return rules_of_thumb(tables, words)


def _spread(classes: int) -> list[int]:
    """Returns the places of the classes in an order whose beginning is spread evenly over all."""
    golden = np.arange(classes) * ((np.sqrt(5) - 1) / 2) % 1
    return [int(place) for place in golden.argsort().argsort()]


def _judged(hands: ThumbHands, question: str) -> Iterator[tuple[Rule, dict[str, Estimates]]]:
    """Yields each rule with what it costs; distilled ones also on hands that had no part in their making."""
    halves = [np.arange(len(hands)) % 2 == half for half in (0, 1)]
    fitted = _distilled(hands, question)
    blind = [_distilled(hands.part(half), question) for half in halves] if len(hands) >= ENOUGH else []
    least: dict[str, float] = {}
    for rule in (*folk(question), *callers(question), *fitted.values()):
        measures = _measured(hands, question, [rule, rule])
        if rule.name in fitted:
            cost = float(measures["cost"].value)
            if not rule.size or cost > least.get(rule.family, np.inf) - _SAME:
                continue                # a deeper tree, a longer count that is no better
            least[rule.family] = cost
            if blind:
                crossed = _measured(hands, question, [made[rule.name] for made in reversed(blind)])
                measures["held_out"] = crossed["cost"]
            if len(hands) < CLASSES:
                measures |= {name: t_intervals(measures[name].value, np.nan, 0)
                             for name in _unsure(question) if name in measures}
        yield rule, measures


def _unsure(question: str) -> tuple[str, ...]:
    """Returns the measures of distilled rules of which some classes of hands tell, but not how surely.

    The hands that made a rule flatter it; and which suit is the best of a hand is a count fitted to them.
    """
    return ("cost", "agreement") if question == ANY else ("cost", "agreement", "held_out")


_SAME = 1e-6                            # points a deal


def _distilled(hands: ThumbHands, question: str) -> dict[str, Rule]:
    return {rule.name: rule for rule in (*trees(hands, question), *counts(hands, question))}


def _measured(hands: ThumbHands, question: str, by_half: Sequence[Rule]) -> dict[str, Estimates]:
    """Returns the estimates of a rule, or of two of one name, each for the classes of one half."""
    costs, errors, shares = (np.zeros(len(hands)) for _ in range(3))
    for half, rule in enumerate(by_half):
        members = np.arange(len(hands)) % 2 == half
        part = hands.part(members)
        costs[members], errors[members] = rule.cost(part, question)
        shares[members] = rule.share(part, question)
    best = hands.best(question)
    worth = hands.worth(best) - costs
    every = np.arange(len(hands))
    return {
        "cost": hands.mean(costs, errors),
        "agreement": hands.mean(shares, np.zeros(len(hands)), chance=True),
        "points_ahead": hands.mean(worth, np.hypot(hands.errors[every, best], errors)),
    }


def _front(rules: pl.DataFrame) -> pl.DataFrame:
    """Returns what people say, the callers, and of the distilled rules those that none as short betters."""
    import polars as pl

    keep, least = [], float("inf")
    for at, row in enumerate(rules.sort("size", "cost", maintain_order=True).iter_rows(named=True)):
        distilled = row["family"] in ("tree", "count")
        if not distilled or row["cost"] < least:
            keep.append(at)
        if row["family"] != "caller":
            least = min(least, row["cost"])
    chosen = rules.sort("size", "cost", maintain_order=True)[keep]
    return chosen.sort("cost", descending=True, maintain_order=True).select(pl.all())


def _sentences(rules: pl.DataFrame) -> Iterator[Sentence]:
    """Yields the shortest good rule for each question, and what it costs."""
    import polars as pl

    for (question,), part in rules.partition_by("question", as_dict=True, maintain_order=True).items():
        cheapest = float(part.filter(pl.col("family") != "caller")["cost"].min())       # type: ignore[arg-type]
        good = part.filter(pl.col("cost") <= cheapest + _CLOSE).sort("size", "cost", maintain_order=True)
        best = good.row(0, named=True)
        free = best["cost"] + best["cost_half_width"] < _NOTHING
        yield Sentence(f"{question}-free" if free else str(question), {
            "rule": Term(best["words_spelled"]), "cost": Mean(best["cost"], best["cost_half_width"]),
            "agreement": Share(best["agreement"]),
        })
        for name in ("longest", "A4 K3 Q2 J1"):
            row = part.filter(rule=name).row(0, named=True)
            if name != best["rule"]:
                yield Sentence(f"{question}-folk", {
                    "rule": Term(row["words_spelled"]), "cost": Mean(row["cost"], row["cost_half_width"]),
                })


_CLOSE = 0.003                          # points a deal that nobody minds
_NOTHING = 0.0005                       # … that are printed as none
