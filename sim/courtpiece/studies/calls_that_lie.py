"""What a call tells, how fast one knows more, and what it is worth to count trumps (S4.42 to S4.45).

A unit is one deal in which a defender's beliefs are followed trick by trick (`courtpiece.studies.beliefs`),
and some thousand more of the same seed of which only the call is looked at, and which are played with
partners who do not count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from courtpiece.language import Mean, PValue, Sentence, Share
from courtpiece.rules import name_of
from courtpiece.studies.beliefs import OBSERVERS
from courtpiece.studies.calls_exact import CARDS, HONOURS
from courtpiece.studies.calls_rows import FORGETS, CallsThatLieParameters, believed, called, forgetting
from courtpiece.studies.calls_tables import tables_of, worth
from courtpiece.studies.study import ESTIMATE_COLUMNS, Column, Parameters, Study, combination, schema

if TYPE_CHECKING:
    import polars as pl

    from courtpiece.language import Words
    from courtpiece.plots import Figure

MEASURES = ("length", *HONOURS, "entropy", "surprise", "error", "worlds", "points", "won")
_SENTENCES = 5                          # of the answer


class CallsThatLie(Study[CallsThatLieParameters]):
    """Trump length and honours by call policy, beliefs trick by trick, and the worth of counting."""

    name = "calls-that-lie"
    title = "What a call tells"
    question = "What does a call tell of the caller's trumps, and what is it worth to count them?"
    version: ClassVar[int] = 2
    default_units: ClassVar[int] = 300
    Parameters: ClassVar[type[Parameters]] = CallsThatLieParameters

    def chunk_units(self, p: CallsThatLieParameters) -> int:
        return 5

    def columns(self, p: CallsThatLieParameters) -> tuple[Column, ...]:
        return (
            *combination(p),
            Column("measure", "category", "", "length: trumps of the caller, value is how many; ace, king, "
                   "queen of trumps, value is 1 where he has it; entropy and surprise of a belief in his "
                   "length; error: of the number expected, squared; worlds: logarithm to base 2 of how many "
                   "are left; points, won: gained by who does not count trumps", MEASURES),
            Column("cards", "category", "", "of the caller: the five he called on, or all", CARDS),
            Column("value", "uint8", "", "what was counted", ()),
            Column("observer", "category", "", "what the belief goes by", OBSERVERS),
            Column("trick", "uint8", "", "before which trick"),
            Column("forgets", "category", "", "what the partners forget", FORGETS),
            Column("side", "category", "", "where the partners sit; null for both", ("calling", "defending")),
            Column("n", "int64", "deals", "how many deals"),
            Column("changed", "int64", "deals", "in how many of them the points changed"),
            Column("total", "int64", "", "the sum over them, in millionths of a bit or of a squared trump"),
            Column("squares", "int64", "", "the sum of squares of the same; of gains, in points"),
        )

    def table_columns(self, p: CallsThatLieParameters) -> dict[str, tuple[Column, ...]]:
        prior = Column("prior", "float64", "", "the same for a suit that nobody chose, exactly")
        exact = Column("exact", "float64", "", "what it must be, all hands counted; null where not done")
        cards = Column("cards", "category", "", "of the caller: the five he called on, or all", CARDS)
        trick = Column("trick", "uint8", "", "before which trick")
        observer = Column("observer", "category", "", "sight: the deals that agree with what was seen; "
                          "call: those in which the callers would have said what they said; cards: as likely "
                          "as the cards played make them", OBSERVERS)
        return {
            "summary": (
                *combination(p), Column("measure", "category", "", "see the other tables", MEASURES),
                Column("about", "text", "", "cards, trick and observer, or what is forgotten"),
                *ESTIMATE_COLUMNS,
            ),
            "calls": (
                *combination(p), cards,
                Column("measure", "category", "", "mean length of the trump suit, or the chance of the card",
                       ("length", *HONOURS)),
                Column("found", "float64", "", "what was found"),
                Column("found_half_width", "float64", "", "how far its 95 % interval reaches"),
                prior, exact,
            ),
            "lengths": (
                *combination(p), cards, Column("length", "uint8", "cards", "trumps of the caller"),
                Column("share", "float64", "", "of the deals"),
                Column("share_half_width", "float64", "", "how far its 95 % interval reaches"), prior, exact,
            ),
            "beliefs": (
                *combination(p), trick, observer,
                *(column for name, unit, meaning in (
                    ("entropy", "bits", "what is missing to know the caller's trumps, mean"),
                    ("surprise", "bits", "at the truth, mean: that of a sound belief is its entropy"),
                    ("error", "cards", "root mean square error of the number expected"),
                    ("worlds", "", "logarithm to base 2 of how many worlds are left, mean"),
                ) for column in (
                    Column(name, "float64", unit, meaning),
                    Column(f"{name}_half_width", "float64", unit, "how far its 95 % interval reaches"),
                )),
                Column("deals", "int64", "deals", "that this rests on"),
            ),
            "counting": (
                combination(p)[0], Column("forgets", "category", "", "what the partners forget", FORGETS),
                Column("gain", "category", "", "points ahead or share of deals won", ("points", "won")),
                Column("lost", "float64", "", "lost a deal by two partners who forget, against greedy"),
                Column("lost_half_width", "float64", "", "how far its 95 % interval reaches"),
                Column("sure_low", "float64", "", "lower end of an interval that holds for all rows at once"),
                Column("sure_high", "float64", "", "its upper end"),
                Column("p_holm", "float64", "", "of no loss, corrected for all rows (Holm)"),
                Column("deals", "int64", "deals", "that this rests on"),
            ),
        }

    def chunk(self, p: CallsThatLieParameters, start: int, stop: int) -> pl.DataFrame:
        import polars as pl

        rows: list[dict[str, Any]] = []
        for rules in p.rules:
            for lineup in p.players:
                who = {"rules": name_of(rules), "players": str(lineup)}
                found = [*called(rules, lineup, p, start, stop), *believed(rules, lineup, p, start, stop)]
                rows += [{**who, **row} for row in found]
            who = {"rules": name_of(rules), "players": str(p.players[0])}
            rows += [{**who, **row} for row in forgetting(rules, p, start, stop)]
        return pl.DataFrame(rows, schema=schema(self.columns(p)))

    def summarise(self, p: CallsThatLieParameters, shards: pl.LazyFrame) -> dict[str, pl.DataFrame]:
        import polars as pl

        counted = ["n", "changed", "total", "squares"]
        keys = [column.name for column in self.columns(p) if column.name not in counted]
        totals = shards.group_by(keys).agg(pl.col(counted).sum()).collect(engine="streaming").sort(keys)
        tables: dict[str, list[dict[str, Any]]] = {name: [] for name in self.table_columns(p)}
        for rules in p.rules:
            for lineup in p.players:
                who = {"rules": name_of(rules), "players": str(lineup)}
                for name, row in tables_of(rules, lineup, totals.filter(**who)):
                    tables[name].append({**who, **row})
            for name, row in worth(totals.filter(pl.col("forgets").is_not_null(), rules=name_of(rules))):
                tables[name].append({"rules": name_of(rules), "players": str(p.players[0]), **row})
        return {name: pl.DataFrame(tables[name], schema=schema(columns))
                for name, columns in self.table_columns(p).items()}

    def headline(self, p: CallsThatLieParameters, tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
        import polars as pl

        which = ["rules", "players"]
        table = tables["calls"].select(which).unique(maintain_order=True)
        for name, cards, measure in (("five", "five", "length"), ("length", "thirteen", "length"),
                                     ("ace", "thirteen", "ace"), ("king", "thirteen", "king")):
            one = tables["calls"].filter(cards=cards, measure=measure).select(
                *which, pl.col("found").alias(name), pl.col("found_half_width").alias(f"{name}_half_width"))
            table = table.join(one, on=which, how="left", maintain_order="left")
        for name, observer, trick in (("bits_by_sight", "sight", 1), ("bits_by_call", "call", 1),
                                      ("bits_before_trick_5", "call", 5)):
            one = tables["beliefs"].filter(observer=observer, trick=trick).select(
                *which, pl.col("entropy").alias(name),
                pl.col("entropy_half_width").alias(f"{name}_half_width"))
            table = table.join(one, on=which, how="left", maintain_order="left")
        return table

    def half_widths(self, p: CallsThatLieParameters, tables: Mapping[str, pl.DataFrame]) -> list[float]:
        return tables["beliefs"]["entropy_half_width"].to_list()

    def answer(self, p: CallsThatLieParameters, tables: Mapping[str, pl.DataFrame]) -> list[Sentence]:
        rules = name_of(p.rules[0])
        told = [
            Sentence("call", {
                "players": row["players"], "length": Mean(row["length"], row["length_half_width"]),
                "ace": Share(row["ace"], row["ace_half_width"]),
                "sight": Mean(row["bits_by_sight"], row["bits_by_sight_half_width"]),
                "call": Mean(row["bits_by_call"], row["bits_by_call_half_width"]),
            })
            for row in self.headline(p, tables).filter(rules=rules).iter_rows(named=True)
        ]
        lost = {
            row["gain"]: row
            for row in tables["counting"].filter(rules=rules, forgets="both").iter_rows(named=True)
        }
        points, won = lost["points"], lost["won"]
        counting = Sentence("counting", {
            "points": Mean(points["lost"], points["lost_half_width"]), "p": PValue(points["p_holm"]),
            "won": Share(won["lost"], won["lost_half_width"]),
        })
        return [*told[: _SENTENCES - 1], counting]

    def figures(
        self, p: CallsThatLieParameters, tables: Mapping[str, pl.DataFrame], words: Words
    ) -> Sequence[Figure]:
        from courtpiece.plots.calls_that_lie import calls_that_lie

        return calls_that_lie(tables, words)
