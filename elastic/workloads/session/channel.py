"""A connection between two members that several threads of one process use."""

from __future__ import annotations

import select
import ssl
import threading

from elastic.figures import duration


class Channel:
    """A proven connection that one thread writes, and any may read.

    OpenSSL does one of both at a time, so nothing here waits with the lock held.
    """

    def __init__(self, connection: ssl.SSLSocket, *, timeout_s: float) -> None:
        """`timeout_s` is how long a call waits for anything to go or to come."""
        connection.setblocking(False)
        self._connection = connection
        self._timeout_s = timeout_s
        self._lock = threading.Lock()

    def send(self, content: memoryview) -> int:
        """Sends some of the content, and returns how many bytes. Raises OSError."""
        while True:
            try:
                with self._lock:
                    return self._connection.send(content)
            except ssl.SSLWantWriteError:
                awaited = select.POLLOUT
            except ssl.SSLWantReadError:
                awaited = select.POLLIN
            if not self._is_ready(awaited):
                raise TimeoutError(f"nothing went for {duration(self._timeout_s)}")

    def received(self) -> bytes | None:
        """All that has come; None if nothing has, and nothing at all once it has ended."""
        found = b""
        try:
            with self._lock:
                # OpenSSL gives one record at a time, and an answer is one.
                while piece := self._connection.recv(65536):
                    found += piece
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            return found or None
        except OSError:
            return found
        return found

    def has_come(self) -> bool:
        """Waits until something has come, or the time is over; returns whether it has."""
        return self._is_ready(select.POLLIN)

    def _is_ready(self, events: int) -> bool:
        poll = select.poll()
        poll.register(self._connection, events)
        return bool(poll.poll(1000.0 * self._timeout_s))
