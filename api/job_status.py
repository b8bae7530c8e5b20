"""Reads the state of a job: its progress, its nodes, its cost and its candidates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from api import schemas
from api.preparing import preparing_of
from api.waiting import waiting_of
from elastic.model import (
    Candidate,
    Decision,
    Generation,
    Group,
    Job,
    JobPhase,
    Mode,
    Node,
    Unavailable,
    unit_of,
    unseen_of,
    warnings_of,
)
from elastic.reconciler import training_group
from elastic.store import Store, StoredAlarm

_MOST_NOTES = 3
_UNSUCCESSFUL = (JobPhase.FAILED, JobPhase.BUDGET_EXHAUSTED)


def status_of(
    store: Store,
    job: Job,
    *,
    now_s: float,
    root: str | None = None,
    blocks: Sequence[Unavailable] = (),
) -> schemas.JobOut:
    """Reads what the job's resource shows.

    `root` is where nodes keep the files of all jobs, `blocks` what cannot be bought now.
    """
    decisions = store.decisions.listed(job.id, limit=1)
    candidates = decisions[0].plan.candidates if decisions else ()
    generation = store.generations.latest(job.id)
    nodes = store.nodes.listed(job.id)
    current = training_group(generation, nodes)
    target = store.jobs.target(job.id)
    members = members_of(store, generation, nodes)
    alarms = store.alarms.standing(job.id)
    return schemas.JobOut(
        **schemas.JobState.of(job).model_dump(),
        is_final=job.phase.is_final,
        progress=_progress(job, current, decisions, now_s=now_s),
        current_group=schemas.GroupOut.of_known(current),
        target_group=schemas.GroupOut.of_known(target),
        waits_because=None
        if nodes or job.phase.is_final
        else _waits_because(store, job, decisions),
        waiting=waiting_of(
            store, job, nodes=nodes, decisions=decisions, blocks=blocks, now_s=now_s
        ),
        preparing=list(preparing_of(store, nodes, now_s=now_s)),
        alarms=[each.sentence for each in alarms],
        attention=attention_of(store, job, alarms),
        warnings=[*unseen_of(job, generation, nodes, now_s=now_s), *warnings_of(job, now_s=now_s)],
        notes=list(store.events.notes(job.id, most=_MOST_NOTES)),
        running_mode=running_mode(members),
        is_preloaded=is_preloaded(members),
        spent_usd=store.ledger.spent(job.id, now_s),
        files_at=None if root is None else f"{root}/{job.id}",
        candidates=[schemas.CandidateOut.of(each) for each in candidates],
    )


def attention_of(store: Store, job: Job, alarms: Iterable[StoredAlarm]) -> str | None:
    """Why a person should look at a job; None if it goes well, or has ended well.

    `alarms` are those that stand, of any job. A failure no longer counts once a newer job has the
    same name: then somebody has looked.
    """
    if job.phase in _UNSUCCESSFUL:
        if store.jobs.get(job.spec.name).id != job.id:
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


def members_of(
    store: Store, generation: Generation | None, nodes: Sequence[Node]
) -> tuple[Node, ...]:
    """The members of a generation, including those that are gone.

    `nodes` are the job's living ones.
    """
    if generation is None:
        return ()
    ids = set(generation.node_ids)
    gone = ids - {node.id for node in nodes}
    return (
        *(node for node in nodes if node.id in ids),
        *(store.nodes.of_ids(gone) if gone else ()),
    )


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
    job: Job, current: Group | None, decisions: Sequence[Decision], *, now_s: float
) -> float | None:
    """How long a job still takes on the group that trains, by its newest decision; None if that is
    not known."""
    weighed = _candidate(current, decisions)
    if weighed is None or weighed.remaining_s is None:
        return None
    if job.spec.iterations is None or job.phase.is_final:
        return None
    # The decision may be some minutes old, and the job has run since.
    return max(weighed.remaining_s - (now_s - decisions[0].weighed_at_s), 0.0)


def _waits_because(store: Store, job: Job, decisions: Sequence[Decision]) -> str | None:
    resumes = store.resumes.of(job.id)
    if resumes:
        since_s = resumes[-1].resumed_at_s
    else:
        since_s = job.submitted_at_s
    # A decision from before the job ended says nothing about its new run.
    if decisions and decisions[0].last_at_s >= since_s:
        return decisions[0].plan.reason.text
    return None


def _progress(
    job: Job, current: Group | None, decisions: Sequence[Decision], *, now_s: float
) -> schemas.ProgressOut:
    total = job.spec.iterations
    weighed = _candidate(current, decisions)
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
        eta_s=time_left_s(job, current, decisions, now_s=now_s),
    )


def _candidate(group: Group | None, decisions: Sequence[Decision]) -> Candidate | None:
    candidates: tuple[Candidate, ...] = ()
    if decisions and group is not None:
        candidates = decisions[0].plan.candidates
    return next((each for each in candidates if each.group == group), None)
