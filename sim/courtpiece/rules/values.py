"""Reading one option's value, as it comes from Python, TOML, JSON or a line of text.

Every reader takes any object and returns the value in its one stored form, or raises `UnreadableError`
with the end of a sentence that begins with the option's name ("must be ...").
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any, Self, TypeVar

from courtpiece.errors import suggest

Reader = Callable[[Any], Any]


class UnreadableError(ValueError):
    """A value that the option cannot have; the message ends a sentence about the option."""


class Choice(StrEnum):
    """An enumeration whose members know their own meaning, in `doc`."""

    doc: str

    def __new__(cls, value: str, doc: str = "") -> Self:
        member = str.__new__(cls, value)
        member._value_ = value
        member.doc = doc
        return member


ChoiceType = TypeVar("ChoiceType", bound=Choice)


_LONGEST_SHOWN = 60


def show(value: object) -> str:
    """Returns a value as a user would write it in TOML, for messages: one line, cut where it is long."""
    text = _show(value, depth=2)
    shown = "".join(
        letter if letter.isprintable() else repr(letter)[1:-1] for letter in text[:_LONGEST_SHOWN]
    )
    return shown + "…" if len(text) > _LONGEST_SHOWN else shown


def _show(value: object, depth: int) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'"{value}"'
    if value is None:
        return '"none"'
    if depth == 0:
        return "…"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key} = {_show(item, depth - 1)}" for key, item in value.items()) + "}"
    if isinstance(value, Sequence):
        return "[" + ", ".join(_show(item, depth - 1) for item in value) + "]"
    return str(value)


def either(names: Sequence[str]) -> str:
    """Returns `a, b or c`."""
    return " or ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def alternatives(values: Iterable[object]) -> str:
    """Returns `"a", "b" or "c"`."""
    return either([show(value) for value in values])


MOST = 10_000  # keeps sums of squares of points within 64 bits for 20 thousand million deals


def is_count(value: object, least: int) -> bool:
    """True for an int that is not a bool, from `least` to `MOST`."""
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= MOST


def counts(value: object, least: int) -> str:
    """Returns what a count must be, naming the upper bound only to a value that is above it."""
    above = isinstance(value, int) and value > MOST
    return f"from {least} to {MOST}" if above else f"from {least} up"


def flag(value: object) -> bool:
    """Reads a switch."""
    if isinstance(value, bool):
        return value
    raise UnreadableError(f"must be true or false, not {show(value)}")


def choice(kind: type[ChoiceType]) -> Callable[[object], ChoiceType]:
    """Returns the reader of one member of an enumeration."""

    def read(value: object) -> ChoiceType:
        if isinstance(value, str) and value in kind.__members__.values():
            return kind(value)
        hint = suggest(value, list(kind)) if isinstance(value, str) else ""
        raise UnreadableError(f"must be {alternatives(kind)}, not {show(value)}{hint}")

    return read


def integer(least: int, *, word: str = "", meaning: Any = None) -> Reader:
    """Returns the reader of a whole number from `least` up, or of one `word` that stands for `meaning`."""

    def read(value: object) -> Any:
        if is_count(value, least):
            return value
        if word and (value == word or value is meaning):
            return meaning
        other = f' or "{word}"' if word else ""
        raise UnreadableError(f"must be a whole number {counts(value, least)}{other}, not {show(value)}")

    return read


def several(kind: type[ChoiceType], *, numbers: range = range(0), number_name: str = "") -> Reader:
    """Returns the reader of a list of different members of an enumeration, and of numbers in a range.

    The result is a tuple in one canonical order: members as declared, then numbers upwards.
    """
    order = [*kind, *numbers]
    allowed = alternatives(kind)
    if numbers:
        allowed = f"{', '.join(show(item) for item in kind)} or a {number_name} {numbers[0]} to {numbers[-1]}"

    def read(value: object) -> tuple[Any, ...]:
        if isinstance(value, (str, bytes)) or not isinstance(value, (Sequence, set, frozenset)):
            raise UnreadableError(f"must be a list of {allowed}, not {show(value)}")
        for item in value:
            if isinstance(item, bool) or not isinstance(item, (str, int)) or item not in order:
                hint = suggest(item, list(kind)) if isinstance(item, str) else ""
                raise UnreadableError(f"may hold {allowed}, not {show(item)}{hint}")
        found = tuple(item for item in order if item in value)
        if len(found) < len(value):
            twice = next(item for item in order if list(value).count(item) > 1)
            raise UnreadableError(f"holds {show(twice)} twice")
        return found

    return read
