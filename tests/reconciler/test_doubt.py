"""Purchases whose answer was lost, of machines that are listed late: closed by their own answer or
by their age."""

from __future__ import annotations

from pathlib import Path

import pytest

from elastic.errors import (
    CapacityUnavailable,
    Forbidden,
    ProviderError,
    ProviderUnavailable,
    QuotaReached,
)
from elastic.providers import Instance, InstanceState, Operation
from tests.reconciler.virtual import VirtualCluster, small_forever

LOST = ProviderUnavailable("the answer is lost")
LATE_S = 50.0
NO_ANSWERS = [
    Forbidden("allow ssm:GetParameter"),
    QuotaReached("too many versions of the launch template"),
    CapacityUnavailable("refused recently, tried again in 9 s"),
    ProviderError("wanted AWS credentials, found none that work"),
]


@pytest.fixture
def cluster(tmp_path: Path) -> VirtualCluster:
    """Its first purchase is made, the answer is lost, and what it bought is not listed yet."""
    cluster = VirtualCluster(tmp_path, small_forever)
    cluster.cloud.visible_after_s = LATE_S
    cluster.cloud.fail_next(Operation.LAUNCH, LOST, is_done=True)
    return cluster


def living(cluster: VirtualCluster) -> list[Instance]:
    return [each for each in cluster.cloud.machines() if each.state is not InstanceState.GONE]


@pytest.mark.parametrize("error", NO_ANSWERS, ids=lambda error: type(error).__name__)
def test_an_error_from_before_the_repeated_call_closes_nothing(
    cluster: VirtualCluster, error: ProviderError
) -> None:
    job = cluster.submit()
    cluster.cloud.fail_next(Operation.LAUNCH, error, times=10_000)
    cluster.run(10)
    cluster.restart()
    cluster.run(int(LATE_S))
    (node,) = cluster.store.nodes.listed(job.id, include_gone=True)
    (machine,) = cluster.cloud.machines()
    assert (node.provider_id, node.launched_at_s) == (machine.provider_id, machine.launched_at_s)
    assert [row.from_s for row in cluster.store.ledger.of_job(job.id)] == [machine.launched_at_s]
    assert all(event.kind != "orphan_found" for event in cluster.store.events.listed(limit=1000))


def test_by_which_call_a_purchase_was_asked_for_outlives_the_daemon(
    cluster: VirtualCluster,
) -> None:
    cluster.submit()
    cluster.run(1)
    cluster.restart()
    cluster.run(1)
    requests = [call.request for call in cluster.cloud.calls if call.request is not None]
    assert [each.asked_by for each in requests] == ["", Operation.LAUNCH]


def test_the_clouds_own_answer_closes_a_purchase_at_once(tmp_path: Path) -> None:
    cluster = VirtualCluster(tmp_path, small_forever)
    job = cluster.submit()
    cluster.cloud.fail_next(Operation.LAUNCH, ProviderUnavailable("it never arrived"))
    cluster.cloud.fail_next(
        Operation.LAUNCH, CapacityUnavailable("none is left", bought_nothing=True)
    )
    cluster.run(2)
    (node,) = cluster.store.nodes.listed(job.id, include_gone=True)
    assert node.phase.is_gone
    cluster.run(30)
    assert len(living(cluster)) == 1, "and another one is made"


def test_a_first_call_is_closed_by_any_error_that_is_final(tmp_path: Path) -> None:
    cluster = VirtualCluster(tmp_path, small_forever)
    job = cluster.submit()
    cluster.cloud.fail_next(Operation.LAUNCH, ProviderError("no such image"))
    cluster.run(1)
    (node,) = cluster.store.nodes.listed(job.id, include_gone=True)
    assert node.phase.is_gone
