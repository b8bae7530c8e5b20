"""While the provider does not list what it sells, jobs are handled by what is on record, and
nothing is bought."""

from __future__ import annotations

from pathlib import Path

import pytest

from elastic.errors import ProviderError, ProviderUnavailable
from elastic.model import JobPhase, Objective, Offering, Workers
from elastic.policy import decide
from elastic.providers import InstanceState, Operation
from elastic.reconciler import AlarmKind
from tests.reconciler.virtual import LARGE, SMALL, VirtualCluster

MISTYPED = ProviderError("the type 'smal' does not exist")


@pytest.fixture
def cluster(tmp_path: Path) -> VirtualCluster:
    return VirtualCluster(tmp_path, decide, prices={SMALL: 3.6, LARGE: 9.0})


def lose_catalog(cluster: VirtualCluster, error: ProviderError = MISTYPED) -> None:
    """A daemon that was started again remembers none."""
    cluster.cloud.catalog_failure = error
    cluster.restart()


def living(cluster: VirtualCluster) -> int:
    return sum(each.state is not InstanceState.GONE for each in cluster.cloud.machines())


def launches(cluster: VirtualCluster) -> int:
    return sum(each.operation is Operation.LAUNCH for each in cluster.cloud.calls)


def alarms(cluster: VirtualCluster) -> dict[AlarmKind, str]:
    return {
        each.kind: each.text
        for each in cluster.reconciler.alarms.current(now_s=cluster.clock.now_s())
    }


def test_a_job_trains_on_and_ends_at_its_budget(cluster: VirtualCluster) -> None:
    job = cluster.submit(iterations=None, nodes_max=1, objective=Objective(budget_usd=1.0))
    cluster.run(60)
    lose_catalog(cluster)
    before = cluster.done[job.id]
    cluster.run_slowly(60)
    assert cluster.done[job.id] > before
    cluster.run_slowly(400)
    assert cluster.store.jobs.get(job.id).phase is JobPhase.BUDGET_EXHAUSTED
    assert living(cluster) == 0


def test_a_job_that_is_done_keeps_no_machine(cluster: VirtualCluster) -> None:
    job = cluster.submit(iterations=50, nodes_max=1)
    cluster.run(30)
    lose_catalog(cluster)
    cluster.run_slowly(1200, every_s=40)
    assert cluster.store.jobs.get(job.id).phase is JobPhase.SUCCEEDED
    assert living(cluster) == 0


def test_a_job_that_is_stopped_ends(cluster: VirtualCluster) -> None:
    job = cluster.submit(nodes_max=1)
    cluster.run(30)
    lose_catalog(cluster)
    cluster.store.jobs.request_stop(job.id, JobPhase.CANCELLED, None, now_s=cluster.clock.now_s())
    cluster.run(30)
    assert cluster.store.jobs.get(job.id).phase is JobPhase.CANCELLED
    assert living(cluster) == 0


def test_nothing_is_bought_until_the_catalog_is_back(cluster: VirtualCluster) -> None:
    running = cluster.submit(nodes_max=1)
    cluster.run(30)
    lose_catalog(cluster)
    waiting = cluster.submit(name="other", nodes_max=1)
    bought = launches(cluster)
    for each in cluster.cloud.machines():
        cluster.cloud.reclaim(each.provider_id)
    cluster.run_slowly(60)
    assert launches(cluster) == bought
    assert cluster.store.decisions.listed(waiting.id)[0].plan.reason.code == "no_catalog"
    cluster.cloud.catalog_failure = None
    cluster.run_slowly(100)
    for job in (running, waiting):
        assert cluster.store.generations.latest(job.id) is not None
    assert living(cluster) >= 2


def test_a_launch_whose_answer_was_lost_waits_for_the_catalog(cluster: VirtualCluster) -> None:
    cluster.submit(nodes_max=1)
    cluster.cloud.fail_next(Operation.LAUNCH, ProviderUnavailable("no answer"))
    cluster.run(1)
    lose_catalog(cluster)
    bought = launches(cluster)
    cluster.run(30)
    assert launches(cluster) == bought
    cluster.cloud.catalog_failure = None
    cluster.run(30)
    assert living(cluster) == 1


def test_it_is_an_alarm_at_once_until_it_is_over(cluster: VirtualCluster) -> None:
    lose_catalog(cluster)
    cluster.run(1)
    assert set(alarms(cluster)) == {AlarmKind.CANNOT_BUY}
    assert "the type 'smal' does not exist" in alarms(cluster)[AlarmKind.CANNOT_BUY]
    cluster.cloud.catalog_failure = None
    cluster.run(1)
    assert alarms(cluster) == {}


def test_a_short_silence_is_no_alarm_and_a_long_one_is(cluster: VirtualCluster) -> None:
    lose_catalog(cluster, ProviderUnavailable("no answer"))
    cluster.run(50)
    assert alarms(cluster) == {}
    cluster.run(30)
    assert set(alarms(cluster)) == {AlarmKind.CANNOT_BUY}


def test_who_sees_no_machines_is_told_that_alone(cluster: VirtualCluster) -> None:
    lose_catalog(cluster)
    cluster.cloud.fail_next(Operation.INSTANCES, ProviderError("refused"))
    with pytest.raises(ProviderError, match="refused"):
        cluster.run(1)
    assert set(alarms(cluster)) == {AlarmKind.CANNOT_SEE}


def test_a_node_runs_what_was_settled_when_it_was_bought_though_its_type_is_sold_no_more(
    cluster: VirtualCluster,
) -> None:
    job = cluster.submit(iterations=None, nodes_max=1, nproc_per_node={SMALL.node_type: 3})
    cluster.run(60)
    lose_catalog(cluster)
    cluster.run_slowly(60)
    (node,) = cluster.store.nodes.listed(job.id)
    assert node.workers == Workers(3, 1)
    assert cluster.store.generations.listed(job.id)[-1].world_size == 3


def test_what_is_on_offer_no_more_is_not_bought(cluster: VirtualCluster) -> None:
    job = cluster.submit(
        iterations=None, nodes_max=1, policy="fixed", fixed_node_type=SMALL.node_type
    )
    cluster.run(30)
    (node,) = cluster.store.nodes.listed(job.id)
    before = launches(cluster)
    cluster.cloud.types, cluster.cloud.offerings = cluster.cloud.types[1:], (LARGE,)
    cluster.take_back(node, in_s=5)
    cluster.run_slowly(300)
    assert launches(cluster) == before


def offered(cluster: VirtualCluster) -> frozenset[Offering] | None:
    return cluster.reconciler.offered


def test_what_is_sold_is_known_from_each_look(cluster: VirtualCluster) -> None:
    assert offered(cluster) is None
    cluster.run(5)
    assert offered(cluster) == frozenset([SMALL, LARGE])
    lose_catalog(cluster)
    cluster.run_slowly(5)
    assert offered(cluster) is None
