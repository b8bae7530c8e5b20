"""Listening sockets bound to one address, for torch's stores to take over."""

from __future__ import annotations

import errno
import random
import socket
from dataclasses import dataclass

BACKLOG = 1024


@dataclass(frozen=True, slots=True)
class Listener:
    """A listening socket's descriptor, which whoever serves it must close, and the port it got."""

    descriptor: int
    port: int


def listen(host: str, port: int) -> Listener:
    """Gives a socket that listens at `host` only; port 0 takes any that is free."""
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    with socket.socket(family, kind, protocol) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(BACKLOG)
        taken: int = listener.getsockname()[1]
        return Listener(listener.detach(), taken)


def listen_among(host: str, ports: range) -> Listener:
    """Gives a socket that listens at `host` only, at any of the ports that is free; raises OSError
    if none is.

    They are tried in no order: who still looks for a store that has ended shall not find another
    one in its place.
    """
    for port in random.sample(ports, len(ports)):
        try:
            return listen(host, port)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
    raise OSError(
        errno.EADDRINUSE, f"{host}: wanted a free port of {ports[0]} to {ports[-1]}, found none"
    )
