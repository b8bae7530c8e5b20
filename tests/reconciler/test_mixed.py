"""A job in a session keeps what runs and takes nodes of another type in beside it, where one type
alone does not do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from elastic.model import Action, Group, Job, Mode, Objective
from elastic.policy import decide
from elastic.providers import InstanceState
from tests.reconciler.virtual import LARGE, SMALL, VirtualCluster

BOTH = Group(((LARGE, 1), (SMALL, 1)))


def submit(cluster: VirtualCluster, *, in_s: float, **rest: Any) -> Job:
    now_s = cluster.clock.now_s()
    spec: dict[str, Any] = {"nodes_max": 2, "mode": Mode.LIVE, **rest}
    return cluster.submit(objective=Objective(deadline_s=now_s + in_s), **spec)


def test_the_group_is_filled_with_another_type_when_the_better_one_is_out_of_capacity(
    tmp_path: Path,
) -> None:
    """A small node does 1 iteration a second, a large one 2; 2,900 of them in 1,100 s need both."""
    cluster = VirtualCluster(tmp_path, decide)
    cluster.cloud.capacity = {SMALL: 1, LARGE: 1}
    job = submit(cluster, in_s=1_100.0, iterations=2_900)
    cluster.run(40)
    facts = cluster.store.facts.of(job.id, now_s=cluster.clock.now_s())
    assert facts.target == BOTH
    assert facts.generation is not None
    trials = [
        each
        for each in cluster.store.decisions.listed(job.id, limit=100)
        if each.plan.action is Action.TRIAL
    ]
    assert trials[0].plan.target == BOTH
    assert trials[0].plan.reason.text.startswith("try large + small: together they should need ")
    # The large node is the one that was there: nothing was swapped for the mix.
    (large,) = (each for each in facts.nodes if each.offering == LARGE)
    assert large.launched_at_s is not None
    assert large.launched_at_s < trials[0].at_s
    assert {each.id for each in facts.nodes} == set(facts.generation.node_ids)
    (mixed,) = (each for each in facts.series if each.group == BOTH)
    assert len(mixed.samples) > 8
    assert {sample.elapsed_s / sample.iterations for sample in mixed.samples} == {1 / 3}
    bought = [
        each.offering.node_type
        for each in cluster.cloud.machines()
        if each.state is InstanceState.RUNNING
    ]
    assert sorted(bought) == ["large", "small"]


def test_a_node_that_is_lost_is_made_up_for_by_another_type(tmp_path: Path) -> None:
    """Two nodes at least: when no more of the type that trains is to be had, the one that is left
    stays in."""
    cluster = VirtualCluster(tmp_path, decide)
    job = submit(cluster, in_s=38_000.0, iterations=90_000, nodes_min=2)
    cluster.run(20)
    before = cluster.store.facts.of(job.id, now_s=cluster.clock.now_s())
    assert before.target == Group.of(LARGE, 2)
    cluster.cloud.capacity = {LARGE: 1}
    lost, kept = before.nodes
    cluster.cloud.reclaim(lost.provider_id or "")
    cluster.run(40)
    after = cluster.store.facts.of(job.id, now_s=cluster.clock.now_s())
    assert after.target == BOTH
    assert kept.id in {each.id for each in after.nodes}
    (filled,) = (
        each
        for each in cluster.store.decisions.listed(job.id, limit=100)
        if each.plan.reason.code == "unavailable"
    )
    assert filled.plan.reason.text.endswith(
        ": large + small keeps what is there and should finish in 9 h 10 min for $9.89"
    )
    assert after.generation is not None
    assert len(after.generation.node_ids) == 2
