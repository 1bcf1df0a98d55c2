"""calls-that-lie: what can be counted, callers read a second way, beliefs against all worlds, and losses."""

from __future__ import annotations

from math import comb, log2
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from courtpiece.errors import UsageError
from courtpiece.played import played
from courtpiece.players import parse_lineup
from courtpiece.players.registry import parse_built_in
from courtpiece.results import Run
from courtpiece.rules import resolve
from courtpiece.run import run
from courtpiece.studies.beliefs import Belief, _agree, beliefs, dealt_trumps
from courtpiece.studies.calls_exact import exact_of_longest
from courtpiece.studies.calls_rows import before_each_trick, trumps_of
from courtpiece.table import Table
from courtpiece.verification import verify
from courtpiece.worlds import Worlds

UNITS = 12


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return run("calls-that-lie", deals=UNITS, draws=100, more=1500, seed=3, jobs=1, chunk=7,
               out=tmp_path_factory.mktemp("calls") / "run")


def test_the_longest_suit_is_counted_as_every_hand_of_five_has_it() -> None:
    exact = exact_of_longest().lengths["five"]
    hands = comb(52, 5)
    assert exact[5] == pytest.approx(4 * comb(13, 5) / hands)
    assert exact[4] == pytest.approx(4 * comb(13, 4) * 39 / hands)
    # two cards at most of each suit: two pairs of them and one, or a pair and one of each other suit
    two = 6 * comb(13, 2) ** 2 * 26 + 4 * comb(13, 2) * 13**3
    assert exact[2] == pytest.approx(two / hands)
    assert sum(exact) == pytest.approx(1)
    assert sum(exact_of_longest().lengths["thirteen"]) == pytest.approx(1)


def test_what_is_found_for_the_longest_suit_is_what_it_must_be(done: Run) -> None:
    rows = done.tables["calls"].filter(players="greedy/longest")
    assert len(rows) == 8
    for row in rows.iter_rows(named=True):
        assert abs(row["found"] - row["exact"]) < 1.6 * row["found_half_width"]     # 3 standard errors
    lengths = done.tables["lengths"].filter(players="greedy/longest", cards="five")
    assert lengths["share"].sum() == pytest.approx(1)
    share, must = (lengths[name].to_numpy()[1:] for name in ("share", "exact"))
    assert (np.abs(share - must) <= 4 * np.sqrt(must * (1 - must) / (UNITS * 1500))).all()


def test_a_suit_called_by_lot_is_like_any_suit(done: Run) -> None:
    for row in done.tables["calls"].filter(players="greedy/random").iter_rows(named=True):
        assert row["exact"] is None
        assert abs(row["found"] - row["prior"]) < 1.6 * row["found_half_width"]


def test_calls_are_those_of_the_deals_themselves() -> None:
    table = Table("single-sir", "greedy")
    hands, calls = table.called(5, 100, 300)
    trace = table.trace(5, 100, 300)
    for at, result in enumerate(trace.results):
        cards = trace.hands[at][result["caller"]]
        assert int(hands[at]) == sum(1 << int(card) for card in cards)
        assert int(calls.fives[at]) == sum(1 << int(card) for card in cards[:5])
        assert calls.suits[at] == result["trump"]
    lengths = np.bitwise_count(trumps_of(hands, calls))
    assert lengths.mean() > 4


@pytest.mark.parametrize("rules", ["single-sir", "bavan,caller_may_pass=true", "hakim"])
def test_in_the_deal_itself_the_callers_would_have_said_what_they_said(rules: str) -> None:
    lineup, passed = parse_lineup("greedy"), 0
    callers = [parse_built_in("greedy")] * 2
    for deal in played(Table(rules, lineup), 5, 0, 300):
        five = [[sum(1 << int(card) for card in hand[:5]) for hand in deal.dealt]]
        assert _agree(deal, callers, np.array(five, np.uint64)).all()
        passed += deal.words[0] == "pass"
    assert passed > 20 or rules == "hakim"


