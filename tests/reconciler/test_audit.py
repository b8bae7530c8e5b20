from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from elastic.model import Action, Group, JobPhase, Plan, Reason, Snapshot
from elastic.providers import InstanceState
from elastic.reconciler import Audit, Difference, audit
from tests.builders import intend
from tests.reconciler.virtual import SMALL, VirtualCluster, small_forever


def pair_forever(snapshot: Snapshot) -> Plan:
    """A policy that wants two small nodes."""
    wanted = Group.of(SMALL, 2)
    return Plan(
        Action.HOLD if snapshot.target == wanted else Action.START,
        wanted,
        Reason("told", "as told"),
    )


@pytest.fixture
def cluster(cluster: VirtualCluster) -> VirtualCluster:
    """One whose ledger has something to tell."""
    cluster.run_slowly(190)
    return cluster


def audited(cluster: VirtualCluster, *, later_s: float = 0.0, forgets: bool = False) -> Audit:
    nodes = cluster.store.nodes.listed(include_gone=True)
    rows = [
        row
        for job_id in {node.job_id for node in nodes}
        for row in cluster.store.ledger.of_job(job_id)
    ]
    told = () if forgets else cluster.cloud.machines()
    return audit(nodes, rows, told, now_s=cluster.clock.now_s() + later_s)


def differences(found: Audit) -> list[Difference]:
    return [each.difference for each in found.findings]


def test_a_ledger_that_is_right_has_no_findings_alive_or_gone(cluster: VirtualCluster) -> None:
    assert (audited(cluster).compared, audited(cluster).findings) == (1, ())
    (job,) = cluster.store.jobs.unfinished()
    cluster.store.jobs.request_stop(job.id, JobPhase.CANCELLED, None, now_s=cluster.clock.now_s())
    cluster.run(30)
    assert (audited(cluster).compared, audited(cluster).findings) == (1, ())


def test_each_machine_of_a_group_is_compared_with_its_own_rows(tmp_path: Path) -> None:
    cluster = VirtualCluster(tmp_path, pair_forever)
    cluster.submit()
    cluster.run(10)
    cluster.run_slowly(90)
    cluster.cloud.reclaim(cluster.cloud.machines()[0].provider_id)
    cluster.run(20)
    cluster.run_slowly(180)
    found = audited(cluster)
    assert (found.compared, found.findings) == (3, ())
    first, second, _ = cluster.cloud.machines()
    twin = replace(second, provider_id="twin", node_id="nobody")
    told = audit(
        cluster.store.nodes.listed(include_gone=True),
        [],
        [first, second, twin],
        now_s=cluster.clock.now_s(),
    )
    assert [each.provider_id for each in told.findings] == ["twin"], "bought twice by one launch"


def test_a_machine_that_no_node_stands_for_is_unknown(cluster: VirtualCluster) -> None:
    (machine,) = cluster.cloud.machines()
    nodes = cluster.store.nodes.listed()
    found = audit([], [], [machine], now_s=cluster.clock.now_s())
    assert (differences(found), found.findings[0].provider_id) == (
        [Difference.UNKNOWN],
        nodes[0].provider_id,
    )
    assert "gc --terminate" in found.findings[0].advice
    gone = audit([], [], [replace(machine, state=InstanceState.GONE)], now_s=cluster.clock.now_s())
    assert "in no ledger" in gone.findings[0].advice


def test_rows_that_still_run_for_a_machine_that_is_gone_are_told(cluster: VirtualCluster) -> None:
    (machine,) = cluster.cloud.machines()
    cluster.cloud.reclaim(machine.provider_id)
    assert differences(audited(cluster)) == [Difference.GONE]


def test_rows_that_still_run_for_a_machine_that_the_cloud_forgot_are_told(
    cluster: VirtualCluster,
) -> None:
    assert differences(audited(cluster, forgets=True)) == [Difference.GONE]


def test_a_machine_that_runs_after_its_rows_were_closed_is_told(cluster: VirtualCluster) -> None:
    (node,) = cluster.store.nodes.listed()
    cluster.store.nodes.gone(node.id, at_s=cluster.clock.now_s())
    assert differences(audited(cluster)) == [Difference.STILL_THERE]


def test_seconds_that_differ_are_told_with_their_dollars(cluster: VirtualCluster) -> None:
    (machine,) = cluster.cloud.machines()
    (node,) = cluster.store.nodes.listed()
    gone_s = cluster.clock.now_s()
    cluster.store.nodes.gone(node.id, at_s=gone_s)
    ended = replace(machine, state=InstanceState.GONE, exited_at_s=gone_s - 100)
    (row,) = cluster.store.ledger.of_job(node.job_id)
    (finding,) = audit(
        cluster.store.nodes.listed(include_gone=True), [row], [ended], now_s=gone_s
    ).findings
    assert finding.difference is Difference.SECONDS
    assert finding.off_s == pytest.approx(100.0)
    assert finding.off_usd == pytest.approx(100 * 0.36 / 3600)


def test_an_end_that_the_cloud_does_not_date_is_not_compared(cluster: VirtualCluster) -> None:
    (machine,) = cluster.cloud.machines()
    (node,) = cluster.store.nodes.listed()
    cluster.store.nodes.gone(node.id, at_s=cluster.clock.now_s() + 900)
    rows = cluster.store.ledger.of_job(node.job_id)
    undated = replace(machine, state=InstanceState.GONE, exited_at_s=None)
    assert (
        audit(
            cluster.store.nodes.listed(include_gone=True),
            rows,
            [undated],
            now_s=cluster.clock.now_s(),
        ).findings
        == ()
    )


def test_an_intent_without_a_machine_is_nothing_to_compare(tmp_path: Path) -> None:
    cluster = VirtualCluster(tmp_path, small_forever)
    job = cluster.submit()
    offering = cluster.cloud.offerings[0]
    intend(cluster.store, job.id, offering, now_s=0.0)
    assert audited(cluster).findings == ()
