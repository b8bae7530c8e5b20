"""Worlds of one job, as the steps see them."""

from __future__ import annotations

from dataclasses import replace

from elastic.model import (
    AgentState,
    Exit,
    Generation,
    Group,
    Job,
    JobPhase,
    JobSpec,
    Node,
    NodePhase,
    Offering,
    Outcome,
)
from elastic.reconciler import World
from tests.builders import timeouts

HALF, FULL = Offering("local.half"), Offering("local.full")


JOB = Job(
    "job-1",
    JobSpec("j", ("train.py",), nodes_max=4),
    JobPhase.RUNNING,
    submitted_at_s=0.0,
    iteration=5,
)


def node(
    name: str, offering: Offering = HALF, phase: NodePhase = NodePhase.JOINED, **changes: object
) -> Node:
    base = Node(
        id=name,
        job_id="job-1",
        offering=offering,
        phase=phase,
        token=name,
        intended_at_s=10.0,
        provider_id=name,
        launched_at_s=10.0,
        joined_at_s=15.0,
        heartbeat_at_s=99.0,
        agent_state=AgentState.RUNNING,
    )
    return replace(base, **changes)  # type: ignore[arg-type]  # tests name the fields they are about


def generation(
    *node_ids: str, number: int = 1, drain_at_s: float | None = None, ended: bool = False
) -> Generation:
    return Generation("job-1", number, node_ids, "e:1", 20.0, drain_at_s, 90.0 if ended else None)


def world(
    *nodes: Node,
    target: Group | None = None,
    generation: Generation | None = None,
    job: Job = JOB,
    now_s: float = 100.0,
    listening_since_s: float = 0.0,
) -> World:
    return World(
        now_s=now_s,
        job=job,
        target=target,
        nodes=nodes,
        generation=generation,
        why="price",
        timeouts=timeouts(),
        drain_grace_s=30.0,
        listening_since_s=listening_since_s,
    )


def overdue_after(look: World, standstill_s: float) -> World:
    """The same where a turn may be overdue for so long."""
    return replace(look, timeouts=replace(look.timeouts, standstill_s=standstill_s))


def left(outcome: Outcome, number: int = 1) -> Exit:
    return Exit(number, outcome, 0 if outcome is not Outcome.FAILED else 1)
