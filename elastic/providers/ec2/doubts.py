"""What the settings alone say against nodes on EC2: said when the daemon starts, before anything is bought."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from elastic.config import Settings


def doubts(settings: Settings, *, url: str) -> Iterator[str]:
    """What is likely to cost money for nothing where nodes are told to find the daemon at `url`, and what mends it.

    Doubts and no refusals: nodes may run on this very machine, or share its file system.
    """
    yield from _of_address(settings.host, url)
    if not settings.checkpoint_root:
        yield (
            f"checkpoint_root is not set: each node keeps checkpoints in {settings.job_root} on its own disk, which is "
            "gone with it, and a job that moves or is interrupted begins anew. Set checkpoint_root "
            "(ELASTICD_CHECKPOINT_ROOT) to s3://BUCKET/PREFIX, or to a folder that every node mounts"
        )


def host_address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Gives the address that `host` is; None for a name: only nodes could tell where it leads them."""
    try:
        return ipaddress.ip_address("127.0.0.1" if host == "localhost" else host)
    except ValueError:
        return None


def _of_address(host: str, url: str) -> Iterator[str]:
    address = host_address(host)
    if address is not None and (address.is_loopback or address.is_unspecified):
        why = "only this machine can reach" if address.is_loopback else "is no address that another machine could call"
        yield (
            f"nodes are told to find this daemon at {url}, which {why}: elsewhere they are paid for and never join. "
            "Set host (elasticd serve --host, ELASTICD_HOST) to an address of this machine that nodes reach, "
            "such as its private one in their VPC; elasticd doctor says whether they can"
        )
