"""The tables of the variants study, made from the rows of its chunks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from courtpiece.errors import UsageError
from courtpiece.rules import RuleSet, name_of
from courtpiece.stats import LEVEL, Method, half_width, holm, means, proportions, t_intervals
from courtpiece.studies.estimates import estimate_row
from courtpiece.studies.variants_measures import (
    CELLS,
    DEAL_MEASURES,
    ENDINGS,
    MATCH_MEASURES,
    SKILL_MEASURES,
    TRICKS,
    WINNERS,
    MatchMeasures,
    Measured,
    deal_measures,
    decided,
    ends,
    errors,
    paired_errors,
    skill,
    with_tricks,
    worths,
)
from courtpiece.studies.variants_rows import SIMULATED

if TYPE_CHECKING:
    import polars as pl

    from courtpiece.studies.variants import VariantsParameters

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Row = dict[str, Any]

_SURELY = 3                             # standard errors
_ROUNDING = 1e-12                       # a difference below it is none
_CHANCES = {"win", "first-call", "behind-at-half", "comeback", "decisiveness", "deal-share", "match-share"}


@dataclass(frozen=True)
class Deals:
    """Deals of some players under one rule set, counted by how they ended, and under the first rule set."""

    cells: Integers
    first_cells: Integers
    count: Integers

    @property
    def by_cell(self) -> Integers:
        """How many ended in each of CELLS."""
        return np.bincount(self.cells, self.count, CELLS).astype(np.int64)


@dataclass(frozen=True)
class Pairs:
    """Deals played with us, and with them, as the caller's side: ENDINGS, also under the first rule set."""

    ways: tuple[Integers, Integers]
    first_ways: tuple[Integers, Integers]
    count: Integers

    @property
    def by_ending(self) -> tuple[Integers, Integers]:
        """How many ended in each way with us calling, and with them calling."""
        us, them = (np.bincount(ways, self.count, ENDINGS).astype(np.int64) for ways in self.ways)
        return us, them


@dataclass
class Counted:
    """All that was counted, and what follows from it."""

    deals: dict[tuple[str, str], Deals] = field(default_factory=dict)
    pairs: dict[str, Pairs] = field(default_factory=dict)
    simulated: dict[tuple[str, str | None, str], dict[int, int]] = field(default_factory=dict)
    of_deals: dict[tuple[str, str], Measured] = field(default_factory=dict)
    chains: dict[tuple[str, str], MatchMeasures] = field(default_factory=dict)
    of_matches: dict[tuple[str, str], Measured] = field(default_factory=dict)
    of_skill: dict[str, tuple[Measured, Floats]] = field(default_factory=dict)


def gather(p: VariantsParameters, shards: pl.LazyFrame) -> Counted:
    """Returns what the rows of all chunks come to."""
    import polars as pl

    ways = [name for name in shards.collect_schema().names() if name != "count"]
    rows = shards.group_by(ways).agg(pl.col("count").sum()).sort(ways).collect(engine="streaming")
    found = Counted()
    for (rules, players), part in rows.filter(kind="deals").partition_by(
        "rules", "players", as_dict=True, maintain_order=True
    ).items():
        cells, first = (_codes(part, prefix) * TRICKS + _tricks(part, prefix) for prefix in ("", "first_"))
        found.deals[str(rules), str(players)] = Deals(cells, first, part["count"].to_numpy())
    for (rules,), part in rows.filter(kind="pair").partition_by(
        "rules", as_dict=True, maintain_order=True
    ).items():
        us, them, first_us, first_them = (
            _codes(part, prefix) for prefix in ("", "other_", "first_", "first_other_"))
        found.pairs[str(rules)] = Pairs((us, them), (first_us, first_them), part["count"].to_numpy())
    for row in rows.filter(kind="match").iter_rows(named=True):
        key = row["rules"], row["players"], row["measure"]
        found.simulated.setdefault(key, {})[row["value"]] = row["count"]
    for rules in p.rules:
        _measure(p, rules, found)
    return found


def _codes(rows: pl.DataFrame, prefix: str) -> Integers:
    outcome, winner = (rows[f"{prefix}{name}"].to_physical().to_numpy() for name in ("outcome", "winner"))
    return np.asarray(outcome.astype(np.int64) * len(WINNERS) + winner)


