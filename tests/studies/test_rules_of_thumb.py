"""Rules of thumb: what they say, what they cost, and that a book's luck does not make them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from courtpiece.cards import PACK, class_of, parse_cards
from courtpiece.errors import UsageError
from courtpiece.language import Words
from courtpiece.players import parse_built_in
from courtpiece.results import Run
from courtpiece.rules import preset
from courtpiece.run import run
from courtpiece.studies.book_rows import ROLES, role_of
from courtpiece.studies.policies import said
from courtpiece.studies.rules_of_thumb import RulesOfThumb
from courtpiece.studies.study import schema
from courtpiece.studies.thumb_hands import ANY, PASS, SUIT, ThumbHands
from courtpiece.studies.thumb_rules import _DEEDS, _QUESTIONS, Rule, callers, counts, folk, trees

STUDY = RulesOfThumb()
WORDS = ("S", "H", "D", "C", "pass")
SINGLE_SIR = preset("single-sir")


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A book of some classes."""
    out = tmp_path_factory.mktemp("book")
    run("trump-book", players="simple", hands=400, deals=150, within=0.5, out=out)
    return out


@pytest.fixture(scope="module")
def distilled(book: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return run(STUDY, book=str(book), out=tmp_path_factory.mktemp("rules"), jobs=1)


@pytest.fixture(scope="module")
def hands(distilled: Run) -> ThumbHands:
    return ThumbHands(distilled.scan().sort("class", "role").collect())


def made_up(worth: dict[str, list[float]]) -> ThumbHands:
    """Returns hands, by their canonical cards, whose calls are worth so much; a pass last."""
    rows = []
    for cards, values in worth.items():
        hand_class = class_of(parse_cards(cards))[0]
        order = np.argsort(np.argsort([-value for value in values]))
        words = [*WORDS[: len(values) - 1], "pass"]
        rows += [
            {"class": hand_class.index, "weight": hand_class.weight, "cards": cards, "call": word,
             "role": role_of(word), "rank": int(rank), "points_ahead": value, "error": 0.01,
             "behind_error": 0.01 * (rank > 0)}
            for word, value, rank in zip(words, values, order, strict=True)
        ]
    frame = pl.DataFrame(rows).with_columns(pl.col("role").cast(pl.Enum(ROLES)))
    return ThumbHands(frame.sort("class", "role"))


def says(rule: Rule, cards: str) -> set[int]:
    """Returns what a rule may say on a canonical hand, by role."""
    hands = made_up({cards: [0.0] * 5})
    return {int(roles[0]) for chance, roles in rule.says(hands) if chance}


def named(rules: Iterable[Rule], name: str) -> Rule:
    return next(rule for rule in rules if rule.name == name)


# --- hands -------------------------------------------------------------------------------------------


def test_costs_are_points_behind_the_books_best_call() -> None:
    hands = made_up({"AK5.2.9.": [0.5, -0.2, -0.1, -0.5, 0.1], "QT.98.3.": [-0.4, -0.5, -0.6, -0.7, -0.1]})
    order = [list(hands.lengths[:, 0]).index(length) for length in (3, 2)]
    assert hands.best(ANY)[order].tolist() == [0, PASS]
    assert hands.cost(np.array([0, 0]), ANY)[0][order].tolist() == pytest.approx([0, 0.3])
    assert hands.cost(np.array([2, 2]), ANY)[0][order].tolist() == pytest.approx([0.6, 0.5])
    assert hands.cost(np.array([1, 1]), SUIT)[0][order].tolist() == pytest.approx([0.7, 0.1])
    assert hands.may_pass


def test_suits_held_alike_are_worth_the_same() -> None:
    hands = made_up({"AKQJT...": [1.0, -0.5, 0.4]})     # the three void suits are one call
    assert hands.points[0].tolist() == [1.0, -0.5, -0.5, -0.5, 0.4]
    assert hands.cost(np.array([3]), ANY)[0].tolist() == [1.5]


# --- rules -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "cards", "roles"),
    [
        ("longest", "A9.KQ.2.", {0}),
        ("longest by lot", "A9.KQ.2.", {0, 1}),
        ("longest by lot", "A95.K.2.", {0}),
        ("longest by lot", "A9.K.Q.2", {0}),
        ("always pass", "AKQJT...", {PASS}),
        ("random", "AKQJT...", {0, 1, 2, 3, PASS}),
        ("A4 K3 Q2 J1", "T98.AK..", {1}),
        ("A4 K3 Q2 J1", "A98.KJ..", {0}),               # of equals the longer
        ("long and strong", "T98.AK..", {1}),
        ("long and strong", "T98.A3..", {0}),
    ],
)
def test_what_people_say(name: str, cards: str, roles: set[int]) -> None:
    assert says(named(folk(ANY), name), cards) == roles


