"""kot-frequency against a plain count of the same deals."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats as scipy_stats

from courtpiece.cards import Card
from courtpiece.deal import Deal
from courtpiece.players import Lineup
from courtpiece.players.builtin import BuiltIn
from courtpiece.players.own import given
from courtpiece.players.registry import parse_built_in
from courtpiece.results import Run
from courtpiece.rules import Outcome, RuleSet, resolve
from courtpiece.run import run
from courtpiece.studies.kot_frequency import KotFrequency
from courtpiece.table import Table, Trace
from courtpiece.words import word_text

RULES = ("single-sir", "bavan", "mendikot", "double-sir", "classic-no-kot")
DEALS = 3000


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run of several rule sets and line-ups, in several chunks."""
    return run("kot-frequency", out=tmp_path_factory.mktemp("kot") / "run", rules=RULES, deals=DEALS,
               players=["simple", "random,simple"], seed=5, chunk=1100, jobs=2)


def value(table: pl.DataFrame, **which: str) -> dict[str, Any]:
    """Returns the one row of a table that says these things."""
    return table.row(by_predicate=pl.all_horizontal(pl.col(k) == v for k, v in which.items()), named=True)


@pytest.mark.parametrize("players", ["simple", "random,simple"])
@pytest.mark.parametrize("name", RULES)
def test_every_estimate_is_that_of_the_deals_themselves(done: Run, name: str, players: str) -> None:
    rules = resolve(name)
    results = Table(rules, players).play(5, 0, DEALS)
    outcomes = [list(Outcome)[code] for code in results["outcome"]]
    played = [at for at, outcome in enumerate(outcomes) if outcome is not Outcome.REDEAL]
    which = {"rules": name, "players": players}

    def told(measure: str, side: str) -> dict[str, Any]:
        return value(done.summary, **which, measure=measure, side=side)

    winners = results["winner"][played]
    points = np.array([rules.score_of(outcomes[at], results["winner"][at] == 0) for at in played])
    kots = np.array([rules.kots_of(outcomes[at], results["winner"][at] == 0) > 0 for at in played])
    for number, side in enumerate(("caller", "defender")):
        won = winners == number
        for measure, hits in (("win", won), ("kot", kots & won)):
            found = told(measure, side)
            assert found["n"] == len(played)
            assert found["value"] == pytest.approx(np.mean(hits), rel=1e-12, abs=0)
            interval = scipy_stats.binomtest(int(hits.sum()), len(hits)).proportion_ci(method="wilson")
            low = interval.low if hits.sum() > 3 else found["low"]      # beside few events it is Poisson's
            assert (found["low"], found["high"]) == pytest.approx((low, interval.high), abs=1e-12)
        for measure, values in (("points", points * won), ("tricks", results["taken"][played][:, number])):
            found = told(measure, side)
            assert found["value"] == pytest.approx(np.mean(values), rel=1e-12, abs=0)
            assert found["standard_error"] == pytest.approx(scipy_stats.sem(values.astype(float)), rel=1e-9)
    sides = ("caller", "defender")
    ways = Counter((outcomes[at].value, sides[results["winner"][at]]) for at in played)
    chances = {
        (row["measure"], row["side"]): row["value"]
        for row in done.summary.filter(rules=name, players=players).iter_rows(named=True)
        if row["measure"] in {outcome.value for outcome in Outcome} - {"redeal"}
    }
    assert {way: pytest.approx(count / len(played)) for way, count in ways.items()}.items() <= chances.items()
    assert sum(chances.values()) == pytest.approx(1)


def test_redeals_are_counted_apart(done: Run) -> None:
    redeal = value(done.summary, rules="bavan", players="simple", measure="redeal", side="both")
    played = value(done.summary, rules="bavan", players="simple", measure="win", side="caller")
    assert redeal["n"] == DEALS
    assert played["n"] == DEALS - round(redeal["value"] * DEALS) < DEALS
    assert "redeal" not in done.summary.filter(rules="hakim", players="simple")["measure"].to_list()


