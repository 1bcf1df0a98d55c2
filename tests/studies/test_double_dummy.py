"""Double-dummy players in the studies: solved deals beside played ones, against the solver one by one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import courtpiece as cp
from courtpiece.advice import call
from courtpiece.cards import Card, Suit
from courtpiece.deal import Deal
from courtpiece.errors import UsageError
from courtpiece.results import Run
from courtpiece.rules import Outcome, resolve
from courtpiece.run import run
from courtpiece.solve import ask, solve_many
from courtpiece.studies.kot_frequency import KotFrequency
from courtpiece.studies.study import Study
from courtpiece.studies.trump_call import TrumpCall
from courtpiece.table import UNASKED, Table
from courtpiece.verification import verify
from courtpiece.words import NONE, word_text

OUTCOMES = list(Outcome)
DEALS = 120                             # of the small run
FIVE = ("AS", "KS", "5S", "2H", "9D")
RULES = ("single-sir", "bavan", "classic-no-kot", "hakim")


def as_played(rules: str, caller: str, seed: int, start: int, count: int) -> list[Deal]:
    """Returns deals after the call, as the readable engine has them, from what players at the table saw."""
    trace = Table(rules, f"simple/{caller}").trace(seed, start, count)
    deals = []
    for hands, words in zip(trace.hands, trace.words, strict=True):
        deal = Deal(resolve(rules), [[Card(card) for card in hand] for hand in hands.tolist()])
        for word in words[words != NONE]:
            deal.say(word_text(int(word)))
        deals.append(deal)
    return deals


@pytest.mark.parametrize(
    ("name", "caller"),
    [*((name, "longest") for name in RULES), ("single-sir,first_lead=caller", "longest:pass=always")],
)
def test_a_deal_comes_to_what_the_solver_says_of_the_same_cards_and_call(name: str, caller: str) -> None:
    results = Table(name, f"double-dummy/{caller}").play(31, 400, 16)
    deals = as_played(name, caller, 31, 400, 16)
    for number, (deal, result) in enumerate(zip(deals, results, strict=True), 400):
        where = f"deal {number} of seed 31"
        if deal.phase == "over":
            outcome: int | Outcome = Outcome.REDEAL
        else:
            outcome = ask(deal, "outcome")
        assert isinstance(outcome, Outcome)
        assert OUTCOMES[result["outcome"]] is outcome, where
        if outcome is not Outcome.REDEAL:
            assert Suit(int(result["trump"])) is deal.trump, where
            assert result["winner"] == outcome.startswith("defender"), where
            assert result["taken"].tolist() == [NONE, NONE], where


def test_wins_are_those_of_a_count_of_tricks() -> None:
    trace = Table("hakim", "simple").trace(8, 0, 100)
    most = solve_many(trace.hands, trace.results["trump"])      # eldest leads, of the caller's side
    solved = Table("hakim", "double-dummy/longest").play(8, 0, 100)
    np.testing.assert_array_equal(solved["winner"] == 0, most >= 7)
    np.testing.assert_array_equal(solved["caller"], trace.results["caller"])


def test_deals_do_not_depend_on_how_many_are_solved_at_a_time() -> None:
    table = Table("single-sir", "double-dummy")
    whole = table.play(3, 0, 40)
    np.testing.assert_array_equal(np.concatenate([table.play(3, 0, 13), table.play(3, 13, 27)]), whole)
    five, words = [Card.parse(card) for card in FIVE], ["S", "H", "pass"]
    calls = table.play_calls(five, words, 3, 0, 12, stream=9)
    alone = [table.play_calls(five, [word], 3, 0, 12, stream=9)[:, 0] for word in words]
    np.testing.assert_array_equal(calls, np.stack(alone, axis=1))


def test_calls_are_solved_on_the_deals_on_which_they_are_played() -> None:
    five, words = [Card.parse(card) for card in FIVE], ["S", "C", "pass"]
    played = Table("single-sir", "greedy").play_calls(five, words, 3, 0, 200, stream=9)
    solved = Table("single-sir", "double-dummy").play_calls(five, words, 3, 0, 200, stream=9)
    for name in ("caller", "trump"):
        np.testing.assert_array_equal(solved[name], played[name])
    assert (solved["winner"] == played["winner"]).mean() > 0.75     # both follow the cards: 0.5 by chance


# Claims


def test_a_claim_is_certain_when_the_solver_finds_all_thirteen_tricks() -> None:
    start, count = 10, 1500
    claims = Table("bavan", "simple").claims(6, start, count)
    found = set()
    for number, deal in enumerate(as_played("bavan", "longest", 6, start, count)):
        claim = int(claims[number])
        if deal.phase == "over":
            assert claim == UNASKED
        elif claim != NONE or number < 40:
            tricks = int(ask(deal, "tricks"))
            leader = deal.leader % 2
            assert claim == {13: leader, 0: 1 - leader}.get(tricks, NONE), f"deal {start + number} of seed 6"
            found.add(claim)
    assert found == {0, 1, NONE}


def test_claims_are_asked_of_the_deals_with_round_numbers() -> None:
    table = Table("bavan", "greedy")
    every, some = table.claims(1, 7, 90), table.claims(1, 7, 90, every=20)
    asked = np.arange(7, 97) % 20 == 0
    np.testing.assert_array_equal(some[asked], every[asked])
    assert set(some[~asked]) == {UNASKED}


def test_claims_need_trump_and_tricks_that_count() -> None:
    rules = resolve("double-sir").replace(claim=82, kot="all-thirteen")
    with pytest.raises(UsageError, match="collection=each-trick"):
        Table(rules, "greedy").claims(1, 0, 10)
    rows = KotFrequency().chunk(KotFrequency().parameters({"rules": rules}), 0, 100)
    assert rows["certain_claim"].is_null().all()


# Studies


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A small run, in chunks, of two rule sets."""
    return run("kot-frequency", out=tmp_path_factory.mktemp("open") / "run", rules=["single-sir", "bavan"],
               players="double-dummy/longest", deals=DEALS, seed=2, chunk=45, jobs=2)


