"""Carries out what a scenario has planned: interruptions and network partitions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from elastic.clock import Clock
from elastic.durations import NOTICE_S
from elastic.model import Capacity
from elastic_lab.guests import INTERRUPTED, Guest, GuestPhase, Guests
from elastic_lab.imds import ImdsNotice
from elastic_lab.scenario import Interruption, Partition, Scenario
from elastic_lab.schedule import Schedule
from elastic_lab.timeline import Timeline

# An instance that boots may be cut off once it has a network: a moment later.
_LOOK_AGAIN_S = 0.25


@dataclass(frozen=True, slots=True)
class ScenarioRunner:
    """Interrupts instances and cuts them off, by the scenario or on request."""

    guests: Guests
    schedule: Schedule
    timeline: Timeline
    clock: Clock

    def begin(self, scenario: Scenario) -> None:
        """Schedules all that the scenario has planned."""
        for interruption in scenario.interruptions:
            self._at(interruption.after_s, partial(self._take_back, interruption))
        for partition in scenario.partitions:
            self._at(partition.from_s, partial(self._cut, partition, is_cut=True))
            self._at(partition.until_s, partial(self._cut, partition, is_cut=False))

    def interrupt(
        self, guest: Guest, *, notice_s: float = NOTICE_S, rebalance_s: float | None = None
    ) -> None:
        """Takes a spot instance back: with a recommendation if wanted, a notice, and its end."""
        now_s = self.clock.now_s()
        lead_s = rebalance_s or 0.0
        if rebalance_s is not None:
            guest.rebalance_at_s = now_s
        self.schedule.at(now_s + lead_s, lambda: self._notify(guest, notice_s))

    def _notify(self, guest: Guest, notice_s: float) -> None:
        at_s = self.clock.now_s() + notice_s
        if notice_s > 0:
            guest.notice = ImdsNotice(at_s)
            guest.rebalance_at_s = guest.rebalance_at_s or self.clock.now_s()
        self.schedule.at(at_s, lambda: self._reclaim(guest))

    def _reclaim(self, guest: Guest) -> None:
        message = "Instance terminated due to Spot price or capacity"
        self.guests.end(guest, code=INTERRUPTED, message=message)

    def _take_back(self, what: Interruption) -> None:
        victims = [
            guest for guest in self.guests.all() if guest.notice is None and _is_meant(what, guest)
        ]
        if not victims:
            self.schedule.at(self.clock.now_s() + _LOOK_AGAIN_S, lambda: self._take_back(what))
        for guest in victims[: what.count]:
            self.interrupt(guest, notice_s=what.notice_s, rebalance_s=what.rebalance_s)

    def _cut(self, what: Partition, *, is_cut: bool) -> None:
        for guest in self.guests.all():
            if guest.phase.is_live and _is_there(what, guest):
                self.guests.cut_off(guest, is_cut=is_cut)

    def _at(self, after_s: float, do: Callable[[], None]) -> None:
        self.schedule.at(self.timeline.at_s(after_s), do)


def _is_meant(what: Interruption, guest: Guest) -> bool:
    is_spot = guest.offering.capacity is Capacity.SPOT
    return is_spot and guest.phase is GuestPhase.RUNNING and _is_there(what, guest)


def _is_there(what: Interruption | Partition, guest: Guest) -> bool:
    return what.node_type in (None, guest.offering.node_type) and what.zone in (
        None,
        guest.offering.zone,
    )
