"""Jobs as rows: submitting, reading, moving through their life."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice

from sqlalchemy import Connection, Row, bindparam, case, exists, func, or_, select, update

from elastic.durations import COOLDOWN_S
from elastic.errors import Conflict, NotFound
from elastic.model import (
    Batch,
    Group,
    Job,
    JobPhase,
    JobSpec,
    RoundRegistration,
    Rounds,
    ScriptError,
    move_job,
)
from elastic.store.code import refuse_unknown
from elastic.store.codec import from_text, group_from_text, spec_from_text, to_text
from elastic.store.differences import differences
from elastic.store.engine import Repository, reads, writes
from elastic.store.events import add_event
from elastic.store.schema import DONE, generations, jobs, windows

# What tells whether two jobs run the same.
Program = tuple[object, ...]

# Of more jobs than that only the newest are asked whether they ran the same program.
_LOOKED_THROUGH = 64

_IS_MEANT = jobs.c.id == bindparam("job_id")
_GET = select(jobs).where(_IS_MEANT)
_OF_NAME = (
    select(jobs)
    .where(jobs.c.name == bindparam("name"))
    .order_by(case((jobs.c.phase.in_(DONE), 1), else_=0), jobs.c.seq.desc())
    .limit(1)
)
_LIVING_OF_NAME = (
    select(jobs.c.id).where(jobs.c.name == bindparam("name"), jobs.c.phase.not_in(DONE)).limit(1)
)
_UNFINISHED = select(jobs).where(jobs.c.phase.not_in(DONE)).order_by(jobs.c.seq)
_ARE_MEANT = jobs.c.id.in_(bindparam("job_ids", expanding=True))
_TARGETS = select(jobs.c.id, jobs.c.target).where(_ARE_MEANT)
_OTHER = jobs.alias("other")
_FOLLOWED = select(jobs.c.id).where(
    _ARE_MEANT,
    exists().where(
        _OTHER.c.name == jobs.c.name, _OTHER.c.phase.not_in(DONE) | (_OTHER.c.seq > jobs.c.seq)
    )
    | exists().where(_OTHER.c.id == jobs.c.name, _OTHER.c.id != jobs.c.id),
)
_ROUNDS = select(jobs.c.newest_round, jobs.c.registered_round).where(_IS_MEANT)
_TURNS = select(func.sum(windows.c.iterations)).where(
    windows.c.job_id == bindparam("job_id"), windows.c.generation == bindparam("generation")
)
_CHANGE = update(jobs).where(_IS_MEANT)


def submit(
    connection: Connection,
    spec: JobSpec,
    *,
    key: str | None,
    request_hash: str,
    now_s: float,
    why_precision: str = "",
    by: str = "",
) -> tuple[Job, bool]:
    """Gives the job made from `spec` and True, or the one already made under `key` and False.

    Its first event says `by` whom, and `why_precision`, where elasticd chose that. Raises Conflict
    if `key` was used for another request, or if a job of this name still goes on; NotFound if its
    code was never stored.
    """
    if key is not None:
        earlier = connection.execute(
            select(jobs).where(jobs.c.idempotency_key == key)
        ).one_or_none()
        if earlier is not None:
            # The same key for something else is a mistake of the caller's, and no repeated request.
            if earlier.request_hash != request_hash:
                raise Conflict(
                    f"Idempotency-Key {key!r} was used for another request; use a new key for a "
                    "new job"
                )
            return to_job(earlier), False
    # Commands take names: two living jobs of one name would let `job stop` end the wrong one.
    if (living := living_of_name(connection, spec.name)) is not None:
        raise Conflict(
            f"wanted a name of its own, {spec.name!r} is {living}'s, which goes on: choose another "
            "or stop that"
        )
    if spec.code is not None:
        refuse_unknown(connection, spec.code)
    job_id = f"job-{secrets.token_hex(4)}"
    connection.execute(
        jobs.insert().values(
            id=job_id,
            name=spec.name,
            spec=to_text(spec),
            phase=JobPhase.SUBMITTED,
            submitted_at_s=now_s,
            code=spec.code,
            idempotency_key=key,
            request_hash=request_hash,
        )
    )
    change(
        connection,
        job_id,
        # Learnt from earlier jobs of the same program, which the row that was just written names.
        {"restarts_at_zero": _restarted_at_zero(connection, get(connection, job_id))},
    )
    asked = f"submitted {by}".rstrip()
    text = f"job {spec.name} {asked}, mode {spec.mode}"
    if spec.precision is not None:
        text += f", precision {spec.precision}" + (f": {why_precision}" if why_precision else "")
    add_event(connection, "job_submitted", text, job_id=job_id, now_s=now_s)
    return get(connection, job_id), True


def get(connection: Connection, job_id: str) -> Job:
    """Gives the job of this id, or else of this name the one that goes on, or else the newest.
    Raises NotFound."""
    return to_job(row(connection, job_id))


def living_of_name(connection: Connection, name: str) -> str | None:
    """The id of the job of this name that is not over, if there is one."""
    found: str | None = connection.execute(_LIVING_OF_NAME, {"name": name}).scalar()
    return found


def row(connection: Connection, job_id: str) -> Row[tuple[object, ...]]:
    """The row behind `get`."""
    # Ids first: jobs of earlier versions may be named like another's id.
    by_id = connection.execute(_GET, {"job_id": job_id}).one_or_none()
    found = by_id or connection.execute(_OF_NAME, {"name": job_id}).one_or_none()
    if found is None:
        raise NotFound(f"no job {job_id!r}; `elasticd job ls` lists them")
    return found


def seq(connection: Connection, job_id: str) -> int:
    """The number that lists of jobs are paged by."""
    found: int = row(connection, job_id).seq
    return found


def listed(
    connection: Connection,
    *,
    limit: int = 50,
    before: int | None = None,
    phases: Collection[JobPhase] = (),
    text: str = "",
) -> tuple[Job, ...]:
    """Jobs, newest first; `before` is the `seq` of one of them.

    Only those in one of `phases`, if there are any, and whose name or id contains `text`.
    """
    query = select(jobs).order_by(jobs.c.seq.desc()).limit(limit)
    if before is not None:
        query = query.where(jobs.c.seq < before)
    if phases:
        query = query.where(jobs.c.phase.in_(phases))
    if text:
        # What a person typed is no pattern.
        named = jobs.c.name.icontains(text, autoescape=True)
        query = query.where(named | jobs.c.id.icontains(text, autoescape=True))
    return tuple(to_job(each) for each in connection.execute(query))


def unfinished(connection: Connection) -> tuple[Job, ...]:
    """Jobs that still have something to do, oldest first."""
    return tuple(to_job(each) for each in connection.execute(_UNFINISHED))


def unfinished_rows(connection: Connection) -> Sequence[Row[tuple[object, ...]]]:
    """The rows behind `unfinished`."""
    return connection.execute(_UNFINISHED).all()


def move(
    connection: Connection,
    job_id: str,
    wanted: JobPhase,
    *,
    now_s: float,
    message: str | None = None,
) -> None:
    """Brings a job to another phase of its life. Raises Conflict if that is not legal."""
    current = get(connection, job_id)
    if current.phase is wanted:
        return
    values: dict[str, object] = {
        "phase": move_job(current.phase, wanted),
        "version": current.version + 1,
    }
    if wanted.is_final:
        values["finished_at_s"] = now_s
    if wanted is JobPhase.SUCCEEDED:
        values["error"] = None
    if current.phase in (JobPhase.WAITING, JobPhase.PAUSED):
        values["message"] = None  # why it waited is over
    if message is not None:
        values["message"] = message
    change(connection, job_id, values)
    text = f"job {current.spec.name} {wanted.predicate}" + (f": {message}" if message else "")
    add_event(connection, "job_phase", text, job_id=job_id, now_s=now_s)


def request_stop(
    connection: Connection, job_id: str, ending: JobPhase, message: str | None, *, now_s: float
) -> Job:
    """Starts a job's orderly end, which will be `ending`. A job that is ending already keeps its
    first ending. Raises Conflict if it has ended."""
    job = get(connection, job_id)
    if job.phase.is_final:
        raise Conflict(f"job {job.spec.name} {job.phase.predicate}; there is nothing to stop")
    if job.phase is not JobPhase.DRAINING:
        move(connection, job.id, JobPhase.DRAINING, now_s=now_s, message=message)
        # No target any more: a purchase that is under way for it would only be ended again.
        change(connection, job.id, {"ending": ending, "target": None})
    return get(connection, job.id)


def pause(connection: Connection, job_id: str, message: str, *, now_s: float) -> Job:
    """Pauses a job: the next tick has it save and ends its machines. A paused one stays so.

    Raises Conflict if it is ending or over.
    """
    job = get(connection, job_id)
    if job.phase is JobPhase.PAUSED:
        return job
    if not job.phase.may_pause:
        raise Conflict(f"job {job.spec.name} {job.phase.predicate}; there is nothing to pause")
    move(connection, job.id, JobPhase.PAUSED, now_s=now_s, message=message)
    return get(connection, job.id)


def rounds(connection: Connection, job_id: str) -> Rounds:
    """What is on record of the rounds of a job's session."""
    found = connection.execute(_ROUNDS, {"job_id": job_id}).one()
    return Rounds(newest=found.newest_round, registered=found.registered_round)


