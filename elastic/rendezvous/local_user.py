"""Whose process on this machine is at the other end of a connection."""

from __future__ import annotations

import contextlib
import socket
import sys
from pathlib import Path


def user_of(peer: tuple[str, int], own: tuple[str, int]) -> int | None:
    """The user whose socket at the address `peer` of this machine is connected to our own address.

    None if there is none: it may be on another machine, or gone already.
    """
    for name, mapped in (("tcp", ""), ("tcp6", "0000000000000000FFFF0000")):
        wanted = f"{mapped}{_hexadecimal(peer)}"
        other = f"{mapped}{_hexadecimal(own)}"
        with contextlib.suppress(OSError):
            for line in Path("/proc/net", name).read_text().splitlines()[1:]:
                fields = line.split()
                # Its own address, the other's, the state (1: established) and the user (proc(5)).
                if fields[1] == wanted and fields[2] == other and fields[3] == "01":
                    return int(fields[7])
    return None


def _hexadecimal(address: tuple[str, int]) -> str:
    # As the kernel prints a number whose bytes are in network order.
    host = int.from_bytes(socket.inet_aton(address[0]), sys.byteorder)
    return f"{host:08X}:{address[1]:04X}"
