"""The raw facts about one job, read in one transaction: what a tick looks at."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, TypeVar

from sqlalchemy import Connection, Row

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
from elastic.store.engine import Database, Repository, Versions
from elastic.store.jobs import Program

Value = TypeVar("Value")

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
    # When its first machine was launched, or the first one after it was resumed; None: not yet.
    started_at_s: float | None = None


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


@dataclass(slots=True)
class _Reading:
    """A transaction that reads, and what had been written when it began."""

    connection: Connection
    versions: Versions
    # The newest jobs, with their programs; None until it is asked for.
    programs: tuple[tuple[str, Program], ...] | None = None


@dataclass(frozen=True, slots=True)
class _Batch:
    """The facts about all jobs that are not over, at one instant."""

    now_s: float
    versions: Versions
    facts: Mapping[str, JobFacts]


# What the facts about a job are read from, but for other jobs' runs of the same program: those are
# read again at the next tick.
_TABLES = ("jobs", "resumes", "nodes", "generations", "series", "windows", "decisions", "ledger")


class Facts(Repository):
    """What a tick looks at.

    What does not depend on the time is kept until a table changes that it is read from.
    """

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._batch: _Batch | None = None
        self._charged: tuple[tuple[int, ...], set[str], ledger.Charges] | None = None
        self._parts: dict[tuple[str, str], tuple[tuple[int, ...], Any]] = {}

    def of(self, job_id: str, *, now_s: float) -> JobFacts:
        """Gives the facts about a job at one instant. Raises NotFound."""
        batch = self._batch
        # A batch is for one instant: dollars grow with time, though nothing was written.
        if batch is not None and batch.now_s == now_s and job_id in batch.facts:
            versions = self._database.versions
            is_new = batch.versions is versions or (
                batch.versions.stamp(_TABLES, job_id) == versions.stamp(_TABLES, job_id)
            )
            if is_new:
                return batch.facts[job_id]
        with self._reading() as reading:
            row = jobs.row(reading.connection, job_id)
            living = nodes.listed(reading.connection, row.id)
            spent_usd = self._spent_usd(reading, row.id, now_s=now_s)
            return self._facts(reading, row, living, spent_usd)

    def prefetch(self, *, now_s: float) -> tuple[str, ...]:
        """Reads the facts about all jobs that are not over, in few queries, and gives their ids,
        oldest first.

        `of` gives these facts as long as nothing is written that concerns the job.
        """
        with self._reading() as reading:
            rows = jobs.unfinished_rows(reading.connection)
            # One query for the nodes of all jobs: one for each job would take longer than all else
            # together.
            living: dict[str, list[Node]] = {}
            for node in nodes.listed(reading.connection):
                living.setdefault(node.job_id, []).append(node)
            charges = self._charges(reading, {row.id for row in rows})
            found = {
                row.id: self._facts(
                    reading, row, tuple(living.get(row.id, ())), charges.spent_usd(row.id, now_s)
                )
                for row in rows
            }
        self._batch = _Batch(now_s, reading.versions, found)
        kept = found.keys() | {job_id for job_id, _ in reading.programs or ()}
        # What is kept is bounded: jobs that are over, and no program's past, go.
        self._parts = {key: part for key, part in self._parts.items() if key[1] in kept}
        return tuple(found)

    def _charges(self, reading: _Reading, job_ids: set[str]) -> ledger.Charges:
        """What these jobs have cost, read again when the ledger or the jobs are others."""
        stamp = reading.versions.stamp(("ledger",))
        known = self._charged
        if known is not None and known[:2] == (stamp, job_ids):
            return known[2]
        found = ledger.charges(reading.connection)
        self._charged = stamp, job_ids, found
        return found

    def _spent_usd(self, reading: _Reading, job_id: str, *, now_s: float) -> float:
        known = self._charged
        if known is None or known[0] != reading.versions.stamp(("ledger",)):
            return ledger.spent(reading.connection, job_id, now_s)
        if job_id not in known[1]:
            return ledger.spent(reading.connection, job_id, now_s)
        return known[2].spent_usd(job_id, now_s)

    def earlier(self, job: Job) -> tuple[Trained, ...]:
        """What the newest other jobs of the same program did in warm windows; the job itself need
        not be stored."""
        with self._reading() as reading:
            return earlier(reading.connection, job)

    @contextmanager
    def _reading(self) -> Iterator[_Reading]:
        # The versions first: what is read is then at least as new.
        versions = self._database.versions
        with self._database.read() as connection:
            yield _Reading(connection, versions)

    def _facts(
        self,
        reading: _Reading,
        row: Row[tuple[object, ...]],
        living: tuple[Node, ...],
        spent_usd: float,
    ) -> JobFacts:
        connection = reading.connection
        job_id = row.id
        job, target = jobs.to_job(row), jobs.to_target(row)
        stamps = reading.versions.stamps(_TABLES, job_id)

        def part(name: str, tables: tuple[str, ...], read: Callable[[], Value]) -> Value:
            stamp = tuple(count for each in tables for count in stamps[each])
            return self._part(name, job_id, stamp, read)

        resumed = part("resumes", ("resumes",), lambda: resumes.listed(connection, job_id))
        changes = part(
            "changes",
            ("decisions", "resumes"),
            lambda: _with_ends(decisions.changes(connection, job_id), resumed),
        )
        pauses_s = [each.at_s for each in changes if each.to_group is None]
        generation, hung, switches = part(
            "generations",
            ("generations", "nodes", "resumes", "decisions"),
            lambda: (
                generations.latest(connection, job_id),
                generations.hung(connection, job_id),
                generations.switches(connection, job_id, resumes=resumed, pauses_s=pauses_s),
            ),
        )
        return JobFacts(
            job=job,
            target=target,
            nodes=living,
            generation=generation,
            series=part(
                "series",
                ("series", "windows"),
                lambda: measurements.recent_series(connection, job_id),
            ),
            switches=switches,
            changes=changes,
            spent_usd=spent_usd,
            hung=hung,
            longest_pause_s=row.longest_pause_s,
            done_and_gone=_done_and_gone(connection, generation, {node.id for node in living}),
            earlier=self._earlier(reading, job),
            started_at_s=None
            if job.spec.max_duration_s is None
            else part(
                "started",
                ("nodes", "resumes"),
                lambda: nodes.first_launched_s(
                    connection, job_id, since_s=resumed[-1].resumed_at_s if resumed else 0.0
                ),
            ),
        )

    def _part(
        self, name: str, job_id: str, stamp: tuple[int, ...], read: Callable[[], Value]
    ) -> Value:
        """What `read` gives, read again when the stamp of its tables is another for the job."""
        known = self._parts.get((name, job_id))
        if known is not None and known[0] == stamp:
            value: Value = known[1]
            return value
        value = read()
        self._parts[name, job_id] = stamp, value
        return value

    def _earlier(self, reading: _Reading, job: Job) -> tuple[Trained, ...]:
        """What `earlier` gives, for all jobs in few queries."""
        connection = reading.connection
        if reading.programs is None:
            reading.programs = jobs.programs(connection)
        program = job.spec.program
        alike = (each for each, other in reading.programs if each != job.id and other == program)
        every = (
            self._part(
                "trained",
                job_id,
                reading.versions.stamp(("series",), job_id),
                partial(measurements.trained, connection, job_id),
            )
            for job_id in islice(alike, _EARLIER_JOBS)
        )
        return tuple(each for trained in every for each in trained if each.iterations)
