"""A store that fails buys nothing and keeps nothing from being ended."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from elastic.errors import ProviderUnavailable, StoreUnavailable
from elastic.model import JobPhase, Node, Plan, Snapshot
from elastic.providers import InstanceState, Operation
from elastic.reconciler import AlarmKind
from tests.reconciler.full_disk import FullDisk
from tests.reconciler.virtual import Prices, VirtualCluster, small_forever


@pytest.fixture
def cluster(tmp_path: Path) -> VirtualCluster:
    return VirtualCluster(tmp_path, small_forever)


def break_store(cluster: VirtualCluster, *, reads: bool = True) -> None:
    broken: Any = FullDisk(cluster.store, reads=reads)
    cluster.reconciler.store = cluster.reconciler.machines.store = broken


def tick(cluster: VirtualCluster) -> None:
    cluster.reconciler.tick(now_s=cluster.clock.now_s())
    cluster.clock.advance(1.0)


def living(cluster: VirtualCluster) -> int:
    return sum(machine.state is not InstanceState.GONE for machine in cluster.cloud.machines())


def launches(cluster: VirtualCluster) -> int:
    return sum(call.operation is Operation.LAUNCH for call in cluster.cloud.calls)


def test_a_job_that_ends_ends_its_machines_though_nothing_can_be_written(
    cluster: VirtualCluster,
) -> None:
    job = cluster.submit()
    cluster.run(2)
    assert living(cluster) == 1
    cluster.store.jobs.request_stop(job.id, JobPhase.CANCELLED, None, now_s=cluster.clock.now_s())
    break_store(cluster)
    for _ in range(5):
        try:
            tick(cluster)
        except StoreUnavailable:
            cluster.clock.advance(1.0)
    assert living(cluster) == 0


def test_what_was_being_ended_goes_on_being_ended_though_nothing_can_be_read(
    cluster: VirtualCluster,
) -> None:
    cluster.submit()
    cluster.run(2)
    (node,) = cluster.store.nodes.listed()
    cluster.cloud.fail_next(Operation.TERMINATE, ProviderUnavailable("throttled"), times=2)
    cluster.reconciler.machines.end(node, "told", now_s=cluster.clock.now_s())
    break_store(cluster, reads=False)
    for _ in range(5):
        with pytest.raises(StoreUnavailable):
            tick(cluster)
        cluster.clock.advance(1.0)
    assert living(cluster) == 0


def test_an_intent_is_not_carried_out_while_nothing_can_be_written(cluster: VirtualCluster) -> None:
    cluster.cloud.fail_next(Operation.LAUNCH, ProviderUnavailable("no answer"))
    cluster.submit()
    cluster.run(1)
    before = launches(cluster)
    break_store(cluster)
    for _ in range(5):
        try:
            tick(cluster)
        except StoreUnavailable:
            cluster.clock.advance(1.0)
    assert launches(cluster) == before
    cluster.reconciler.store = cluster.reconciler.machines.store = cluster.store
    cluster.run(2)
    assert living(cluster) == 1


def test_nothing_that_is_wanted_is_ended_because_the_store_fails(cluster: VirtualCluster) -> None:
    cluster.submit()
    cluster.run(10)
    known: tuple[Node, ...] = cluster.store.nodes.listed()
    for reads in (True, False):
        break_store(cluster, reads=reads)
        for _ in range(200):
            try:
                tick(cluster)
            except StoreUnavailable:
                cluster.clock.advance(1.0)
        cluster.reconciler.store = cluster.reconciler.machines.store = cluster.store
    assert cluster.store.nodes.listed() == known
    assert living(cluster) == len(known)


def test_a_database_that_takes_nothing_fails_the_tick_and_is_an_alarm_until_it_does(
    cluster: VirtualCluster,
) -> None:
    cluster.submit()
    cluster.run(10)
    alarms, since_s = cluster.reconciler.alarms, cluster.clock.now_s()
    whole = cluster.store.decisions.record
    cluster.store.decisions.record = FullDisk(cluster.store).decisions.record  # type: ignore[method-assign]
    for _ in range(3):
        with pytest.raises(StoreUnavailable):
            tick(cluster)
        cluster.clock.advance(1.0)
    (alarm,) = alarms.current(now_s=cluster.clock.now_s())
    assert (alarm.kind, alarm.since_s) == (AlarmKind.CANNOT_WRITE, since_s)
    assert alarm.text.endswith("the database refused: disk full") and not alarm.kind.is_of_jobs
    cluster.store.decisions.record = whole  # type: ignore[method-assign]
    cluster.run(2)
    assert alarms.current(now_s=cluster.clock.now_s()) == ()
    told = [
        each.text
        for each in cluster.store.events.listed(limit=500)
        if each.kind.startswith("alarm")
    ]
    assert told == ["cannot_write: all is well again"]


def test_other_jobs_are_handled_where_one_cannot_be_written_down(cluster: VirtualCluster) -> None:
    first, second = cluster.submit(name="first"), cluster.submit(name="second")
    whole = cluster.store.facts.of

    def facts(job_id: str, *, now_s: float) -> Any:
        if job_id == first.id:
            raise StoreUnavailable("the database is busy")
        return whole(job_id, now_s=now_s)

    cluster.store.facts.of = facts  # type: ignore[method-assign]
    with pytest.raises(StoreUnavailable, match="busy"):
        tick(cluster)
    assert {node.job_id for node in cluster.store.nodes.listed()} == {second.id}


def test_a_database_that_takes_nothing_is_an_alarm_though_something_unexpected_happens_as_well(
    tmp_path: Path,
) -> None:
    is_cursed = True

    def decide(snapshot: Snapshot) -> Plan:
        if is_cursed and snapshot.job.spec.name == "cursed":
            raise ZeroDivisionError("a bug")
        return small_forever(snapshot)

    cluster = VirtualCluster(tmp_path, decide)
    cluster.submit(name="cursed")
    cluster.submit(name="other")
    whole = cluster.store.decisions.record
    cluster.store.decisions.record = FullDisk(cluster.store).decisions.record  # type: ignore[method-assign]
    for _ in range(2):
        with pytest.raises(ExceptionGroup) as raised:
            tick(cluster)
        assert {type(each) for each in raised.value.exceptions} == {
            ZeroDivisionError,
            StoreUnavailable,
        }
        (alarm,) = cluster.reconciler.alarms.current(now_s=cluster.clock.now_s())
        assert alarm.kind is AlarmKind.CANNOT_WRITE
    cluster.reconciler.prices = Prices(error=ZeroDivisionError("before anything was written"))
    with pytest.raises(ZeroDivisionError):
        tick(cluster)
    assert cluster.reconciler.alarms.current(now_s=cluster.clock.now_s()) == (alarm,)
    cluster.reconciler.prices = Prices()
    cluster.store.decisions.record, is_cursed = whole, False  # type: ignore[method-assign]
    tick(cluster)
    assert cluster.reconciler.alarms.current(now_s=cluster.clock.now_s()) == ()
