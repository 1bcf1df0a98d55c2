"""What each right of a player is worth: to pass, to have a new deal, to let the thirteenth card decide, to
change trump, to swap cards, to choose which card to hide and when to ask for it.

A chunk holds, for each right and each value of what its user sees, how many points more a use of the right
brought on how many deals: all that any policy by that value needs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from courtpiece.errors import UsageError, suggest
from courtpiece.language import Mean, Sentence, Share, Term, Value
from courtpiece.players import PlayerSpec
from courtpiece.rules import RuleSet, name_of
from courtpiece.rules.values import show
from courtpiece.stats import LEVEL
from courtpiece.studies.estimates import half_width
from courtpiece.studies.options_policies import AGAINST, CHOICES, NO_VALUE, RIGHTS, Subject, subjects
from courtpiece.studies.options_tables import HALVES, MEASURES, tables_of
from courtpiece.studies.study import (
    ESTIMATE_COLUMNS,
    RULES,
    Column,
    Kind,
    Parameters,
    Study,
    parameter,
    schema,
)

if TYPE_CHECKING:
    import polars as pl

    from courtpiece.language import Words
    from courtpiece.plots import Figure

_BATCH = 10_000                         # deals at a time: their traces take some megabytes
_CALLERS = ("longest", "strongest")


def _read_right(value: Any) -> str:
    if value in RIGHTS:
        return str(value)
    raise UsageError(f"must be one of {', '.join(RIGHTS)}, not {show(value)}{suggest(str(value), RIGHTS)}")


RIGHT = Kind("RIGHT", _read_right, str, str)


@dataclass(frozen=True, kw_only=True)
class OptionsParameters(Parameters):
    """What the study of rights can be asked."""

    rules: tuple[RuleSet, ...] = parameter(
        "a rule set: a preset, a file, or a line such as single-sir,thirteenth=true; give several",
        RULES, ("single-sir", "double-sir", "hidden-trump", "be-ranga", "mendikot", "mendikot-band", "bavan"),
        many=True,
    )
    right: tuple[str, ...] = parameter(
        f"a right, where the rules have it: {', '.join(RIGHTS)}; the two extras, of swapping cards and "
        "changing trump, where they may be added; by default all", RIGHT, RIGHTS, many=True,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        for lineup in self.players:
            callers = [player.caller for player in lineup.players[::2] if isinstance(player, PlayerSpec)]
            if not lineup.in_kernel or lineup.double_dummy or not set(callers) <= set(_CALLERS):
                raise UsageError(f"players: {lineup} cannot be given policies; take random, simple or "
                                 f"greedy, with the caller {' or '.join(_CALLERS)}")
        if not self.subjects:
            raise UsageError(f"right: none of {', '.join(self.right)} is one under these rules")

    @property
    def subjects(self) -> list[Subject]:
        """Each right under each rule set that has it, with each line-up."""
        return [subject for lineup in self.players for rules in self.rules
                for subject in subjects(rules, lineup, self.right)]


class Options(Study[OptionsParameters]):
    """The best policy for each right, and what it gains."""

    name = "options"
    title = "Options"
    question = "What is each right of a player worth, and when to use it?"
    version: ClassVar[int] = 2
    default_units: ClassVar[int] = 200_000
    parallel: ClassVar[Literal["threads", "processes"]] = "processes"
    Parameters: ClassVar[type[Parameters]] = OptionsParameters

    def chunk_units(self, p: OptionsParameters) -> int:
        return max(1000, 100_000 // len(p.subjects) // 1000 * 1000)

    def columns(self, p: OptionsParameters) -> tuple[Column, ...]:
        return (
            *_who(p),
            Column("choice", "category", "", "what was chosen; keep: no new deal", CHOICES),
            Column("against", "category", "", "what it is compared with: the right unused, what the players "
                   "do by themselves, the rule switched off", AGAINST),
            Column("half", "category", "", "whether the number of the deal is even or odd", HALVES),
            Column("value", "int32", "", "what the policy looks at: the value of the best suit of five cards "
                   "in thousandths of the chance to win; less how much better the new trump is with "
                   "thirteen; how many cards of the suit are held; null where the right cannot be used"),
            Column("deals", "int64", "deals", "how many deals of the chunk were like this, redeals left out"),
            Column("total", "int64", "points", "points more in all, for the side whose right it is; of keep: "
                   "its points"),
            Column("squares", "int64", "points²", "the sum of their squares"),
        )

    def table_columns(self, p: OptionsParameters) -> dict[str, tuple[Column, ...]]:
        who = _who(p)
        measure = Column(
            "measure", "category", "", "points a deal: gain, of the best policy over not using the right; "
            "over-built-in, over the players' own policy; built-in, of that over not using it; having, of "
            "the rule with the best policy over the rule switched off; and used, the share of deals in which "
            "the best policy uses it; all of them on the deals that had no part in choosing it", MEASURES)
        pairs = [
            column
            for name in MEASURES
            for column in (Column(name.replace("-", "_"), "float64", "", f"the measure {name}"),
                           Column(f"{name.replace('-', '_')}_half_width", "float64", "",
                                  "how far its 95 % interval reaches"))
        ]
        return {
            "summary": (*who, measure, *ESTIMATE_COLUMNS),
            "policies": (
                *who,
                Column("policy", "text", "", "the best policy on the deals with even numbers, of which all "
                       "measures tell: < the value of the five cards below which the right is used; ≥ by how "
                       "much a new trump has to be better; by the number of cards held of the suit which one "
                       "is hidden, from the highest; when"),
                Column("on_odd", "text", "", "the best on the others, to see how sure the choice is"),
                Column("own_policy", "text", "", "what the players do by themselves"),
                *pairs,
            ),
            "curves": (
                *who, Column("threshold", "int32", "", "the right is used where the value is below this"),
                *ESTIMATE_COLUMNS,
            ),
        }

    def chunk(self, p: OptionsParameters, start: int, stop: int) -> pl.DataFrame:
        import polars as pl

        parts = []
        for subject in p.subjects:
            for at in range(start, stop, _BATCH):
                count = min(_BATCH, stop - at)
                even = (np.arange(at, at + count) % 2) == 0
                for seen in subject.seen(p.seed, at, count):
                    table = pl.DataFrame({"value": seen.value, "more": seen.more, "even": even})
                    parts.append(_counted(table.filter(seen.played)).select(
                        rules=pl.lit(name_of(subject.rules)), players=pl.lit(str(subject.lineup)),
                        right=pl.lit(subject.right), choice=pl.lit(seen.choice), against=pl.lit(seen.against),
                        half="half", value="value", deals="deals", total="total", squares="squares"))
        return _added(pl.concat(parts).cast(schema(self.columns(p))))       # type: ignore[arg-type]

    def summarise(self, p: OptionsParameters, shards: pl.LazyFrame) -> dict[str, pl.DataFrame]:
        import polars as pl

        rows = _added(shards.collect())
        found: dict[str, list[dict[str, Any]]] = {"summary": [], "policies": [], "curves": []}
        for subject in p.subjects:
            part = rows.filter(rules=name_of(subject.rules), players=str(subject.lineup), right=subject.right)
            if part.is_empty():
                continue
            summary, policy, curve = tables_of(subject, part)
            found["summary"] += summary
            found["policies"].append(policy)
            found["curves"] += curve
        return {
            name: pl.DataFrame(found[name], schema=schema(columns))
            for name, columns in self.table_columns(p).items()
        }

    def headline(self, p: OptionsParameters, tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
        shown = ["rules", "players", "right", "policy", "gain", "gain_half_width", "over_built_in",
                 "over_built_in_half_width", "used", "used_half_width"]
        return tables["policies"].select(shown)

    def half_widths(self, p: OptionsParameters, tables: Mapping[str, pl.DataFrame]) -> list[float]:
        """Returns the half-widths of gains."""
        import polars as pl

        return half_width(tables["summary"].filter(pl.col("measure") != "used")).to_list()

    def answer(self, p: OptionsParameters, tables: Mapping[str, pl.DataFrame]) -> list[Sentence]:
        import polars as pl

        found = []
        first = {name_of(subject.rules) for subject in subjects(p.rules[0], p.players[0], p.right)}
        gains = tables["policies"].filter(pl.col("rules").cast(str).is_in(first), pl.col("gain").is_finite())
        if len(gains):
            row = gains.sort("gain", descending=True, maintain_order=True).row(0, named=True)
            values: dict[str, Value] = {"rules": name_of(p.rules[0]), "right": Term(row["right"]),
                                        "gain": Mean(row["gain"], row["gain_half_width"])}
            if row["used"] is None:
                found.append(Sentence("most_chosen", values))
            else:
                values["used"] = Share(row["used"], row["used_half_width"])
                found.append(Sentence("most", values))
        better = _surely_better(tables["policies"])
        if better.is_empty():
            return [*found, Sentence("own_is_best")]
        return [*found, *(
            Sentence("better", {
                "rules": str(row["rules"]), "right": Term(row["right"]), "policy": Term(row["policy"]),
                "own": Term(row["own_policy"]),
                "gain": Mean(row["over_built_in"], row["over_built_in_half_width"]),
            })
            for row in better.head(3).iter_rows(named=True)
        )]

    def figures(
        self, p: OptionsParameters, tables: Mapping[str, pl.DataFrame], words: Words
    ) -> Sequence[Figure]:
        from courtpiece.plots.options import options

        return options(tables, words)


def _who(p: OptionsParameters) -> tuple[Column, Column, Column]:
    names = tuple(dict.fromkeys(name_of(subject.rules) for subject in p.subjects))
    return (
        Column("rules", "category", "", "the rule set, with the right", names),
        Column("players", "category", "", "who played", tuple(map(str, p.players))),
        Column("right", "category", "", "the right; ask: when the hidden card is asked for by the caller's "
               "side, ask-defending: by the others", RIGHTS),
    )


def _surely_better(policies: pl.DataFrame) -> pl.DataFrame:
    """Returns the policies that beat the players' own, most first, all together with 95 % (Bonferroni)."""
    import polars as pl
    from scipy.special import ndtri

    wider = float(ndtri(1 - (1 - LEVEL) / 2 / max(1, len(policies))) / ndtri((1 + LEVEL) / 2))
    least = pl.col("over_built_in") - wider * pl.col("over_built_in_half_width")
    sure = policies.filter(least > 0, least.is_finite())
    return sure.sort("over_built_in", descending=True, maintain_order=True)


def _counted(rows: pl.DataFrame) -> pl.DataFrame:
    """Returns the sums over deals by half and value."""
    import polars as pl

    return (
        rows.with_columns(half=pl.when("even").then(pl.lit(HALVES[0])).otherwise(pl.lit(HALVES[1])),
                          value=pl.when(pl.col("value") < NO_VALUE).then("value"))
        .group_by("half", "value")
        .agg(deals=pl.len(), total=pl.col("more").sum(), squares=(pl.col("more") ** 2).sum())
    )


def _added(rows: pl.DataFrame) -> pl.DataFrame:
    """Returns rows that say the same of different deals added up, in order."""
    import polars as pl

    ways = ["rules", "players", "right", "choice", "against", "half", "value"]
    return rows.group_by(ways).agg(pl.col("deals", "total", "squares").sum()).sort(ways)
