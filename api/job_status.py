"""Tells the state of a job: progress, nodes, cost, candidates, and what it waits for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import median

from api import schemas
from elastic.figures import duration, instant
from elastic.model import (
    AgentState,
    Boot,
    Candidate,
    Capacity,
    Decision,
    Group,
    Job,
    JobPhase,
    Mode,
    Node,
    NodePhase,
    Obstacle,
    Offering,
    Pool,
    Unavailable,
    longest_block,
    unit_of,
    unseen_of,
    warnings_of,
)
from elastic.policy import bought_iterations, other_phases
from elastic.reconciler import training_group
from elastic.store import JobOverview, StoredAlarm

_S_PER_H = 3600.0
UNSUCCESSFUL = (JobPhase.FAILED, JobPhase.BUDGET_EXHAUSTED)


def status_of(
    seen: JobOverview,
    *,
    now_s: float,
    root: str | None = None,
    blocks: Sequence[Unavailable] = (),
) -> schemas.JobOut:
    """What the job's resource shows.

    `root` is where nodes keep the files of all jobs, `blocks` what cannot be bought now.
    """
    job = with_present_reason(seen)
    decision = seen.decision
    current = training_group(seen.generation, seen.nodes)
    return schemas.JobOut(
        **schemas.JobState.of(job).model_dump(),
        is_final=job.phase.is_final,
        progress=_progress(job, current, decision, now_s=now_s),
        current_group=schemas.GroupOut.of_known(current),
        target_group=schemas.GroupOut.of_known(seen.target),
        waits_because=None if seen.nodes or job.phase.is_final else _waits_because(seen),
        waiting=waiting_of(seen, blocks=blocks, now_s=now_s),
        preparing=list(preparing_of(seen, now_s=now_s)),
        alarms=[each.sentence for each in seen.alarms],
        attention=attention_of(job, seen.alarms, is_followed=seen.is_followed),
        warnings=[
            *unseen_of(job, seen.generation, seen.nodes, now_s=now_s),
            *warnings_of(job, now_s=now_s),
        ],
        notes=[*_cut_by_budget(job, decision), *_of_one_phase(job, decision), *seen.notes],
        running_mode=running_mode(seen.members),
        is_preloaded=is_preloaded(seen.members),
        spent_usd=seen.spent_usd,
        files_at=None if root is None else f"{root}/{job.id}",
        candidates=[
            schemas.CandidateOut.of(each)
            for each in _candidates_now(job, current, decision, now_s=now_s)
        ],
    )


def attention_of(job: Job, alarms: Iterable[StoredAlarm], *, is_followed: bool) -> str | None:
    """Why a person should look at a job; None if it goes well, or has ended well.

    `alarms` are those that stand, of any job. A failure no longer counts once a newer job has the
    same name (`is_followed`): then somebody has looked.
    """
    if job.phase in UNSUCCESSFUL:
        if is_followed:
            return None
        return job.message or f"it {job.phase.predicate}"
    if job.phase.is_final:
        return None
    standing = [
        f"{each.kind.replace('_', ' ')}: {each.text}" for each in alarms if each.job_id == job.id
    ]
    if standing:
        return "; ".join(standing)
    if job.error is not None and job.phase is not JobPhase.DRAINING:
        return f"failed once, and starts again: {job.error}"
    return None


def running_mode(members: Iterable[Node]) -> Mode | None:
    """The mode that members of a generation report, `live` only if all do; None if none does."""
    modes = {node.mode for node in members} - {None}
    if not modes:
        return None
    if modes == {Mode.LIVE}:
        return Mode.LIVE
    # One member that starts again makes all the others wait for it.
    return Mode.RESTART


def is_preloaded(members: Iterable[Node]) -> bool | None:
    """Whether all members that have started workers preloaded torch; None if none has started."""
    told = [node.is_preloaded for node in members if node.is_preloaded is not None]
    if not told:
        return None
    return all(told)


def time_left_s(
    job: Job, current: Group | None, decision: Decision | None, *, now_s: float
) -> float | None:
    """How long a job still takes on the group that trains, by its newest decision; None if that is
    not known."""
    if decision is None:
        return None
    weighed = decision.plan.candidate(current)
    if weighed is None or weighed.remaining_s is None:
        return None
    if job.spec.iterations is None or job.phase.is_final:
        return None
    # The decision may be some minutes old, and the job has run since.
    return max(weighed.remaining_s - (now_s - decision.weighed_at_s), 0.0)


def _candidates_now(
    job: Job, current: Group | None, decision: Decision | None, *, now_s: float
) -> Iterable[Candidate]:
    """The candidates of the newest decision, with what remains of the job on each of them now.

    Since the decision the group that trains has made iterations, at its pace: those remain on none.
    """
    if decision is None:
        return ()
    plan = decision.plan
    if job.phase.is_final:
        return (replace(each, remaining_usd=None, remaining_s=None) for each in plan.candidates)
    left_s = time_left_s(job, current, decision, now_s=now_s)
    weighed = plan.candidate(current)
    if left_s is None or weighed is None or weighed.remaining_s is None or weighed.step_s is None:
        return plan.candidates
    made = (weighed.remaining_s - left_s) / weighed.step_s.value
    return (_less(each, made) for each in plan.candidates)


def is_cut_by_budget(job: Job, decision: Decision | None) -> bool:
    """Whether the time left is that until the budget is spent, before the job is done."""
    if job.phase.is_final or decision is None:
        return False
    return bought_iterations(job, decision.plan.candidates) is not None


def _cut_by_budget(job: Job, decision: Decision | None) -> Iterable[str]:
    """Says that what remains is not all of the job, if the budget does not buy all."""
    if is_cut_by_budget(job, decision):
        yield (
            "the dollars and the time left are for the iterations that the budget still buys, "
            "which are not all that are left"
        )


def _of_one_phase(job: Job, decision: Decision | None) -> Iterable[str]:
    if not job.phase.is_final and decision and decision.plan.candidates:
        yield from covers(job)


def covers(job: Job) -> Iterable[str]:
    """Says which training phases a job's time left does not cover; nothing if it covers all."""
    others = " and ".join(other_phases(job))
    if others:
        yield f"what is left of {others} comes on top of the dollars and the time left"


