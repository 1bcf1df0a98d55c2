"""Words in three languages: nothing is missing, nothing is left in English, numbers and names stand right."""

from __future__ import annotations

import math
import re
import string
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from courtpiece.errors import UsageError
from courtpiece.language import Answer, Cards, Mean, PValue, Sentence, Share, Term, Words
from courtpiece.studies import names

TEXTS = Path(__file__).parents[1] / "sim/courtpiece/report/texts"
ENGLISH_ALONE = ("percent", "bare", "hidden")
TRANSLATED = sorted(path.relative_to(TEXTS).as_posix() for code in ("ur", "hi")
                    for path in (TEXTS / code).glob("*.toml"))


def read(name: str) -> dict[str, Any]:
    """Returns a file of texts."""
    return tomllib.loads((TEXTS / name).read_text(encoding="utf-8"))


def leaves(texts: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, str]]:
    """Yields each text with its path of keys."""
    for key, value in texts.items():
        if isinstance(value, Mapping):
            yield from leaves(value, f"{path}{key}/")
        else:
            yield f"{path}{key}", "\n".join(value) if isinstance(value, list) else value


def places(text: str) -> set[str]:
    """Returns the names of the values that stand in a text."""
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


def test_every_study_is_said_in_every_language() -> None:
    said = {path.name for path in TEXTS.glob("*.toml")}
    assert {f"{study}.toml" for study in names()} <= said
    assert sorted(TRANSLATED) == sorted(f"{code}/{name}" for code in ("ur", "hi") for name in said)


@pytest.mark.parametrize("name", TRANSLATED)
def test_a_translation_says_all_that_the_english_text_says(name: str) -> None:
    english = dict(leaves(read(name.partition("/")[2])))
    here = dict(leaves(read(name)))
    needed = {key for key in english if key.partition("/")[0] not in ENGLISH_ALONE}
    assert needed - here.keys() == set()
    assert not set(ENGLISH_ALONE) & here.keys()
    if not name.endswith("page.toml"):
        assert {"title", "question"} <= here.keys()


@pytest.mark.parametrize("name", TRANSLATED)
def test_a_translation_says_nothing_that_nobody_asks_for(name: str) -> None:
    english = dict(leaves(read(name.partition("/")[2])))
    free = ("title", "question", "heads", "values", "options")      # these have an English word by default
    assert {key for key in dict(leaves(read(name))) if key.partition("/")[0] not in free} <= english.keys()


@pytest.mark.parametrize("name", TRANSLATED)
def test_the_same_values_stand_in_a_sentence_in_every_language(name: str) -> None:
    english = dict(leaves(read(name.partition("/")[2])))
    for key, text in leaves(read(name)):
        if key.partition("/")[0] in ("answer", "figures", "page", "values"):
            assert places(text) == places(english.get(key, "")), key


@pytest.mark.parametrize("name", TRANSLATED)
def test_a_list_of_paragraphs_has_as_many_in_every_language(name: str) -> None:
    english, here = read(name.partition("/")[2]), read(name)
    for key in ("method", "double_dummy", "claim"):
        assert len(english.get(key, ())) == len(here.get(key, ())), key


def test_whole_numbers_are_grouped_as_the_language_does() -> None:
    numbers = (0, 7, 1234, 99_999, 100_000, 1_234_567, 123_456_789)
    assert [Words(code="en").whole(number) for number in numbers] == [
        "0", "7", "1,234", "99,999", "100,000", "1,234,567", "123,456,789"
    ]
    assert [Words(code="hi").whole(number) for number in numbers] == [
        "0", "7", "1,234", "99,999", "1,00,000", "12,34,567", "12,34,56,789"
    ]
    assert Words(code="hi").whole(-1_234_567) == "−12,34,567"


def test_what_is_rounded_to_nothing_has_no_sign() -> None:
    words = Words()
    assert words.estimate(-0.3, 19.0) == "0 ± 19"
    assert words.estimate(-0.0, 0.0) == words.number(-0.0) == "0"


