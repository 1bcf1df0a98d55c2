"""Options as one line of text: `trump=hidden,pile_blocks=[trump-ace,12],target=none`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from courtpiece.errors import MOST_REASONS, RulesError
from courtpiece.rules.values import show

_MARK = re.compile(r"[\[\],]")
_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]{1,18}")  # longer ones are no points that anybody counts


def write_options(options: Mapping[str, object]) -> str:
    """Returns options as one line, `pile_blocks=[trump-ace,12],target=none`."""
    return ",".join(f"{name}={_write(value)}" for name, value in options.items())


def _write(value: object) -> str:
    if isinstance(value, tuple):
        return "[" + ",".join(_write(item) for item in value) + "]"
    return value if isinstance(value, str) else show(value).strip('"')


def read_options(text: str) -> dict[str, Any]:
    """Returns the options of a line as `write_options` writes it; raises `RulesError`.

    `score.two_tens=0` gives one row of the score.  The values are still to be read by their options.
    """
    options: dict[str, Any] = {}
    reasons: list[str] = []
    for item in _items(text):
        if len(reasons) >= MOST_REASONS:
            reasons.append("and more of the kind")
            break
        path, equals, value = (part.strip() for part in item.partition("="))
        name, _, row = path.partition(".") if path.startswith("score.") else (path, "", "")
        target = options.setdefault(name, {}) if row else options
        if not equals:
            reasons.append(f"{show(item)} is not of the form option=value")
        elif not isinstance(target, dict) or (row or name) in target:
            reasons.append(f"{name} is given twice")
        else:
            target[row or name] = _parse(value)
    if reasons:
        raise RulesError(reasons)
    return options


def _items(text: str) -> list[str]:
    """Returns the parts of `text` between commas that are outside brackets, stripped."""
    items, begin, depth = [], 0, 0
    if "[" not in text:
        return list(map(str.strip, text.split(","))) if text.strip() else []
    for mark in _MARK.finditer(text):
        depth += (mark[0] == "[") - (mark[0] == "]")
        if mark[0] == "," and depth == 0:
            items.append(text[begin : mark.start()].strip())
            begin = mark.end()
    return [*items, text[begin:].strip()] if text.strip() else []


def _parse(text: str) -> Any:
    if text.startswith("[") and text.endswith("]"):
        return [_parse_item(item) for item in _items(text[1:-1])]      # no option takes lists of lists
    return _parse_item(text)


def _parse_item(text: str) -> Any:
    if text in {"true", "false"}:
        return text == "true"
    if _WHOLE_NUMBER.fullmatch(text):
        return int(text)
    return text.strip("\"'")
