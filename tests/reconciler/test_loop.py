"""The loop on a virtual cluster: real store, real steps, fake cloud, a policy that the test
dictates."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from elastic.durations import RETRY_S
from elastic.errors import CapacityUnavailable, ProviderUnavailable
from elastic.model import (
    Action,
    AgentState,
    Group,
    JobPhase,
    Mode,
    NodePhase,
    NodeReport,
    Plan,
    RoundRegistration,
    Rounds,
    Snapshot,
)
from elastic.providers import FakeProvider, Instance, InstanceState, LaunchRequest, Operation
from elastic.store import HeartbeatReport
from tests.reconciler.dictated import Dictated
from tests.reconciler.virtual import LARGE, SMALL, VirtualCluster


@pytest.fixture
def policy() -> Dictated:
    return Dictated(Group.of(SMALL))


@pytest.fixture
def cluster(tmp_path: Path, policy: Dictated) -> VirtualCluster:
    return VirtualCluster(tmp_path, policy)


def living(cluster: VirtualCluster) -> list[str]:
    return [
        m.offering.node_type for m in cluster.cloud.machines() if m.state is not InstanceState.GONE
    ]


def billed_usd(cluster: VirtualCluster) -> float:
    """What the cloud itself would bill: the truth the ledger is compared with."""
    now_s = cluster.clock.now_s()
    return sum(
        cluster.prices[m.offering]
        * ((now_s if m.exited_at_s is None else m.exited_at_s) - m.launched_at_s)
        / 3600
        for m in cluster.cloud.machines()
    )


def test_a_job_is_launched_trained_finished_and_its_machines_are_gone(
    cluster: VirtualCluster,
) -> None:
    job = cluster.submit(iterations=50)
    cluster.run(80)
    ended = cluster.store.jobs.get(job.id)
    assert (ended.phase, ended.iteration) == (JobPhase.SUCCEEDED, 50)
    assert living(cluster) == []
    assert cluster.rendezvous.ended == [job.id]


def test_a_job_whose_script_is_done_is_not_moved_any_more(
    cluster: VirtualCluster, policy: Dictated
) -> None:
    def wants_more(snapshot: Snapshot) -> Plan:
        # It does not know that the script is done: it was not told how many iterations there are.
        if snapshot.job.iteration == 50:
            policy.wanted = Group.of(LARGE)
        return policy(snapshot)

    cluster.reconciler.decide = wants_more
    job = cluster.submit(iterations=50)
    cluster.run(80)
    assert cluster.store.jobs.get(job.id).phase is JobPhase.SUCCEEDED
    decided = cluster.store.decisions.listed(job.id, limit=20)
    changes = [each.plan.target for each in decided if each.plan.action is not Action.HOLD]
    assert changes == [Group.of(SMALL)]


def test_the_ledger_equals_the_clouds_bill(cluster: VirtualCluster, policy: Dictated) -> None:
    job = cluster.submit(iterations=200)
    cluster.run(30)
    policy.wanted = Group.of(LARGE)
    cluster.run(60)
    assert cluster.store.ledger.spent(job.id, cluster.clock.now_s()) == pytest.approx(
        billed_usd(cluster), rel=0.01
    )
    cluster.run(150)
    assert cluster.store.jobs.get(job.id).phase is JobPhase.SUCCEEDED
    assert cluster.store.ledger.spent(job.id, cluster.clock.now_s()) == pytest.approx(
        billed_usd(cluster), rel=1e-9
    )


def test_a_move_loses_no_iteration_and_ends_the_old_node_after_the_new_one_took_over(
    cluster: VirtualCluster, policy: Dictated
) -> None:
    job = cluster.submit()
    cluster.run(20)
    before = cluster.store.jobs.get(job.id).iteration
    policy.wanted = Group.of(LARGE)
    cluster.run(20)
    assert living(cluster) == ["large"]
    assert cluster.store.jobs.get(job.id).iteration == cluster.done[job.id] > before
    assert [str(g.number) for g in cluster.store.generations.listed(job.id)] == ["1", "2"]
    assert len(cluster.store.facts.of(job.id, now_s=cluster.clock.now_s()).switches) == 1


def test_scales_up_and_down(cluster: VirtualCluster, policy: Dictated) -> None:
    cluster.submit()
    cluster.run(15)
    policy.wanted = Group.of(SMALL, 3)
    cluster.run(20)
    assert living(cluster) == ["small"] * 3
    policy.wanted = Group.of(SMALL, 2)
    cluster.run(20)
    assert living(cluster) == ["small"] * 2


def test_a_lost_node_is_replaced(cluster: VirtualCluster) -> None:
    job = cluster.submit()
    cluster.run(15)
    (node,) = cluster.store.nodes.listed(job.id)
    assert node.provider_id is not None
    cluster.cloud.reclaim(node.provider_id)
    cluster.run(20)
    assert cluster.store.nodes.get(node.id).phase is NodePhase.LOST
    assert living(cluster) == ["small"]
    assert cluster.store.jobs.get(job.id).iteration == cluster.done[job.id]


def test_a_restarted_daemon_adopts_what_runs(cluster: VirtualCluster) -> None:
    job = cluster.submit()
    cluster.run(15)
    nodes = cluster.store.nodes.listed(job.id)
    cluster.run(30, ticking=False)
    cluster.restart()
    cluster.run(10)
    assert cluster.store.nodes.listed(job.id)[0].id == nodes[0].id
    assert len(cluster.cloud.machines()) == 1
    assert len(cluster.store.generations.listed(job.id)) == 1


def test_a_lost_answer_to_a_launch_buys_no_second_machine(cluster: VirtualCluster) -> None:
    cluster.cloud.fail_next(Operation.LAUNCH, ProviderUnavailable("no answer"), is_done=True)
    cluster.submit()
    cluster.run(15)
    assert len(cluster.cloud.machines()) == 1
    assert living(cluster) == ["small"]


def test_without_capacity_the_launch_is_intended_anew_and_costs_nothing(
    cluster: VirtualCluster,
) -> None:
    cluster.cloud.fail_next(Operation.LAUNCH, CapacityUnavailable("none"), times=3)
    job = cluster.submit()
    cluster.run(50)
    assert living(cluster) == ["small"]
    failed = [
        n
        for n in cluster.store.nodes.listed(job.id, include_gone=True)
        if n.phase is NodePhase.TERMINATED
    ]
    assert len(failed) == 3
    assert len(cluster.store.ledger.of_job(job.id)) == 1


def test_a_termination_is_repeated_until_the_machine_is_gone(cluster: VirtualCluster) -> None:
    job = cluster.submit()
    cluster.run(15)
    cluster.cloud.fail_next(Operation.TERMINATE, ProviderUnavailable("throttled"), times=5)
    cluster.store.jobs.request_stop(job.id, JobPhase.CANCELLED, None, now_s=cluster.clock.now_s())
    cluster.run(20)
    assert living(cluster) == []
    assert cluster.store.jobs.get(job.id).phase is JobPhase.CANCELLED


def test_a_machine_that_no_node_stands_for_is_ended(cluster: VirtualCluster) -> None:
    job = cluster.submit()
    cluster.run(15)
    before = living(cluster)
    stray = LaunchRequest("token", ("node-stray",), job.id, SMALL, "http://127.0.0.1:1", "token")
    FakeProvider(cluster.cloud).launch(stray)
    assert len(living(cluster)) == len(before) + 1
    cluster.run(5)
    assert living(cluster) == before


@pytest.mark.parametrize("image", [None, "me/train:1"])
def test_a_provider_knows_whether_a_node_is_for_an_image(
    cluster: VirtualCluster, monkeypatch: pytest.MonkeyPatch, image: str | None
) -> None:
    asked = []
    sell = cluster.cloud.launch

    def launch(request: LaunchRequest) -> tuple[Instance, ...]:
        asked.append(request.has_image)
        return sell(request)

    monkeypatch.setattr(cluster.cloud, "launch", launch)
    cluster.submit(image=image)
    cluster.run(5)
    assert asked == [image is not None]


def test_a_script_that_always_fails_fails_the_job_with_its_log(cluster: VirtualCluster) -> None:
    job = cluster.submit()
    cluster.run(6)
    for _ in range(60):
        for agent in cluster.agents.values():
            agent.is_crashing = True
        cluster.run(1)
    ended = cluster.store.jobs.get(job.id)
    assert ended.phase is JobPhase.FAILED
    assert "ValueError: no" in (ended.message or "")
    assert living(cluster) == []


def test_a_session_that_has_ended_leaves_no_store_that_names_its_members(
    cluster: VirtualCluster,
) -> None:
    job = cluster.submit(mode=Mode.LIVE)
    cluster.run(6)
    for agent in cluster.agents.values():
        agent.is_crashing = True
    cluster.run(10)
    assert cluster.rendezvous.ended.count(job.id) > 1, "one for each generation that ended"


def test_a_session_s_new_store_is_told_what_is_on_record_once_every_member_has_spoken(
    cluster: VirtualCluster, policy: Dictated
) -> None:
    job = cluster.submit(mode=Mode.LIVE)
    cluster.run(10)
    (node,) = cluster.store.nodes.listed(job.id)
    cluster.agents_are_silent = True
    cluster.rendezvous.is_alive = False
    cluster.restart()
    policy.wanted = Group.of(LARGE)
    cluster.run(3)
    assert cluster.rendezvous.begun == [], (
        "nor is one begun for a machine that was bought meanwhile"
    )
    assert len(cluster.store.nodes.listed(job.id)) == 2
    said = HeartbeatReport(
        NodeReport(AgentState.RUNNING, 1), round=7, next_round=RoundRegistration(8, 2)
    )
    cluster.store.heartbeats.take_in(node.id, said, now_s=cluster.clock.now_s())
    cluster.run(1)
    assert cluster.rendezvous.begun == [Rounds(newest=7, registered=8, is_held=True)]


def test_a_session_s_store_that_answers_elsewhere_at_each_look_does_not_keep_a_tick_for_ever(
    cluster: VirtualCluster,
) -> None:
    job = cluster.submit(mode=Mode.LIVE)
    cluster.run(10)
    ports = count(2)
    elsewhere = lambda job_id, *, rounds: f"127.0.0.1:{next(ports)}/{job_id}"  # noqa: E731 - a method's stand-in
    cluster.rendezvous.endpoint = elsewhere  # type: ignore[method-assign]
    before = len(cluster.store.generations.listed(job.id))
    cluster.reconciler.tick(now_s=cluster.clock.now_s())
    assert 1 < len(cluster.store.generations.listed(job.id)) - before < 10


def test_a_spent_budget_ends_the_job_in_good_order(
    cluster: VirtualCluster, policy: Dictated
) -> None:
    job = cluster.submit()
    cluster.run(15)
    policy.is_over = True
    cluster.run(15)
    assert cluster.store.jobs.get(job.id).phase is JobPhase.BUDGET_EXHAUSTED
    assert living(cluster) == []


def test_every_tick_that_changes_or_holds_is_a_decision(
    cluster: VirtualCluster, policy: Dictated
) -> None:
    job = cluster.submit()
    cluster.run(10)
    policy.wanted = Group.of(LARGE)
    cluster.run(10)
    newest_first = cluster.store.decisions.listed(job.id)
    assert [each.plan.action for each in newest_first] == [
        Action.HOLD,
        Action.MOVE,
        Action.HOLD,
        Action.MOVE,
    ]
    assert sum(each.ticks for each in newest_first) == 20


def test_the_feed_tells_the_story_in_order(cluster: VirtualCluster) -> None:
    cluster.submit(iterations=20)
    cluster.run(40)
    kinds = [event.kind for event in cluster.store.events.listed()]
    assert kinds.index("node_launched") < kinds.index("node_joined") < kinds.index("generation")
    assert "node_terminated" in kinds


def test_looks_again_soon_while_nodes_wait_for_a_rendezvous_that_starts(
    cluster: VirtualCluster,
) -> None:
    job = cluster.submit(iterations=50)
    answer = cluster.rendezvous.endpoint

    def nowhere(job_id: str, *, rounds: Rounds) -> None:
        return None

    cluster.rendezvous.endpoint = nowhere  # type: ignore[method-assign]
    assert cluster.reconciler.tick(now_s=cluster.clock.now_s()) is None, "its node has not joined"
    cluster.run(10)
    assert cluster.reconciler.tick(now_s=cluster.clock.now_s()) == RETRY_S
    cluster.run(60)
    assert cluster.reconciler.tick(now_s=cluster.clock.now_s()) is None, (
        "it does not start: no reason to hurry"
    )
    cluster.rendezvous.endpoint = answer  # type: ignore[method-assign]
    cluster.run(2)
    assert cluster.reconciler.tick(now_s=cluster.clock.now_s()) is None
    assert cluster.store.generations.latest(job.id) is not None


def test_a_job_that_is_stopped_while_its_machines_are_bought_is_no_error(
    cluster: VirtualCluster,
) -> None:
    job, whole = cluster.submit(), cluster.rendezvous.endpoint

    def stop(job_id: str, *, rounds: Rounds) -> str | None:
        cluster.store.jobs.request_stop(job_id, JobPhase.CANCELLED, None, now_s=0.0)
        return whole(job_id, rounds=rounds)

    cluster.rendezvous.endpoint = stop  # type: ignore[method-assign]
    with capture_logs() as logs:
        cluster.run(1)
    assert [each for each in logs if each["log_level"] == "warning"] == []
    cluster.run(20)
    assert (cluster.store.jobs.get(job.id).phase, living(cluster)) == (JobPhase.CANCELLED, [])
