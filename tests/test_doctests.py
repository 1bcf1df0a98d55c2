"""The examples in the docstrings of every module say what really comes back."""

from __future__ import annotations

import doctest
import pkgutil
from collections.abc import Iterator
from importlib import import_module

import pytest

import courtpiece

FEWEST_FILES = 10                     # so that a walk that finds nothing cannot pass


def examples() -> Iterator[doctest.DocTest]:
    """Yields every docstring of the package that holds an example."""
    finder = doctest.DocTestFinder(exclude_empty=True)
    for module in pkgutil.walk_packages(courtpiece.__path__, "courtpiece."):
        if not module.name.startswith("courtpiece._kernel."):
            yield from filter(lambda test: test.examples, finder.find(import_module(module.name)))
    yield from filter(lambda test: test.examples, finder.find(courtpiece))


EXAMPLES = list(examples())


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_the_example_says_what_comes_back(example: doctest.DocTest) -> None:
    told: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example, out=told.append)
    assert not told, "".join(told)


def test_examples_are_found_in_many_files() -> None:
    assert len({example.filename for example in EXAMPLES}) >= FEWEST_FILES
