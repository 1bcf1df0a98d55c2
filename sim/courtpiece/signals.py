"""Being asked to end: by Ctrl-C, or by what a batch system or a lost terminal sends before all is killed."""

from __future__ import annotations

import queue
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
_WORD = "stopping when the chunks under way are done; a second signal ends at once"


class Stopped(KeyboardInterrupt):
    """The process was asked to end, by the signal of this `number`."""

    def __init__(self, number: int) -> None:
        self.number = number
        super().__init__(number)


class Halt:
    """Says to begin no more chunks; each worker process has a copy of its own."""

    now = False
    by: int = signal.SIGINT             # which signal said so, if one did


@contextmanager
def heard() -> Iterator[None]:
    """Raises Stopped in the body for each of the signals, unless somebody else handles it."""
    with _handled(_stop):
        yield


@contextmanager
def stoppable(halt: Halt, say: Callable[[str], object]) -> Iterator[None]:
    """Makes a signal wait for the chunks under way, which is said; a second one does not wait.

    An exception that a signal raises in the middle of anything could be lost in a callback, or lose a
    chunk that is nearly written.  Where somebody else handles a signal it is left to him.
    """
    asked: queue.SimpleQueue[bool] = queue.SimpleQueue()    # made to be put to in the middle of anything

    def stop(number: int, frame: FrameType | None) -> None:
        if halt.now:
            _stop(number, frame)
        halt.now, halt.by = True, number
        asked.put(True)

    def tell() -> None:
        if asked.get():
            say(_WORD)

    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    _let_polars_be_first()
    try:
        with _handled(stop):
            yield
    finally:
        asked.put(False)
        teller.join()


@contextmanager
def hang_up_held_back() -> Iterator[None]:
    """Keeps from threads and processes that begin meanwhile what a lost terminal sends to all.

    The trackers of resources, of joblib and of Python, have to live until the work has ended, and heed only
    that one of the signals.
    """
    if not hasattr(signal, "SIGHUP"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGHUP})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def left_to_the_parent() -> None:
    """Leaves the signals to the process that started this one; programs started from here heed them."""
    _let_polars_be_first()
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN if number == signal.SIGINT else lambda *_: None)
    if hasattr(signal, "SIGHUP"):       # held back when this process began
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGHUP})


def _let_polars_be_first() -> None:
    """Has polars take SIGINT, as it does when it is imported, before it is taken from it: else each Ctrl-C in
    the middle of its work ends that work."""
    import polars  # noqa: F401


def _stop(number: int, frame: FrameType | None) -> None:
    raise Stopped(number)


@contextmanager
def _handled(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Gives the signals that nobody handles a handler, in the main thread."""
    before = {}
    if threading.current_thread() is threading.main_thread():
        unhandled = (signal.default_int_handler, signal.SIG_DFL, _stop)
        before = {number: now for number in SIGNALS if (now := signal.getsignal(number)) in unhandled}
    for number in before:
        signal.signal(number, handler)
    try:
        yield
    finally:
        for number, now in before.items():
            signal.signal(number, now)
