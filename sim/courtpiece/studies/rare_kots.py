"""How often do the rarest ends of a deal come: all thirteen tricks by one side, and a certain claim of them?

All thirteen (the court of S4.30, the baavan of S4.31) are counted with the deal played to its last card, also
where the rules stop at seven.  Few deals come near; those that do are split: generalized splitting (Botev and
Kroese, "Efficient Monte Carlo simulation via the generalized splitting method", Statistics and Computing,
2012) with Metropolis walks over the order of the pack and the side's tricks as the levels.  What a deal
splits into is one independent unbiased count, so that errors are those of means over deals.  Each deal also
counts as itself: a plain simulation of the same deals stands beside every level.

A claim is certain (S4.32) when the side takes all tricks against any defence, all four hands open, which a
solver finds.  It is asked of more deals where the players at the table took many tricks or few, and of fewer
between: double sampling for stratification (Neyman, "Contribution to the theory of sampling human
populations", 1938).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod, sqrt
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from courtpiece.errors import UsageError
from courtpiece.language import Sentence, Share
from courtpiece.players import Lineup
from courtpiece.rules import RuleSet, name_of
from courtpiece.stats import LEVEL, Method, few_large, means, proportion, proportions
from courtpiece.studies.estimates import estimate_row, half_width
from courtpiece.studies.study import (
    ESTIMATE_COLUMNS,
    POSITIVE,
    RULES,
    Column,
    Parameters,
    Study,
    combination,
    parameter,
    schema,
)
from courtpiece.table import Split, Table, can_tell_claims

if TYPE_CHECKING:
    import polars as pl

    from courtpiece.language import Value, Words
    from courtpiece.plots import Figure

Integers: TypeAlias = NDArray[np.int64]

SIDES = ("caller", "defender")
MEASURES = ("all-thirteen", "certain-claim")
ALL = 13
PILOT = 1 << 62                         # the stream of the deals on which levels and shares are chosen
_PILOT_DEALS = 20_000
_PILOT_CLAIMS = 1_500
_NEAR = 0.1                             # of deals, about, that reach the first level
_COMMON = 0.02                          # a chance that needs no splitting
_MOST_FACTOR = 20
_MOVES = 4                              # changes of a deal between two that are looked at
_FEW = 5                                # sentences of the answer
_UNSEEN = 0.02                          # a claim for each stratum in which few were asked
_RAREST_ASKED = 32                      # one deal of so many is asked for a claim at least


class Plan(NamedTuple):
    """How deals are split and asked, chosen on deals of their own: a function of rules, players and seed.

    `splits` by side; `every` by tricks of the caller's side: one deal of how many is asked for a claim,
    powers of two, none where claims are not asked at all.
    """

    splits: tuple[Split, Split]
    every: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class RareKotsParameters(Parameters):
    """What the study can be asked."""

    rules: tuple[RuleSet, ...] = parameter(
        "a rule set: a preset, a file, or a line such as bavan,claim=off; give several to compare them",
        RULES, ("bavan",), many=True,
    )
    precision: float | None = parameter(
        "go on until the half-width of every 95 % interval is at most this part of its chance",
        POSITIVE, None, optional=True, design=False,
    )

    def check_lineups(self) -> None:
        """Raises UsageError where deals cannot be split: they are played anew by the million."""
        super().check_lineups()
        for lineup in self.players:
            if not lineup.in_kernel or lineup.double_dummy:
                raise UsageError(f"players: {lineup} cannot be used here: deals are split with the kernel's "
                                 "card players")


class RareKots(Study[RareKotsParameters]):
    """The chances of all thirteen and of a certain claim, with relative errors, beside a plain simulation."""

    name = "rare-kots"
    title = "The rarest ends of a deal"
    question = "How often do the rarest ends come: all thirteen tricks (baavan), a certain claim (82)?"
    default_units: ClassVar[int] = 1_000_000
    parallel: ClassVar[Literal["threads", "processes"]] = "threads"
    Parameters: ClassVar[type[Parameters]] = RareKotsParameters

    def chunk_units(self, p: RareKotsParameters) -> int:
        return max(5_000, 50_000 // (len(p.rules) * len(p.players)))

    def columns(self, p: RareKotsParameters) -> tuple[Column, ...]:
        return (
            *combination(p),
            Column("measure", "category", "", "what is counted", MEASURES),
            Column("side", "category", "", "whose", SIDES),
            Column("tricks", "uint8", "tricks", "all-thirteen: the level, so many or more by the side; "
                   "certain-claim: what the caller's side took when the players played the deal"),
            Column("deals", "int64", "deals", "all that were played; certain-claim: those that came out so"),
            Column("weight", "int64", "", "all-thirteen: what a deal sure to get there would split into"),
            Column("states", "int64", "deals", "all-thirteen: how many at the level the deals split into"),
            Column("squares", "int64", "", "the sum over the deals of the squares of that"),
            Column("asked", "int64", "deals", "certain-claim: how many of them were solved"),
            Column("certain", "int64", "deals", "certain-claim: in how many of those it is certain"),
            Column("plain_deals", "int64", "deals", "those that a plain simulation would look at"),
            Column("plain_hits", "int64", "deals", "in how many of those it happened"),
        )

    def table_columns(self, p: RareKotsParameters) -> dict[str, tuple[Column, ...]]:
        which = (
            *combination(p),
            Column("measure", "category", "", "all-thirteen: the side takes all tricks of a deal that is "
                   "played to the end; certain-claim: it would take them against any defence, all hands "
                   "open", MEASURES),
            Column("side", "category", "", "whose", SIDES),
        )
        plain = (
            Column("plain", "float64", "", "the chance as a plain simulation of the same deals has it"),
            Column("plain_low", "float64", "", "lower end of its 95 % interval (Wilson's)"),
            Column("plain_high", "float64", "", "upper end of its 95 % interval"),
            Column("plain_deals", "int64", "deals", "deals it rests on"),
        )
        return {
            "summary": (*which, *ESTIMATE_COLUMNS),
            "beside": (
                *which,
                Column("relative_error", "float64", "", "the standard error as a part of the chance"),
                Column("worth", "float64", "deals", "deals of a plain simulation that would be as precise"),
                *plain,
            ),
            "levels": (
                *which, Column("tricks", "uint8", "tricks", "so many or more by the side"),
                *(column for column in ESTIMATE_COLUMNS if column.name not in ("standard_error", "method")),
                *plain,
            ),
            "strata": (
                *which,
                Column("tricks", "uint8", "tricks", "the caller's side took of the deal as it was played"),
                Column("deals", "int64", "deals", "that came out so"),
                Column("asked", "int64", "deals", "how many of them were solved"),
                Column("certain", "int64", "deals", "in how many of those the claim is certain"),
            ),
        }

    def chunk(self, p: RareKotsParameters, start: int, stop: int) -> pl.DataFrame:
        import polars as pl

        rows: list[dict[str, Any]] = []
        for rules in p.rules:
            for lineup in p.players:
                who = {"rules": name_of(rules), "players": str(lineup)}
                rows += [{**who, **row} for row in _counted(rules, lineup, p.seed, start, stop)]
        return pl.DataFrame(rows, schema=schema(self.columns(p)))

    def summarise(self, p: RareKotsParameters, shards: pl.LazyFrame) -> dict[str, pl.DataFrame]:
        import polars as pl

        keys = ["rules", "players", "measure", "side", "tricks", "weight"]
        totals = (
            shards.group_by(keys).agg(pl.exclude(keys).sum()).collect(engine="streaming").sort(keys)
        )
        summary: list[dict[str, Any]] = []
        levels: list[dict[str, Any]] = []
        for (rules, players, measure, side), part in totals.partition_by(
            "rules", "players", "measure", "side", as_dict=True, maintain_order=True
        ).items():
            who = {"rules": rules, "players": players, "measure": measure, "side": side}
            if measure == "all-thirteen":
                told = [{"tricks": row["tricks"], **_by_splitting(row)} for row in part.iter_rows(named=True)]
                levels += [{**who, **row} for row in told]
                summary.append({**who, **_worth(told[-1])})
            else:
                summary.append({**who, **_worth(_by_strata(part))})
        columns = self.table_columns(p)
        tables = {
            name: pl.DataFrame(rows, schema=schema(columns[name]))
            for name, rows in (("summary", summary), ("beside", summary), ("levels", levels))
        }
        names = [column.name for column in columns["strata"]]
        tables["strata"] = totals.filter(measure="certain-claim").select(names)
        return tables

    def half_widths(self, p: RareKotsParameters, tables: Mapping[str, pl.DataFrame]) -> list[float]:
        found = tables["summary"]
        return (half_width(found) / found["value"]).fill_nan(float("inf")).to_list()

    def headline(self, p: RareKotsParameters, tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
        import polars as pl

        half = pl.max_horizontal(pl.col("high") - pl.col("value"), pl.col("value") - pl.col("low"))
        plain = pl.max_horizontal(pl.col("plain_high") - pl.col("plain"),
                                  pl.col("plain") - pl.col("plain_low"))
        which = ["rules", "players", "measure", "side"]
        return tables["summary"].join(tables["beside"], on=which, maintain_order="left").select(
            *which,
            chance=pl.col("value"), chance_half_width=half,
            one_in=pl.when(pl.col("value") > 0).then((1 / pl.col("value")).round_sig_figs(3)).cast(pl.Int64),
            relative_error=pl.col("relative_error"),
            plain=pl.col("plain"), plain_half_width=plain,
            deals=pl.col("n"), worth=pl.col("worth").round_sig_figs(2),
        )

    def answer(self, p: RareKotsParameters, tables: Mapping[str, pl.DataFrame]) -> list[Sentence]:
        told = []
        for row in tables["summary"].iter_rows(named=True):
            value = row["value"]
            if value > 0:
                values: dict[str, Value] = {
                    "rules": row["rules"], "players": row["players"],
                    "share": Share(value, half_width(row)), "one_in": _rounded(1 / value),
                }
                told.append(Sentence(f"{row['measure']}-{row['side']}", values))
        return told[:_FEW]

    def figures(
        self, p: RareKotsParameters, tables: Mapping[str, pl.DataFrame], words: Words
    ) -> Sequence[Figure]:
        from courtpiece.plots.rare_kots import rare_kots

        return rare_kots(tables, words)


def played_out(rules: RuleSet) -> RuleSet:
    """Returns the rules with every deal played to its thirteenth trick."""
    return rules.replace(deal_ends="after-thirteen")


# Chunks


def _counted(rules: RuleSet, lineup: Lineup, seed: int, start: int, stop: int) -> Iterator[dict[str, Any]]:
    table, plan = Table(played_out(rules), lineup), plan_of(rules, lineup, seed)
    scores = np.empty(0, np.int8)
    for side, split in zip((1, 0), plan.splits[::-1], strict=True):
        reached, scores = table.split(seed, start, stop - start, side=side, split=split)
        played = scores >= 0
        for at, level in enumerate(split.levels):
            states = reached[played, at]
            yield {
                "measure": "all-thirteen", "side": SIDES[side], "tricks": level, "deals": int(played.sum()),
                "weight": prod(split.factors[: at + 1]), "states": int(states.sum()),
                "squares": int((states * states).sum()), "plain_deals": int(played.sum()),
                "plain_hits": int((scores >= level).sum()),
            }
    if plan.every:
        yield from _claims(table, plan.every, scores, seed, start, stop)


def _claims(
    table: Table, every: Sequence[int], scores: NDArray[np.int8], seed: int, start: int, stop: int
) -> Iterator[dict[str, Any]]:
    """Yields the counts of certain claims by what the caller's side took at the table."""
    numbers = np.arange(start, stop)
    played = scores >= 0
    asked = played & (numbers % np.array(every)[np.maximum(scores, 0)] == 0)
    plain = asked & (numbers % _RAREST_ASKED == 0)
    claims = table.claims_of(seed, start, stop - start, asked)
    for side in range(2):
        certain = asked & (claims == side)
        for tricks in range(ALL + 1):
            here = scores == tricks
            yield {
                "measure": "certain-claim", "side": SIDES[side], "tricks": tricks, "deals": int(here.sum()),
                "asked": int((here & asked).sum()), "certain": int((here & certain).sum()),
                "plain_deals": int((here & plain).sum()), "plain_hits": int((here & plain & certain).sum()),
            }


