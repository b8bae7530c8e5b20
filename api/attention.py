"""Says which jobs need a person, and why."""

from __future__ import annotations

from collections.abc import Iterable

from elastic.model import Job, JobPhase
from elastic.store import Store, StoredAlarm

_UNSUCCESSFUL = (JobPhase.FAILED, JobPhase.BUDGET_EXHAUSTED)


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
