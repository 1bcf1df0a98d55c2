"""Books of calls: what is written is what the study found, and an answer from a book is as good as played."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import courtpiece as cp
from courtpiece import books, cli
from courtpiece.advice import call as played
from courtpiece.books import Book, path_of, points, write
from courtpiece.books.__main__ import main
from courtpiece.cards import PACK
from courtpiece.errors import RunError
from courtpiece.players import parse_lineup
from courtpiece.results import Run
from courtpiece.rules import preset, resolve
from courtpiece.run import run
from courtpiece.store import read_metadata
from courtpiece.studies.book_rows import class_of_unit

FEW = 6
RULES, PLAYERS = preset("single-sir"), parse_lineup("simple")


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run that would be whole if there were six classes."""
    return run("trump-book", players="simple", hands=FEW, deals=400, within=0.3, jobs=1,
               out=tmp_path_factory.mktemp("run"))


@pytest.fixture
def book(small: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Book:
    """Its book."""
    monkeypatch.setattr(books, "CLASSES", FEW)
    path = write(small, tmp_path / path_of(RULES, PLAYERS).name)
    return Book(path, RULES, PLAYERS, read_metadata(path))


@pytest.fixture
def in_package(book: Book, monkeypatch: pytest.MonkeyPatch) -> Book:
    """The book, as if it came with the package."""
    monkeypatch.setattr(books, "_FOLDER", book.path.parent)
    return book


def test_an_answer_from_a_book_is_what_playing_the_same_deals_says(book: Book) -> None:
    for unit in range(FEW):
        cards = class_of_unit(unit).cards
        told = book.advice(cards)
        again = {value.words: value for value in played(cards, players="simple", deals=400).calls}
        assert {value.words for value in told.calls} == again.keys()
        for value in told.calls:
            if value.win.n == 400:
                same = again[value.words]
                assert (value.win, value.kot, value.conceded) == (same.win, same.kot, same.conceded)
                assert value.points == same.points
                assert value.tricks is not None
                assert same.tricks is not None
                assert value.tricks.value == pytest.approx(same.tricks.value, abs=0.006)
                assert value.tricks.standard_error == pytest.approx(same.tricks.standard_error, abs=0.006)


def test_the_best_call_and_its_lead_are_those_of_the_study(book: Book, small: Run) -> None:
    rows = small.tables["book"]
    for unit in range(FEW):
        hand_class = class_of_unit(unit)
        told = book.advice(hand_class.cards)
        best, second = (rows.filter(pl.col("class") == hand_class.index, rank=rank).row(0, named=True)
                        for rank in (0, 1))
        assert told.best.words[0] == best["call"]
        assert told.runner_up.words[0] == second["call"]
        assert told.lead.value == pytest.approx(second["behind"])
        assert told.lead.half_width == pytest.approx(second["behind_half_width"], abs=0.002)


def test_a_hand_is_answered_in_its_own_suits(book: Book) -> None:
    cards = class_of_unit(1).cards
    turned = tuple(PACK[(card + 13) % 52] for card in cards)
    here, there = book.advice(cards), book.advice(turned)
    names = {"S": "H", "H": "D", "D": "C", "C": "S"}
    assert [names.get(word, word) for word in here.best.words] == list(there.best.words)
    assert here.best.points == there.best.points


def test_call_answers_from_the_book_unless_deals_precision_or_a_seed_are_given(in_package: Book) -> None:
    cards = class_of_unit(2).cards
    told = cp.call(cards, players="simple")
    assert "from the book of all hands" in told.method
    assert "seed 1, behaviour courtpiece" in told.method
    assert told.to_dict()["source"] == "book"
    for asked in ({"deals": 400}, {"seed": 1, "deals": 400}, {"precision": 0.3}):
        answer = cp.call(cards, players="simple", **asked)
        assert answer.to_dict()["source"] == "played"
        assert "book" not in answer.method
    other = cp.call(cards, players="simple", rules="hakim", deals=40)
    assert other.to_dict()["source"] == "played"


def test_the_command_answers_from_the_book(in_package: Book, capsys: pytest.CaptureFixture[str]) -> None:
    hand = str(class_of_unit(2))
    assert cli.main(["call", hand, "--players", "simple"]) == 0
    assert "from the book of all hands" in capsys.readouterr().out
    assert cli.main(["call", hand, "--players", "simple", "--deals", "40", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["source"] == "played"


@pytest.mark.parametrize("change", ["behaviour", "rules", "players"])
def test_a_book_that_would_be_another_today_is_not_used(
    change: str, in_package: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert books.shipped(RULES, PLAYERS) is not None
    about = json.loads(json.dumps(in_package.about))
    if change == "behaviour":
        about["behaviour"] = "courtpiece 0, trump-book 1"
    elif change == "rules":
        about["rules"]["single-sir"] += ",target=3"
    else:
        about["parameters"]["players"] = ["greedy"]
    monkeypatch.setattr(books, "read_metadata", lambda path: about)
    assert books.shipped(RULES, PLAYERS) is None


def test_there_is_no_book_of_other_rules_or_players(in_package: Book) -> None:
    assert books.shipped(resolve("single-sir", target=3), PLAYERS) is None
    assert books.shipped(RULES, parse_lineup("random")) is None


def test_a_run_of_some_classes_makes_no_book(small: Run, tmp_path: Path) -> None:
    with pytest.raises(RunError, match="no complete run of trump-book over all 134,459 classes"):
        write(small, tmp_path / "book.parquet")
    assert main([str(small.path), str(tmp_path / "book.parquet")]) == 2
    assert main([]) == 2


def test_rules_under_which_points_do_not_follow_from_the_counts_make_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = run("trump-book", rules="mendikot-band", players="simple", hands=1, deals=50, within=1, jobs=1,
               out=tmp_path / "run")
    monkeypatch.setattr(books, "CLASSES", 1)
    with pytest.raises(RunError, match="the points of mendikot-band do not follow"):
        write(done, tmp_path / "book.parquet")


def test_points_follow_from_the_counts() -> None:
    wins, kots, conceded = np.array(60), np.array(5), np.array(3)
    told = points(RULES, np.array(100), wins, kots, conceded)
    assert [int(sums) for sums in told] == [55 + 5 * 3 - 37 * 2 - 3 * 4, 55 + 5 * 9 + 37 * 4 + 3 * 16]
    kots_counted = preset("single-sir-kots")
    assert points(kots_counted, np.array(100), wins, kots, conceded)[0] == 5 - 3 * 3