def _tricks(rows: pl.DataFrame, prefix: str) -> Integers:
    return rows[f"{prefix}tricks"].fill_null(TRICKS - 1).to_numpy().astype(np.int64)


def _measure(p: VariantsParameters, rules: RuleSet, found: Counted) -> None:
    """Works out all measures under one rule set, as far as there is a match to measure."""
    name = name_of(rules)
    for lineup in p.players:
        key = name, str(lineup)
        counts = found.deals[key].by_cell
        if not counts[decided(CELLS)].any():
            continue
        found.of_deals[key] = deal_measures(rules, counts)
        endings = counts.reshape(ENDINGS, TRICKS).sum(axis=1)
        if p.has_matches(rules) and ends(rules, endings):
            try:
                chain = MatchMeasures(rules, endings)
                found.of_matches[key] = with_tricks(found.of_deals[key], _measures_of(chain))
                found.chains[key] = chain
            except UsageError:          # more scores than are worked out, or a match without an end
                continue
    us, them = found.pairs[name].by_ending
    if us[decided(ENDINGS)].any() and them[decided(ENDINGS)].any():
        matches = p.has_matches(rules) and ends(rules, us) and ends(rules, them)
        try:
            found.of_skill[name] = skill(rules, us, them, matches=matches)
        except UsageError:
            found.of_skill[name] = skill(rules, us, them, matches=False)


def _measures_of(chain: MatchMeasures) -> Measured:
    part = chain.told()["measures"]
    return Measured(values=chain.measured.values[part], influences=chain.measured.influences[part],
                    n=chain.measured.n)


def _delta(measure: str, value: float, error: float, n: int, *, chance: bool) -> Row:
    """Returns the row of an estimate whose standard error is known."""
    found = t_intervals(value, error, n - 1, chance=chance)
    return {"measure": measure, **estimate_row(found, n, Method.DELTA)}


def summary_rows(p: VariantsParameters, found: Counted) -> Iterator[Row]:
    """Yields the rows of the summary."""
    for rules in p.rules:
        name = name_of(rules)
        for lineup in p.players:
            key = name, str(lineup)
            who = {"rules": name, "players": str(lineup)}
            for row in (*_of_deals(rules, key, found), *_of_matches(key, found)):
                yield {**who, **row}
        if name in found.of_skill:
            for row in _of_skill(found.pairs[name], *found.of_skill[name]):
                yield {"rules": name, "players": None, **row}


def _of_deals(rules: RuleSet, key: tuple[str, str], found: Counted) -> Iterator[Row]:
    if key not in found.of_deals:
        return
    measured, counts = found.of_deals[key], found.deals[key].by_cell
    played = np.where(decided(CELLS), counts, 0)
    worth = np.repeat(worths(rules), TRICKS)
    tricks = np.tile(np.arange(TRICKS), ENDINGS)
    won = np.repeat(np.arange(ENDINGS) % len(WINNERS) == 0, TRICKS)
    told = proportions(int(played[won].sum()), measured.n)
    yield {"measure": "win", **estimate_row(told, measured.n, Method.WILSON)}
    for measure, values in (("points", np.abs(worth)), ("ahead", worth), ("tricks", tricks)):
        if np.isnan(measured.values[DEAL_MEASURES.index(measure)]):
            continue
        mean = means(measured.n, int(values @ played), int(values**2 @ played))
        yield {"measure": measure, **estimate_row(mean, measured.n, Method.T)}
    spread = errors(measured.influences, counts)
    for measure in ("variance", "skewness"):
        place = DEAL_MEASURES.index(measure)
        yield _delta(measure, float(measured.values[place]), float(spread[place]), measured.n, chance=False)


def _of_matches(key: tuple[str, str], found: Counted) -> Iterator[Row]:
    if key not in found.of_matches:
        return
    measured = found.of_matches[key]
    spread = errors(measured.influences, found.deals[key].by_cell)
    for measure, value, error in _known(MATCH_MEASURES, measured.values, spread):
        yield _delta(measure, value, error, measured.n, chance=measure in _CHANCES)


def _of_skill(pairs: Pairs, us: Measured, of_them: Floats) -> Iterator[Row]:
    spread = _skill_errors(pairs, us, of_them)
    for measure, value, error in _known(SKILL_MEASURES, us.values, spread):
        yield _delta(measure, value, error, us.n, chance=measure in _CHANCES)


