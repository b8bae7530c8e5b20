"""A process's threads that come to be in torch: they end before it does, where they can."""

from __future__ import annotations

import threading
from time import monotonic
from weakref import WeakSet


class ThreadGroup:
    """Those of one session.

    A thread that comes out of torch's C++ while the interpreter ends aborts the process: CPython
    ends it there, by unwinding what may not be unwound.
    """

    def __init__(self) -> None:
        self._threads: WeakSet[threading.Thread] = WeakSet()

    def start(self, thread: threading.Thread) -> None:
        """Starts one."""
        self._threads.add(thread)
        thread.start()

    def join(self, *, timeout_s: float) -> None:
        """Waits until all have ended, who have been told to, or so long at most."""
        until_s = monotonic() + timeout_s
        for each in list(self._threads):
            each.join(max(0.0, until_s - monotonic()))
