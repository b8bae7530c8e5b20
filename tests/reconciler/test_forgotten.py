"""Machines whose end nobody saw: the cloud forgets them, and what they cost is still known."""

from __future__ import annotations

from pathlib import Path

import pytest

from elastic.errors import ProviderUnavailable
from elastic.model import Job
from elastic.providers import Operation
from tests.reconciler.virtual import VirtualCluster, small_forever

LEASE_S = 600.0
AWAY_S = 5 * 3600.0


@pytest.fixture
def cluster(tmp_path: Path) -> VirtualCluster:
    return VirtualCluster(tmp_path, small_forever)


def charged_s(cluster: VirtualCluster, job: Job) -> float:
    """Seconds of small nodes that are gone for which the ledger charges."""
    rows = [row for row in cluster.store.ledger.of_job(job.id) if row.to_s is not None]
    return sum(row.usd(0.0) for row in rows) / 0.36 * 3600


def test_a_machine_that_is_forgotten_costs_until_the_lease_ended_that_its_last_heartbeat_gave(
    cluster: VirtualCluster,
) -> None:
    job = cluster.submit()
    cluster.run(20)
    (node,) = cluster.store.nodes.listed(job.id)
    assert node.heartbeat_at_s is not None and node.launched_at_s is not None
    cluster.clock.advance(AWAY_S)
    cluster.cloud.forget(node.provider_id or "")
    cluster.restart()
    cluster.run(3)
    assert cluster.store.nodes.get(node.id).phase.is_gone
    assert charged_s(cluster, job) == pytest.approx(
        node.heartbeat_at_s + LEASE_S - node.launched_at_s
    )


def test_a_machine_that_is_missed_soon_costs_until_it_is_missed(cluster: VirtualCluster) -> None:
    job = cluster.submit()
    cluster.run(20)
    (node,) = cluster.store.nodes.listed(job.id)
    cluster.cloud.forget(node.provider_id or "")
    cluster.run(130)
    gone = cluster.store.nodes.get(node.id)
    assert (
        gone.heartbeat_at_s is not None
        and gone.terminated_at_s is not None
        and gone.launched_at_s is not None
    )
    assert 120.0 < gone.terminated_at_s - gone.heartbeat_at_s < 125.0
    assert charged_s(cluster, job) == pytest.approx(gone.terminated_at_s - gone.launched_at_s)


def test_a_machine_that_was_listed_after_its_lease_costs_until_it_was_listed_last(
    cluster: VirtualCluster,
) -> None:
    job = cluster.submit()
    cluster.run(20)
    (node,) = cluster.store.nodes.listed(job.id)
    cluster.cloud.fail_next(
        Operation.TERMINATE, ProviderUnavailable("nobody answers"), times=10_000
    )
    cluster.agents_are_silent = True
    cluster.run_slowly(900)
    seen_s = cluster.clock.now_s() - 10.0
    cluster.cloud.forget(node.provider_id or "")
    cluster.clock.advance(AWAY_S)
    cluster.run(3)
    gone = cluster.store.nodes.get(node.id)
    assert gone.launched_at_s is not None
    assert charged_s(cluster, job) == pytest.approx(seen_s - gone.launched_at_s, abs=10.0)


def test_a_machine_that_was_bought_unheard_and_forgotten_before_anyone_looked_costs_one_lease(
    cluster: VirtualCluster,
) -> None:
    """The repeated purchase gives it, hours later: it booted, found no daemon, and powered itself
    off."""
    job = cluster.submit()
    cluster.cloud.fail_next(
        Operation.LAUNCH, ProviderUnavailable("the answer is lost"), is_done=True
    )
    cluster.run(1)
    (machine,) = cluster.cloud.machines()
    cluster.cloud.forget(machine.provider_id)
    cluster.clock.advance(AWAY_S)
    cluster.restart()
    cluster.run(140)
    (node,) = (
        node
        for node in cluster.store.nodes.listed(job.id, include_gone=True)
        if node.token == machine.token
    )
    assert node.phase.is_gone
    assert (node.launched_at_s, node.terminated_at_s) == (
        node.intended_at_s,
        node.intended_at_s + LEASE_S,
    )
    assert charged_s(cluster, job) == pytest.approx(LEASE_S)


def test_an_end_without_an_instant_is_not_charged_beyond_the_lease_either(
    cluster: VirtualCluster,
) -> None:
    cluster.cloud.tells_ends = False
    job = cluster.submit()
    cluster.run(20)
    (node,) = cluster.store.nodes.listed(job.id)
    assert node.heartbeat_at_s is not None and node.launched_at_s is not None
    cluster.cloud.reclaim(node.provider_id or "")
    cluster.clock.advance(AWAY_S)
    cluster.restart()
    cluster.run(1)
    assert charged_s(cluster, job) == pytest.approx(
        node.heartbeat_at_s + LEASE_S - node.launched_at_s
    )
