"""Refuses settings with which nodes on EC2 cannot work, before anything is bought."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterator
from urllib.parse import urlsplit

import psutil

from elastic.config import Settings
from elastic.errors import InvalidInput

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def refuse(settings: Settings, *, url: str, endpoint_url: str) -> None:
    """Raises InvalidInput if nodes that call the daemon at `url` would be paid for nothing.

    `endpoint_url` is that of EC2. If it is on this machine, as with a lab, machines boot here.
    """
    found = tuple(_faults(settings, url, endpoint_url))
    if found:
        raise InvalidInput("; ".join(text for _, text in found), field=found[0][0], faults=found)


def here(endpoint_url: str) -> Address | None:
    """This machine's address at which an endpoint answers; None if it is elsewhere, or a name.

    >>> here("https://ec2.us-east-1.amazonaws.com"), here("http://localhost:8469")
    (None, IPv4Address('127.0.0.1'))
    """
    address = host_address(urlsplit(endpoint_url).hostname or "")
    if address is not None and (address.is_loopback or address in _own_addresses()):
        return address
    return None


def reaches_no_bucket(settings: Settings, endpoint_url: str) -> bool:
    """True if nodes elsewhere should keep checkpoints in a bucket, but get no credentials."""
    has_means = settings.ec2.instance_profile is not None or settings.ec2.bootstrap is not None
    return settings.job_root.startswith("s3://") and not has_means and here(endpoint_url) is None


def shares_loopback(endpoint_url: str) -> bool:
    """True if machines are processes here that reach this machine's loopback addresses."""
    address = here(endpoint_url)
    return address is not None and address.is_loopback


def why_unreachable(host: str, endpoint_url: str) -> str | None:
    """Why machines of the endpoint cannot reach `host`, as far as the address alone shows.

    >>> why_unreachable("127.0.0.1", "https://ec2.us-east-1.amazonaws.com")
    'only this machine can reach'
    >>> why_unreachable("127.0.0.1", "http://127.0.0.1:8469")
    """
    address = host_address(host)
    if address is None or shares_loopback(endpoint_url):
        return None
    if address.is_loopback:
        return "only this machine can reach"
    if address.is_unspecified:
        return "is no address that another machine could call"
    return None


def host_address(host: str) -> Address | None:
    """The address in `host`; None for a name, which may lead elsewhere on a node."""
    try:
        return ipaddress.ip_address("127.0.0.1" if host == "localhost" else host)
    except ValueError:
        return None


def _faults(settings: Settings, url: str, endpoint_url: str) -> Iterator[tuple[str, str]]:
    why = why_unreachable(settings.address_of_nodes, endpoint_url)
    if why is not None:
        yield (
            "node_host",
            "node_host: wanted an address of this machine that nodes reach, such as its private "
            f"one in their VPC; got {url}, which {why}: nodes would be paid for and never join. "
            "Set node_host (ELASTICD_NODE_HOST); "
            "elasticd doctor says whether they reach it",
        )
    if not settings.checkpoint_root and here(endpoint_url) is None:
        yield (
            "checkpoint_root",
            "checkpoint_root: wanted a place for checkpoints that outlives a node, got none: each "
            f"would keep them in {settings.job_root} on its own disk, which is lost with it. A job "
            "that moves or is interrupted would begin again. Set checkpoint_root "
            "(ELASTICD_CHECKPOINT_ROOT) to s3://BUCKET/PREFIX, or to a folder that every node "
            "mounts",
        )
    if reaches_no_bucket(settings, endpoint_url):
        yield (
            "ec2.instance_profile",
            f"ec2.instance_profile: wanted the profile of a role that reaches {settings.job_root}, "
            "got none: nodes would be paid for and store nothing. Set ec2.instance_profile "
            "(`elasticd doctor --print-policy node` says what its role needs), or bring "
            "credentials by your own lines in ec2.bootstrap",
        )


def _own_addresses() -> frozenset[Address]:
    told = [each for addresses in psutil.net_if_addrs().values() for each in addresses]
    texts = [
        each.address.partition("%")[0]
        for each in told
        if each.family in (socket.AF_INET, socket.AF_INET6)
    ]
    return frozenset(ipaddress.ip_address(text) for text in texts)