def test_beliefs_late_in_a_deal_are_those_of_all_worlds_listed() -> None:
    rules, lineup = resolve("classic,deal_ends=after-thirteen"), parse_lineup("greedy/random")
    asked = 0
    for index in range(12):
        deal = before_each_trick(rules, lineup, 8, index)[10]
        worlds = Worlds(deal.view(1))
        if worlds.count < 20:
            continue
        asked += 1
        sample, weights = worlds.every()
        played = sum(play.seat == 0 and play.card.suit is deal.trump for play in deal.view(1).plays)
        trumps = (sample.hands[:, 0] >> np.uint64(13 * int(deal.trump or 0))) & np.uint64(8191)
        chances = np.bincount(np.bitwise_count(trumps) + played, weights, minlength=14) / weights.sum()
        players = [parse_built_in("greedy/random")] * 2
        found = beliefs(deal, 1, players, 8, index, 4000, cards=False)
        assert np.abs(found["sight"].chances - chances).max() < 4 * 0.5 / 4000**0.5
        assert found["sight"].worlds == pytest.approx(log2(worlds.count))
        assert (found["call"].chances == found["sight"].chances).all()      # it was called by lot
    assert asked > 3


def test_knowing_the_caller_tells_more_than_sight_and_the_cards_tell_most(done: Run) -> None:
    found = done.tables["beliefs"].filter(players="greedy")
    bits = {
        observer: found.filter(observer=observer, trick=6)["entropy"].item()
        for observer in ("sight", "call", "cards")
    }
    assert bits["cards"] < bits["call"] < bits["sight"]
    by_trick = found.filter(observer="cards").sort("trick")["entropy"].to_list()
    assert by_trick[0] > by_trick[6] > by_trick[12]


def test_a_belief_in_the_cards_is_sound(done: Run) -> None:
    # Surprise at the truth is entropy on average; by sight alone it is more, as callers do not call by lot.
    rows = done.tables["beliefs"].filter(pl.col("trick") <= 6, players="greedy", observer="cards")
    surprise, entropy, half_width = (
        rows[name].to_numpy().mean() for name in ("surprise", "entropy", "surprise_half_width"))
    assert abs(surprise - entropy) < 2 * half_width


def test_entropy_and_surprise_are_in_bits() -> None:
    belief = Belief(np.array([0.5, 0.25, 0.25] + [0.0] * 11), 3.0)
    assert belief.entropy == pytest.approx(1.5)
    assert belief.surprise(2) == pytest.approx(2)
    assert belief.mean == pytest.approx(0.75)


def test_a_deal_is_looked_at_before_each_of_thirteen_tricks() -> None:
    rules = resolve("single-sir,deal_ends=after-thirteen")
    stood = before_each_trick(rules, parse_lineup("greedy"), 1, 4)
    assert [len(deal.tricks) for deal in stood] == list(range(13))
    assert len({dealt_trumps(deal) for deal in stood}) == 1


def test_what_is_lost_without_counting_is_what_the_deals_say(done: Run) -> None:
    deals = UNITS * 1500
    calling, defending = (
        Table("single-sir", players).play(3, 0, deals)["winner"].astype(int)
        for players in ("forgetful,greedy", "greedy,forgetful"))
    lost = (calling - defending) / 2                # 1 where the defenders won
    row = done.tables["counting"].filter(forgets="both", gain="won").row(0, named=True)
    assert row["lost"] == pytest.approx(lost.mean(), abs=1e-12)
    assert row["lost_half_width"] == pytest.approx(1.96 * lost.std() / deals**0.5, rel=1e-2)
    assert row["sure_low"] < row["lost"] < row["sure_high"]


def test_chunks_and_jobs_change_no_table(done: Run, tmp_path: Path) -> None:
    other = run("calls-that-lie", deals=UNITS, draws=100, more=1500, seed=3, jobs=2, chunk=4,
                out=tmp_path / "run")
    for name, table in done.tables.items():
        assert table.equals(other.tables[name], null_equal=True), name
    assert verify(done.path).problems == ()


def test_where_nothing_is_called_nothing_is_told() -> None:
    for rules in ("be-ranga", "hidden-trump"):
        with pytest.raises(UsageError, match="no trump is called for all to hear"):
            run("calls-that-lie", rules=rules, out="never-made")
    with pytest.raises(UsageError, match="nobody knows what pimc would call"):
        run("calls-that-lie", players="pimc", out="never-made")


def test_the_page_tells_calls_beliefs_and_counting(done: Run) -> None:
    page = done.report().read_text(encoding="utf-8")
    for text in ("How fast beliefs sharpen", "What it costs not to count", "by the cards", "any suit"):
        assert text in page