@pytest.mark.parametrize("name", RULES[1:])
def test_differences_are_paired_on_the_same_deals(done: Run, name: str) -> None:
    ours, first = (Table(each, "simple").play(5, 0, DEALS) for each in (name, RULES[0]))
    both = (ours["outcome"] != 9) & (first["outcome"] != 9)

    def points_ahead(spec: str, results: Any) -> Any:
        rules = resolve(spec)
        return np.array([rules.score_of(list(Outcome)[r["outcome"]], r["winner"] == 0)
                         * (1.0 if r["winner"] == 0 else -1.0) for r in results])

    for measure, apart in (
        ("win", (ours["winner"][both] == 0) * 1.0 - (first["winner"][both] == 0)),
        ("points-ahead", points_ahead(name, ours[both]) - points_ahead(RULES[0], first[both])),
    ):
        which = {"rules": name, "players": "simple", "measure": measure, "side": "caller"}
        found = value(done.tables["differences"], **which)
        assert (found["first"], found["n"], found["method"]) == (RULES[0], both.sum(), "paired-t")
        assert found["value"] == pytest.approx(apart.mean(), abs=1e-12)
        if (apart == 0).mean() > 0.99:
            assert found["high"] == np.inf      # too few deals differ to tell
        else:
            assert found["standard_error"] == pytest.approx(scipy_stats.sem(apart), abs=1e-12)


def test_a_chunk_counts_each_deal_once_for_each_rule_set_and_line_up(done: Run) -> None:
    counted = done.scan().group_by("rules", "players").agg(pl.col("deals").sum()).collect()
    assert counted["deals"].to_list() == [DEALS] * (2 * len(RULES))


def test_chunks_and_jobs_change_no_table(done: Run, tmp_path: Path) -> None:
    other = run("kot-frequency", out=tmp_path / "other", rules=RULES, deals=DEALS,
                players=["simple", "random,simple"], seed=5, chunk=10**6, jobs=1)
    for name, table in done.tables.items():
        assert table.equals(other.tables[name], null_equal=True), name


def test_batches_inside_a_chunk_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    study = KotFrequency()
    p = study.parameters({"rules": ["single-sir", "bavan"], "players": "simple"})
    whole = study.chunk(p, 100, 1100)
    monkeypatch.setattr("courtpiece.studies.kot_rows._BATCH", 137)
    assert study.chunk(p, 100, 1100).equals(whole)


def test_the_headline_answers_the_question(done: Run) -> None:
    assert done.headline.columns == [
        "rules", "players", "deals", "win", "win_half_width", "kot", "kot_half_width", "kot_conceded",
        "kot_conceded_half_width", "points", "points_half_width", "points_against",
        "points_against_half_width", "certain_claim", "certain_claim_half_width", "redeal",
        "redeal_half_width",
    ]
    assert len(done.headline) == 2 * len(RULES)


def test_rules_without_a_kot_are_said_to_have_none(tmp_path: Path) -> None:
    found = run("kot-frequency", out=tmp_path, rules=["single-sir,kot=none", "mendikot"], players="simple",
                deals=2000, jobs=1)
    without, tens = found.answer()
    assert without.endswith("these rules have no kot.")
    assert "it makes a kot in" in tens      # all four tens: a kot whatever `kot` says


def test_the_yardstick_wins_as_often_as_it_should(tmp_path: Path) -> None:
    # A plain C trial had 0.606 wins, 4.28 % kots and 1.52 % conceded with four simple players.
    found = run("kot-frequency", out=tmp_path / "run", players="simple", deals=100_000, jobs=1).headline
    for name, trial in (("win", 0.606), ("kot", 0.0428), ("kot_conceded", 0.0152)):
        assert found[name][0] == pytest.approx(trial, abs=0.0005 + 2 * found[f"{name}_half_width"][0])


