"""The raw facts about one job, read in one transaction: what a tick looks at."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection

from elastic.model import (
    Change,
    Generation,
    Group,
    Job,
    Node,
    Outcome,
    Resume,
    Series,
    Switch,
    Trained,
)
from elastic.store import decisions, generations, jobs, ledger, measurements, nodes, resumes
from elastic.store.engine import Repository, reads

# Older runs tell no more than these: images, libraries and clouds change.
_EARLIER_JOBS = 4


@dataclass(frozen=True, slots=True)
class JobFacts:
    """One job as it stands, with its living nodes, its latest generation and its past."""

    job: Job
    target: Group | None
    nodes: tuple[Node, ...]
    generation: Generation | None
    series: tuple[Series, ...]
    switches: tuple[Switch, ...]
    changes: tuple[Change, ...]
    # The ledger's.
    spent_usd: float
    # Members of a generation that goes on, whose machines are gone and whose workers were done.
    done_and_gone: frozenset[str] = frozenset()
    # How many generations in a row before the latest one stood still.
    hung: int = 0
    # How long the job pauses between two turns of its own; None if that is not known.
    longest_pause_s: float | None = None
    # What other jobs of the same program measured.
    earlier: tuple[Trained, ...] = ()


def facts(connection: Connection, job_id: str, *, now_s: float) -> JobFacts:
    """Gives the facts about a job at one instant. Raises NotFound."""
    row = jobs.row(connection, job_id)
    job = jobs.to_job(row)
    target = jobs.to_target(row)
    resumed = resumes.listed(connection, job_id)
    living = nodes.listed(connection, job_id)
    generation = generations.latest(connection, job_id)
    switches = generations.switches(connection, job_id, resumes=resumed)
    hung = generations.hung(connection, job_id)
    return JobFacts(
        job=job,
        target=target,
        nodes=living,
        generation=generation,
        series=measurements.recent_series(connection, job_id),
        switches=switches,
        changes=_with_ends(decisions.changes(connection, job_id), resumed),
        spent_usd=ledger.spent(connection, job_id, now_s),
        hung=hung,
        longest_pause_s=row.longest_pause_s,
        done_and_gone=_done_and_gone(connection, generation, {node.id for node in living}),
        earlier=earlier(connection, job),
    )


def earlier(connection: Connection, job: Job) -> tuple[Trained, ...]:
    """What the newest other jobs of the same program did in warm windows; the job itself need not
    be stored."""
    found = jobs.of_program(connection, job, limit=_EARLIER_JOBS)
    every = (each for job_id in found for each in measurements.trained(connection, job_id))
    return tuple(each for each in every if each.iterations)


def _done_and_gone(
    connection: Connection, generation: Generation | None, living: set[str]
) -> frozenset[str]:
    if (
        generation is None
        or generation.ended_at_s is not None
        or living.issuperset(generation.node_ids)
    ):
        return frozenset()
    return frozenset(
        node.id
        for node in nodes.of_ids(connection, set(generation.node_ids) - living)
        if node.exit is not None
        and (node.exit.generation, node.exit.outcome) == (generation.number, Outcome.SUCCEEDED)
    )


def _with_ends(changes: tuple[Change, ...], resumed: tuple[Resume, ...]) -> tuple[Change, ...]:
    """What was changed, and each end that the job has got over: a trial, say, that was going on was
    over by then."""
    ends = (Change(each.ended_at_s, None, None, each.ending) for each in resumed)
    return tuple(sorted((*changes, *ends), key=lambda change: change.at_s))


class Facts(Repository):
    """What a tick looks at."""

    of = reads(facts)
    earlier = reads(earlier)
