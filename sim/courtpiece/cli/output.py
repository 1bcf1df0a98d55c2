"""What is written to a terminal: nothing that a user named can move its cursor, colour it, or hide in it.

Names of files, folders, players and deals come from anywhere.  Whatever is not to be seen in them stands as
Python would write it; the colours and lines of tables are rich's own.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from math import isfinite
from typing import TYPE_CHECKING, Any, TextIO

from courtpiece.errors import printable

if TYPE_CHECKING:
    from rich.console import Console


def say(text: object, file: TextIO | None = None) -> None:
    """Prints one line."""
    print(printable(str(text)), file=file or sys.stdout, flush=file is not None)


def print_json(value: Any, *, flush: bool = False) -> None:
    """Prints a value as one line of JSON, its letters as they are where they are to be seen.

    What is not known, no number or an endless one, is null: JSON has no word for it.
    """
    text = json.dumps(_known(value), ensure_ascii=False, allow_nan=False)
    if not text.isprintable():
        text = "".join(letter if letter.isprintable() else json.dumps(letter)[1:-1] for letter in text)
    print(text, flush=flush)


def _known(value: Any) -> Any:
    if isinstance(value, float) and not isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: _known(part) for key, part in value.items()}
    return list(map(_known, value)) if isinstance(value, (list, tuple)) else value


def console(**options: Any) -> Console:
    """Returns a console of rich's that shows control characters instead of obeying them."""
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.segment import Segment

    class Guarded(Console):
        def render(
            self, renderable: RenderableType, options: ConsoleOptions | None = None
        ) -> Iterable[Segment]:
            for segment in super().render(renderable, options):
                text, style, control = segment
                if control or text == "\n" or text.isprintable():
                    yield segment
                else:
                    yield Segment("\n".join(map(printable, text.split("\n"))), style)

    return Guarded(**{"highlight": False, **options})
