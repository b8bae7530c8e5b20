"""A cloud in memory for tests and simulations, with scripted failures and recorded calls."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from elastic.clock import Clock
from elastic.durations import MINIMUM_BILLED_S
from elastic.errors import CapacityUnavailable, ProviderError, ProviderUnavailable
from elastic.model import NodeType, Offering, WayIn
from elastic.providers.base import Instance, InstanceState, LaunchRequest, Trouble
from elastic.providers.blocks import Blocks
from elastic.providers.leader_lease import LeaderLease


class Operation(StrEnum):
    """The calls of the port that reach the cloud."""

    LAUNCH = "launch"
    INSTANCES = "instances"
    TERMINATE = "terminate"
    PROVE = "prove"
    READ_LEASE = "read lease"
    WRITE_LEASE = "write lease"


@dataclass(frozen=True, slots=True)
class Call:
    """One call as the cloud received it."""

    operation: Operation
    at_s: float
    # Set for a launch.
    request: LaunchRequest | None = None
    # The machine of a termination or a proof.
    provider_id: str | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """The scripted failure of one call."""

    error: ProviderError
    # Whether the work is done, and only the answer is lost.
    is_done: bool = False


@dataclass(slots=True)
class _Machine:
    instance: Instance
    visible_at_s: float
    gone_at_s: float | None = None
    ended_because: str = ""
    was_taken: bool = False


class FakeCloud:
    """The cloud behind any number of `FakeProvider`s.

    A machine is running `boot_s` after its launch, seen by `instances` after `visible_after_s`, and
    gone `exit_s` after its termination. It is listed until it has been gone for `forgets_after_s`.
    """

    def __init__(
        self,
        types: Sequence[NodeType],
        *,
        clock: Clock,
        offerings: Sequence[Offering] | None = None,
        boot_s: float = 0.0,
        visible_after_s: float = 0.0,
        exit_s: float = 0.0,
        minimum_billed_s: float = MINIMUM_BILLED_S,
        calls_kept: int = 10_000,
        forgets_after_s: float = math.inf,
    ) -> None:
        self.types = tuple(types)
        self.offerings = (
            tuple(Offering(t.name) for t in types) if offerings is None else tuple(offerings)
        )
        self.clock = clock
        self.boot_s = boot_s
        self.visible_after_s = visible_after_s
        self.exit_s = exit_s
        self.minimum_billed_s = minimum_billed_s
        self.forgets_after_s = forgets_after_s
        self.consoles: dict[str, str] = {}
        self.ways_in: dict[str, WayIn] = {}
        self.kept_alive_at_s: dict[str, float] = {}
        self.capacity: dict[Offering, int] = {}
        # Every call before this is refused.
        self.throttled_until_s: float | None = None
        # Whether a gone machine is shown with the instant of its end.
        self.tells_ends = True
        # While set, it is raised by calls that list what is sold.
        self.catalog_failure: ProviderError | None = None
        self.troubles: dict[Trouble, str] = {}
        self.lease: tuple[int, LeaderLease | None] = (0, None)
        self.calls: deque[Call] = deque(maxlen=calls_kept)
        self._failures: dict[Operation, deque[Failure]] = {
            operation: deque() for operation in Operation
        }
        self._machines: dict[str, _Machine] = {}
        self._listed: dict[str, _Machine] = {}

    def fail_next(
        self, operation: Operation, error: ProviderError, *, is_done: bool = False, times: int = 1
    ) -> None:
        """Makes the next `times` calls of `operation` fail, with `is_done` after their work."""
        self._failures[operation].extend([Failure(error, is_done)] * times)

    def relent(self, operation: Operation) -> None:
        """Removes the failures of `operation` that have not happened yet."""
        self._failures[operation].clear()

    def reclaim(
        self, provider_id: str, *, over_s: float = 0.0, why: str = "", was_taken: bool = False
    ) -> None:
        """Takes the machine away; it is stopping for `over_s`, then gone. A spot market says that
        it `was_taken`."""
        machine = self._machines[provider_id]
        machine.gone_at_s = self.clock.now_s() + over_s
        machine.ended_because = why
        machine.was_taken = was_taken

    def forget(self, provider_id: str) -> None:
        """Takes the machine away and stops listing it, as a cloud does some time after its end."""
        self.reclaim(provider_id)
        self._machines[provider_id].visible_at_s = math.inf

    def machines(self) -> tuple[Instance, ...]:
        """Every machine there ever was, visible or not, for tests to compare with."""
        return tuple(self._now(machine) for machine in self._machines.values())

    def launch(self, request: LaunchRequest) -> tuple[Instance, ...]:
        """What the port's `launch` does once the call has arrived."""
        # As EC2 does: the same token gives the same machines, and buys none.
        bought = [each for each in self._listed.values() if each.instance.token == request.token]
        if bought:
            return tuple(self._now(machine) for machine in bought)
        if request.offering not in self.offerings:
            raise ProviderError(
                f"{request.offering}: no such offering; on offer are "
                f"{', '.join(map(str, self.offerings))}"
            )
        wanted = len(request.node_ids)
        left = self.capacity.get(request.offering, math.inf) - self._living(request.offering)
        if wanted > left:
            raise CapacityUnavailable(
                f"{request.offering}: wanted {wanted}, {max(left, 0)} available; try another",
                bought_nothing=True,
            )
        new = [self._machine(request, node_id) for node_id in request.node_ids]
        return tuple(self._now(machine) for machine in new)

    def visible(self) -> tuple[Instance, ...]:
        """What the port's `instances` returns: the machines old enough to be visible."""
        now_s = self.clock.now_s()
        before_s = now_s - self.forgets_after_s
        old = [
            name
            for name, each in self._listed.items()
            if each.gone_at_s is not None and each.gone_at_s < before_s
        ]
        for name in old:
            del self._listed[name]
        return tuple(
            self._at(now_s, machine)
            for machine in self._listed.values()
            if machine.visible_at_s <= now_s
        )

    def terminate(self, provider_id: str) -> None:
        """What the port's `terminate` does once the call has arrived."""
        machine = self._machines.get(provider_id)
        if machine is not None and machine.gone_at_s is None:
            machine.gone_at_s = self.clock.now_s() + self.exit_s

    def receive(self, call: Call) -> Failure | None:
        """Records a call; raises a failure before the work, and returns one after it."""
        self.calls.append(call)
        if self.throttled_until_s is not None and call.at_s < self.throttled_until_s:
            raise ProviderUnavailable(f"{call.operation}: throttled; repeat it later")
        failures = self._failures[call.operation]
        failure = failures.popleft() if failures else None
        if failure is not None and not failure.is_done:
            raise failure.error
        return failure

    def _living(self, offering: Offering) -> int:
        machines = [self._now(each) for each in self._listed.values()]
        return sum(
            each.offering == offering and each.state is not InstanceState.GONE for each in machines
        )

    def _machine(self, request: LaunchRequest, node_id: str) -> _Machine:
        now_s = self.clock.now_s()
        instance = Instance(
            provider_id=f"fake-{len(self._machines) + 1}",
            node_id=node_id,
            job_id=request.job_id,
            token=request.token,
            offering=request.offering,
            state=InstanceState.PENDING,
            launched_at_s=now_s,
        )
        machine = _Machine(instance, now_s + self.visible_after_s)
        self._machines[instance.provider_id] = self._listed[instance.provider_id] = machine
        return machine

    def _now(self, machine: _Machine) -> Instance:
        return self._at(self.clock.now_s(), machine)

    def _at(self, now_s: float, machine: _Machine) -> Instance:
        """The machine as it is at an instant: its state follows from its launch and its end."""
        if machine.gone_at_s is not None:
            ending = replace(
                machine.instance,
                state=InstanceState.STOPPING,
                ended_because=machine.ended_because,
                was_taken=machine.was_taken,
            )
            if now_s >= machine.gone_at_s:
                exited_at_s = None
                if self.tells_ends:
                    exited_at_s = machine.gone_at_s
                return replace(ending, state=InstanceState.GONE, exited_at_s=exited_at_s)
            return ending
        is_up = now_s >= machine.instance.launched_at_s + self.boot_s
        return replace(
            machine.instance, state=InstanceState.RUNNING if is_up else InstanceState.PENDING
        )


