"""Asking a pool is no decision: what a change needs is bought first, and only a change that stands
is recorded."""

from __future__ import annotations

from pathlib import Path

import pytest

from elastic.errors import ProviderUnavailable, StoreUnavailable
from elastic.model import (
    Action,
    Capacity,
    Decision,
    Group,
    NodePhase,
    Offering,
    Plan,
    Reason,
    Snapshot,
)
from elastic.policy import decide
from elastic.providers import InstanceState, Operation
from tests.reconciler.virtual import VirtualCluster

SPOT, ON_DEMAND = Offering("small", Capacity.SPOT, "a"), Offering("small", Capacity.ON_DEMAND, "a")
OTHER = Offering("small", Capacity.SPOT, "b")
PRICES = {SPOT: 0.10, OTHER: 0.11, ON_DEMAND: 0.36}


def spot_first(snapshot: Snapshot) -> Plan:
    """A policy that wants spot wherever it is not blocked, and on-demand elsewhere."""
    blocked = {each.offering for each in snapshot.unavailable}
    wanted = Group.of(next(each for each in PRICES if each not in blocked))
    if wanted == snapshot.target:
        return Plan(Action.HOLD, wanted, Reason("told", "as told"))
    action = Action.START if snapshot.target is None else Action.MOVE
    return Plan(action, wanted, Reason("told", "as told"))


@pytest.fixture
def cluster(tmp_path: Path) -> VirtualCluster:
    return VirtualCluster(tmp_path, spot_first, PRICES, offerings=tuple(PRICES))


def changes(cluster: VirtualCluster, job_id: str) -> list[Decision]:
    return [
        each
        for each in reversed(cluster.store.decisions.listed(job_id))
        if each.plan.action is not Action.HOLD
    ]


def living(cluster: VirtualCluster) -> list[Offering]:
    return [
        each.offering for each in cluster.cloud.machines() if each.state is not InstanceState.GONE
    ]


def test_a_day_without_spot_has_one_change_however_often_spot_is_asked_for(
    cluster: VirtualCluster,
) -> None:
    cluster.cloud.capacity = {SPOT: 0, OTHER: 0}
    job = cluster.submit(nodes_max=1, iterations=10**9)
    cluster.run(30)
    cluster.run_slowly(24 * 3600, every_s=300)
    asked = [call for call in cluster.cloud.calls if call.operation is Operation.LAUNCH]
    assert len(asked) > 200, "both pools were asked again and again"
    (start,) = changes(cluster, job.id)
    assert start.plan.target == Group.of(ON_DEMAND)
    assert living(cluster) == [ON_DEMAND]
    refusals = [
        each.text
        for each in cluster.store.events.listed(job_id=job.id, limit=1000)
        if each.kind == "node_failed"
    ]
    assert len(refusals) == 2, "a pool that is known to be empty is news once"
    assert len(cluster.store.nodes.listed(job.id, include_gone=True)) == 3, (
        "and leaves no more rows than that"
    )
    assert cluster.store.generations.latest(job.id).number == 1  # type: ignore[union-attr]


def test_a_change_is_made_once_a_pool_that_was_asked_in_vain_has_room(
    cluster: VirtualCluster,
) -> None:
    cluster.cloud.capacity = {SPOT: 0, OTHER: 0}
    job = cluster.submit(nodes_max=1, iterations=10**9)
    cluster.run_slowly(3600, every_s=60)
    cluster.cloud.capacity = {OTHER: 0}
    cluster.run_slowly(1200, every_s=60)
    assert [each.plan.target for each in changes(cluster, job.id)] == [
        Group.of(ON_DEMAND),
        Group.of(SPOT),
    ]
    pool = next(
        each
        for each in cluster.store.pools.listed(now_s=cluster.clock.now_s())
        if each.offering == SPOT
    )
    assert pool.is_up
    assert sum(pool.down.ended) == 1
    assert sum(pool.down.seconds) == pytest.approx(3600, abs=700)


def test_a_purchase_whose_outcome_is_unknown_stands(cluster: VirtualCluster) -> None:
    cluster.cloud.fail_next(Operation.LAUNCH, ProviderUnavailable("no answer"), is_done=True)
    job = cluster.submit(nodes_max=1)
    cluster.run(20)
    assert [each.plan.target for each in changes(cluster, job.id)] == [Group.of(SPOT)]
    assert len(cluster.cloud.machines()) == 1
    assert cluster.done[job.id] > 0


class _Dies(Exception):
    """The daemon is killed here."""


def die_before_recording(cluster: VirtualCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    def dies(*_: object, **__: object) -> int:
        raise _Dies

    with monkeypatch.context() as patch:
        patch.setattr(cluster.store.decisions, "record", dies)
        with pytest.raises(ExceptionGroup):
            cluster.run(1)
    cluster.restart()


def test_what_was_bought_before_a_death_is_what_the_job_starts_on(
    cluster: VirtualCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = cluster.submit(nodes_max=1)
    die_before_recording(cluster, monkeypatch)
    assert living(cluster) == [SPOT]
    assert cluster.store.decisions.listed(job.id) == ()
    cluster.run(20)
    assert len(cluster.cloud.machines()) == 1, "nothing is bought twice"
    assert cluster.done[job.id] > 0


def test_what_was_bought_before_a_death_and_is_not_wanted_any_more_is_ended(
    cluster: VirtualCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster.submit(nodes_max=1)
    die_before_recording(cluster, monkeypatch)
    cluster.reconciler.decide = lambda _: Plan(
        Action.HOLD, None, Reason("told", "nothing is started")
    )
    cluster.run(10)
    assert living(cluster) == []
    (node,) = cluster.store.nodes.listed(include_gone=True)
    assert node.phase is NodePhase.TERMINATED


def test_a_store_that_does_not_take_the_decision_costs_a_tick(
    cluster: VirtualCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(*_: object, **__: object) -> int:
        raise StoreUnavailable("the disk is full")

    job = cluster.submit(nodes_max=1)
    with monkeypatch.context() as patch:
        patch.setattr(cluster.store.decisions, "record", refuses)
        with pytest.raises(StoreUnavailable):
            cluster.run(1)
    cluster.run(20)
    assert len(cluster.cloud.machines()) == 1
    assert [each.plan.target for each in changes(cluster, job.id)] == [Group.of(SPOT)]


def test_no_more_than_eight_purchases_are_refused_at_one_look(tmp_path: Path) -> None:
    pools = tuple(Offering("small", Capacity.SPOT, f"zone-{number:02d}") for number in range(20))
    prices = {each: 0.30 + 0.001 * number for number, each in enumerate(pools)}
    cluster = VirtualCluster(tmp_path, decide, prices, offerings=pools)
    cluster.cloud.capacity = dict.fromkeys(pools[:10], 0)
    job = cluster.submit(nodes_max=1)
    cluster.run(1)
    assert sum(call.operation is Operation.LAUNCH for call in cluster.cloud.calls) == 8
    held = cluster.store.decisions.listed(job.id)[0].plan
    assert (held.action, held.target, held.limited_by) == (Action.HOLD, None, ("refusals",))
    cluster.run(1)
    assert living(cluster) == [pools[10]]
    assert len(changes(cluster, job.id)) == 1
