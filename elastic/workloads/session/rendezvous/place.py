"""The address at which the others reach a process of a session."""

from __future__ import annotations

import errno
import ipaddress
import socket
from dataclasses import replace

from elastic.errors import InvalidInput
from elastic.rendezvous import StoreLost, family, place_of
from elastic.workloads.session.settings import SessionSettings

# Errors that say little about a host's name: no answer from a name server, no descriptors or memory
# left.
PASSING_NAMES = {socket.EAI_AGAIN, socket.EAI_MEMORY, socket.EAI_SYSTEM}
PASSING = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}


def placed(settings: SessionSettings) -> SessionSettings:
    """Returns settings whose host is an address of this machine.

    It is the configured one, or the one by which the store is reached.

    Raises StoreLost if it is unknown for the moment, and InvalidInput if no other machine could
    reach this process.
    """
    own, store = _way(settings.address())
    try:
        host = str(socket.getaddrinfo(settings.host or own, 0, type=socket.SOCK_STREAM)[0][4][0])
        # An address that cannot be bound is not this machine's.
        with socket.create_server((host, 0), family=family(host)):
            pass
    except OSError as error:
        if error.errno in (PASSING_NAMES if isinstance(error, socket.gaierror) else PASSING):
            raise StoreLost(
                f"host {settings.host!r} (ELASTICD_SESSION_HOST) is not found yet: {error}"
            ) from error
        raise _wrong(
            f"an address or a name of this machine, found {settings.host!r} ({error})"
        ) from error
    if _is_nowhere(host) and not _is_nowhere(own) and own != store:
        raise _wrong(
            f"an address at which others reach this process, found {host}; the store is at {store}"
        )
    return replace(settings, host=host)


def _way(address: str) -> tuple[str, str]:
    """Returns this machine's address on the way to the store, and the store's; nothing is sent."""
    host, port = place_of(address)
    try:
        kind, *_, there = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)[0]
        with socket.socket(kind, socket.SOCK_DGRAM) as probe:
            # A datagram socket only chooses its route here.
            probe.connect(there)
            return str(probe.getsockname()[0]), str(there[0])
    except OSError as error:
        raise StoreLost(f"no way leads to the store at {address!r}") from error


def _is_nowhere(host: str) -> bool:
    """Whether an address means each machine itself."""
    found = ipaddress.ip_address(host.partition("%")[0])
    return found.is_loopback or found.is_unspecified


def _wrong(what: str) -> InvalidInput:
    return InvalidInput(f"host (ELASTICD_SESSION_HOST): wanted {what}", field="host")
