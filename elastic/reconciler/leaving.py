"""Nodes that the cloud has announced to take back: which markets they count against, and how people
read of it."""

from __future__ import annotations

from collections.abc import Iterable

from elastic.figures import instant
from elastic.model import Node, Offering


def to_be_left_alone(nodes: Iterable[Node], offerings: Iterable[Offering]) -> frozenset[Offering]:
    """What an interruption counts against: markets that took a node back, where another zone sells
    the same as spot.

    There it is likelier to be had, and to last, at the same rate and nearly the same price. Where
    no zone does, asking the same market again costs one call, and what it refuses is left alone
    anyway.
    """
    sold = frozenset(offerings)
    taken = {node.offering for node in nodes if node.leaves_at_s is not None}
    return frozenset(
        each for each in taken if any(_is_elsewhere(other, each) for other in sold - taken)
    )


def describe_leaving(node: Node) -> str:
    """That and when the cloud takes a node.

    >>> from elastic.model import NodePhase, Notice, NoticeKind, Offering
    >>> notice = Notice(NoticeKind.INTERRUPTION, noticed_at_s=0.0, at_s=120.0)
    >>> describe_leaving(Node("n", "j", Offering("c5.large"), NodePhase.JOINED, "t", 0.0, notice=notice))
    'the cloud takes it back at 1970-01-01T00:02:00Z'
    """
    assert node.leaves_at_s is not None, f"{node.id} does not leave"
    return f"the cloud takes it back at {instant(node.leaves_at_s)}"


def _is_elsewhere(other: Offering, offering: Offering) -> bool:
    same = (other.node_type, other.capacity) == (offering.node_type, offering.capacity)
    return same and other.zone != offering.zone
