"""The lab's instances, which connect moto's cloud with the hypervisor that runs them."""

from __future__ import annotations

import functools
import logging
import threading
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from moto.ec2.models.instances import StateReason

from elastic.clock import Clock
from elastic.model import Offering
from elastic_lab.bill import Usage
from elastic_lab.cloud import Cloud, disk_gib, offering_of
from elastic_lab.hypervisor import GuestOrder, Hypervisor, RunningGuest
from elastic_lab.imds import ImdsNotice, Metadata
from elastic_lab.metadata import read_metadata, unpacked
from elastic_lab.scenario import LaunchFailure, Scenario, UserData
from elastic_lab.schedule import Schedule

log = logging.getLogger(__name__)


class GuestPhase(StrEnum):
    """The phases of an instance, with EC2's names."""

    PENDING = "pending"
    RUNNING = "running"
    STOPPING = "stopping"
    STOPPED = "stopped"
    SHUTTING_DOWN = "shutting-down"
    TERMINATED = "terminated"

    @property
    def is_live(self) -> bool:
        return self in (GuestPhase.PENDING, GuestPhase.RUNNING)


INTERRUPTED = "Server.SpotInstanceTermination"
_CODES = {
    GuestPhase.PENDING: 0,
    GuestPhase.RUNNING: 16,
    GuestPhase.SHUTTING_DOWN: 32,
    GuestPhase.TERMINATED: 48,
    GuestPhase.STOPPING: 64,
    GuestPhase.STOPPED: 80,
}
_ENDED = {GuestPhase.SHUTTING_DOWN: GuestPhase.TERMINATED, GuestPhase.STOPPING: GuestPhase.STOPPED}


@dataclass(slots=True)
class Guest:
    """One instance."""

    # moto's own object.
    instance: Any
    offering: Offering
    launched_at_s: float
    cpu: float | None
    disk_gib: float
    has_public_ipv4: bool = False
    phase: GuestPhase = GuestPhase.PENDING
    # Its times of running; the last one has no end while it runs.
    stretches: list[tuple[float, float | None]] = field(default_factory=list)
    disk_until_s: float | None = None
    boots: int = 0
    machine: RunningGuest | None = None
    is_cut_off: bool = False
    notice: ImdsNotice | None = None
    rebalance_at_s: float | None = None
    failure: LaunchFailure | None = None
    reason: str = ""
    transition: str = ""

    @property
    def id(self) -> str:
        return str(self.instance.id)

    def usage(self) -> Usage:
        return Usage(
            instance_id=self.id,
            offering=self.offering,
            launched_at_s=self.launched_at_s,
            stretches=tuple(self.stretches),
            disk_gib=self.disk_gib,
            disk_until_s=self.disk_until_s,
            has_public_ipv4=self.has_public_ipv4,
            was_interrupted=self.reason == INTERRUPTED,
        )


