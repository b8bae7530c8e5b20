"""A script's error is paid for once: the same one again ends the job, and nothing is bought with it
meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from elastic.model import (
    Action,
    Group,
    Job,
    JobPhase,
    Node,
    Plan,
    Preparing,
    Reason,
    ScriptError,
    Snapshot,
)
from elastic.policy import guard
from tests.reconciler.virtual import LARGE, SMALL, VirtualCluster, small_forever

MISSING = ScriptError(
    "ModuleNotFoundError",
    "ModuleNotFoundError: No module named 'albumentations'",
    "train.py, line 3, in <module>",
    "Traceback (most recent call last):\nModuleNotFoundError: No module named 'albumentations'",
    rank=0,
    at_s=1000.0,
)
KILLED = ScriptError("SIGKILL", "local rank 0 was killed by SIGKILL")
ECHO = (
    "Traceback (most recent call last):\n  no\nRuntimeError: pair.cc:553 Connection closed by peer "
    "[10.0.0.2]"
)


@pytest.fixture
def cluster(tmp_path: Path) -> VirtualCluster:
    return VirtualCluster(tmp_path, small_forever)


def always_trying(snapshot: Snapshot) -> Plan:
    """A policy that starts on a small node, and tries a large one at each chance from iteration 10
    on."""
    if snapshot.target is None:
        return guard(snapshot, Plan(Action.START, Group.of(SMALL), Reason("start", "start small")))
    is_tried = snapshot.job.iteration < 10 or snapshot.target == Group.of(LARGE)
    hold = Plan(Action.HOLD, snapshot.target, Reason("measuring", "not yet"))
    return guard(
        snapshot,
        hold if is_tried else Plan(Action.TRIAL, Group.of(LARGE), Reason("trial", "try large")),
    )


def preparing_fails_on(*places: int) -> Callable[[Node], Preparing | None]:
    """What the nodes of these places, counted as they come, cannot get ready, and the others can
    within a second."""
    seen: list[str] = []

    def prepares(node: Node) -> Preparing | None:
        joined_s = node.joined_at_s or 0.0
        doing = Preparing("installing 1 requirement", (node.heartbeat_at_s or joined_s) - joined_s)
        if node.id not in seen:
            seen.append(node.id)
            return doing
        return (
            replace(doing, failure="pip ended with 1: no route")
            if seen.index(node.id) in places
            else None
        )

    return prepares


def grown_to(count: int, *, from_iteration: int = 20) -> Callable[[Snapshot], Plan]:
    """A policy that starts on one small node, and wants so many from that iteration on."""

    def decide(snapshot: Snapshot) -> Plan:
        wanted = Group.of(SMALL, count if snapshot.job.iteration >= from_iteration else 1)
        return Plan(
            Action.HOLD if snapshot.target == wanted else Action.START,
            wanted,
            Reason("told", "as told"),
        )

    return decide


def failing(cluster: VirtualCluster, error: ScriptError, *, at: int, **spec: object) -> Job:
    job = cluster.submit(**spec)
    cluster.fails_at[job.id] = (at, error)
    return job


def generations(cluster: VirtualCluster, job: Job) -> int:
    return len(cluster.store.generations.listed(job.id))


@pytest.mark.parametrize("error", [MISSING, KILLED])
def test_the_same_error_twice_ends_the_job_with_its_words(
    cluster: VirtualCluster, error: ScriptError
) -> None:
    job = failing(cluster, error, at=30)
    cluster.run(200)
    ended = cluster.store.jobs.get(job.id)
    assert ended.phase is JobPhase.FAILED
    assert ended.message == f"it failed twice in the same way: {error}"
    assert ended.error == replace(error, turns=30, iteration=30)
    assert (generations(cluster, job), len(cluster.cloud.machines())) == (2, 1)


def test_what_fails_once_is_tried_with_nothing_else_until_it_has_gone_on(tmp_path: Path) -> None:
    cluster = VirtualCluster(tmp_path, always_trying)
    job = failing(cluster, MISSING, at=9)
    cluster.run(20)
    assert cluster.store.jobs.get(job.id).error is not None
    del cluster.fails_at[job.id]
    for _ in range(100):
        if cluster.store.jobs.get(job.id).error is None:
            break
        assert len(cluster.cloud.machines()) == 1, (
            "nothing is bought before it has gone on beyond its error"
        )
        cluster.run(1)
    assert 9 < cluster.store.jobs.get(job.id).iteration <= 20
    cluster.run(10)
    assert {machine.offering for machine in cluster.cloud.machines()} == {SMALL, LARGE}
    reasons = [each.plan.reason for each in cluster.store.decisions.listed(job.id)]
    assert any(each.code == "failing" and "ModuleNotFoundError" in each.text for each in reasons)


def test_a_trial_that_was_begun_before_a_failure_is_given_up(tmp_path: Path) -> None:
    cluster = VirtualCluster(tmp_path, always_trying)
    job = failing(cluster, MISSING, at=11)
    while cluster.store.jobs.get(job.id).error is None:
        cluster.run(1)
    del cluster.fails_at[job.id]
    while cluster.store.jobs.get(job.id).error is not None:
        cluster.run(1)
        trained = {
            cluster.store.nodes.get(each.node_ids[0]).offering
            for each in cluster.store.generations.listed(job.id)
        }
        assert trained == {SMALL}, "it repeats on what it has"
    changes = cluster.store.facts.of(job.id, now_s=cluster.clock.now_s()).changes
    assert [each.code for each in changes] == ["start", "trial", "failing"]


def test_an_error_that_the_job_has_got_beyond_is_not_the_same_again(
    cluster: VirtualCluster,
) -> None:
    job = failing(cluster, MISSING, at=30)
    cluster.run(45)
    del cluster.fails_at[job.id]
    cluster.run(50)
    assert cluster.store.jobs.get(job.id).error is None
    cluster.fails_at[job.id] = (cluster.done[job.id] + 5, MISSING)
    cluster.run(12)
    job = cluster.store.jobs.get(job.id)
    assert (job.phase.is_final, job.error is None) == (False, False)


def test_different_errors_end_the_job_only_by_their_number(cluster: VirtualCluster) -> None:
    job = failing(cluster, MISSING, at=30)
    cluster.run(45)
    cluster.fails_at[job.id] = (30, replace(MISSING, place="train.py, line 9, in load"))
    cluster.run(40)
    assert not cluster.store.jobs.get(job.id).phase.is_final
    cluster.fails_at[job.id] = (30, replace(MISSING, kind="ValueError"))
    cluster.run(60)
    ended = cluster.store.jobs.get(job.id)
    assert ended.phase is JobPhase.FAILED and (ended.message or "").startswith(
        "3 failures in a row"
    )


def test_workers_that_end_because_a_node_was_lost_are_no_failure(tmp_path: Path) -> None:
    cluster = VirtualCluster(tmp_path, two_forever)
    cluster.traceback = ECHO
    job = cluster.submit()
    for _ in range(5):
        cluster.run(20)
        survivor, lost = cluster.store.nodes.listed(job.id)
        assert lost.provider_id is not None
        cluster.cloud.reclaim(lost.provider_id)
        cluster.agents[survivor.id].is_crashing = True
        cluster.run(1)
        cluster.agents[survivor.id].is_crashing = False
    cluster.run(20)
    assert not cluster.store.jobs.get(job.id).phase.is_final
    assert "failure" not in {
        each.kind for each in cluster.store.events.listed(job_id=job.id, limit=500)
    }


def two_forever(snapshot: Snapshot) -> Plan:
    wanted = Group.of(SMALL, 2)
    return Plan(
        Action.HOLD if snapshot.target == wanted else Action.START,
        wanted,
        Reason("told", "as told"),
    )


def test_ranks_that_disagree_on_how_much_is_to_be_done_end_the_job_at_the_second_time(
    tmp_path: Path,
) -> None:
    cluster = VirtualCluster(tmp_path, two_forever)
    cluster.traceback = ECHO
    job = cluster.submit(iterations=40)
    while cluster.done.get(job.id, 0) < 40:
        cluster.run(1)
    other = cluster.store.nodes.get(cluster.store.generations.listed(job.id)[-1].node_ids[1])
    cluster.agents[other.id].is_crashing = True
    cluster.run(60)
    ended = cluster.store.jobs.get(job.id)
    assert (ended.phase, generations(cluster, job)) == (JobPhase.FAILED, 2)
    assert (ended.message or "").startswith(
        "it failed twice in the same way: a rank still trained when other ranks had finished: they "
        "disagree"
    )


def test_workers_that_all_miss_each_other_are_tried_as_often_as_failures_are(
    tmp_path: Path,
) -> None:
    cluster = VirtualCluster(tmp_path, two_forever)
    cluster.traceback, cluster.echo = (
        ECHO,
        ScriptError("RuntimeError", ECHO.rpartition("\n")[2], "train.py, line 9"),
    )
    job = cluster.submit()
    cluster.run(20)
    for each in cluster.store.nodes.listed(job.id):
        cluster.agents[each.id].is_crashing = True
    cluster.run(90)
    ended = cluster.store.jobs.get(job.id)
    assert (ended.phase, generations(cluster, job)) == (JobPhase.FAILED, 3)
    assert (ended.message or "").startswith(
        "3 failures in a row without progress; the workers exited with 1: Runtime"
    )


def test_a_job_that_is_resumed_has_no_error_behind_it(cluster: VirtualCluster) -> None:
    job = failing(cluster, MISSING, at=30)
    cluster.run(200)
    resumed = cluster.store.resumes.resume(job.id, job.spec, now_s=cluster.clock.now_s())
    assert resumed.error is None
    cluster.run(45)
    assert not cluster.store.jobs.get(job.id).phase.is_final, "its first failure since"
    cluster.run(45)
    assert cluster.store.jobs.get(job.id).phase is JobPhase.FAILED


def test_a_newcomer_that_cannot_be_got_ready_goes_while_the_others_train_on(tmp_path: Path) -> None:
    cluster = VirtualCluster(tmp_path, grown_to(2), prepares=preparing_fails_on(1))
    job = cluster.submit()
    cluster.run(32)
    assert not cluster.store.jobs.get(job.id).phase.is_final
    assert generations(cluster, job) == 1, "nobody was stopped for it"
    _, newcomer = sorted(
        cluster.store.nodes.listed(job.id, include_gone=True), key=lambda node: node.intended_at_s
    )
    assert newcomer.phase.is_gone
    said = [
        each.text
        for each in cluster.store.events.listed(job_id=job.id, limit=500)
        if each.kind == "failure"
    ]
    assert said == [f"{newcomer.id} on {SMALL}: pip ended with 1: no route"]
    cluster.run(30)
    assert len(cluster.store.generations.latest(job.id).node_ids) == 2, "another one is bought"  # type: ignore[union-attr]


def test_the_same_failure_to_get_ready_twice_in_a_row_ends_the_job(tmp_path: Path) -> None:
    cluster = VirtualCluster(tmp_path, grown_to(2), prepares=preparing_fails_on(1, 2))
    job = cluster.submit()
    cluster.run(60)
    ended = cluster.store.jobs.get(job.id)
    assert ended.phase is JobPhase.FAILED
    assert ended.message == "two nodes in a row could not be prepared: pip ended with 1: no route"
    assert len(cluster.store.nodes.listed(job.id, include_gone=True)) == 3


def test_a_job_whose_first_node_cannot_be_got_ready_ends(cluster: VirtualCluster) -> None:
    cluster.prepares = preparing_fails_on(0)
    job = cluster.submit()
    cluster.run(30)
    ended = cluster.store.jobs.get(job.id)
    assert ended.phase is JobPhase.FAILED
    assert ended.message == "no worker could begin: pip ended with 1: no route"
    resumed = cluster.store.resumes.resume(job.id, job.spec, now_s=cluster.clock.now_s())
    cluster.run(30)
    assert not cluster.store.jobs.get(resumed.id).phase.is_final