@pytest.mark.parametrize("question", [ANY, SUIT])
@pytest.mark.parametrize("name", ["longest", "strongest"])
def test_the_built_in_callers_say_what_they_say_at_the_table(question: str, name: str) -> None:
    rule = named(callers(question), f"caller {name}")
    pack = np.random.default_rng(4)
    player = parse_built_in(f"greedy/{name}" + (":pass=never" if question == SUIT else ""))
    for _ in range(60):
        five = tuple(PACK[card] for card in pack.choice(52, 5, replace=False))
        hand_class = class_of(five)[0]
        [(word,)] = said(player, [hand_class.cards], SINGLE_SIR, [WORDS])
        assert says(rule, str(hand_class)) == {WORDS.index(word)}


def test_a_tree_finds_a_rule_that_decides(hands: ThumbHands) -> None:
    decided = hands.part(np.ones(len(hands), bool))
    long = decided.lengths[:, 0] >= 3
    decided.points = np.where(long[:, None], [1, 0, 0, 0, 0.5], [0, 0, 0, 0, 0.5]).astype(float)
    decided.rank = np.where(long[:, None], [0, 2, 3, 4, 1], [1, 2, 3, 4, 0])
    tree = named(trees(decided, ANY), "tree of depth 1")
    assert tree.cost(decided, ANY)[0].max() == 0
    assert tree.spelled == "if(long-first(3),first,leave)"
    assert tree.size == 1


def test_a_count_finds_weights_that_decide(hands: ThumbHands) -> None:
    decided = hands.part(np.ones(len(hands), bool))
    value = 2 * decided.lengths + 3 * decided.held[:, :, 12]
    decided.points = np.concatenate([value, np.full((len(hands), 1), 6.5)], axis=1).astype(float)
    decided.rank = np.argsort(np.argsort(-decided.points, axis=1, kind="stable"), axis=1)
    count = named(counts(decided, ANY), "count length A")
    assert float(np.average(count.cost(decided, ANY)[0], weights=decided.weights)) < 1e-9
    assert re.fullmatch(r"leave-below\(count\(and\(a-card\(\d\),a-A\(\d\)\)\),\d+\)", count.spelled)


def test_more_questions_never_cost_more_on_the_hands_that_made_the_tree(hands: ThumbHands) -> None:
    for question in hands.questions:
        costs = [float(np.average(rule.cost(hands, question)[0], weights=hands.weights))
                 for rule in trees(hands, question)]
        assert costs[-1] <= costs[0] + 1e-9


@pytest.mark.parametrize(
    ("spelled", "told"),
    [
        (
            "if(long-first(3),first,leave)",
            "if the longest suit has 3 cards or more, call the longest suit; if not, pass",
        ),
        (
            "if(top-second(rank-8),second,brackets(if(any-third,first,leave)))",
            (
                "if the second suit has an eight or higher, call the second suit; "
                "if not, (if there is a third suit, call the longest suit; if not, pass)"
            ),
        ),
        (
            "leave-below(count(and(and(a-card(2),a-A(3)),a-T(-1))),7)",
            (
                "count in each suit 2 for each card, 3 for the ace, −1 for the ten; call the suit with most "
                "points, of equals the longer, then the higher; with fewer than 7 in each suit, pass"
            ),
        ),
    ],
)
def test_a_rule_is_told_in_words(spelled: str, told: str) -> None:
    assert Words("rules-of-thumb").term(spelled) == told


@pytest.mark.parametrize("lang", ["en", "ur", "hi"])
def test_every_language_has_words_for_all_that_a_rule_can_be_made_of(lang: str, hands: ThumbHands) -> None:
    words = Words("rules-of-thumb", lang)
    parts = [question.at_least(least) for question in _QUESTIONS
             for least in (range(13) if question.ranks else range(1, 6))]
    rules = [rule for question in (ANY, SUIT) for rule in (
        *folk(question), *callers(question), *trees(hands, question), *counts(hands, question))]
    for spelled in (*parts, *_DEEDS, *(rule.spelled for rule in rules)):
        told = words.term(spelled)
        for name in re.findall(r"[\w-]*[a-z][\w-]*", spelled):
            if lang == "en":            # where a name may also be a word
                assert f"{name}(" not in told
            else:
                assert name not in told
    for rule in rules:
        assert lang == "en" or words.term(rule.name, "rule") != rule.name or rule.name == "A4 K3 Q2 J1"


