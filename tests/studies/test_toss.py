"""The toss: exact chances against every order of small packs, and against draws."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import permutations
from math import factorial
from pathlib import Path

import pytest

from courtpiece.cards import PACK
from courtpiece.errors import UsageError
from courtpiece.match import first_caller
from courtpiece.results import Run
from courtpiece.rules import resolve
from courtpiece.run import run
from courtpiece.studies.toss import EVERY_WAY
from courtpiece.studies.toss_chances import mean_of, toss_chances
from courtpiece.verification import verify

WAYS = [(first, tie) for first in ("highest-card", "highest-card-team")
        for tie in ("all-redraw", "tied-redraw")]


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return run("toss", draws=8000, seed=4, jobs=1, out=tmp_path_factory.mktemp("toss") / "run")


@pytest.mark.parametrize(("ranks", "suits"), [(4, 2), (2, 4)])
@pytest.mark.parametrize(("first", "tie"), WAYS)
def test_chances_of_a_small_pack_are_those_of_all_its_orders(
    first: str, tie: str, ranks: int, suits: int
) -> None:
    rules = resolve({"first_caller": first, "draw_tie": tie})
    pack = [card for card in PACK if card.rank < ranks and int(card.suit) < suits]
    seats: Counter[int] = Counter()
    cards: Counter[int] = Counter()
    unsettled = 0
    for order in permutations(pack):
        try:
            found = first_caller(rules, order)
        except UsageError:              # the cards ran out
            unsettled += 1
            continue
        seats[found.caller] += 1
        cards[len(found.drawn)] += 1
    settled = factorial(len(pack)) - unsettled
    exact = toss_chances(rules, ranks=ranks, suits=suits)
    assert exact.unsettled == Fraction(unsettled, factorial(len(pack)))
    assert exact.seats == tuple(Fraction(seats[seat], settled) for seat in range(4))
    assert {number: chance for number, chance in exact.cards.items() if chance} == {
        number: Fraction(count, settled) for number, count in cards.items()
    }


@pytest.mark.parametrize("tie", ["all-redraw", "tied-redraw"])
def test_a_draw_for_the_highest_card_favours_no_seat(tie: str) -> None:
    exact = toss_chances(resolve({"first_caller": "highest-card", "draw_tie": tie}))
    assert exact.seats == (Fraction(1, 4),) * 4
    assert 0 < exact.unsettled < 1e-11


@pytest.mark.parametrize("tie", ["all-redraw", "tied-redraw"])
def test_a_draw_by_teams_favours_no_team_but_its_member_who_draws_first(tie: str) -> None:
    first, second, third, fourth = toss_chances(
        resolve({"first_caller": "highest-card-team", "draw_tie": tie})).seats
    assert first + third == second + fourth == Fraction(1, 2)
    assert first == second > third == fourth


def test_the_first_round_ties_as_often_as_counted_by_hand() -> None:
    exact = toss_chances(resolve("single-sir"))
    # No tie: a top rank r once (4 cards), and three of the 4r cards below it, of C(52, 4) hands of four.
    once = sum(4 * (4 * r) * (4 * r - 1) * (4 * r - 2) // 6 for r in range(13))
    assert exact.rounds[1] == pytest.approx(once / 270725, abs=1e-11)


@pytest.mark.parametrize("first", ["first-ace", "first-jack"])
def test_the_first_of_four_like_cards_is_expected_at_a_fifth_of_the_pack(first: str) -> None:
    exact = toss_chances(resolve({"first_caller": first}))
    assert mean_of(exact.cards) == Fraction(53, 5)
    assert exact.unsettled == 0
    assert sum(exact.seats) == 1
    assert exact.seats[0] == sum(
        (Fraction(4 * factorial(48) * factorial(51 - before), factorial(48 - before) * factorial(52))
         for before in range(0, 49, 4)), Fraction(0))


def test_draws_agree_with_what_is_exact(done: Run) -> None:
    found = [*done.tables["seats"]["z"], *done.tables["lengths"]["z"]]
    told = [z for z in found if z is not None]
    assert len(told) == len(found) - 2              # a cut card is one card and one round, always
    assert max(map(abs, told)) < 3.6                # Bonferroni's bound for 40 numbers at 1 %


def test_wrong_chances_would_be_found_out(done: Run) -> None:
    hakim = done.tables["seats"].filter(rules="hakim", seat="1st").row(0, named=True)
    error = (hakim["exact"] * (1 - hakim["exact"]) / 8000) ** 0.5
    assert abs(hakim["simulated"] - 0.25) / error > 3.6


def test_every_draw_is_counted_once_for_each_way(done: Run) -> None:
    assert done.scan().collect()["draws"].sum() == 8000 * len(EVERY_WAY)


def test_chunks_and_jobs_change_no_table(done: Run, tmp_path: Path) -> None:
    other = run("toss", draws=8000, seed=4, jobs=2, chunk=3000, out=tmp_path / "run")
    for name, table in done.tables.items():
        assert table.equals(other.tables[name], null_equal=True), name
    assert verify(other.path).problems == ()


def test_the_headline_has_the_exact_chances(done: Run) -> None:
    assert done.headline.columns == ["rules", "1st", "2nd", "3rd", "4th", "cards", "rounds"]
    assert done.headline["1st"][0] == 0.25


def test_fractions_are_told_whole(done: Run) -> None:
    row = done.tables["exact"].filter(rules="hakim", measure="cards").row(0, named=True)
    assert (row["numerator"], row["denominator"]) == ("53", "5")


def test_the_page_shows_seats_and_lengths(done: Run) -> None:
    page = done.report().read_text(encoding="utf-8")
    for told in ("Chances by seat", "How long it takes", "first to draw"):
        assert told in page


def test_there_are_no_players_to_choose() -> None:
    with pytest.raises(UsageError, match='no parameter "players"'):
        run("toss", players="greedy")
