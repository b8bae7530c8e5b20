"""The network interface by which other nodes reach this one."""

from __future__ import annotations

import socket

import psutil


def interface_of(host: str) -> str:
    """The interface that has this address or name; empty if none has.

    >>> interface_of("127.0.0.1")
    'lo'
    """
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except OSError:
        return ""
    addresses = {str(each[4][0]) for each in found}
    for name, own in psutil.net_if_addrs().items():
        if any(each.address.partition("%")[0] in addresses for each in own):
            return name
    return ""
