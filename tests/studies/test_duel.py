"""The study duel: pairs of games on the same deals, counted right, and files that show them."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import courtpiece as cp
from courtpiece.errors import UsageError
from courtpiece.match import Match
from courtpiece.record import judge_line
from courtpiece.results import Run
from courtpiece.rules import Outcome, resolve
from courtpiece.run import run
from courtpiece.stats import confidence_sequence, sequential_p_value, shares_of_pairs
from courtpiece.studies.duel import Duel
from courtpiece.studies.duel_games import MATCHES
from courtpiece.table import Table
from courtpiece.verification import verify

OUTCOMES = list(Outcome)


class Lowest(cp.Player):
    """Plays the lowest card that it may."""

    def play(self, view: cp.View) -> cp.Card:
        return min(view.legal_cards, key=lambda card: card.rank)


def shards(done: Run) -> pl.DataFrame:
    return done.scan().collect()


@pytest.fixture(scope="module")
def deals(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return run("duel", us="greedy", them="simple", rules=["single-sir", "bavan"], deals=600, compare=10,
               jobs=1, records=20, out=tmp_path_factory.mktemp("duel") / "run")


@pytest.mark.parametrize("name", ["single-sir", "bavan"])
def test_every_deal_is_played_both_ways(deals: Run, name: str) -> None:
    rules, rows = resolve(name), shards(deals).filter(pl.col("rules") == name)
    for us_side, game in enumerate(("calling", "defending")):
        players = ("greedy,simple", "simple,greedy")[us_side]
        results = Table(rules, players).play(1, 0, 600)
        for row, result in zip(rows.iter_rows(named=True), results, strict=True):
            outcome, winner = OUTCOMES[result["outcome"]], int(result["winner"])
            if outcome is Outcome.REDEAL:
                assert (row[f"{game}_winner"], row[f"{game}_ahead"]) == ("nobody", 0)
                continue
            points = rules.score_of(outcome, winner == 0)
            us_won = winner == us_side
            assert row[f"{game}_winner"] == ("us" if us_won else "them")
            assert row[f"{game}_ahead"] == (points if us_won else -points)
            assert row[f"{game}_kot"] == (rules.kots_of(outcome, winner == 0) > 0)


def test_the_tables_count_the_pairs(deals: Run) -> None:
    for name in ("single-sir", "bavan"):
        rows = shards(deals).filter(pl.col("rules") == name)
        games = zip(rows["calling_winner"], rows["defending_winner"], strict=True)
        pairs = [pair for pair in games if "nobody" not in pair]
        by_us = [pair.count("us") for pair in pairs]
        told = deals.tables["pairs"].row(by_predicate=pl.col("rules") == name, named=True)
        assert [told["both"], told["one"], told["neither"]] == [by_us.count(games) for games in (2, 1, 0)]
        assert told["void"] == 600 - len(pairs)
        summary = {row["measure"]: row for row in
                   deals.summary.filter(pl.col("rules") == name).iter_rows(named=True)}
        assert summary["won"]["value"] == pytest.approx(np.mean(by_us) / 2, rel=1e-12)
        means = (rows["calling_ahead"].cast(int) + rows["defending_ahead"].cast(int)).to_numpy() / 2
        assert summary["ahead"]["value"] == pytest.approx(means.mean(), rel=1e-12)
        assert summary["ahead"]["standard_error"] == pytest.approx(means.std(ddof=1) / 600**0.5, rel=1e-12)
        assert summary["won"]["low"] > 0.5      # greedy is better, and 600 pairs show it


def test_a_player_against_itself_comes_out_even_and_never_differs(tmp_path: Path) -> None:
    done = run("duel", us="greedy", them="greedy", deals=300, compare=10, jobs=1, out=tmp_path / "run")
    pairs = done.tables["pairs"].row(0, named=True)
    assert (pairs["both"], pairs["neither"], pairs["one"]) == (0, 0, 300)
    assert pairs["p_value"] == 1
    summary = {row["measure"]: row for row in done.summary.iter_rows(named=True)}
    assert summary["differing"]["value"] == 0
    assert (done.path / "won.jsonl").read_text() == ""


def test_where_the_players_differ_is_counted_at_turns_with_a_choice(deals: Run) -> None:
    rows = shards(deals).filter(pl.col("rules") == "single-sir")
    asked = rows.filter(pl.col("decisions") > 0)
    assert asked["deal"].to_list() == list(range(10))
    assert (asked["differing"] <= asked["decisions"]).all()
    assert ((asked["first_difference"] > 0) <= (asked["differing"] > 0)).all()
    assert asked["differing"].sum() > 0


@pytest.mark.parametrize(("file", "winner"), [("won.jsonl", "us"), ("lost.jsonl", "them")])
def test_the_records_are_the_deals_that_one_player_wins_both_ways(deals: Run, file: str, winner: str) -> None:
    rows = shards(deals)
    both = rows.filter((pl.col("calling_winner") == winner) & (pl.col("defending_winner") == winner))
    lines = [json.loads(line) for line in (deals.path / file).read_text().splitlines()]
    assert len(lines) == 2 * min(20, len(both))
    for line, other in zip(lines[::2], lines[1::2], strict=True):
        assert line["hands"] == other["hands"]
        sides = [judge_line(json.dumps(record))["winner"] for record in (line, other)]
        callers = ["SN" if record["dealer"] in "EW" else "EW" for record in (line, other)]
        us_won = [side == caller for side, caller in zip(sides, callers, strict=True)]
        assert us_won == ([True, False] if winner == "us" else [False, True])


def test_matches_are_those_of_the_rules_with_the_same_deals_for_both(tmp_path: Path) -> None:
    rules = resolve("classic-no-kot", target=4)
    done = run("duel", us="greedy", them="simple", rules="classic-no-kot", target=4, matches=30, compare=2,
               jobs=1, records=3, out=tmp_path / "run")
    rows = shards(done)
    for number in (0, 7, 29):
        for us_side, game in enumerate(("calling", "defending")):
            match = Match(rules, dealer=3)
            while match.winner is None:
                players = "greedy,simple" if match.eldest % 2 == us_side else "simple,greedy"
                result = Table(rules, players).play(1, match.deals, 1, stream=MATCHES + number)[0]
                match.add(OUTCOMES[result["outcome"]], int(result["winner"]))
            row = rows.row(by_predicate=pl.col("match") == number, named=True)
            assert row[f"{game}_winner"] == ("us" if match.winner == us_side else "them")
            assert row[f"{game}_ahead"] == match.score[us_side] - match.score[1 - us_side]
            assert row[f"{game}_deals"] == match.deals
    lines = (done.path / "won.jsonl").read_text().splitlines()
    assert lines
    for line in lines:
        told = judge_line(line)
        assert told["ok"]
        us = "SN" if told["id"].endswith("us calling") else "EW"
        assert told["winner"] == us
    assert verify(done.path).problems == ()


def test_matches_played_step_by_step_are_the_kernels() -> None:
    told: dict[str, Any] = {"rules": "hidden-trump", "target": 3, "matches": 6, "compare": 0}
    kernel = cp.duel("greedy", "simple", **told)
    python = cp.duel(cp.built_in("greedy"), "simple", **told)
    assert shards(kernel).equals(shards(python))


def test_a_duel_of_ones_own_player_from_python() -> None:
    done = cp.duel(Lowest(), "greedy", deals=40, compare=5)
    assert done.headline["us"].to_list() == ["Lowest"]
    assert done.headline["won"][0] < 0.4
    assert done.report().read_text().count("Lowest") > 1


def test_results_are_the_same_for_any_jobs_and_chunks(tmp_path: Path) -> None:
    told = {"us": "greedy", "them": "random", "rules": "hidden-trump", "deals": 90, "compare": 6, "seed": 5}
    one = run("duel", jobs=1, chunk=90, out=tmp_path / "one", **told)       # type: ignore[arg-type]
    two = run("duel", jobs=2, chunk=7, out=tmp_path / "two", **told)        # type: ignore[arg-type]
    for name in one.tables:
        assert one.tables[name].equals(two.tables[name])
    assert (one.path / "won.jsonl").read_bytes() == (two.path / "won.jsonl").read_bytes()


def test_it_stops_once_one_is_shown_to_be_better(tmp_path: Path) -> None:
    done = run("duel", us="greedy", them="random", deals=4000, chunk=20, compare=0, decide=0.01, jobs=1,
               out=tmp_path / "run")
    assert done.units < 400
    assert done.tables["pairs"]["p_value"][0] <= 0.01
    assert done.notes[-1].startswith("single-sir: greedy is better (p = ")


def test_it_says_how_many_deals_a_difference_takes(tmp_path: Path) -> None:
    done = run("duel", detect=0.02, deals=200, compare=0, jobs=1, out=tmp_path / "run")
    pairs = done.tables["pairs"].row(0, named=True)
    values = np.repeat([1, 0.5, 0], [pairs["both"], pairs["one"], pairs["neither"]])
    needed = int(np.ceil(values.var(ddof=1) * ((1.959964 + 1.281552) / 0.02) ** 2))
    assert f"takes about {needed:,} deals: --deals {needed}" in done.notes[-1]


def test_it_does_not_say_how_many_deals_a_difference_takes_where_all_came_out_alike(tmp_path: Path) -> None:
    done = run("duel", them="greedy", detect=0.02, deals=20, compare=0, jobs=1, out=tmp_path / "run")
    assert done.tables["pairs"]["one"][0] == 20
    assert not [note for note in done.notes if "takes about" in note]


REFUSED = [
    ({"detect": 1e-9}, "detect: is a difference of the share won, at least 0.000001 and below 1, not 1e-09"),
    ({"detect": 1}, "detect: is a difference of the share won"),
    ({"deals": 5, "matches": 5}, "a duel is of deals or of matches"),
    ({"matches": 5, "rules": "bavan"}, "target: bavan has none; say how many points win a match"),
    ({"target": 5}, "target: is for matches"),
    ({"us": "gredy"}, 'us: there is no card player "gredy"'),
    ({"decide": 2}, "decide: is a chance of being wrong"),
    ({"players": "greedy"}, 'there is no parameter "players"'),
]


@pytest.mark.parametrize(("told", "why"), REFUSED)
def test_what_cannot_be_is_refused_in_one_line(told: dict[str, object], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        Duel().parameters(told)


def test_the_p_value_is_wrong_no_more_often_than_it_says_however_often_one_looks() -> None:
    draws = random.Random(4)
    wrong, runs = 0, 400
    for _ in range(runs):
        counts, p_value = [0, 0, 0], 1.0
        for _ in range(20):             # looks, each after 25 more pairs
            for result in draws.choices((0, 1, 2), (0.2, 0.6, 0.2), k=25):
                counts[result] += 1
            p_value = min(p_value, sequential_p_value(*counts))
        wrong += p_value <= 0.05
    assert wrong <= 0.05 * runs         # Ville's bound; it leaves much of the chance unused


def test_the_interval_that_holds_at_all_times_is_what_the_p_value_does_not_refute() -> None:
    draws = random.Random(5)
    for _ in range(100):
        counts = [draws.randrange(1, 200) for _ in range(3)]
        low, high = confidence_sequence(*counts)
        assert (sequential_p_value(*counts) <= 0.05) == (not low <= 0.5 <= high), counts
        assert low < (counts[0] + counts[1] / 2) / sum(counts) < high


def test_the_sequence_finds_a_difference_that_is_there() -> None:
    assert sequential_p_value(300, 600, 100) < 1e-6
    low, high = confidence_sequence(300, 600, 100)
    assert 0.5 < low < 0.6 < high < 0.7


def test_shares_of_pairs_hold_the_truth_as_often_as_they_say() -> None:
    draws = np.random.default_rng(2)
    for chances in ((0.2, 0.6, 0.2), (0.5, 0.1, 0.4), (0.02, 0.96, 0.02)):
        truth = chances[0] + chances[1] / 2
        found = [shares_of_pairs(*map(int, counts)) for counts in draws.multinomial(150, chances, size=2000)]
        held = sum(one.low <= truth <= one.high for one in found) / 2000
        error = (0.05 * 0.95 / 2000) ** 0.5
        assert held > 0.95 - 3 * error, (chances, held)
    alike = shares_of_pairs(0, 50, 0)
    assert alike.low < 0.5 < alike.high
