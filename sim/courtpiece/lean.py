"""Has dask forget what it has done: `dask scheduler --preload courtpiece.lean`, and workers likewise.

As it comes, a scheduler keeps some memory of every task for good (in what it calls spans), the names of the
last 100,000, and of each worker the last 1,000 messages.  A run needs none of that.
"""

from __future__ import annotations

from typing import Any

import dask
from dask.utils import key_split
from tornado.ioloop import PeriodicCallback

_MESSAGES = 10
_SECONDS = 60.0

dask.config.set({"distributed.admin.low-level-log-length": _MESSAGES})


def dask_setup(server: Any) -> None:
    """Is called by dask when a scheduler or a worker starts."""
    server.extensions.pop("spans", None)
    PeriodicCallback(key_split.cache_clear, _SECONDS * 1000).start()
