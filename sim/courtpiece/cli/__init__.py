"""The command line: `courtpiece COMMAND`, one module a command.

Only here is an error printed and turned into an exit status: 0 done, 1 an answer of "no" (a record that
breaks a rule, a folder that fails its checks), 2 a mistake of the user's, 130 stopped with Ctrl-C.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from courtpiece.errors import CourtpieceError, RulesError

MISTAKE = 2
STOPPED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command that the arguments name, by default those of the process; returns the exit status."""
    given = sys.argv[1:] if arguments is None else list(arguments)
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
    except BrokenPipeError:
        # Whoever read the output has gone.  The interpreter must not fail again when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return status


def complaint(error: CourtpieceError) -> list[str]:
    """Returns the lines that tell a user what is wrong: one, or one for each reason against a rule set."""
    if isinstance(error, RulesError) and len(error.reasons) > 1:
        subject = error.source or "these rules"
        return [
            f"courtpiece: {subject}: {len(error.reasons)} things are wrong",
            *(f"  {why}" for why in error.reasons),
        ]
    return [f"courtpiece: {error}"]
