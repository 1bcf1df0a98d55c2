"""Limits for code that is not ours, of players in Python: the time it takes, and what it changes.

In a process's main thread an alarm of the operating system ends whatever Python code does, waiting included.
In other threads, as dask's workers have, an exception is sent, which ends what computes in Python but cannot
end a wait inside a call of the operating system.
"""

from __future__ import annotations

import ctypes
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from types import FrameType

from courtpiece.errors import PlayerError, UsageError, raised

_AGAIN = 1.0                            # seconds until an alarm rings again that was lost, as in a finalizer
_FOR_EVER = 1e9                         # seconds, which every system can count to
_TICK = 0.1                             # seconds between two looks at the threads

_limit: ContextVar[float | None] = ContextVar("patience", default=None)


class OutOfTime(BaseException):         # no Exception, which a player may well catch and go on
    """A decision took too long; `str` tells how long it may take."""

    def __str__(self) -> str:
        return f"{_limit.get():g} s"


def check_patience(seconds: float) -> None:
    """Raises UsageError for a number of seconds in which nobody can decide."""
    if not seconds > 0:
        raise UsageError(f"patience: must be above 0, not {seconds:g}")


@contextmanager
def patience(seconds: float) -> Iterator[None]:
    """Gives each decision in the body so many seconds; see `limited`."""
    token = _limit.set(seconds)
    before = signal.getsignal(signal.SIGALRM) if _has_alarm() else None
    try:
        _open_streams()
        with staying():
            yield
    finally:
        if before is not None:
            signal.signal(signal.SIGALRM, before)
        _limit.reset(token)


@contextmanager
def staying() -> Iterator[None]:
    """Takes the process back to the folder it is in, wherever the body led it: paths are told from there."""
    here = None
    with suppress(OSError):             # a folder that is no more
        here = os.getcwd()              # noqa: PTH109
    try:
        yield
    finally:
        if here is not None:
            with suppress(OSError):
                os.chdir(here)


@contextmanager
def answering() -> Iterator[None]:
    """Raises PlayerError for whatever a player does in the body instead of coming to its end in time.

    A Ctrl-C is none of that; it comes to main threads alone, and worker processes heed none, so that what
    looks like one there is the player's.
    A copy of this process that the player made by a fork ends with the body, or it would play on as well.
    """
    process = os.getpid()
    try:
        with limited():
            yield
    except OutOfTime as error:
        raise PlayerError(f"did not decide within {error}") from None
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt) and _heeds_ctrl_c():
            raise
        raise PlayerError(f"raised {raised(error)}") from error
    else:
        if _limit.get() is not None and _open_streams():
            raise PlayerError("closed the input, output or errors of its process")
    finally:
        if os.getpid() != process:
            os._exit(0)


def _heeds_ctrl_c() -> bool:
    return _in_main_thread() and signal.getsignal(signal.SIGINT) != signal.SIG_IGN


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


def _open_streams() -> bool:
    """Opens those of the process's three streams that are closed, to nowhere; False when none is.

    What is opened next would take their numbers, and be what else closes a stream once more.
    """
    closed = False
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            closed = True
            nowhere = os.open(os.devnull, os.O_RDWR)
            if nowhere != number:
                os.dup2(nowhere, number)
                os.close(nowhere)
    return closed


@contextmanager
def limited() -> Iterator[None]:
    """Raises OutOfTime in the body when it takes longer than the patience there is, if there is a limit."""
    seconds = _limit.get()
    if seconds is None:
        yield
    elif _has_alarm():
        signal.signal(signal.SIGALRM, _ring)    # anew, as a player may have handled it in another way
        signal.setitimer(signal.ITIMER_REAL, min(seconds, _FOR_EVER), _AGAIN)
        try:
            yield
        finally:
            _silence()
    else:
        thread = threading.get_ident()
        _watchdog.begin(thread, seconds)
        try:
            yield
        finally:
            _watchdog.end(thread)


def _has_alarm() -> bool:
    return hasattr(signal, "SIGALRM") and _in_main_thread()


def _silence() -> None:
    while True:
        with suppress(OutOfTime):       # which may still ring until the alarm is off
            signal.setitimer(signal.ITIMER_REAL, 0)
            return


def _ring(number: int, frame: FrameType | None) -> None:
    raise OutOfTime


class _Watchdog:
    """Sends OutOfTime to threads whose time is over."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._deadlines: dict[int, float] = {}
        self._thread: threading.Thread | None = None

    def begin(self, thread: int, seconds: float) -> None:
        with self._lock:
            self._deadlines[thread] = time.monotonic() + seconds
            if self._thread is None:
                self._thread = threading.Thread(target=self._watch, daemon=True)
                self._thread.start()

    def end(self, thread: int) -> None:
        with self._lock:
            if self._deadlines.pop(thread, None) is None:   # sent, and perhaps not yet arrived
                _send(thread, None)

    def _watch(self) -> None:
        while True:
            time.sleep(_TICK)
            now = time.monotonic()
            with self._lock:
                for thread in [thread for thread, deadline in self._deadlines.items() if now > deadline]:
                    del self._deadlines[thread]
                    _send(thread, OutOfTime)


def _send(thread: int, exception: type[BaseException] | None) -> None:
    what = ctypes.py_object(exception) if exception else None
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), what)


_watchdog = _Watchdog()
