"""The command line: `courtpiece COMMAND`, one module a command.

Only here is an error printed and turned into an exit status: 0 done, 1 an answer of "no" (a record that
breaks a rule, a folder that fails its checks), 2 a mistake of the user's, 130 stopped with Ctrl-C; a run ends
with 143 by SIGTERM and 129 by SIGHUP, too.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from courtpiece.errors import CourtpieceError, RulesError, one_line, reason

MISTAKE = 2
STOPPED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command that the arguments name, by default those of the process; returns the exit status."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    _prepare_streams()
    try:
        from courtpiece.cli.app import run

        status = run(given)
        sys.stdout.flush()
    except CourtpieceError as error:
        for line in complaint(error):
            print(line, file=sys.stderr)
        return MISTAKE
    except KeyboardInterrupt:
        return STOPPED
    except MemoryError:
        print("courtpiece: there is not enough memory; what is done is kept; fewer --jobs and a smaller "
              "--chunk in another folder take less", file=sys.stderr)
        return MISTAKE
    except BrokenPipeError:
        _let_go_of_the_output()         # whoever read it has gone
        return 1
    except OSError as error:            # of a file that was open already, or of the output: a full disk
        where = f"{error.filename}: " if error.filename else "reading or writing failed: "
        print(f"courtpiece: {one_line(where + reason(error))}", file=sys.stderr)
        _let_go_of_the_output()
        return MISTAKE
    return status


def _prepare_streams() -> None:
    """Gives a process that was started without standard input, output or errors an empty one.

    What a terminal's encoding does not have, such as ♠, is written as a question mark.
    """
    nothing = Path(os.devnull)
    sys.stdin = sys.stdin or nothing.open(encoding="utf-8")
    sys.stdout = sys.stdout or nothing.open("w", encoding="utf-8")
    sys.stderr = sys.stderr or nothing.open("w", encoding="utf-8")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="replace")


def _let_go_of_the_output() -> None:
    """Keeps the interpreter from failing again when it flushes at exit what could not be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def complaint(error: CourtpieceError) -> list[str]:
    """Returns the lines that tell a user what is wrong: one, or one for each reason against a rule set."""
    if isinstance(error, RulesError) and len(error.reasons) > 1:
        subject = error.source or "these rules"
        return [
            f"courtpiece: {subject}: {len(error.reasons)} things are wrong",
            *(f"  {one_line(why)}" for why in error.reasons),
        ]
    return [f"courtpiece: {one_line(str(error))}"]
