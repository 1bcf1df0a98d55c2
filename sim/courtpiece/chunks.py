"""What a worker does: it plays a chunk, leaves out the units in which a player fails, and writes the rest."""

from __future__ import annotations

import os
import threading
import time
import traceback
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from courtpiece.design import Plan, design_of
from courtpiece.errors import CourtpieceError, PlayerError, RunError, one_line
from courtpiece.patience import patience
from courtpiece.signals import Halt, left_to_the_parent
from courtpiece.store import Folder, LeftOut
from courtpiece.studies.study import Parameters, Study, counted, schema

if TYPE_CHECKING:
    import polars as pl

_UNFIT = 70                             # how a worker ends that is in no state to go on
_MOST_LEFT_OUT = 10, 0.01               # units, and the share of all, that may be left out
_is_worker = False


class Done(NamedTuple):
    """A chunk that is on disk, by its number, and the units left out of it."""

    chunk: int
    left_out: tuple[LeftOut, ...]


@dataclass(frozen=True)
class Task:
    """One chunk to play and to write, wherever joblib puts it."""

    study: Study[Any]
    p: Parameters
    folder: Folder
    behaviour: str                      # of the package that hands it out
    index: int
    start: int
    stop: int
    patience: float

    def play(self, halt: Halt) -> Done | Exception | None:
        """Plays the chunk, writes it, and returns what was done, or what went wrong.

        Returns None when nothing more is to be begun.
        """
        if halt.now:
            return None
        try:
            design = design_of(self.study, self.p, Plan(units=self.stop, chunk=self.stop))
            if design.behaviour != self.behaviour:
                raise RunError(f"a worker's package gives other results ({design.behaviour}) than this one "
                               f"({self.behaviour}): install the same version everywhere")
            with patience(self.patience):
                rows, left_out = played(self.study, self.p, self.start, self.stop)
            columns = self.study.columns(self.p)
            self.folder.write_shard(design, columns, self.index, self.start, self.stop, rows, left_out)
        except Exception as error:
            halt.now = True
            if not isinstance(error, CourtpieceError):      # another process would lose where it was raised
                error.add_note(f"in {self.study.name}, units {self.start} to {self.stop - 1}:\n"
                               f"{traceback.format_exc()}")
            return error
        except BaseException:           # what libraries panic with when a player closed their files
            if _is_worker and self.p.foreign_players:
                os._exit(_UNFIT)
            raise
        return Done(self.index, left_out)


def played(
    study: Study[Any], p: Parameters, start: int, stop: int
) -> tuple[pl.DataFrame, tuple[LeftOut, ...]]:
    """Returns the results of units start to stop-1, and which of them were left out.

    A unit in which a player in Python raises an error, breaks a rule, or thinks too long is left out: the
    units before and after it are played without it.  Raises PlayerError when that happens to too many.
    """
    import polars as pl

    waiting, parts, left_out = [(start, stop)], [], []
    while waiting:
        first, after = waiting.pop()
        try:
            parts.append(study.chunk(p, first, after))
        except PlayerError as error:
            if after - first == 1:
                left_out.append(LeftOut(first, one_line(str(error))))
                check_left_out(left_out, stop - start, study.extent_of(p))
            else:
                waiting += reversed(_around(error.deal, first, after))
    rows = pl.concat(parts) if parts else pl.DataFrame(schema=schema(study.columns(p)))
    return rows, tuple(left_out)


def _around(deal: int | None, first: int, after: int) -> list[tuple[int, int]]:
    """Returns ranges of units, of which one is the deal, where it can be a unit, or halves."""
    if deal is None or not first <= deal < after:
        deal = (first + after) // 2
        return [(first, deal), (deal, after)]
    ranges = [(first, deal), (deal, deal + 1), (deal + 1, after)]
    return [(one, other) for one, other in ranges if one < other]


def check_left_out(left_out: Collection[LeftOut], units: int, unit: str) -> None:
    """Raises PlayerError when too many of some units are left out for the others to tell much."""
    least, share = _MOST_LEFT_OUT
    if len(left_out) > max(least, share * units):
        first = next(iter(left_out))
        raise PlayerError(f"{first.why}; and so in {len(left_out)} of {counted(units, unit)}, which are too "
                          "many to be left out")


# --- what becomes of workers -------------------------------------------------------------------------


Outcome = Done | Exception | str | None     # of a task, or a word to a person who watches


class WorkersLostError(Exception):
    """Workers ended without a word; what they were at is to be done again."""

    @property
    def by_memory(self) -> bool:
        """True when too little memory may be why: the system kills for that, dask does, and polars aborts."""
        return any(word in str(self) for word in ("SIGKILL", "SIGABRT", "memory", "workers died"))


def first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def begin_worker(parent: int) -> None:
    """Leaves Ctrl-C and the like to the parent, and makes a worker process end soon after its parent, which
    may be killed without a word to it, and soon after its work, whatever threads a player left in it."""
    global _is_worker
    _is_worker = True
    left_to_the_parent()

    def watch() -> None:
        while os.getppid() == parent and threading.main_thread().is_alive():
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
