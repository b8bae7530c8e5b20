"""Listening sockets bound to one address, for torch's stores to take over."""

from __future__ import annotations

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
