"""Whom of a job's nodes the daemon can count on hearing what is due."""

from __future__ import annotations

from collections.abc import Sequence

from elastic.model import Node, NodePhase, Tier
from elastic.reconciler.stillness import cut_off
from elastic.reconciler.world import World


def heard(world: World, nodes: Sequence[Node]) -> list[Node]:
    """Those of `nodes` that have joined, are not cut off, and have spoken since a node could be heard at all.

    A daemon that was away knows of nobody who was cut off meanwhile: whom it has not heard since may not hear it. In a
    session the members find out by themselves.
    """
    missed, is_in_session = cut_off(world), world.job.spec.tier is Tier.T2
    return [
        node
        for node in nodes
        if node.phase is NodePhase.JOINED
        and node.id not in missed
        and (is_in_session or (node.heartbeat_at_s or 0.0) >= world.listening_since_s)
    ]
