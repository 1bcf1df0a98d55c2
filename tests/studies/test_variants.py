"""The study of variants: against plain counts, simulated matches, the bootstrap, and repeated runs."""

from __future__ import annotations

from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats as scipy_stats

from courtpiece.chain import State
from courtpiece.errors import UsageError
from courtpiece.results import Run
from courtpiece.rules import Outcome, resolve
from courtpiece.run import run
from courtpiece.studies.variants import Variants
from courtpiece.studies.variants_measures import (
    ENDINGS,
    MATCH_MEASURES,
    SETTLED,
    WINNERS,
    MatchMeasures,
    equal_deals,
    errors,
    paired_errors,
    skill,
)
from courtpiece.studies.variants_tables import _correct
from courtpiece.table import Table
from courtpiece.verification import verify

RULES = ("single-sir", "hakim", "bavan", "mendikot-novice", "single-sir-kots")
DEALS = 6000
LEVEL = 4.2                             # standard errors: once in 40,000


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return run("variants", rules=RULES, deals=DEALS, seed=3, chunk=2500, jobs=2,
               out=tmp_path_factory.mktemp("variants") / "run")


@pytest.fixture(scope="module")
def around(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return run("variants", around="single-sir,target=8", deals=1500, seed=3, jobs=1,
               out=tmp_path_factory.mktemp("around") / "run")


def told(table: pl.DataFrame, **which: Any) -> dict[str, Any]:
    rows = table.filter(**which)
    assert len(rows) == 1
    return rows.row(0, named=True)


def ahead_of(name: str, seed: int = 3, deals: int = DEALS) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Returns the points ahead of the caller's side, deal by deal, nan for a redeal."""
    rules = resolve(name)
    results = Table(rules, "greedy").play(seed, 0, deals)
    worth = rules.kots_of if str(rules.counting) == "kots" else rules.score_of
    outcomes = list(Outcome)
    return np.array([
        np.nan if row["winner"] > 1 else
        worth(outcomes[row["outcome"]], row["winner"] == 0) * (1.0 if row["winner"] == 0 else -1.0)
        for row in results
    ])


@pytest.mark.parametrize("name", RULES)
def test_what_is_said_of_deals_is_what_the_deals_say(done: Run, name: str) -> None:
    ahead = ahead_of(name)
    ahead = ahead[~np.isnan(ahead)]
    found = {row["measure"]: row for row in done.summary.filter(rules=name).iter_rows(named=True)}
    assert found["ahead"]["n"] == len(ahead)
    assert found["ahead"]["value"] == pytest.approx(ahead.mean())
    assert found["ahead"]["standard_error"] == pytest.approx(scipy_stats.sem(ahead))
    assert found["points"]["value"] == pytest.approx(np.abs(ahead).mean())
    assert found["variance"]["value"] == pytest.approx(ahead.var())
    assert found["skewness"]["value"] == pytest.approx(scipy_stats.skew(ahead))


def test_errors_of_variance_and_skewness_are_those_of_the_bootstrap(done: Run) -> None:
    ahead = ahead_of("hakim")
    source = np.random.default_rng(2)
    again = source.choice(ahead, (400, len(ahead)))
    for measure, values in (("variance", again.var(axis=1)), ("skewness", scipy_stats.skew(again, axis=1))):
        row = told(done.summary, rules="hakim", measure=measure)
        assert row["standard_error"] == pytest.approx(values.std(), rel=0.2)


@pytest.mark.parametrize("measure", ["first_call", "deals_a_match", "tricks_a_match", "behind_at_half",
                                     "comeback", "match_share"])
def test_simulated_matches_go_as_computed(done: Run, measure: str) -> None:
    found = done.tables["agreement"][measure].drop_nulls()
    assert len(found) == 4                          # bavan has no target
    assert found.abs().max() < LEVEL                # type: ignore[operator]


def test_matches_of_the_pair_are_those_of_a_duel(done: Run, tmp_path: Path) -> None:
    duel = run("duel", us="greedy", them="simple", matches=DEALS // 100, seed=3, compare=0, jobs=1,
               out=tmp_path / "duel", rules="single-sir").scan().collect()
    won = (duel["calling_winner"].cast(str) == "us").cast(int) + (
        duel["defending_winner"].cast(str) == "us").cast(int)
    counted = done.scan().filter(rules="single-sir", kind="match", measure="match-share").collect()
    by_value = counted.group_by("value").agg(pl.col("count").sum()).sort("value")
    assert dict(by_value.iter_rows()) == {
        value: count for value in (0, 1, 2) if (count := int((won == value).sum()))}


def endings(p: list[tuple[Outcome, int, float]], n: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    counts = np.zeros(ENDINGS, np.int64)
    for outcome, winner, chance in p:
        counts[list(Outcome).index(outcome) * len(WINNERS) + winner] = round(chance * n)
    return counts


ODDS = [(Outcome.CALLER_WIN, 0, 0.5), (Outcome.DEFENDER_WIN, 1, 0.32), (Outcome.CALLER_KOT, 0, 0.13),
        (Outcome.DEFENDER_KOT, 1, 0.05)]


def test_what_a_match_is_like_is_what_many_matches_are_like() -> None:
    rules = resolve("single-sir", target=5)
    measures = MatchMeasures(rules, endings(ODDS, 10_000))
    chain = measures.chain
    won = chain.odds(np.array([chance for *_, chance in ODDS])).won
    source = np.random.default_rng(5)
    seen: dict[str, list[float]] = {name: [] for name in ("behind-at-half", "comeback", "settled", "drama")}
    lengths = []
    for _ in range(3000):
        place, path = chain.index[State((0, 0))], []
        while place >= 0:
            path.append(place)
            place = int(chain.following[place, source.choice(4, p=[chance for *_, chance in ODDS])])
        winner = -1 - place
        chances = won[path] if winner == 0 else 1 - won[path]
        scores = chain.score[path]
        half = [score.argmax() for score in scores if 2 * score.max() >= 5]
        seen["behind-at-half"].append(bool(half) and half[0] != winner)
        seen["comeback"].append((scores[:, 1 - winner] - scores[:, winner]).max() >= 3)
        lowest = np.minimum.accumulate(chances[::-1])[::-1]         # from here to the end
        seen["settled"].append(np.mean([(lowest >= level).sum() for level in SETTLED]))
        seen["drama"].append(np.maximum(0, 1 - 2 * chances).sum())
        lengths.append(len(path))
    found = dict(zip([name for name in MATCH_MEASURES if name != "tricks-a-match"],
                     measures.measured.values, strict=False))
    assert found["deals-spread"] == pytest.approx(np.std(lengths), rel=0.06)
    found["settled"] = found["decisiveness"] * found["deals-a-match"]
    found["drama"] *= found["deals-a-match"]
    for name, values in seen.items():
        spread = float(np.std(values)) / sqrt(len(values))
        assert found[name] == pytest.approx(np.mean(values), abs=LEVEL * spread), name


def test_a_comeback_needs_the_lead_it_is_named_by(done: Run) -> None:
    table = done.tables["comebacks"].filter(rules="single-sir")
    for measure in ("winners", "chance"):
        values = table.filter(measure=measure).sort("lead")["value"].to_list()
        assert values == sorted(values, reverse=True)
    half = table.filter(measure="winners", lead=5)["value"][0]
    assert half == told(done.summary, rules="single-sir", measure="comeback")["value"]


def test_with_equal_scores_and_no_streak_the_side_that_calls_is_the_first_caller(done: Run) -> None:
    first = told(done.tables["scores"], rules="single-sir", callers=0, others=0)
    assert first["value"] == told(done.summary, rules="single-sir", measure="first-call")["value"]


def test_intervals_of_what_comes_out_of_the_chain_hold_the_truth_as_often_as_they_say() -> None:
    rules = resolve("single-sir", target=4, streak="off")
    truth = MatchMeasures(rules, endings(ODDS, 10**9)).measured.values
    source = np.random.default_rng(11)
    codes = np.flatnonzero(endings(ODDS, 1000))
    chances = endings(ODDS, 1000)[codes] / 1000
    repeats, held = 150, np.zeros(len(truth))
    for _ in range(repeats):
        counts = np.zeros(ENDINGS, np.int64)
        counts[codes] = source.multinomial(1000, chances)
        found = MatchMeasures(rules, counts)
        reach = 1.962 * errors(found.measured.influences, counts)
        held += np.abs(found.measured.values - truth) <= reach
    # 150 intervals at 95 % hold 128 times at least but for one time in a thousand.
    assert (held[:len(MATCH_MEASURES) - 1] >= 128).all(), held / repeats
    assert 0.92 < held.mean() / repeats < 0.98


def test_errors_of_a_match_are_those_of_the_bootstrap() -> None:
    rules = resolve("single-sir", target=4)
    counts = endings(ODDS, 5000)
    measured = MatchMeasures(rules, counts).measured
    source = np.random.default_rng(1)
    drawn = []
    codes = np.flatnonzero(counts)
    chain = MatchMeasures(rules, counts).chain
    start = chain.index[State((0, 0))]
    for _ in range(400):
        odds = chain.odds(source.multinomial(5000, counts[codes] / 5000) / 5000)
        drawn.append((odds.won[start], odds.visits(start).sum()))
    spread = errors(measured.influences[:2], counts)
    assert spread == pytest.approx(np.std(drawn, axis=0), rel=0.15)


@pytest.mark.parametrize("name", ["hakim", "bavan"])
def test_differences_are_paired_on_the_same_deals(done: Run, name: str) -> None:
    apart = ahead_of(name) - ahead_of("single-sir")
    row = told(done.tables["differences"], rules=name, measure="ahead")
    if name == "hakim":
        assert row["value"] == pytest.approx(apart.mean())
        assert row["standard_error"] == pytest.approx(scipy_stats.sem(apart), rel=1e-3)
    else:                               # a redeal has no points of its own: the means of the deals played
        assert row["value"] == pytest.approx(
            np.nanmean(ahead_of(name)) - ahead_of("single-sir").mean())


def test_differences_of_what_comes_out_of_the_chain_have_the_bootstraps_errors(around: Run) -> None:
    row = told(around.tables["differences"], option="streak", measure="first-call")
    base = told(around.summary, rules="single-sir,target=8", measure="first-call")
    assert 0 < row["standard_error"] < 0.2 * base["standard_error"]     # nearly the same matches
    deals = Table("single-sir", "greedy").play(3, 0, 1500)
    codes = deals["outcome"].astype(int) * len(WINNERS) + deals["winner"]
    source = np.random.default_rng(6)
    chains = [MatchMeasures(resolve("single-sir", target=8, **more), np.bincount(codes, minlength=ENDINGS))
              for more in ({}, {"streak": "off"})]
    drawn = []
    for _ in range(300):
        counts = np.bincount(source.choice(codes, len(codes)), minlength=ENDINGS)
        one, other = (chain.chain.odds(counts[chain.codes] / len(codes)).won[
            chain.chain.index[State((0, 0))]] for chain in chains)
        drawn.append(other - one)
    assert row["standard_error"] == pytest.approx(np.std(drawn), rel=0.2)


def test_p_values_are_holms() -> None:
    rows: list[dict[str, Any]] = [
        {"value": z, "standard_error": 1.0, "n": 10**6, "low": z - 2, "high": z + 2} for z in (0.5, 3.0, 2.5)
    ]
    same = {"value": 0.0, "standard_error": 0.0, "n": 5, "low": 0.0, "high": 0.0}
    rows.append(same)
    _correct(rows)
    p = [2 * scipy_stats.norm.sf(z) for z in (0.5, 3.0, 2.5)]
    assert [row["p_holm"] for row in rows[:3]] == pytest.approx([p[0], 3 * p[1], 2 * p[2]])
    reach = scipy_stats.norm.isf(0.05 / 6)
    assert rows[1]["simultaneous_low"] == pytest.approx(3 - reach, abs=1e-4)
    assert same["p_holm"] is None


def test_rules_that_change_a_match_alone_change_no_deal(around: Run) -> None:
    row = told(around.tables["differences"], option="streak", measure="ahead")
    assert (row["value"], row["standard_error"], row["p_value"]) == (0, 0, None)
    assert (row["option"], row["setting"]) == ("streak", "0")
    effects = around.tables["effects"]
    assert effects["rules"].n_unique() == len(effects) == len(around.parameters.rules) - 1


def test_a_run_around_a_rule_set_says_so_and_can_be_made_again(around: Run) -> None:
    p = around.parameters
    assert Variants().parameters({**p.design(), "deals": 1500}) == p
    assert "--around single-sir,target=8" in around.design.command
    assert "--rules" not in around.design.command
    with pytest.raises(UsageError, match="around: takes its rule sets"):
        Variants().parameters({"around": "single-sir", "rules": ["hakim"]})


def test_what_is_known_without_its_error_is_not_told(tmp_path: Path) -> None:
    done = run("variants", rules=["single-sir", "double-sir-house"], deals=20, out=tmp_path / "run", jobs=1)
    told = [table for table in done.tables.values() if "standard_error" in table.columns]
    assert not any(table[name].is_nan().any() for table in told for name in ("value", "low", "high"))
    assert "equal-deals" not in done.tables["summary"].filter(rules="double-sir-house")["measure"].to_list()
    assert "± nan" not in done.report().read_text()


def test_as_many_deals_as_a_match_is_worth() -> None:
    assert equal_deals(0.6, float(scipy_stats.binom.sf(2, 5, 0.6))) == pytest.approx(5)
    assert equal_deals(0.4, float(scipy_stats.binom.sf(6, 13, 0.4))) == pytest.approx(13)
    assert equal_deals(0.55, 0.55) == pytest.approx(1)
    assert np.isnan(equal_deals(0.55, 0.45))


def test_the_better_player_wins_more_of_the_matches_than_of_the_deals(done: Run) -> None:
    calling = Table("hakim", "greedy,simple").play(3, 0, DEALS)["winner"] == 0
    defending = Table("hakim", "simple,greedy").play(3, 0, DEALS)["winner"] == 1
    share = (calling + 0.0 + defending) / 2
    row = told(done.summary, rules="hakim", measure="deal-share")
    assert row["value"] == pytest.approx(share.mean())
    assert row["standard_error"] == pytest.approx(scipy_stats.sem(share), rel=1e-3)
    gain = told(done.summary, rules="hakim", measure="gain")
    assert gain["low"] > 0


def test_errors_of_skill_are_those_of_the_bootstrap_over_pairs() -> None:
    rules = resolve("hakim", target=4)
    deals = [Table(rules, lineup).play(7, 0, 2000) for lineup in ("greedy,simple", "simple,greedy")]
    ways = [each["outcome"].astype(np.int64) * len(WINNERS) + each["winner"] for each in deals]

    def found(at: Any) -> tuple[Any, Any]:
        return skill(rules, *(np.bincount(way[at], minlength=ENDINGS) for way in ways), matches=True)

    us, of_them = found(np.arange(2000))
    pairs, count = np.unique(np.stack(ways), axis=1, return_counts=True)
    spread = paired_errors([(us.influences, pairs[0]), (of_them, pairs[1])], count)
    source = np.random.default_rng(4)
    drawn = np.array([found(source.integers(0, 2000, 2000))[0].values for _ in range(60)])
    assert spread == pytest.approx(drawn.std(axis=0), rel=0.37)     # 9 % is the error of the bootstrap's


def test_without_a_target_what_is_told_ends_with_the_deal(done: Run) -> None:
    measures = done.summary.filter(rules="bavan")["measure"].cast(str).to_list()
    assert not set(measures) & {*MATCH_MEASURES, "match-share"}
    note = "bavan has no target: what is told of it ends with the deal; bavan,target=100 would have matches"
    assert done.notes == (note,)


def test_chunks_and_jobs_change_no_table(done: Run, tmp_path: Path) -> None:
    other = run("variants", rules=RULES, deals=DEALS, seed=3, chunk=10**6, jobs=1, out=tmp_path / "other")
    for name, table in done.tables.items():
        assert table.equals(other.tables[name], null_equal=True), name
    assert verify(done.path).problems == ()


def test_batches_inside_a_chunk_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    study = Variants()
    p = study.parameters({"rules": ["single-sir", "bavan"]})
    whole = study.chunk(p, 150, 950)
    monkeypatch.setattr("courtpiece.studies.variants_rows._BATCH", 137)
    assert study.chunk(p, 150, 950).equals(whole)


def test_the_page_tells_what_each_rule_changes(around: Run) -> None:
    page = around.report().read_text(encoding="utf-8")
    for text in ("What each rule changes", "kot_moves_call", "Skill and luck"):
        assert text in page