def note_rounds(
    connection: Connection,
    job_id: str,
    *,
    newest: int | None,
    next_round: RoundRegistration | None,
    node_id: str,
    now_s: float,
) -> None:
    """Records the newest round that a member trains in, and one that it is about to publish.

    Where the daemon does not answer, members publish rounds that are not on record: those are
    reported afterwards.
    """
    before = rounds(connection, job_id)
    values: dict[str, object] = {}
    texts = []
    # Members report in any order: an older round says nothing new.
    if newest is not None and newest > before.newest:
        values["newest_round"] = newest
        first = max(before.newest, before.registered) + 1
        if first <= newest:
            if first == newest:
                which = f"round {newest}"
            else:
                which = f"rounds {first} to {newest}"
            texts += [f"{which} of the session came about while the daemon was away"]
    if next_round is not None and next_round.round > before.registered:
        values["registered_round"] = next_round.round
        texts += [
            f"round {next_round.round} of the session is to have {next_round.members} "
            f"member{'s' * (next_round.members > 1)}"
        ]
    for text in texts:
        add_event(connection, "round", text, job_id=job_id, node_id=node_id, now_s=now_s)
    if values:
        change(connection, job_id, values)


def target(connection: Connection, job_id: str) -> Group | None:
    """The group decided last."""
    return to_target(connection.execute(_GET, {"job_id": job_id}).one())


