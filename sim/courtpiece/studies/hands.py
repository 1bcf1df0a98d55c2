"""The five-card hands that a study looks at: drawn at random, given, or read from a file."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from courtpiece.advice import read_five
from courtpiece.cards import Card, format_cards, parse_cards
from courtpiece.errors import CardError, UsageError, reason
from courtpiece.studies.study import Kind
from courtpiece.table import Table

Hand: TypeAlias = tuple[Card, ...]

HAND_COLUMNS = ("hand", "cards")        # the names under which a CSV file's hands are found
_BAD_LINES_NAMED = 3
_LONGEST = 100_000_000                  # letters of a file; the classes of all hands are 2 million


@dataclass(frozen=True)
class HandsFile:
    """The hands of a file.  What is in it counts, not what it is called."""

    name: str
    hands: tuple[Hand, ...]

    def __str__(self) -> str:
        return self.name


def random_hands(seed: int, start: int, stop: int) -> list[Hand]:
    """Returns hands start … stop-1 of a seed: eldest's first five cards in the deals of these numbers."""
    dealt = Table("single-sir", "random").trace(seed, start, stop - start).hands
    return [tuple(Card(card) for card in five) for five in dealt[:, 0, :5].tolist()]


def read_hands(lines: Iterable[str], name: str) -> tuple[Hand, ...]:
    """Returns the hands of a text or CSV file, one a line; UsageError names every line that is none.

    Blank lines and lines that begin with # are no hands.  A first line without a card is a head; where it
    names one of HAND_COLUMNS the hands are in that column, else the cards may be in several.
    """
    hands: list[Hand] = []
    bad: list[str] = []
    column: int | None = None
    first = True
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        try:
            cells = [cell.strip() for cell in next(csv.reader([text], delimiter=_delimiter(text)))]
        except csv.Error as error:
            raise UsageError(f"{name}: line {number}: {error}") from None
        if first and not any(map(_is_cards, cells)):
            named = [cell.lower() for cell in cells]
            column = next((named.index(word) for word in HAND_COLUMNS if word in named), None)
        else:
            try:
                hands.append(_hand(cells, column))
            except CardError as error:
                bad.append(f"line {number}: {error}")
        first = False
    if bad:
        more = f"; {len(bad) - _BAD_LINES_NAMED} more lines" if len(bad) > _BAD_LINES_NAMED else ""
        raise UsageError(f"{name}: {'; '.join(bad[:_BAD_LINES_NAMED])}{more}")
    if not hands:
        raise UsageError(f"{name} holds no hands: it needs five cards a line, such as AS KS 5S 2H 9D")
    return tuple(hands)


def _delimiter(text: str) -> str:
    return next((mark for mark in ("\t", ";") if mark in text), ",")


def _is_cards(cell: str) -> bool:
    try:
        return bool(parse_cards(cell))
    except CardError:
        return False


def _hand(cells: Sequence[str], column: int | None) -> Hand:
    if column is None:
        return read_five(" ".join(cells))
    if column >= len(cells):
        raise CardError("there is no hand")
    return read_five(cells[column])


def _read_hand(value: Any) -> Hand:
    if isinstance(value, str):
        return read_five(value)
    try:
        return read_five(format_cards(Card(card) for card in value))
    except (TypeError, ValueError):
        raise UsageError(f"must be five cards, such as AS KS 5S 2H 9D, not {value!r}") from None


def _read_file(value: Any) -> HandsFile:
    if isinstance(value, HandsFile):
        return value
    if isinstance(value, str) and "\n" in value:
        return _recall_file(value)
    try:
        path = Path(value)
        with path.open(encoding="utf-8-sig") as file:
            text = file.read(_LONGEST + 1)
    except TypeError:
        raise UsageError(f"must be the path of a file, not {value!r}") from None
    except OSError as error:
        raise UsageError(f"{value} cannot be read: {reason(error)}") from None
    except ValueError:
        raise UsageError(f"{value} is not text in UTF-8") from None
    if len(text) > _LONGEST:
        raise UsageError(f"{value} is longer than {_LONGEST:,} letters, which is more than a run takes")
    return HandsFile(str(path), read_hands(text.splitlines(), str(path)))


def _recall_file(value: Any) -> HandsFile:
    """Returns the hands that study.json keeps of a file."""
    if not isinstance(value, str):
        raise UsageError(f"must be hands, one a line, not {value!r}")
    return HandsFile("the file of the run", read_hands(value.splitlines(), "study.json"))


HAND = Kind("HAND", _read_hand, format_cards, format_cards)
FILE = Kind(
    "FILE", _read_file, lambda file: "\n".join([*map(format_cards, file.hands), ""]), str, _recall_file
)
