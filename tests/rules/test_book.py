"""The rule book holds every number once, and every number that the code cites is in it."""

import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest

from courtpiece.errors import UsageError
from courtpiece.rules import RuleSet, book

REPOSITORY = Path(__file__).parents[2]
SOURCES = sorted(
    path
    for folder in ("sim/courtpiece", "ext", "tests")
    for pattern in ("*.py", "*.pyi", "*.pyx", "*.pxd", "*.toml")
    for path in (REPOSITORY / folder).rglob(pattern)
)

# how many entries each series holds, in the order of the book
SERIES = {"S0.": 100, "S2.": 37, "S3.": 38, "S4.": 59, "A": 48, "B": 20, "Option ": 26, "Example ": 25}

RULE = r"S[0234]\.\d+"
CITED = rf"(?<![\w.])(?:{RULE}|[AB]\d{{1,2}})(?!\w|\.\w)"
CITATIONS = rf"{CITED}(?:(?:[\s,;/–\"'-]|and|or|to)+{CITED})*"
REMARK = re.compile(r'#[^\n]*|"""(?s:.*?)"""')


def cited_in(source: str) -> Iterator[str]:
    """Yields the numbers that a source file cites.

    "A9" may also be a holding, so a reading counts only where it can be nothing else: in one list with a
    numbered rule, or, within a comment or docstring, right after a parenthesis or as a comment's beginning.
    """
    for citations in re.findall(CITATIONS, source):
        if re.search(RULE, citations):
            yield from re.findall(CITED, citations)
    for remark in REMARK.findall(source):
        for citations in re.findall(rf"(?:\((?:see |by |as in )?|^# *)({CITATIONS})(?:[):;,]|$)", remark):
            yield from re.findall(CITED, citations)


def mentioned(entry: str) -> set[str]:
    """Returns the numbers in an entry of the book, with those that "S0.20 to S0.23" spans."""
    found = set(re.findall(CITED, entry))
    for series, first, last in re.findall(r"\b(S\d\.|[AB])(\d+) to \1(\d+)", entry):
        found |= {f"{series}{number}" for number in range(int(first), int(last) + 1)}
    return found


def test_every_number_is_there_exactly_once_and_in_order() -> None:
    expected = [f"{series}{number}" for series, last in SERIES.items() for number in range(1, last + 1)]
    assert list(book.numbers()) == expected
    assert re.findall(r"^\*\*(\w[\w. ]*\d)\*\*", book.text(), re.MULTILINE) == expected


def test_each_entry_has_a_text_of_its_own() -> None:
    texts = {}
    for label in book.numbers():
        entry = book.entry(label)
        assert entry.startswith(f"**{label}** ")
        assert not re.search(r"^#", entry, re.MULTILINE)
        texts[label] = entry.removeprefix(f"**{label}** ")
    assert min(map(len, texts.values())) > 10
    assert len(set(texts.values())) == len(texts)


def test_an_entry_keeps_its_table_and_ends_before_the_next_heading() -> None:
    assert "| S3 | kot, 2 points |" in book.entry("Example 4")
    assert book.entry("Example 4").endswith("S4.29)")
    assert book.entry("S0.5").endswith("clock.")


@pytest.mark.parametrize(
    ("written", "label"),
    [
        ("S0.57", "S0.57"),
        (" s0.57 ", "S0.57"),
        ("a30", "A30"),
        ("B 17", "B17"),
        ("15", "Option 15"),
        ("OPTION 15", "Option 15"),
        ("example 18", "Example 18"),
    ],
)
def test_looking_up_ignores_case_and_spaces(written: str, label: str) -> None:
    assert book.entry(written) == book.entry(label)


@pytest.mark.parametrize(
    ("written", "nearest"),
    [
        ("s0.101", "S0.100"),
        ("s3.0", "S3.1"),
        ("A49", "A48"),
        ("b21", "B20"),
        ("27", "Option 26"),
        ("example 26", "Example 25"),
        ("exmple 3", "Example 3"),
    ],
)
def test_an_unknown_number_names_the_nearest_one(written: str, nearest: str) -> None:
    with pytest.raises(UsageError, match=rf'"{written}".*did you mean "{re.escape(nearest)}"'):
        book.entry(written)


@pytest.mark.parametrize("written", ["", "rang", "?!"])
def test_a_word_that_is_near_no_number_is_told_what_numbers_look_like(written: str) -> None:
    with pytest.raises(UsageError, match=r"numbers look like S0\.57"):
        book.entry(written)


def test_the_book_cites_only_what_it_holds() -> None:
    assert mentioned(book.text()) <= set(book.numbers())


def test_each_option_stands_under_its_number_with_the_rules_its_field_cites() -> None:
    cites: dict[int, set[str]] = {}
    for option in fields(RuleSet):
        number = option.metadata["number"]
        assert f"`{option.name}`" in book.entry(f"option {number}")
        cites.setdefault(number, set()).update(option.metadata["cites"])
    lacking = {number: cited - mentioned(book.entry(f"option {number}")) for number, cited in cites.items()}
    assert not any(lacking.values()), lacking


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(REPOSITORY)))
def test_every_number_that_a_source_cites_is_in_the_book(path: Path) -> None:
    unknown = set(cited_in(path.read_text(encoding="utf-8"))) - set(book.numbers())
    assert not unknown, f"{path.relative_to(REPOSITORY)} cites rules that the book does not hold: {unknown}"


@pytest.mark.parametrize(
    ("source", "cited"),
    [
        ("x = 1  # S0.20-S0.23", ["S0.20", "S0.23"]),
        ("# no reveal backwards (S0.57, A30, A31)", ["S0.57", "A30", "A31"]),
        ('cites="S0.14 A7 B1"', ["S0.14", "A7", "B1"]),
        ('"""Returns the run (A20–A22)."""', ["A20", "A22"]),
        ("# A33: the card is back in his hand", ["A33"]),
        ("# the worth (see B12; others differ)", ["B12"]),
        ("# a hand of A98, or (A98 KQ), or A98.5.2.K, 0xA9", []),
        ('parse("A5.K.A4.") == f(A9)', []),
        ("b1 = a1 + A12 * B12", []),
    ],
)
def test_a_citation_is_told_from_a_holding(source: str, cited: list[str]) -> None:
    assert list(dict.fromkeys(cited_in(source))) == cited