def targets(connection: Connection, job_ids: Collection[str]) -> dict[str, Group | None]:
    """The same of each of these jobs."""
    rows = connection.execute(_TARGETS, {"job_ids": list(job_ids)})
    return {row.id: None if row.target is None else group_from_text(row.target) for row in rows}


def followed(connection: Connection, job_ids: Collection[str]) -> frozenset[str]:
    """Those of these jobs, all of them over, whose names mean other jobs by now to `get`."""
    return frozenset(connection.execute(_FOLLOWED, {"job_ids": list(job_ids)}).scalars())


def set_target(connection: Connection, job_id: str, group: Group | None) -> None:
    """Makes `group` what the job's nodes are brought to."""
    change(connection, job_id, {"target": None if group is None else to_text(group)})


def set_spec(
    connection: Connection,
    job_id: str,
    spec: JobSpec,
    *,
    by: str = "",
    version: int | None = None,
    now_s: float,
) -> Job:
    """Replaces what was asked for; an event says what is different, and `by` whom.

    The same spec again changes nothing. Raises Conflict unless the job has this `version`.
    """
    job = get(connection, job_id)
    # Two people may have the same page open: the second must not undo what it never saw.
    if version is not None and version != job.version:
        raise Conflict(
            f"job {job.spec.name} has changed meanwhile: look at it, and ask again if you still "
            "want to"
        )
    if spec == job.spec:
        return job
    change(connection, job.id, {"spec": to_text(spec), "version": job.version + 1})
    said = "; ".join(differences(job.spec, spec)) or "changed"
    text = f"job {job.spec.name}: {said}" + (f", {by}" if by else "")
    add_event(connection, "job_changed", text, job_id=job.id, now_s=now_s)
    return get(connection, job.id)


def count_failure(connection: Connection, job_id: str) -> int:
    """Counts one failure and gives how many came in a row without progress beyond the furthest of
    them."""
    job = row(connection, job_id)
    if _has_progressed(connection, job):
        count = 1
    else:
        count = job.failures + 1
    change(
        connection,
        job_id,
        {"failures": count, "failed_iteration": max(job.iteration, job.failed_iteration)},
    )
    return count


def note_error(connection: Connection, job_id: str, error: ScriptError, *, generation: int) -> bool:
    """Remembers what a job's program failed with; True if that is what it had failed with before,
    at the same place."""
    job = row(connection, job_id)
    turns = (
        connection.execute(_TURNS, {"job_id": job.id, "generation": generation}).scalar_one() or 0
    )
    found = replace(error, turns=turns, iteration=job.iteration)
    change(connection, job.id, {"error": to_text(found)})
    earlier = to_job(job).error
    return earlier is not None and found.is_again(earlier)


