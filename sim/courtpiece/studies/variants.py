"""What each rule set makes of the game: of a deal, of a match, and of the better of two players.

Deals are played and counted by how they end; all about matches follows from these counts, through a Markov
chain over score, streaks and caller (`chain.Chain`).  Matches are simulated, too, to check it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from courtpiece.errors import UsageError
from courtpiece.language import Mean, Sentence, Share
from courtpiece.players import AnyPlayer, Lineup, check_lineup
from courtpiece.rules import Counting, Kot, Objective, RuleSet, name_of, resolve
from courtpiece.rules.changes import Change, single_changes
from courtpiece.rules.ruleset import option_names
from courtpiece.studies.duel import PLAYER
from courtpiece.studies.estimates import half_width, with_estimates
from courtpiece.studies.study import (
    ESTIMATE_COLUMNS,
    RULES,
    Column,
    Parameters,
    Study,
    combination,
    parameter,
    schema,
)
from courtpiece.studies.variants_measures import DEAL_MEASURES, MATCH_MEASURES, SKILL_MEASURES
from courtpiece.studies.variants_rows import SIMULATED, Rows, columns
from courtpiece.studies.variants_tables import (
    check_rows,
    comeback_rows,
    difference_rows,
    gather,
    score_rows,
    summary_rows,
    wide,
)

if TYPE_CHECKING:
    import polars as pl

    from courtpiece.language import Words
    from courtpiece.plots import Figure

MAIN_PRESETS = ("single-sir", "double-sir", "hidden-trump", "be-ranga", "mendikot", "mendikot-band",
                "classic", "hakim", "bavan")
MEASURES = (*DEAL_MEASURES, *MATCH_MEASURES, *SKILL_MEASURES)
SHOWN = ("ahead", "first-call", "deals-a-match", "comeback", "decisiveness", "drama")
_PRECISE = ("win", "first-call", "behind-at-half", "comeback", "deal-share", "match-share")


@dataclass(frozen=True, kw_only=True)
class VariantsParameters(Parameters):
    """What the study of variants can be asked."""

    rules: tuple[RuleSet, ...] = parameter(
        "a rule set: a preset, a file, or a line such as single-sir,target=5; give several: the others are "
        "compared with the first; by default the main presets", RULES, MAIN_PRESETS, many=True,
    )
    around: RuleSet | None = parameter(     # noqa: RUF009
        "a rule set to change one rule at a time: it and every legal change of a single option are compared",
        RULES, None, optional=True,
    )
    us: AnyPlayer = parameter(          # noqa: RUF009 (as the base class's, a dataclass field)
        "the better of two players, to tell skill from luck", PLAYER, "greedy"
    )
    them: AnyPlayer = parameter("the player it plays against", PLAYER, "simple")    # noqa: RUF009

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.around is not None:
            derived = (self.around, *(change.rules for change in self.changes))
            if self.rules not in (derived, tuple(map(resolve, MAIN_PRESETS))):
                raise UsageError("around: takes its rule sets from the one it changes; leave out rules")
            object.__setattr__(self, "rules", derived)
            self.check_lineups()

    def check_lineups(self) -> None:
        for lineup in self.lineups:
            for rules in self.rules:
                check_lineup(lineup, rules)

    @property
    def changes(self) -> tuple[Change, ...]:
        """The changes around a rule set, if that was asked for."""
        return () if self.around is None else single_changes(self.around)

    @property
    def lineups(self) -> tuple[Lineup, ...]:
        return (*self.players, Lineup.of(self.us, self.them), Lineup.of(self.them, self.us))

    def typed(self, name: str) -> list[str]:
        return [] if name == "rules" and self.around is not None else super().typed(name)

    @staticmethod
    def has_matches(rules: RuleSet) -> bool:
        """True when matches have a target that results of deals can reach."""
        if rules.target is None:
            return False
        if rules.streak and rules.streak_bonus:
            return True
        if rules.counting is Counting.POINTS:
            return max(rules.score) > 0
        return rules.objective is Objective.TENS or rules.kot is not Kot.NONE


class Variants(Study[VariantsParameters]):
    """Measures of deals, matches, and of skill against luck, by rule set; what each rule changes."""

    name = "variants"
    title = "Variants"
    question = "What does each rule set make of deals, of matches, and of skill?"
    default_units: ClassVar[int] = 500_000
    Parameters: ClassVar[type[Parameters]] = VariantsParameters

    def chunk_units(self, p: VariantsParameters) -> int:
        if p.solved:
            return max(1, round(2.0 / p.solved_seconds))
        return max(2000, 500_000 // (len(p.rules) * len(p.lineups)) // 1000 * 1000)

    def columns(self, p: VariantsParameters) -> tuple[Column, ...]:
        return columns(p)

    def table_columns(self, p: VariantsParameters) -> dict[str, tuple[Column, ...]]:
        measure = Column(
            "measure", "category", "", "of a deal: the share that the caller's side wins; points to the "
            "winner; points ahead of the caller's side (mean, variance, skewness); tricks.  Of a match: the "
            "chance to win of the side that calls first; mean and spread of its deals; tricks; the chance "
            "that who first has half of the target loses, that the winner was once behind by half of it; the "
            "share of deals played when it is settled; drama.  Of us against them: the share of deals and "
            "of matches won, the difference, and how many single deals tell as much as a match", MEASURES)
        first = Column("first", "category", "", "the rule set it is compared with, on the same deals",
                       tuple(name_of(rules) for rules in p.rules))
        option = Column("option", "category", "", "the option that was changed", option_names())
        setting = Column("setting", "text", "", "what it was changed to")
        who = combination(p)
        return {
            "summary": (*who, measure, *ESTIMATE_COLUMNS),
            "deals": (*who, *_wide(DEAL_MEASURES)),
            "matches": (*who, *_wide(MATCH_MEASURES)),
            "skill": (who[0], *_wide(SKILL_MEASURES)),
            "effects": (who[0], option, setting, who[1], *_wide((*SHOWN, "match-share", "gain"))),
            "differences": (
                *who, first, option, setting, measure, *ESTIMATE_COLUMNS,
                Column("p_value", "float64", "", "of no difference; null where none is possible"),
                Column("p_holm", "float64", "", "the same for all of this table at once, by Holm"),
                Column("simultaneous_low", "float64", "", "lower end of an interval; all of this table's "
                       "hold at once with 95 % (Bonferroni)"),
                Column("simultaneous_high", "float64", "", "its upper end"),
            ),
            "scores": (
                *who,
                Column("callers", "uint16", "", "what the side that calls has, with no deals won in a row"),
                Column("others", "uint16", "", "what the other side has"), *ESTIMATE_COLUMNS,
            ),
            "comebacks": (
                *who,
                Column("lead", "uint16", "", "by how much a side is behind"),
                Column("measure", "category", "", "winners: the share of matches whose winner was once "
                       "behind by so much or more; chance: to win, of a side that has just fallen so far "
                       "behind", ("winners", "chance")), *ESTIMATE_COLUMNS,
            ),
            "agreement": (
                *who, Column("matches", "int64", "", "how many were simulated"),
                *(Column(name.replace("-", "_"), "float64", "", "simulated less exact, in standard errors")
                  for name in SIMULATED),
            ),
            "check": (
                *who, Column("quantity", "category", "", "the measure", SIMULATED),
                Column("exact", "float64", "", "what follows from how often each deal ends in each way"),
                Column("simulated", "float64", "", "what simulated matches say"),
                Column("simulated_half_width", "float64", "", "how far its 95 % interval reaches"),
                Column("matches", "int64", "", "how many were simulated; of match-share: pairs of them"),
                Column("z", "float64", "", "simulated less exact, in standard errors of both"),
            ),
        }

    def chunk(self, p: VariantsParameters, start: int, stop: int) -> pl.DataFrame:
        return Rows(p).chunk(start, stop)

    def summarise(self, p: VariantsParameters, shards: pl.LazyFrame) -> dict[str, pl.DataFrame]:
        import polars as pl

        found = gather(p, shards)
        summary = list(summary_rows(p, found))
        differences = difference_rows(p, found)
        check = list(check_rows(p, found))
        changes = {name_of(change.rules): change for change in p.changes}
        effects = _one_line_each(differences)
        for row in effects:
            change = changes.get(row["rules"])
            row["option"], row["setting"] = (change.option, change.value) if change else (None, None)
        rows = {
            "summary": summary,
            "deals": wide(summary, DEAL_MEASURES, "low", "high"),
            "matches": wide(summary, MATCH_MEASURES, "low", "high"),
            "skill": wide(summary, SKILL_MEASURES, "low", "high"),
            "effects": effects,
            "differences": differences,
            "scores": list(score_rows(found)),
            "comebacks": list(comeback_rows(found)),
            "agreement": _agreement(check),
            "check": check,
        }
        return {
            name: pl.DataFrame(rows[name], schema=schema(columns))
            for name, columns in self.table_columns(p).items()
        }

    def headline(self, p: VariantsParameters, tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
        summary = tables["summary"]
        table = summary.filter(measure="win").select("rules", "players", deals="n")
        table = with_estimates(table, ["rules", "players"], {
            measure.replace("-", "_"): summary.filter(measure=measure) for measure in SHOWN
        })
        return with_estimates(table, ["rules"], {"match_share": summary.filter(measure="match-share")})

    def half_widths(self, p: VariantsParameters, tables: Mapping[str, pl.DataFrame]) -> list[float]:
        """Returns the half-widths of chances; the other measures have units of their own."""
        summary = tables["summary"]
        return half_width(summary.filter(summary["measure"].is_in(_PRECISE))).to_list()

    def notes(self, p: VariantsParameters, tables: Mapping[str, pl.DataFrame]) -> Sequence[str]:
        told = set(tables["matches"]["rules"])
        found = []
        for rules in p.rules:
            name = name_of(rules)
            if name in told:
                continue
            why, more = "has matches too long to work out, or without end", ""
            if rules.target is None:
                why, more = "has no target", f"; {name_of(rules.replace(target=100))} would have matches"
            found.append(f"{name} {why}: what is told of it ends with the deal{more}")
        return found

    def answer(self, p: VariantsParameters, tables: Mapping[str, pl.DataFrame]) -> list[Sentence]:
        return _effects_told(p, tables) if p.changes else _variants_told(tables)

    def figures(
        self, p: VariantsParameters, tables: Mapping[str, pl.DataFrame], words: Words
    ) -> Sequence[Figure]:
        from courtpiece.plots.variants import variants

        labels = {name_of(change.rules): f"{change.option}:\n{change.value}" for change in p.changes}
        return variants(tables, labels, words)


def _wide(measures: Sequence[str]) -> list[Column]:
    """Returns the columns of measures and of their half-widths."""
    found = []
    for measure in measures:
        name = measure.replace("-", "_")
        found.append(Column(name, "float64", "", f"the measure {measure} of the summary, or its difference"))
        found.append(Column(f"{name}_half_width", "float64", "", "half of its interval"))
    return found


def _one_line_each(differences: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Returns the differences with one line for each rule set and line-up, intervals holding all at once."""
    ends = "simultaneous_low", "simultaneous_high"
    found = wide(differences, SHOWN, *ends)
    skill = {row["rules"]: row for row in wide(differences, ("match-share", "gain"), *ends)}
    nothing = dict.fromkeys(column.name for column in _wide(("match-share", "gain")))
    return [{**row, **nothing, **{name: value for name, value in skill.get(row["rules"], {}).items()
                                  if name in nothing}} for row in found]