def _less(candidate: Candidate, iterations: float) -> Candidate:
    """The candidate with so many iterations less to make."""
    if candidate.step_s is None or candidate.remaining_s is None:
        return candidate
    made_s = iterations * candidate.step_s.value
    remaining_usd = candidate.remaining_usd
    if remaining_usd is not None and candidate.usd_per_h is not None:
        remaining_usd = max(remaining_usd - made_s * candidate.usd_per_h / _S_PER_H, 0.0)
    return replace(
        candidate,
        remaining_s=max(candidate.remaining_s - made_s, 0.0),
        remaining_usd=remaining_usd,
    )


def _waits_because(seen: JobOverview) -> str | None:
    # A decision from before the job ended says nothing about its new run.
    if seen.decision is not None and seen.decision.last_at_s >= _begun_s(seen):
        return seen.decision.plan.reason.text
    return None


def with_present_reason(seen: JobOverview) -> Job:
    """The job with the reason for which it waits now: its own is that for which it began to."""
    because = _waits_because(seen)
    if seen.job.phase is JobPhase.WAITING and seen.job.message and because:
        return replace(seen.job, message=because)
    return seen.job


def _begun_s(seen: JobOverview) -> float:
    """When the job was wanted, or was wanted again after it had been over."""
    if seen.resumes:
        return seen.resumes[-1].resumed_at_s
    return seen.job.submitted_at_s


def _progress(
    job: Job, current: Group | None, decision: Decision | None, *, now_s: float
) -> schemas.ProgressOut:
    total = job.spec.iterations
    weighed = decision.plan.candidate(current) if decision else None
    if weighed is None or weighed.step_s is None:
        step_s = None
    else:
        step_s = weighed.step_s.value
    return schemas.ProgressOut(
        iteration=job.iteration,
        iterations=total,
        unit=unit_of(job),
        fraction=None if total is None else min(job.iteration / total, 1.0),
        iterations_per_s=None if step_s is None else 1 / step_s,
        eta_s=time_left_s(job, current, decision, now_s=now_s),
    )


def preparing_of(seen: JobOverview, *, now_s: float) -> tuple[str, ...]:
    """The step that each of a job's living nodes takes before it can train; none once it can.

    What is usual is the median: of boots by machines of its type, for any job. What a node prepares
    its job brings, so there the job's own earlier nodes count.
    """
    steps = (_step(each, seen.boots, seen.prepared_s, now_s) for each in seen.nodes)
    return tuple(each for each in steps if each)


def _step(node: Node, boots: Sequence[Boot], prepared_s: Sequence[float], now_s: float) -> str:
    match node.phase:
        case NodePhase.INTENDED:
            return _timed(f"buying {node.id}", now_s - node.intended_at_s, ())
        case NodePhase.BOOTING:
            began_s = node.launched_at_s or node.intended_at_s
            of_type = [each for each in boots if each.node_type == node.offering.node_type]
            alike = [each.boot_s for each in of_type if each.image == node.image]
            usual = alike or [each.boot_s for each in of_type]
            return _timed(f"booting {node.id}", now_s - began_s, usual)
        case NodePhase.JOINED if node.preparing is not None and node.prepares_since_s is not None:
            what = f"{node.preparing.what} on {node.id}"
            return _timed(what, now_s - node.prepares_since_s, prepared_s)
        case NodePhase.JOINED if node.agent_state is AgentState.WARMING:
            return f"loading its modules on {node.id}"
        case _:
            return ""


def _timed(what: str, elapsed_s: float, usual_s: Sequence[float]) -> str:
    text = f"{what}, {duration(max(elapsed_s, 0.0))}"
    if usual_s:
        text += f" of about {duration(median(usual_s))}"
    return text


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
    seen: JobOverview, *, blocks: Sequence[Unavailable], now_s: float
) -> schemas.WaitingOut | None:
    """What a job waits for; None while it has nodes or needs none."""
    job = seen.job
    if seen.nodes or job.phase.is_final or job.phase is JobPhase.DRAINING:
        return None
    # It waits since its last node, or since it began, or since it was resumed.
    begun_s = _begun_s(seen)
    since_s = max(begun_s, seen.last_held_s or begun_s)
    # Only offerings that the job may use, refused now or lately.
    known = {each.offering: each for each in seen.pools}
    unfit = seen.decision.plan.left_out if seen.decision else {}
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
