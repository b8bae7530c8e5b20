"""Says what a job without nodes waits for: which pools refused it, and when to ask again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from api import schemas
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


def waiting_of(
    store: Store,
    job: Job,
    *,
    nodes: Sequence[Node],
    decisions: Sequence[Decision],
    blocks: Sequence[Unavailable],
    now_s: float,
) -> schemas.WaitingOut | None:
    """What a job waits for; None while it has nodes or needs none."""
    if nodes or job.phase.is_final or job.phase is JobPhase.DRAINING:
        return None
    # It waits since its last node, or since it began, or since it was resumed.
    resumes = store.resumes.of(job.id)
    begun_s = resumes[-1].resumed_at_s if resumes else job.submitted_at_s
    since_s = max(begun_s, store.nodes.last_held_s(job.id) or begun_s)
    # Only offerings that the job may use, refused now or lately.
    known = {each.offering: each for each in store.pools.listed(now_s=now_s)}
    unfit = decisions[0].plan.left_out if decisions else {}
    wanted = {each.offering for each in blocks} | set(known)
    refused = [
        each
        for offering in sorted(wanted)
        if job.spec.admits(offering) and offering.node_type not in unfit
        for each in _refused(offering, known.get(offering), blocks, job.spec.nodes_min, now_s=now_s)
    ]
    # Sorting keeps the order of the offerings among those that are asked again at one instant.
    refused.sort(key=lambda each: each.asked_again_s or 0.0)
    return schemas.WaitingOut(since_s=since_s, pools=refused)


def _refused(
    offering: Offering,
    pool: Pool | None,
    blocks: Sequence[Unavailable],
    nodes: int,
    *,
    now_s: float,
) -> Iterable[schemas.RefusedPoolOut]:
    block = longest_block(blocks, offering, nodes, now_s=now_s)
    # `is False`: a pool of which nothing is known is neither up nor down.
    is_down = pool is not None and pool.is_up is False and offering.capacity is Capacity.SPOT
    if block is None and not is_down:
        return
    refusals = 0
    since_s = None
    if pool is not None and is_down:
        refusals = pool.refusals
        since_s = pool.since_s
    # A pool that is down was refused for capacity; a block may have another reason.
    why = Obstacle.CAPACITY
    asked_again_s = None
    if block is not None:
        why = block.why
        asked_again_s = block.until_s
    yield schemas.RefusedPoolOut(
        offering=schemas.OfferingOut.of(offering),
        why=why,
        refusals=refusals,
        since_s=since_s,
        asked_again_s=asked_again_s,
        text=f"{offering}: {_in_words(why, refusals, since_s, asked_again_s)}",
    )


def _in_words(
    why: Obstacle, refusals: int, since_s: float | None, asked_again_s: float | None
) -> str:
    text = _WHY[why]
    if since_s is not None:
        text += f" since {instant(since_s)}"
    if refusals > 1:
        text += f", refused {refusals} times"
    if asked_again_s is None:
        return f"{text}, asked again at the next look"
    return f"{text}, asked again at {instant(asked_again_s)}"