class FakeProvider:
    """A client of a `FakeCloud`, which holds all state but the blocks."""

    name = "fake"

    def __init__(self, cloud: FakeCloud) -> None:
        self.cloud = cloud
        self.minimum_billed_s = cloud.minimum_billed_s
        self.blocks = Blocks()
        self.lease_register = FakeLeases(cloud)

    def node_types(self) -> tuple[NodeType, ...]:
        self._check_catalog()
        return self.cloud.types

    def offerings(self) -> tuple[Offering, ...]:
        self._check_catalog()
        return self.cloud.offerings

    def launch(self, request: LaunchRequest) -> tuple[Instance, ...]:
        request.note_asked(Operation.LAUNCH)
        failure = self.cloud.receive(
            Call(Operation.LAUNCH, self.cloud.clock.now_s(), request=request)
        )
        instances = self.cloud.launch(request)
        _lose(failure)
        self.blocks.sold(request.offering, len(request.node_ids))
        return instances

    def instances(self) -> tuple[Instance, ...]:
        failure = self.cloud.receive(Call(Operation.INSTANCES, self.cloud.clock.now_s()))
        _lose(failure)
        return self.cloud.visible()

    def keep_alive(self, provider_ids: Collection[str], *, now_s: float) -> None:
        self.cloud.kept_alive_at_s.update(dict.fromkeys(provider_ids, now_s))

    def terminate(self, provider_id: str, *, now_s: float) -> None:
        failure = self.cloud.receive(Call(Operation.TERMINATE, now_s, provider_id=provider_id))
        self.cloud.terminate(provider_id)
        _lose(failure)

    def prove_end(self, provider_id: str) -> None:
        _lose(
            self.cloud.receive(
                Call(Operation.PROVE, self.cloud.clock.now_s(), provider_id=provider_id)
            )
        )

    def console(self, provider_id: str) -> str:
        return self.cloud.consoles.get(provider_id, "")

    def troubles(self) -> Mapping[Trouble, str]:
        return self.cloud.troubles

    def log_path(self, provider_id: str) -> str | None:
        return None

    def way_in(self, provider_id: str, *, node_id: str) -> WayIn | None:
        return self.cloud.ways_in.get(provider_id)

    def _check_catalog(self) -> None:
        if self.cloud.catalog_failure is not None:
            raise self.cloud.catalog_failure


class FakeLeases:
    """The register of leader leases of a `FakeCloud`."""

    def __init__(self, cloud: FakeCloud) -> None:
        self._cloud = cloud

    def read(self) -> tuple[int, LeaderLease | None]:
        _lose(self._cloud.receive(Call(Operation.READ_LEASE, self._cloud.clock.now_s())))
        return self._cloud.lease

    def write(self, lease: LeaderLease, *, after: int) -> bool:
        now_s = self._cloud.clock.now_s()
        failure = self._cloud.receive(Call(Operation.WRITE_LEASE, now_s))
        version, known = self._cloud.lease
        counts = version == after
        # A refused write counts as a version too, as with SSM's parameters, on which the real one
        # stands.
        self._cloud.lease = (version + 1, replace(lease, seen_at_s=now_s) if counts else known)
        _lose(failure)
        return counts


def _lose(failure: Failure | None) -> None:
    """Raises the failure of a call whose work is done but whose answer is lost."""
    if failure is not None:
        raise failure.error
