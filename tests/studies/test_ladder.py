"""The study ladder: every pairing counted, ratings that fit, the same for any jobs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from courtpiece.errors import UsageError
from courtpiece.results import Run
from courtpiece.run import run
from courtpiece.stats import ELO, bradley_terry
from courtpiece.studies.ladder import Ladder
from courtpiece.table import Table
from courtpiece.verification import verify

PLAYERS = ["random", "greedy", "simple"]


@pytest.fixture(scope="module")
def ladder(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return run("ladder", player=PLAYERS, rules=["single-sir", "hidden-trump"], deals=500, jobs=1,
               out=tmp_path_factory.mktemp("ladder") / "run")


def test_the_players_come_in_the_order_in_which_they_are_known_to_be_good(ladder: Run) -> None:
    for name in ("single-sir", "hidden-trump"):
        best_first = ladder.headline.filter(rules=name)["player"].to_list()
        assert best_first[-1] == "random"
    single = ladder.headline.filter(rules="single-sir")
    assert single["player"].to_list() == ["greedy", "simple", "random"]


@pytest.mark.parametrize(("first", "second"), [("random", "greedy"), ("greedy", "simple")])
def test_each_pairing_is_counted_both_ways_on_the_same_deals(ladder: Run, first: str, second: str) -> None:
    calling = Table("single-sir", f"{first},{second}").play(1, 0, 500)["winner"] == 0
    defending = Table("single-sir", f"{second},{first}").play(1, 0, 500)["winner"] == 1
    won = calling.astype(int) + defending
    told = ladder.tables["pairings"].filter(rules="single-sir", first=first, second=second).row(0, named=True)
    assert [told["both"], told["one"], told["neither"]] == [(won == games).sum() for games in (2, 1, 0)]
    assert told["value"] == pytest.approx(won.mean() / 2, rel=1e-12)


def test_ratings_are_found_again_from_the_chances_that_they_give() -> None:
    ratings = np.array([120.0, 30.0, -50.0, -100.0])
    chances = 1 / (1 + np.exp((ratings[None, :] - ratings[:, None]) / ELO))
    games = 1e9 * chances * (1 - np.eye(4))
    assert bradley_terry(games) == pytest.approx(ratings, abs=1e-3)      # half a game of 1e9 is added


def test_a_player_who_never_lost_has_a_rating() -> None:
    found = bradley_terry(np.array([[0.0, 50.0], [0.0, 0.0]]))
    assert found == pytest.approx([ELO * np.log(101) / 2, -ELO * np.log(101) / 2], abs=1e-3)


def test_the_rating_of_two_players_is_the_odds_between_them(tmp_path: Path) -> None:
    done = run("ladder", player=["greedy", "simple"], deals=400, jobs=1, out=tmp_path / "run")
    pairing = done.tables["pairings"].row(0, named=True)
    won = 2 * pairing["both"] + pairing["one"] + 0.5
    rating = done.summary.filter(measure="rating", player="greedy").row(0, named=True)
    assert rating["value"] == pytest.approx(ELO * np.log(won / (801 - won)) / 2, abs=1e-3)
    # The bootstrap's error is that of the share, carried over to the odds by the delta method.
    share = pairing["value"]
    expected = ELO / 2 * pairing["standard_error"] / (share * (1 - share))
    assert rating["standard_error"] == pytest.approx(expected, rel=0.1)      # 999 resamples: 2 % twice over


def test_results_are_the_same_for_any_jobs_and_chunks(tmp_path: Path) -> None:
    told: dict[str, Any] = {"player": PLAYERS, "deals": 100, "seed": 3}
    one = run("ladder", jobs=1, out=tmp_path / "one", **told)
    two = run("ladder", jobs=2, chunk=17, out=tmp_path / "two", **told)
    for name in one.tables:
        assert one.tables[name].equals(two.tables[name])
    assert verify(two.path).problems == ()


def test_one_player_is_no_ladder() -> None:
    with pytest.raises(UsageError, match="player: a ladder needs two at least"):
        Ladder().parameters({"player": "greedy"})
