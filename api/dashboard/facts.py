"""Reads the facts that pages about a job are made from, all at one instant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from api import schemas
from api.accounts import cost_over_time
from api.job_status import preparing_of, status_of, time_left_s
from api.outlook import JobForecast, outlook_of
from api.reports import costs_if_fixed, where_it_began
from elastic.model import Decision, Generation, Group, Job, LedgerRow, Node, Unavailable, idle_s
from elastic.policy import FixedChoice
from elastic.reconciler import training_group
from elastic.store import Event, Store, ThroughputPoint

_BUCKETS = 300
_COST_POINTS = 120
_DECISIONS = 100
_EVENTS = 60


@dataclass(frozen=True, slots=True)
class JobPageFacts:
    """The facts about one job. Lists are oldest first where nothing else is said."""

    now_s: float
    job: Job
    current: Group | None
    target: Group | None
    generation: Generation | None
    eta_s: float | None
    spent_usd: float
    nodes: tuple[Node, ...] = ()
    ledger: tuple[LedgerRow, ...] = ()
    # Newest first.
    decisions: tuple[Decision, ...] = ()
    throughput: tuple[ThroughputPoint, ...] = ()
    cost: tuple[schemas.CostPoint, ...] = ()
    # Cheapest first; empty until a group is both measured and priced.
    fixed: tuple[FixedChoice, ...] = ()
    # The fixed choice of the group that trained first.
    began: FixedChoice | None = None
    # For how long the job was over before it was resumed.
    idle_s: float = 0.0
    # What it waits for while it has no node.
    waiting: schemas.WaitingOut | None = None
    # The step that each node takes before it can train.
    preparing: tuple[str, ...] = ()
    # None before the first decision, and once the job ends.
    outlook: JobForecast | None = None
    # Why a person should look at it; None if there is no reason.
    attention: str | None = None


def job_facts(
    store: Store, job: Job, *, blocks: Sequence[Unavailable] = (), now_s: float
) -> JobPageFacts:
    """Reads what a job's page shows, in a time that does not grow with its measurements.

    `blocks` is what cannot be bought now.
    """
    decisions = store.decisions.listed(job.id, limit=_DECISIONS)
    rows = store.ledger.of_job(job.id)
    nodes = store.nodes.listed(job.id, include_gone=True)
    generation = store.generations.latest(job.id)
    status = status_of(store, job, blocks=blocks, now_s=now_s)
    fixed = costs_if_fixed(store, job, now_s=now_s)
    return JobPageFacts(
        now_s=now_s,
        job=job,
        current=training_group(generation, nodes),
        target=store.jobs.target(job.id),
        generation=generation,
        eta_s=status.progress.eta_s,
        spent_usd=status.spent_usd,
        nodes=nodes,
        ledger=rows,
        decisions=decisions,
        throughput=store.measurements.throughput(job.id, points=_BUCKETS),
        cost=tuple(cost_over_time(rows, points=_COST_POINTS, now_s=now_s)),
        fixed=fixed,
        began=where_it_began(store, job, fixed),
        idle_s=idle_s(store.resumes.of(job.id)),
        waiting=status.waiting,
        preparing=tuple(status.preparing),
        outlook=outlook_of(store, job, now_s=now_s),
    )


def brief_facts(store: Store, job: Job, *, now_s: float) -> JobPageFacts:
    """Reads what a list of jobs shows."""
    generation = store.generations.latest(job.id)
    nodes: tuple[Node, ...] = ()
    # Of a job that is over, nothing is in the making.
    if not job.phase.is_final:
        nodes = store.nodes.listed(job.id)
    return JobPageFacts(
        now_s=now_s,
        job=job,
        current=training_group(generation, nodes),
        target=store.jobs.target(job.id),
        generation=generation,
        eta_s=time_left(store, job, nodes, now_s=now_s),
        preparing=preparing_of(store, nodes, now_s=now_s),
        spent_usd=store.ledger.spent(job.id, now_s),
    )


def time_left(store: Store, job: Job, nodes: tuple[Node, ...], *, now_s: float) -> float | None:
    """Reads how long a job still takes; None if it is over, or if no pace is known."""
    if job.phase.is_final:
        return None
    current = training_group(store.generations.latest(job.id), nodes)
    return time_left_s(job, current, store.decisions.listed(job.id, limit=1), now_s=now_s)


def value_facts(store: Store, facts: JobPageFacts) -> JobPageFacts:
    """Adds what it takes to compare a job with others: its pace, dollars and forecast over time."""
    job = facts.job
    return replace(
        facts,
        ledger=store.ledger.of_job(job.id),
        throughput=store.measurements.throughput(job.id, points=_BUCKETS),
        idle_s=idle_s(store.resumes.of(job.id)),
        outlook=outlook_of(store, job, now_s=facts.now_s),
    )


def newest_events(store: Store, job_id: str) -> tuple[Event, ...]:
    """The latest events of a job, newest first."""
    # Other jobs' events stand between, so more than are shown are read.
    after = max(store.events.newest_id() - 50 * _EVENTS, 0)
    return store.events.listed(after=after, job_id=job_id, limit=50 * _EVENTS)[: -_EVENTS - 1 : -1]