# What is chosen before


@lru_cache(maxsize=256)
def plan_of(rules: RuleSet, lineup: Lineup, seed: int) -> Plan:
    """Returns the levels and shares for a run, from deals of a stream of their own."""
    table = Table(played_out(rules), lineup)
    splits = _levels(table, seed, 0), _levels(table, seed, 1)
    asks = bool(rules.claim) and can_tell_claims(rules)
    return Plan(splits, _every(table, seed) if asks else ())


def _levels(table: Table, seed: int, side: int) -> Split:
    """Returns levels and factors that let about as many deals live from level to level."""
    whole = Split((ALL,), (1,), _MOVES)
    _, scores = table.split(seed, 0, _PILOT_DEALS, side=side, split=whole, stream=PILOT)
    shares = [(scores >= level).mean() for level in range(ALL + 1)]
    if shares[ALL] >= _COMMON:
        return whole
    first = next(level for level in range(ALL + 1) if shares[level] <= _NEAR)
    split = Split((first,), (1,), _MOVES)
    for level in range(first + 1, ALL + 1):
        tried = Split((*split.levels, level), (*split.factors, 2), _MOVES)
        reached, _ = table.split(seed, 0, _PILOT_DEALS, side=side, split=tried, stream=PILOT)
        before, after = reached[:, -2:].sum(axis=0).tolist()
        factor = min(_MOST_FACTOR, max(1, round(2 * before / after))) if after else _MOST_FACTOR // 2
        split = Split(tried.levels, (*split.factors, factor), _MOVES)
    return split


