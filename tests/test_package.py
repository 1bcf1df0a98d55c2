"""What a user meets at the top of the package."""

from __future__ import annotations

import subprocess
import sys

import courtpiece


def test_every_public_name_can_be_had_and_is_listed() -> None:
    for name in courtpiece.__all__:
        assert getattr(courtpiece, name) is not None
        assert name in dir(courtpiece)


def test_functions_stay_functions_when_the_modules_of_their_names_are_imported() -> None:
    code = (
        "import courtpiece, courtpiece.rules, courtpiece.run; from courtpiece.rules import RuleSet; "
        "print(callable(courtpiece.rules), callable(courtpiece.run), courtpiece.rules('hakim').target)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True True 7\n"


def test_an_unknown_name_is_an_attribute_error() -> None:
    assert not hasattr(courtpiece, "no_such_thing")
