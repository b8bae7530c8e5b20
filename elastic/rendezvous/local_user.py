"""Whose process on this machine is at the other end of a connection, or listens at an address."""

from __future__ import annotations

import contextlib
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

_ESTABLISHED = "01"
_LISTENING = "0A"


def user_of(peer: tuple[str, int], own: tuple[str, int]) -> int | None:
    """The user whose socket at the address `peer` of this machine is connected to our own address.

    None if there is none: it may be on another machine, or gone already. Both are IPv4 addresses.
    """
    for table, mapped in (("tcp", ""), ("tcp6", "::ffff:")):
        wanted = _written(mapped + peer[0], peer[1])
        other = _written(mapped + own[0], own[1])
        with contextlib.suppress(OSError):
            for address, remote, state, user in _sockets(table):
                if (address, remote, state) == (wanted, other, _ESTABLISHED):
                    return user
    return None


def listeners_at(host: str, port: int) -> frozenset[int] | None:
    """The users whose processes listen where a connection to this loopback address arrives.

    None where this system does not say.
    """
    hosts = {host}
    if host == "localhost":
        hosts = {"127.0.0.1", "::1"}
    mapped = {f"::ffff:{each}" for each in hosts if ":" not in each}
    wanted = {_written(each, port) for each in hosts | mapped | {"0.0.0.0", "::"}}
    found: set[int] = set()
    try:
        for table in ("tcp", "tcp6"):
            found |= {
                user
                for address, _, state, user in _sockets(table)
                if state == _LISTENING and address in wanted
            }
    except OSError:
        return None
    return frozenset(found)


def _sockets(table: str) -> Iterator[tuple[str, str, str, int]]:
    """Each socket's own address, the other's, its state and its user (proc(5))."""
    for line in Path("/proc/net", table).read_text().splitlines()[1:]:
        fields = line.split()
        yield fields[1], fields[2], fields[3], int(fields[7])


def _written(host: str, port: int) -> str:
    # As the kernel prints numbers of four bytes, which are in network order.
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    packed = socket.inet_pton(family, host)
    words = (packed[at : at + 4] for at in range(0, len(packed), 4))
    return f"{''.join(f'{int.from_bytes(each, sys.byteorder):08X}' for each in words)}:{port:04X}"
