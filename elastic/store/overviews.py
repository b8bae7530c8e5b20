"""How jobs stand: what lists of them and a job's resource show, in few queries for all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from elastic.model import Boot, Decision, Generation, Group, Job, Node, NodePhase, Pool, Resume
from elastic.store import (
    alarms,
    decisions,
    events,
    generations,
    jobs,
    ledger,
    nodes,
    pools,
    resumes,
)
from elastic.store.alarms import StoredAlarm
from elastic.store.engine import Repository, reads

_MOST_NOTES = 3


@dataclass(frozen=True, slots=True)
class JobOverview:
    """One job as it stands. Lists are oldest first where nothing else is said."""

    job: Job
    target: Group | None
    # Those that are not proven gone, newest first.
    nodes: tuple[Node, ...]
    generation: Generation | None
    # The nodes of that generation, gone ones too.
    members: tuple[Node, ...]
    # The newest.
    decision: Decision | None
    # Those of this job that stand.
    alarms: tuple[StoredAlarm, ...]
    resumes: tuple[Resume, ...]
    notes: tuple[str, ...]
    # The ledger's, and what it may have cost before it was adopted.
    spent_usd: float
    # Whether it is over, and its name means another job by now.
    is_followed: bool
    # When the last of its machines was gone, if it waits for others; None if it has had none.
    last_held_s: float | None
    # How long its nodes took to prepare; only while one of them prepares.
    prepared_s: tuple[float, ...]
    # Of all jobs' machines, newest first; only while a machine of these jobs boots.
    boots: tuple[Boot, ...]
    # All that something is known of; only while one of these jobs waits for machines.
    pools: tuple[Pool, ...]


def overviews(
    connection: Connection, asked: Sequence[Job], *, now_s: float
) -> tuple[JobOverview, ...]:
    """How these jobs stand, in their order. The number of queries does not depend on theirs."""
    ids = [each.id for each in asked]
    targets = jobs.targets(connection, ids)
    living = nodes.living(connection, ids)
    latest = generations.latest_of(connection, ids)
    members = _members(connection, latest, living)
    newest = decisions.newest_of(connection, ids)
    standing = alarms.standing(connection)
    resumed = resumes.listed_of(connection, ids)
    notes = events.notes(connection, ids, most=_MOST_NOTES)
    spent_usd = ledger.spent_by_job(connection, ids, now_s)
    followed = jobs.followed(connection, [each.id for each in asked if each.phase.is_final])
    every = [node for of_job in living.values() for node in of_job]
    preparing = {node.job_id for node in every if node.preparing is not None}
    prepared_s = nodes.prepared_s(connection, preparing)
    boots: tuple[Boot, ...] = ()
    if any(node.phase is NodePhase.BOOTING for node in every):
        boots = nodes.boots(connection)
    waiting = [each.id for each in asked if not (each.phase.is_final or living[each.id])]
    last_held_s: dict[str, float] = {}
    known: tuple[Pool, ...] = ()
    if waiting:
        last_held_s = nodes.last_held_s(connection, waiting)
        known = pools.listed(connection, now_s=now_s)
    return tuple(
        JobOverview(
            job=each,
            target=targets[each.id],
            nodes=living[each.id],
            generation=latest.get(each.id),
            members=members.get(each.id, ()),
            decision=newest.get(each.id),
            alarms=tuple(alarm for alarm in standing if alarm.job_id == each.id),
            resumes=resumed[each.id],
            notes=notes[each.id],
            spent_usd=spent_usd[each.id],
            is_followed=each.id in followed,
            last_held_s=last_held_s.get(each.id),
            prepared_s=prepared_s.get(each.id, ()),
            boots=boots,
            pools=known,
        )
        for each in asked
    )


def _members(
    connection: Connection,
    latest: Mapping[str, Generation],
    living: Mapping[str, tuple[Node, ...]],
) -> dict[str, tuple[Node, ...]]:
    """The nodes of each job's latest generation: those that live, then those that are gone."""
    found = {
        job_id: [node for node in living[job_id] if node.id in generation.node_ids]
        for job_id, generation in latest.items()
    }
    here = {node.id for some in found.values() for node in some}
    gone = {each for generation in latest.values() for each in generation.node_ids} - here
    if gone:
        for node in nodes.of_ids(connection, gone):
            found[node.job_id].append(node)
    return {job_id: tuple(some) for job_id, some in found.items()}


class Overviews(Repository):
    """How jobs stand."""

    of = reads(overviews)
