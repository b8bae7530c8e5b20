"""A simulated job's life in which things go wrong: the real reconciler, store and policy, in virtual
time."""

from __future__ import annotations

import math
import random
import sqlite3
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import structlog
from sqlalchemy import Engine, event

from benchmarks.soak.faults import DAY, Fault, FaultKind
from elastic.checkpoints import FolderObjects
from elastic.clock import SteadyClock
from elastic.errors import (
    ElasticError,
    Forbidden,
    LeaseLost,
    NotFound,
    PriceUnavailable,
    ProviderError,
    ProviderUnavailable,
    StoreUnavailable,
)
from elastic.model import Capacity, Job, Mode, Node, NodePhase, Notice, NoticeKind, Unavailable
from elastic.pricing import PriceSource, Quote, TracePrices
from elastic.providers import (
    FakeCloud,
    FakeProvider,
    Instance,
    InstanceState,
    LaunchRequest,
    LeaderLease,
    Operation,
)
from elastic.reconciler import Adoption, JobRecords, Timekeeper
from elastic.simulator import BEGINS_S, Simulation, bill_usd, lay_out
from elastic.simulator.agents import Agents
from elastic.simulator.simulation import REQUEST
from elastic.store import open_store

log = structlog.get_logger(__name__)

_CALLS = tuple(Operation)
# The clock of the daemon's machine is set by so much: from minutes to a day, both ways.
_STEPS = (600.0, 3_600.0, 7_200.0, DAY)
# A person adopts the job of a lost database within this time; its machines live for ten minutes.
_ADOPTED_WITHIN_S = 900.0
# In trouble the daemon looks at each of its ticks for a minute, and then every half a minute: what
# it would see in between differs by the time alone.
_CLOSELY_S = 60.0
_LOOSELY_S = 30.0
# Records of jobs are kept up to date at least so often, and just before a fault.
_KEPT_EVERY_S = 60.0
# What a user repeats a request by whose answer was lost.
KEY = "the user's key"
_STRAY = "node-stray"
_WRITES = ("INSERT", "UPDATE", "DELETE")


class DaemonDied(BaseException):
    """The daemon is no more. Nothing that it runs may catch this."""


@dataclass(slots=True)
class _Disk:
    """What becomes of writes, of all databases of this process."""

    is_full: bool = False
    # The daemon dies at the commit after so many of its own.
    commits_left: int | None = None
    is_the_daemons: bool = False


_disk = _Disk()


@event.listens_for(Engine, "before_cursor_execute")
def _write(_connection: Any, _cursor: Any, statement: str, *_: object) -> None:
    if _disk.is_full and statement.startswith(_WRITES):
        raise StoreUnavailable("the database refused: disk full; nothing was changed")


@event.listens_for(Engine, "commit")
def _commit(_connection: Any) -> None:
    if _disk.commits_left is None or not _disk.is_the_daemons:
        return
    _disk.commits_left -= 1
    if _disk.commits_left < 0:
        _disk.commits_left = None
        raise DaemonDied


@contextmanager
def _daemon_acts() -> Iterator[None]:
    """What is committed in the block, the daemon commits: all else only looks on."""
    _disk.is_the_daemons = True
    try:
        yield
    finally:
        _disk.is_the_daemons = False


@dataclass(slots=True)
class Feed:
    """The true prices, as far as the feed tells them."""

    truth: PriceSource
    factor: float = 1.0
    is_silent: bool = False
    name: str = "simulated"

    # Whether the source itself knows what no type can cost, and says so of such a price.
    knows_bounds: bool = True

    def refresh(self, now_s: float) -> tuple[Quote, ...]:
        if self.is_silent:
            raise PriceUnavailable("the feed does not answer")
        quotes = self.truth.refresh(now_s)
        if self.factor == 1.0:
            return quotes
        if self.knows_bounds:
            doubt = "out of its bounds"
        else:
            doubt = None
        return tuple(
            replace(each, usd_per_h=each.usd_per_h * self.factor, doubt=doubt) for each in quotes
        )


