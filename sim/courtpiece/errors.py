"""Every error a user of the package can cause, by meaning.

Each error is one line that says what is wrong and what would be right.  Only the command line prints
or exits.  All of them survive pickling, because workers hand them back to the process that shows them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from courtpiece.cards import Card


class CourtpieceError(Exception):
    """The base of all errors that are a user's to put right."""


MOST_REASONS = 40                       # against one rule set; more than there are options


class RulesError(CourtpieceError):
    """A rule set that cannot be: every reason at once, in `reasons`; `source` names the file, if any."""

    def __init__(self, reasons: Iterable[str], source: str = "") -> None:
        self.reasons = tuple(reasons)
        self.source = source
        super().__init__(self.reasons, source)  # what pickle hands to __init__ again

    def __str__(self) -> str:
        prefix = f"{self.source}: " if self.source else ""
        return prefix + "; ".join(self.reasons)


class CardError(CourtpieceError):
    """A card, a hand or a set of cards that cannot be."""


class RecordError(CourtpieceError):
    """A deal, or the record of one, that breaks a rule.

    `code` is one of the error codes of the deal record; `seat` (a number in the order of play, or a
    letter), `trick` (from 1) and `card` tell where, as far as a card or a reveal caused it.
    """

    def __init__(
        self,
        code: str,
        message: str,
        seat: int | str | None = None,
        trick: int | None = None,
        card: Card | str | None = None,
    ) -> None:
        self.code = code
        self.message = message
        self.seat = seat
        self.trick = trick
        self.card = card
        super().__init__(code, message, seat, trick, card)

    def __str__(self) -> str:
        return self.message


class PlayerError(CourtpieceError):
    """A player in Python that did what the rules forbid, raised an error, or did not decide in time.

    `deal` is the number of the deal, where there is one.
    """

    def __init__(self, message: str, deal: int | None = None) -> None:
        self.deal = deal
        super().__init__(message, deal)

    def __str__(self) -> str:
        return str(self.args[0])


class RunError(CourtpieceError):
    """A run's folder that is not one, holds another design, or is damaged."""


class UsageError(CourtpieceError):
    """Anything else that a user asked for and cannot have."""


def reason(error: OSError) -> str:
    """Returns why the operating system refused, as `no such file or directory`."""
    return (error.strerror or str(error)).lower()


def raised(error: BaseException) -> str:
    """Returns what code that is not ours raised, and where: `ValueError: no (mine.py, line 3)`."""
    import traceback  # only on the way to an error

    text = told(error)
    what = f"{type(error).__name__}: {text}" if text else type(error).__name__
    if isinstance(error, SyntaxError):  # which tells its place itself
        return what
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{what} ({last.filename}, line {last.lineno})"


def told(value: object) -> str:
    """Returns the text of an object whose class is not ours and may fail at that."""
    try:
        return str(value)
    except Exception:
        return f"a {type(value).__name__} without a text"


_LONGEST_WORD = 300                     # longer than a path that anybody types
_LONGEST_LINE = 2000                    # longer than any message of ours that quotes a few of them
_LONGEST_MISSPELT = 60                  # longer than any name that there is


def printable(text: str) -> str:
    r"""Returns a text in which what is not to be seen stands as Python would write it.

    Control characters move a terminal's cursor or change its colours; marks of direction turn words round.

    >>> print(printable("\x1b[31mred\u202e"))
    \x1b[31mred\u202e
    """
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)


def one_line(message: str) -> str:
    r"""Returns a message as one line of moderate length, whatever a user wrote that is quoted in it.

    >>> print(one_line("no card A\nS"))
    no card A\nS
    """
    if len(message) <= _LONGEST_WORD and message.isprintable():
        return message
    line = " ".join(map(_short, message.split(" ")))
    if len(line) <= _LONGEST_LINE:
        return line
    return f"{line[: _LONGEST_LINE // 2]} … {line[-_LONGEST_LINE // 2 :]}"


def _short(word: str) -> str:
    shown = printable(word[: _LONGEST_WORD + 1])        # of a megabyte no more is looked at
    return shown if len(shown) <= _LONGEST_WORD else shown[:_LONGEST_WORD] + "…"


def suggest(word: str, known: Iterable[str]) -> str:
    """Returns ` (did you mean "x"?)` for the known word nearest to `word`, or "" when none is near.

    >>> suggest("colection", ["collection", "objective"])
    ' (did you mean "collection"?)'
    """
    import difflib  # only on the way to an error

    if len(word) > _LONGEST_MISSPELT:
        return ""
    spelled = {name.lower(): name for name in known}
    near = difflib.get_close_matches(word.strip().lower().replace(" ", "-"), spelled, n=1)
    return f' (did you mean "{spelled[near[0]]}"?)' if near else ""


def how_to_install(extra: str) -> str:
    """Returns how to get what an extra of this package brings.

    >>> how_to_install("lab")
    "pip install '.[lab]' in a clone of courtpiece"
    """
    return f"pip install '.[{extra}]' in a clone of courtpiece"
