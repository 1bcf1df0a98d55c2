"""conventions against deals played one setting at a time, and its corrections for many comparisons."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import stats as scipy_stats

from courtpiece.errors import UsageError
from courtpiece.results import Run
from courtpiece.rules import Outcome, resolve
from courtpiece.run import run
from courtpiece.stats import holm, two_sided_p
from courtpiece.studies.conventions import Conventions, settings
from courtpiece.studies.partners import MEASURES
from courtpiece.table import Table
from courtpiece.verification import verify

DEALS = 3000


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return run("conventions", rules=["single-sir", "bavan"], deals=DEALS, seed=4, chunk=1100, jobs=1,
               out=tmp_path_factory.mktemp("conventions") / "run")


def ahead(rules: str, players: str) -> np.ndarray:
    """The points that the caller's side is ahead, deal by deal."""
    told, results = resolve(rules), Table(rules, players).play(4, 0, DEALS)
    won = results["winner"] == 0
    return np.array([
        (1 if by_caller else -1) * told.score_of(list(Outcome)[outcome], by_caller)
        for outcome, by_caller in zip(results["outcome"], won.tolist(), strict=True) if outcome != 9
    ])


OFF = "weak=off:top=off:middle=off:switch=off"


@pytest.mark.parametrize("rules", ["single-sir", "bavan"])
@pytest.mark.parametrize(("signal", "way", "first", "second", "others"), [
    ("weak", "both", *["signals:top=off:middle=off:switch=off"] * 2, "greedy"),
    ("middle", "one-way", "signals:weak=off:top=off:middle=send:switch=off",
     "signals:weak=off:top=off:middle=read:switch=off", "greedy"),
    ("all", "understood", "signals", "signals", f"signals:{OFF}:watch=on"),
    ("low-strict", "both", *[f"signals:{OFF}:low=strict"] * 2, "greedy"),
])
def test_a_gain_is_what_the_partners_are_ahead_less_greedy_in_their_seats(
    done: Run, rules: str, signal: str, way: str, first: str, second: str, others: str
) -> None:
    usual = ahead(rules, "greedy")
    calling = ahead(rules, f"{first},{others},{second},{others}") - usual
    defending = usual - ahead(rules, f"{others},{first},{others},{second}")
    for measure, gains in (("points-calling", calling), ("points-defending", defending),
                           ("points", (calling + defending) / 2)):
        found = done.summary.filter(rules=rules, signal=signal, way=way, measure=measure).row(0, named=True)
        assert found["n"] == len(usual)
        assert found["value"] == pytest.approx(gains.mean(), abs=1e-12)
        assert found["standard_error"] == pytest.approx(scipy_stats.sem(gains), abs=1e-12)


def test_reading_adds_what_both_gain_less_what_is_gained_unread(done: Run) -> None:
    points = done.summary.filter(measure="points", rules="single-sir", signal="all")
    value = dict(zip(points["way"].cast(str), points["value"], strict=True))
    assert value["reading"] == pytest.approx(value["both"] - value["unread"], abs=1e-12)


def test_p_values_are_those_of_the_t_test_corrected_one_after_the_other(done: Run) -> None:
    found = done.tables["together"].filter(measure="won")
    rows = done.summary.filter(measure="won")
    p_values = [
        2 * scipy_stats.t.sf(abs(value / error), n - 1) if error > 0 else 1     # nan where too few changed
        for value, error, n in rows.select("value", "standard_error", "n").iter_rows()
    ]
    assert found["p_value"].to_list() == pytest.approx(p_values)
    rising, floor = sorted(range(len(p_values)), key=lambda at: p_values[at]), 0.0
    for rank, at in enumerate(rising):
        floor = min(1.0, max(floor, p_values[at] * (len(p_values) - rank)))
        assert found["p_holm"][at] == pytest.approx(floor)


def test_intervals_for_all_comparisons_are_bonferronis(done: Run) -> None:
    family = done.summary.filter(measure="points")
    level = 1 - 0.05 / len(family)
    row = family.row(0, named=True)
    both = done.tables["together"].filter(measure="points").row(0, named=True)
    reach = scipy_stats.t.ppf((1 + level) / 2, row["n"] - 1) * row["standard_error"]
    ends = row["value"] - reach, row["value"] + reach
    assert (both["sure_low"], both["sure_high"]) == pytest.approx(ends)


def test_holm_seldom_finds_what_is_not_there() -> None:
    generator = np.random.Generator(np.random.Philox(7))
    z = generator.standard_normal((4000, 27))
    corrected = np.array([holm(two_sided_p(row, np.ones(27), 10**6)) for row in z])
    false = (corrected <= 0.05).any(axis=1).mean()
    assert 0.038 < false < 0.06
    assert (two_sided_p(z, 1, 10**6) <= 0.05).any(axis=1).mean() > 0.6      # what it would be without


def test_intervals_of_small_runs_hold_what_a_large_one_finds() -> None:
    # As the study does it, for one signal that changes one deal in twenty.
    low = "signals:top=off:middle=off:switch=off"
    calling, defending = (
        Table("classic", players).play(1, 0, 400_000)["winner"].astype(int)
        for players in (f"{low},greedy", f"greedy,{low}"))
    gains = (defending - calling) / 2
    runs = gains[:200_000].reshape(100, 2000)
    reach = scipy_stats.t.ppf(0.975, 1999) * scipy_stats.sem(runs, axis=1)
    held = np.abs(runs.mean(axis=1) - gains[200_000:].mean()) <= reach
    assert 88 <= held.sum() <= 99


def test_every_way_of_every_signal_is_played_by_players_that_can_be_named(done: Run) -> None:
    told = {(row["signal"], row["way"]) for row in done.summary.iter_rows(named=True)}
    assert {(setting.signal, setting.way) for setting in settings()} <= told
    assert len(told) == 5 * 5 + 2
    assert len(done.summary) == 2 * len(MEASURES) * len(told)
    for setting, side in product(settings(), range(2)):
        assert "signals" in str(setting.lineup(side))


def test_chunks_and_jobs_change_no_table(done: Run, tmp_path: Path) -> None:
    rules, folder = ["single-sir", "bavan"], tmp_path / "run"
    other = run("conventions", rules=rules, deals=DEALS, seed=4, jobs=2, out=folder)
    for name, table in done.tables.items():
        assert table.equals(other.tables[name], null_equal=True), name
    assert verify(done.path).problems == ()


def test_the_answer_says_of_each_signal_what_it_brings(done: Run) -> None:
    p = Conventions().parameters({"rules": ["single-sir", "bavan"]})
    told = Conventions().answer(p, done.tables)
    assert len(told) == 5
    assert {sentence.key for sentence in told} <= {"gain", "loss", "no-change"}


def test_the_page_tells_the_corrections(done: Run) -> None:
    page = done.report().read_text(encoding="utf-8")
    for text in ("Bonferroni", "Holm (1979)", "opponents understand", "middle (S4.39)"):
        assert text in page


def test_who_plays_is_not_a_question() -> None:
    with pytest.raises(UsageError, match='no parameter "players"'):
        run("conventions", players="greedy")


def test_the_headline_has_a_row_for_each_setting(done: Run) -> None:
    assert done.headline.columns[:6] == ["rules", "signal", "way", "deals", "points", "points_half_width"]
    assert len(done.headline.filter(pl.col("rules") == "bavan")) == 27