_PEAK = """
import re, sys
from pathlib import Path
from courtpiece.run import run
run("kot-frequency", out=sys.argv[1], rules="single-sir", players="random", deals=int(sys.argv[2]),
    chunk=int(sys.argv[3]), jobs=int(sys.argv[4]))
# not getrusage: its peak is the parent's when that was larger at the fork
print(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1])
"""


def test_memory_does_not_grow_with_the_deals(tmp_path: Path) -> None:
    def peak(deals: int, chunk: int, jobs: int) -> float:
        folder = tmp_path / f"{deals}-{chunk}-{jobs}"
        told = subprocess.run([sys.executable, "-c", _PEAK, folder, str(deals), str(chunk), str(jobs)],
                              check=True, capture_output=True, text=True)
        return int(told.stdout) / 1024

    few, many = peak(200_000, 100_000, 2), peak(2_000_000, 100_000, 2)
    one_chunk = peak(2_000_000, 2_000_000, 1)
    assert max(few, many, one_chunk) < 300
    assert many < few + 30
    assert one_chunk < few + 30


def played_out(trace: Trace, at: int, rules: RuleSet) -> Deal:
    """Returns a deal of a trace, played by the readable rules."""
    deal = Deal(rules, [[Card(card) for card in hand] for hand in trace.hands[at].tolist()])
    for word in trace.words[at].tolist():
        if word != 255:
            deal.say(word_text(word))
    for play in trace.plays[at].tolist():
        if play == 64:
            deal.reveal()
        elif play != 255:
            deal.play(Card(play))
    return deal


HANDS_RULES = ("single-sir", "hidden-trump", "bavan", "be-ranga", "double-sir")


@pytest.mark.parametrize("name", HANDS_RULES)
def test_holdings_and_all_thirteen_are_those_of_the_deals_played_out(name: str, tmp_path: Path) -> None:
    rules, deals = resolve(name), 1500
    found = run("kot-frequency", out=tmp_path / "run", rules=name, players="simple", deals=deals, seed=2)
    trace = Table(rules, "simple").trace(2, 0, deals)
    longer = Table(rules.replace(deal_ends="after-thirteen"), "simple").play(2, 0, deals)
    kots: Counter[tuple[int, str]] = Counter()
    called: Counter[tuple[int, str]] = Counter()
    for at, result in enumerate(trace.results):
        deal = played_out(trace, at, rules)
        if deal.outcome is Outcome.REDEAL or deal.caller is None:
            continue
        suit = deal.trump if deal.shown is None else deal.shown.card.suit
        suit = deal.hidden_card.suit if suit is None and deal.hidden_card is not None else suit
        ranks = [card.rank for card in deal.dealt[deal.caller][:5] if card.suit is suit]
        honours = zip("AKQ", (12, 11, 10), strict=True)
        key = len(ranks), "".join(mark if rank in ranks else "-" for mark, rank in honours)
        called[key] += 1
        assert deal.outcome is not None
        kots[key] += bool(rules.kots_of(deal.outcome, True)) and result["winner"] == 0
    told = found.tables["holdings"].filter(measure="kot", side="caller")
    assert {(row["length"], row["honours"]): row["n"] for row in told.iter_rows(named=True)} == dict(called)
    for row in told.iter_rows(named=True):
        key = row["length"], row["honours"]
        assert row["value"] == pytest.approx(kots[key] / called[key])
    played = longer["outcome"] != 9
    for side, who in enumerate(("caller", "defender")):
        row = value(found.summary, measure="all-thirteen", side=who)
        assert row["value"] == pytest.approx((longer["taken"][played, side] == 13).mean())


def test_a_player_in_python_is_told_of_the_same_calls_as_the_kernel() -> None:
    for name in HANDS_RULES:
        kernel, told = Table(name, "simple").play_and_tell(4, 0, 60)
        lineup = Lineup.of(given(BuiltIn("simple")), parse_built_in("simple"))
        own, heard = Table(name, lineup).play_and_tell(4, 0, 60)
        assert (told.fives == heard.fives).all()
        assert (told.suits == heard.suits).all()
        assert (kernel["caller"] == own["caller"]).all()
