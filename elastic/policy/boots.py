"""How long booting takes, by the machines that booted lately.

Machines of the same node type and image are the best evidence.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from statistics import median

from elastic.model import Boot, Snapshot

# Older boots no longer count: images, mirrors and what is installed change.
_NEWEST = 16
_GIB = 2**30


def boot_s(snapshot: Snapshot, node_type: str, nodes: int) -> float | None:
    """Seconds until the slowest of `nodes` new machines has joined; None if no boot is known."""
    alike = _alike(snapshot, node_type)
    if alike:
        return slowest_s([each.boot_s for each in alike], nodes)
    return None


def received_gib(snapshot: Snapshot, node_type: str) -> float:
    """What a new machine downloads during its set-up, in GiB; 0 if no boot is known."""
    told = [
        each.setup.received_bytes for each in _alike(snapshot, node_type) if each.setup is not None
    ]
    if told:
        return median(told) / _GIB
    return 0.0


def slowest_s(seconds: Iterable[float], nodes: int) -> float:
    """What the slowest of `nodes` machines takes, given what each of others took.

    That is the quantile n / (n + 1), which the largest of n draws has on average (David and
    Nagaraja, Order Statistics, 2003, section 2.3): the median for one machine, and the slow end for
    many.

    >>> [slowest_s([30, 40, 50, 60, 200], nodes) for nodes in (1, 3, 99)]
    [50.0, 60.0, 194.4]
    """
    ordered = sorted(seconds)
    place = (len(ordered) - 1) * nodes / (nodes + 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def _alike(snapshot: Snapshot, node_type: str) -> Sequence[Boot]:
    """Boots of this type from its present image; else of this type; else from this image."""
    if not snapshot.boots:
        return ()
    image = next((each.image for each in snapshot.node_types if each.name == node_type), None)
    of_image = [each for each in snapshot.boots if each.image == image]
    of_type = [each for each in snapshot.boots if each.node_type == node_type]
    both = [each for each in of_image if each.node_type == node_type]
    return (both or of_type or of_image)[:_NEWEST]