def _skill_errors(pairs: Pairs, us: Measured, of_them: Floats) -> Floats:
    """Returns the errors of SKILL_MEASURES; nan for a number of deals that nobody can tell.

    How many single deals tell as much as a match is a ratio of sorts: it says nothing, nor does its error,
    where chance alone may have put either share on one side of a half.
    """
    spread = paired_errors([(us.influences, pairs.ways[0]), (of_them, pairs.ways[1])], pairs.count)
    values = us.values
    shares = [SKILL_MEASURES.index(measure) for measure in ("deal-share", "match-share")]
    told = bool((np.abs(values[shares] - 0.5) > _SURELY * spread[shares]).all())
    return np.where(np.array(SKILL_MEASURES) == "equal-deals", np.where(told, spread, np.nan), spread)


def _known(names: Iterable[str], values: Floats, spread: Floats) -> Iterator[tuple[str, float, float]]:
    """Yields names, values and errors where both are known: a value may be, and not how sure it is."""
    for name, value, error in zip(names, values, spread, strict=True):
        if not np.isnan(value + error):
            yield name, float(value), float(error)


# Differences from the first rule set


def difference_rows(p: VariantsParameters, found: Counted) -> list[Row]:
    """Returns the rows of differences from the first rule set, with what many comparisons ask for."""
    rows = [
        row
        for rules in p.rules[1:]
        for row in (*_differences(p, rules, found), *_skill_differences(p, rules, found))
    ]
    _correct(rows)
    changes = {name_of(change.rules): change for change in p.changes}
    for row in rows:
        change = changes.get(row["rules"])
        row["option"], row["setting"] = (change.option, change.value) if change else (None, None)
    return rows


def _differences(p: VariantsParameters, rules: RuleSet, found: Counted) -> Iterator[Row]:
    name, first = name_of(rules), name_of(p.rules[0])
    for lineup in p.players:
        who = {"rules": name, "players": str(lineup), "first": first}
        here, there = (name, str(lineup)), (first, str(lineup))
        for measures, known in ((DEAL_MEASURES, found.of_deals), (MATCH_MEASURES, found.of_matches)):
            if here not in known or there not in known:
                continue
            ours, theirs, deals = known[here], known[there], found.deals[here]
            spread = paired_errors(
                [(ours.influences, deals.cells), (-theirs.influences, deals.first_cells)], deals.count)
            apart = ours.values - theirs.values
            yield from _told(who, measures, apart, spread, int(deals.count.sum()))


def _skill_differences(p: VariantsParameters, rules: RuleSet, found: Counted) -> Iterator[Row]:
    name, first = name_of(rules), name_of(p.rules[0])
    if name not in found.of_skill or first not in found.of_skill:
        return
    (us, them), (first_us, first_them) = found.of_skill[name], found.of_skill[first]
    pairs = found.pairs[name]
    spread = paired_errors(
        [(us.influences, pairs.ways[0]), (them, pairs.ways[1]),
         (-first_us.influences, pairs.first_ways[0]), (-first_them, pairs.first_ways[1])], pairs.count)
    both = zip((rules, p.rules[0]), ((us, them), (first_us, first_them)), strict=True)
    for each, (measured, others) in both:
        untold = np.isnan(_skill_errors(found.pairs[name_of(each)], measured, others))
        spread = np.where(untold, np.nan, spread)
    who = {"rules": name, "players": None, "first": first}
    yield from _told(who, SKILL_MEASURES, us.values - first_us.values, spread, int(pairs.count.sum()))


def _told(who: Row, measures: Sequence[str], apart: Floats, spread: Floats, n: int) -> Iterator[Row]:
    for measure, *told in _known(measures, apart, spread):
        value, error = (0.0 if abs(part) < _ROUNDING else part for part in told)
        yield {**who, **_delta(measure, value, error, n, chance=False)}


def _correct(rows: list[Row]) -> None:
    """Adds p-values, Holm's, and intervals that hold all at once (Bonferroni).

    What cannot differ, as the same deals came to the same, is no comparison and has none of these.
    """
    from scipy.special import ndtr

    compared = [row for row in rows if row["standard_error"] > 0]
    for row in rows:
        row |= {"p_value": None, "p_holm": None, "simultaneous_low": row["low"],
                "simultaneous_high": row["high"]}
    for row in compared:
        row["p_value"] = float(2 * ndtr(-abs(row["value"] / row["standard_error"])))
        sure = t_intervals(row["value"], row["standard_error"], row["n"] - 1,
                           level=1 - (1 - LEVEL) / len(compared))
        row["simultaneous_low"], row["simultaneous_high"] = float(sure.low), float(sure.high)
    for row, p_holm in zip(compared, holm([row["p_value"] for row in compared]).tolist(), strict=True):
        row["p_holm"] = p_holm


