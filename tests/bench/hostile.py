"""Processor time and memory that a megabyte of hostile input costs each parser, the worst of several shapes.

    python -m tests.bench.hostile [--megabytes 1 4] [--every]

The parsers are those of tests/fuzz, and each input is read in a process of its own.  Where seconds a megabyte
grow with the megabytes, a parser is slower than linear.
"""

from __future__ import annotations

import argparse
import io
import os
from collections.abc import Callable, Sequence
from resource import RLIMIT_CPU, setrlimit

from courtpiece.record import LONGEST_LINE, answers
from tests.fuzz import cards, pbn, rules, studies
from tests.fuzz.campaign import HERE, Parser, holds

LONGEST = 300                           # seconds of processor time for one input

Shape = Callable[[int], str]            # of so many bytes


def run(piece: str, before: str = "", after: str = "") -> Shape:
    return lambda size: before + piece * (size // len(piece.encode())) + after


def nested(opening: str, closing: str, before: str = "") -> Shape:
    return lambda size: before + run(opening)(size // 2) + run(closing)(size // 2)


def numbered(piece: str, before: str = "", after: str = "") -> Shape:
    """Returns pieces that tell their numbers, such as names that are all different."""
    return lambda size: before + "".join(map(piece.format, range(size // len(piece.format(10**5))))) + after


def records(data: bytes) -> object:
    return list(answers(io.BytesIO(data)))


COMMON = {
    "letters": run("a"), "spaces": run(" "), "commas": run(","), "equals": run("="), "dots": run("."),
    "colons": run(":"), "digits": run("9"), "lines": run("\n"), "escapes": run("\x1b"), "bars": run("|"),
    "brackets": nested("[", "]"), "braces": nested("{", "}"),
}
DEAL = "AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432"
RECORD = (HERE / "corpus/records/plain").read_text(encoding="utf-8").strip()

# By the row of docs/robustness.md: the parser, first bytes that say what is read, and shapes of its own.
INPUTS: dict[str, tuple[Parser, Sequence[str], dict[str, Shape]]] = {
    "cards": (cards.parse, ("h", "5", "c", "s", "w"), {
        "cards": run("AS "), "signs": run("10♥ "), "suits": run("AK5.2.9. "), "calls": run("S\n")}),
    # The length of a file chooses what is asked of its deals.
    "PBN, files of deals": (pbn.parse, ("", "f", "f\n", "f\n\n", "f\n\n\n"), {
        "deals": run(f"{DEAL} S\n"), "PBN": run(f"N:{DEAL}\n"), "hand": run("AK."), "hands": run("AK.2.3 ")}),
    "rules as a line": (rules.parse, ("l",), {
        "presets": run("single-sir,"), "options": run("streak=7,"), "keys": numbered("k{}=1,"),
        "values": numbered("streak={},"), "list": run("12,", "pile_blocks=[", "]"),
        "deep": nested("[", "]", "pile_blocks=")}),
    "rules as TOML": (rules.parse, ("f",), {
        "keys": numbered("k{} = 1\n"), "headers": numbered("[t{}]\n"), "tables": numbered("[[t.a{}]]\n"),
        "arrays": nested("[", "]", "a = "), "inline": run("{a=", "a = "), "dotted": run("a.", "", "a = 1"),
        "dotted keys": numbered(f"k{{}}{'.a' * 150} = 1\n"), "list": run("12,", "pile_blocks = [", "]"),
        "some dots": lambda size: run("a.b = 1\n")(40_000) + run("#")(size - 40_000),
        "text": run("a", 'a = "', '"'), "comment": run("#"), "number": run("9", "streak = ")}),
    "players": (studies.parse, ("p", "1"), {
        "names": run("greedy,"), "words": run("greedy "), "options": run("worlds=20:", "pimc:"),
        "keys": numbered("k{}=1:", "pimc:"), "number": run("9", "pimc:worlds=")}),
    "records": (records, ("",), {
        "objects": run("{}\n"), "keys": numbered('"k{}":1,', "{", '"a":1}'), "lists": run("[],", "[", "[]]"),
        "deep": run('{"a":'), "text": run("a", '{"id":"', '"}'), "number": run("9", '{"id":', "}"),
        "good": run(f"{RECORD}\n")}),
}


def cost(parse: Parser, text: str) -> tuple[float, float, bool]:
    """Returns seconds of processor time and megabytes that a process needs to read a text; and if it can."""
    reader, data = os.fork(), text.encode()
    if not reader:
        setrlimit(RLIMIT_CPU, (LONGEST, LONGEST))
        try:
            holds(parse, data)
            os._exit(0)
        finally:
            os._exit(1)
    _, status, used = os.wait4(reader, 0)
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, status == 0


def main() -> None:
    """Prints rows for each row of docs/robustness.md, in its order."""
    parser = argparse.ArgumentParser(description="What a megabyte of hostile input costs.")
    parser.add_argument("--megabytes", type=int, nargs="+", default=[1, 4])
    parser.add_argument("--every", action="store_true", help="tell of every input, not of the worst alone")
    asked = parser.parse_args()
    print(f"{'input':20}{'MB':>4}{'s/MB':>7}{'peak MB':>9}  what takes longest")
    for row, (parse, kinds, more) in INPUTS.items():
        for size in asked.megabytes:
            found = sorted(
                (*cost(parse, kind + shape(size * 10**6 - len(kind))), f"{kind!r} {name}")
                for kind in kinds for name, shape in (COMMON | more).items()
            )
            most = max(memory for _, memory, *_ in found)
            print(f"{row:20}{size:4}{found[-1][0] / size:7.2f}{most:9.0f}  {found[-1][-1]}", flush=True)
            for seconds, memory, sound, name in found:
                if asked.every or not sound:
                    print(f"{seconds / size:31.2f}{memory:9.0f}  {name}{': FAILS' * (not sound)}", flush=True)
    line = run("[],", "[", "[]]")(LONGEST_LINE - 100)
    print(f"a record of {len(line) / 1e6:.0f} MB of empty lists: {cost(records, line)[1]:.0f} MB")


if __name__ == "__main__":
    main()
