"""rare-kots against plain simulation, and the coverage of its intervals."""

from __future__ import annotations

from math import prod, sqrt
from pathlib import Path

import numpy as np
import pytest

from courtpiece.errors import UsageError
from courtpiece.players import parse_lineup
from courtpiece.results import Run
from courtpiece.rules import resolve
from courtpiece.run import run
from courtpiece.stats import means
from courtpiece.studies.rare_kots import RareKots, plan_of, played_out
from courtpiece.table import Split, Table
from courtpiece.verification import verify

SPLIT = Split((10, 11, 12, 13), (1, 3, 4, 7), 3)
BARE = Split((13,), (1,), 1)


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return run("rare-kots", deals=12_000, seed=3, jobs=1, chunk=5000, players="simple",
               out=tmp_path_factory.mktemp("rare") / "run")


@pytest.mark.parametrize(("rules", "players", "side"), [
    ("single-sir", "random", 0), ("single-sir", "random", 1), ("bavan", "simple", 0),
    ("hidden-trump", "random", 1), ("hokm", "greedy", 1),
])
def test_what_deals_split_into_is_counted_without_bias(rules: str, players: str, side: int) -> None:
    table = Table(played_out(resolve(rules)), players)
    reached, scores = table.split(7, 0, 40_000, side=side, split=SPLIT)
    _, plain = table.split(7, 40_000, 400_000, side=side, split=BARE)
    played, plain = scores >= 0, plain[plain >= 0]
    for at, level in enumerate(SPLIT.levels):
        weight = prod(SPLIT.factors[: at + 1])
        by_splitting = reached[played, at] / weight
        error = sqrt(by_splitting.var() / played.sum() + (plain >= level).var() / len(plain))
        assert abs(by_splitting.mean() - (plain >= level).mean()) < 4 * error


def test_walks_that_forget_to_refuse_would_be_found_out() -> None:
    # States at the first level are all deals when nothing is refused: far fewer of them reach the next.
    table = Table(played_out(resolve("single-sir")), "random")
    reached, scores = table.split(7, 0, 20_000, side=1, split=SPLIT)
    after = reached[:, 1].sum() / (reached[:, 0].sum() * SPLIT.factors[1])
    assert after == pytest.approx((scores >= 11).sum() / (scores >= 10).sum(), rel=0.15)
    assert after > 3 * (scores >= 11).mean()


def test_the_deals_themselves_are_those_of_any_other_study() -> None:
    rules = played_out(resolve("bavan"))
    for side in range(2):
        _, scores = Table(rules, "greedy").split(5, 100, 2000, side=side, split=SPLIT)
        results = Table(rules, "greedy").play(5, 100, 2000)
        expected = np.where(results["outcome"] == 9, -1, results["taken"][:, side].astype(np.int8))
        assert (scores == expected).all()


def test_a_deal_splits_the_same_way_whatever_came_before() -> None:
    table = Table(played_out(resolve("single-sir")), "random")
    whole, _ = table.split(2, 0, 3000, side=0, split=SPLIT)
    part, _ = table.split(2, 1234, 500, side=0, split=SPLIT)
    assert (whole[1234:1734] == part).all()
    assert whole[:, -1].max() > 1


def test_intervals_of_small_runs_hold_the_truth_as_often_as_they_say() -> None:
    rules, lineup, n, runs = resolve("single-sir"), parse_lineup("random"), 4000, 100
    split = plan_of(rules, lineup, 1).splits[1]
    table = Table(played_out(rules), lineup)
    truth = (table.split(9, 10**6, 2_500_000, side=1, split=BARE)[1] == 13).mean()
    reached, _ = table.split(9, 0, n * runs, side=1, split=split)
    states = reached[:, -1].reshape(runs, n)
    found = means(np.full(runs, n), states.sum(axis=1), (states * states).sum(axis=1))
    weight = prod(split.factors)
    held = (found.low / weight <= truth) & (truth <= found.high / weight)
    assert 88 <= held.sum() <= 99          # 95 are expected; the truth itself is known to 3 %, they to 15 %


def test_certain_claims_are_those_of_a_solver_that_is_asked_every_deal(done: Run) -> None:
    table = Table("bavan", "simple")
    claims = table.claims(8, 0, 12_000)
    played = (claims != 254).sum()
    for side, name in enumerate(("caller", "defender")):
        found = done.summary.filter(measure="certain-claim", side=name).row(0, named=True)
        share = (claims == side).sum() / played
        error = sqrt(share * (1 - share) / played)
        assert abs(found["value"] - share) < 4 * sqrt(error**2 + found["standard_error"] ** 2)
        assert found["n"] == done.summary["n"][0]


def test_strata_hold_every_deal_once_and_ask_the_share_that_was_planned(done: Run) -> None:
    strata = done.tables["strata"].filter(side="caller")
    every = plan_of(resolve("bavan"), parse_lineup("simple"), 3).every
    assert strata["deals"].sum() == done.summary["n"][0]
    for row in strata.iter_rows(named=True):
        expected = row["deals"] / every[row["tricks"]]
        assert abs(row["asked"] - expected) <= 4 * sqrt(expected) + 1


def test_each_level_stands_beside_the_plain_count_of_the_same_deals(done: Run) -> None:
    results = Table(played_out(resolve("bavan")), "simple").play(3, 0, 12_000)
    taken = results["taken"][results["outcome"] != 9]
    for row in done.tables["levels"].iter_rows(named=True):
        side = ("caller", "defender").index(row["side"])
        assert row["plain"] == pytest.approx((taken[:, side] >= row["tricks"]).mean(), abs=1e-12)
        assert row["plain_deals"] == row["n"] == len(taken)


def test_the_rarest_end_is_told_more_precisely_than_plainly(done: Run) -> None:
    row = done.tables["beside"].filter(measure="all-thirteen", side="defender").row(0, named=True)
    assert 0 < row["relative_error"] < 0.2
    assert row["worth"] > 5 * row["plain_deals"]


def test_chunks_and_jobs_change_no_table_and_every_shard_can_be_made_again(done: Run, tmp_path: Path) -> None:
    other = run("rare-kots", deals=12_000, seed=3, jobs=2, chunk=4000, players="simple", out=tmp_path / "run")
    for name, table in done.tables.items():
        assert table.equals(other.tables[name], null_equal=True), name
    assert verify(other.path).problems == ()


def test_a_precision_is_a_part_of_the_chance(done: Run) -> None:
    p = RareKots().parameters({"players": "simple"})
    widths = RareKots().half_widths(p, done.tables)
    row = done.summary.row(0, named=True)
    assert widths[0] == pytest.approx((row["high"] - row["low"]) / 2 / row["value"])


def test_where_nothing_was_seen_the_interval_is_that_of_a_plain_count(tmp_path: Path) -> None:
    done = run("rare-kots", deals=40, rules="single-sir", players="simple", jobs=1, out=tmp_path / "run")
    few = done.summary
    assert set(few["measure"]) == {"all-thirteen"}          # no claim in these rules
    for row in few.iter_rows(named=True):
        assert row["high"] > (0.05 if row["value"] == 0 else row["value"])


def test_players_who_are_not_in_the_kernel_are_refused() -> None:
    for players in ("pimc", "double-dummy"):
        with pytest.raises(UsageError, match="deals are split with the kernel's card players"):
            run("rare-kots", players=players, out="never-made")


def test_the_page_says_how_often_a_baavan_comes(done: Run) -> None:
    page = done.report().read_text(encoding="utf-8")
    for told in ("baavan", "once in", "Level by level", "plain simulation", "Botev and Kroese"):
        assert told in page
