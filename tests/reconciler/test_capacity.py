"""Capacity that is not there: the job goes where some is, by a recorded decision that names the
refusal."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from elastic.errors import ProviderUnavailable
from elastic.model import (
    Action,
    Capacity,
    Decision,
    Group,
    JobPhase,
    NodePhase,
    Objective,
    Obstacle,
    Offering,
    Plan,
    Reason,
    Snapshot,
)
from elastic.policy import decide
from elastic.providers import InstanceState, Operation
from tests.reconciler.virtual import LARGE, SMALL, Prices, VirtualCluster, small_forever

A = Offering("small", Capacity.SPOT, "us-east-1a")
B = Offering("small", Capacity.SPOT, "us-east-1b")


@pytest.fixture
def cluster(tmp_path: Path) -> VirtualCluster:
    return VirtualCluster(tmp_path, decide, {A: 0.30, B: 0.31}, offerings=(A, B))


def living(cluster: VirtualCluster) -> list[str]:
    return [m.offering.zone for m in cluster.cloud.machines() if m.state is not InstanceState.GONE]


def reclaim(cluster: VirtualCluster) -> None:
    for machine in cluster.cloud.machines():
        if machine.state is not InstanceState.GONE:
            cluster.cloud.reclaim(machine.provider_id)


def changes(cluster: VirtualCluster, job_id: str) -> list[Decision]:
    """The decisions that changed the target, oldest first."""
    return [
        each
        for each in reversed(cluster.store.decisions.listed(job_id))
        if each.plan.action is not Action.HOLD
    ]


def test_a_job_whose_zone_runs_dry_goes_on_in_another_and_stays(cluster: VirtualCluster) -> None:
    job = cluster.submit(nodes_max=1)
    cluster.run(30)
    assert living(cluster) == ["us-east-1a"]
    before = cluster.store.jobs.get(job.id).iteration
    cluster.cloud.capacity = {A: 0}
    reclaim(cluster)
    cluster.run(20)
    assert living(cluster) == ["us-east-1b"]
    assert cluster.store.jobs.get(job.id).iteration == cluster.done[job.id] > before
    start, move = changes(cluster, job.id)
    assert (move.plan.action, move.plan.reason.code) == (Action.MOVE, "unavailable")
    assert move.plan.reason.text.startswith("no capacity for small spot in us-east-1a until ")
    assert "start on small spot us-east-1b, measured before" in move.plan.reason.text
    assert [each.offering for each in cluster.store.decisions.snapshot(move.id).unavailable] == [A]
    cluster.cloud.capacity = {}
    cluster.run_slowly(2000, every_s=40)
    assert [each.id for each in changes(cluster, job.id)] == [start.id, move.id]
    assert living(cluster) == ["us-east-1b"]


def test_a_node_that_is_taken_back_trains_on_until_another_zone_takes_over(
    cluster: VirtualCluster,
) -> None:
    job = cluster.submit(nodes_max=1, drain_grace_s=10.0)
    cluster.run(30)
    (old,) = cluster.store.nodes.listed()
    cluster.cloud.capacity = {A: 0}
    cluster.take_back(old, in_s=120.0)
    cluster.run(20)
    assert living(cluster) == ["us-east-1b"]
    assert changes(cluster, job.id)[-1].plan.reason.code == "unavailable"
    assert cluster.store.jobs.get(job.id).iteration == cluster.done[job.id]
    ends_s = sorted(
        each.window.ended_at_s for each in cluster.store.measurements.listed(job.id, limit=500)
    )
    assert max(later - earlier for earlier, later in pairwise(ends_s)) < 10.0


def test_a_start_that_is_refused_is_made_in_the_other_zone(cluster: VirtualCluster) -> None:
    cluster.cloud.capacity = {A: 0}
    job = cluster.submit(nodes_max=1)
    cluster.run(10)
    assert living(cluster) == ["us-east-1b"]
    (start,) = changes(cluster, job.id)
    assert (start.plan.reason.code, start.plan.target) == ("start", Group.of(B))
    assert start.plan.reason.text.endswith("(refused just now: small spot in us-east-1a)")
    assert start.plan.reason.numbers["refused"] == 1
    assert decide(cluster.store.decisions.snapshot(start.id)) == start.plan, "it replays"
    assert cluster.done[job.id] > 0


def test_a_group_that_is_refused_is_bought_whole_in_one_zone(cluster: VirtualCluster) -> None:
    cluster.cloud.capacity = {A: 2}
    job = cluster.submit(nodes_min=3, nodes_max=3)
    cluster.run(40)
    assert living(cluster) == ["us-east-1b"] * 3
    assert cluster.store.jobs.target(job.id) == Group.of(B, 3)
    assert cluster.done[job.id] > 0


def test_a_job_that_cannot_have_four_nodes_trains_on_two_of_the_same_type_and_grows_when_there_are_more(
    tmp_path: Path,
) -> None:
    cluster = VirtualCluster(tmp_path, decide, {A: 0.30}, offerings=(A,))
    cluster.cloud.capacity = {A: 2}
    job = cluster.submit(nodes_max=4, objective=Objective(value_of_time_usd_per_h=3.0))
    cluster.run(60)
    assert living(cluster) == ["us-east-1a"] * 2
    told = [(each.plan.reason.code, each.plan.target) for each in changes(cluster, job.id)]
    assert told == [
        ("start", Group.of(A)),
        ("trial", Group.of(A, 2)),
    ], "four were asked for and refused: that was no decision"
    cluster.run_slowly(600, every_s=20)
    assert living(cluster) == ["us-east-1a"] * 2, "and does not swing meanwhile"
    cluster.cloud.capacity = {}
    cluster.run_slowly(700, every_s=20)
    assert living(cluster) == ["us-east-1a"] * 4
    assert cluster.store.jobs.get(job.id).iteration == cluster.done[job.id]


def test_a_start_with_four_that_is_refused_begins_with_two_at_the_next_tick(tmp_path: Path) -> None:
    """What is wanted is the greatest number that is not refused: the policy is told what is too
    much."""

    def as_many_as_there_are(snapshot: Snapshot) -> Plan:
        too_many = min((each.nodes for each in snapshot.unavailable), default=5)
        wanted = (
            Group.of(A, 4 if too_many > 4 else 2)
            if snapshot.target != Group.of(A, 2)
            else snapshot.target
        )
        action = Action.HOLD if snapshot.target == wanted else Action.START
        return Plan(action, wanted, Reason("told", "as told"))

    cluster = VirtualCluster(tmp_path, as_many_as_there_are, {A: 0.30}, offerings=(A,))
    cluster.cloud.capacity = {A: 2}
    job = cluster.submit(nodes_max=4)
    cluster.run(2)
    asked = [len(call.request.node_ids) for call in cluster.cloud.calls if call.request is not None]
    assert asked == [4, 2]
    assert living(cluster) == ["us-east-1a"] * 2
    (block,) = cluster.reconciler.provider.blocks.listed(now_s=cluster.clock.now_s())
    assert (block.nodes, block.why) == (2, Obstacle.CAPACITY), (
        "two of the four that were not there are bought"
    )
    cluster.run(20)
    assert cluster.done[job.id] > 0


def test_a_market_in_which_four_were_refused_is_still_another_zone_to_go_to(
    cluster: VirtualCluster,
) -> None:
    cluster.submit(nodes_max=1, drain_grace_s=10.0)
    cluster.run(30)
    blocks, now_s = cluster.reconciler.provider.blocks, cluster.clock.now_s()
    blocks.block(B, nodes=4, first_s=600.0, now_s=now_s)
    blocks.block(A, nodes=4, first_s=600.0, now_s=now_s)
    (old,) = cluster.store.nodes.listed()
    cluster.take_back(old, in_s=120.0)
    cluster.run(20)
    assert living(cluster) == ["us-east-1b"]
    taken = blocks.of(A, now_s=cluster.clock.now_s())
    assert taken is not None
    assert taken.why is Obstacle.INTERRUPTED


def test_what_lost_a_node_moves_whole_when_its_zone_has_no_other(cluster: VirtualCluster) -> None:
    job = cluster.submit(nodes_min=2, nodes_max=2)
    cluster.run(30)
    assert living(cluster) == ["us-east-1a"] * 2
    cluster.cloud.capacity = {A: 0}
    cluster.cloud.reclaim(cluster.cloud.machines()[0].provider_id)
    cluster.run(40)
    assert living(cluster) == ["us-east-1b"] * 2
    assert cluster.store.jobs.target(job.id) == Group.of(B, 2)


def test_without_capacity_anywhere_it_waits_and_goes_on_when_there_is_some(
    cluster: VirtualCluster,
) -> None:
    cluster.cloud.capacity = {A: 0, B: 0}
    job = cluster.submit(nodes_max=1)
    cluster.run(30)
    newest = cluster.store.decisions.listed(job.id)[0].plan
    assert (newest.action, newest.reason.code) == (Action.HOLD, "unavailable")
    assert "and waits" in newest.reason.text
    cluster.run_slowly(1200)
    attempts = [call for call in cluster.cloud.calls if call.operation is Operation.LAUNCH]
    assert len(attempts) <= 20
    assert not cluster.store.jobs.get(job.id).phase.is_final
    cluster.cloud.capacity = {}
    cluster.run_slowly(700)
    assert len(living(cluster)) == 1
    assert cluster.done[job.id] > 0


def test_a_restarted_daemon_forgets_blocks_and_stays_where_it_went(cluster: VirtualCluster) -> None:
    cluster.cloud.capacity = {A: 0}
    job = cluster.submit(nodes_max=1)
    cluster.run(20)
    cluster.restart()
    assert cluster.reconciler.provider.blocks.listed(now_s=cluster.clock.now_s()) == ()
    cluster.run(20)
    assert living(cluster) == ["us-east-1b"]
    assert len(changes(cluster, job.id)) == 1


def test_a_node_that_never_joined_closes_its_offering_for_a_while(tmp_path: Path) -> None:
    cluster = VirtualCluster(tmp_path, small_forever)
    cluster.cloud.boot_s = 1e9
    cluster.submit()
    cluster.run(2)
    reclaim(cluster)
    cluster.run(1)
    (block,) = cluster.reconciler.provider.blocks.listed(now_s=cluster.clock.now_s())
    assert (block.offering, block.why) == (SMALL, Obstacle.FAILED_TO_JOIN)


def test_nothing_is_bought_at_a_stale_price_and_what_runs_stays(cluster: VirtualCluster) -> None:
    job = cluster.submit(nodes_max=1)
    cluster.run(20)
    cluster.reconciler.prices = Prices()
    cluster.run_slowly(3700, every_s=100)
    assert living(cluster) == ["us-east-1a"]
    assert cluster.store.decisions.listed(job.id)[0].plan.reason.code == "no_price"
    reclaim(cluster)
    cluster.run_slowly(300)
    assert living(cluster) == []
    assert not cluster.store.jobs.get(job.id).phase.is_final


def test_what_has_no_price_is_not_bought_even_if_a_policy_wants_it(tmp_path: Path) -> None:
    cluster = VirtualCluster(tmp_path, small_forever, {LARGE: 0.72})
    cluster.submit()
    cluster.run(20)
    assert cluster.cloud.machines() == ()
    assert [node.phase for node in cluster.store.nodes.listed()] == []


def test_a_provider_that_says_for_how_long_is_not_contradicted(cluster: VirtualCluster) -> None:
    now_s, blocks = cluster.clock.now_s(), cluster.reconciler.provider.blocks
    until_s = blocks.block(A, Obstacle.QUOTA, now_s=now_s)
    cluster.reconciler.machines.pause(A, Obstacle.LAUNCH_FAILED, now_s=now_s)
    assert [(each.until_s, each.why) for each in blocks.listed(now_s=now_s)] == [
        (until_s, Obstacle.QUOTA)
    ]


NO_GROUP = ProviderUnavailable(
    "launching: not visible yet; it may be repeated (EC2 says InvalidGroup.NotFound)"
)


def test_what_could_not_be_bought_in_all_its_time_gives_way_to_what_else_there_is(
    cluster: VirtualCluster,
) -> None:
    job = cluster.submit(nodes_max=1)
    cluster.cloud.fail_next(Operation.LAUNCH, NO_GROUP, times=10_000)
    cluster.run_slowly(590)
    assert {node.offering for node in cluster.store.nodes.listed(job.id)} == {A}
    cluster.run_slowly(50)
    assert [
        node.offering
        for node in cluster.store.nodes.listed(job.id)
        if node.phase is NodePhase.INTENDED
    ] == [B]
    (block,) = cluster.reconciler.provider.blocks.listed(now_s=cluster.clock.now_s())
    assert (block.offering, block.why) == (A, Obstacle.LAUNCH_FAILED)
    told = [
        each.text
        for each in cluster.store.events.listed(job_id=job.id)
        if each.kind in ("node_terminating", "failure")
    ]
    assert len(told) == 2
    assert all(
        "it could not be bought for 10 min" in each and "InvalidGroup.NotFound" in each
        for each in told
    )
    cluster.cloud.relent(Operation.LAUNCH)
    cluster.run(20)
    assert living(cluster) == ["us-east-1b"]


def test_a_job_for_which_nothing_can_be_bought_fails_and_says_what_the_cloud_said(
    cluster: VirtualCluster,
) -> None:
    job = cluster.submit(nodes_max=1)
    cluster.cloud.fail_next(Operation.LAUNCH, NO_GROUP, times=10_000)
    cluster.run_slowly(4200, every_s=20)
    ended = cluster.store.jobs.get(job.id)
    assert ended.phase is JobPhase.FAILED
    assert "3 failures in a row" in (ended.message or "")
    assert "InvalidGroup.NotFound" in (ended.message or "")


def test_a_purchase_of_many_that_came_to_nothing_is_one_failure(tmp_path: Path) -> None:
    def decide_on_both(snapshot: Snapshot) -> Plan:
        wanted = Group(((LARGE, 2), (SMALL, 2)))
        return Plan(
            Action.HOLD if snapshot.target == wanted else Action.START,
            wanted,
            Reason("told", "as told"),
        )

    cluster = VirtualCluster(tmp_path, decide_on_both)
    job = cluster.submit()
    cluster.cloud.fail_next(Operation.LAUNCH, NO_GROUP, times=10_000)
    cluster.run_slowly(620)
    assert (
        len(
            [
                each
                for each in cluster.store.events.listed(limit=500)
                if each.kind == "node_terminating"
            ]
        )
        == 4
    )
    assert (
        len([each for each in cluster.store.events.listed(limit=500) if each.kind == "failure"])
        == 1
    )
    assert not cluster.store.jobs.get(job.id).phase.is_final