@dataclass
class FaultyAgents(Agents):
    """Agents whose heartbeats may not arrive. What they have to tell is kept until one does."""

    can_speak: Callable[[], bool] = lambda: True
    is_answered: Callable[[], bool] = lambda: True
    # Nodes whose machine has booted, so that their own timer runs.
    booted: set[str] = field(default_factory=set)
    # The newest sequence number of each node that the daemon has acknowledged.
    acknowledged: dict[str, int] = field(default_factory=dict)
    # What was lost with each node that ended while it trained, and not looked at yet.
    lost_with: list[tuple[str, int]] = field(default_factory=list)
    # The furthest iteration that was ever done.
    furthest: int = 0
    # Of nodes that were asked to stop: until when they save, and how many iterations.
    _saving: dict[str, tuple[float, int]] = field(default_factory=dict)

    def _obey(self, node_id: str, wanted: int | None) -> None:
        training = self._training
        super()._obey(node_id, wanted)
        if training is None or self._training is not None:
            return
        since_s = (self.clock.now_s() - training.begun_s) % self.program.checkpoint_s
        unsaved = min(int(since_s / training.step_s), self.done - training.begun_at)
        self._saving[node_id] = self.clock.now_s() + self.program.save_s, unsaved

    def _beat(self, agent: Any) -> None:
        if not self.can_speak():
            return
        self.furthest = max(self.furthest, self.done)
        if self.is_answered() or not agent.windows:
            with suppress(NotFound):  # its row was lost with the database
                super()._beat(agent)
                self.acknowledged[agent.node.id] = agent.seq
            return
        windows = list(agent.windows)
        with suppress(NotFound):
            super()._beat(agent)
        agent.windows[:] = windows
        agent.has_news = True

    def join(self, node: Node) -> None:
        self.booted.add(node.id)
        if self.can_speak():
            super().join(node)
        else:
            self.later(self.clock.now_s() + self.heartbeat_s, lambda: self.join(node))

    def gone(self, node_id: str) -> None:
        before = self.lost
        super().gone(node_id)
        saved_s, unsaved = self._saving.pop(node_id, (0.0, 0))
        if self.clock.now_s() < saved_s:
            self.done -= unsaved
            self.lost += unsaved
        self.furthest = max(self.furthest, self.done + self.lost - before)
        if self.lost > before:
            self.lost_with.append((node_id, self.lost - before))


class FaultyProvider(FakeProvider):
    """A client of the cloud that may be forbidden to end machines, and hears what time it is."""

    def __init__(
        self, cloud: FakeCloud, *, may_end: Callable[[], bool], answered: Callable[[], None]
    ) -> None:
        super().__init__(cloud)
        self._may_end = may_end
        self._answered = answered

    def instances(self) -> tuple[Instance, ...]:
        try:
            return super().instances()
        finally:
            self._answered()  # a refusal tells the time, too

    def terminate(self, provider_id: str, *, now_s: float) -> None:
        self._check("ec2:TerminateInstances")
        super().terminate(provider_id, now_s=now_s)

    def prove_end(self, provider_id: str) -> None:
        self._check("ec2:TerminateInstances")
        super().prove_end(provider_id)

    def _check(self, action: str) -> None:
        if not self._may_end():
            raise Forbidden(f"allow {action}")


