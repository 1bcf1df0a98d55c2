"""Draws the figures of the README from a run, by default the one of `make study`.

    python docs/figures/draw.py [DIR]
"""

import sys
from html import escape
from pathlib import Path

from courtpiece.results import Run

SHOWN = ("win-by-holding",)


def draw(run: Run) -> None:
    """Writes the figures beside this file, on white, each telling which run it shows."""
    for figure in run.plot():
        if figure.name in SHOWN:
            head, body = figure.svg().split(">", 1)
            origin = escape(f"{run.design.behaviour}: {run.design.command}")
            page = f'{head}><desc>{origin}</desc><rect width="100%" height="100%" fill="white"/>{body}'
            Path(__file__).with_name(f"{figure.name}.svg").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    draw(Run.open(sys.argv[1] if sys.argv[1:] else "results/trump-call"))
