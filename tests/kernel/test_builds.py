"""What the kernel asks of a processor: the portable build has nothing newer than SSE2."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from importlib import import_module
from importlib.util import find_spec

import pytest

from courtpiece._kernel import cpu

MODULES = ("cpu", "engine", "solver", "exact", "alphamu", "ismcts", "worlds", "search")
# Instructions of AVX (they begin with v), BMI, BMI2, POPCNT, SSSE3 and SSE4.  `tzcnt` is not among them:
# processors that do not know it run it as `bsf`.
NEWER = re.compile(
    r"v(?!err|erw)[a-z0-9]+|pdep|pext|mulx|andn|bzhi|shlx|shrx|sarx|rorx|blsr|blsi|blsmsk|bextr|lzcnt|popcnt|crc32"
    r"|p(?:shufb|hadd|min[su]d|max[su]d|test|extr[bdq]|insr[bdq]|blend\w*)|round[sp][sd]"
)

needs_objdump = pytest.mark.skipif(
    shutil.which("objdump") is None or find_spec("courtpiece._kernel.cpu") is None or not
    sys.platform.startswith("linux")
    or os.uname().machine != "x86_64", reason="disassembles x86-64 modules with objdump",
)


def instructions(module: str) -> Counter[str]:
    """How often the compiled module has each newer instruction."""
    path = import_module(f"courtpiece._kernel.{module}").__file__
    assert path is not None
    listing = subprocess.run(
        ["objdump", "-d", "--no-show-raw-insn", path], check=True, capture_output=True, text=True
    ).stdout
    prefixes = "(?:(?:rep|repz|repnz|lock|data16|cs|ds|notrack|bnd) )*"
    found = re.findall(rf"^ *[0-9a-f]+:\t{prefixes}([a-z0-9]+)", listing, re.MULTILINE)
    assert len(found) > 100
    return Counter(name for name in found if NEWER.fullmatch(name))


@needs_objdump
@pytest.mark.parametrize("module", MODULES)
def test_the_portable_build_runs_on_every_x86_64_processor(module: str) -> None:
    assert not instructions(module)


@needs_objdump
@pytest.mark.skipif(not cpu.has_x86_64_v3(), reason="there is no second build, or none that runs here")
def test_the_second_build_has_the_newer_instructions() -> None:
    assert instructions("solver_v3") > Counter({"pdep": 1, "pext": 1})
