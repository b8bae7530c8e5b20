"""What the pages about a job are made from: values read from the store at one instant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from api.standings import standing_of
from elastic.model import Candidate, Decision, Generation, Group, Job, LedgerRow, Node, spent_usd
from elastic.reconciler import training_group
from elastic.store import Event, Store, ThroughputPoint

_BUCKETS = 300
_COST_POINTS = 120
_DECISIONS = 100
_EVENTS = 60


@dataclass(frozen=True, slots=True)
class CostPoint:
    """Dollars a job had cost by an instant."""

    at_s: float
    usd: float


@dataclass(frozen=True, slots=True)
class FixedChoice:
    """What the iterations done would have cost on one group from the first to the last, at its measured rate."""

    group: Group
    usd: float


@dataclass(frozen=True, slots=True)
class JobFacts:
    """One job as its pages show it. `decisions` are newest first, everything else oldest first.

    `fixed` is cheapest first; it is empty until a group is both measured and priced.
    """

    now_s: float
    job: Job
    current: Group | None
    target: Group | None
    generation: Generation | None
    eta_s: float | None
    spent_usd: float
    nodes: tuple[Node, ...] = ()
    ledger: tuple[LedgerRow, ...] = ()
    decisions: tuple[Decision, ...] = ()
    throughput: tuple[ThroughputPoint, ...] = ()
    cost: tuple[CostPoint, ...] = ()
    fixed: tuple[FixedChoice, ...] = ()


def job_facts(store: Store, job: Job, *, now_s: float) -> JobFacts:
    """Reads all that a job's page shows; the cost of it does not grow with the measurements stored."""
    decisions = store.decisions(job.id, limit=_DECISIONS)
    candidates = decisions[0].plan.candidates if decisions else ()
    rows = store.ledger_of_job(job.id)
    nodes = store.nodes(job.id, include_gone=True)
    generation = store.generation(job.id)
    standing = standing_of(store, job, now_s=now_s)
    return JobFacts(
        now_s=now_s,
        job=job,
        current=training_group(generation, nodes),
        target=store.target(job.id),
        generation=generation,
        eta_s=standing.progress.eta_s,
        spent_usd=standing.spent_usd,
        nodes=nodes,
        ledger=rows,
        decisions=decisions,
        throughput=store.throughput(job.id, buckets=_BUCKETS),
        cost=cumulative_cost(rows, now_s=now_s),
        fixed=fixed_choices(job, candidates),
    )


def brief_facts(store: Store, job: Job, *, now_s: float) -> JobFacts:
    """Reads what a list shows of a job."""
    generation = store.generation(job.id)
    return JobFacts(
        now_s=now_s,
        job=job,
        current=training_group(generation, store.nodes(job.id)),
        target=store.target(job.id),
        generation=generation,
        eta_s=None,
        spent_usd=store.spent(job.id, now_s),
    )


def newest_events(store: Store, job_id: str) -> tuple[Event, ...]:
    """Gives the latest events of a job, newest first."""
    after = max(store.newest_event_id() - 50 * _EVENTS, 0)
    return store.events(after=after, job_id=job_id, limit=50 * _EVENTS)[: -_EVENTS - 1 : -1]


def cumulative_cost(rows: Sequence[LedgerRow], *, now_s: float) -> tuple[CostPoint, ...]:
    """Gives what the rows had cost at evenly spread instants from the first dollar on; the last is their total."""
    if not rows:
        return ()
    first_s = min(row.from_s for row in rows)
    last_s = max([first_s, *(now_s if row.to_s is None else row.to_s for row in rows)])
    instants = [first_s + (last_s - first_s) * step / _COST_POINTS for step in range(_COST_POINTS)]
    early = [CostPoint(at_s, sum(_usd_by(row, at_s) for row in rows)) for at_s in instants]
    return (*early, CostPoint(last_s, spent_usd(tuple(rows), now_s)))


def fixed_choices(job: Job, candidates: Sequence[Candidate]) -> tuple[FixedChoice, ...]:
    """Gives what the iterations done would have cost on each group alone, cheapest first."""
    choices = [
        FixedChoice(each.group, job.iteration / each.iterations_per_usd.value)
        for each in candidates
        if each.iterations_per_usd is not None and each.training_phase == (job.training_phase or each.training_phase)
    ]
    return tuple(sorted(choices, key=lambda each: (each.usd, each.group)))


def _usd_by(row: LedgerRow, at_s: float) -> float:
    end_s = at_s if row.to_s is None else min(at_s, row.to_s)
    return row.usd_per_h * max(end_s - row.from_s, 0.0) / 3600
