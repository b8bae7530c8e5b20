"""Resumes as rows: each time that a job which was over goes on, with nothing left of what had ended
it."""

from __future__ import annotations

import json
from collections.abc import Collection

from sqlalchemy import Connection, Row, bindparam, select

from elastic.errors import Conflict
from elastic.figures import instant, usd
from elastic.model import Job, JobPhase, JobSpec, Objective, Resume, move_job
from elastic.store import jobs as job_rows
from elastic.store import ledger, nodes
from elastic.store.code import refuse_unknown
from elastic.store.codec import by_job, to_text
from elastic.store.differences import differences
from elastic.store.engine import Repository
from elastic.store.events import add_event
from elastic.store.schema import events, resumes

_OF_JOB = select(resumes).where(resumes.c.job_id == bindparam("job_id")).order_by(resumes.c.number)
_OF_JOBS = (
    select(resumes)
    .where(resumes.c.job_id.in_(bindparam("job_ids", expanding=True)))
    .order_by(resumes.c.number)
)
_CHECKPOINT = (
    select(events.c.numbers)
    .where(events.c.job_id == bindparam("job_id"), events.c.kind == "checkpoint")
    .order_by(events.c.id.desc())
    .limit(1)
)


class Resumes(Repository):
    """How jobs that were over went on."""

    def of(self, job_id: str) -> tuple[Resume, ...]:
        """Each time that a job went on after it had ended, oldest first."""
        with self._database.read() as connection:
            return listed(connection, job_id)

    def retained(self, job_id: str) -> int:
        """The iterations at which the job would go on, were it resumed now. Raises NotFound."""
        with self._database.read() as connection:
            return _retained(connection, job_rows.get(connection, job_id))

    def stored(self, job_id: str) -> int | None:
        """At which iteration a job's newest stored checkpoint was made, as far as it is known; None
        if it has none."""
        with self._database.read() as connection:
            return _stored(connection, job_rows.get(connection, job_id))

    def resume(
        self, job_id: str, spec: JobSpec, *, now_s: float, why_precision: str = "", by: str = ""
    ) -> Job:
        """Makes a job that is over, but did not succeed, wanted again as `spec`: the same job, from
        its newest checkpoint on. A paused one goes on.

        Its failures count from 0 again; its generations, rounds and dollars go on. Raises Conflict
        if it cannot go on: it goes on already, it succeeded, a node of it is not gone, its name is
        another's, its budget is spent, its deadline has passed. Raises NotFound if its code is not
        stored any more.

        Its event says `by` whom, and `why_precision`, where it got its precision now.
        """
        with self._database.write() as connection:
            job = job_rows.get(connection, job_id)
            return _resume(connection, job, spec, now_s, why_precision=why_precision, by=by)


def listed(connection: Connection, job_id: str) -> tuple[Resume, ...]:
    """Each time that a job went on after it had ended, oldest first."""
    return tuple(_to_resume(each) for each in connection.execute(_OF_JOB, {"job_id": job_id}))


def listed_of(connection: Connection, job_ids: Collection[str]) -> dict[str, tuple[Resume, ...]]:
    """The same for each of these jobs."""
    rows = connection.execute(_OF_JOBS, {"job_ids": list(job_ids)})
    return by_job(job_ids, ((row.job_id, _to_resume(row)) for row in rows))


def _to_resume(row: Row[tuple[object, ...]]) -> Resume:
    return Resume(row.ended_at_s, JobPhase(row.ending), row.resumed_at_s)


def _resume(
    connection: Connection, job: Job, spec: JobSpec, now_s: float, *, why_precision: str, by: str
) -> Job:
    if job.phase is JobPhase.PAUSED:
        return _go_on(connection, job, spec, now_s, by=by)
    _refuse_phase(job)
    _refuse_living_nodes(connection, job)
    _refuse_a_taken_name(connection, job)
    _refuse_limits(job, spec.objective, ledger.spent(connection, job.id, now_s), now_s)
    if spec.code is not None:
        refuse_unknown(connection, spec.code)
    # How much of its work can be continued.
    retained = _retained(connection, job)
    number = len(listed(connection, job.id)) + 1
    if job.finished_at_s is None:
        ended_at_s = now_s
    else:
        ended_at_s = job.finished_at_s
    values = {
        "job_id": job.id,
        "number": number,
        "ended_at_s": ended_at_s,
        "ending": job.phase,
        "resumed_at_s": now_s,
    }
    connection.execute(resumes.insert().values(**values))
    # The job's row begins again: failures count from 0, and lost iterations are to be redone.
    again = {
        "phase": move_job(job.phase, JobPhase.SUBMITTED),
        "spec": to_text(spec),
        "code": spec.code,
        "version": job.version + 1,
        "iteration": retained,
        "redone": job.redone + max(job.iteration - retained, 0),
        "failures": 0,
        "failed_iteration": -1,
        # Other code may read back what is there.
        "restarts_at_zero": job.restarts_at_zero and spec.code == job.spec.code,
    }
    job_rows.change(
        connection,
        job.id,
        again | dict.fromkeys(("finished_at_s", "ending", "message", "error", "target")),
    )
    # One event says where it begins, what is different, and how it had ended.
    asked = f"is resumed {by}".rstrip()
    begins = f"job {job.spec.name} {asked} at iteration {retained}{_why_at_zero(job, retained)}"
    if why_precision:
        begins += f" in {spec.precision}: {why_precision}"
    said = "; ".join([begins, *differences(job.spec, spec)])
    text = f"{said}; it {job.phase.predicate}" + (f": {job.message}" if job.message else "")
    numbers = {"iteration": retained, "resume": number}
    add_event(connection, "job_resumed", text, job_id=job.id, numbers=numbers, now_s=now_s)
    return job_rows.get(connection, job.id)