class Guests:
    """Every instance there ever was. `lock` protects them and all of moto's EC2.

    `hypervisor` is None if nothing boots.
    """

    def __init__(
        self,
        scenario: Scenario,
        cloud: Cloud,
        hypervisor: Hypervisor | None,
        schedule: Schedule,
        clock: Clock,
    ) -> None:
        # One lock for both, since a call changes moto's instances and ours together. It is taken
        # again by what is called while it is held.
        self.lock = threading.RLock()
        self.describe_delay_s = scenario.describe_delay_s
        self._scenario = scenario
        self._cloud = cloud
        self._hypervisor = hypervisor
        self._schedule = schedule
        self._clock = clock
        self._all: dict[str, Guest] = {}
        self._hidden: dict[str, Any] = {}
        self._machines: list[threading.Thread] = []

    def all(self) -> tuple[Guest, ...]:
        with self.lock:
            return tuple(self._all.values())

    def find(self, instance_id: str) -> Guest | None:
        with self.lock:
            return self._all.get(instance_id)

    def take_over(self) -> tuple[Guest, ...]:
        """Applies what a call has just done to moto's instances; returns the new ones."""
        with self.lock:
            new = tuple(
                # Found by comparing and not by reading calls: whatever call makes an instance, it
                # boots.
                self._admit(each)
                for each in self._cloud.instances()
                if each.id not in self._all
            )
            for guest in self._all.values():
                self._follow(guest)
            return new

    def end(self, guest: Guest, *, code: str, message: str) -> None:
        """Terminates an instance for a reason of the cloud."""
        with self.lock:
            if guest.phase is GuestPhase.TERMINATED:
                return
            self._unhide()
            guest.instance.terminate()
            guest.instance.state_reason = StateReason(f"{code}: {message}", code)
            guest.reason = code
            self._follow(guest)

    def hide_new(self, guests: tuple[Guest, ...]) -> None:
        """Hides new instances from all answers for `describe_delay_s`."""
        delay_s = self.describe_delay_s
        if delay_s:
            wanted = {guest.id for guest in guests}
        else:
            wanted = set()
        for reservation in list(self._cloud.backend.reservations.values()):
            if any(each.id in wanted for each in reservation.instances):
                self._hidden[reservation.id] = self._cloud.hide(reservation.id)
                self._schedule.at(
                    self._clock.now_s() + delay_s, functools.partial(self._unhide, reservation.id)
                )

    def _unhide(self, reservation_id: str | None = None) -> None:
        with self.lock:
            for each in list(self._hidden):
                if reservation_id in (None, each):
                    self._cloud.show(self._hidden.pop(each))

    def cut_off(self, guest: Guest, *, is_cut: bool) -> None:
        """Takes an instance off the network, or puts it back."""
        with self.lock:
            guest.is_cut_off = is_cut
            if guest.machine is not None:
                guest.machine.cut_off(is_cut=is_cut)

    def first_pid(self, instance_id: str) -> int | None:
        """The first process of an instance; None if it does not run."""
        with self.lock:
            guest = self._all.get(instance_id)
            if guest is None or guest.machine is None or guest.phase is not GuestPhase.RUNNING:
                return None
            return guest.machine.first_pid()

    def end_all(self) -> None:
        """Terminates every instance and waits until all of them are gone."""
        for guest in self.all():
            self.end(guest, code="Server.ScheduledStop", message="The lab is closing")
        for thread in list(self._machines):
            # A machine's thread ends its processes, which are killed after some seconds.
            thread.join(timeout=30.0)

    def _admit(self, instance: Any) -> Guest:
        now_s = self._clock.now_s()
        guest = Guest(
            instance=instance,
            offering=offering_of(instance),
            launched_at_s=now_s,
            cpu=self._quota(instance.instance_type),
            disk_gib=disk_gib(instance),
            has_public_ipv4=instance.public_ip is not None,
            failure=self._failure(instance.instance_type),
        )
        # By the lab's clock, which a test may turn. moto takes it without a zone.
        instance.launch_time = datetime.fromtimestamp(now_s, UTC).replace(tzinfo=None)
        self._all[guest.id] = guest
        self._move(guest, GuestPhase.PENDING)
        self._boot_later(guest)
        return guest

    def _quota(self, node_type: str) -> float | None:
        listed = self._scenario.node_types.get(node_type)
        if listed is None or listed.cpu is None:
            return None
        launch = self._launch_number(node_type)
        factors = [
            each.cpu_factor
            for each in self._scenario.slow_nodes
            if (each.node_type, each.launch) == (node_type, launch)
        ]
        # The slowest of several counts: they are no factors of each other.
        return listed.cpu * min(factors, default=1.0)

    def _capability(self, node_type: str) -> str | None:
        listed = self._scenario.node_types.get(node_type)
        if listed is None:
            return None
        return listed.cpu_capability

    def _failure(self, node_type: str) -> LaunchFailure | None:
        meant = (node_type, self._launch_number(node_type))
        return next(
            (
                each
                for each in self._scenario.launch_failures
                if (each.node_type, each.launch) == meant
            ),
            None,
        )

    def _launch_number(self, node_type: str) -> int:
        """The number of the next instance of a type, counted from 1."""
        return 1 + sum(guest.offering.node_type == node_type for guest in self._all.values())

    def _follow(self, guest: Guest) -> None:
        """Applies the state that moto has given an instance."""
        match guest.instance.state:
            case "terminated" if guest.phase in (GuestPhase.SHUTTING_DOWN, GuestPhase.TERMINATED):
                # A second request does not change when it ended.
                guest.instance._reason = guest.transition  # noqa: SLF001
                self._move(guest, guest.phase)
            case "terminated":
                self._switch_off(guest, GuestPhase.SHUTTING_DOWN)
            case "stopped" if guest.phase.is_live:
                self._switch_off(guest, GuestPhase.STOPPING)
            case "running" if guest.phase is GuestPhase.STOPPED:
                self._move(guest, GuestPhase.PENDING)
                self._boot_later(guest)
            case _:
                self._move(guest, guest.phase)

    def _switch_off(self, guest: Guest, phase: GuestPhase) -> None:
        # As on EC2, billing ends when the shutdown begins, and the reason says when that was.
        self._close_stretch(guest)
        ended = datetime.fromtimestamp(self._clock.now_s(), UTC)
        guest.transition = f"{_initiator(guest)} ({ended:%Y-%m-%d %H:%M:%S} GMT)"
        if guest.reason == INTERRUPTED and not self._scenario.dates_interruptions:
            guest.transition = f"{INTERRUPTED}: Spot Instance Termination"
        guest.instance._reason = guest.transition  # noqa: SLF001 - as moto does
        if phase is GuestPhase.SHUTTING_DOWN and guest.disk_until_s is None:
            guest.disk_until_s = self._clock.now_s()
        is_already_ending = guest.phase in _ENDED
        self._move(guest, phase)
        if guest.machine is None:
            self._move(guest, _ENDED[phase])
        elif not is_already_ending:
            # In a thread: to end a machine takes its time, and the lock is held here.
            threading.Thread(target=guest.machine.end, daemon=True).start()

    def _boot_later(self, guest: Guest) -> None:
        # Counted, so that a boot that is still due from before a stop does not start it twice.
        boots = guest.boots = guest.boots + 1
        self._schedule.at(
            self._clock.now_s() + self._scenario.boot_delay_s, lambda: self._boot(guest, boots)
        )

    def _boot(self, guest: Guest, boots: int) -> None:
        with self.lock:
            if guest.phase is not GuestPhase.PENDING or guest.boots != boots:
                return
            if guest.failure is not None:
                self.end(guest, code=guest.failure.code, message=guest.failure.message)
                return
            if self._hypervisor is None:
                self._run(guest)
                return
            thread = threading.Thread(
                target=self._live, args=(guest, self._hypervisor), name=guest.id, daemon=True
            )
            self._machines = [each for each in self._machines if each.is_alive()] + [thread]
            thread.start()

    def _live(self, guest: Guest, hypervisor: Hypervisor) -> None:
        """Starts a machine, and waits until nothing of it is left."""
        try:
            # Without the lock: a start takes a second, and every call to the cloud would wait for
            # it.
            machine = hypervisor.start(self._order(guest))
        except Exception:
            log.exception("%s does not boot", guest.id)
            self.end(
                guest, code="Server.InternalError", message="The instance could not be started"
            )
            return
        with self.lock:
            # It may have been terminated while it booted.
            is_wanted = guest.phase is GuestPhase.PENDING
            if is_wanted:
                guest.machine = machine
                self._run(guest)
                if guest.is_cut_off:
                    machine.cut_off(is_cut=True)
        if not is_wanted:
            machine.end()
        # Also without the lock, for as long as the machine lives.
        machine.wait()
        with self.lock:
            guest.machine = None
            self._go_dark(guest)

    def _go_dark(self, guest: Guest) -> None:
        """Notes that the machine is off, on request or by itself."""
        if guest.phase is GuestPhase.RUNNING:
            self._close_stretch(guest)
            self._unhide()
            # As on EC2 the launch decides what a shutdown from within means.
            if guest.instance.instance_initiated_shutdown_behavior == "terminate":
                guest.instance.terminate()
            else:
                guest.instance.stop()
            code = "Client.InstanceInitiatedShutdown"
            guest.instance.state_reason = StateReason(f"{code}: Instance initiated shutdown", code)
            guest.reason = code
            self._follow(guest)
        elif guest.phase in _ENDED:
            self._move(guest, _ENDED[guest.phase])

    def _run(self, guest: Guest) -> None:
        guest.stretches.append((self._clock.now_s(), None))
        self._move(guest, GuestPhase.RUNNING)

    def _close_stretch(self, guest: Guest) -> None:
        if guest.stretches and guest.stretches[-1][1] is None:
            guest.stretches[-1] = (guest.stretches[-1][0], self._clock.now_s())

    def _move(self, guest: Guest, phase: GuestPhase) -> None:
        # Once, at the change: EC2 lists an instance for about an hour after its end.
        if phase is GuestPhase.TERMINATED is not guest.phase:
            self._schedule.at(
                self._clock.now_s() + self._scenario.forget_terminated_s,
                lambda: self._forget(guest),
            )
        guest.phase = phase
        # moto's setters would do more than this.
        guest.instance._state.name = phase.value  # noqa: SLF001
        guest.instance._state.code = _CODES[phase]  # noqa: SLF001

    def _forget(self, guest: Guest) -> None:
        """Removes the instance from the cloud's answers; the bill keeps it."""
        with self.lock:
            for reservation in list(self._cloud.backend.reservations.values()):
                if guest.instance in reservation.instances:
                    reservation.instances.remove(guest.instance)
                    if not reservation.instances:
                        self._cloud.hide(reservation.id)

    def _order(self, guest: Guest) -> GuestOrder:
        instance = guest.instance
        cloud = self._cloud
        lock = self.lock

        # Read at each request: a notice or a tag may come while the machine runs.
        def read() -> Metadata:
            with lock:
                return read_metadata(
                    instance,
                    cloud,
                    notice=guest.notice,
                    rebalance_at_s=guest.rebalance_at_s,
                    at_s=guest.launched_at_s,
                )

        return GuestOrder(
            instance_id=guest.id,
            address=instance.private_ip,
            hostname=instance.private_dns_name.partition(".")[0],
            cpu=guest.cpu,
            user_data=unpacked(read().user_data),
            is_first_boot=guest.boots == 1,
            read_metadata=read,
            cpu_capability=self._capability(instance.instance_type),
            root=self._scenario.root if self._scenario.user_data is UserData.CLOUD_INIT else None,
        )


def _initiator(guest: Guest) -> str:
    return guest.reason or "User initiated"