# --- the study ---------------------------------------------------------------------------------------


def test_costs_in_the_tables_are_those_counted_hand_by_hand(distilled: Run, book: Path) -> None:
    of_book = Run.open(book).tables["book"]
    best = of_book.filter(rank=0)
    longest = of_book.filter(role="longest").join(best, on="class", suffix="_best", maintain_order="left")
    lost = (longest["points_ahead_best"] - longest["points_ahead"]).to_numpy()
    expected = np.average(lost, weights=longest["weight"].to_numpy().astype(float))
    row = distilled.tables["rules"].filter(question=ANY, rule="longest").row(0, named=True)
    assert row["cost"] == pytest.approx(expected)
    assert row["agreement"] == pytest.approx(np.average(
        (longest["rank"] == 0).to_numpy(), weights=longest["weight"].to_numpy().astype(float)))


def test_distilled_rules_beat_what_people_say_also_on_hands_they_have_not_seen(distilled: Run) -> None:
    summary = distilled.tables["summary"].filter(question=ANY)

    def cost(measure: str, **which: str) -> float:
        return float(summary.filter(measure=measure, **which)["value"].min())      # type: ignore[arg-type]

    assert cost("held_out", family="tree") < 0.5 * cost("cost", rule="longest")
    assert cost("held_out", family="count") < 0.5 * cost("cost", rule="longest")
    assert cost("cost", rule="random") > cost("cost", rule="longest")


def test_tables_are_the_same_from_any_chunks(distilled: Run, book: Path, tmp_path: Path) -> None:
    p = STUDY.parameters({"book": str(book)})
    again = run(STUDY, book=str(book), out=tmp_path, chunk=90, jobs=2)
    for name, table in distilled.tables.items():
        assert table.equals(again.tables[name]), name
        assert dict(table.schema) == schema(STUDY.table_columns(p)[name])


def test_the_answer_and_the_figure_say_what_the_tables_hold(distilled: Run) -> None:
    assert distilled.answer()[0].startswith("Where one may pass: ")
    assert any(line.startswith("Where a suit must be called: ") for line in distilled.answer())
    assert [figure.name for figure in distilled.plot()] == ["cost"]
    assert distilled.report().exists()
    assert set(distilled.headline["question"]) == {ANY, SUIT}


def test_a_book_without_a_pass_is_asked_for_suits_only(tmp_path: Path) -> None:
    run("trump-book", rules="hakim", players="simple", hands=60, deals=60, within=1, out=tmp_path / "book")
    done = run(STUDY, book=str(tmp_path / "book"), out=tmp_path / "rules", jobs=1)
    assert set(done.tables["rules"]["question"]) == {SUIT}
    assert done.parameters.rules == (preset("hakim"),)


def test_a_run_can_be_opened_when_the_book_is_gone(book: Path, tmp_path: Path) -> None:
    (tmp_path / "book.parquet").write_bytes((book / "tables" / "book.parquet").read_bytes())
    run(STUDY, book=str(tmp_path / "book.parquet"), hands=250, out=tmp_path / "rules", jobs=1)
    (tmp_path / "book.parquet").unlink()
    opened = Run.open(tmp_path / "rules", STUDY)
    assert opened.units == opened.scan().collect()["class"].n_unique() == 250
    assert opened.answer()


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({"book": "nowhere"}, "book: nowhere: there is no book; courtpiece run trump-book makes one"),
        ({"book": "README.md"}, "book: README.md"),
        ({"book": ""}, 'book: must be the folder of a run of trump-book, or the file of a book, not ""'),
        ({"book": "{"}, "book: {: there is no book"),
        ({"book": '{"x": 1}'}, 'book: {"x": 1}: there is no book'),
        ({"book": "x" * 5000}, "book: x+: there is no book"),
        ({"book": 3}, "book: must be the folder of a run of trump-book"),
    ],
)
def test_what_is_no_book_is_refused(asked: dict[str, Any], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        STUDY.parameters(asked)


def test_more_hands_than_the_book_has_are_refused(book: Path) -> None:
    p = STUDY.parameters({"book": str(book), "hands": 401})
    with pytest.raises(UsageError, match="hands: the book has 400 classes, not 401"):
        STUDY.units(p)


def test_a_book_of_hidden_trumps_is_refused(tmp_path: Path) -> None:
    run("trump-book", rules="mendikot-band", players="simple", hands=1, deals=20, within=1, out=tmp_path)
    with pytest.raises(UsageError, match="book: rules of thumb are for calling a suit"):
        STUDY.parameters({"book": str(tmp_path)})
