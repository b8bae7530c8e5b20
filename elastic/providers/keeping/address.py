"""The address of the machine that this runs on. Runs on nodes: the standard library only."""

from __future__ import annotations

import re
import socket


class NotPossible(Exception):
    """What cannot be done here, as a person should read it."""


def own_address(daemon_url: str) -> str:
    """The address of this machine on its way to the daemon. Raises NotPossible."""
    host, port = host_and_port(daemon_url)
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)[0]
        # Connecting a datagram socket sends nothing.
        with socket.socket(family, kind) as probe:
            probe.connect(address)
            return str(probe.getsockname()[0])
    except OSError as error:
        raise NotPossible(
            f"there is no way from here to the daemon at {daemon_url} ({error}); "
            "set daemon_urls to an address that this host reaches"
        ) from error


def host_and_port(url: str) -> tuple[str, int]:
    """The two parts of a daemon's address. Raises NotPossible if it is none."""
    found = re.fullmatch(r"(https?)://\[?([^\]/]+?)\]?(?::(\d+))?/?", url)
    if found is None:
        raise NotPossible(f"{url}: wanted an address such as http://10.0.0.5:8470")
    return found[2], int(found[3] or (443 if found[1] == "https" else 80))
