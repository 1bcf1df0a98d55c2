"""How good is each trump call from five cards?

Every distinct call of a hand is played on the same deals (see `courtpiece.advice`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from courtpiece.advice import Calls, Worth, play_calls
from courtpiece.language import Cards, Mean, Sentence, Share, Term
from courtpiece.studies import trump_rows, trump_tables
from courtpiece.studies.estimates import half_width
from courtpiece.studies.hands import random_hands
from courtpiece.studies.study import Column, Parameters, Study
from courtpiece.studies.trump_rows import TrumpCallParameters
from courtpiece.studies.trump_sample import BEST, QUALITIES
from courtpiece.table import Table

if TYPE_CHECKING:
    import polars as pl

    from courtpiece.language import Words
    from courtpiece.plots import Figure

_PLAYED_A_SECOND = 700_000              # deals, by one core
_NUMBERS = ("no card of it", "one card", "two cards", "three cards", "four cards", "five cards")
_HOW_MANY = ("no_A_K_Q", "one_of_A_K_Q", "two_of_A_K_Q", "all_of_A_K_Q")
_FEW_HANDS = 6                          # of which the headline tells all calls
_MANY_HANDS = 40                        # beyond which it tells of no single hand


class TrumpCall(Study[TrumpCallParameters]):
    """Each call's chances and points, and what the calling policies lose against the best call."""

    name = "trump-call"
    title = "Trump calls from five cards"
    question = "How good is each trump call from five cards?"
    extent: ClassVar[str] = "hands"
    default_units: ClassVar[int] = 10_000
    solved_units: ClassVar[int] = 200
    parallel: ClassVar[Literal["threads", "processes"]] = "threads"
    Parameters: ClassVar[type[Parameters]] = TrumpCallParameters

    def units(self, p: TrumpCallParameters) -> int | None:
        if p.given:
            return p.hands or len(p.given)
        return super().units(p)

    def chunk_units(self, p: TrumpCallParameters) -> int:
        assert p.deals is not None
        if p.solved:
            return max(1, int(1 / (5 * p.deals * p.solved_seconds)))
        return max(1, _PLAYED_A_SECOND // (5 * p.deals * len(p.rules) * len(p.players)))

    def columns(self, p: TrumpCallParameters) -> tuple[Column, ...]:
        return trump_rows.columns(p)

    def table_columns(self, p: TrumpCallParameters) -> dict[str, tuple[Column, ...]]:
        return trump_tables.table_columns(p)

    def chunk(self, p: TrumpCallParameters, start: int, stop: int) -> pl.DataFrame:
        import polars as pl

        assert p.deals is not None
        tables = [Table(rules, lineup) for rules in p.rules for lineup in p.players]
        worths = [Worth(table.rules) for table in tables]
        hands = p.given[start:stop] if p.given else random_hands(p.seed, start, stop)
        columns = self.columns(p)
        values: dict[str, list[NDArray[np.generic]]] = {column.name: [] for column in columns}
        for number, hand in enumerate(hands, start):
            for table, worth in zip(tables, worths, strict=True):
                calls = Calls.of(hand, table.rules)
                tally = play_calls(table, worth, calls, p.seed, 0, p.deals)
                for name, column in trump_rows.rows(number, table, calls, worth, tally).items():
                    values[name].append(column)
        rows = pl.DataFrame([
            pl.Series(column.name, np.concatenate(values[column.name])).cast(column.dtype)
            for column in columns
        ])
        solved = [str(lineup) for lineup in p.players if lineup.double_dummy]
        untold = pl.col("players").cast(pl.String).is_in(solved)
        return rows.with_columns(
            pl.when(untold).then(None).otherwise(pl.col(name)).alias(name) for name in trump_rows.OF_TRICKS
        )

    def summarise(self, p: TrumpCallParameters, shards: pl.LazyFrame) -> dict[str, pl.DataFrame]:
        return trump_tables.summarise(p, shards)

    def headline(self, p: TrumpCallParameters, tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
        """Returns the chance to win with a suit by its cards and honours; of a few given hands, calls."""
        import polars as pl

        which = [name for name in ("rules", "players") if len(getattr(p, name)) > 1]
        shown = [name for quality in QUALITIES for name in (quality, f"{quality}_half_width")]
        if p.given and len(p.given) <= _FEW_HANDS:
            order = [*which, "hand", "points_ahead"]
            falling = [False] * (len(order) - 1) + [True]
            calls = tables["calls"].sort(order, descending=falling, maintain_order=True)
            return calls.select(*which, "cards", "call", "also", *shown)
        if p.given and len(p.given) <= _MANY_HANDS:
            return tables["hands"].select(*which, "cards", "best", "lead", "lead_half_width", *shown)
        lengths = tables["lengths"].filter(pl.col("win_half_width").is_not_null())
        rows = lengths.select(*which, "length").unique(maintain_order=True)
        for honours, name in enumerate(_HOW_MANY):
            one = lengths.filter(honours=honours).select(
                *which, "length", pl.col("win").alias(name),
                pl.col("win_half_width").alias(f"{name}_half_width"),
            )
            rows = rows.join(one, on=[*which, "length"], how="left", maintain_order="left")
        cards = pl.Series("chance_to_win_with", [_NUMBERS[length] for length in rows["length"]])
        return rows.select(*which, cards, pl.exclude(*which, "length"))

    def answer(self, p: TrumpCallParameters, tables: Mapping[str, pl.DataFrame]) -> list[Sentence]:
        """Returns what random hands are worth called best, and what other ways lose; of a few given hands,
        calls.  Beyond the first rule set and line-up it is left to the tables."""
        import polars as pl

        rules, players = tables["summary"]["rules"][0], tables["summary"]["players"][0]
        where = (pl.col("rules") == rules) & (pl.col("players") == players)
        who = {"rules": str(rules), "players": str(players)}
        if p.given and len(p.given) <= _FEW_HANDS:
            return [sentence for row in tables["hands"].filter(where).iter_rows(named=True)
                    for sentence in _of_hand(who, row)]
        summary = tables["summary"].filter(where)
        told = [Sentence("best", {
            **who, "win": Share(*_in_summary(summary, BEST, "win")),
            "ahead": Mean(*_in_summary(summary, BEST, "points_ahead")),
        })]
        for policy in ("longest", "strongest"):
            regret, reach = _in_summary(summary, policy, "regret")
            told.append(Sentence("policy" if regret > reach else "policy-even", {
                "policy": Term(policy, "policy"), "regret": Mean(regret, reach),
                "agreement": Share(*_in_summary(summary, policy, "agreement")),
            }))
        three = tables["lengths"].filter(where, length=3).drop_nulls("win_half_width")
        shares = {row["honours"]: Share(row["win"], row["win_half_width"])
                  for row in three.iter_rows(named=True)}
        if {0, 3} <= shares.keys():
            told.append(Sentence("honours", {"none": shares[0], "all": shares[3]}))
        return told

    def figures(
        self, p: TrumpCallParameters, tables: Mapping[str, pl.DataFrame], words: Words
    ) -> Sequence[Figure]:
        from courtpiece.plots.trump_call import trump_call

        return trump_call(tables, words)


def _of_hand(who: Mapping[str, str], row: Mapping[str, Any]) -> Iterator[Sentence]:
    yield Sentence("hand", {
        **who, "cards": Cards(row["cards"]), "best": _called(row["best"]),
        "win": Share(row["win"], row["win_half_width"]),
        "ahead": Mean(row["points_ahead"], row["points_ahead_half_width"]),
    })
    lead = Mean(row["lead"], row["lead_half_width"])
    yield Sentence("lead" if row["sure"] else "open", {"lead": lead, "next": _called(row["next"])})


def _called(word: str) -> Cards | Term:
    """Returns a call as a sentence has it: the card that is laid, or the suit or other word."""
    kind, _, card = word.partition(" ")
    return Cards(card) if kind == "hide" else Term(word, "said")


def _in_summary(summary: pl.DataFrame, policy: str, measure: str) -> tuple[float, float]:
    row = summary.filter(policy=policy, measure=measure).row(0, named=True)
    return row["value"], half_width(row)