@dataclass
class FaultyLife(Simulation):
    """A life in which `faults` happen. `after_look` is called after each look of a living daemon."""

    faults: tuple[Fault, ...] = ()
    after_look: Callable[[FaultyLife], None] = lambda life: None
    knows_bounds: bool = True
    has_timers: bool = True
    met: dict[FaultKind, int] = field(default_factory=dict)
    deaths: int = 0
    adoptions: int = 0
    agents: FaultyAgents = field(init=False)
    # Whether the database does not know the job: it was lost, and nobody has adopted the job yet.
    is_lost: bool = False
    # What is not so before these instants, in seconds of the world.
    away_until_s: float = 0.0
    deaf_until_s: float = 0.0
    no_boot_until_s: float = 0.0
    forbidden_until_s: float = 0.0
    unanswered_until_s: float = 0.0
    troubled_until_s: float = 0.0
    # From when to when another daemon has the machines.
    taken_s: tuple[float, float] = (0.0, 0.0)
    # Until when each kind of fault was at work.
    until_s: dict[FaultKind, float] = field(default_factory=dict)
    daemon_clock: SteadyClock = field(init=False)
    own_feed: Feed = field(init=False)
    records: JobRecords = field(init=False)
    _skew_s: float = 0.0
    _wrong_date_s: float = 0.0
    _closely_until_s: float = 0.0
    _strays: int = 0
    _kept_at_s: float = 0.0
    _known_job: Job | None = None
    _lease_ends_s: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.own_feed = Feed(
            TracePrices(self.market.rows(), started_at_s=BEGINS_S), knows_bounds=self.knows_bounds
        )
        self.feed = self.own_feed
        self.daemon_clock = self._new_clock(None)
        super().__post_init__()
        self.cloud.calls = deque(maxlen=10_000)
        self.agents = FaultyAgents(
            store=self.store,
            clock=self.clock,
            program=self.program,
            later=self._later,
            heartbeat_s=self.terms.heartbeat_s,
            mode=Mode.RESTART,
            chance=random.Random(self.terms.seed),
            can_speak=self.can_speak,
            is_answered=lambda: self.clock.now_s() >= self.unanswered_until_s,
        )
        for fault in self.faults:
            self._later(BEGINS_S + fault.at_s, partial(self._strike, fault))

    @property
    def job(self) -> Job:
        """The job as it stands, or as it stood before the database was lost."""
        try:
            self._known_job = super().job
        except NotFound:
            if self._known_job is None:
                raise
        return self._known_job

    def bill_usd(self) -> float:
        """What the job's machines really cost: not those that appear from elsewhere."""
        return bill_usd(
            [each for each in self.cloud.machines() if not is_stray(each)],
            self.market,
            began_s=BEGINS_S,
            minimum_s=self.cloud.minimum_billed_s,
            now_s=self.clock.now_s(),
        )

    @property
    def is_disk_full(self) -> bool:
        return _disk.is_full

    @property
    def is_taken(self) -> bool:
        """Whether another daemon has the machines."""
        from_s, until_s = self.taken_s
        return from_s <= self.clock.now_s() < until_s

    def is_quiet_but_for(self, *kinds: FaultKind) -> bool:
        """Whether nothing but these kinds of faults is at work, nor was within ten minutes."""
        now_s = self.clock.now_s()
        return all(
            now_s > until_s + 600.0 for kind, until_s in self.until_s.items() if kind not in kinds
        )

    def lease_ends_s(self, machine: Instance) -> float | None:
        """When its lease is over; None while no agent runs on it."""
        if machine.node_id not in self.agents.booted:
            return None
        return self._lease_ends_s.get(
            machine.provider_id, machine.launched_at_s + self.terms.lease_s
        )

    def unknown_usd(self) -> float:
        """Dollars between the least and the most that an adopted job can have cost before."""
        with sqlite3.connect(self.folder / "elasticd.db") as connection:
            query = "SELECT unknown_most_usd - unknown_least_usd FROM jobs WHERE id = ?"
            found = connection.execute(query, (self.job_id,)).fetchone()
        return (found and found[0]) or 0.0

    def ask_again(self) -> str:
        """The user repeats the request that submitted the job; gives the id of the job in the
        answer."""
        job, _ = self.store.jobs.submit(
            self.spec, key=KEY, request_hash=REQUEST, now_s=self.clock.now_s()
        )
        return job.id

    def can_speak(self) -> bool:
        """Whether heartbeats arrive and are taken in."""
        now_s = self.clock.now_s()
        is_there = now_s >= self.away_until_s and now_s >= self.deaf_until_s
        return is_there and not (_disk.is_full or self.is_lost)

    def _new_clock(self, began_s: float | None) -> SteadyClock:
        return SteadyClock(
            now_s=lambda: self.clock.now_s() + self._skew_s,
            elapsed_s=self.clock.now_s,
            began_s=began_s,
        )

    def _wire(self, provider: FakeProvider) -> None:
        super()._wire(
            FaultyProvider(
                provider.cloud,
                may_end=lambda: self.clock.now_s() >= self.forbidden_until_s,
                answered=self._tell_time,
            )
        )
        keeper = Timekeeper(self.daemon_clock, self.folder / "clock.json", "the cloud")
        self.reconciler.timekeeper = keeper
        self.reconciler.alarms.clocks = keeper.alarm
        bucket = FolderObjects(self.folder / "bucket")
        self.records = JobRecords(self.store, lambda: bucket, b"the secret")

    def _tell_time(self) -> None:
        """Each answer of the cloud says what time it is there."""
        self.daemon_clock.told(self.clock.now_s() + self._wrong_date_s)
        self._wrong_date_s = 0.0

    def _restart(self, *, has_clock: bool = True) -> None:
        """Another daemon starts on the database of the one that died. Its memory is gone."""
        self.deaths += 1
        _disk.commits_left = None
        for operation in _CALLS:
            self.cloud.relent(operation)
        self.store.close()
        self.store = self.agents.store = open_store(lay_out(self.folder / "elasticd.db"))
        before = self.daemon_clock
        # A time that nothing had confirmed was not written down for the next start.
        goes_on = has_clock and (before.is_confirmed or before.has_continued)
        self.daemon_clock = self._new_clock(before.now_s() if goes_on else None)
        self._decided = None
        self._wire(FakeProvider(self.cloud))
        with suppress(StoreUnavailable):
            self.store.presence.begin(now_s=self.daemon_clock.now_s())

    def _happen(self) -> None:
        try:
            super()._happen()
        except DaemonDied:
            self._restart()
            self._tick_by(self.clock.now_s())

    def _tick(self) -> None:
        now_s = self.clock.now_s()
        self._next_tick_s = math.inf
        if now_s < self.away_until_s:
            self._tick_by(self.away_until_s)
            return
        self._catch_up()
        try:
            try:
                self._hear()
            finally:
                self._end_leases()
            self.agents.has_news = False
            self._look_at_the_world()
            if not self.is_lost:
                self._look()
        except DaemonDied:
            self._restart()
            self._tick_by(now_s + self.terms.tick_s)
            return
        except LeaseLost:
            self._stand_down()
            return
        except ElasticError as error:
            log.warning("a simulated look failed", error=str(error))
            self._tick_by(now_s + self.terms.tick_s)
        self.ticks += 1
        self.after_look(self)
        if now_s < self._closely_until_s:
            self._tick_by(now_s + self.terms.tick_s)
        elif now_s < self.troubled_until_s or self.is_lost:
            self._tick_by(now_s + _LOOSELY_S)

    def _plan_next(self, now_s: float, blocks: tuple[Unavailable, ...]) -> None:
        if now_s >= self.troubled_until_s:  # else the next look comes soon anyway
            super()._plan_next(now_s, blocks)

    def _look_at_the_world(self) -> None:
        try:
            with _daemon_acts():
                self.reconciler.tick(now_s=self.daemon_clock.now_s())
        except LeaseLost:
            raise
        except ElasticError as error:
            log.warning("a simulated look failed", error=str(error))
        if self.clock.now_s() - self._kept_at_s >= _KEPT_EVERY_S:
            self._keep_records()

    def _keep_records(self) -> None:
        if _disk.is_full:
            return
        self._kept_at_s = self.clock.now_s()
        is_held = bool(self.reconciler.machines.held)
        with _daemon_acts():
            self.records.keep(is_lost=is_held, now_s=self.daemon_clock.now_s())

    def _catch_up(self) -> None:
        """What looks that were left out would have done: nothing happened, and each could prove
        that machines can be ended."""
        if self.clock.now_s() >= self.troubled_until_s:
            self.right.note_proof()

    def _hear(self) -> None:
        """Takes in what the agents say, and renews their leases."""
        if not self.can_speak():
            return
        with _daemon_acts():
            self.agents.beat()
        ends_s = self.clock.now_s() + self.right.lease_left_s()
        for node in self.store.nodes.listed(self.job_id):
            if node.provider_id is None:
                continue
            if node.phase is NodePhase.JOINED:
                self._lease_ends_s[node.provider_id] = ends_s
            elif node.phase is NodePhase.TERMINATING and node.id in self.agents.booted:
                # Its agent is told to power the machine off.
                self._lease_ends_s[node.provider_id] = self.clock.now_s()

    def _strike(self, fault: Fault) -> None:
        """Has a fault happen."""
        now_s = self.clock.now_s()
        if now_s >= self.away_until_s:
            self._catch_up()
            self._hear()
            if not self.is_lost:
                self._keep_records()
        self.met[fault.kind] = self.met.get(fault.kind, 0) + 1
        until_s = now_s + fault.lasts_s
        self.until_s[fault.kind] = max(self.until_s.get(fault.kind, 0.0), until_s)
        self.troubled_until_s = max(self.troubled_until_s, until_s)
        self._look_closely()
        self._later(until_s, self._look_closely)
        happens: dict[FaultKind, Callable[[Fault, float], None]] = {
            FaultKind.CRASH_AT_CALL: self._crash_at_call,
            FaultKind.CRASH_AT_COMMIT: self._crash_at_commit,
            FaultKind.AWAY: self._go_away,
            FaultKind.LOST_ANSWER: self._lose_answers,
            FaultKind.REFUSED: self._refuse,
            FaultKind.LATE_LISTING: self._list_late,
            FaultKind.NO_BOOT: self._boot_nothing,
            FaultKind.DIES: self._end_one,
            FaultKind.STORM: self._storm,
            FaultKind.CUT_OFF: self._cut_off,
            FaultKind.FULL_DISK: self._fill_disk,
            FaultKind.WRONG_PRICES: self._tell_wrong_prices,
            FaultKind.NO_PRICES: self._tell_no_prices,
            FaultKind.CLOCK: self._set_clock_wrong,
            FaultKind.REBOOTED: self._reboot,
            FaultKind.WRONG_DATE: self._tell_wrong_date,
            FaultKind.ODD_ERROR: self._answer_oddly,
            FaultKind.FORBIDDEN: self._forbid,
            FaultKind.UNANSWERED: self._answer_no_heartbeat,
            FaultKind.STRAY: self._add_stray,
            FaultKind.TAKEN_OVER: self._take_over,
            FaultKind.LOST_STORE: self._lose_store,
        }
        happens[fault.kind](fault, until_s)

    def _look_closely(self) -> None:
        self._closely_until_s = self.clock.now_s() + _CLOSELY_S
        self.troubled_until_s = max(self.troubled_until_s, self._closely_until_s)
        self._tick_by(self.clock.now_s())

    def _crash_at_call(self, fault: Fault, until_s: float) -> None:
        operation = _CALLS[int(fault.draw * len(_CALLS))]
        died: Any = DaemonDied()  # no error of a provider, so nothing handles it
        self.cloud.fail_next(operation, died, is_done=int(fault.draw * 1000) % 2 == 0)
        self._later(until_s, lambda: self.cloud.relent(operation))

    def _crash_at_commit(self, fault: Fault, until_s: float) -> None:
        _disk.commits_left = int(fault.draw * 20)

    def _go_away(self, fault: Fault, until_s: float) -> None:
        self.away_until_s = until_s
        self._await_ends()
        self._later(until_s, self._come_back)

    def _lose_answers(self, fault: Fault, until_s: float) -> None:
        operation = _CALLS[int(fault.draw * len(_CALLS))]
        lost = ProviderUnavailable("the answer is lost")
        self.cloud.fail_next(operation, lost, is_done=True, times=1 + int(4 * fault.draw))

    def _refuse(self, fault: Fault, until_s: float) -> None:
        self.cloud.throttled_until_s = until_s

    def _list_late(self, fault: Fault, until_s: float) -> None:
        self.cloud.visible_after_s = 60.0 * fault.draw
        self._later(until_s, self._list_at_once)

    def _boot_nothing(self, fault: Fault, until_s: float) -> None:
        self.no_boot_until_s = until_s
        self._look_on_for(fault.lasts_s + self.terms.register_s)

    def _cut_off(self, fault: Fault, until_s: float) -> None:
        self.deaf_until_s = until_s
        self._await_ends()

    def _fill_disk(self, fault: Fault, until_s: float) -> None:
        _disk.is_full = True
        self._later(until_s, self._empty_disk)

    def _tell_wrong_prices(self, fault: Fault, until_s: float) -> None:
        self.own_feed.factor = 1e-3 if fault.draw < 0.5 else 1e3
        self._later(until_s, self._tell_prices)

    def _tell_no_prices(self, fault: Fault, until_s: float) -> None:
        self.own_feed.is_silent = True
        self._later(until_s, self._tell_prices)

    def _set_clock_wrong(self, fault: Fault, until_s: float) -> None:
        self._skew_s = _step_s(fault)
        self._later(until_s, self._set_clock_right)

    def _reboot(self, fault: Fault, until_s: float) -> None:
        self._set_clock_wrong(fault, until_s)
        self._restart(has_clock=False)

    def _tell_wrong_date(self, fault: Fault, until_s: float) -> None:
        self._wrong_date_s = _step_s(fault)

    def _answer_oddly(self, fault: Fault, until_s: float) -> None:
        operation = _CALLS[int(fault.draw * len(_CALLS))]
        odd = ProviderError("wanted credentials, found none that work")
        self.cloud.fail_next(operation, odd, times=1 + int(4 * fault.draw))
        self._later(until_s, lambda: self.cloud.relent(operation))

    def _forbid(self, fault: Fault, until_s: float) -> None:
        self.forbidden_until_s = until_s

    def _answer_no_heartbeat(self, fault: Fault, until_s: float) -> None:
        self.unanswered_until_s = until_s

    def _add_stray(self, fault: Fault, until_s: float) -> None:
        self._strays += 1
        offerings = self.market.offerings
        with suppress(ProviderError):  # nothing is sold now
            self.cloud.launch(
                LaunchRequest(
                    token=f"stray-{self._strays}",
                    node_ids=(f"{_STRAY}-{self._strays}",),
                    job_id=self.job_id,
                    offering=offerings[int(fault.draw * len(offerings))],
                    daemon_url="",
                    join_token="",
                )
            )

    def _take_over(self, fault: Fault, until_s: float) -> None:
        if self.is_taken:
            return
        now_s = self.clock.now_s()
        self.taken_s = now_s, until_s
        version, _ = self.cloud.lease
        other = LeaderLease(
            "another database", "another run", "host b", version + 1, now_s, seen_at_s=until_s
        )
        self.cloud.lease = version + 1, other
        self._later(until_s, self._hand_back)

    def _hand_back(self) -> None:
        version, lease = self.cloud.lease
        if lease is not None and lease.run == "another run":
            self.cloud.lease = version + 1, replace(lease, is_over=True)

    def _stand_down(self) -> None:
        """The daemon has lost the machines to another one, and ends."""
        self.away_until_s = max(self.taken_s[1], self.clock.now_s() + 60.0)
        self._await_ends()
        self._later(self.away_until_s, self._come_back)

    def _lose_store(self, fault: Fault, until_s: float) -> None:
        now_s = self.clock.now_s()
        if self.is_lost or self.is_taken or now_s < self.away_until_s or self.job.phase.is_final:
            return
        if _disk.is_full:
            return  # no daemon starts on a new database that takes no write
        self.is_lost = True
        self.store.close()
        for path in self.folder.glob("elasticd.db*"):
            path.unlink()
        self._await_ends()
        self._later(min(until_s, now_s + _ADOPTED_WITHIN_S), self._adopt)
        self._restart()
        with suppress(ProviderError):
            self.reconciler.machines.leader_lease.acquire(takes_over=True)

    def _adopt(self) -> None:
        """A person has the daemon go on with the job."""
        now_s = self.clock.now_s()
        if now_s < self.away_until_s or _disk.is_full:
            self._later(now_s + 60.0, self._adopt)
            return
        adoption = Adoption(self.store, self.reconciler.machines, self.records, lambda: None)
        try:
            with _daemon_acts():
                self.records.refresh()
                adoption.adopt(self.job_id, now_s=self.daemon_clock.now_s())
        except (ElasticError, DaemonDied) as error:
            self._later(now_s + 60.0, self._adopt)
            if isinstance(error, DaemonDied):
                raise
            return
        self.is_lost = False
        self.adoptions += 1
        self._look_closely()

    def _come_back(self) -> None:
        if self.clock.now_s() < self.away_until_s:
            return
        self._end_leases()
        self._restart()
        if any(each.phase is NodePhase.BOOTING for each in self.store.nodes.listed(self.job_id)):
            # The daemon gives it the time to register once more: it could not hear it.
            self._look_on_for(self.terms.register_s)
        self._tick_by(self.clock.now_s())

    def _look_on_for(self, seconds: float) -> None:
        """Has looks go on until something should have happened."""
        until_s = self.clock.now_s() + seconds + 2 * _CLOSELY_S
        self.troubled_until_s = max(self.troubled_until_s, until_s)

    def _await_ends(self) -> None:
        self._later(self.clock.now_s() + self.right.lease_left_s(), self._end_leases)

    def _end_leases(self) -> None:
        """Each machine whose lease is over powers itself off, whatever its daemon does."""
        now_s = self.clock.now_s()
        for machine in self._living():
            ends_s = self.lease_ends_s(machine)
            if self.has_timers and ends_s is not None and ends_s <= now_s:
                self.cloud.reclaim(machine.provider_id)
                self.agents.gone(machine.node_id)
        if not self.can_speak() and self._living():
            self._later(now_s + 60.0, self._end_leases)

    def _living(self) -> list[Instance]:
        alive = (InstanceState.PENDING, InstanceState.RUNNING)
        return [each for each in self.cloud.machines() if each.state in alive]

    def _end_one(self, fault: Fault, until_s: float) -> None:
        living = self._living()
        if living:
            machine = living[int(fault.draw * len(living))]
            self.cloud.reclaim(machine.provider_id, why="Server.InternalError: the host failed")
            self.agents.gone(machine.node_id)

    def _storm(self, fault: Fault, until_s: float) -> None:
        notice_s = 120.0 if fault.draw < 0.7 else 0.0
        now_s = self.clock.now_s()
        for machine in self._living():
            if machine.offering.capacity is not Capacity.SPOT:
                continue
            self.losses += 1
            if notice_s:
                notice = Notice(NoticeKind.INTERRUPTION, now_s, now_s + notice_s, "terminate")
                self.agents.notice(machine.node_id, notice)
            self._later(now_s + notice_s, partial(self._reclaim, machine.provider_id))

    def _boot(self, node: Node) -> None:
        now_s = self.clock.now_s()
        if now_s < self.no_boot_until_s:
            return
        if not self.can_speak():
            self.agents.booted.add(node.id)
            self._later(now_s + self.terms.tick_s, lambda: self._boot(node))
            return
        with suppress(NotFound):  # its row was lost, and it is ended
            super()._boot(node)

    def _list_at_once(self) -> None:
        self.cloud.visible_after_s = 0.0

    def _empty_disk(self) -> None:
        _disk.is_full = False

    def _tell_prices(self) -> None:
        self.own_feed.factor = 1.0
        self.own_feed.is_silent = False

    def _set_clock_right(self) -> None:
        self._skew_s = 0.0

    def close(self) -> None:
        _disk.is_full = False
        _disk.commits_left = None
        with suppress(DaemonDied):
            super().close()

    def look_on(self) -> None:
        """A look after the job is over: what was begun comes to its end."""
        self._happen()
        if self.clock.now_s() < self.away_until_s:
            return
        try:
            self._look_at_the_world()
        except DaemonDied:
            self._restart()
        except LeaseLost:
            self._stand_down()


def is_stray(machine: Instance) -> bool:
    """Whether it appeared from elsewhere."""
    return machine.node_id.startswith(_STRAY)


def _step_s(fault: Fault) -> float:
    """By how much a clock is off."""
    sign = 1 if fault.draw < 0.5 else -1
    return sign * _STEPS[int(fault.draw * 8) % 4]
