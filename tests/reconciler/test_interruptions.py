"""Machines that the cloud takes back, on a virtual cluster: with a notice, without, and with no
replacement."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from elastic.errors import ProviderUnavailable
from elastic.model import (
    Capacity,
    Exit,
    Group,
    JobPhase,
    Node,
    NodePhase,
    Obstacle,
    Offering,
    Outcome,
)
from elastic.policy import guard
from elastic.providers import InstanceState, Operation
from tests.reconciler.dictated import Dictated
from tests.reconciler.virtual import SMALL, VirtualCluster


@pytest.fixture
def policy() -> Dictated:
    return Dictated(Group.of(SMALL))


@pytest.fixture
def cluster(tmp_path: Path, policy: Dictated) -> VirtualCluster:
    return VirtualCluster(tmp_path, policy)


def kinds(cluster: VirtualCluster) -> list[str]:
    return [event.kind for event in cluster.store.events.listed(limit=500)]


def only_node(cluster: VirtualCluster) -> Node:
    (node,) = cluster.store.nodes.listed()
    return node


def stood_still_s(cluster: VirtualCluster, job_id: str) -> float:
    """The longest time between two windows."""
    ends = sorted(
        each.window.ended_at_s for each in cluster.store.measurements.listed(job_id, limit=500)
    )
    return max(later - earlier for earlier, later in pairwise(ends))


def test_a_node_with_a_notice_is_replaced_without_a_failure_and_ended_before_its_time(
    cluster: VirtualCluster,
) -> None:
    job = cluster.submit(drain_grace_s=10.0)
    cluster.run(20)
    old = only_node(cluster)
    cluster.take_back(old, in_s=60.0)
    cluster.run(20)
    new = only_node(cluster)
    gone = cluster.store.nodes.get(old.id)
    assert new.id != old.id
    assert new.reason == "interruption"
    assert gone.phase is NodePhase.TERMINATED
    assert gone.terminated_at_s is not None and gone.leaves_at_s is not None
    assert gone.terminated_at_s < gone.leaves_at_s
    ended = [
        event.text
        for event in cluster.store.events.listed(limit=500)
        if event.kind == "node_terminating"
    ]
    assert ["the cloud takes it back at" in text for text in ended] == [True]
    assert kinds(cluster).count("interruption_notice") == 1
    assert "failure" not in kinds(cluster)
    assert stood_still_s(cluster, job.id) <= 4.0
    assert cluster.store.jobs.get(job.id).phase is JobPhase.RUNNING


def test_without_a_replacement_training_stops_in_time_and_goes_on_when_there_is_one(
    cluster: VirtualCluster,
) -> None:
    job = cluster.submit(drain_grace_s=10.0)
    cluster.run(20)
    old = only_node(cluster)
    cluster.cloud.capacity[SMALL] = 1
    cluster.take_back(old, in_s=40.0)
    cluster.run(22)
    drained = cluster.store.generations.latest(job.id)
    assert drained is not None and drained.drain_at_s is None, (
        "a drain 15 s before the end is early enough"
    )
    cluster.run(10)
    drained = cluster.store.generations.latest(job.id)
    assert drained is not None and drained.ended_at_s is not None and drained.number == 1
    assert cluster.store.nodes.get(old.id).phase in (NodePhase.TERMINATING, NodePhase.TERMINATED)
    done = cluster.done[job.id]
    cluster.cloud.capacity.clear()
    cluster.run(60)
    assert cluster.done[job.id] > done
    assert "failure" not in kinds(cluster)


def test_the_rest_of_a_group_goes_on_and_grows_again(
    cluster: VirtualCluster, policy: Dictated
) -> None:
    policy.wanted = Group.of(SMALL, 2)
    job = cluster.submit(drain_grace_s=10.0)
    cluster.run(20)
    leaver = cluster.store.nodes.listed()[0]
    cluster.cloud.capacity[SMALL] = 2
    cluster.take_back(leaver, in_s=30.0)
    cluster.run(30)
    alone = cluster.store.generations.latest(job.id)
    assert alone is not None and leaver.id not in alone.node_ids and len(alone.node_ids) == 1
    cluster.cloud.capacity.clear()
    cluster.run(60)
    whole = cluster.store.generations.latest(job.id)
    assert whole is not None and len(whole.node_ids) == 2
    assert "failure" not in kinds(cluster)


def test_who_is_done_may_be_taken_back_while_the_others_finish(
    cluster: VirtualCluster, policy: Dictated
) -> None:
    policy.wanted = Group.of(SMALL, 2)
    job = cluster.submit(drain_grace_s=10.0, iterations=200)
    cluster.run(20)
    training = cluster.store.generations.latest(job.id)
    assert training is not None
    done = cluster.store.nodes.get(training.node_ids[1])
    agent = cluster.agents[done.id]
    agent.exit, agent.generation = Exit(training.number, Outcome.SUCCEEDED, 0), None
    cluster.take_back(done, in_s=30.0)
    cluster.run(60)
    assert cluster.store.nodes.get(done.id).phase.is_gone
    assert (cluster.store.generations.latest(job.id), len(cluster.store.nodes.listed())) == (
        training,
        1,
    )
    cluster.run(100)
    assert cluster.store.jobs.get(job.id).phase is JobPhase.SUCCEEDED


def test_a_machine_taken_without_a_notice_is_lost_at_its_true_end_and_replaced(
    cluster: VirtualCluster,
) -> None:
    job = cluster.submit()
    cluster.run(20)
    old = only_node(cluster)
    assert old.provider_id is not None
    cluster.cloud.reclaim(old.provider_id)
    taken_at_s = cluster.clock.now_s()
    cluster.run(1)
    assert cluster.store.nodes.get(old.id).phase is NodePhase.LOST
    (row,) = cluster.store.ledger.of_job(job.id)[:1]
    assert row.to_s == taken_at_s
    cluster.run(10)
    assert only_node(cluster).phase is NodePhase.JOINED
    generation = cluster.store.generations.latest(job.id)
    assert generation is not None and generation.number == 2
    assert "failure" not in kinds(cluster)


def test_a_notice_that_comes_while_the_daemon_is_away_is_acted_on_when_it_is_back(
    cluster: VirtualCluster,
) -> None:
    cluster.submit(drain_grace_s=10.0)
    cluster.run(20)
    old = only_node(cluster)
    cluster.take_back(old, in_s=120.0)
    cluster.run(20, ticking=False)
    cluster.restart()
    cluster.run(20)
    assert only_node(cluster).id != old.id
    living = [each for each in cluster.cloud.machines() if each.state is not InstanceState.GONE]
    assert len(living) == 1


def test_how_often_machines_are_taken_is_counted(cluster: VirtualCluster) -> None:
    cluster.submit(drain_grace_s=10.0)
    cluster.run(20)
    cluster.take_back(only_node(cluster), in_s=60.0)
    cluster.run(20)
    lost = only_node(cluster)
    assert lost.provider_id is not None
    cluster.cloud.reclaim(lost.provider_id)
    cluster.run(5)
    counted = {
        (each.node_type, each.with_notice): each.count
        for each in cluster.store.notices.interruptions()
    }
    assert counted == {("small", True): 1, ("small", False): 1}


def test_a_market_that_took_a_node_back_is_left_alone_for_three_minutes_where_another_zone_sells_the_same(
    tmp_path: Path, policy: Dictated
) -> None:
    here, there = (
        Offering("small", Capacity.SPOT, "zone-a"),
        Offering("small", Capacity.SPOT, "zone-b"),
    )
    policy.wanted = Group.of(here)
    cluster = VirtualCluster(tmp_path, policy, prices={here: 0.36, there: 0.37})
    cluster.cloud.offerings = (here, there)
    cluster.submit(drain_grace_s=10.0)
    cluster.run(20)
    cluster.take_back(only_node(cluster), in_s=60.0)
    cluster.run(10)
    now_s, blocks = cluster.clock.now_s(), cluster.reconciler.provider.blocks
    (block,) = blocks.listed(now_s=now_s)
    assert (block.offering, block.why) == (here, Obstacle.INTERRUPTED)
    assert 170.0 <= block.until_s - now_s <= 180.0
    assert only_node(cluster).offering == here, "a policy that insists waits"
    policy.wanted = Group.of(there)
    cluster.run(20)
    assert only_node(cluster).offering == there
    assert "failure" not in kinds(cluster)


def test_a_machine_that_is_being_ended_is_replaced_at_once_and_paid_for_until_it_is_gone(
    cluster: VirtualCluster,
) -> None:
    job = cluster.submit()
    cluster.run(20)
    old = only_node(cluster)
    assert old.provider_id is not None
    cluster.cloud.reclaim(old.provider_id, over_s=200.0)
    cluster.run(20)
    going = cluster.store.nodes.get(old.id)
    assert (going.phase, going.stopping_at_s is not None) == (NodePhase.JOINED, True)
    generation = cluster.store.generations.latest(job.id)
    assert generation is not None and generation.number == 2 and old.id not in generation.node_ids
    assert kinds(cluster).count("node_stopping") == 1
    cluster.run_slowly(180)
    cluster.run(20)
    gone = cluster.store.nodes.get(old.id)
    assert gone.phase is NodePhase.LOST
    assert (
        gone.terminated_at_s is not None
        and gone.terminated_at_s - (gone.launched_at_s or 0.0) > 200.0
    )
    assert "failure" not in kinds(cluster)


def test_a_machine_that_ends_before_it_joined_is_one_failure_however_long_that_takes(
    cluster: VirtualCluster,
) -> None:
    cluster.submit()
    cluster.run(2)
    booting = only_node(cluster)
    assert booting.provider_id is not None
    cluster.cloud.reclaim(booting.provider_id, over_s=20.0)
    cluster.run(40)
    assert kinds(cluster).count("failure") == 1
    assert cluster.store.nodes.get(booting.id).phase is NodePhase.LOST


def take_while_it_boots(cluster: VirtualCluster) -> None:
    """Takes the job's next machine back before its agent has registered."""
    for _ in range(40):
        cluster.run(1)
        for machine in cluster.cloud.machines():
            if machine.state is InstanceState.PENDING:
                cluster.cloud.reclaim(machine.provider_id, was_taken=True)
                return
        cluster.run(4, ticking=False)


