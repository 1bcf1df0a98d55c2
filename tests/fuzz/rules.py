"""Rule sets: names and lines, TOML files, tables."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from courtpiece.rules import RuleSet, book, name_of, resolve

_FILE = Path(tempfile.mkdtemp(prefix="fuzz-rules-")) / "rules.toml"


def parse(data: bytes) -> object:
    """Reads a rule set: a file after an `f`, a JSON table after a `j`, else a line."""
    kind, rest = data[:1], data[1:]
    if kind == b"f":
        _FILE.write_bytes(rest)
        return _same(resolve(_FILE))
    text = rest.decode(errors="surrogateescape")
    if kind == b"b":
        return book.entry(text)
    if kind == b"j":
        try:
            table = json.loads(text)
        except (ValueError, RecursionError):
            return None
        return _same(resolve(table))
    if text.strip().endswith(".toml") or "/" in text:      # some other file
        return None
    return _same(resolve(text))


def _same(rules: RuleSet) -> RuleSet:
    """Returns a rule set that is read as itself in each of its forms."""
    for form in (str(rules), name_of(rules), rules.to_dict(), json.loads(json.dumps(rules.to_dict()))):
        assert resolve(form) == rules
    return rules


if __name__ == "__main__":
    from campaign import as_script  # type: ignore[import-not-found]  # beside this file, a script here

    as_script(__file__)
