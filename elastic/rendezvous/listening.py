"""Listening sockets bound to one address, for torch's stores to take over."""

from __future__ import annotations

import errno
import random
import socket
from dataclasses import dataclass

BACKLOG = 1024


@dataclass(frozen=True, slots=True)
class Listener:
    """A listening socket's descriptor, which its server must close, and the port that it got."""

    descriptor: int
    port: int


def listen(host: str, port: int) -> Listener:
    """Returns a socket that listens at `host` only; port 0 takes any free port."""
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    with socket.socket(family, kind, protocol) as listener:
        # The port of a store that has just ended is free at once.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(BACKLOG)
        taken: int = listener.getsockname()[1]
        # Detached, so that leaving the block does not close what the caller now owns.
        return Listener(listener.detach(), taken)


def listen_among(host: str, ports: range) -> Listener:
    """Returns a socket that listens at `host` only, at any free port; raises OSError if none is.

    The ports are tried in random order. A process that still looks for a store that has ended must
    not find another store in its place.
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
