"""This process's TCP connections, found by their addresses and cut from outside their owner.

A stuck collective of gloo ends only when its sockets end (`abort()` does not reach them), and torch
gives no handle on them. A descriptor is copied first and judged by the copy's own addresses, so
that a number reused meanwhile by another socket cannot be cut in its stead. Listening sockets are
never cut: gloo ends the process when its listener fails.
"""

from __future__ import annotations

import errno
import os
import socket
import struct
import weakref
from collections.abc import Callable, Iterator

Address = tuple[str, int]
# A connection that is silent for so long is probed, and then again: the kernel takes whole seconds,
# and members send to each other twice a second.
IDLE_S = 2
INTERVAL_S = 1
_OURS: weakref.WeakSet[socket.socket] = weakref.WeakSet()


def family(host: str) -> socket.AddressFamily:
    """Gives the family of an address as it is written."""
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def ours(each: socket.socket) -> socket.socket:
    """Gives a socket whose end tells this process's death: what is forked from it, a data loader's
    worker say, lives on without it."""
    _OURS.add(each)
    return each


def _leave_to_parent() -> None:
    for each in list(_OURS):
        each.close()  # this process's copy of it, and nothing that the other side would see


os.register_at_fork(after_in_child=_leave_to_parent)


def cut(is_meant: Callable[[Address, Address], bool]) -> int:
    """Shuts down the connections whose (own, other's) addresses are meant; gives how many there
    were."""
    found = 0
    for connection in _connections():
        with connection:
            own, other = _addresses(connection)
            if own is not None and other is not None and is_meant(own, other):
                _shut(connection)
                found += 1
    return found


def probe(
    is_meant: Callable[[Address, Address], bool],
    *,
    count: int,
    answer_s: float,
) -> None:
    """Has what waits for the meant connections' other side fail soon where its machine has vanished
    without a word, and after `answer_s` where it is silent: the kernel answers for a process that
    is stopped."""
    bound = struct.pack("@ll", int(answer_s), int(answer_s % 1 * 1e6))  # a timeval
    for connection in _connections():
        with connection:
            own, other = _addresses(connection)
            if own is not None and other is not None and is_meant(own, other):
                patient(connection, count=count)
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, bound)
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, bound)


def patient(connection: socket.socket, *, count: int) -> None:
    """Makes a connection fail when the other side's machine leaves `count` probes unanswered."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, IDLE_S)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, INTERVAL_S)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, count)
    timeout_ms = 1000 * (IDLE_S + INTERVAL_S * count)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, timeout_ms)


def listeners() -> dict[int, Address]:
    """Gives the address of each of this process's listening sockets, by descriptor."""
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
    """Gives a copy of each TCP socket, which the caller closes."""
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
