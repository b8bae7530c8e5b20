"""What a job without nodes waits for: since when, which pools were refused, and when each is asked
again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

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

_WHY: Mapping[Obstacle, str] = {
    Obstacle.CAPACITY: "no capacity",
    Obstacle.QUOTA: "the account's quota is used up",
    Obstacle.FORBIDDEN: "the credentials may not buy it",
    Obstacle.LAUNCH_FAILED: "its launch failed",
    Obstacle.FAILED_TO_JOIN: "its node came to nothing",
    Obstacle.INTERRUPTED: "its node was taken back",
}


@dataclass(frozen=True, slots=True)
class RefusedPool:
    """An offering that the job would take and cannot have now.

    `since_s` is when it was refused first, None where that is not kept (on demand). It is asked
    again at `asked_again_s` at the earliest; None: at the next look.
    """

    offering: Offering
    why: Obstacle
    refusals: int
    since_s: float | None
    asked_again_s: float | None

    def __str__(self) -> str:
        if self.since_s is None:
            since = ""
        else:
            since = f" since {instant(self.since_s)}"
        if self.refusals > 1:
            times = f", refused {self.refusals} times"
        else:
            times = ""
        if self.asked_again_s is None:
            again = "at the next look"
        else:
            again = f"at {instant(self.asked_again_s)}"
        return f"{self.offering}: {_WHY[self.why]}{since}{times}, asked again {again}"


@dataclass(frozen=True, slots=True)
class WaitingForNodes:
    """How long a job has had no node, and what it could have if that were there; the soonest
    first."""

    since_s: float
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
    """Gives what a job waits for; None while it has nodes, or is to have none."""
    if nodes or job.phase.is_final or job.phase is JobPhase.DRAINING:
        return None
    resumes = store.resumes.of(job.id)
    if resumes:
        begun_s = resumes[-1].resumed_at_s
    else:
        begun_s = job.submitted_at_s
    since_s = max(begun_s, store.last_held_s(job.id) or begun_s)
    known = {each.offering: each for each in store.pools(now_s=now_s)}
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
    is_down = pool is not None and pool.is_up is False and offering.capacity is Capacity.SPOT
    if block is None and not is_down:
        return
    yield RefusedPool(
        offering,
        why=Obstacle.CAPACITY if block is None else block.why,
        refusals=pool.refusals if pool is not None and is_down else 0,
        since_s=pool.since_s if pool is not None and is_down else None,
        asked_again_s=None if block is None else block.until_s,
    )
