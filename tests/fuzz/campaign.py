"""Fuzzing with atheris, and what every parser of the package has to hold under it.

`python tests/fuzz/FAMILY.py [CORPUS …] [-max_total_time=SECONDS …]` goes on until something breaks; the
options are libFuzzer's.  New inputs that reach more code are put into the first CORPUS; the seeds in
`corpus/FAMILY` are always read.  `pip install --group fuzz` gives atheris.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import mkdtemp
from types import ModuleType

HERE = Path(__file__).parent
FAMILIES = ("cards", "pbn", "records", "rules", "studies", "results")
LONGEST_LINE = 4000                     # of an error: a screenful or two, whatever the input was

# Seconds of processor time that an input may take, and as many more for each of its megabytes.  A reader may
# take 1 a megabyte, and a family reads an input a few times; what is kept takes 0.5 at most.  A busy machine
# makes that twice as much, atheris a few times; a loop over 100 kB in a loop over them makes it minutes.
MOST_SECONDS = 10

# A parser returns, or raises a CourtpieceError.
Parser = Callable[[bytes], object]


def holds(parse: Parser, data: bytes) -> None:
    """Runs a family's parser on some bytes; fails unless it soon returns or complains in clear lines."""
    from courtpiece.cli import complaint
    from courtpiece.errors import CourtpieceError

    began = time.process_time()
    try:
        parse(data)
    except CourtpieceError as error:
        for line in complaint(error):
            assert line.isprintable(), f"the error is no clear line: {line!r}"
            assert len(line) <= LONGEST_LINE, f"the error is {len(line)} characters long: {line[:200]!r}…"
    took = time.process_time() - began
    assert took < MOST_SECONDS * (1 + len(data) / 1e6), f"{len(data)} bytes took {took:.1f} seconds"


def seeds(family: str) -> list[Path]:
    """Returns the inputs of a family that are kept: good ones, and those on which something once broke."""
    return sorted((HERE / "corpus" / family).iterdir())


def as_script(file: str) -> None:
    """Starts the campaign of the family in a file, in a fresh interpreter that can watch its modules."""
    os.execv(sys.executable, [sys.executable, __file__, Path(file).stem, *sys.argv[1:]])


def _main() -> None:
    from importlib import import_module

    import atheris

    family, *options = sys.argv[1:]
    corpora = [Path(option).resolve() for option in options if not option.startswith("-")]
    flags = [option for option in options if option.startswith("-")]
    sys.path.insert(0, str(HERE.parents[1]))
    with atheris.instrument_imports(include=["courtpiece", "tomllib", "tests.fuzz"]):
        module: ModuleType = import_module(f"tests.fuzz.{family}")
        for path in seeds(family):      # most modules are imported at their first use
            holds(module.parse, path.read_bytes())
    given = corpora or [Path(mkdtemp(prefix=f"{family}-"))]
    atheris.Setup(
        [sys.argv[0], *map(str, given), str(HERE / "corpus" / family), *flags],
        lambda data: holds(module.parse, data),
    )
    atheris.Fuzz()


if __name__ == "__main__":
    _main()
