"""Jobs that were over go on, on the virtual cluster: nothing that ended them ends them again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from elastic.model import (
    Action,
    Group,
    Job,
    JobPhase,
    Mode,
    NodeReport,
    Objective,
    Obstacle,
    Plan,
    Reason,
    Snapshot,
    spent_usd,
)
from elastic.policy import decide
from elastic.providers import InstanceState
from elastic.store import Event, HeartbeatReport
from tests.reconciler.virtual import LARGE, SMALL, VirtualAgent, VirtualCluster, small_forever


@pytest.fixture
def cluster(tmp_path: Path) -> VirtualCluster:
    return VirtualCluster(tmp_path, small_forever)


def stop(cluster: VirtualCluster, job: Job) -> Job:
    cluster.store.jobs.request_stop(
        job.id, JobPhase.CANCELLED, "stopped on request", now_s=cluster.clock.now_s()
    )
    cluster.run(20)
    return cluster.store.jobs.get(job.id)


def resume(cluster: VirtualCluster, job: Job, *, budget_usd: float | None = None) -> Job:
    objective = Objective(budget_usd=budget_usd or job.spec.objective.budget_usd)
    return cluster.store.resumes.resume(
        job.id, replace(job.spec, objective=objective), now_s=cluster.clock.now_s()
    )


def billed_usd(cluster: VirtualCluster) -> float:
    """What the cloud itself would bill."""
    now_s = cluster.clock.now_s()
    lived_s = [
        (each.offering, (each.exited_at_s or now_s) - each.launched_at_s)
        for each in cluster.cloud.machines()
    ]
    return sum(cluster.prices[offering] * seconds / 3600 for offering, seconds in lived_s)


def living(cluster: VirtualCluster) -> int:
    return sum(machine.state is not InstanceState.GONE for machine in cluster.cloud.machines())


@pytest.mark.parametrize("mode", [Mode.RESTART, Mode.LIVE])
@pytest.mark.parametrize("dies", [False, True])
def test_a_stopped_job_goes_on_where_it_stopped_and_succeeds(
    cluster: VirtualCluster, mode: Mode, dies: bool
) -> None:
    job = cluster.submit(iterations=100, mode=mode)
    cluster.run(40)
    stopped = stop(cluster, job)
    assert (stopped.phase, living(cluster)) == (JobPhase.CANCELLED, 0)
    before = cluster.store.generations.latest(job.id)
    cluster.clock.advance(250.0)
    cluster.run(3)
    assert living(cluster) == 0, "nothing is done for a job that is over"
    assert resume(cluster, job).iteration == stopped.iteration == cluster.done[job.id]
    for _ in range(12):  # until it trains again
        if dies:
            cluster.restart()
        cluster.run(1)
        assert cluster.store.jobs.get(job.id).phase in (
            JobPhase.RESCALING,
            JobPhase.PROFILING,
            JobPhase.RUNNING,
        )
    cluster.run(110)
    ended = cluster.store.jobs.get(job.id)
    assert (ended.phase, ended.iteration, living(cluster)) == (JobPhase.SUCCEEDED, 100, 0)
    assert before is not None and before.number == 1
    assert [each.number for each in cluster.store.generations.listed(job.id)] == [1, 2]
    windows = [each.window for each in cluster.store.measurements.listed(job.id, limit=1000)]
    assert sum(each.iterations for each in windows) == 100, "none was done twice"
    rows = cluster.store.ledger.of_job(job.id)
    assert len({row.node_id for row in rows}) == 2 and all(row.to_s is not None for row in rows)
    assert spent_usd(rows, cluster.clock.now_s()) == pytest.approx(billed_usd(cluster), rel=0.01)
    assert cluster.store.facts.of(job.id, now_s=cluster.clock.now_s()).switches == ()


def test_a_job_that_failed_goes_on_once_it_is_mended_and_fails_again_if_it_is_not(
    cluster: VirtualCluster,
) -> None:
    job = cluster.submit(iterations=100)
    cluster.run(20)
    done = cluster.done[job.id]

    def fail() -> Job:
        for _ in range(100):
            for node in cluster.store.nodes.listed(job.id):
                cluster.agents.setdefault(node.id, VirtualAgent()).is_crashing = True
            cluster.run(1)
            if cluster.store.jobs.get(job.id).phase.is_final:
                break
        return cluster.store.jobs.get(job.id)

    assert fail().phase is JobPhase.FAILED
    resume(cluster, job)
    failures = len(
        [
            each
            for each in cluster.store.events.listed(job_id=job.id, limit=500)
            if each.kind == "failure"
        ]
    )
    again = fail()
    assert again.phase is JobPhase.FAILED and again.message is not None
    assert again.message.startswith("3 failures in a row")
    told = [
        each
        for each in cluster.store.events.listed(job_id=job.id, limit=500)
        if each.kind == "failure"
    ]
    assert len(told) == failures + 2, "it has as many attempts as at first"
    resume(cluster, job)
    cluster.run(120)
    ended = cluster.store.jobs.get(job.id)
    assert (ended.phase, ended.iteration, done > 0) == (JobPhase.SUCCEEDED, 100, True)


def test_a_job_whose_workers_cannot_begin_before_somebody_acts_fails_at_once_by_that_reason(
    cluster: VirtualCluster,
) -> None:
    job = cluster.submit(iterations=100)
    for _ in range(30):
        for node in cluster.store.nodes.listed(job.id):
            cluster.agents.setdefault(
                node.id, VirtualAgent()
            ).refusal = "none of 2 can be used; restore the files"
        cluster.run(1)
    ended = cluster.store.jobs.get(job.id)
    assert (ended.phase, living(cluster)) == (JobPhase.FAILED, 0)
    assert ended.message == "no worker could begin: none of 2 can be used; restore the files"
    assert len(cluster.store.generations.listed(job.id)) == 1, "another try could not end otherwise"
    resume(cluster, job)
    cluster.run(120)
    assert cluster.store.jobs.get(job.id).phase is JobPhase.SUCCEEDED


def test_what_no_checkpoint_holds_is_weighed_as_still_to_be_done(tmp_path: Path) -> None:
    seen: list[Snapshot] = []

    def watching(snapshot: Snapshot) -> Plan:
        seen.append(snapshot)
        return small_forever(snapshot)

    cluster = VirtualCluster(tmp_path, watching)
    job = cluster.submit(iterations=100)
    cluster.run(40)
    (node,) = cluster.store.nodes.listed(job.id)
    note = Event(
        10_000, 1.0, "checkpoint", "checkpoint of iteration 20", numbers={"iteration": 20.0}
    )
    assert node.agent_state is not None
    heard = HeartbeatReport(NodeReport(node.agent_state, 1), notes=[note], acked_seq=10_000)
    cluster.store.heartbeats.take_in(node.id, heard, now_s=cluster.clock.now_s())
    assert stop(cluster, job).iteration > 20
    cluster.done[job.id] = 20
    resume(cluster, job)
    cluster.run(1)
    assert (seen[-1].job.iteration, seen[-1].target, seen[-1].current) == (20, None, None)
    cluster.run(120)
    assert cluster.store.jobs.get(job.id).phase is JobPhase.SUCCEEDED


def test_a_higher_budget_is_spent_on_what_was_left_and_no_cent_is_forgotten(tmp_path: Path) -> None:
    cluster = VirtualCluster(tmp_path, decide, prices={SMALL: 3.6, LARGE: 9.0})
    job = cluster.submit(
        iterations=10_000, objective=Objective(budget_usd=0.75), node_types=("small",)
    )
    cluster.run(180)
    exhausted = cluster.store.jobs.get(job.id)
    assert (exhausted.phase, living(cluster)) == (JobPhase.BUDGET_EXHAUSTED, 0)
    first_usd = cluster.store.ledger.spent(job.id, cluster.clock.now_s())
    assert 0.14 < first_usd < 0.75
    resume(cluster, job, budget_usd=0.95)
    cluster.run(40)
    going = cluster.store.jobs.get(job.id)
    assert (
        not going.phase.is_final and living(cluster) == 1 and going.iteration > exhausted.iteration
    )
    cluster.run(250)
    assert cluster.store.jobs.get(job.id).phase is JobPhase.BUDGET_EXHAUSTED
    spent = cluster.store.ledger.spent(job.id, cluster.clock.now_s())
    assert first_usd + 0.15 < spent < 0.95
    assert spent == pytest.approx(billed_usd(cluster), rel=0.01)


def test_a_budget_that_does_not_suffice_ends_it_again_without_a_machine(tmp_path: Path) -> None:
    cluster = VirtualCluster(tmp_path, decide, prices={SMALL: 3.6, LARGE: 9.0})
    job = cluster.submit(
        iterations=10_000, objective=Objective(budget_usd=0.75), node_types=("small",)
    )
    cluster.run(180)
    machines = len(cluster.cloud.machines())
    resume(cluster, job)
    cluster.run(10)
    assert cluster.store.jobs.get(job.id).phase is JobPhase.BUDGET_EXHAUSTED
    assert len(cluster.cloud.machines()) == machines


def test_a_trial_that_the_end_cut_short_costs_nothing_while_the_job_is_over(tmp_path: Path) -> None:
    seen: list[Snapshot] = []

    def trying(snapshot: Snapshot) -> Plan:
        seen.append(snapshot)
        wanted = Group.of(LARGE if snapshot.changes else SMALL)
        if snapshot.target == wanted:
            return Plan(Action.HOLD, wanted, Reason("measuring", "as told"))
        return Plan(
            Action.TRIAL, wanted, Reason("trial" if snapshot.changes else "start", "as told")
        )

    cluster = VirtualCluster(tmp_path, trying)
    job = cluster.submit(iterations=10_000)
    cluster.run(10)
    ended_at_s = stop(cluster, job).finished_at_s
    cluster.clock.advance(250.0)
    resume(cluster, job)
    cluster.run(1)
    changes = seen[-1].changes
    assert [each.code for each in changes] == ["start", "trial", "cancelled"]
    assert (changes[-1].at_s, changes[-1].to_group) == (ended_at_s, None)


def test_a_job_that_is_over_is_not_told_that_nothing_may_be_bought(cluster: VirtualCluster) -> None:
    job = cluster.submit(iterations=30)
    cluster.run(25)
    blocks, now_s = cluster.reconciler.provider.blocks, cluster.clock.now_s()
    for offering in (SMALL, LARGE):
        blocks.block(offering, Obstacle.FORBIDDEN, now_s=now_s)
    cluster.run(40)
    assert cluster.store.jobs.get(job.id).phase is JobPhase.SUCCEEDED
    assert len(blocks.listed(now_s=now_s)) == 2, (
        "what only a person mends is tried again once a job has failed by it"
    )
