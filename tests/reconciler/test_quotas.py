"""A quota that is used up: a job goes on with what has room left, and ends with the quota's name
where nothing has."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from elastic.errors import Forbidden, QuotaReached
from elastic.model import Group, Job, JobPhase, Objective, Obstacle, Offering, Precision
from elastic.policy import decide
from elastic.providers import Instance, InstanceState, LaunchRequest, Operation
from tests.reconciler.virtual import LARGE, SMALL, VirtualCluster

FULL = QuotaReached("raise L-1216C47A")


@pytest.fixture
def cluster(tmp_path: Path) -> VirtualCluster:
    return VirtualCluster(tmp_path, decide)


def asked_for(cluster: VirtualCluster, job: Job) -> list[Offering]:
    calls = [call.request for call in cluster.cloud.calls if call.operation is Operation.LAUNCH]
    return [each.offering for each in calls if each is not None and each.job_id == job.id]


def test_a_job_all_of_whose_types_exceed_it_ends_with_its_name(cluster: VirtualCluster) -> None:
    cluster.cloud.fail_next(Operation.LAUNCH, FULL, times=2)
    job = cluster.submit()
    cluster.run(10)
    ended = cluster.store.jobs.get(job.id)
    assert ended.phase is JobPhase.FAILED
    assert ended.message == "none of its node types may be bought: raise L-1216C47A"
    assert asked_for(cluster, job) == [SMALL, LARGE], "each once"
    again = cluster.submit(name="again")
    cluster.run(10)
    assert cluster.done[again.id] > 0, "a job that is submitted once it is raised is not held up"


def test_a_type_that_cannot_run_the_job_keeps_none_of_its_hopes_up(cluster: VirtualCluster) -> None:
    small, large = cluster.cloud.types
    cluster.cloud.types = (replace(small, precisions=(Precision.FP32, Precision.BF16)), large)
    cluster.cloud.fail_next(Operation.LAUNCH, FULL)
    job = cluster.submit(precision=Precision.BF16)
    cluster.run(10)
    assert cluster.store.jobs.get(job.id).phase is JobPhase.FAILED
    assert asked_for(cluster, job) == [SMALL]


def test_a_job_one_of_whose_types_has_room_left_goes_on_with_that(cluster: VirtualCluster) -> None:
    cluster.cloud.fail_next(Operation.LAUNCH, FULL)
    job = cluster.submit(nodes_max=1)
    cluster.run(30)
    assert [each.offering for each in cluster.cloud.machines()] == [LARGE]
    assert cluster.done[job.id] > 0
    assert "raise L-1216C47A" in next(
        each.text
        for each in cluster.store.events.listed(job_id=job.id)
        if each.kind == "node_failed"
    )
    started = cluster.store.decisions.listed(job.id, limit=50)[-1].plan.reason.text
    assert started.endswith("(refused just now: small)")


def test_a_job_that_trains_already_is_not_ended_by_it(cluster: VirtualCluster) -> None:
    job = cluster.submit(nodes_max=1)
    cluster.run(10)
    cluster.cloud.fail_next(Operation.LAUNCH, FULL, times=100)
    cluster.run_slowly(300)
    assert not cluster.store.jobs.get(job.id).phase.is_final
    assert cluster.done[job.id] > 30


def test_one_that_another_job_takes_part_of_is_waited_for(cluster: VirtualCluster) -> None:
    first = cluster.submit(name="first", nodes_max=1, node_types=("small",))
    cluster.run(10)
    cluster.cloud.fail_next(Operation.LAUNCH, FULL)
    second = cluster.submit(name="second", nodes_max=1, node_types=("small",))
    cluster.run(30)
    assert cluster.store.jobs.get(second.id).phase is JobPhase.SUBMITTED
    assert asked_for(cluster, second) == [SMALL]
    cluster.store.jobs.request_stop(first.id, JobPhase.CANCELLED, None, now_s=cluster.clock.now_s())
    cluster.run(30)
    assert [each.state for each in cluster.cloud.machines()] == [
        InstanceState.GONE,
        InstanceState.RUNNING,
    ]
    assert cluster.done[second.id] > 0, "it was tried again as soon as the other's machine was gone"


def test_a_type_forbidden_and_the_other_without_quota_end_it_as_well(
    cluster: VirtualCluster,
) -> None:
    cluster.cloud.fail_next(Operation.LAUNCH, FULL)
    cluster.cloud.fail_next(Operation.LAUNCH, Forbidden("allow ec2:RunInstances"))
    job = cluster.submit()
    cluster.run(10)
    assert cluster.store.jobs.get(job.id).phase is JobPhase.FAILED
    assert "allow ec2:RunInstances" in (cluster.store.jobs.get(job.id).message or "")


def with_room_for(nodes: int, cluster: VirtualCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """An account whose quota is so many nodes, of whatever type."""
    sell = cluster.cloud.launch

    def launch(request: LaunchRequest) -> tuple[Instance, ...]:
        living = [m for m in cluster.cloud.machines() if m.state is not InstanceState.GONE]
        if len(living) + len(request.node_ids) > nodes:
            raise FULL
        return sell(request)

    monkeypatch.setattr(cluster.cloud, "launch", launch)


def test_a_job_for_which_it_has_no_room_for_four_nodes_trains_on_two(
    cluster: VirtualCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_room_for(2, cluster, monkeypatch)
    dear = Objective(value_of_time_usd_per_h=3.0)
    job = cluster.submit(nodes_max=4, node_types=("small",), objective=dear)
    cluster.run(60)
    assert cluster.store.jobs.target(job.id) == Group.of(SMALL, 2)
    cluster.run_slowly(900, every_s=20)
    assert cluster.store.jobs.target(job.id) == Group.of(SMALL, 2), "and does not swing"


def test_a_job_that_would_begin_with_four_nodes_begins_with_what_it_has_room_for(
    cluster: VirtualCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = cluster.submit(nodes_max=4, node_types=("small",), name="first", nodes_min=4)
    cluster.run(60)
    cluster.store.jobs.request_stop(first.id, JobPhase.CANCELLED, None, now_s=cluster.clock.now_s())
    cluster.run(30)
    with_room_for(2, cluster, monkeypatch)
    dear = Objective(value_of_time_usd_per_h=3.0)
    job = cluster.submit(nodes_max=4, node_types=("small",), objective=dear)
    cluster.run(60)
    assert [
        len(call.request.node_ids)
        for call in cluster.cloud.calls
        if call.request and call.request.job_id == job.id
    ][:1] == [4], "as an earlier run of the program tells"
    assert not cluster.store.jobs.get(job.id).phase.is_final
    assert cluster.done[job.id] > 0


def test_a_job_whose_fewest_nodes_exceed_it_ends(
    cluster: VirtualCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_room_for(2, cluster, monkeypatch)
    job = cluster.submit(nodes_min=3, nodes_max=4)
    cluster.run(10)
    ended = cluster.store.jobs.get(job.id)
    assert ended.phase is JobPhase.FAILED
    assert ended.message == "none of its node types may be bought: raise L-1216C47A"


def test_one_that_shows_only_after_the_purchase_is_waited_for(cluster: VirtualCluster) -> None:
    """As Slurm's: it takes a job into its queue, and says there that a limit is reached."""
    cluster.cloud.boot_s = 300.0
    job = cluster.submit(nodes_max=1, node_types=("small",))
    cluster.run(2)
    (waiting,) = cluster.cloud.machines()
    blocks = cluster.reconciler.provider.blocks
    blocks.block(SMALL, Obstacle.QUOTA, first_s=30.0, now_s=cluster.clock.now_s())
    cluster.cloud.reclaim(waiting.provider_id, why="AssocGrpCpuLimit", was_taken=True)
    cluster.cloud.boot_s = 0.0
    cluster.run(10)
    assert not cluster.store.jobs.get(job.id).phase.is_final
    cluster.run(60)
    assert cluster.done[job.id] > 0