def told(done: Run, **which: str) -> dict[str, Any]:
    these = pl.all_horizontal(pl.col(name) == value for name, value in which.items())
    return done.summary.row(by_predicate=these, named=True)


def test_greedy_with_the_same_caller_is_shown_beside_it(done: Run) -> None:
    assert [str(lineup) for lineup in done.parameters.players] == ["double-dummy/longest", "greedy/longest"]
    for players in ("double-dummy/longest", "greedy/longest"):
        results = Table("single-sir", players).play(2, 0, DEALS)
        which = {"rules": "single-sir", "players": players, "side": "caller"}
        assert told(done, **which, measure="win")["value"] == (results["winner"] == 0).mean()
        assert told(done, **which, measure="kot")["value"] == (results["outcome"] == 2).mean()


def test_what_open_cards_change_is_paired_with_greedy_on_the_same_deals(done: Run) -> None:
    rules = resolve("bavan")

    def ahead(results: Any) -> Any:
        ends = [(OUTCOMES[r["outcome"]], r["winner"] == 0) for r in results]
        return np.array([rules.score_of(*end) * (1 if end[1] else -1)
                         for end in ends if end[0] is not Outcome.REDEAL])

    solved, played = (ahead(Table(rules, who).play(2, 0, DEALS))
                      for who in ("double-dummy/longest", "greedy/longest"))
    apart = (solved - played).astype(float)
    row = done.tables["open_cards"].row(
        by_predicate=(pl.col("rules") == "bavan") & (pl.col("measure") == "points-ahead"), named=True)
    assert (row["players"], row["table"]) == ("double-dummy/longest", "greedy/longest")
    assert (row["n"], row["method"]) == (len(apart), "paired-t")
    assert row["value"] == pytest.approx(apart.mean(), abs=1e-12)
    assert row["standard_error"] == pytest.approx(apart.std(ddof=1) / len(apart) ** 0.5, abs=1e-12)


def test_who_names_others_gets_only_those() -> None:
    named = KotFrequency().parameters({"players": ["double-dummy", "simple"]}).players
    assert [str(lineup) for lineup in named] == ["double-dummy", "simple"]


def test_tricks_are_not_told_of_deals_that_were_not_played(done: Run) -> None:
    tricks = done.summary.filter(measure="tricks")
    assert tricks["players"].unique().to_list() == ["greedy/longest"]
    rows = done.scan().collect()
    solved = rows["players"] == "double-dummy/longest"
    redeal = rows["outcome"] == "redeal"
    assert rows.filter(solved & ~redeal)["caller_tricks"].is_null().all()
    assert rows.filter(~solved)["caller_tricks"].null_count() == 0


