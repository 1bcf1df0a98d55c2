"""How often a deal ends in a kot, by rule set and players.

Every rule set and every line-up plays the same deals, so that rule sets can be compared deal by deal.
A chunk keeps how many deals ended in each way (outcome, winner, tricks, tens, all thirteen, certain claim),
together with what the caller held of the suit that he called, how the same deal ended under the first rule
set, and, where all four saw all cards, how it ended when the same callers sat with `greedy`: all that the
tables need.

All thirteen tricks by one side are counted under every rule set.  Where the rules stop at seven tricks, deals
in which one side has taken all so far are played on to the last card by the same players.

Where the rules have a claim of all thirteen (S4.32) it is also told how often one would be certain before the
first card: that side takes all tricks against any defence, all four hands open.  This is solved, not played.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from courtpiece.language import Mean, Sentence, Share
from courtpiece.rules import Kot, Redeal, name_of
from courtpiece.studies import kot_rows
from courtpiece.studies.estimates import with_estimates
from courtpiece.studies.kot_rows import HONOURS, OUTCOMES, WINNERS, at_the_table
from courtpiece.studies.kot_tables import MEASURES, SIDES, by_holding, compared, estimates
from courtpiece.studies.study import ESTIMATE_COLUMNS, Column, Parameters, Study, combination, schema

if TYPE_CHECKING:
    import polars as pl

    from courtpiece.language import Words
    from courtpiece.plots import Figure

_SOLVED_CHUNK = 2.0                     # seconds, about
_FEW = 4                                # combinations, of each of which the answer tells


class KotFrequency(Study[Parameters]):
    """Each outcome's chance, the sides' points and tricks, and the differences between rule sets."""

    name = "kot-frequency"
    title = "Kot frequency"
    question = "How often does a deal end in a kot, and what does it bring, under each rule set?"
    version: ClassVar[int] = 4
    parallel: ClassVar[Literal["threads", "processes"]] = "threads"

    def chunk_units(self, p: Parameters) -> int:
        if p.solved:
            units = round(_SOLVED_CHUNK / p.solved_seconds)
            return max(1, units // 100 * 100 or units)
        return max(10_000, 500_000 // (len(p.rules) * len(p.players)) // 10_000 * 10_000)

    def columns(self, p: Parameters) -> tuple[Column, ...]:
        return (
            *combination(p),
            Column("outcome", "category", "", "how the deal ended", OUTCOMES),
            Column("winner", "category", "", "the side that won it; nobody wins a redeal", WINNERS),
            Column("caller_tricks", "uint8", "tricks", "taken by the caller's side when the deal ended"),
            Column("defender_tricks", "uint8", "tricks", "taken by the defenders when the deal ended"),
            Column("caller_tens", "uint8", "tens", "taken by the caller's side, where tens decide; else 0"),
            Column("defender_tens", "uint8", "tens", "taken by the defenders, where tens decide; else 0"),
            Column("all_thirteen", "category", "", "the side that takes all thirteen tricks, the deal played "
                   "to its last card; null where no cards are played", WINNERS),
            Column("certain_claim", "category", "", "whose claim of all thirteen is certain, hands open; "
                   "null where not asked", WINNERS),
            Column("length", "uint8", "cards", "of the suit called among the five cards of the caller; null "
                   "where nobody called"),
            Column("honours", "category", "", "its ace, king and queen among them", HONOURS),
            Column("first_outcome", "category", "", "how the same deals ended under the first rule set",
                   OUTCOMES),
            Column("first_winner", "category", "", "who won the same deals under the first rule set",
                   WINNERS),
            Column("table_outcome", "category", "", "how the same deals ended at the table, with greedy and "
                   "the same callers; null but where double-dummy is compared with them", OUTCOMES),
            Column("table_winner", "category", "", "who won the same deals at the table", WINNERS),
            Column("deals", "int64", "deals", "how many deals of the chunk went like this"),
        )

    def table_columns(self, p: Parameters) -> dict[str, tuple[Column, ...]]:
        which = (
            Column("measure", "category", "", "what is estimated: the chance of an outcome (redeal: of all "
                   "deals, else of those played), of winning, of a kot (any outcome that counts as one); "
                   "the mean points, points ahead of the other side, tricks or tens a deal; the chance that "
                   "a claim of all thirteen is certain before the first card, all hands open; the chance "
                   "that one side takes all thirteen tricks, the deal played to its last card; no tricks nor "
                   "tens of double-dummy", MEASURES),
            Column("side", "category", "", "whose", SIDES),
        )
        return {
            "summary": (*combination(p), *which, *ESTIMATE_COLUMNS),
            "differences": (
                *combination(p),
                Column("first", "category", "", "the rule set it is compared with, on the same deals",
                       tuple(name_of(rules) for rules in p.rules)),
                *which, *ESTIMATE_COLUMNS,
            ),
            "open_cards": (
                *combination(p),
                Column("table", "category", "", "the players at the table it is compared with, on the same "
                       "deals", tuple(str(lineup) for lineup in p.players)),
                *which, *ESTIMATE_COLUMNS,
            ),
            "holdings": (
                *combination(p),
                Column("length", "uint8", "cards", "of the suit called among the five cards of the caller"),
                Column("honours", "category", "", "its ace, king and queen among them", HONOURS),
                *which, *ESTIMATE_COLUMNS,
            ),
            "counts": tuple(column for column in self.columns(p) if column.name not in ("length", "honours")),
        }

    def chunk(self, p: Parameters, start: int, stop: int) -> pl.DataFrame:
        return kot_rows.rows(p, self.columns(p), start, stop)

    def summarise(self, p: Parameters, shards: pl.LazyFrame) -> dict[str, pl.DataFrame]:
        import polars as pl

        columns = self.table_columns(p)
        dimensions = [column.name for column in self.columns(p)[:-1]]
        by_hand = shards.group_by(dimensions).agg(pl.col("deals").sum()).collect(engine="streaming")
        kept = [name for name in dimensions if name not in ("length", "honours")]
        counts = by_hand.group_by(kept).agg(pl.col("deals").sum()).sort(kept).select(*kept, "deals")
        summary: list[dict[str, Any]] = []
        differences: list[dict[str, Any]] = []
        open_cards: list[dict[str, Any]] = []
        holdings: list[dict[str, Any]] = []
        for lineup in p.players:
            for rules in p.rules:
                who = {"rules": name_of(rules), "players": str(lineup)}
                part = counts.filter(rules=who["rules"], players=who["players"])
                summary += [{**who, **row} for row in estimates(rules, part)]
                hands = by_hand.filter(rules=who["rules"], players=who["players"]).drop_nulls("length")
                holdings += [{**who, **row} for row in by_holding(rules, hands)]
                if rules != p.rules[0]:
                    versus = {**who, "first": name_of(p.rules[0])}
                    differences += [{**versus, **row} for row in compared(rules, p.rules[0], part, "first_")]
                if table := at_the_table(p, lineup):
                    versus = {**who, "table": str(table)}
                    open_cards += [{**versus, **row} for row in compared(rules, rules, part, "table_")]
        return {
            "summary": pl.DataFrame(summary, schema=schema(columns["summary"])),
            "differences": pl.DataFrame(differences, schema=schema(columns["differences"])),
            "open_cards": pl.DataFrame(open_cards, schema=schema(columns["open_cards"])),
            "holdings": pl.DataFrame(holdings, schema=schema(columns["holdings"])),
            "counts": counts,
        }

    def headline(self, p: Parameters, tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
        summary = tables["summary"]
        shown = [("win", "win", "caller"), ("kot", "kot", "caller"), ("kot_conceded", "kot", "defender"),
                 ("points", "points", "caller"), ("points_against", "points", "defender")]
        if not summary.filter(measure="certain-claim").is_empty():
            shown.append(("certain_claim", "certain-claim", "caller"))
        if any(rules.redeal is not Redeal.OFF for rules in p.rules):
            shown.append(("redeal", "redeal", "both"))
        table = summary.filter(measure="win", side="caller").select("rules", "players", deals="n")
        return with_estimates(table, ["rules", "players"], {
            name: summary.filter(measure=measure, side=side) for name, measure, side in shown
        })

    def answer(self, p: Parameters, tables: Mapping[str, pl.DataFrame]) -> list[Sentence]:
        headline = self.headline(p, tables)
        rows = list(headline.iter_rows(named=True))
        if len(rows) > _FEW:
            return [_extremes(rows)]
        told = []
        without = [name_of(rules) for rules in p.rules if rules.kot is Kot.NONE]
        for row in rows:
            shares = {name: Share(row[column], row[f"{column}_half_width"]) for name, column
                      in (("win", "win"), ("kot", "kot"), ("conceded", "kot_conceded"))}
            never = row["rules"] in without and not row["kot"] + row["kot_conceded"]
            told.append(Sentence("without" if never else "one",
                                 {"rules": row["rules"], "players": row["players"], **shares}))
        if len(rows) == 1:
            points = {name: Mean(rows[0][column], rows[0][f"{column}_half_width"]) for name, column
                      in (("points", "points"), ("against", "points_against"))}
            told.append(Sentence("points", points))
        return told

    def figures(
        self, p: Parameters, tables: Mapping[str, pl.DataFrame], words: Words
    ) -> Sequence[Figure]:
        from courtpiece.plots.kot_frequency import kot_frequency

        return kot_frequency(tables, words)


def _extremes(rows: Sequence[Mapping[str, Any]]) -> Sentence:
    """Returns where kots of either side are most and least frequent."""

    def kots(row: Mapping[str, Any]) -> Share:
        # A deal ends in one kot at most, so that the variance of both is less than the sum of theirs.
        half_widths = row["kot_half_width"], row["kot_conceded_half_width"]
        return Share(row["kot"] + row["kot_conceded"], float(np.hypot(*half_widths)))

    least, *_, most = sorted(rows, key=lambda row: kots(row).value)
    return Sentence("extremes", {
        "count": len(rows), "most": f"{most['rules']}, {most['players']}", "many": kots(most),
        "least": f"{least['rules']}, {least['players']}", "few": kots(least),
    })
