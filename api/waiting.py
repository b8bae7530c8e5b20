"""Says what a job without nodes waits for: which pools refused it, and when to ask again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from elastic.figures import instant
from elastic.model import (
    Capacity,
    Decision,
    Job,
    JobPhase,
    Node,
    Obstacle,
    Offering,
    Pool,
    Unavailable,
    longest_block,
)
from elastic.store import Store

# Why an offering cannot be bought, for people.
_WHY: Mapping[Obstacle, str] = {
    Obstacle.CAPACITY: "no capacity",
    Obstacle.QUOTA: "the account's quota is used up",
    Obstacle.FORBIDDEN: "the credentials may not buy it",
    Obstacle.LAUNCH_FAILED: "its launch failed",
    Obstacle.FAILED_TO_JOIN: "its node never joined",
    Obstacle.INTERRUPTED: "its node was taken back",
}


@dataclass(frozen=True, slots=True)
class RefusedPool:
    """An offering that the job may use but cannot get now."""

    offering: Offering
    why: Obstacle
    # How often in a row; 0 where that is not counted.
    refusals: int
    # When it was refused first; None where that is not kept (on demand).
    since_s: float | None
    # The earliest time of another attempt; None: the next tick.
    asked_again_s: float | None

    def __str__(self) -> str:
        since = ""
        if self.since_s is not None:
            since = f" since {instant(self.since_s)}"
        times = ""
        if self.refusals > 1:
            times = f", refused {self.refusals} times"
        again = "at the next look"
        if self.asked_again_s is not None:
            again = f"at {instant(self.asked_again_s)}"
        return f"{self.offering}: {_WHY[self.why]}{since}{times}, asked again {again}"


@dataclass(frozen=True, slots=True)
class WaitingForNodes:
    """A job's wait for nodes."""

    # When it began.
    since_s: float
    # What the job may use but cannot get; the one that is tried again first comes first.
    pools: tuple[RefusedPool, ...]


def waiting_of(
    store: Store,
    job: Job,
    *,
    nodes: Sequence[Node],
    newest: Decision | None,
    blocks: Sequence[Unavailable],
    now_s: float,
) -> WaitingForNodes | None:
    """What a job waits for; None while it has nodes or needs none."""
    if nodes or job.phase.is_final or job.phase is JobPhase.DRAINING:
        return None
    # It waits since its last node, or since it began, or since it was resumed.
    resumes = store.resumes.of(job.id)
    begun_s = resumes[-1].resumed_at_s if resumes else job.submitted_at_s
    since_s = max(begun_s, store.nodes.last_held_s(job.id) or begun_s)
    # Only offerings that the job may use, refused now or lately.
    known = {each.offering: each for each in store.pools.listed(now_s=now_s)}
    unfit = {} if newest is None else newest.plan.left_out
    wanted = {each.offering for each in blocks} | set(known)
    refused = [
        each
        for offering in sorted(wanted)
        if job.spec.admits(offering) and offering.node_type not in unfit
        for each in _refused(offering, known.get(offering), blocks, job.spec.nodes_min, now_s=now_s)
    ]
    return WaitingForNodes(
        since_s, tuple(sorted(refused, key=lambda each: (each.asked_again_s or 0.0, each.offering)))
    )


def _refused(
    offering: Offering,
    pool: Pool | None,
    blocks: Sequence[Unavailable],
    nodes: int,
    *,
    now_s: float,
) -> Iterable[RefusedPool]:
    block = longest_block(blocks, offering, nodes, now_s=now_s)
    # `is False`: a pool of which nothing is known is neither up nor down.
    is_down = pool is not None and pool.is_up is False and offering.capacity is Capacity.SPOT
    if block is None and not is_down:
        return
    # A pool that is down was refused for capacity; a block may have another reason.
    refused = RefusedPool(
        offering, why=Obstacle.CAPACITY, refusals=0, since_s=None, asked_again_s=None
    )
    if pool is not None and is_down:
        refused = replace(refused, refusals=pool.refusals, since_s=pool.since_s)
    if block is not None:
        refused = replace(refused, why=block.why, asked_again_s=block.until_s)
    yield refused