def _every(table: Table, seed: int) -> tuple[int, ...]:
    """Returns by tricks of the caller's side one deal of how many to ask, as powers of two.

    These are Neyman's shares for the sum of the relative variances of both sides' chances.
    """
    _, scores = table.split(seed, 0, _PILOT_DEALS, side=0, split=Split((ALL,), (1,), 1), stream=PILOT)
    asked = np.zeros(len(scores), bool)
    for tricks in range(ALL + 1):
        asked[np.flatnonzero(scores == tricks)[: _PILOT_CLAIMS // (ALL + 1)]] = True
    claims = table.claims_of(seed, 0, len(scores), asked, stream=PILOT)
    chances, shares = np.empty((2, ALL + 1)), np.empty(ALL + 1)
    for tricks in range(ALL + 1):
        here = claims[asked & (scores == tricks)]
        shares[tricks] = (scores == tricks).mean()
        for side in range(2):
            chances[side, tricks] = (np.sum(here == side) + _UNSEEN) / (len(here) + 1)
    whole = chances @ shares
    spreads = np.sqrt((chances * (1 - chances) / whole[:, None] ** 2).sum(axis=0))
    return tuple(_power_of_two(spreads.max() / spread) for spread in spreads)


def _power_of_two(wanted: float) -> int:
    power = 1
    while power < _RAREST_ASKED and 2 * power <= wanted:
        power *= 2
    return power


# Estimates


def _by_splitting(row: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the chance of a level: the mean over deals of what they were split into, by its weight."""
    n, weight = row["deals"], row["weight"]
    # A few deals that split into many make up the chance: it is they that must be enough.
    found = means(n, row["states"], row["squares"], unsure=few_large(row["states"], row["squares"]))
    told = estimate_row(found, n, Method.T, weight)
    if not row["states"]:               # the plain bound holds: nothing was seen
        told["high"] = float(proportions(0, n).high)
    told["low"] = max(0.0, told["low"])
    return {**told, **_plainly(row["plain_hits"], row["plain_deals"])}


def _by_strata(part: pl.DataFrame) -> dict[str, Any]:
    """Returns the chance of a certain claim from those asked in each stratum, weighed by its deals."""
    from scipy.special import ndtri

    deals, asked, certain = (part[name].to_numpy().astype(float) for name in ("deals", "asked", "certain"))
    n = deals.sum()
    with np.errstate(invalid="ignore", divide="ignore"):
        chances = np.where(asked > 0, certain / asked, 0.0)
        # half a deal more each way: a stratum of which few were asked is not taken as sure
        safe = (certain + 0.5) / (asked + 1)
        within = (deals / n) ** 2 * safe * (1 - safe) / np.maximum(asked, 1)
    value = float((deals * chances).sum() / n)
    error = sqrt(float(within[deals > 0].sum()) + float((deals / n * (chances - value) ** 2).sum()) / n)
    reach = float(ndtri((1 + LEVEL) / 2)) * error
    return {
        "value": value, "standard_error": error, "low": max(0.0, value - reach), "high": value + reach,
        "n": int(n), "method": str(Method.STRATA),
        **_plainly(int(part["plain_hits"].sum()), int(part["plain_deals"].sum())),
    }


def _plainly(hits: int, deals: int) -> dict[str, Any]:
    found = proportion(hits, deals)
    return {"plain": found.value, "plain_low": found.low, "plain_high": found.high, "plain_deals": deals}


def _worth(row: Mapping[str, Any]) -> dict[str, Any]:
    value, error = row["value"], row["standard_error"]
    known = value > 0 and error > 0
    return {
        **row, "relative_error": error / value if known else None,
        "worth": value * (1 - value) / error**2 if known else None,
    }


def _rounded(number: float) -> int:
    """Returns a number to two digits."""
    return int(float(f"{number:.2g}"))
