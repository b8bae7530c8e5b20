"""A group's machines are bought at once or not at all, and a daemon that dies on the way buys none
twice."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from elastic.errors import Forbidden, ProviderUnavailable
from elastic.model import Action, Group, JobPhase, NodePhase, Plan, Reason, Snapshot
from elastic.providers import Instance, InstanceState, Operation
from elastic.reconciler import LaunchTerms
from tests.reconciler.virtual import LARGE, SMALL, VirtualCluster

THREE = Group.of(SMALL, 3)
MIXED = Group(((LARGE, 1), (SMALL, 2)))


def wanting(wanted: Group, folder: Path) -> VirtualCluster:
    def decide(snapshot: Snapshot) -> Plan:
        action = Action.HOLD if snapshot.target == wanted else Action.START
        return Plan(action, wanted, Reason("told", "as told"))

    return VirtualCluster(folder, decide)


def launches(cluster: VirtualCluster) -> list[tuple[str, int]]:
    calls = [call.request for call in cluster.cloud.calls if call.operation is Operation.LAUNCH]
    return [(each.offering.node_type, len(each.node_ids)) for each in calls if each is not None]


def living(cluster: VirtualCluster) -> list[Instance]:
    return [each for each in cluster.cloud.machines() if each.state is not InstanceState.GONE]


def test_nodes_of_one_offering_are_one_purchase(tmp_path: Path) -> None:
    cluster = wanting(THREE, tmp_path)
    job = cluster.submit()
    cluster.run(10)
    assert launches(cluster) == [("small", 3)]
    generation = cluster.store.generations.latest(job.id)
    assert generation is not None
    assert len(generation.node_ids) == 3


def test_a_group_that_is_not_to_be_had_whole_costs_nothing(tmp_path: Path) -> None:
    cluster = wanting(THREE, tmp_path)
    cluster.cloud.capacity = {SMALL: 2}
    job = cluster.submit()
    cluster.run(20)
    assert cluster.cloud.machines() == ()
    failed = [
        event for event in cluster.store.events.listed(job_id=job.id) if event.kind == "node_failed"
    ]
    assert 1 <= len(failed) <= 3, "one event for each purchase, not for each node"
    assert failed[0].text == f"{SMALL}: wanted 3, 2 available; try another", (
        "which says once what it is about"
    )
    assert {node.phase for node in cluster.store.nodes.listed(job.id, include_gone=True)} == {
        NodePhase.TERMINATED
    }


def test_what_is_likelier_refused_is_asked_for_first_and_its_refusal_starts_nothing(
    tmp_path: Path,
) -> None:
    cluster = wanting(MIXED, tmp_path)
    cluster.cloud.capacity = {SMALL: 1}
    cluster.submit()
    cluster.run(20)
    assert cluster.cloud.machines() == ()
    assert {node_type for node_type, _ in launches(cluster)} == {"small"}


def test_the_half_of_a_group_that_was_bought_is_ended_when_the_other_is_refused(
    tmp_path: Path,
) -> None:
    cluster = wanting(MIXED, tmp_path)
    cluster.cloud.capacity = {LARGE: 0}
    job = cluster.submit()
    cluster.run(4)
    assert living(cluster) == []
    assert len(cluster.cloud.machines()) == 2
    told = [
        event.text
        for event in cluster.store.events.listed(job_id=job.id)
        if event.kind == "node_terminating"
    ]
    assert all("large on-demand local is not available, and 1 x large" in text for text in told)
    assert len(told) == 2


@pytest.mark.parametrize("is_done", [False, True])
@pytest.mark.parametrize("is_restarted", [False, True])
def test_a_launch_without_an_answer_is_repeated_as_it_was(
    tmp_path: Path, is_done: bool, is_restarted: bool
) -> None:
    cluster = wanting(THREE, tmp_path)
    cluster.cloud.fail_next(Operation.LAUNCH, ProviderUnavailable("no answer"), is_done=is_done)
    job = cluster.submit()
    cluster.run(1)
    (intent,) = cluster.store.nodes.open_launches()
    assert len(intent.nodes) == 3
    if is_restarted:
        cluster.restart()
    cluster.run(8)
    assert cluster.store.nodes.open_launches() == ()
    assert len(cluster.cloud.machines()) == 3
    bought = {each.node_id: each.provider_id for each in cluster.cloud.machines()}
    assert {node.id: node.provider_id for node in cluster.store.nodes.listed(job.id)} == bought
    requests = [
        call.request
        for call in cluster.cloud.calls
        if call.operation is Operation.LAUNCH and call.request
    ]
    assert all(each == requests[0] for each in requests)


def test_an_intent_that_would_mean_another_request_now_is_given_up_and_what_it_bought_is_ended(
    tmp_path: Path,
) -> None:
    cluster = wanting(THREE, tmp_path)
    cluster.cloud.visible_after_s = 3.0
    cluster.cloud.fail_next(Operation.LAUNCH, ProviderUnavailable("no answer"), is_done=True)
    cluster.submit()
    cluster.run(1)
    old = {each.provider_id for each in cluster.cloud.machines()}
    cluster.restart()
    cluster.reconciler.machines.terms = LaunchTerms("http://127.0.0.1:2", str)
    cluster.run(30)
    assert old.isdisjoint(each.provider_id for each in living(cluster))
    assert len(living(cluster)) == 3


def test_what_is_gone_of_a_purchase_that_is_given_up_is_not_ended_again(tmp_path: Path) -> None:
    cluster = wanting(THREE, tmp_path)
    cluster.cloud.fail_next(Operation.LAUNCH, ProviderUnavailable("no answer"), is_done=True)
    job = cluster.submit()
    cluster.run(1)
    old = [each.provider_id for each in cluster.cloud.machines()]
    cluster.cloud.reclaim(old[0])
    all_seen = cluster.cloud.visible
    only_it = lambda: tuple(each for each in all_seen() if each.provider_id == old[0])  # noqa: E731 - a method's stand-in
    cluster.cloud.visible = only_it  # type: ignore[method-assign]
    cluster.restart()
    cluster.reconciler.machines.terms = LaunchTerms("http://127.0.0.1:2", str)
    cluster.run(1)
    cluster.cloud.visible = all_seen  # type: ignore[method-assign]
    cluster.run(30)
    assert len(living(cluster)) == 3 and {each.provider_id for each in living(cluster)}.isdisjoint(
        old
    )
    nodes = {
        node.provider_id: node for node in cluster.store.nodes.listed(job.id, include_gone=True)
    }
    assert [nodes[each].phase for each in old] == [
        NodePhase.LOST,
        NodePhase.TERMINATED,
        NodePhase.TERMINATED,
    ]


def test_a_launch_that_is_never_answered_is_given_up_in_time(tmp_path: Path) -> None:
    cluster = wanting(THREE, tmp_path)
    cluster.cloud.fail_next(Operation.LAUNCH, ProviderUnavailable("no answer"), times=10_000)
    job = cluster.submit()
    cluster.run_slowly(900)
    gone = [
        node
        for node in cluster.store.nodes.listed(job.id, include_gone=True)
        if node.phase is NodePhase.TERMINATED
    ]
    assert len(gone) == 3
    assert cluster.store.jobs.get(job.id).phase is not JobPhase.FAILED


def _untold(cluster: VirtualCluster) -> None:
    """Makes the cloud show every machine without its name, as a fleet's are before they can be told
    apart."""
    seen = cluster.cloud.visible
    nameless = lambda: tuple(replace(each, node_id="") for each in seen())  # noqa: E731 - a method's stand-in
    cluster.cloud.visible = nameless  # type: ignore[method-assign]


def test_machines_that_cannot_be_told_apart_yet_are_no_orphans(tmp_path: Path) -> None:
    cluster = wanting(THREE, tmp_path)
    cluster.cloud.fail_next(Operation.LAUNCH, ProviderUnavailable("no answer"), is_done=True)
    cluster.cloud.fail_next(Operation.LAUNCH, ProviderUnavailable("no answer"), times=5)
    _untold(cluster)
    cluster.submit()
    cluster.run(5)
    assert len(living(cluster)) == 3
    cluster.run(5)
    assert len(cluster.cloud.machines()) == 3
    assert len(living(cluster)) == 3


def test_machines_that_are_never_told_apart_are_ended_once_nobody_waits_for_them(
    tmp_path: Path,
) -> None:
    cluster = wanting(THREE, tmp_path)
    cluster.cloud.fail_next(Operation.LAUNCH, ProviderUnavailable("no answer"), is_done=True)
    _untold(cluster)
    job = cluster.submit()
    cluster.run(1)
    cluster.store.jobs.request_stop(job.id, JobPhase.CANCELLED, None, now_s=cluster.clock.now_s())
    cluster.run_slowly(300)
    assert living(cluster) == []
    assert cluster.store.jobs.get(job.id).phase is JobPhase.CANCELLED


def test_a_job_all_of_whose_candidates_are_forbidden_fails_with_what_is_missing(
    tmp_path: Path,
) -> None:
    cluster = wanting(THREE, tmp_path)
    cluster.cloud.fail_next(Operation.LAUNCH, Forbidden("allow ec2:CreateFleet"), times=100)
    job = cluster.submit(node_types=("small",))
    cluster.run(10)
    ended = cluster.store.jobs.get(job.id)
    assert ended.phase is JobPhase.FAILED
    assert "none of its node types may be bought: allow ec2:CreateFleet" in (ended.message or "")
    assert len(launches(cluster)) == 1, (
        "there is no sense in asking again before a person has acted"
    )
    again = cluster.submit(name="again", node_types=("small",))
    cluster.run(3)
    assert len(launches(cluster)) == 2, "a job that is submitted once it is allowed is not held up"
    assert cluster.store.jobs.get(again.id).phase in (JobPhase.FAILED, JobPhase.DRAINING)


def test_a_job_with_a_candidate_that_is_not_forbidden_lives_on(tmp_path: Path) -> None:
    cluster = wanting(THREE, tmp_path)
    cluster.cloud.fail_next(Operation.LAUNCH, Forbidden("allow ec2:CreateFleet"), times=100)
    job = cluster.submit()
    cluster.run_slowly(900)
    assert cluster.store.jobs.get(job.id).phase is not JobPhase.FAILED
    assert 1 <= len(launches(cluster)) <= 2, "what only a person can change is asked for rarely"