def _go_on(connection: Connection, job: Job, spec: JobSpec, now_s: float, *, by: str) -> Job:
    """Lets a paused job go on: it waits until the next tick, as a new one does."""
    _refuse_limits(job, spec.objective, ledger.spent(connection, job.id, now_s), now_s)
    if spec.code is not None:
        refuse_unknown(connection, spec.code)
    values = {
        "phase": move_job(job.phase, JobPhase.WAITING),
        "spec": to_text(spec),
        "code": spec.code,
        "version": job.version + 1,
        "message": None,
    }
    job_rows.change(connection, job.id, values)
    asked = f"job {job.spec.name} goes on, {by}" if by else f"job {job.spec.name} goes on"
    text = "; ".join([asked, *differences(job.spec, spec)])
    add_event(connection, "job_resumed", text, job_id=job.id, now_s=now_s)
    return job_rows.get(connection, job.id)


def _refuse_phase(job: Job) -> None:
    name = job.spec.name
    if job.phase is JobPhase.SUCCEEDED:
        raise Conflict(
            f"job {name} succeeded; there is nothing left to do: submit another one to train on"
        )
    if job.phase is JobPhase.DRAINING:
        raise Conflict(f"job {name} {job.phase.predicate}; it can be resumed once it has ended")
    if not job.phase.may_resume:
        raise Conflict(
            f"job {name} {job.phase.predicate}; it goes on, and there is nothing to resume"
        )


def _refuse_living_nodes(connection: Connection, job: Job) -> None:
    living = nodes.listed(connection, job.id)
    if living:
        raise Conflict(
            f"job {job.spec.name} has a node that has not ended yet, {living[0].id}: try again "
            "when it has"
        )


def _refuse_a_taken_name(connection: Connection, job: Job) -> None:
    other = job_rows.living_of_name(connection, job.spec.name)
    if other is not None:
        raise Conflict(
            f"job {job.spec.name} cannot go on: its name is {other}'s now, which goes on: stop "
            "that first"
        )


def _refuse_limits(job: Job, objective: Objective, spent_usd: float, now_s: float) -> None:
    budget_usd = objective.budget_usd
    deadline_s = objective.deadline_s
    if budget_usd is not None and spent_usd >= budget_usd:
        raise Conflict(
            f"job {job.spec.name} has spent {usd(spent_usd)}, and its budget is {usd(budget_usd)}: "
            "resume it with a higher one (--budget)"
        )
    if deadline_s is not None and deadline_s <= now_s:
        raise Conflict(
            f"job {job.spec.name} was to be done by {instant(deadline_s)}, which has passed: "
            "resume it with a later deadline (--deadline 6h)"
        )


def _retained(connection: Connection, job: Job) -> int:
    """The iterations that the newest checkpoint holds which the script is known to have made, and
    to read back."""
    stored = _stored(connection, job)
    if job.restarts_at_zero:
        return 0
    if stored is None and job.kept_iteration is None:
        # A script that saves when it is asked to stop has done so; one that is not asked has not.
        if job.stops_when_asked is False:
            return 0
        return job.iteration
    if stored is None:
        return min(job.iteration, job.kept_iteration or 0)
    if job.kept_iteration is None:
        return stored
    return min(stored, job.kept_iteration)


def _why_at_zero(job: Job, retained: int) -> str:
    if retained or not job.iteration:
        return ""
    if job.restarts_at_zero:
        why = "does not read back what it saves"
    else:
        why = "has saved nothing"
    return f", of {job.iteration}, for its script {why}"


def _stored(connection: Connection, job: Job) -> int | None:
    numbers = connection.execute(_CHECKPOINT, {"job_id": job.id}).scalar_one_or_none()
    if numbers is None:
        return None
    kept = json.loads(numbers).get("iteration")
    if kept is None:
        return job.iteration
    return min(job.iteration, int(kept))