def test_a_market_that_takes_machines_back_while_they_boot_ends_no_job(
    cluster: VirtualCluster,
) -> None:
    cluster.cloud.boot_s = 300.0
    job = cluster.submit()
    for _ in range(4):
        take_while_it_boots(cluster)
    cluster.run(1)
    assert not cluster.store.jobs.get(job.id).phase.is_final
    assert kinds(cluster).count("failure") == 4, "each is told"
    cluster.cloud.boot_s = 0.0
    cluster.run_slowly(200)
    assert cluster.done[job.id] > 0


def test_while_the_cloud_is_silent_a_notice_is_heeded_and_nothing_is_bought(
    cluster: VirtualCluster,
) -> None:
    job = cluster.submit(drain_grace_s=10.0)
    cluster.run(20)
    old = only_node(cluster)
    cluster.take_back(old, in_s=40.0)
    cluster.cloud.fail_next(Operation.INSTANCES, ProviderUnavailable("no answer"), times=18)
    for _ in range(18):
        with pytest.raises(ProviderUnavailable):
            cluster.run(1)
        cluster.run(2, ticking=False)
    drained = cluster.store.generations.latest(job.id)
    taken_at_s = cluster.store.nodes.get(old.id).leaves_at_s
    assert drained is not None and drained.drain_at_s is not None and taken_at_s is not None
    assert 10.0 < taken_at_s - drained.drain_at_s <= 15.0
    assert len(cluster.cloud.machines()) == 1
    cluster.run(20)
    assert only_node(cluster).id != old.id


@pytest.mark.parametrize(("iterations", "bought"), [(50, 1), (100, 2)])
def test_a_machine_taken_from_a_job_that_is_nearly_done_is_replaced_only_if_the_job_outlives_it(
    iterations: int, bought: int, tmp_path: Path, policy: Dictated
) -> None:
    """A second an iteration, 45 s until training would have to stop: 33 iterations need no other
    machine, 83 do."""
    cluster = VirtualCluster(tmp_path, lambda snapshot: guard(snapshot, policy(snapshot)))
    job = cluster.submit(drain_grace_s=10.0, iterations=iterations)
    cluster.run(20)
    cluster.take_back(only_node(cluster), in_s=60.0)
    cluster.run(120)
    assert cluster.store.jobs.get(job.id).phase is JobPhase.SUCCEEDED
    assert len(cluster.cloud.machines()) == bought
    codes = {decision.plan.reason.code for decision in cluster.store.decisions.listed(job.id)}
    assert ("finishing" in codes) == (bought == 1)
