from __future__ import annotations

import pytest

from elastic.errors import InvalidInput
from elastic.model import Action, Objective, PerNode, Workers
from elastic.policy import POLICIES, decide
from tests.builders import group, job, node, node_type, prices, snapshot


def test_the_jobs_own_policy_decides() -> None:
    assert decide(snapshot()).target == group("local.quarter")
    assert decide(snapshot(job=job(policy="fixed", fixed_node_type="local.full"))).target == group(
        "local.full"
    )


def test_every_policy_is_guarded() -> None:
    broke = Objective(budget_usd=0.0001)

    for policy in POLICIES:
        plan = decide(
            snapshot(job=job(policy=policy, fixed_node_type="local.full", objective=broke))
        )
        assert plan.action is Action.STOP


@pytest.mark.parametrize(
    ("held", "what"), [("local.half", "local.half is kept"), (None, "nothing is started")]
)
def test_while_nobody_knows_what_is_sold_nothing_changes(held: str | None, what: str) -> None:
    plan = decide(snapshot(target=held, node_types=(), is_catalog_known=False))
    assert (plan.action, plan.target) == (Action.HOLD, group(held) if held else None)
    assert (
        plan.reason.text
        == f"the provider does not list what it sells: {what}, and nothing is bought"
    )


def test_a_budget_is_kept_while_nobody_knows_what_is_sold() -> None:
    broke = job(objective=Objective(budget_usd=0.0001))
    plan = decide(snapshot(target="local.half", job=broke, node_types=(), is_catalog_known=False))
    assert (plan.action, plan.limited_by) == (Action.STOP, ("budget",))


def test_a_policy_that_does_not_exist_is_named_with_those_that_do() -> None:
    with pytest.raises(InvalidInput, match=f"wanted one of {', '.join(POLICIES)}, got 'wishful'"):
        decide(snapshot(job=job(policy="wishful")))


_GPU = node_type("gpu.large", 8.0, gpu_count=1, gpu_model="T4")
_CPU = node_type("cpu.large", 8.0)


def test_a_type_that_cannot_run_the_workers_asked_for_is_no_candidate_and_the_plan_says_why() -> (
    None
):
    plan = decide(
        snapshot(
            node_types=(_GPU, _CPU),
            prices=prices({"gpu.large": 0.5, "cpu.large": 0.1}),
            job=job(nproc_per_node=PerNode.GPU),
        )
    )

    assert plan.target == group("gpu.large")
    assert [each.group for each in plan.candidates] == [group("gpu.large")]
    assert plan.left_out == {
        "cpu.large": "cpu.large has no GPU, and nproc_per_node: gpu asks for one"
    }


def test_where_no_type_can_run_the_workers_asked_for_the_reason_says_so() -> None:
    plan = decide(
        snapshot(
            node_types=(_CPU,),
            prices=prices({"cpu.large": 0.1}),
            job=job(nproc_per_node=PerNode.GPU),
        )
    )

    assert (plan.action, plan.reason.code) == (Action.HOLD, "not_permitted")
    assert "cpu.large has no GPU" in plan.reason.text


def test_every_candidate_says_what_its_nodes_run() -> None:
    plan = decide(
        snapshot(
            node_types=(_GPU, _CPU),
            prices=prices({"gpu.large": 0.5, "cpu.large": 0.1}),
            job=job(nproc_per_node={"cpu.large": 4}),
        )
    )

    assert {each.group: each.workers for each in plan.candidates} == {
        group("gpu.large"): (Workers(1, 8),),
        group("cpu.large"): (Workers(4, 2),),
    }


def test_a_group_with_more_workers_than_a_batch_has_samples_is_not_chosen() -> None:
    plan = decide(
        snapshot(
            node_types=(_GPU, _CPU),
            prices=prices({"gpu.large": 0.5, "cpu.large": 0.1}),
            job=job(nproc_per_node={"cpu.large": 4}, global_batch=2),
        )
    )

    assert plan.target == group("gpu.large")


def test_what_is_there_runs_what_it_was_bought_for_though_its_type_is_sold_no_more() -> None:
    bought = node("old.large", workers=Workers(2, 3))

    plan = decide(snapshot(target="old.large", nodes=(bought,), job=job()))

    assert {each.group: each.workers for each in plan.candidates}[group("old.large")] == (
        Workers(2, 3),
    )
