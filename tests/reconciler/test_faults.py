"""What goes wrong around the loop costs at most a tick, and no dollar that is not in the ledger."""

from __future__ import annotations

from pathlib import Path

import pytest

from elastic.errors import CapacityUnavailable, ProviderError, ProviderUnavailable, StoreUnavailable
from elastic.model import (
    Action,
    Exit,
    Group,
    JobPhase,
    NodePhase,
    Obstacle,
    Outcome,
    Plan,
    Reason,
    Snapshot,
)
from elastic.providers import InstanceState, Operation
from tests.reconciler.virtual import LARGE, SMALL, Prices, VirtualCluster, small_forever


@pytest.fixture
def cluster(tmp_path: Path) -> VirtualCluster:
    return VirtualCluster(tmp_path, small_forever)


def living(cluster: VirtualCluster) -> int:
    return sum(machine.state is not InstanceState.GONE for machine in cluster.cloud.machines())


def test_nodes_that_end_before_they_join_fail_the_job_and_are_not_bought_without_end(
    cluster: VirtualCluster,
) -> None:
    cluster.cloud.boot_s = 1e9
    job = cluster.submit()
    for _ in range(100):
        for machine in cluster.cloud.machines():
            if machine.state is InstanceState.PENDING:
                cluster.cloud.reclaim(
                    machine.provider_id, why="Client.InternalError: Client error on launch"
                )
        cluster.run(1)
    ended = cluster.store.jobs.get(job.id)
    assert ended.phase is JobPhase.FAILED
    assert "before it joined: Client.InternalError: Client error on launch" in (ended.message or "")
    assert len(cluster.cloud.machines()) == 3
    told = [each.text for each in cluster.store.events.listed() if each.kind == "node_lost"]
    assert all(
        each.endswith("is lost: Client.InternalError: Client error on launch") for each in told
    )
    assert {
        each.reason.partition("; ")[2] for each in cluster.store.nodes.listed(include_gone=True)
    } == {"ended by its provider: Client.InternalError: Client error on launch"}


def test_the_reason_of_an_end_that_takes_a_while_is_told_once_and_that_of_one_asked_for_not_at_all(
    cluster: VirtualCluster,
) -> None:
    job = cluster.submit()
    cluster.run(5)
    (old,) = cluster.cloud.machines()
    cluster.cloud.exit_s = 20.0
    cluster.cloud.reclaim(old.provider_id, over_s=30.0, why="Server.InternalError: the host failed")
    cluster.run(20)
    cluster.store.jobs.request_stop(job.id, JobPhase.CANCELLED, None, now_s=cluster.clock.now_s())
    cluster.run(20)
    told = [each.text for each in cluster.store.events.listed() if "the host failed" in each.text]
    assert [each.partition(": ")[0] for each in told if "ask for that" in each] == [
        "small is being ended, though elasticd did not ask for that"
    ]
    new, first = cluster.store.nodes.listed(include_gone=True)[:2]
    assert first.reason.count("the host failed") == 1
    assert "ended by its provider" not in new.reason


def test_nodes_that_never_register_fail_the_job(cluster: VirtualCluster) -> None:
    cluster.cloud.boot_s = 1e9
    job = cluster.submit()
    cluster.run(1)
    cluster.cloud.consoles = {
        each.provider_id: "pip: no space left on device" for each in cluster.cloud.machines()
    }
    cluster.run_slowly(2500)
    ended = cluster.store.jobs.get(job.id)
    assert ended.phase is JobPhase.FAILED
    assert "did not register" in (ended.message or "")
    assert any(
        "it printed:\npip: no space left" in event.text for event in cluster.store.events.listed()
    )
    assert len(cluster.cloud.machines()) == 3


