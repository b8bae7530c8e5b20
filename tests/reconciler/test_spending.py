"""A job's dollars under a fault: by the cloud's own account never more than its budget and ten
minutes of its burn."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from elastic.errors import (
    Forbidden,
    PriceUnavailable,
    ProviderError,
    ProviderUnavailable,
    StoreUnavailable,
)
from elastic.model import Job, JobPhase, Objective, Offering
from elastic.policy import decide
from elastic.pricing import Quote
from elastic.providers import InstanceState, Operation
from tests.reconciler.full_disk import FullDisk
from tests.reconciler.virtual import LARGE, SMALL, Prices, VirtualCluster

BUDGET_USD = 1.0
USD_PER_H = {SMALL: 3.6, LARGE: 9.0}
"""A tenth of a cent a second; undisturbed, the job is stopped after 400 s, with ten minutes kept
back."""
STRIDE_S = 20
OVER_S = 600.0 + STRIDE_S
LASTS_S = 6000
IDLE_S = 300
"""Where no machine has lived for so long, none is bought any more."""
_SHM = Path("/dev/shm")  # a disk would be asked to keep what nobody needs
_TOO_FAR_OFF_S = 300.0
"""EC2 refuses what is signed by a clock that is off by more."""


@dataclass(frozen=True, slots=True)
class Fault:
    """What goes wrong, when, and for how long; `size` is by what factor a price jumps, or how far a
    clock."""

    kind: str
    at_s: int
    lasts_s: int = LASTS_S
    size: float = 1.0


@dataclass(slots=True)
class World:
    """The virtual cluster with its true account."""

    cluster: VirtualCluster
    usd_per_h: dict[Offering, float] = field(default_factory=lambda: dict(USD_PER_H))
    is_dead: bool = False
    spent_usd: float = 0.0
    most_usd_per_h: float = 0.0

    def go_on(self) -> None:
        """One look of the daemon, if there is one, and what it costs until the next."""
        if not self.is_dead:
            with suppress(ProviderError, StoreUnavailable):
                self.cluster.reconciler.tick(now_s=self.cluster.host_clock.now_s())
        self.cluster.run(1, ticking=False)
        living = [
            each for each in self.cluster.cloud.machines() if each.state is not InstanceState.GONE
        ]
        burn_usd_per_h = sum(self.usd_per_h[each.offering] for each in living)
        self.cluster.clock.advance(STRIDE_S - self.cluster.clock.now_s() % STRIDE_S)
        self.spent_usd += burn_usd_per_h * STRIDE_S / 3600
        self.most_usd_per_h = max(self.most_usd_per_h, burn_usd_per_h)

    def set_prices(self) -> None:
        now_s = self.cluster.host_clock.now_s()
        self.cluster.reconciler.prices = Prices(
            *(Quote(offering, usd, now_s, "told") for offering, usd in self.usd_per_h.items())
        )

    def living(self) -> int:
        return sum(each.state is not InstanceState.GONE for each in self.cluster.cloud.machines())


@contextmanager
def dead_daemon(world: World, _: Fault) -> Iterator[None]:
    world.is_dead = world.cluster.agents_are_silent = True
    yield
    world.is_dead = world.cluster.agents_are_silent = False
    world.cluster.restart()


def refusing(*operations: Operation, error: ProviderError, is_done: bool = False) -> Any:
    @contextmanager
    def fault(world: World, _: Fault) -> Iterator[None]:
        for operation in operations:
            world.cluster.cloud.fail_next(operation, error, is_done=is_done, times=10_000)
        yield
        for operation in operations:
            world.cluster.cloud.relent(operation)

    return fault


@contextmanager
def lost_machines(world: World, _: Fault) -> Iterator[None]:
    for each in world.cluster.cloud.machines():
        if each.state is not InstanceState.GONE:
            world.cluster.cloud.reclaim(each.provider_id)
    yield


@contextmanager
def silent_agents(world: World, _: Fault) -> Iterator[None]:
    world.cluster.agents_are_silent = True
    yield
    world.cluster.agents_are_silent = False


@contextmanager
def other_prices(world: World, fault: Fault) -> Iterator[None]:
    world.usd_per_h = {offering: usd * fault.size for offering, usd in USD_PER_H.items()}
    world.set_prices()
    yield
    world.usd_per_h = dict(USD_PER_H)
    world.set_prices()


@contextmanager
def no_prices(world: World, _: Fault) -> Iterator[None]:
    world.cluster.reconciler.prices = Prices(error=PriceUnavailable("the feed is out"))
    yield
    world.set_prices()


@contextmanager
def unknown_catalog(world: World, _: Fault) -> Iterator[None]:
    """A daemon that was started again remembers none either."""
    world.cluster.cloud.catalog_failure = ProviderError("the type 'smal' does not exist")
    world.cluster.restart()
    world.set_prices()
    yield
    world.cluster.cloud.catalog_failure = None


@contextmanager
def sold_no_more(world: World, _: Fault) -> Iterator[None]:
    """What lives is no longer on offer, and nothing else is."""
    cloud = world.cluster.cloud
    sold, cloud.offerings = cloud.offerings, ()
    yield
    cloud.offerings = sold


@contextmanager
def wrong_clock(world: World, fault: Fault) -> Iterator[None]:
    world.cluster.host_clock.skew_s = fault.size
    if abs(fault.size) > _TOO_FAR_OFF_S:
        world.cluster.cloud.throttled_until_s = float("inf")
    yield
    world.cluster.host_clock.skew_s = 0.0
    world.cluster.cloud.throttled_until_s = None


@contextmanager
def full_disk(world: World, _: Fault) -> Iterator[None]:
    """Heartbeats are refused as well."""
    cluster, store = world.cluster, world.cluster.store
    broken: Any = FullDisk(store)
    cluster.reconciler.store = cluster.reconciler.machines.store = broken
    cluster.agents_are_silent = True
    yield
    cluster.reconciler.store = cluster.reconciler.machines.store = store
    cluster.agents_are_silent = False


_SILENCE = ProviderUnavailable("nobody answers")
_REFUSAL = Forbidden("not permitted any more")
FAULTS: dict[str, Callable[[World, Fault], Any]] = {
    "the daemon dies": dead_daemon,
    "the list is silent": refusing(Operation.INSTANCES, error=_SILENCE),
    "the cloud is silent": refusing(*Operation, error=_SILENCE),
    "terminations are refused": refusing(Operation.TERMINATE, Operation.PROVE, error=_REFUSAL),
    "answers to terminations are lost": refusing(Operation.TERMINATE, error=_SILENCE, is_done=True),
    "answers to launches are lost": refusing(Operation.LAUNCH, error=_SILENCE, is_done=True),
    "machines are lost": lost_machines,
    "agents are silent": silent_agents,
    "prices jump": other_prices,
    "prices are unknown": no_prices,
    "the catalog cannot be read": unknown_catalog,
    "nothing is sold any more": sold_no_more,
    "the clock is wrong": wrong_clock,
    "the disk is full": full_disk,
}

AT_S = st.integers(0, 30).map(lambda number: number * STRIDE_S)
DURATIONS_S = st.integers(1, 60).map(lambda number: number * STRIDE_S) | st.just(LASTS_S)
SIZES = {
    "prices jump": st.floats(
        0.02, 50.0
    ),  # what jumps more than five-fold is not believed, and counts all the same
    "the clock is wrong": st.sampled_from([-86_400.0, -3600.0, -290.0, -60.0, 60.0, 290.0, 3600.0]),
}


@st.composite
def faults(draw: st.DrawFn) -> Fault:
    kind = draw(st.sampled_from(sorted(FAULTS)))
    return Fault(kind, draw(AT_S), draw(DURATIONS_S), draw(SIZES.get(kind, st.just(1.0))))


def play(fault: Fault) -> tuple[World, Job]:
    """Lets a job without an end run under a fault until nothing of it is left."""
    with tempfile.TemporaryDirectory(dir=_SHM if _SHM.is_dir() else None) as folder:
        cluster = VirtualCluster(Path(folder), decide, prices=USD_PER_H, has_leases=True)
        world = World(cluster)
        job = cluster.submit(
            iterations=None, nodes_max=2, objective=Objective(budget_usd=BUDGET_USD)
        )
        context = FAULTS[fault.kind](world, fault)
        idle_s = 0
        for at_s in range(0, LASTS_S, STRIDE_S):
            if at_s == fault.at_s:
                context.__enter__()
            if at_s == fault.at_s + fault.lasts_s:
                context.__exit__(None, None, None)
            world.go_on()
            idle_s = 0 if world.living() else idle_s + STRIDE_S
            if idle_s >= IDLE_S or (
                cluster.store.jobs.get(job.id).phase.is_final and not world.living()
            ):
                break
        ended = cluster.store.jobs.get(job.id)
        cluster.store.close()
    return world, ended


@pytest.mark.parametrize(
    "fault",
    [Fault("the daemon dies", at_s=LASTS_S), Fault("nothing is sold any more", at_s=100)],
    ids=lambda it: it.kind,
)
def test_a_job_whose_daemon_lives_is_stopped_within_its_budget(fault: Fault) -> None:
    world, job = play(fault)
    assert job.phase is JobPhase.BUDGET_EXHAUSTED
    assert world.living() == 0
    assert 0.3 * BUDGET_USD < world.spent_usd <= BUDGET_USD


@settings(max_examples=10, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(faults())
@example(Fault("the daemon dies", 380))
@example(Fault("the cloud is silent", 380))
@example(Fault("terminations are refused", 380))
@example(Fault("prices jump", 380, size=4.9))
@example(Fault("prices jump", 200, size=40.0))
@example(Fault("the clock is wrong", 300, size=-3600.0))
@example(Fault("the clock is wrong", 300, size=-290.0))
@example(Fault("agents are silent", 300))
@example(Fault("the catalog cannot be read", 200))
@example(Fault("the disk is full", 380))
def test_under_any_single_fault_a_job_costs_no_more_than_its_budget_and_ten_minutes(
    fault: Fault,
) -> None:
    world, _ = play(fault)
    assert world.living() == 0
    assert world.spent_usd <= BUDGET_USD + world.most_usd_per_h * OVER_S / 3600


@pytest.mark.parametrize("kind", sorted(FAULTS))
def test_every_fault_that_passes_leaves_a_job_that_ends_by_itself(kind: str) -> None:
    world, job = play(Fault(kind, 100, 200, size=2.0))
    assert job.phase.is_final
    assert world.living() == 0
