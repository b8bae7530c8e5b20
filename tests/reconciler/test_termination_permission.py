from __future__ import annotations

from pathlib import Path

import pytest

from elastic.clock import ManualClock
from elastic.errors import ProviderError, ProviderUnavailable
from elastic.model import JobPhase, NodePhase
from elastic.providers import Instance, InstanceState, Operation
from elastic.reconciler import TerminationPermission
from tests.reconciler.virtual import SMALL, VirtualCluster, small_forever

LEASE_S = 600.0
FORBIDDEN = ProviderError("terminating: these credentials do not permit it")
SILENT = ProviderUnavailable("no answer")


def test_while_machines_can_be_ended_leases_are_whole(cluster: VirtualCluster) -> None:
    cluster.run_slowly(2000, every_s=40)
    assert (cluster.right.lease_left_s(), cluster.right.alarm()) == (LEASE_S, None)


@pytest.mark.parametrize("lease_s", [20.0, 30.0, 60.0, 90.0, 239.0, 600.0])
def test_leases_of_any_length_are_whole_while_machines_can_be_ended(lease_s: float) -> None:
    clock = ManualClock(1000.0)
    right = TerminationPermission(lambda _: None, lease_s, clock.now_s)
    machine = Instance("m-1", "n-1", "j-1", "t", SMALL, InstanceState.RUNNING, 0.0)
    for _ in range(200):
        right.look([machine])
        assert right.lease_left_s() == lease_s
        clock.advance(5.0)


def test_no_lease_outlives_two_leases_after_the_right_was_lost(cluster: VirtualCluster) -> None:
    cluster.cloud.fail_next(Operation.PROVE, FORBIDDEN, times=10_000)
    lost_s = cluster.clock.now_s()
    for _ in range(20):
        cluster.run_slowly(100, every_s=20)
        now_s = cluster.clock.now_s()
        assert now_s + cluster.right.lease_left_s() <= max(lost_s + 2 * LEASE_S + 120, now_s)
    assert cluster.right.lease_left_s() == 0.0
    assert "these credentials do not permit it" in (cluster.right.alarm() or "")


def test_daemons_that_start_again_and_again_renew_no_lease_for_ever(
    cluster: VirtualCluster,
) -> None:
    cluster.run(1)
    cluster.cloud.fail_next(Operation.PROVE, FORBIDDEN, times=10_000)
    lost_s = cluster.clock.now_s()
    for _ in range(10):
        cluster.run_slowly(200, every_s=20)
        cluster.restart()
        cluster.run(1)
        now_s = cluster.clock.now_s()
        assert now_s + cluster.right.lease_left_s() <= max(lost_s + 2 * LEASE_S + 120, now_s)
    cluster.cloud.relent(Operation.PROVE)
    cluster.run_slowly(200, every_s=20)
    assert cluster.right.lease_left_s() == LEASE_S


def test_a_daemon_whose_machine_boots_with_a_clock_that_is_behind_renews_for_one_lease_at_most(
    cluster: VirtualCluster,
) -> None:
    cluster.run(1)
    cluster.cloud.fail_next(Operation.PROVE, FORBIDDEN, times=10_000)
    cluster.run_slowly(900, every_s=20)
    cluster.restart()
    assert cluster.right.alarm() is None
    cluster.reconciler.alarms.look(cluster.store, None, now_s=-86_400.0)
    assert cluster.right.lease_left_s() == LEASE_S, "nothing has failed yet"
    cluster.restart()
    cluster.right.note_failure(FORBIDDEN)
    cluster.reconciler.alarms.look(cluster.store, None, now_s=-86_400.0)
    began_s = cluster.clock.now_s()
    cluster.run_slowly(300, every_s=20)
    assert cluster.clock.now_s() + cluster.right.lease_left_s() <= began_s + LEASE_S


def test_a_refusal_is_told_at_once(cluster: VirtualCluster) -> None:
    cluster.cloud.fail_next(Operation.PROVE, FORBIDDEN, times=10_000)
    cluster.run_slowly(150)
    assert cluster.right.lease_left_s() == LEASE_S
    assert cluster.right.alarm() is not None


def test_a_cloud_that_is_silent_for_minutes_shortens_no_lease_and_is_no_alarm(
    cluster: VirtualCluster,
) -> None:
    cluster.cloud.throttled_until_s = cluster.clock.now_s() + 450.0
    for _ in range(45):
        with pytest.raises(ProviderUnavailable):
            cluster.run(1)
        cluster.clock.advance(10.0)
        assert (cluster.right.lease_left_s(), cluster.right.alarm()) == (LEASE_S, None)


def test_when_the_right_is_back_leases_flow_again(cluster: VirtualCluster) -> None:
    cluster.cloud.fail_next(Operation.PROVE, FORBIDDEN, times=30)
    cluster.run_slowly(900, every_s=20)
    assert (cluster.right.lease_left_s(), cluster.right.alarm()) == (LEASE_S, None)


def test_a_termination_that_is_refused_is_an_alarm_and_never_timed_out_into_done(
    cluster: VirtualCluster,
) -> None:
    (job,) = cluster.store.jobs.unfinished()
    cluster.cloud.fail_next(Operation.TERMINATE, FORBIDDEN, times=10_000)
    cluster.cloud.fail_next(Operation.PROVE, FORBIDDEN, times=10_000)
    cluster.store.jobs.request_stop(job.id, JobPhase.CANCELLED, None, now_s=cluster.clock.now_s())
    cluster.run_slowly(7200, every_s=60)
    assert [node.phase for node in cluster.store.nodes.listed()] == [NodePhase.TERMINATING]
    assert cluster.store.jobs.get(job.id).phase is JobPhase.DRAINING
    assert cluster.right.alarm() is not None


def test_where_nothing_lives_nothing_is_asked_for(tmp_path: Path) -> None:
    cluster = VirtualCluster(tmp_path, small_forever)
    cluster.run_slowly(1000)
    assert not [call for call in cluster.cloud.calls if call.operation is Operation.PROVE]
    assert cluster.right.lease_left_s() == LEASE_S


def test_a_clock_that_is_set_back_prolongs_no_lease(cluster: VirtualCluster) -> None:
    cluster.run_slowly(130)
    cluster.host_clock.skew_s = -3600.0
    cluster.cloud.fail_next(Operation.PROVE, FORBIDDEN, times=10_000)
    assert cluster.right.lease_left_s() == LEASE_S
    cluster.run_slowly(1210, every_s=22)
    assert cluster.right.lease_left_s() == 0.0


def test_the_right_is_proven_again_soon_after_a_clock_was_set_back(cluster: VirtualCluster) -> None:
    cluster.run_slowly(130)
    cluster.host_clock.skew_s = -86_400.0
    cluster.run_slowly(1500, every_s=30)
    assert cluster.right.lease_left_s() == LEASE_S


def test_a_clock_that_is_set_forward_shortens_no_lease(cluster: VirtualCluster) -> None:
    cluster.run_slowly(130)
    cluster.host_clock.skew_s = 1300.0
    cluster.run(1, ticking=False)  # heartbeats come before the next tick
    assert list(cluster.lease_ends_at_s.values()) == [cluster.clock.now_s() + LEASE_S]
