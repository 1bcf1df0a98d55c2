"""A time limit for code that is not ours: a decision of a player in Python.

In a process's main thread an alarm of the operating system ends whatever Python code does, waiting included.
In other threads, as dask's workers have, an exception is sent, which ends what computes in Python but cannot
end a wait inside a call of the operating system.
"""

from __future__ import annotations

import ctypes
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import FrameType

_TICK = 0.1                             # seconds between two looks at the threads

_limit: ContextVar[float | None] = ContextVar("patience", default=None)


class OutOfTime(BaseException):         # no Exception, which a player may well catch and go on
    """A decision took too long; `str` tells how long it may take."""

    def __str__(self) -> str:
        return f"{_limit.get():g} s"


@contextmanager
def patience(seconds: float) -> Iterator[None]:
    """Gives each decision in the body so many seconds; see `limited`."""
    token = _limit.set(seconds)
    try:
        if not _has_alarm():
            yield
            return
        before = signal.signal(signal.SIGALRM, _ring)
        try:
            yield
        finally:
            signal.signal(signal.SIGALRM, before)
    finally:
        _limit.reset(token)


@contextmanager
def limited() -> Iterator[None]:
    """Raises OutOfTime in the body when it takes longer than the patience there is, if there is a limit."""
    seconds = _limit.get()
    if seconds is None:
        yield
    elif _has_alarm():
        signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    else:
        thread = threading.get_ident()
        _watchdog.begin(thread, seconds)
        try:
            yield
        finally:
            _watchdog.end(thread)


def _has_alarm() -> bool:
    return hasattr(signal, "SIGALRM") and threading.current_thread() is threading.main_thread()


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
