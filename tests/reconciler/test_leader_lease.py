"""Two daemons with databases of their own and one cluster name: one acts, the other one stops."""

from __future__ import annotations

from pathlib import Path

import pytest

from elastic.clock import ManualClock
from elastic.errors import AlreadyRunning, LeaseLost, ProviderError, ProviderUnavailable
from elastic.model import JobPhase
from elastic.providers import FakeProvider, InstanceState, Operation
from elastic.reconciler import LeaseHolder, place_of
from tests.reconciler.virtual import VirtualCluster, small_forever

SILENT = ProviderUnavailable("no answer")


@pytest.fixture
def first(tmp_path: Path) -> VirtualCluster:
    (tmp_path / "first").mkdir()
    cluster = VirtualCluster(tmp_path / "first", small_forever)
    cluster.leader_lease.acquire()
    cluster.submit()
    cluster.run(10)
    return cluster


@pytest.fixture
def second(first: VirtualCluster, tmp_path: Path) -> VirtualCluster:
    (tmp_path / "second").mkdir()
    return VirtualCluster(
        tmp_path / "second", small_forever, clock=first.clock, shared_cloud=first.cloud
    )


def living(cluster: VirtualCluster) -> list[str]:
    return [
        each.provider_id
        for each in cluster.cloud.machines()
        if each.state is not InstanceState.GONE
    ]


def acts(cluster: VirtualCluster) -> int:
    return sum(
        call.operation in (Operation.LAUNCH, Operation.TERMINATE) for call in cluster.cloud.calls
    )


def test_a_second_daemon_refuses_and_says_who_holds_the_machines(
    first: VirtualCluster, second: VirtualCluster
) -> None:
    with pytest.raises(AlreadyRunning, match="take-over") as caught:
        second.leader_lease.acquire()
    assert str(first.folder) in str(caught.value)
    assert "since 1970-01-01T00:16:40Z, seen 10 s ago" in str(caught.value)
    with pytest.raises(ProviderUnavailable):
        second.leader_lease.require()


def test_a_daemon_that_never_held_the_lease_sweeps_nothing(
    first: VirtualCluster, second: VirtualCluster
) -> None:
    before, alive = acts(first), living(first)
    second.submit(name="other")
    for _ in range(30):
        first.reconciler.tick(now_s=first.clock.now_s())
        with pytest.raises(LeaseLost):
            second.reconciler.tick(now_s=second.clock.now_s())
        first.clock.advance(10.0)
    assert (acts(first), living(first)) == (before, alive)
    assert second.store.events.listed(limit=10)[-1].kind == "superseded"


def test_who_is_taken_over_from_buys_and_ends_nothing_any_more(
    first: VirtualCluster, second: VirtualCluster
) -> None:
    second.leader_lease.acquire(takes_over=True)
    (node,) = first.store.nodes.listed()
    first.clock.advance(60.0)
    before = acts(first)
    with pytest.raises(LeaseLost, match="second"):
        first.reconciler.tick(now_s=first.clock.now_s())
    first.store.jobs.request_stop(node.job_id, JobPhase.CANCELLED, None, now_s=first.clock.now_s())
    first.reconciler.machines.end(node, "told", now_s=first.clock.now_s())
    with pytest.raises(LeaseLost):
        first.reconciler.tick(now_s=first.clock.now_s())
    assert acts(first) == before
    assert "second" in (first.leader_lease.alarm() or "")


def test_who_is_taken_over_from_buys_no_other_machine_for_one_that_was_ended(
    first: VirtualCluster, second: VirtualCluster
) -> None:
    second.leader_lease.acquire(takes_over=True)
    (job,) = first.store.jobs.unfinished()
    second.reconciler.machines.answer(job.id)
    second.reconciler.tick(now_s=second.clock.now_s())
    second.reconciler.tick(now_s=second.clock.now_s())
    first.clock.advance(5.0)  # long before its next proof is due
    bought = sum(call.operation is Operation.LAUNCH for call in first.cloud.calls)
    first.reconciler.tick(now_s=first.clock.now_s())
    assert sum(call.operation is Operation.LAUNCH for call in first.cloud.calls) == bought
    with pytest.raises(LeaseLost, match="second"):
        first.reconciler.tick(now_s=first.clock.now_s())
    assert "superseded" in [event.kind for event in first.store.events.listed(limit=100)]


def test_who_takes_over_holds_what_it_does_not_know_until_a_person_decides(
    first: VirtualCluster, second: VirtualCluster
) -> None:
    second.leader_lease.acquire(takes_over=True)
    held = living(second)
    second.run(10)
    assert living(second) == held != []
    (job,) = first.store.jobs.unfinished()
    second.reconciler.machines.answer(job.id)
    second.run(10)
    assert living(second) == []


def test_a_lease_that_nobody_has_seen_for_ten_minutes_is_taken(
    first: VirtualCluster, second: VirtualCluster
) -> None:
    first.clock.advance(599.0 - 10.0)
    with pytest.raises(AlreadyRunning):
        second.leader_lease.acquire()
    first.clock.advance(10.0)
    second.leader_lease.acquire()
    with pytest.raises(LeaseLost):
        first.reconciler.tick(now_s=first.clock.now_s())


def test_a_daemon_that_slept_acts_on_nothing_before_it_has_looked(first: VirtualCluster) -> None:
    (node,) = first.store.nodes.listed()
    before = acts(first)
    first.clock.advance(300.0)
    first.reconciler.machines.end(node, "decided before it slept", now_s=first.clock.now_s())
    assert acts(first) == before
    first.run(5)
    assert acts(first) > before, "nobody took the lease meanwhile, so it goes on"


