"""A simulated job's life in which things go wrong: the real reconciler, store and policy, in virtual
time."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import structlog
from sqlalchemy import Engine, event

from benchmarks.soak.faults import DAY, Fault, FaultKind
from elastic.clock import SteadyClock
from elastic.errors import ElasticError, PriceUnavailable, ProviderUnavailable, StoreUnavailable
from elastic.model import Capacity, Mode, Node, NodePhase, Notice, NoticeKind
from elastic.pricing import PriceSource, Quote, TracePrices
from elastic.providers import FakeProvider, Instance, InstanceState
from elastic.providers.fake import Operation
from elastic.reconciler.timekeeper import Timekeeper
from elastic.simulator.agents import Agents
from elastic.simulator.empty_database import lay_out
from elastic.simulator.simulation import BEGINS_S, Simulation
from elastic.store import open_store

log = structlog.get_logger(__name__)

_CALLS = tuple(Operation)
# The clock of the daemon's machine is set by so much: from minutes to a day, both ways.
_STEPS = (600.0, 3_600.0, 7_200.0, DAY)
_WRITES = ("INSERT", "UPDATE", "DELETE")


class DaemonDied(BaseException):
    """The daemon is no more. Nothing that it runs may catch this."""


@dataclass(slots=True)
class _Disk:
    """What becomes of writes, of all databases of this process."""

    is_full: bool = False
    commits_left: int | None = None


_disk = _Disk()


@event.listens_for(Engine, "before_cursor_execute")
def _write(_connection: Any, _cursor: Any, statement: str, *_: object) -> None:
    if _disk.is_full and statement.startswith(_WRITES):
        raise StoreUnavailable("the database refused: disk full; nothing was changed")


@event.listens_for(Engine, "commit")
def _commit(_connection: Any) -> None:
    if _disk.commits_left is None:
        return
    _disk.commits_left -= 1
    if _disk.commits_left < 0:
        _disk.commits_left = None
        raise DaemonDied


@dataclass(slots=True)
class Feed:
    """The true prices, as far as the feed tells them."""

    truth: PriceSource
    factor: float = 1.0
    is_silent: bool = False
    name: str = "simulated"

    def refresh(self, now_s: float) -> tuple[Quote, ...]:
        if self.is_silent:
            raise PriceUnavailable("the feed does not answer")
        quotes = self.truth.refresh(now_s)
        if self.factor == 1.0:
            return quotes
        # No type costs so much or so little, so the source itself says that it is wrong.
        return tuple(
            replace(each, usd_per_h=each.usd_per_h * self.factor, doubt="out of its bounds")
            for each in quotes
        )


@dataclass
class FaultyAgents(Agents):
    """Agents whose heartbeats may not arrive. What they have to tell is kept until one does."""

    can_speak: Callable[[], bool] = lambda: True

    def _beat(self, agent: Any) -> None:
        if self.can_speak():
            super()._beat(agent)

    def join(self, node: Node) -> None:
        if self.can_speak():
            super().join(node)
        else:
            self.later(self.clock.now_s() + self.heartbeat_s, lambda: self.join(node))


@dataclass
class FaultyLife(Simulation):
    """A life in which `faults` happen. `after_look` is called after each look of a living daemon."""

    faults: tuple[Fault, ...] = ()
    after_look: Callable[[FaultyLife], None] = lambda life: None
    met: dict[FaultKind, int] = field(default_factory=dict)
    deaths: int = 0
    # What is not so before these instants, in seconds of the world.
    away_until_s: float = 0.0
    deaf_until_s: float = 0.0
    stormy_until_s: float = 0.0
    no_boot_until_s: float = 0.0
    troubled_until_s: float = 0.0
    daemon_clock: SteadyClock = field(init=False)
    own_feed: Feed = field(init=False)
    _skew_s: float = 0.0
    _lease_ends_s: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.own_feed = Feed(TracePrices(self.market.rows(), started_at_s=BEGINS_S))
        self.feed = self.own_feed
        self.daemon_clock = self._new_clock(None)
        super().__post_init__()
        self.agents = FaultyAgents(
            store=self.store,
            clock=self.clock,
            program=self.program,
            later=self._later,
            heartbeat_s=self.terms.heartbeat_s,
            mode=Mode.RESTART,
            chance=random.Random(self.terms.seed),
            can_speak=self._can_speak,
        )
        for fault in self.faults:
            self._later(BEGINS_S + fault.at_s, partial(self._strike, fault))

    @property
    def is_quiet(self) -> bool:
        """Whether nothing goes wrong, nor did within the last ten minutes."""
        return self.clock.now_s() > self.troubled_until_s + 600.0

    def _new_clock(self, began_s: float | None) -> SteadyClock:
        return SteadyClock(
            now_s=lambda: self.clock.now_s() + self._skew_s,
            elapsed_s=self.clock.now_s,
            began_s=began_s,
        )

    def _can_speak(self) -> bool:
        now_s = self.clock.now_s()
        return now_s >= self.away_until_s and now_s >= self.deaf_until_s and not _disk.is_full

    def _wire(self, provider: FakeProvider) -> None:
        super()._wire(provider)
        keeper = Timekeeper(self.daemon_clock, self.folder / "clock.json", "the cloud")
        self.reconciler.timekeeper = keeper
        self.reconciler.alarms.clocks = keeper.alarm
        self._tell_time()

    def _tell_time(self) -> None:
        """Each answer of the cloud says what time it is there."""
        self.daemon_clock.told(self.clock.now_s())

    def _restart(self) -> None:
        """Another daemon starts on the database of the one that died. Its memory is gone."""
        self.deaths += 1
        _disk.commits_left = None
        for operation in _CALLS:
            self.cloud.relent(operation)
        self.store.close()
        self.store = self.agents.store = open_store(lay_out(self.folder / "elasticd.db"))
        self.daemon_clock = self._new_clock(self.daemon_clock.now_s())
        self._decided = None
        self._wire(FakeProvider(self.cloud))

    def _tick(self) -> None:
        now_s = self.clock.now_s()
        self._next_tick_s = math.inf
        if now_s < self.away_until_s:
            self._tick_by(self.away_until_s)
            return
        try:
            self._tell_time()
            if self._can_speak():
                self.agents.beat()
                self._renew_leases()
            self.agents.has_news = False
            self._look_at_the_world()
            self._look()
        except DaemonDied:
            self._restart()
            self._tick_by(now_s + self.terms.tick_s)
            return
        except ElasticError as error:
            log.warning("a simulated look failed", error=str(error))
            self._tick_by(now_s + self.terms.tick_s)
        self.ticks += 1
        self.after_look(self)
        if now_s < self.troubled_until_s:
            self._tick_by(now_s + self.terms.tick_s)

    def _look_at_the_world(self) -> None:
        try:
            self.reconciler.tick(now_s=self.daemon_clock.now_s())
        except ElasticError as error:
            log.warning("a simulated look failed", error=str(error))

    def _renew_leases(self) -> None:
        ends_s = self.clock.now_s() + self.right.lease_left_s()
        for node in self.store.nodes.listed(self.job_id):
            if node.provider_id is not None and node.phase is NodePhase.JOINED:
                self._lease_ends_s[node.provider_id] = ends_s

    def _strike(self, fault: Fault) -> None:
        """Has a fault happen."""
        self.met[fault.kind] = self.met.get(fault.kind, 0) + 1
        now_s = self.clock.now_s()
        self.troubled_until_s = max(self.troubled_until_s, now_s + fault.lasts_s)
        self._tick_by(now_s)
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
        }
        happens[fault.kind](fault, now_s + fault.lasts_s)

    def _crash_at_call(self, fault: Fault, until_s: float) -> None:
        operation = _CALLS[int(fault.draw * len(_CALLS))]
        died: Any = DaemonDied()  # no error of a provider, so nothing handles it
        self.cloud.fail_next(operation, died, is_done=int(fault.draw * 1000) % 2 == 0)
        self._later(until_s, lambda: self.cloud.relent(operation))

    def _crash_at_commit(self, fault: Fault, until_s: float) -> None:
        _disk.commits_left = int(fault.draw * 20)

    def _go_away(self, fault: Fault, until_s: float) -> None:
        self.away_until_s = until_s
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

    def _cut_off(self, fault: Fault, until_s: float) -> None:
        self.deaf_until_s = until_s
        self._later(self.clock.now_s() + self.right.lease_left_s(), self._end_leases)

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
        sign = 1 if fault.draw < 0.5 else -1
        self._skew_s = sign * _STEPS[int(fault.draw * 8) % 4]
        self._later(until_s, self._set_clock_right)

    def _come_back(self) -> None:
        self._end_leases()
        self._restart()
        self._tick_by(self.clock.now_s())

    def _end_leases(self) -> None:
        """Each machine whose lease is over has powered itself off by now."""
        now_s = self.clock.now_s()
        for machine in self._living():
            ends_s = self._lease_ends_s.get(
                machine.provider_id, machine.launched_at_s + self.terms.lease_s
            )
            if ends_s <= now_s and not self._can_speak():
                self.cloud.reclaim(machine.provider_id)
                self.agents.gone(machine.node_id)
        if now_s < self.deaf_until_s:
            self._later(min(now_s + 60.0, self.deaf_until_s), self._end_leases)

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
        if self.clock.now_s() >= self.no_boot_until_s:
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
        _disk.is_full, _disk.commits_left = False, None
        with suppress(DaemonDied):
            super().close()

    def look_on(self) -> None:
        """A look after the job is over: what was begun comes to its end."""
        self._happen()
        if self.clock.now_s() < self.away_until_s:
            return
        try:
            self._tell_time()
            self._look_at_the_world()
        except DaemonDied:
            self._restart()
