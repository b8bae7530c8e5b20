"""TCP connections whose end means a death: of the other process, its machine, or this process."""

from __future__ import annotations

import contextlib
import os
import socket
import ssl
import threading
import weakref
from collections.abc import Iterator
from typing import Any, TypeVar

from elastic.durations import GLANCE_S

Address = tuple[str, int]
AnySocket = TypeVar("AnySocket", bound=socket.socket)
_OURS: weakref.WeakSet[socket.socket] = weakref.WeakSet()


def family(host: str) -> socket.AddressFamily:
    """The family of an address as it is written."""
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def ours(each: AnySocket) -> AnySocket:
    """Returns the socket, which processes forked from this one do not keep open.

    Its end tells others of this process's death. A data loader's worker, say, may live on.
    """
    _OURS.add(each)
    return each


def accepted(
    listener: socket.socket, is_closed: threading.Event
) -> Iterator[tuple[socket.socket, Any]]:
    """Gives each connection that comes and its address, until `is_closed` is set."""
    while not is_closed.is_set():
        try:
            found = listener.accept()
        except OSError:  # of that connection, or no descriptor is left
            is_closed.wait(GLANCE_S)  # descriptors may be free again by then
        else:
            yield found


class OpenConnections:
    """The connections that threads serve now."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()

    def __len__(self) -> int:
        return len(self._open)

    @contextlib.contextmanager
    def holding(self, connection: socket.socket) -> Iterator[None]:
        """Counts a connection, and closes it in the end."""
        with self._lock:
            self._open.add(connection)
        try:
            yield
        finally:
            with self._lock:
                self._open.discard(connection)
            connection.close()

    def halt(self) -> None:
        """Ends all of them; the threads that serve them see that."""
        with self._lock:
            # A copy: each thread that sees its end takes its own connection out.
            connections = list(self._open)
        for each in connections:
            halt(each)


def patient(connection: socket.socket, *, for_s: float) -> None:
    """Makes a connection fail when the other side's machine has not answered for `for_s`.

    The kernel takes whole seconds, so these are 4 at least. It asks after half of them, and again
    after another quarter.
    """
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, int(for_s / 2))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, int(for_s / 4))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 2)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(1000 * for_s))


def halt(connection: socket.socket, how: int = socket.SHUT_RDWR) -> None:
    """Ends a connection that another thread may be reading or writing; that thread then fails.

    Not `SSLSocket.shutdown`: it drops the encryption first, so that the other thread would go on
    with what is on its way as if it were plain.
    """
    with contextlib.suppress(OSError):  # it has ended already
        if isinstance(connection, ssl.SSLSocket):
            socket.socket.shutdown(connection, how)
        else:
            connection.shutdown(how)


def _leave_to_parent() -> None:
    for each in list(_OURS):
        # This process's copy of it: the other side sees nothing of that.
        each.close()


os.register_at_fork(after_in_child=_leave_to_parent)