def learn_pause(connection: Connection, job_id: str, pause_s: float) -> None:
    """Records that the job makes pauses of this length by itself, unless a longer pause is
    known."""
    is_news = or_(jobs.c.longest_pause_s.is_(None), jobs.c.longest_pause_s < pause_s)
    connection.execute(
        update(jobs).where(jobs.c.id == job_id).where(is_news).values(longest_pause_s=pause_s)
    )


def forgive(connection: Connection, job_id: str) -> None:
    """Forgets what a job's program failed with, once it has gone on beyond that."""
    job = row(connection, job_id)
    error = to_job(job).error
    if error is not None and error.is_past(job.iteration) and _has_progressed(connection, job):
        change(connection, job_id, {"error": None})


def change(connection: Connection, job_id: str, values: Mapping[str, object]) -> None:
    """Writes these columns of a job's row."""
    connection.execute(_CHANGE, {"job_id": job_id, **values})


def _has_progressed(connection: Connection, job: Row[tuple[object, ...]]) -> bool:
    """Whether the job got beyond its last failure.

    A script that does not say which iteration it is at may begin at its first each time: what it
    counts grows for ever, so only a run that lasted is progress.
    """
    # The furthest failure, not the last one: a script that fails at 10, 5 and 10 again goes
    # nowhere.
    if job.iteration <= job.failed_iteration:
        return False
    query = (
        select(windows.c.iteration)
        .where(windows.c.job_id == job.id)
        .order_by(windows.c.id.desc())
        .limit(1)
    )
    if connection.execute(query).scalar_one_or_none() is not None:
        return True
    # A training of this length is progress, if its script does not name its iterations.
    mine = (generations.c.job_id == job.id) & (generations.c.number == job.progress_generation)
    lasted_s = generations.c.last_step_at_s - generations.c.first_step_at_s
    return (
        connection.execute(select(lasted_s).where(mine)).scalar_one_or_none() or 0.0
    ) >= COOLDOWN_S


def of_program(connection: Connection, job: Job, *, limit: int) -> tuple[str, ...]:
    """The ids of the newest other jobs that run the same program, of the newest `_LOOKED_THROUGH`
    of all."""
    program = job.spec.program
    alike = (each for each, other in programs(connection) if each != job.id and other == program)
    return tuple(islice(alike, limit))


def programs(connection: Connection) -> tuple[tuple[str, Program], ...]:
    """The ids of the newest jobs, `_LOOKED_THROUGH` of them, with what each runs."""
    query = select(jobs.c.id, jobs.c.spec).order_by(jobs.c.seq.desc()).limit(_LOOKED_THROUGH)
    return tuple((row.id, _program(row.spec)) for row in connection.execute(query))


def _restarted_at_zero(connection: Connection, job: Job) -> bool:
    """Whether the same code is known to begin at 0 after a restart. Code that the daemon does not
    hold may be other code."""
    if job.spec.code is None:
        return False
    newest = of_program(connection, job, limit=1)
    return any(row(connection, each).restarts_at_zero for each in newest)


@lru_cache(maxsize=_LOOKED_THROUGH)
def _program(spec: str) -> Program:
    return spec_from_text(spec).program


def to_job(row: Row[tuple[object, ...]]) -> Job:
    """One row as a value."""
    return Job(
        id=row.id,
        spec=spec_from_text(row.spec),
        phase=JobPhase(row.phase),
        submitted_at_s=row.submitted_at_s,
        version=row.version,
        iteration=row.iteration,
        training_phase=row.training_phase,
        finished_at_s=row.finished_at_s,
        ending=None if row.ending is None else JobPhase(row.ending),
        message=row.message,
        redone=row.redone,
        kept_iteration=row.kept_iteration,
        restarts_at_zero=row.restarts_at_zero,
        stops_when_asked=row.stops_when_asked,
        batch=None if row.batch is None else Batch(row.batch),
        error=None if row.error is None else from_text(ScriptError, row.error),
    )


def to_target(row: Row[tuple[object, ...]]) -> Group | None:
    """The group in one row."""
    if row.target is None:
        return None
    return group_from_text(row.target)


class Jobs(Repository):
    """Jobs, from what was asked for to their end."""

    submit = writes(submit)
    get = reads(get)
    listed = reads(listed)
    seq = reads(seq)
    unfinished = reads(unfinished)
    move = writes(move)
    request_stop = writes(request_stop)
    pause = writes(pause)
    target = reads(target)
    followed = reads(followed)
    set_spec = writes(set_spec)
    rounds = reads(rounds)
    count_failure = writes(count_failure)
    note_error = writes(note_error)
    learn_pause = writes(learn_pause)
