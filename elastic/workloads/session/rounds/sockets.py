"""This process's TCP connections, found by their addresses and cut from outside their owner.

A stuck collective of gloo ends only when its sockets end: `abort()` does not reach them, and torch
gives no handle to them. A descriptor is copied first, and identified by the copy's own addresses.
So a number that another socket reuses meanwhile is not cut by mistake. Listening sockets are never
cut: gloo ends the process when its listener fails.
"""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Callable, Iterator

from elastic.rendezvous import Address


def cut(is_meant: Callable[[Address, Address], bool]) -> int:
    """Shuts down the connections whose (own, other's) addresses are meant; returns how many."""
    found = 0
    for connection in _connections():
        with connection:
            own, other = _addresses(connection)
            if own is not None and other is not None and is_meant(own, other):
                _shut(connection)
                found += 1
    return found


def listeners() -> dict[int, Address]:
    """Returns the address of each of this process's listening sockets, by descriptor."""
    found = {}
    for descriptor, listener in _sockets():
        with listener:
            if listener.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                own, _ = _addresses(listener)
                if own is not None:
                    found[descriptor] = own
    return found


def _connections() -> Iterator[socket.socket]:
    for _, each in _sockets():
        if each.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
            each.close()
        else:
            yield each


def _sockets() -> Iterator[tuple[int, socket.socket]]:
    """Yields a copy of each TCP socket, which the caller closes."""
    for name in os.listdir("/proc/self/fd"):
        try:
            copy = os.dup(int(name))
        except OSError as error:
            if error.errno != errno.EBADF:
                raise
            continue  # closed since it was listed
        try:
            each = socket.socket(fileno=copy)
        except OSError:  # no socket
            os.close(copy)
            continue
        if each.family in (socket.AF_INET, socket.AF_INET6) and each.type == socket.SOCK_STREAM:
            yield int(name), each
        else:
            each.close()


def _addresses(each: socket.socket) -> tuple[Address | None, Address | None]:
    return _address(each.getsockname), _address(each.getpeername)


def _address(ask: Callable[[], tuple[str, int]]) -> Address | None:
    try:
        host, port = ask()[:2]
    except OSError:  # not connected, or no longer
        return None
    return host.removeprefix("::ffff:"), port


def _shut(connection: socket.socket) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:  # the other side was faster
        return
