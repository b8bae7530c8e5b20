"""Worlds whose nodes make no turns."""

from __future__ import annotations

from elastic.model import (
    Action,
    Group,
    Node,
    Plan,
    Pulse,
    Reason,
    Snapshot,
)
from tests.reconciler.virtual import SMALL, VirtualCluster
from tests.reconciler.worlds import node


def three(snapshot: Snapshot) -> Plan:
    wanted = Group.of(SMALL, 3)
    action = Action.HOLD if snapshot.target == wanted else Action.START
    return Plan(action, wanted, Reason("told", "as told"))


def members(cluster: VirtualCluster) -> tuple[str, ...]:
    (job,) = cluster.store.jobs.listed()
    generation = cluster.store.generations.latest(job.id)
    assert generation is not None
    return generation.node_ids


def still(name: str, still_s: float, *, longest_s: float = 1.0, heard_s: float = 99.0) -> Node:
    return node(
        name, heartbeat_at_s=heard_s, agent_generation=1, pulse=Pulse(still_s, longest_s, longest_s)
    )