def _agreement(check: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Returns the standard errors between simulated and exact, a line for each rule set and line-up."""
    found: dict[tuple[Any, Any], dict[str, Any]] = {}
    for row in check:
        key = row["rules"], row["players"]
        told = found.setdefault(key, {"rules": key[0], "players": key[1], "matches": row["matches"]}
                                | dict.fromkeys(name.replace("-", "_") for name in SIMULATED))
        told[row["quantity"].replace("-", "_")] = row["z"]
    return list(found.values())


# The short answer


def _variants_told(tables: Mapping[str, pl.DataFrame]) -> list[Sentence]:
    """Returns what calling, a match and skill are, or under which of several rule sets they are most."""
    summary = tables["summary"]
    one = summary["rules"].n_unique() == 1 and summary["players"].n_unique() <= 2
    # Points of different scores are not compared.
    calling: tuple[str, str, type[Mean | Share]] = ("ahead", "ahead", Mean) if one else ("win", "win", Share)
    told = [
        _told(summary.filter(measure=measure), key, kind, one=one)
        for key, measure, kind in (calling, ("first", "first-call", Share), ("length", "deals-a-match", Mean),
                                   ("comeback", "comeback", Share))
    ]
    return [sentence for sentence in (*told, _skill_told(tables["skill"])) if sentence]


def _told(rows: pl.DataFrame, key: str, kind: type[Mean | Share], *, one: bool) -> Sentence | None:
    if rows.is_empty():
        return None
    one = one or len(rows) == 1
    ordered = rows.sort("value", descending=True, maintain_order=True).to_dicts()
    most, least = ordered[0], ordered[-1]
    values = {"most": str(most["rules"]), "highest": kind(most["value"], half_width(most))}
    if one:
        return Sentence(f"{key}_one", values)
    return Sentence(key, {**values, "least": str(least["rules"]),
                          "lowest": kind(least["value"], half_width(least))})


def _skill_told(table: pl.DataFrame) -> Sentence | None:
    """Returns where a match tells most of who is better, and by how much more than a deal."""
    told = table.drop_nulls("gain")
    if told.is_empty():
        return None
    row = told.sort("gain", descending=True, maintain_order=True).row(0, named=True)
    return Sentence("skill" if len(told) > 1 else "skill_one", {
        "rules": str(row["rules"]),
        "deals": Share(row["deal_share"], row["deal_share_half_width"]),
        "matches": Share(row["match_share"], row["match_share_half_width"]),
    })


def _effects_told(p: VariantsParameters, tables: Mapping[str, pl.DataFrame]) -> list[Sentence]:
    """Returns which change does most to each measure, among those that surely do something."""
    import polars as pl

    sure = tables["differences"].filter(pl.col("p_holm") < 0.05)
    found = [Sentence("changes", {
        "base": name_of(p.rules[0]), "changes": len(p.changes), "sure": sure["rules"].n_unique()})]
    for measure, kind in (("ahead", Mean), ("first-call", Share), ("deals-a-match", Mean), ("gain", Share)):
        rows = sure.filter(measure=measure)
        if rows.is_empty():
            continue
        row = rows.sort(pl.col("value").abs(), descending=True, maintain_order=True).row(0, named=True)
        reach = row["simultaneous_high"] - row["value"]
        found.append(Sentence(f"most_{measure}", {
            "option": f"{row['option']}={row['setting']}", "change": kind(row["value"], reach)}))
    return found
