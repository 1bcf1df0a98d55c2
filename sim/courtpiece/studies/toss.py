"""Who calls first in a match: exact chances of each seat, beside draws made with the match's own code.

What is exact comes from `toss_chances`.  A chunk holds draws by `match.first_caller`, the readable rules,
counted by who calls, cards and rounds; every rule set has the same shuffled packs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from math import sqrt
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from courtpiece.language import Sentence, Share
from courtpiece.match import first_caller
from courtpiece.players import Lineup
from courtpiece.rules import RuleSet, name_of
from courtpiece.stats import Estimates, Method, means, proportions
from courtpiece.studies.study import (
    ESTIMATE_COLUMNS,
    MOST_UNITS,
    RULES,
    Column,
    Parameters,
    Study,
    combination,
    parameter,
    schema,
    whole,
)
from courtpiece.studies.toss_chances import mean_of, toss_chances
from courtpiece.table import seed_key

if TYPE_CHECKING:
    import polars as pl

    from courtpiece.language import Words
    from courtpiece.plots import Figure

PURPOSE = 1 << 34                       # of the random numbers: the order of the pack that is drawn from
SEATS = ("1st", "2nd", "3rd", "4th")    # by who draws, or is served, first
EVERY_WAY = (
    "single-sir", "single-sir,draw_tie=tied-redraw", "bavan", "bavan,draw_tie=tied-redraw", "hakim",
    "hakim,first_caller=first-jack", "classic",
)
MEASURES = ("calls-first", "cards", "rounds")


@dataclass(frozen=True, kw_only=True)
class TossParameters(Parameters):
    """What the study of the toss can be asked."""

    rules: tuple[RuleSet, ...] = parameter(
        "a rule set, of which first_caller and draw_tie matter here; by default every way of the presets, "
        "and what their other values would do", RULES, EVERY_WAY, many=True,
    )
    players: tuple[Lineup, ...] = field(init=False, default=())
    deals: int | None = field(init=False, default=None)
    draws: int | None = parameter(
        "how many draws are made to check the exact chances", whole(1, MOST_UNITS), None, optional=True,
        design=False,
    )


class Toss(Study[TossParameters]):
    """Exact chances by seat, exact numbers of cards and rounds, and what draws say of them."""

    name = "toss"
    title = "Toss"
    question = "Who calls first in a match, by where one sits?"
    extent = "draws"
    default_units: ClassVar[int] = 100_000
    Parameters: ClassVar[type[Parameters]] = TossParameters

    def chunk_units(self, p: TossParameters) -> int:
        return max(1000, 40_000 // len(p.rules))

    def columns(self, p: TossParameters) -> tuple[Column, ...]:
        return (
            combination(p)[0],
            Column("seat", "category", "", "who calls first, by who draws or is served first", SEATS),
            Column("cards", "uint16", "cards", "how many were drawn, or laid"),
            Column("rounds", "uint16", "rounds", "in how many rounds of those who drew, or of the table"),
            Column("draws", "int64", "draws", "how many of the chunk went like this"),
        )

    def table_columns(self, p: TossParameters) -> dict[str, tuple[Column, ...]]:
        seat = Column("seat", "category", "", "the seat, by who draws or is served first", SEATS)
        measure = Column("measure", "category", "", "the chance to call first, or the mean number of cards "
                         "drawn or of rounds", MEASURES)
        mean = Column("mean", "category", "", "of what", MEASURES[1:])
        exact = Column("exact", "float64", "", "what it is, by rational arithmetic")
        simulated = (
            Column("simulated", "float64", "", "what the draws say"),
            Column("simulated_half_width", "float64", "", "how far its 95 % interval reaches"),
            Column("z", "float64", "", "simulated less exact, in standard errors"),
        )
        return {
            "summary": (combination(p)[0], measure, seat, *ESTIMATE_COLUMNS),
            "seats": (combination(p)[0], seat, exact, *simulated),
            "lengths": (combination(p)[0], mean, exact, *simulated),
            "exact": (
                combination(p)[0], measure, seat,
                Column("numerator", "text", "", "of the exact number as a fraction"),
                Column("denominator", "text", "", "of the same"),
                Column("second_pack", "float64", "", "the chance that one pack does not settle the draw; the "
                       "exact numbers are those of the others"),
            ),
        }

    def chunk(self, p: TossParameters, start: int, stop: int) -> pl.DataFrame:
        import polars as pl

        key = seed_key(p.seed)
        stream = np.random.Philox(key=key)
        generator = np.random.Generator(stream)
        counts: Counter[tuple[int, int, int, int]] = Counter()
        for draw in range(start, stop):
            for place, rules in enumerate(p.rules):
                stream.state = {
                    "bit_generator": "Philox",
                    "state": {"counter": np.array([0, PURPOSE, draw, 0], np.uint64), "key": key},
                    "buffer": np.zeros(4, np.uint64),
                    "buffer_pos": 4,
                    "has_uint32": 0,
                    "uinteger": 0,
                }
                found = first_caller(rules, generator)
                seats = [seat for seat, _ in found.drawn]
                rounds = 1 + sum(later <= seat for seat, later in pairwise(seats))
                counts[place, found.caller, len(seats), rounds] += 1
        names = [name_of(rules) for rules in p.rules]
        rows = [(names[place], SEATS[seat], cards, rounds, draws)
                for (place, seat, cards, rounds), draws in sorted(counts.items())]
        return pl.DataFrame(rows, schema=schema(self.columns(p)), orient="row")

    def summarise(self, p: TossParameters, shards: pl.LazyFrame) -> dict[str, pl.DataFrame]:
        import polars as pl

        ways = ["rules", "seat", "cards", "rounds"]
        counts = shards.group_by(ways).agg(pl.col("draws").sum()).sort(ways).collect()
        found: dict[str, list[tuple[Any, ...]]] = {name: [] for name in self.table_columns(p)}
        for rules in p.rules:
            for name, row in _rows(rules, counts.filter(rules=name_of(rules))):
                found[name].append((name_of(rules), *row))
        return {
            name: pl.DataFrame(found[name], schema=schema(columns), orient="row")
            for name, columns in self.table_columns(p).items()
        }

    def headline(self, p: TossParameters, tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
        table = tables["seats"].pivot("seat", index="rules", values="exact")
        lengths = tables["lengths"].pivot("mean", index="rules", values="exact")
        return table.join(lengths, on="rules", maintain_order="left")

    def answer(self, p: TossParameters, tables: Mapping[str, pl.DataFrame]) -> list[Sentence]:
        alike: dict[tuple[float, ...], list[str]] = {}
        for row in self.headline(p, tables).iter_rows(named=True):
            alike.setdefault(tuple(row[seat] for seat in SEATS), []).append(str(row["rules"]))
        told = []
        for chances, rules in alike.items():
            key = "even" if len(set(chances)) == 1 else "chances"
            shares = zip(("first", "second", "third", "fourth"), map(Share, chances), strict=True)
            told.append(Sentence(key, {"rules": rules, **dict(shares)}))
        return told

    def figures(
        self, p: TossParameters, tables: Mapping[str, pl.DataFrame], words: Words
    ) -> Sequence[Figure]:
        from courtpiece.plots.toss import toss

        return toss(tables, words)


def _rows(rules: RuleSet, counts: pl.DataFrame) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Yields the rows of all tables for one rule set: the table's name, and all but the rules."""
    exact = toss_chances(rules)
    beyond = float(exact.unsettled)
    n = int(counts["draws"].sum())
    for seat, chance in zip(SEATS, exact.seats, strict=True):
        found = proportions(int(counts.filter(seat=seat)["draws"].sum()), n)
        yield "summary", ("calls-first", seat, *map(float, found), n, Method.WILSON.value)
        yield "seats", (seat, float(chance), *_beside(chance, found, n))
        yield "exact", ("calls-first", seat, *_fraction(chance), beyond)
    for measure, chances in (("cards", exact.cards), ("rounds", exact.rounds)):
        mean = mean_of(chances)
        draws, numbers = counts["draws"].to_numpy(), counts[measure].to_numpy().astype(np.int64)
        found = means(n, int(draws @ numbers), int(draws @ numbers**2))
        yield "summary", (measure, None, *map(float, found), n, Method.T.value)
        yield "lengths", (measure, float(mean), *_beside(None, found, n, float(mean)))
        yield "exact", (measure, None, *_fraction(mean), beyond)


def _beside(
    chance: Fraction | None, found: Estimates, n: int, exact: float | None = None
) -> tuple[float, float, float | None]:
    """Returns an estimate, half of its interval, and how many standard errors it lies above what is exact."""
    value = float(found.value)
    error = float(found.standard_error)
    if chance is not None:
        exact, error = float(chance), sqrt(float(chance * (1 - chance)) / n)
    assert exact is not None
    return value, float(found.half_width), (value - exact) / error if error > 0 else None


def _fraction(number: Fraction) -> tuple[str, str]:
    return str(number.numerator), str(number.denominator)
