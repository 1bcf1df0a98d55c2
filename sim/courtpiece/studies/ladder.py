"""A ladder of players: each plays each on the same deals, with the sides exchanged, and gets a rating."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from courtpiece.errors import UsageError
from courtpiece.language import Sentence, Share
from courtpiece.players import AnyPlayer, Lineup
from courtpiece.rules import Counting, Outcome, RuleSet, name_of
from courtpiece.stats import LEVEL, Method, bradley_terry, shares_of_pairs
from courtpiece.studies.duel import PLAYER, paired
from courtpiece.studies.estimates import half_width, single_row, with_estimates
from courtpiece.studies.study import (
    ESTIMATE_COLUMNS,
    Column,
    Parameters,
    Study,
    combination,
    parameter,
    schema,
)

if TYPE_CHECKING:
    import polars as pl

    from courtpiece.language import Words
    from courtpiece.plots import Figure
    from courtpiece.stats import Floats

WINNERS = ("first", "second", "nobody")
RESAMPLES = 999
_MEASURES = ("rating", "won", "ahead")
_OUTCOMES = tuple(Outcome)


@dataclass(frozen=True, kw_only=True)
class LadderParameters(Parameters):
    """What a ladder can be asked."""

    players: tuple[Lineup, ...] = field(init=False)
    player: tuple[AnyPlayer, ...] = parameter(
        "a player on the ladder; give two or more", PLAYER, ("greedy", "simple", "random"), many=True
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "players", ())
        super().__post_init__()
        if len(self.player) < 2:
            raise UsageError("player: a ladder needs two at least")
        pairs = combinations(self.player, 2)
        lineups = [Lineup.of(*sides) for one, two in pairs for sides in ((one, two), (two, one))]
        object.__setattr__(self, "players", tuple(lineups))
        self.check_lineups()

    @property
    def names(self) -> tuple[str, ...]:
        """The players as text."""
        return tuple(map(str, self.player))


class Ladder(Study[LadderParameters]):
    """Ratings of players by Bradley and Terry, from a round robin on the same deals."""

    name = "ladder"
    title = "Ladder"
    question = "How strong is each of several players, all against all?"
    default_units: ClassVar[int] = 10_000
    parallel: ClassVar[Literal["threads", "processes"]] = "threads"
    Parameters: ClassVar[type[Parameters]] = LadderParameters

    def units(self, p: LadderParameters) -> int | None:
        if p.deals is None and p.precision is None and p.own_players:
            return 1000
        return super().units(p)

    def chunk_units(self, p: LadderParameters) -> int:
        return max(1000, 200_000 // (len(p.players) * len(p.rules)))

    def columns(self, p: LadderParameters) -> tuple[Column, ...]:
        return (
            Column("deal", "uint64", "", "number of the deal"),
            *_who(p),
            Column("calling_winner", "category", "", "who won with the first as the caller's side", WINNERS),
            Column("calling_ahead", "int32", "", "points, or kots, of the first less those of the second"),
            Column("defending_winner", "category", "", "who won with the first as the defenders", WINNERS),
            Column("defending_ahead", "int32", "", "points, or kots, of the first less those of the second"),
        )

    def table_columns(self, p: LadderParameters) -> dict[str, tuple[Column, ...]]:
        rules, first, second = _who(p)
        return {
            "summary": (
                rules,
                Column("measure", "category", "",
                       "the rating in Elo points, 0 on average, of which 400 more win ten games of eleven; "
                       "the share of all games won; the points ahead, a game", _MEASURES),
                Column("player", "category", "", "whose", p.names),
                *ESTIMATE_COLUMNS,
            ),
            "pairings": (
                rules, first, second,
                Column("both", "uint64", "deals", "won by the first both ways"),
                Column("one", "uint64", "deals", "won by each one way"),
                Column("neither", "uint64", "deals", "won by the second both ways"),
                *ESTIMATE_COLUMNS,
            ),
        }

    def chunk(self, p: LadderParameters, start: int, stop: int) -> pl.DataFrame:
        import polars as pl

        from courtpiece.table import Table

        columns = {column.name: column for column in self.columns(p)}
        frames = []
        for rules in p.rules:
            worth = _worth(rules)
            for place, (one, two) in enumerate(combinations(p.names, 2)):
                rows: dict[str, Any] = {
                    "deal": np.arange(start, stop, dtype=np.uint64),
                    "rules": [name_of(rules)] * (stop - start),
                    "first": [one] * (stop - start), "second": [two] * (stop - start),
                }
                for side, game in enumerate(("calling", "defending")):
                    results = Table(rules, p.players[2 * place + side]).play(p.seed, start, stop - start)
                    winner = results["winner"].astype(np.int64)
                    decided = winner < 2
                    by_second = (winner != side).astype(np.int64)
                    rows[f"{game}_winner"] = np.array(WINNERS)[np.where(decided, by_second, 2)]
                    points = worth[results["outcome"], np.minimum(winner, 1)]
                    rows[f"{game}_ahead"] = np.where(decided, np.where(by_second == 1, -points, points), 0)
                frames.append(pl.DataFrame([
                    pl.Series(name, rows[name]).cast(column.dtype) for name, column in columns.items()
                ]))
        return pl.concat(frames).sort("deal", maintain_order=True)

    def summarise(self, p: LadderParameters, shards: pl.LazyFrame) -> dict[str, pl.DataFrame]:
        import polars as pl

        rows = shards.sort("deal", maintain_order=True).collect()
        summary: list[dict[str, Any]] = []
        pairings: list[dict[str, Any]] = []
        for rules in p.rules:
            results = _Results(p, rows.filter(pl.col("rules") == name_of(rules)))
            summary += results.ratings(name_of(rules), p.seed)
            pairings += results.pairings(name_of(rules))
        columns = self.table_columns(p)
        return {
            "summary": pl.DataFrame(summary, schema=schema(columns["summary"])),
            "pairings": pl.DataFrame(pairings, schema=schema(columns["pairings"])),
        }

    def half_widths(self, p: LadderParameters, tables: Mapping[str, pl.DataFrame]) -> list[float]:
        return half_width(tables["pairings"]).to_list()

    def headline(self, p: LadderParameters, tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
        summary = tables["summary"]
        table = summary.filter(measure="rating").select("rules", "player", deals="n")
        table = with_estimates(table, ["rules", "player"], {
            measure: summary.filter(measure=measure) for measure in _MEASURES
        })
        return table.sort("rules", "rating", descending=[False, True], maintain_order=True)

    def answer(self, p: LadderParameters, tables: Mapping[str, pl.DataFrame]) -> list[Sentence]:
        told = []
        for rules in map(name_of, p.rules):
            ratings = tables["summary"].filter(rules=rules, measure="rating").sort("value", descending=True)
            order = ratings["player"].cast(str).to_list()
            won = tables["summary"].filter(rules=rules, measure="won", player=order[0]).row(0, named=True)
            told.append(Sentence("best", {
                "rules": rules, "first": order[0], "rest": order[1:],
                "won": Share(won["value"], half_width(won)),
            }))
            told += [_neighbours(tables["pairings"].filter(rules=rules), *pair) for pair in pairwise(order)]
        return told

    def figures(
        self, p: LadderParameters, tables: Mapping[str, pl.DataFrame], words: Words
    ) -> Sequence[Figure]:
        from courtpiece.plots.ladder import ladder

        return ladder(tables, words)


def _neighbours(pairings: pl.DataFrame, one: str, other: str) -> Sentence:
    """Returns how two neighbours on the ladder fare against each other."""
    pair = {one, other}
    row = next(row for row in pairings.iter_rows(named=True) if {row["first"], row["second"]} == pair)
    value = row["value"] if row["first"] == one else 1 - row["value"]
    won = Share(value, half_width(row))
    key = "alike" if row["low"] <= 1 / 2 <= row["high"] else "beats"
    return Sentence(key, {"one": one, "other": other, "won": won})


def _who(p: LadderParameters) -> tuple[Column, Column, Column]:
    return (
        combination(p)[0],
        Column("first", "category", "", "one player of a pairing", p.names),
        Column("second", "category", "", "the other", p.names),
    )


def _worth(rules: RuleSet) -> NDArray[np.int64]:
    counted = rules.kots_of if rules.counting is Counting.KOTS else rules.score_of
    return np.array([[counted(outcome, side == 0) for side in (0, 1)] for outcome in _OUTCOMES], np.int64)


class _Results:
    """What every player did on every deal under one rule set."""

    def __init__(self, p: LadderParameters, rows: pl.DataFrame) -> None:
        self.names = p.names
        size = len(p.player)
        self.places = list(combinations(range(size), 2))
        deals = len(rows) // len(self.places)
        self.wins = np.zeros((deals, size, size), np.int64)     # games that the row's player won
        self.ahead = np.zeros((deals, size), np.int64)          # in all games of the deal
        self.rows = []
        for one, two in self.places:
            part = rows.filter(first=self.names[one], second=self.names[two])
            self.rows.append(part)
            for game in ("calling", "defending"):
                winner = part[f"{game}_winner"].cast(str).to_numpy()
                self.wins[:, one, two] += winner == "first"
                self.wins[:, two, one] += winner == "second"
                points = part[f"{game}_ahead"].cast(int).to_numpy()
                self.ahead[:, one] += points
                self.ahead[:, two] -= points

    def ratings(self, rules: str, seed: int) -> list[dict[str, Any]]:
        """Returns the rows of the summary; intervals are a bootstrap over deals."""
        deals, size = self.ahead.shape
        found = bradley_terry(self.wins.sum(axis=0).astype(np.float64))
        # Deals on which the same games were won are alike, so that a resample is how often each kind comes.
        kinds, counts = np.unique(self.wins.reshape(deals, -1), axis=0, return_counts=True)
        draws = np.random.default_rng(seed).multinomial(deals, counts / deals, size=RESAMPLES)
        wins = (draws @ kinds).reshape(RESAMPLES, size, size).astype(np.float64)
        again = np.array([bradley_terry(resample) for resample in wins])
        shares = _shares(wins)
        share = _shares(self.wins.sum(axis=0, keepdims=True).astype(np.float64))[0]
        rows = []
        for place, player in enumerate(self.names):
            who = {"rules": rules, "player": player, "n": deals}
            for measure, value, sample in (
                ("rating", found[place], again[:, place]), ("won", share[place], shares[:, place])
            ):
                low, high = np.quantile(sample, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
                error = float(sample.std(ddof=1))
                if deals < 2:           # whose resamples are all alike
                    error, low, high = np.nan, -np.inf, np.inf
                rows.append({
                    **who, "measure": measure, "value": float(value),
                    "standard_error": error, "low": float(low), "high": float(high),
                    "method": str(Method.BOOTSTRAP),
                })
            ahead = paired(self.ahead[:, place].tolist())
            rows.append({"rules": rules, "player": player, "measure": "ahead",
                         **single_row(ahead, scale=1 / (2 * (size - 1)))})
        return rows

    def pairings(self, rules: str) -> list[dict[str, Any]]:
        """Returns how each player fared against each."""
        rows = []
        for one, two in self.places:
            decided = self.wins[:, one, two] + self.wins[:, two, one] == 2
            won = self.wins[decided, one, two]
            both, each, neither = (int((won == games).sum()) for games in (2, 1, 0))
            rows.append({
                "rules": rules, "first": self.names[one], "second": self.names[two],
                "both": both, "one": each, "neither": neither,
                **single_row(shares_of_pairs(both, each, neither)),
            })
        return rows


def _shares(wins: Floats) -> Floats:
    """Returns the share of its games that each player won, for each of several tables of wins."""
    won, lost = wins.sum(axis=2), wins.sum(axis=1)
    return np.asarray(won / np.maximum(won + lost, 1))
