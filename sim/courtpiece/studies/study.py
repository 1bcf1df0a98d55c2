"""What every study is: parameters, chunks of results, tables made from them.

A study is a question about the game that deals answer.  Its work is counted in *units* (deals, or
hands), numbered from 0.  `chunk` plays some of them; what it returns depends on the parameters and the
numbers of the units alone, so that it does not matter who plays which chunk, when, or in what order.
`summarise` makes the study's tables out of all chunks.  Where they are played and kept is no concern of
the study.

A study's rows hold whole numbers (counts, sums, sums of squares) as far as they can.  Sums of those are
the same in every order; fractions come last, in the tables.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import Field, dataclass, field, fields
from decimal import Decimal
from math import isfinite
from time import perf_counter
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, Self, TypeVar

from courtpiece.errors import PlayerError, UsageError, suggest
from courtpiece.players import Lineup, OwnPlayer, PlayerSpec, check_lineup, parse_lineup, recall_lineup
from courtpiece.rules import RuleSet, name_of, resolve
from courtpiece.rules.values import show
from courtpiece.stats import UNKNOWN, Method, plus_minus
from courtpiece.studies.estimates import half_width

if TYPE_CHECKING:
    import polars as pl

    from courtpiece.language import Sentence, Words
    from courtpiece.plots import Figure

ColumnType = Literal[
    "uint8", "uint16", "uint32", "uint64", "int32", "int64", "float64", "bool", "text", "category"
]


@dataclass(frozen=True)
class Column:
    """One column of a table on disk, documented in the file itself."""

    name: str
    type: ColumnType
    unit: str                           # "" for a pure number or a name
    meaning: str
    values: tuple[str, ...] = ()        # of a "category", in the order of their codes

    @property
    def dtype(self) -> pl.DataType:
        """The polars type; a category is an Enum, which Parquet keeps as a dictionary of strings."""
        import polars as pl

        if self.type == "category":
            return pl.Enum(list(self.values))
        return {
            "uint8": pl.UInt8(), "uint16": pl.UInt16(), "uint32": pl.UInt32(), "uint64": pl.UInt64(),
            "int32": pl.Int32(), "int64": pl.Int64(), "float64": pl.Float64(), "bool": pl.Boolean(),
            "text": pl.String(),
        }[self.type]


def schema(columns: Iterable[Column]) -> dict[str, pl.DataType]:
    """Returns the polars schema of some columns."""
    return {column.name: column.dtype for column in columns}


# What every table of estimates says about each of them, after the columns that name it.
ESTIMATE_COLUMNS = (
    Column("value", "float64", "", "the estimate"),
    Column("standard_error", "float64", "", "its standard error"),
    Column("low", "float64", "", "lower end of its 95 % interval"),
    Column("high", "float64", "", "upper end of its 95 % interval"),
    Column("n", "int64", "", "deals (or other independent units) it rests on"),
    Column("method", "category", "", "how the interval was made", tuple(map(str, Method))),
)


@dataclass(frozen=True)
class Kind:
    """How the values of a parameter are read from Python, TOML or text, and written again."""

    word: str                           # for the command line's help: RULES, PLAYERS, N
    read: Callable[[Any], Any]          # raises a CourtpieceError with one clear line
    write: Callable[[Any], str | int | float | bool]    # exact, for study.json: `read` takes it back
    show: Callable[[Any], str]          # as a person would type it
    # Reads what `write` wrote without opening files or loading code, where `read` may do that.
    recall: Callable[[Any], Any] | None = None
    code: bool = False                  # `read` may load code


def parameter(
    doc: str, kind: Kind, default: Any, *, many: bool = False, optional: bool = False, design: bool = True
) -> Any:
    """Returns the dataclass field of a study's parameter.

    `many` takes a list, `optional` takes None.  What is not part of the `design` may change from one
    command to the next on the same results: it says how far a run goes, not what it is.
    """
    about = {"doc": doc, "kind": kind, "many": many, "optional": optional, "design": design}
    return field(default=default, metadata=about)


MOST_VALUES = 1000                      # of one parameter
MOST_UNITS = 10**15                     # beyond all that can be played, and sums of tricks fit in 64 bits
_MOST_DIGITS = 1000                     # Python refuses to write numbers that are several times longer


def _read_whole(value: Any) -> int:
    if isinstance(value, str):
        with suppress(ArithmeticError):
            number = Decimal(value.replace("_", "").replace(",", ""))
            if number.is_finite() and number.adjusted() < _MOST_DIGITS and number == int(number):
                return int(number)
    elif not isinstance(value, bool) and hasattr(value, "__index__"):
        return int(value.__index__())
    raise UsageError(f"must be a whole number, not {show(value)}")


def whole(least: int, most: int | None = None) -> Kind:
    """Returns the kind of whole numbers in a range; text may hold `_` or `,` or be like 2e7."""

    def read(value: Any) -> int:
        number = _read_whole(value)
        if number < least:
            raise UsageError(f"must be at least {least}, not {show(number)}")
        if most is not None and number > most:
            raise UsageError(f"must be at most {most:,}, not {show(number)}")
        return number

    return Kind("N", read, int, lambda number: f"{number:d}")


def _read_positive(value: Any) -> float:
    try:
        if isinstance(value, bool):
            raise TypeError
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise UsageError(f"must be a number, not {show(value)}") from None
    if not 0 < number < float("inf"):
        raise UsageError(f"must be above 0, not {number:g}")
    return number


def _read_text(value: Any) -> str:
    if not isinstance(value, str):
        raise UsageError(f"must be text, not {show(value)}")
    return value


def _read_lineup(value: Any) -> Lineup:
    return value if isinstance(value, Lineup) else parse_lineup(_read_text(value))


def _recall_rules(value: Any) -> RuleSet:
    return RuleSet.from_string(_read_text(value))


def _recall_lineup(value: Any) -> Lineup:
    return recall_lineup(_read_text(value))


RULES = Kind("RULES", resolve, str, name_of, _recall_rules)
PLAYERS = Kind("PLAYERS", _read_lineup, str, str, _recall_lineup, code=True)
POSITIVE = Kind("X", _read_positive, float, repr)
TEXT = Kind("TEXT", _read_text, str, str)


def parameter_fields(parameters: type[Parameters]) -> list[Field[Any]]:
    """Returns the fields that a study can be asked for, in order; a study may make some of its own."""
    return [about for about in fields(parameters) if about.init]


@dataclass(frozen=True, kw_only=True)
class Parameters:
    """What every study can be asked; each study adds its own.  Values are read and checked whole.

    Players who see all cards are a yardstick for others: where there are no others, `greedy` with the same
    callers is added on the same deals.
    """

    rules: tuple[RuleSet, ...] = parameter(
        "a rule set: a preset, a file, or a line such as single-sir,target=5; give several to compare them",
        RULES, ("single-sir",), many=True,
    )
    players: tuple[Lineup, ...] = parameter(
        "who plays: one player for all seats, two, the caller's side first, or four in order of play; "
        "give several to compare them; double-dummy alone is shown beside greedy",
        PLAYERS, ("greedy",), many=True,
    )
    seed: int = parameter("the seed of all that is random", whole(0), 1)
    deals: int | None = parameter("how many deals", whole(1, MOST_UNITS), None, optional=True, design=False)
    precision: float | None = parameter(
        "go on until every half-width of a 95 % interval is at most this",
        POSITIVE, None, optional=True, design=False,
    )

    def __post_init__(self) -> None:
        for about in parameter_fields(type(self)):
            object.__setattr__(self, about.name, _read(about.name, about.metadata, getattr(self, about.name)))
        if all(lineup.double_dummy for lineup in self.players):
            beside = dict.fromkeys(lineup.at_the_table for lineup in self.players)
            object.__setattr__(self, "players", (*self.players, *beside))
        self.check_lineups()

    def check_lineups(self) -> None:
        """Raises UsageError where players cannot play under the rules."""
        for lineup in self.players:
            for rules in self.rules:
                check_lineup(lineup, rules)

    @property
    def solved(self) -> int:
        """How many of the line-ups see all cards: their deals are solved."""
        return sum(lineup.double_dummy for lineup in self.lineups)

    @property
    def solved_seconds(self) -> float:
        """About how long one core takes to solve one deal for all of them under all of the rule sets."""
        from courtpiece.solve import outcome_seconds

        return self.solved * sum(map(outcome_seconds, self.rules))

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """Returns the parameters of a mapping; raises UsageError for a key that is none of them."""
        known = [about.name for about in parameter_fields(cls)]
        for key in values:
            if key not in known:
                hint = suggest(key, known) or f"; there are {', '.join(known)}"
                raise UsageError(f'there is no parameter "{key}"{hint}')
        return cls(**values)

    @property
    def stops_early(self) -> bool:
        """True when the run may stop before its end, at the look at which the study is settled."""
        return False

    @property
    def lineups(self) -> tuple[Lineup, ...]:
        """All line-ups that play."""
        return self.players

    @property
    def own_players(self) -> tuple[OwnPlayer, ...]:
        """The players in Python among them."""
        seated = [player for lineup in self.lineups for player in lineup.players]
        return tuple(dict.fromkeys(player for player in seated if not isinstance(player, PlayerSpec)))

    @property
    def foreign_players(self) -> tuple[OwnPlayer, ...]:
        """Those of them that do not come with this package, and may do anything to their process."""
        return tuple(player for player in self.own_players if player.foreign)

    def design(self) -> dict[str, Any]:
        """Returns what makes the results what they are, as JSON can hold it."""
        return {about.name: _write(about.metadata, getattr(self, about.name))
                for about in parameter_fields(type(self)) if about.metadata["design"]}

    def shown(self) -> dict[str, str]:
        """Returns the same as a person would type it; "" for a parameter that is not set."""
        return {name: ", ".join(self.typed(name)) for name in self.design()}

    def typed(self, name: str) -> list[str]:
        """Returns the texts that the command line would need for one parameter, one for each value."""
        about = next(about for about in parameter_fields(type(self)) if about.name == name)
        value, kind = getattr(self, name), about.metadata["kind"]
        if value is None:
            return []
        return [kind.show(item) for item in (value if about.metadata["many"] else (value,))]


def recalled(
    parameters: type[Parameters], kept: Mapping[str, Any], *, run_code: bool = False
) -> dict[str, Any]:
    """Returns the values of what `Parameters.design` kept, without what was not set.

    No file is opened and no code is loaded for a text in it, unless `run_code` has players in Python loaded.
    """
    about = {each.name: each.metadata for each in parameter_fields(parameters)}
    values: dict[str, Any] = {}
    for name, value in kept.items():
        kind: Kind | None = about[name]["kind"] if name in about else None
        if value is None:
            continue
        if kind is None or kind.recall is None or (run_code and kind.code):
            values[name] = value
        elif about[name]["many"]:
            values[name] = [kind.recall(item) for item in (value if isinstance(value, list) else [value])]
        else:
            values[name] = kind.recall(value)
    return values


def combination(p: Parameters) -> tuple[Column, Column]:
    """Returns the columns that tell under which of the rule sets and with which of the players."""
    return (
        Column("rules", "category", "", "the rule set", tuple(name_of(rules) for rules in p.rules)),
        Column("players", "category", "", "who played: everywhere, or the caller's side and the others",
               tuple(str(lineup) for lineup in p.players)),
    )


def _read(name: str, about: Mapping[str, Any], value: Any) -> Any:
    kind: Kind = about["kind"]
    if value is None and about["optional"]:
        return None
    if not about["many"]:
        return _named(name, kind, value)
    listed = value if isinstance(value, (list, tuple)) else (value,)
    if len(listed) > MOST_VALUES:
        raise UsageError(f"{name}: give at most {MOST_VALUES:,}, not {len(listed):,}")
    items = tuple(_named(name, kind, item) for item in listed)
    if not items:
        raise UsageError(f"{name}: give one at least")
    for at, item in enumerate(items):
        if item in items[:at]:
            raise UsageError(f"{name}: {kind.show(item)} is given twice")
    return items


def _named(name: str, kind: Kind, value: Any) -> Any:
    try:
        return kind.read(value)
    except UsageError as error:
        raise UsageError(f"{name}: {error}") from None


def _write(about: Mapping[str, Any], value: Any) -> Any:
    kind: Kind = about["kind"]
    if value is None:
        return None
    return [kind.write(item) for item in value] if about["many"] else kind.write(value)


_KERNEL_SECONDS = 1e-6                  # that a deal takes in the kernel, about
_PILOT_SECONDS = 0.3


def _seconds_a_deal(p: Parameters) -> float:
    """Returns how long a deal takes with the slowest of the players, measured on the first deals."""
    from courtpiece.table import Table

    slowest = 0.0
    for lineup in p.lineups:
        if lineup.in_kernel:
            continue
        table, deals, began = Table(p.rules[0], lineup), 0, perf_counter()
        while deals == 0 or perf_counter() - began < _PILOT_SECONDS:
            with suppress(PlayerError):     # such a deal is left out when its chunk is played
                table.play(p.seed, deals, 1)
            deals += 1
        slowest = max(slowest, (perf_counter() - began) / deals)
    return slowest


P = TypeVar("P", bound=Parameters)


class Study(ABC, Generic[P]):
    """One question that deals answer.  Instances hold nothing; all comes from the parameters."""

    name: ClassVar[str]
    title: ClassVar[str]
    question: ClassVar[str]
    version: ClassVar[int] = 1          # goes up when results change, never for speed
    extent: ClassVar[str] = "deals"     # the parameter that counts the units, and their name
    default_units: ClassVar[int] = 1_000_000
    # The default with players who see all cards, some minutes, where a deal is solved fastest; else fewer.
    solved_units: ClassVar[int] = 50_000
    # "threads" where `chunk` leaves Python's lock alone nearly all the time, as the kernel does.
    parallel: ClassVar[Literal["threads", "processes"]] = "processes"
    Parameters: ClassVar[type[Parameters]] = Parameters

    def parameters(self, values: Mapping[str, Any]) -> P:
        """Returns the parameters of this study from a mapping of names to values."""
        return self.Parameters.of(values)       # type: ignore[return-value]

    def units(self, p: P) -> int | None:
        """Returns how many units are asked for; None when the precision alone decides."""
        wanted: int | None = getattr(p, self.extent_of(p))
        if wanted is None and p.precision is None:
            return self._solved_default(p) if p.solved else self.default_units
        return wanted

    def _solved_default(self, p: P) -> int:
        from courtpiece.solve import FASTEST_OUTCOME

        slower = p.solved_seconds / (FASTEST_OUTCOME * p.solved * len(p.rules))
        return max(1, round(self.solved_units / slower))

    def extent_of(self, p: P) -> str:
        """Returns the parameter that counts the units."""
        return self.extent

    @abstractmethod
    def chunk_units(self, p: P) -> int:
        """Returns how many units make a good chunk: about a second's work.  Only the design counts."""

    def chunk_of(self, p: P) -> int:
        """Returns how many units a new run puts into a chunk.

        Players in Python are slow, and nobody knows how slow: the first deals are played, and a chunk is as
        much smaller than the kernel's as they take longer, so that it is about a second's work, or one unit.
        """
        units = self.chunk_units(p)
        if not p.own_players:
            return units
        return max(1, min(units, round(units * _KERNEL_SECONDS / _seconds_a_deal(p))))

    def backend(self, p: P) -> Literal["threads", "processes"]:
        """Returns what its chunks are spread over: players in Python need processes."""
        return "processes" if p.own_players else self.parallel

    @abstractmethod
    def columns(self, p: P) -> tuple[Column, ...]:
        """Returns the columns of a chunk's results."""

    @abstractmethod
    def table_columns(self, p: P) -> dict[str, tuple[Column, ...]]:
        """Returns the columns of each of the study's tables; one of them is called "summary"."""

    @abstractmethod
    def chunk(self, p: P, start: int, stop: int) -> pl.DataFrame:
        """Returns the results of units start to stop-1, a pure function of the parameters and these."""

    @abstractmethod
    def summarise(self, p: P, shards: pl.LazyFrame) -> dict[str, pl.DataFrame]:
        """Returns the study's tables from the rows of all chunks, whatever the order of these rows."""

    @abstractmethod
    def headline(self, p: P, tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
        """Returns the short table that answers the question.

        A column `x_half_width` right after a column `x` is shown with it, as `x ± half-width`.
        """

    def half_widths(self, p: P, tables: Mapping[str, pl.DataFrame]) -> list[float]:
        """Returns the half-widths that a run with a precision must bring down: all in the summary."""
        return half_width(tables["summary"]).to_list()

    def settled(self, p: P, tables: Mapping[str, pl.DataFrame]) -> bool:
        """True when a run that was asked to stop early has found what it was after."""
        return False

    def notes(self, p: P, tables: Mapping[str, pl.DataFrame]) -> Sequence[str]:
        """Returns what who asked for the run should know besides its tables."""
        return ()

    def extra_files(self, p: P, tables: Mapping[str, pl.DataFrame], shards: pl.LazyFrame) -> dict[str, bytes]:
        """Returns further files for the run's folder: made anew whenever its tables are."""
        return {}

    def answer(self, p: P, tables: Mapping[str, pl.DataFrame]) -> Sequence[Sentence]:
        """Returns the short answer in plain words, most important first; the texts hold the words."""
        return ()

    def figures(
        self, p: P, tables: Mapping[str, pl.DataFrame], words: Words
    ) -> Sequence[Figure]:
        """Returns the figures of the report, saying what they say in these words."""
        return ()


def counted(number: int, unit: str) -> str:
    """Returns a number of units, in words.

    >>> counted(2000, "deals"), counted(1, "matches")
    ('2,000 deals', '1 match')
    """
    one = unit.removesuffix("es") if unit.endswith("ches") else unit.removesuffix("s")
    return f"{number:,} {one if number == 1 else unit}"


def readable(table: pl.DataFrame) -> tuple[list[str], list[list[str]]]:
    """Returns a table's heads and rows as text: `x` and `x_half_width` in one cell, as `x ± half-width`."""
    errors = {name: f"{name}_half_width" for name in table.columns if f"{name}_half_width" in table.columns}
    heads = [name for name in table.columns if name not in errors.values()]
    rows = [
        [_cell(row[name], row[errors[name]] if name in errors else None) for name in heads]
        for row in table.iter_rows(named=True)
    ]
    return heads, rows


_LARGE = 1000                           # from here on a number is told whole


def _cell(value: Any, half_width: float | None) -> str:
    if value is None:
        return UNKNOWN
    if half_width is not None:
        return plus_minus(value, half_width)
    if isinstance(value, float):
        if not isfinite(value):
            return UNKNOWN
        return f"{value:,.0f}" if abs(value) >= _LARGE else f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) else str(value)