# Chances by score, comebacks, and the check


def _of_chain(found: Counted, part: str) -> Iterator[tuple[Row, int, float, float, int]]:
    """Yields who, place, value, error and n of a part of what the chains tell."""
    for key, chain in found.chains.items():
        where = chain.told()[part]
        measured = chain.measured
        spread = errors(measured.influences[where], chain.counts)
        for place, (value, error) in enumerate(zip(measured.values[where], spread, strict=True)):
            if not np.isnan(value):
                yield {"rules": key[0], "players": key[1]}, place, float(value), float(error), measured.n


def score_rows(found: Counted) -> Iterator[Row]:
    """Yields the chance of the side that calls to win from each score."""
    for who, place, value, error, n in _of_chain(found, "scores"):
        ours, theirs = found.chains[who["rules"], who["players"]].scores[place]
        told = _delta("first-call", value, error, n, chance=True)
        yield {**who, "callers": ours, "others": theirs, **told}


def comeback_rows(found: Counted) -> Iterator[Row]:
    """Yields what becomes of a side that is behind by a lead."""
    for part, measure in (("comebacks", "winners"), ("chances", "chance")):
        for who, place, value, error, n in _of_chain(found, part):
            lead = int(found.chains[who["rules"], who["players"]].leads[place])
            yield {**who, "lead": lead, **_delta(measure, value, error, n, chance=True)}


def check_rows(p: VariantsParameters, found: Counted) -> Iterator[Row]:
    """Yields what simulated matches say beside what follows from the chances of deals."""
    for rules in p.rules:
        name = name_of(rules)
        for players in (*map(str, p.players), None):
            for measure in SIMULATED:
                counts = found.simulated.get((name, players, measure))
                exact = _exact(found, name, players, measure)
                if counts is None or exact is None:
                    continue
                values, numbers = np.array([*counts]), np.array([*counts.values()])
                if measure == "comeback":
                    values = (values >= (_target(rules) + 1) // 2).astype(np.int64)
                scale = 2 if measure == "match-share" else 1
                n = int(numbers.sum())
                mean = means(n, int(values @ numbers), int(values**2 @ numbers))
                value, error = float(mean.value) / scale, float(mean.standard_error) / scale
                both = sqrt(error**2 + exact[1] ** 2)
                yield {
                    "rules": name, "players": players, "quantity": measure, "exact": exact[0],
                    "simulated": value, "simulated_half_width": float(mean.half_width) / scale, "matches": n,
                    "z": (value - exact[0]) / both if both > 0 else None,
                }


def _target(rules: RuleSet) -> int:
    assert rules.target is not None
    return rules.target


def _exact(found: Counted, rules: str, players: str | None, measure: str) -> tuple[float, float] | None:
    """Returns what a measure is and the standard error that it owes to the chances of deals."""
    if players is None:
        if rules not in found.of_skill:
            return None
        rows = {row["measure"]: row for row in _of_skill(found.pairs[rules], *found.of_skill[rules])}
    else:
        rows = {row["measure"]: row for row in _of_matches((rules, players), found)}
    row = rows.get(measure)
    return None if row is None else (row["value"], row["standard_error"])


# Tables to read


def wide(rows: Sequence[Mapping[str, Any]], measures: Sequence[str], low: str, high: str) -> list[Row]:
    """Returns a row for each rule set and players, with a column for each measure and its half-width."""
    found: dict[tuple[Any, Any], Row] = {}
    for row in rows:
        if row["measure"] in measures:
            key = row["rules"], row["players"]
            told = found.setdefault(key, {"rules": key[0], "players": key[1]} | {
                name: None for measure in measures for name in _names(measure)})
            name, width_name = _names(row["measure"])
            told[name] = row["value"]
            told[width_name] = float(half_width(row["value"], row[low], row[high]))
    return list(found.values())


def _names(measure: str) -> tuple[str, str]:
    name = measure.replace("-", "_")
    return name, f"{name}_half_width"


