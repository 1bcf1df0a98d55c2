"""Books of trump calls that come with the package, and answers from them.

A book is one Parquet file, made by `python -m courtpiece.books RUN` out of the folder of a whole run of the
study trump-book.  COLUMNS says what is in it; points follow from its counts and the score of the rules.
A book of other rules or players, or of an older behaviour, is never used.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from courtpiece.advice import Advice, Calls, CallValue, read_five
from courtpiece.advice import call as played
from courtpiece.cards import Card, class_from_index
from courtpiece.design import BEHAVIOUR
from courtpiece.errors import RunError
from courtpiece.players import Lineup, parse_lineup
from courtpiece.results import Run
from courtpiece.rules import Counting, Outcome, RuleSet, RulesSpec, name_of, resolve
from courtpiece.stats import Method, mean, means, proportion, with_error
from courtpiece.store import read_metadata, read_table, write_table
from courtpiece.studies.book_rows import CLASSES, ROLES, role_of
from courtpiece.studies.study import Column
from courtpiece.studies.trump_book import TrumpBook
from courtpiece.studies.trump_rows import CALLS

if TYPE_CHECKING:
    import polars as pl

COLUMNS = (
    Column("class", "uint32", "", "number of the class of five-card hands, alike but for the names of suits"),
    Column("call", "category", "", "what eldest says, in the suits of the class's canonical hand", CALLS),
    Column("rank", "uint8", "", "0 the best call, 1 the next best, …, as other deals than these chose"),
    Column("deals", "uint32", "deals", "on which it was valued"),
    Column("wins", "uint32", "deals", "of them won by the caller's side"),
    Column("kots", "uint32", "deals", "of them won by the caller's side with a kot"),
    Column("conceded", "uint32", "deals", "of them won by the defenders with a kot"),
    Column("tricks", "uint16", "1/100 trick", "mean of the tricks its side takes until the deal ends"),
    Column("tricks_error", "uint16", "1/100 trick", "its standard error"),
    Column("behind_error", "uint16", "1/1000",
           "standard error of the points a deal behind the best call, paired on the same deals"),
)

Numbers = NDArray[np.int64]

# Not importlib.resources: of a package in place they do not know files that came after its installation.
_FOLDER = Path(__file__).parent


def call(
    hand: str | Iterable[Card],
    *,
    rules: RulesSpec = "single-sir",
    players: Lineup | str = "greedy",
    deals: int | None = None,
    precision: float | None = None,
    seed: int | None = None,
) -> Advice:
    """Returns which call is best on five cards, and how good each is.

    The answer comes from a book that lies ready, where there is one for these rules and players.  With
    `deals` (40,000; 1,000 with `double-dummy`), `precision` or `seed` (1) the calls are played: see
    `courtpiece.advice.call`.
    Raises CardError for what is no calling hand, RulesError and UsageError for the rest.
    """
    five = read_five(hand)
    asked, lineup = resolve(rules), parse_lineup(players) if isinstance(players, str) else players
    if deals is None and precision is None and seed is None:
        book = shipped(asked, lineup)
        if book is not None:
            return book.advice(five)
    return played(
        five, rules=asked, players=lineup, deals=deals, precision=precision, seed=1 if seed is None else seed
    )


@dataclass(frozen=True)
class Book:
    """The file of a book, and what it says of itself."""

    path: Path
    rules: RuleSet
    players: Lineup
    about: Mapping[str, Any]

    @property
    def stale(self) -> bool:
        """True when the rules or players are others than when it was made, or play otherwise today."""
        made_for = list(self.about["rules"].values()), self.about["parameters"]["players"]
        return made_for != ([str(self.rules)], [str(self.players)]) or self.about["behaviour"] != behaviour()

    def table(self) -> pl.DataFrame:
        """Returns all rows, by class; RunError when the file is damaged."""
        return read_table(self.path)[0]

    def rows(self) -> pl.DataFrame:
        """Returns the same as the study's table of the book has: a row for each call, with means and errors.

        The columns are class, weight, cards, call, role, rank, points_ahead, error and behind_error.
        """
        import polars as pl

        table, roles = self.table(), {word: role_of(word) for word in CALLS}
        classes = [class_from_index(index) for index in table["class"].unique(maintain_order=True)]
        about = pl.DataFrame({
            "class": [each.index for each in classes], "weight": [each.weight for each in classes],
            "cards": list(map(str, classes)),
        }, schema={"class": pl.UInt32, "weight": pl.UInt8, "cards": pl.String})
        counted = (table[name].to_numpy().astype(np.int64) for name in _COUNTED)
        found = means(table["deals"].to_numpy(), *points(self.rules, *counted))
        return table.join(about, on="class", how="left", maintain_order="left").select(
            "class", "weight", "cards", "call",
            pl.col("call").cast(pl.String).replace_strict(roles, return_dtype=pl.Enum(ROLES)).alias("role"),
            "rank", pl.Series("points_ahead", found.value), pl.Series("error", found.standard_error),
            (pl.col("behind_error") / 1000).alias("behind_error"),
        )

    def advice(self, five: tuple[Card, ...]) -> Advice:
        """Returns the answer to one hand; CardError for what is none."""
        import polars as pl

        calls = Calls.of(five, self.rules)
        found = pl.scan_parquet(self.path).filter(pl.col("class") == calls.hand_class.index).collect()
        rows = {str(row["call"]): row for row in found.iter_rows(named=True)}
        values = [
            self._value(words, rows[said]) for words, said in zip(calls.words, calls.canonical, strict=True)
        ]
        ranked = sorted(zip(calls.canonical, values, strict=True), key=lambda told: rows[told[0]]["rank"])
        (_, best), (next_said, runner_up) = ranked[:2]
        ahead = best.points.value - runner_up.points.value
        return Advice(
            hand=five, rules=self.rules, players=self.players, seed=self.about["parameters"]["seed"],
            deals=best.points.n, calls=tuple(sorted(values, key=lambda value: -value.points.value)),
            best=best, runner_up=runner_up,
            lead=with_error(ahead, rows[next_said]["behind_error"] / 1000, best.points.n, Method.PAIRED_T),
            source=self._source(values),
        )

    def _value(self, words: tuple[str, ...], row: Mapping[str, Any]) -> CallValue:
        n = row["deals"]
        total, squares = points(self.rules, *(np.array(row[name]) for name in _COUNTED))
        return CallValue(
            words=words,
            win=proportion(row["wins"], n),
            kot=proportion(row["kots"], n),
            conceded=proportion(row["conceded"], n),
            points=mean(n, int(total), int(squares)),
            tricks=with_error(row["tricks"] / 100, row["tricks_error"] / 100, n, Method.T),
        )

    def _source(self, values: Iterable[CallValue]) -> str:
        few, many = min(value.points.n for value in values), max(value.points.n for value in values)
        deals = f"{few:,} deals for each call"
        if few < many:
            deals = f"{many:,} deals for the two best calls, {few:,} for the others"
        return (f"from the book of all hands ({deals}, seed {self.about['parameters']['seed']}, behaviour "
                f"{self.about['behaviour']}); a seed or a number of deals plays them anew")


_COUNTED = ("deals", "wins", "kots", "conceded")


def points(
    rules: RuleSet, deals: Numbers, wins: Numbers, kots: Numbers, conceded: Numbers
) -> tuple[Numbers, Numbers]:
    """Returns the sums of the points ahead and of their squares, where deals end in the four usual ways."""
    score = rules.kots_of if rules.counting is Counting.KOTS else rules.score_of
    ended = {
        (Outcome.CALLER_WIN, True): wins - kots, (Outcome.CALLER_KOT, True): kots,
        (Outcome.DEFENDER_WIN, False): deals - wins - conceded, (Outcome.DEFENDER_KOT, False): conceded,
    }
    ahead = {how: score(*how) * (1 if how[1] else -1) for how in ended}
    return (np.asarray(sum(ahead[how] * ended[how] for how in ended)),
            np.asarray(sum(ahead[how] ** 2 * ended[how] for how in ended)))


def behaviour() -> str:
    """Returns the behaviour of which a book must be to be used."""
    return f"courtpiece {BEHAVIOUR}, {TrumpBook.name} {TrumpBook.version}"


def shipped(rules: RuleSet, players: Lineup) -> Book | None:
    """Returns the book that comes with the package for these rules and players; None without a fresh one."""
    path = path_of(rules, players)
    try:
        if not path.is_file():
            return None
    except OSError:                     # a name longer than a file may have: no such book comes with it
        return None
    book = Book(path, rules, players, read_metadata(path))
    return None if book.stale else book


def path_of(rules: RuleSet, players: Lineup) -> Path:
    """Returns where the package would have the book for these rules and players."""
    return _FOLDER / f"{name_of(rules)}-{players}.parquet".replace("/", "_")


def write(run: Run, path: Path) -> Path:
    """Writes the book of a whole run of trump-book as one file, and returns its path.

    Raises RunError for any other run, and for rules under which points do not follow from the counts.
    """
    import polars as pl

    if run.design.study != TrumpBook.name or run.units != CLASSES or not run.complete:
        raise RunError(f"{run.folder} is no complete run of {TrumpBook.name} over all {CLASSES:,} classes")
    rows = run.scan().filter(stage="book").sort("class", "place").collect()
    rules = run.parameters.rules[0]
    told = points(rules, *(rows[name].to_numpy() for name in _COUNTED))
    if not all(np.array_equal(sums, rows[name].to_numpy())
               for sums, name in zip(told, ("points", "points_squared"), strict=True)):
        raise RunError(f"{run.folder}: the points of {name_of(rules)} do not follow from wins and kots")

    def error(name: str) -> pl.Expr:
        n, squares = pl.col("deals"), pl.col(f"{name}_squared")
        return ((squares / n - (pl.col(name) / n) ** 2).clip(0) / (n - 1)).sqrt()

    scaled = rows.with_columns(
        (pl.col("tricks") / pl.col("deals") * 100).round(),
        (error("tricks") * 100).round().alias("tricks_error"),
        (error("behind") * 1000).round().alias("behind_error"),
    )
    about = {
        "format": 1, "study": run.design.study, "behaviour": run.design.behaviour,
        "package": run.design.package, "parameters": dict(run.design.parameters),
        "rules": dict(run.design.rules), "command": run.design.command,
        "columns": [{"name": column.name, "type": column.type, "unit": column.unit, "meaning": column.meaning}
                    for column in COLUMNS],
    }
    columns = [pl.col(column.name).cast(column.dtype) for column in COLUMNS]
    write_table(path, scaled.select(columns), COLUMNS, about, compression_level=19)
    return path
