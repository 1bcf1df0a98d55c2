"""What a study is asked: files of options, parameters, players, numbers, hands."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

from courtpiece.cli.run import _from_file
from courtpiece.design import Design, Plan, design_of
from courtpiece.players import parse_lineup, parse_player
from courtpiece.studies import find, names
from courtpiece.studies.hands import FILE
from courtpiece.studies.study import POSITIVE, Study, whole

_FOLDER = Path(tempfile.mkdtemp(prefix="fuzz-studies-"))
_FILE = _FOLDER / "options.toml"
_STUDIES = [find(name) for name in names()]


def parse(data: bytes) -> object:
    """Reads what the first byte says; for options the second one chooses the study."""
    kind, rest = data[:1], data[1:]
    text = rest.decode(errors="surrogateescape")
    if "/" in text or ".py" in text:    # some file
        return None
    if kind == b"p":
        lineup = parse_lineup(text)
        assert str(parse_lineup(str(lineup))) == str(lineup)
        return lineup
    if kind == b"1":
        player = parse_player(text)
        assert str(parse_player(str(player))) == str(player)
        return player
    if kind == b"n":
        number = whole(1, 10**15).read(text)
        assert whole(1).read(str(number)) == number
        return number
    if kind == b"x":
        return POSITIVE.read(text)
    if kind == b"h":
        _FILE.write_bytes(rest)
        return FILE.read(str(_FILE))
    study = _STUDIES[rest[0] % len(_STUDIES)] if rest else _STUDIES[0]
    if kind == b"t":
        _FILE.write_bytes(rest[1:])
        told = _from_file(_FILE, study)
        for key in ("out", "jobs", "chunk"):
            told.pop(key, None)
    else:
        try:
            told = json.loads(rest[1:])
        except (ValueError, RecursionError):
            return None
        if not isinstance(told, dict):
            return None
    return _asked(study, told)


def _asked(study: Study[Any], told: dict[str, Any]) -> object:
    """Returns the parameters of a study, which are the same when read from what is kept of them."""
    before = Path.cwd()
    os.chdir(_FOLDER)                   # a name may be that of a file
    try:
        p = study.parameters(told)
    finally:
        os.chdir(before)
    if study.name != "rules-of-thumb":  # which fits its rules to say what its columns are
        study.units(p), study.chunk_units(p), study.columns(p), study.table_columns(p)
    design = design_of(study, p, Plan(units=10, chunk=5))
    kept = json.loads(json.dumps(design.json()))
    assert Design.of(kept) == design
    again = study.parameters({name: value for name, value in kept["parameters"].items() if value is not None})
    assert again.design() == p.design()
    return p


if __name__ == "__main__":
    from campaign import as_script  # type: ignore[import-not-found]  # beside this file, a script here

    as_script(__file__)