def test_all_thirteen_by_the_caller_is_the_certain_claim_of_the_caller(done: Run) -> None:
    which = {"rules": "bavan", "players": "double-dummy/longest", "side": "caller"}
    claim, kot = told(done, **which, measure="certain-claim"), told(done, **which, measure="kot")
    assert (claim["value"], claim["n"]) == (kot["value"], kot["n"])
    asked = told(done, **which | {"players": "greedy/longest"}, measure="certain-claim")
    outcomes = Table("bavan", "greedy/longest").play(2, 0, DEALS)["outcome"][::20]
    assert asked["n"] == (outcomes != OUTCOMES.index(Outcome.REDEAL)).sum()
    assert done.summary.filter(rules="single-sir", measure="certain-claim").is_empty()


def test_chunks_and_jobs_change_nothing(done: Run, tmp_path: Path) -> None:
    def go(deals: int) -> Run:
        return run("kot-frequency", out=tmp_path / "run", rules=["single-sir", "bavan"],
                   players="double-dummy/longest", seed=2, jobs=1, chunk=DEALS, deals=deals)

    go(DEALS // 3)
    other = go(DEALS)                   # extends it
    for name, table in done.tables.items():
        assert table.equals(other.tables[name], null_equal=True), name


def test_a_run_is_verified_by_solving_again(done: Run) -> None:
    found = verify(done.path, sample=1, seed=1)
    assert (found.problems, len(found.recomputed)) == ((), 1)


def test_a_trump_call_values_each_call_by_the_solver_beside_greedy() -> None:
    study = TrumpCall()
    p = study.parameters({"players": "double-dummy", "hand": "AS KS 5S 2H 9D", "deals": 30})
    rows = study.chunk(p, 0, 1)
    tables = study.summarise(p, rows.lazy())
    assert tables["calls"]["players"].unique(maintain_order=True).to_list() == ["double-dummy", "greedy"]
    answer = call("AS KS 5S 2H 9D", players="double-dummy", deals=30)
    for value in answer.calls:
        row = tables["calls"].row(by_predicate=(pl.col("call") == value.words[0])
                                  & (pl.col("players") == "double-dummy"), named=True)
        assert (row["win"], row["points_ahead"], row["tricks"]) == (value.win.value, value.points.value, None)
        assert value.tricks is None
    assert rows.filter(players="double-dummy")["tricks"].is_null().all()
    assert rows.filter(players="greedy")["tricks"].null_count() == 0
    assert tables["summary"].filter(measure="tricks")["players"].unique().to_list() == ["greedy"]
    assert "all four see all cards" in answer.method


def test_a_study_with_open_cards_takes_minutes_by_default_and_not_days() -> None:
    studies: tuple[Study[Any], ...] = (KotFrequency(), TrumpCall())
    for study in studies:
        p, table = (study.parameters({"players": who}) for who in ("double-dummy", "greedy"))
        units = study.units(p)
        assert units is not None
        seconds = 0.002 * (4 * p.deals if study.extent == "hands" else 1)       # of one core
        assert units * seconds < 900
        assert study.chunk_units(p) * seconds < 10
        assert study.units(table) == study.default_units


# What cannot be


def test_what_cannot_be_solved_is_refused_at_once() -> None:
    players, rules = "double-dummy", "mendikot,collection=pile"
    why = "double-dummy cannot play .*collection=pile"
    with pytest.raises(UsageError, match=why):
        Table(rules, players)
    with pytest.raises(UsageError, match=why):
        run("kot-frequency", players=players, rules=rules, out="never-made")
    with pytest.raises(UsageError, match=why):
        call("AS KS 5S 2H 9D", players=players, rules=rules)
    assert not Path("never-made").exists()


def test_no_cards_are_played_to_look_at() -> None:
    with pytest.raises(UsageError, match="courtpiece solve shows best play"):
        cp.Table("single-sir", "double-dummy").trace(1, 0, 1)


def test_claims_of_a_player_in_python_are_those_of_the_same_calls_in_the_kernel(tmp_path: Path) -> None:
    (tmp_path / "first.py").write_text(
        "import courtpiece as cp\n\n"
        "class First(cp.Player):\n"
        "    def play(self, view):\n"
        "        return view.legal_cards[0]\n"
    )
    table = Table("bavan", f"{tmp_path}/first.py:First")
    np.testing.assert_array_equal(
        table.claims(4, 30, 45, every=20), Table("bavan", "greedy").claims(4, 30, 45, every=20)
    )
