"""Every parser returns or complains in clear lines: on what is kept, and on much like it.

The campaigns that look for more are `python tests/fuzz/FAMILY.py`.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.campaign import FAMILIES, HERE, holds, seeds

MOST_KEPT = 300_000                     # bytes of all corpora
LONG = 100_000                          # bytes
KEPT = [
    pytest.param(family, path, id=f"{family}-{path.name}") for family in FAMILIES for path in seeds(family)
]
EXAMPLES = {"results": 10, "studies": 60}


@pytest.mark.parametrize(("family", "path"), KEPT)
def test_a_parser_takes_or_refuses_what_once_broke_one(family: str, path: Path) -> None:
    holds(import_module(f"tests.fuzz.{family}").parse, path.read_bytes())


@pytest.mark.parametrize("family", ["cards", "pbn", "records", "rules", "studies"])
def test_a_parser_takes_or_refuses_what_is_long(family: str) -> None:
    parse = import_module(f"tests.fuzz.{family}").parse
    for path in seeds(family):
        content = path.read_bytes()
        for piece in (content[1:], content[1:] + b"\n"):        # the first byte chooses what is read
            holds(parse, content[:1] + piece * (LONG // (len(piece) + 1)))


@st.composite
def spoilt(draw: st.DrawFn, family: str) -> bytes:
    """Draws a kept input with some pieces cut out, doubled, or replaced by other bytes."""
    content = draw(st.sampled_from(seeds(family))).read_bytes()
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(content)))
        stop = draw(st.integers(start, min(len(content), start + 20)))
        piece = draw(st.one_of(st.binary(max_size=8), st.just(content[start:stop] * 2)))
        content = content[:start] + piece + content[stop:]
    return content


@pytest.mark.parametrize("family", FAMILIES)
def test_a_parser_takes_or_refuses_spoilt_inputs(family: str) -> None:
    parse = import_module(f"tests.fuzz.{family}").parse

    @settings(max_examples=EXAMPLES.get(family, 150), deadline=None, print_blob=True,
              suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
    @given(st.one_of(spoilt(family), st.binary(max_size=200)))
    def check(data: bytes) -> None:
        holds(parse, data)

    check()


def test_the_corpora_stay_small() -> None:
    assert sum(path.stat().st_size for path in (HERE / "corpus").rglob("*") if path.is_file()) < MOST_KEPT
