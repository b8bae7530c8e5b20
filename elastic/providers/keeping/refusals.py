"""Refuses settings with which nodes elsewhere could never join, or would lose their checkpoints."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from elastic.config import Settings
from elastic.errors import InvalidInput


def refuse(settings: Settings, *, url: str) -> None:
    """Raises InvalidInput if nodes on other machines cannot work with these settings."""
    found = tuple(_faults(settings, url))
    if found:
        raise InvalidInput("; ".join(text for _, text in found), field=found[0][0], faults=found)


def _faults(settings: Settings, url: str) -> Iterator[tuple[str, str]]:
    if not settings.daemon_urls and not _can_be_reached(settings.address_of_nodes):
        yield (
            "host",
            f"host: wanted an address of this machine that nodes reach; got {url}, which they "
            "cannot. Set host (elasticd serve --host, ELASTICD_HOST), node_host or daemon_urls",
        )
    if settings.checkpoint_root is None:
        yield (
            "checkpoint_root",
            "checkpoint_root: wanted a place for checkpoints that all nodes share, got none: a job "
            "that moves would begin again. Set checkpoint_root (ELASTICD_CHECKPOINT_ROOT) to a "
            "folder that this machine and every node mount at the same path, or to "
            "s3://BUCKET/PREFIX",
        )


def _can_be_reached(host: str) -> bool:
    """False for an address that another machine cannot call; a name may be any.

    >>> [_can_be_reached(each) for each in ("127.0.0.1", "localhost", "0.0.0.0", "10.0.0.5")]
    [False, False, False, True]
    """
    try:
        address = ipaddress.ip_address("127.0.0.1" if host == "localhost" else host)
    except ValueError:
        return True
    return not (address.is_loopback or address.is_unspecified)
