"""The yardsticks of a job's report, by a whole life of the real reconciler on a virtual cluster."""

from __future__ import annotations

from pathlib import Path

import pytest

from api.reports import costs_if_fixed, spent_on
from elastic.model import JobPhase
from elastic.policy import Use, decide
from tests.reconciler.virtual import LARGE, SMALL, VirtualCluster


def live(cluster: VirtualCluster, job_id: str) -> float:
    """Lets a job train until it is over, and gives what it has cost."""
    for _ in range(4000):
        cluster.run(1)
        if cluster.store.jobs.get(job_id).phase.is_final and not cluster.store.nodes.listed(job_id):
            break
    assert cluster.store.jobs.get(job_id).phase is JobPhase.SUCCEEDED
    return cluster.store.ledger.spent(job_id, cluster.clock.now_s())


def test_a_job_that_trained_on_one_type_throughout_has_a_best_fixed_choice_of_what_it_cost(
    tmp_path: Path,
) -> None:
    cluster = VirtualCluster(tmp_path, decide, offerings=(SMALL,))
    job = cluster.submit(iterations=200, nodes_max=1)
    spent_usd = live(cluster, job.id)
    (fixed,) = costs_if_fixed(
        cluster.store, cluster.store.jobs.get(job.id), now_s=cluster.clock.now_s()
    )
    assert fixed.usd == pytest.approx(spent_usd, rel=0.01)


def test_every_dollar_of_a_job_that_moved_has_gone_somewhere(tmp_path: Path) -> None:
    cluster = VirtualCluster(
        tmp_path, decide, offerings=(SMALL, LARGE), prices={SMALL: 0.36, LARGE: 0.40}
    )
    job = cluster.submit(iterations=1000, nodes_max=1)
    spent_usd = live(cluster, job.id)
    assert {node.offering for node in cluster.store.nodes.listed(job.id, include_gone=True)} == {
        SMALL,
        LARGE,
    }
    went = spent_on(cluster.store, cluster.store.jobs.get(job.id), now_s=cluster.clock.now_s())
    assert sum(went.values()) == pytest.approx(spent_usd, rel=1e-12)
    assert went[Use.USEFUL] > 0.8 * spent_usd
    assert went[Use.TRIAL] > 0
    best = costs_if_fixed(
        cluster.store, cluster.store.jobs.get(job.id), now_s=cluster.clock.now_s()
    )[0]
    assert best.group.members[0][0] == LARGE
    assert best.usd <= spent_usd


def test_the_whole_history_counts_and_not_its_last_windows_alone(tmp_path: Path) -> None:
    cluster = VirtualCluster(tmp_path, decide, offerings=(SMALL,))
    job = cluster.submit(iterations=200, nodes_max=1)
    live(cluster, job.id)
    (did,) = cluster.store.measurements.trained(job.id)
    assert (did.iterations, did.elapsed_s) == pytest.approx((200, 200.0)), (
        "64 windows are a second each"
    )
