"""Reads the facts that pages about a job are made from, all at one instant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from api import schemas
from api.accounts import cost_over_time
from api.job_status import preparing_of, status_of, time_left_s, with_present_reason
from api.outlook import JobForecast, outlook_of
from api.reports import costs_if_fixed, where_it_began
from elastic.model import Decision, Generation, Group, Job, LedgerRow, Node, Unavailable, idle_s
from elastic.policy import FixedChoice
from elastic.reconciler import training_group
from elastic.store import Event, JobOverview, Store, ThroughputPoint

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

    @property
    def decision(self) -> Decision | None:
        """The newest; None if there is none yet."""
        return next(iter(self.decisions), None)


def job_facts(
    store: Store, job: Job, *, blocks: Sequence[Unavailable] = (), now_s: float
) -> JobPageFacts:
    """Reads what a job's page shows, in a time that does not grow with its measurements.

    `blocks` is what cannot be bought now.
    """
    rows = store.ledger.of_job(job.id)
    nodes = store.nodes.listed(job.id, include_gone=True)
    (seen,) = store.overviews.of([job], now_s=now_s)
    status = status_of(seen, blocks=blocks, now_s=now_s)
    fixed = costs_if_fixed(store, job, now_s=now_s)
    return JobPageFacts(
        now_s=now_s,
        job=with_present_reason(seen),
        current=training_group(seen.generation, nodes),
        target=seen.target,
        generation=seen.generation,
        eta_s=status.progress.eta_s,
        spent_usd=status.spent_usd,
        nodes=nodes,
        ledger=rows,
        decisions=store.decisions.listed(job.id, limit=_DECISIONS),
        throughput=store.measurements.throughput(job.id, points=_BUCKETS),
        cost=tuple(cost_over_time(rows, points=_COST_POINTS, now_s=now_s)),
        fixed=fixed,
        began=where_it_began(store, job, fixed),
        idle_s=idle_s(seen.resumes),
        waiting=status.waiting,
        preparing=tuple(status.preparing),
        outlook=outlook_of(store, job, now_s=now_s),
    )


def brief_facts(seen: JobOverview, *, now_s: float) -> JobPageFacts:
    """What a list of jobs shows."""
    job = with_present_reason(seen)
    if job.phase.is_final:
        # Nothing is in the making.
        seen = replace(seen, nodes=())
    return JobPageFacts(
        now_s=now_s,
        job=job,
        current=training_group(seen.generation, seen.nodes),
        target=seen.target,
        generation=seen.generation,
        eta_s=time_left(seen, now_s=now_s),
        preparing=preparing_of(seen, now_s=now_s),
        spent_usd=seen.spent_usd,
    )


def time_left(seen: JobOverview, *, now_s: float) -> float | None:
    """How long a job still takes; None if it is over, or if no pace is known."""
    current = training_group(seen.generation, seen.nodes)
    return time_left_s(seen.job, current, seen.decision, now_s=now_s)


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
