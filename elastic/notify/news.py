"""What is worth telling a person, and in which words. Pure: rows and instants in, messages out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from elastic import figures
from elastic.model import Job, JobPhase, LedgerRow, Missed, Topic, spent_usd
from elastic.store import AlarmRow

# The traceback's end is what one reads on a phone.
_MOST_LINES = 12
_OF_GOALS = tuple(each.value for each in Missed)
_OF_ENDINGS = {JobPhase.SUCCEEDED: Topic.FINISHED, JobPhase.CANCELLED: Topic.STOPPED}


@dataclass(frozen=True, slots=True)
class News:
    """One thing that happened. Its key names it: what has the same key is the same news."""

    key: str
    topic: Topic
    at_s: float
    title: str
    text: str
    # None: it is about the daemon.
    job_id: str | None = None


def ending_key(job_id: str, finished_at_s: float) -> str:
    """Names the end of a job; one that was resumed may end again."""
    return f"{job_id} ended {finished_at_s:.3f}"


def of_ending(job: Job, rows: Sequence[LedgerRow], *, now_s: float) -> News:
    """Says how a job ended, with its bill and, where it failed, its program's last lines."""
    assert job.finished_at_s is not None, "it has ended"
    lines = [_said(job)]
    if job.error is not None and job.phase is JobPhase.FAILED:
        lines += ["", *_last(job.error.lines or job.error.text)]
    lines += ["", *bill(job, rows, now_s=now_s)]
    return News(
        key=ending_key(job.id, job.finished_at_s),
        # Whatever is neither a success nor a person's wish: also a spent budget, and a missed goal.
        topic=_OF_ENDINGS.get(job.phase, Topic.FAILED),
        at_s=job.finished_at_s,
        title=f"job {job.spec.name} {job.phase.predicate}",
        text="\n".join(lines),
        job_id=job.id,
    )


def of_budget(job: Job, spent: float, *, share: float, now_s: float) -> News | None:
    """Says that this share of a job's budget is spent; None while it is not, and without a
    budget."""
    budget = job.spec.objective.budget_usd
    if budget is None or spent < share * budget:
        return None
    return News(
        # A raised budget is news once more.
        key=f"{job.id} spent {budget:g}",
        topic=Topic.BUDGET,
        at_s=now_s,
        title=f"job {job.spec.name} has spent {figures.percent(spent / budget)} of its budget",
        text=f"{figures.usd(spent)} of {figures.usd(budget)} are spent, {_progress(job)}. "
        "At the whole budget the job ends, and its checkpoints stay.",
        job_id=job.id,
    )


def of_losses(job: Job, lost: int, *, most: int, now_s: float) -> News | None:
    """Says that a job has lost more than `most` nodes; None if it has not."""
    if lost <= most:
        return None
    return News(
        key=f"{job.id} lost",
        topic=Topic.LOSSES,
        at_s=now_s,
        title=f"job {job.spec.name} has lost {lost} {'node' if lost == 1 else 'nodes'}",
        text=f"{lost} of its nodes were lost or taken back by the cloud, {_progress(job)}. "
        "It goes on; its page shows what was done again.",
        job_id=job.id,
    )


def of_alarm(alarm: AlarmRow, job: Job | None) -> tuple[News, ...]:
    """Says that an alarm began and, once it is, that it is over."""
    if job is None:
        subject, job_id = "elasticd", None
    else:
        subject, job_id = f"job {job.spec.name}", job.id
    what = alarm.kind.replace("_", " ")
    key = f"alarm {alarm.id}"
    if alarm.kind in _OF_GOALS:
        topic = Topic.AT_RISK
    else:
        topic = Topic.ALARM
    begun = News(key, topic, alarm.since_s, f"{subject}: {what}", alarm.text, job_id)
    if alarm.over_at_s is None:
        return (begun,)
    lasted = figures.duration(alarm.over_at_s - alarm.since_s)
    over = News(
        f"{key} over",
        Topic.OVER,
        alarm.over_at_s,
        f"{subject}: {what} is over",
        f"It lasted {lasted}. It was: {alarm.text}",
        job_id,
    )
    return begun, over


def bill(job: Job, rows: Sequence[LedgerRow], *, now_s: float) -> list[str]:
    """What a job has cost, by what it bought, from the ledger alone."""
    total = spent_usd(tuple(rows), now_s)
    lines = [f"{figures.usd(total)} spent{_of_budget(job)}, {_progress(job)}"]
    if job.iteration and total > 0:
        lines[0] += f", {figures.number(job.iteration / total)} iterations per dollar"
    ordered = sorted(rows, key=lambda row: row.offering)
    for offering, own in groupby(ordered, key=lambda row: row.offering):
        bought = tuple(own)
        usd = spent_usd(bought, now_s)
        seconds = sum((now_s if row.to_s is None else row.to_s) - row.from_s for row in bought)
        lines.append(f"  {offering}: {figures.duration(seconds)} of nodes, {figures.usd(usd)}")
    return lines


def _said(job: Job) -> str:
    return job.message or f"The job {job.phase.predicate}."


def _last(text: str) -> list[str]:
    return text.rstrip().splitlines()[-_MOST_LINES:]


def _of_budget(job: Job) -> str:
    budget = job.spec.objective.budget_usd
    return "" if budget is None else f" of {figures.usd(budget)}"


def _progress(job: Job) -> str:
    if job.spec.iterations is None:
        return f"{figures.counted(job.iteration, 'iteration')} done"
    return f"{figures.count(job.iteration)} of {figures.count(job.spec.iterations)} iterations done"
