"""Deal records: one line, and files of them."""

from __future__ import annotations

import io
import json
import tempfile
from pathlib import Path

from courtpiece.cli.play import recorded_deal
from courtpiece.cli.review import _deals
from courtpiece.errors import CourtpieceError
from courtpiece.record import answers, judge_line, read_deals, write
from courtpiece.record import parse as parse_line

_FILE = Path(tempfile.mkdtemp(prefix="fuzz-records-")) / "records.jsonl"


def parse(data: bytes) -> object:
    """Judges every line, and reads the file in the three ways in which commands do."""
    found = list(answers(io.BytesIO(data)))
    for answer in found:
        line = json.dumps(answer)
        assert line.isprintable()
        if not answer["ok"]:
            assert answer["message"].isprintable()
            assert answer["error"]
    for text in data.splitlines():
        _round_trip(text)
    _FILE.write_bytes(data)
    for read in (lambda: recorded_deal(str(_FILE), 1), lambda: _deals(str(_FILE), None)):
        try:
            read()
        except CourtpieceError as error:
            refused = error
        else:
            continue
        raise refused
    return found


def _round_trip(line: bytes) -> None:
    try:
        deals = read_deals(parse_line(line))        # type: ignore[arg-type]  # it says what is no record
    except CourtpieceError:
        return
    for deal in deals:
        written = json.dumps(write(deal))
        assert judge_line(written)["ok"]
        (again,) = read_deals(parse_line(written))  # type: ignore[arg-type]
        assert json.dumps(write(again)) == written


if __name__ == "__main__":
    from campaign import as_script  # type: ignore[import-not-found]  # beside this file, a script here

    as_script(__file__)
