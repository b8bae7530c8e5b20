"""A connection between two members that several threads of one process use."""

from __future__ import annotations

import select
import ssl
import threading

from elastic.figures import duration


class Channel:
    """An authenticated connection that one thread writes, and any thread may read.

    OpenSSL reads or writes, one at a time. So nothing here waits while it holds the lock.
    """

    def __init__(self, connection: ssl.SSLSocket, *, timeout_s: float) -> None:
        """`timeout_s` is how many seconds a call waits for anything to be sent or received."""
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
                raise TimeoutError(f"nothing could be sent for {duration(self._timeout_s)}")

    def received(self) -> bytes | None:
        """All that has arrived: None if nothing has, b"" once the connection has ended."""
        found = b""
        try:
            with self._lock:
                # OpenSSL returns one record at a time, and each answer is one record.
                while piece := self._connection.recv(65536):
                    found += piece
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            return found or None
        except OSError:
            return found
        return found

    def has_come(self) -> bool:
        """Waits until something has arrived; False if the time is over first."""
        return self._is_ready(select.POLLIN)

    def _is_ready(self, events: int) -> bool:
        poll = select.poll()
        poll.register(self._connection, events)
        return bool(poll.poll(1000.0 * self._timeout_s))