def test_nodes_that_register_and_never_speak_fail_the_job(
    cluster: VirtualCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(VirtualCluster, "_heartbeat", lambda *_: None)
    job = cluster.submit()
    for _ in range(60):  # such as those that cannot unpack their job's code: they leave at once
        cluster.run(5)
        for machine in cluster.cloud.machines():
            if any(
                node.id == machine.node_id and node.phase is NodePhase.JOINED
                for node in cluster.store.nodes.listed()
            ):
                cluster.cloud.reclaim(machine.provider_id)
    assert cluster.store.jobs.get(job.id).phase is JobPhase.FAILED
    assert len(cluster.cloud.machines()) == 3


def test_a_job_that_trains_outlives_nodes_that_never_join(tmp_path: Path) -> None:
    wanted = Group.of(SMALL)

    def decide(snapshot: Snapshot) -> Plan:
        return Plan(
            Action.HOLD if snapshot.target == wanted else Action.MOVE,
            wanted,
            Reason("told", "as told"),
        )

    cluster = VirtualCluster(tmp_path, decide)
    job = cluster.submit()
    cluster.run(10)
    wanted = Group.of(LARGE)
    for _ in range(60):
        for machine in cluster.cloud.machines():
            if machine.offering == LARGE and machine.state is InstanceState.PENDING:
                cluster.cloud.reclaim(machine.provider_id)
        cluster.run(1)
    assert cluster.store.jobs.get(job.id).iteration == cluster.done[job.id] > 50
    assert 3 <= len(cluster.cloud.machines()) - 1 <= 5


def test_nodes_that_end_together_before_they_join_are_one_reason_to_wait(
    cluster: VirtualCluster,
) -> None:
    cluster.cloud.boot_s = 1e9
    cluster.submit(name="one")
    cluster.submit(name="other")
    cluster.run(1)
    for machine in cluster.cloud.machines():
        cluster.cloud.reclaim(machine.provider_id)
    cluster.run(1)
    (block,) = cluster.reconciler.provider.blocks.listed(now_s=cluster.clock.now_s())
    assert (block.why, block.until_s - cluster.clock.now_s()) == (Obstacle.FAILED_TO_JOIN, 4.0), (
        "5 s, of which 1 is over"
    )


def test_an_offering_without_capacity_is_asked_for_ever_more_rarely(
    cluster: VirtualCluster,
) -> None:
    cluster.cloud.capacity = {SMALL: 0}
    job = cluster.submit()
    cluster.run_slowly(3600)
    attempts = [call for call in cluster.cloud.calls if call.operation is Operation.LAUNCH]
    assert 5 <= len(attempts) <= 16
    assert cluster.store.jobs.get(job.id).phase is JobPhase.PROFILING
    cluster.cloud.capacity = {}
    cluster.run_slowly(620)
    assert living(cluster) == 1


def test_workers_that_stop_though_nobody_asked_them_fail_the_job(cluster: VirtualCluster) -> None:
    job = cluster.submit()
    cluster.run(6)
    for _ in range(60):
        generation = cluster.store.generations.latest(job.id)
        for agent in cluster.agents.values():
            if generation is not None and generation.ended_at_s is None:
                agent.exit, agent.generation = Exit(generation.number, Outcome.DRAINED, 0), None
                cluster.done[job.id] = 0
        cluster.run(1)
    assert cluster.store.jobs.get(job.id).phase is JobPhase.FAILED
    assert living(cluster) == 0


def test_a_node_that_speaks_is_not_lost_because_its_provider_forgets_to_list_it(
    cluster: VirtualCluster,
) -> None:
    job = cluster.submit()
    cluster.run(20)
    (node,) = cluster.store.nodes.listed(job.id)
    cluster.cloud.visible = lambda: ()  # type: ignore[method-assign]  # the listing alone is at fault
    cluster.run_slowly(300)
    assert [(each.id, each.phase) for each in cluster.store.nodes.listed(job.id)] == [
        (node.id, NodePhase.JOINED)
    ]


def test_nodes_that_could_not_be_heard_are_not_silent(cluster: VirtualCluster) -> None:
    job = cluster.submit()
    cluster.run(20)
    (node,) = cluster.store.nodes.listed(job.id)
    for is_restarted in (False, True):
        cluster.clock.advance(3600.0)
        if is_restarted:
            cluster.restart()
        cluster.run(5)
        assert [(each.id, each.phase) for each in cluster.store.nodes.listed(job.id)] == [
            (node.id, NodePhase.JOINED)
        ]


def test_a_termination_is_repeated_though_prices_cannot_be_stored(cluster: VirtualCluster) -> None:
    job = cluster.submit()
    cluster.run(10)
    cluster.cloud.fail_next(Operation.TERMINATE, ProviderUnavailable("throttled"), times=2)
    cluster.store.jobs.request_stop(job.id, JobPhase.CANCELLED, None, now_s=cluster.clock.now_s())
    while not any(
        node.phase is NodePhase.TERMINATING for node in cluster.store.nodes.listed(job.id)
    ):
        cluster.run(1)
    cluster.reconciler.prices = Prices(error=StoreUnavailable("disk full"))
    for _ in range(4):
        with pytest.raises(StoreUnavailable):
            cluster.run(1)
        cluster.clock.advance(1.0)
    assert living(cluster) == 0


def test_one_jobs_unexpected_error_does_not_keep_the_others_waiting(tmp_path: Path) -> None:
    def decide(snapshot: Snapshot) -> Plan:
        if snapshot.job.spec.name == "cursed":
            raise ZeroDivisionError("a bug")
        return small_forever(snapshot)

    cluster = VirtualCluster(tmp_path, decide)
    cluster.submit(name="cursed")
    job = cluster.submit(name="other")
    with pytest.raises(ExceptionGroup, match="1 jobs"):
        cluster.reconciler.tick(now_s=cluster.clock.now_s())
    assert [node.job_id for node in cluster.store.nodes.listed()] == [job.id]


def test_a_machine_whose_launch_was_never_answered_is_paid_for_and_ended(
    cluster: VirtualCluster,
) -> None:
    cluster.cloud.fail_next(Operation.LAUNCH, ProviderUnavailable("no answer"), is_done=True)
    cluster.cloud.visible_after_s = 4.0
    job = cluster.submit()
    cluster.run(1)
    cluster.store.jobs.request_stop(job.id, JobPhase.CANCELLED, None, now_s=cluster.clock.now_s())
    cluster.run(30)
    (machine,) = cluster.cloud.machines()
    assert machine.exited_at_s is not None
    assert cluster.store.jobs.get(job.id).phase is JobPhase.CANCELLED
    billed_usd = 0.36 * (machine.exited_at_s - machine.launched_at_s) / 3600
    assert cluster.store.ledger.spent(job.id, cluster.clock.now_s()) == pytest.approx(billed_usd)


def test_nothing_is_launched_for_a_job_that_is_ending(cluster: VirtualCluster) -> None:
    cluster.cloud.fail_next(Operation.LAUNCH, ProviderUnavailable("no answer"))
    job = cluster.submit()
    cluster.run(1)
    cluster.store.jobs.request_stop(job.id, JobPhase.CANCELLED, None, now_s=cluster.clock.now_s())
    cluster.run_slowly(200)
    assert cluster.cloud.machines() == ()
    assert cluster.store.jobs.get(job.id).phase is JobPhase.CANCELLED


def test_the_rendezvous_is_ended_before_the_job_is_over(cluster: VirtualCluster) -> None:
    job = cluster.submit()
    cluster.run(10)
    cluster.store.jobs.request_stop(job.id, JobPhase.CANCELLED, None, now_s=cluster.clock.now_s())
    phases: list[JobPhase] = []
    cluster.rendezvous.end = lambda job_id: phases.append(cluster.store.jobs.get(job_id).phase)  # type: ignore[method-assign]
    cluster.run(20)
    assert phases == [JobPhase.DRAINING]


def test_capacity_that_returns_is_used_at_once_after_a_quiet_time(cluster: VirtualCluster) -> None:
    cluster.cloud.fail_next(Operation.LAUNCH, CapacityUnavailable("none"))
    cluster.submit()
    cluster.run(10)
    assert living(cluster) == 1


def test_a_launch_that_fails_of_something_unheard_of_is_tried_again_after_a_while(
    cluster: VirtualCluster,
) -> None:
    cluster.cloud.fail_next(Operation.LAUNCH, ProviderError("the launch template has no image"))
    cluster.submit()
    cluster.run(1)
    (block,) = cluster.reconciler.provider.blocks.listed(now_s=cluster.clock.now_s())
    assert (block.offering, block.why) == (SMALL, Obstacle.LAUNCH_FAILED)
    cluster.run(10)
    assert living(cluster) == 1