def test_a_restart_on_the_same_database_keeps_its_lease(first: VirtualCluster) -> None:
    old = first.leader_lease
    first.restart()
    first.leader_lease.acquire()
    first.run_slowly(70)
    assert first.leader_lease.alarm() is None
    with pytest.raises(LeaseLost, match="a copy of this database"):
        old.renew()


def test_a_lease_that_was_released_is_free_at_once(
    first: VirtualCluster, second: VirtualCluster
) -> None:
    first.leader_lease.release()
    second.leader_lease.acquire()
    second.leader_lease.release()
    first.cloud.fail_next(Operation.WRITE_LEASE, SILENT)
    second.leader_lease.release()
    first.clock.advance(60.0)
    with pytest.raises(LeaseLost):
        first.leader_lease.renew()
    first.leader_lease.release()


def test_a_lease_is_released_though_one_that_lost_it_has_written_since(
    first: VirtualCluster, second: VirtualCluster
) -> None:
    second.leader_lease.acquire(takes_over=True)
    first.clock.advance(60.0)
    with pytest.raises(LeaseLost):
        first.leader_lease.renew()
    second.leader_lease.release()
    first.restart()
    first.leader_lease.acquire()
    second.leader_lease.release()
    first.clock.advance(60.0)
    first.leader_lease.renew()


def test_a_lost_answer_loses_no_lease(first: VirtualCluster) -> None:
    first.cloud.fail_next(Operation.WRITE_LEASE, SILENT, is_done=True)
    first.run_slowly(200)
    assert first.leader_lease.alarm() is None
    first.restart()
    first.cloud.fail_next(Operation.WRITE_LEASE, SILENT, is_done=True)
    first.leader_lease.acquire()
    assert first.leader_lease.alarm() is not None
    first.clock.advance(20.0)
    first.run(1)
    assert first.leader_lease.alarm() is None


def test_a_silent_cloud_delays_nothing_for_five_minutes_and_then_everything(
    first: VirtualCluster,
) -> None:
    (node,) = first.store.nodes.listed()
    first.cloud.fail_next(Operation.WRITE_LEASE, SILENT, times=10_000)
    first.run_slowly(280)
    assert first.leader_lease.alarm() is None
    first.clock.advance(20.0)
    with pytest.raises(ProviderUnavailable, match="not renewed"):
        first.reconciler.tick(now_s=first.clock.now_s())
    before = acts(first)
    first.reconciler.machines.end(node, "told", now_s=first.clock.now_s())
    assert acts(first) == before


def test_a_daemon_starts_while_the_cloud_is_silent_and_acts_when_it_has_its_lease(
    tmp_path: Path,
) -> None:
    cluster = VirtualCluster(tmp_path, small_forever)
    cluster.cloud.fail_next(Operation.READ_LEASE, SILENT, times=3)
    with pytest.raises(ProviderUnavailable):
        cluster.leader_lease.acquire(takes_over=True)
    cluster.leader_lease.acquire()
    cluster.submit()
    with pytest.raises(ProviderUnavailable):
        cluster.reconciler.tick(now_s=cluster.clock.now_s())
    assert living(cluster) == []
    cluster.clock.advance(20.0)
    cluster.run(2)
    assert len(living(cluster)) == 1


def test_a_daemon_that_may_not_write_its_lease_does_not_start(tmp_path: Path) -> None:
    cluster = VirtualCluster(tmp_path, small_forever)
    cluster.cloud.fail_next(Operation.WRITE_LEASE, ProviderError("allow ssm:PutParameter"))
    with pytest.raises(ProviderError, match="allow"):
        cluster.leader_lease.acquire()
    cluster.leader_lease.release()


def test_a_lease_that_somebody_removed_is_taken_again(first: VirtualCluster) -> None:
    first.cloud.lease = (0, None)
    first.run_slowly(80)
    assert FakeProvider(first.cloud).lease_register.read()[1] is not None
    assert first.leader_lease.alarm() is None


def test_of_many_that_race_for_a_lease_one_wins(first: VirtualCluster) -> None:
    class Crowd:
        def read(self) -> tuple[int, None]:
            return 0, None

        def write(self, lease: object, *, after: int) -> bool:
            return False

    crowded = LeaseHolder("virtual", "holder", "here", first.clock, Crowd())
    crowded.acquire()
    assert "several daemons at once" in (crowded.alarm() or "")


def test_where_no_other_can_see_the_machines_nothing_is_leased() -> None:
    clock = ManualClock(0.0)
    alone = LeaseHolder("local", "holder", "here", clock, None)
    alone.acquire()
    clock.advance(1e6)
    alone.renew()
    alone.require()
    alone.release()
    assert alone.alarm() is None
    assert LeaseHolder("x", "holder", "here", ManualClock(0.0), None).lost is None


def test_after_its_clock_was_set_back_a_daemon_acts_on_no_old_proof(first: VirtualCluster) -> None:
    first.host_clock.skew_s = -3600.0
    with pytest.raises(ProviderUnavailable):
        first.leader_lease.require()
    first.leader_lease.renew()
    first.leader_lease.require()


def test_a_place_is_told_by_its_host_and_its_whole_path(tmp_path: Path) -> None:
    assert place_of(tmp_path).endswith(f", data in {tmp_path}")
    assert place_of(Path("data")) == place_of(Path.cwd() / "data")
