"""The store as the rest of elasticd sees it: each method is one transaction, committed when it
returns."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Concatenate, ParamSpec, TypeVar

from sqlalchemy import Connection, text

from elastic.model import (
    Boot,
    Capacity,
    Change,
    Decision,
    Generation,
    Group,
    Job,
    JobPhase,
    JobSpec,
    LedgerRow,
    Node,
    Offering,
    Plan,
    Pool,
    Price,
    Rounds,
    ScriptError,
    Series,
    Setup,
    Snapshot,
    Stint,
    Trained,
    Window,
    Workers,
)
from elastic.store import (
    decisions,
    events,
    generations,
    heartbeats,
    identity,
    jobs,
    ledger,
    measurements,
    nodes,
    notices,
    pools,
    prices,
    progress,
)
from elastic.store.code import Archives
from elastic.store.engine import Database
from elastic.store.events import Event
from elastic.store.facts import JobFacts, earlier, facts
from elastic.store.heartbeats import HeartbeatReport
from elastic.store.measurements import StoredWindow, ThroughputPoint
from elastic.store.nodes import LaunchIntent
from elastic.store.notices import Interruptions
from elastic.store.past_prices import PastPrices
from elastic.store.presence import Presence
from elastic.store.resumes import Resumes
from elastic.store.stillness import Stillness
from elastic.store.tallies import Tallies, tallies

P = ParamSpec("P")
R = TypeVar("R")


class Store:
    """Jobs, nodes, prices, measurements, decisions, ledger and events, in one database; threads may
    share it."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.past_prices, self.presence = PastPrices(database), Presence(database)
        self.code, self.resumes, self.stillness = (
            Archives(database),
            Resumes(database),
            Stillness(database),
        )

    def close(self) -> None:
        self._database.close()

    def ping(self) -> None:
        """Returns if the database answers. Raises StoreUnavailable."""
        self._read(lambda connection: connection.execute(text("SELECT 1")))

    def holder(self) -> str:
        """The name that this database's daemon holds its machines by, the same for all of its
        life."""
        return self._write(identity.holder)

    # jobs

    def submit_job(
        self,
        spec: JobSpec,
        *,
        key: str | None,
        request_hash: str,
        now_s: float,
        why_precision: str = "",
    ) -> tuple[Job, bool]:
        """Gives the job made from `spec` and True, or the one made earlier under `key` and False.

        Its first event says `why_precision`, where elasticd chose that.
        """
        return self._write(
            jobs.submit,
            spec,
            key=key,
            request_hash=request_hash,
            now_s=now_s,
            why_precision=why_precision,
        )

    def job(self, job_id: str) -> Job:
        """Gives the job of this id or name. Raises NotFound."""
        return self._read(jobs.get, job_id)

    def jobs(self, *, limit: int = 50, before: int | None = None) -> tuple[Job, ...]:
        """Jobs, newest first."""
        return tuple(job for _, job in self._read(jobs.listed, limit=limit, before=before))

    def job_seq(self, job_id: str) -> int:
        """The number that `jobs` pages by."""
        return self._read(jobs.seq, job_id)

    def unfinished_jobs(self) -> tuple[Job, ...]:
        """Jobs that still have something to do, oldest first."""
        return self._read(jobs.unfinished)

    def request_stop(
        self, job_id: str, ending: JobPhase, message: str | None, *, now_s: float
    ) -> Job:
        """Starts the job's orderly end. Raises Conflict if it has ended."""
        return self._write(jobs.drain, job_id, ending, message, now_s=now_s)

    def move_job(
        self, job_id: str, wanted: JobPhase, *, now_s: float, message: str | None = None
    ) -> None:
        self._write(jobs.move, job_id, wanted, now_s=now_s, message=message)

    def target(self, job_id: str) -> Group | None:
        """The group decided last."""
        return self._read(jobs.target, job_id)

    def set_spec(self, job_id: str, spec: JobSpec) -> Job:
        """Replaces what was asked for."""
        return self._write(jobs.set_spec, job_id, spec)

    def count_failure(self, job_id: str) -> int:
        """Counts one failure and gives how many came in a row without progress."""
        return self._write(jobs.count_failure, job_id)

    def note_error(self, job_id: str, error: ScriptError, *, generation: int) -> bool:
        """Remembers what a job's program failed with; True if it had failed with that before, at
        the same place."""
        return self._write(jobs.note_error, job_id, error, generation=generation)

    def rounds(self, job_id: str) -> Rounds:
        """What is on record of the rounds of a job's session."""
        return self._read(jobs.rounds, job_id)

    def facts(self, job_id: str, *, now_s: float) -> JobFacts:
        """Everything that a tick needs to know of a job, of one instant."""
        return self._read(facts, job_id, now_s=now_s)

    def earlier(self, job: Job) -> tuple[Trained, ...]:
        """What other jobs that ran the same program measured; the job itself need not be stored."""
        return self._read(earlier, job)

    # nodes and generations

    def nodes(self, job_id: str | None = None, *, include_gone: bool = False) -> tuple[Node, ...]:
        """Nodes, newest first; those proven gone only on request."""
        return self._read(nodes.listed, job_id, include_gone=include_gone)

    def node(self, node_id: str) -> Node:
        """Gives a node. Raises NotFound."""
        return self._read(nodes.get, node_id)

    def last_held_s(self, job_id: str) -> float | None:
        """When the last machine of a job was gone; None if it never had one."""
        return self._read(nodes.last_held_s, job_id)

    def nodes_of_ids(self, ids: Collection[str]) -> tuple[Node, ...]:
        """These nodes, gone ones too."""
        return self._read(nodes.of_ids, ids)

    def intend_launch(
        self,
        job_id: str,
        offering: Offering,
        *,
        count: int,
        workers: Workers,
        reason: str,
        request_hash: str,
        now_s: float,
    ) -> LaunchIntent:
        """Records that so many nodes shall be bought at once, before anyone is asked for them."""
        return self._write(
            nodes.intend_launch,
            job_id,
            offering,
            count=count,
            workers=workers,
            reason=reason,
            request_hash=request_hash,
            now_s=now_s,
        )

    def open_launches(self) -> tuple[LaunchIntent, ...]:
        """Purchases of which nobody knows yet what they bought, oldest first."""
        return self._read(nodes.open_launches)

    def nodes_of_launch(self, token: str) -> tuple[Node, ...]:
        """Every node that one purchase was to buy, gone ones too."""
        return self._read(nodes.of_launch, token)

    def note_asked(self, token: str, by: str) -> None:
        """Records by which of its calls the provider is about to ask for a launch."""
        self._write(nodes.note_asked, token, by)

    def node_launched(
        self,
        node_id: str,
        provider_id: str,
        *,
        launched_at_s: float,
        minimum_s: float,
        image: str | None = None,
    ) -> None:
        """Records that the machine exists; its ledger opens."""
        self._write(
            nodes.launched,
            node_id,
            provider_id,
            launched_at_s=launched_at_s,
            minimum_s=minimum_s,
            image=image,
        )

    def node_launched_at(self, node_id: str, at_s: float) -> None:
        """Records that the machine was bought at another instant than was thought; its ledger
        begins there."""
        self._write(nodes.launched_at, node_id, at_s)

    def launch_failed(
        self, token: str, why: str, *, for_want_of_capacity: bool = False, now_s: float
    ) -> None:
        """Records that a purchase bought nothing and never will."""
        self._write(
            nodes.launch_failed, token, why, for_want_of_capacity=for_want_of_capacity, now_s=now_s
        )

    def pools(self, *, now_s: float) -> tuple[Pool, ...]:
        """What is known of spot pools at an instant, over all jobs."""
        return self._read(pools.listed, now_s=now_s)

    def node_joined(self, node_id: str, *, now_s: float, setup: Setup | None = None) -> Node:
        """Records that the node's agent has registered, and what it says of the machine's
        set-up."""
        return self._write(nodes.joined, node_id, now_s=now_s, setup=setup)

    def boots(self) -> tuple[Boot, ...]:
        """How the machines booted that joined last, newest first, of all jobs: 16 of each node type
        and image."""
        return self._read(nodes.boots)

    def intend_end(self, node_id: str, *, reason: str, now_s: float) -> Node:
        """Records that a node shall end, before the provider is asked."""
        return self._write(nodes.intend_end, node_id, reason=reason, now_s=now_s)

    def touch_node(self, node_id: str) -> None:
        """Returns if something can be written down. Raises StoreUnavailable."""
        self._write(nodes.touch, node_id)

    def node_billed_from(self, node_id: str, at_s: float) -> None:
        """Records that the provider bills the machine itself only from this instant on."""
        self._write(nodes.billed_from, node_id, at_s)

    def node_stopping(self, node_id: str, *, at_s: float, why: str = "") -> None:
        """Records that the provider ends the machine though nobody had asked; it costs until it is
        gone."""
        self._write(nodes.stopping, node_id, at_s=at_s, why=why)

    def node_gone(
        self, node_id: str, *, at_s: float, is_waived: bool = False, why: str = ""
    ) -> None:
        """Records that a node is proven gone; its ledger closes. If `is_waived`, the machine itself
        cost nothing."""
        self._write(nodes.gone, node_id, at_s=at_s, is_waived=is_waived, why=why)

    def interruptions(self) -> tuple[Interruptions, ...]:
        """How often machines were taken away, by node type and by whether that was announced."""
        return self._read(notices.interruptions)

    def acked_seq(self, node_id: str) -> int:
        """The highest sequence number stored from a node."""
        return self._read(nodes.acked_seq, node_id)

    def generations(self, job_id: str) -> tuple[Generation, ...]:
        """All generations of a job, oldest first."""
        return self._read(generations.listed, job_id)

    def generation(self, job_id: str) -> Generation | None:
        """The generation recorded last."""
        return self._read(generations.latest, job_id)

    def start_generation(
        self, job_id: str, members: tuple[Node, ...], *, rdzv_endpoint: str, now_s: float
    ) -> Generation:
        """Records the next generation of a job."""
        return self._write(
            generations.start, job_id, members, rdzv_endpoint=rdzv_endpoint, now_s=now_s
        )

    def drain_generation(
        self, job_id: str, number: int, *, hangs: bool = False, now_s: float
    ) -> None:
        self._write(generations.drain, job_id, number, hangs=hangs, now_s=now_s)

    def end_generation(self, job_id: str, number: int, *, now_s: float) -> None:
        self._write(generations.end, job_id, number, now_s=now_s)

    def stints(self, job_id: str) -> tuple[Stint, ...]:
        """All generations of a job with their first and last iteration, oldest first."""
        return self._read(generations.stints, job_id)

    def changes(self, job_id: str, *, limit: int = 64) -> tuple[Change, ...]:
        """The latest decisions of a job that changed something, oldest first."""
        return self._read(decisions.changes, job_id, limit=limit)

    def first_step_at_s(self, job_id: str) -> float | None:
        """When the job's first iteration was done; None before that."""
        return self._read(generations.first_step_at_s, job_id)

    def saves(self, job_id: str) -> Mapping[str, int]:
        """Marks of the newest files that a job has saved, each with the iterations that were done
        by then."""
        return self._read(progress.saves_of, job_id)

    # prices and the ledger

    def add_price(
        self,
        offering: Offering,
        usd_per_h: float,
        *,
        valid_from_s: float,
        observed_at_s: float,
        source: str,
        extras_usd_per_h: float = 0.0,
    ) -> Price:
        """Records a price; the running ledger rows of its nodes go on at it."""
        return self._write(
            ledger.add_price,
            offering,
            usd_per_h,
            valid_from_s=valid_from_s,
            observed_at_s=observed_at_s,
            source=source,
            extras_usd_per_h=extras_usd_per_h,
        )

    def cited_prices(self, ids: Sequence[int]) -> tuple[Price, ...]:
        """The prices of these ids."""
        return self._read(prices.of_ids, ids)

    def prices(
        self, *, limit: int = 50, before: int | None = None, offering: Offering | None = None
    ) -> tuple[Price, ...]:
        """Prices, newest first."""
        return self._read(prices.listed, limit=limit, before=before, offering=offering)

    def prices_in_force(self, now_s: float, *, depth: int = 1) -> tuple[Price, ...]:
        """The price of every offering at an instant; with `depth` 2 also the ones before them."""
        return self._read(prices.all_in_force, at_s=now_s, depth=depth)

    def prices_observed_to_s(self, source: str, capacity: Capacity | None = None) -> float | None:
        """When a source was last heard to tell prices, of a capacity or of all; None if it never
        was."""
        return self._read(prices.observed_to_s, source, capacity)

    def ledger(
        self, job_id: str | None = None, *, limit: int = 50, before: int | None = None
    ) -> tuple[LedgerRow, ...]:
        """Ledger rows, newest first."""
        return self._read(ledger.listed, job_id, limit=limit, before=before)

    def ledger_of_job(self, job_id: str) -> tuple[LedgerRow, ...]:
        """All of a job's ledger rows, oldest first."""
        return self._read(ledger.of_job, job_id)

    def spent(self, job_id: str, now_s: float) -> float:
        """Dollars that a job has cost by `now_s`."""
        return self._read(ledger.spent, job_id, now_s=now_s)

    # measurements

    def record_heartbeat(self, node_id: str, report: HeartbeatReport, *, now_s: float) -> int:
        """Stores what one heartbeat brought that is not stored yet and gives how many windows were
        new."""
        return self._write(heartbeats.take_in, node_id, report, now_s=now_s)

    def append_windows(self, node_id: str, windows: Sequence[Window]) -> int:
        """Stores the windows not stored yet and gives how many were."""
        with self._database.write() as connection:
            return measurements.append(connection, nodes.get(connection, node_id), windows)

    def windows(
        self, job_id: str | None = None, *, limit: int = 50, before: int | None = None
    ) -> tuple[StoredWindow, ...]:
        """Measurements, newest first."""
        return self._read(measurements.listed, job_id, limit=limit, before=before)

    def recent_series(self, job_id: str) -> tuple[Series, ...]:
        """The newest warm windows of each group and training phase."""
        return self._read(measurements.recent_series, job_id)

    def trained(self, job_id: str) -> tuple[Trained, ...]:
        """All that a job ever did in warm windows, by group and training phase."""
        return self._read(measurements.trained, job_id)

    def begun(self, job_id: str) -> Mapping[str, int]:
        """What was done of each phase by the end of the job's first window."""
        return self._read(measurements.begun, job_id)

    def lost(self, job_id: str) -> tuple[tuple[float, float], ...]:
        """When the iterations were made that had to be done again: from and to, for each
        restart."""
        return self._read(measurements.lost, job_id)

    def throughput(
        self, job_id: str, *, since_s: float = 0.0, buckets: int = 300
    ) -> tuple[ThroughputPoint, ...]:
        """Throughput over time, in at most about `buckets` points, oldest first."""
        return self._read(measurements.throughput, job_id, since_s=since_s, points=buckets)

    # decisions and events

    def record_decision(
        self, snapshot: Snapshot, plan: Plan, policy: str, *, version: int = 1, sets_target: bool
    ) -> int:
        """Stores a decision, made by this version of a policy, and with it the group it wants;
        gives its id."""
        return self._write(
            decisions.record, snapshot, plan, policy, version=version, sets_target=sets_target
        )

    def decision(self, decision_id: int) -> Decision:
        """Gives a decision. Raises NotFound."""
        return self._read(decisions.get, decision_id)

    def decisions(
        self, job_id: str | None = None, *, limit: int = 50, before: int | None = None
    ) -> tuple[Decision, ...]:
        """Decisions, newest first."""
        return self._read(decisions.listed, job_id, limit=limit, before=before)

    def snapshot(self, decision_id: int) -> Snapshot:
        """What a decision was made from."""
        return self._read(decisions.snapshot, decision_id)

    def add_event(
        self,
        kind: str,
        text: str,
        *,
        job_id: str | None = None,
        node_id: str | None = None,
        now_s: float,
    ) -> None:
        self._write(events.add_event, kind, text, job_id=job_id, node_id=node_id, now_s=now_s)

    def events(
        self, *, after: int | None = 0, job_id: str | None = None, limit: int = 200
    ) -> tuple[Event, ...]:
        """The first events after the one of id `after`, or the newest of all if it is None; oldest
        first either way."""
        return self._read(events.listed, after=after, job_id=job_id, limit=limit)

    def notes(self, job_id: str, *, most: int) -> tuple[str, ...]:
        """The newest notes of a job's nodes and script, the oldest of them first; what was said
        again stands once."""
        return self._read(events.notes, job_id, most=most)

    def newest_event_id(self) -> int:
        """The id of the latest event, 0 before the first."""
        return self._read(events.newest_id)

    def tallies(self) -> Tallies:
        """How many jobs, decisions and events there are of each kind."""
        return self._read(tallies)

    def _read(
        self, query: Callable[Concatenate[Connection, P], R], *args: P.args, **kwargs: P.kwargs
    ) -> R:
        with self._database.read() as connection:
            return query(connection, *args, **kwargs)

    def _write(
        self, change: Callable[Concatenate[Connection, P], R], *args: P.args, **kwargs: P.kwargs
    ) -> R:
        with self._database.write() as connection:
            return change(connection, *args, **kwargs)
