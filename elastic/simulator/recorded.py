"""What a database recorded of a job: its spec, the prices, its measured speeds, its pools'
history."""

from __future__ import annotations

import math
from dataclasses import replace

from elastic.durations import NOTICE_S
from elastic.errors import InvalidInput
from elastic.model import Capacity, JobSpec, Node, NodePhase, NodeType, Series
from elastic.pricing import TraceRow
from elastic.simulator.availability_file import Availability
from elastic.simulator.market import SimulatedMarket, SimulatedPool, market_of
from elastic.simulator.program import Program, Speeds
from elastic.simulator.simulation import BEGINS_S
from elastic.store import Store


def recorded(store: Store, job_id: str) -> tuple[JobSpec, Program, SimulatedMarket]:
    """Gives the job, its program and its market as they were from its submission on.

    What was measured is sold, at the recorded prices. A spot pool that the job used was up from
    when a machine was granted, and down from when one was refused or taken back. A pool that it did
    not use is always up. Raises NotFound, InvalidInput.
    """
    job = store.jobs.get(job_id)
    iterations = job.spec.iterations or job.iteration
    speeds = _speeds(store.measurements.recent_series(job.id))
    if not speeds.known or not iterations:
        raise InvalidInput(f"{job_id}: wanted a job that has trained, found no measurement of it")
    end_s = math.inf if job.finished_at_s is None else job.finished_at_s
    # Every offering that ever had a price.
    offerings = {each.offering for each in store.prices.in_force(end_s)}
    measured = sorted(each for each in offerings if each.node_type in speeds.known)
    # The prices of its time, from its submission on.
    rows = [
        TraceRow(
            price.offering,
            price.usd_per_h,
            after_s=max(price.valid_from_s - job.submitted_at_s, 0.0),
        )
        for price in store.prices.held(measured, from_s=job.submitted_at_s, to_s=end_s)
    ]
    market = market_of(rows, node_types=_node_types(store, job.id))
    nodes = store.nodes.listed(job.id, include_gone=True)
    # Only spot pools that it used have a history.
    pools = {
        offering: SimulatedPool(_history(of_pool, job.submitted_at_s), notice_s=NOTICE_S)
        for offering in market.offerings
        if offering.capacity is Capacity.SPOT
        and (of_pool := [node for node in nodes if node.offering == offering])
    }
    objective = job.spec.objective
    if objective.deadline_s is not None:
        objective = replace(
            objective, deadline_s=objective.deadline_s - job.submitted_at_s + BEGINS_S
        )
    return (
        replace(job.spec, objective=objective),
        Program(speeds, iterations),
        replace(market, pools=pools),
    )


def _node_types(store: Store, job_id: str) -> dict[str, NodeType]:
    """The hardware on offer, as its latest decision saw it."""
    latest = store.decisions.listed(job_id, limit=1)
    return {
        each.name: each
        for decision in latest
        for each in store.decisions.snapshot(decision.id).node_types
    }


def _speeds(measured: tuple[Series, ...]) -> Speeds:
    """Seconds an iteration by node type and count, over all warm windows together, without
    mixes."""
    known: dict[str, dict[int, float]] = {}
    for series in measured:
        if len(series.group.node_types) == 1 and series.samples:
            ((name, count),) = series.group.node_types
            elapsed_s = sum(each.elapsed_s for each in series.samples)
            known.setdefault(name, {})[count] = elapsed_s / sum(
                each.iterations for each in series.samples
            )
    return Speeds(known)


def _history(nodes: list[Node], since_s: float) -> Availability:
    """What one job's launches, refusals and losses show of a pool.

    Each state lasts until the next one that was seen.
    """
    # A launch shows that the pool is up; a loss or a refusal shows that it is down.
    seen: list[tuple[float, bool]] = []
    for node in nodes:
        if node.launched_at_s is not None:
            seen.append((node.launched_at_s - since_s, True))
            if node.phase is NodePhase.LOST and node.terminated_at_s is not None:
                seen.append((node.terminated_at_s - since_s, False))
        elif node.terminated_at_s is not None:
            seen.append((node.terminated_at_s - since_s, False))
    seen.sort()
    first = True
    if seen:
        first = seen[0][1]
    turns = []
    state = first
    for at_s, is_up in seen:
        if is_up is not state:
            turns.append(max(at_s, 0.0))
            state = is_up
    return Availability(first, tuple(turns))
