"""Two players against each other, from Python."""

from __future__ import annotations

import os
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any
from weakref import finalize

from courtpiece.players.player import Player
from courtpiece.results import Run
from courtpiece.run import Watch, run
from courtpiece.studies.duel import Duel, DuelParameters


def duel(
    us: str | Player,
    them: str | Player = "greedy",
    *,
    out: str | os.PathLike[str] | None = None,
    jobs: int | None = 1,
    watch: Watch | None = None,
    **parameters: Any,
) -> Run:
    """Returns the run of a duel between two players, each named by text or given as it is.

    `out` is the folder to keep it in; without one it is gone when the run is forgotten.  All else are the
    parameters of the study `duel`: rules, deals or matches, seed, precision, decide and so on.  A run of a
    player that was given as it is can be looked at, but not opened again later, as only its class knows it.
    """
    study = Duel()
    wanted: DuelParameters = study.parameters({"us": us, "them": them, **parameters})
    temporary = mkdtemp(prefix="courtpiece-duel-") if out is None else None
    folder = out if temporary is None else f"{temporary}/run"
    done = run(study, out=folder, jobs=jobs, watch=watch, us=wanted.us, them=wanted.them, **parameters)
    done.parameters = wanted            # from the folder they could not be told: no text names a given player
    if temporary is not None:
        finalize(done, rmtree, temporary, ignore_errors=True)
    return done