def test_estimates_are_rounded_as_their_error_deserves() -> None:
    words = Words()
    assert words.estimate(0.61234, 0.0123) == "0.612 ± 0.012"
    assert words.estimate(-0.5, 0.056) == "−0.50 ± 0.06"
    assert words.estimate(0.0, 0.8, certain=100.0) == "< 0.8"
    assert words.estimate(100.0, 7.0, certain=100.0) == "> 93"
    assert words.estimate(100.0, 3.5) == "100 ± 4"
    assert words.estimate(0.00026, 0.00004) == "0.00026 ± 0.00004"
    assert words.estimate(20.0, 0.0, certain=100.0) == "20"
    assert words.estimate(20.000000000000004, 3e-15) == "20"
    assert words.estimate(1.0, math.inf) == words.estimate(0.0, math.nan, certain=100.0) == "–"
    assert words.estimate(0.0, 0.0, certain=100.0) == "0"
    assert words.estimate(-0.4, 19.0) == "0 ± 19"
    assert words.number(10_500.4) == "10,500"
    assert [words.p_value(p) for p in (0.0312, 1.0, 0.0001, 7e-205, 0.0)] == [
        "0.031", "1", "0.0001", "< 0.0001", "< 0.0001"
    ]
    assert words.number(-math.inf) == words.number(math.nan) == "–"
    assert words.number(0.00012345) == "0.0001234"


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (Share(0.5, 0.01), "50.0 ± 1.0 %"),
        (Share(0.25), "25 %"),
        (Mean(-1.5, 0.2), "−1.50 ± 0.20"),
        (PValue(1e-20), "p < 0.0001"),
        (PValue(0.0312), "p = 0.031"),
        (Term("S", "said"), "spades"),
        (Term("greedy"), "greedy"),
        (Cards("AS 5S 2H TD"), "A5♠ 2♥ 10♦"),
        (1234, "1,234"),
        (["a", "b", "c"], "a, b and c"),
        (["a"], "a"),
        ("single-sir", "single-sir"),
    ],
)
def test_a_value_is_said_as_it_stands_in_a_sentence(value: Any, said: str) -> None:
    assert Words().said(value).replace("\u00a0", " ") == said


def test_a_value_that_holds_others_is_said_with_their_words_in_it() -> None:
    assert Words("rules-of-thumb").term("if(top-first(rank-A),first,leave)") == (
        "if the longest suit has an ace or higher, call the longest suit; if not, pass"
    )
    for name in ("nobody(a,b)", "asking (defenders)", "x)", "if(", "()"):
        assert Words("rules-of-thumb").term(name) == name


def test_cards_have_their_names_at_the_table() -> None:
    cards = Cards("AS KS 5S 2H 9D")
    assert Words(code="hi").said(cards) == "हुकुम (इक्का, बादशाह, पंजी), पान (दुग्गी), ईंट (नहला)"
    assert Words(code="ur").said(cards) == "حکم (یکّا، بادشاہ، پنجا)، پان (دُکی)، اینٹ (نہلا)"


def test_what_runs_from_left_to_right_is_isolated_in_urdu() -> None:
    words = Words("duel", "ur")
    told = words.sentence(Sentence("deals", {
        "rules": "single-sir,target=5", "us": "pimc(worlds=10)", "them": "mine.py:Mine",
        "won": Share(0.6, 0.01), "ahead": Mean(-0.25, 0.05),
    }))
    inside = re.findall("\u2066([^\u2069]*)\u2069", told)
    assert [text.replace("\u00a0", " ") for text in inside] == [
        "single-sir,target=5", "mine.py:Mine", "pimc(worlds=10)", "60.0 ± 1.0%", "−0.25 ± 0.05",
    ]
    outside = re.sub("\u2066[^\u2069]*\u2069", "", told)
    assert not re.search("[A-Za-z0-9±−]", outside)


@pytest.mark.parametrize(
    "name", ["single-sir,extras=[swap-cards]", "single-sir,score=[1,1,2,2]", "≥ 35", "< 599"]
)
def test_a_name_with_brackets_or_a_sign_is_isolated_whole_in_urdu(name: str) -> None:
    assert Words(code="ur").term(name) == f"\u2066{name}\u2069"


def test_urdu_and_hindi_pages_show_no_isolates_but_urdu_needs() -> None:
    assert "\u2066" not in Words("duel", "hi").page("seed", level="95%")
    assert "\u2066" in Words("duel", "ur").page("seed", level="95%")


def test_an_answer_reads_as_lines_and_in_jupyter_as_paragraphs() -> None:
    told: dict[str, Any] = {
        "better": "<b>", "us": "<b>", "p": PValue(0.5), "low": Share(0.4), "high": Share(0.6),
    }
    answer = Answer(Words("duel", "ur"), [Sentence("better", told), Sentence("open", told)])
    assert len(answer) == 2
    assert str(answer) == repr(answer) == f"{answer[0]}\n{answer[1]}"
    assert answer._repr_html_().count('<p dir="rtl">') == 2
    assert "&lt;b&gt;" in answer._repr_html_()


def test_a_study_without_texts_says_names_as_they_are() -> None:
    words = Words("nobody's", "hi")
    assert words.text("title", "Dice") == "Dice"
    assert words.head("some_column") == "some column"
    assert words.paragraphs("method") == []


def test_an_unknown_language_is_refused_with_those_there_are() -> None:
    with pytest.raises(UsageError, match=r'no language "urdu".*en \(English\), ur \(Urdu\) and hi \(Hindi\)'):
        Words(code="urdu")
