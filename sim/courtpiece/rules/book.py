"""The rule book: what the numbers cited in comments (S0.57, A30, B17) stand for.

The text is `book.md`, beside this module.  An entry of it begins with its label in bold at the start of
a line and runs up to the next label or heading.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from courtpiece.errors import UsageError, suggest

_LABEL = re.compile(r"\*\*(S\d\.\d+|[AB]\d+|Option \d+|Example \d+)\*\* ")
_SERIES = re.compile(r"(.*?)(\d{1,9})")


def text() -> str:
    """Returns the whole book, as Markdown."""
    return files("courtpiece.rules").joinpath("book.md").read_text(encoding="utf-8")


def numbers() -> tuple[str, ...]:
    """Returns the label of every entry in the book's order: "S0.1" … "A1" … "Option 1" … "Example 25"."""
    return tuple(_entries())


def entry(number: str) -> str:
    """Returns the entry of a rule, reading, option or example as Markdown, its label included.

    Case and spaces do not matter, and a bare number is an option's.  Raises `UsageError`, with the nearest
    label there is, when the book has no such entry.

    >>> print(entry("s0.54"))
    **S0.54** Until then the card is out of play, for its owner as well.
    >>> entry("15") == entry("Option 15")
    True
    >>> entry("A50")
    Traceback (most recent call last):
    courtpiece.errors.UsageError: the rule book has no "A50" (did you mean "A48"?)
    """
    labels = {_key(label): label for label in _entries()}
    label = labels.get(_key(number))
    if label is None:
        raise UsageError(f'the rule book has no "{number}"{_hint(number, labels)}')
    return _entries()[label]


@cache
def _entries() -> Mapping[str, str]:
    found: dict[str, list[str]] = {}
    lines: list[str] = []  # of the entry being read; those before a first label go nowhere
    for line in text().splitlines():
        if label := _LABEL.match(line):
            lines = found[label[1]] = []
        elif line.startswith("#"):
            lines = []
        lines.append(line)
    return MappingProxyType({label: "\n".join(lines).strip() for label, lines in found.items()})


def _key(number: str) -> str:
    key = "".join(number.split()).casefold()
    return f"option{key}" if key.isdecimal() else key


def _hint(number: str, labels: Mapping[str, str]) -> str:
    near = _nearest_of_series(_key(number), labels)
    if near:
        return f' (did you mean "{labels[near]}"?)'
    return suggest(number, labels.values()) or "; numbers look like S0.57, A30, B17, option 15, example 18"


def _nearest_of_series(key: str, keys: Iterable[str]) -> str | None:
    """Returns the key nearest to `key` by number that differs from it in nothing else, if there is one."""
    wanted = _SERIES.fullmatch(key)
    if wanted is None:
        return None
    distances = {
        other[0]: abs(int(other[2]) - int(wanted[2]))
        for other in map(_SERIES.fullmatch, keys)
        if other and other[1] == wanted[1]
    }
    return min(distances, key=distances.__getitem__, default=None)
