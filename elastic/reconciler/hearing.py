"""Whom of a job's nodes the daemon can count on hearing what is due."""

from __future__ import annotations

from collections.abc import Iterable

from elastic.model import Mode, Node, NodePhase
from elastic.reconciler.stillness import cut_off
from elastic.reconciler.world import World


def in_reach(world: World, nodes: Iterable[Node]) -> list[Node]:
    """Those of `nodes` that have joined and are not known to be cut off."""
    missed = cut_off(world)
    return [node for node in nodes if node.phase is NodePhase.JOINED and node.id not in missed]


def are_heard(world: World, nodes: Iterable[Node]) -> bool:
    """Whether each of `nodes` has spoken since a node could be heard at all.

    A daemon that was away knows of nobody who was cut off meanwhile: whom it has not heard since
    may not hear it. In a session the members find out by themselves.
    """
    is_in_session = world.job.spec.mode is Mode.LIVE
    return is_in_session or all(
        (node.heartbeat_at_s or 0.0) >= world.listening_since_s for node in nodes
    )
