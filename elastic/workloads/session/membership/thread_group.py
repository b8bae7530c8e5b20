"""A process's threads that call torch: they end before the process does, if they can."""

from __future__ import annotations

import threading
from time import monotonic
from weakref import WeakSet


class ThreadGroup:
    """The threads of one session.

    A thread that returns from torch's C++ while the interpreter ends aborts the process. CPython
    ends such a thread by unwinding its stack, and torch's must not be unwound.
    """

    def __init__(self) -> None:
        self._threads: WeakSet[threading.Thread] = WeakSet()

    def start(self, thread: threading.Thread) -> None:
        """Starts a thread."""
        self._threads.add(thread)
        thread.start()

    def join(self, *, timeout_s: float) -> None:
        """Waits until all threads have ended, for at most `timeout_s`. They must have been told to
        end."""
        until_s = monotonic() + timeout_s
        for each in list(self._threads):
            each.join(max(0.0, until_s - monotonic()))
