from __future__ import annotations

import pytest

from elastic.errors import InvalidInput
from elastic.model import Action, Objective
from elastic.policy import POLICIES, decide
from tests.builders import group, job, snapshot


def test_the_jobs_own_policy_decides() -> None:
    assert decide(snapshot()).target == group("local.quarter")
    assert decide(snapshot(job=job(policy="fixed", fixed_node_type="local.full"))).target == group("local.full")


def test_every_policy_is_guarded() -> None:
    broke = Objective(budget_usd=0.0001)

    for policy in POLICIES:
        plan = decide(snapshot(job=job(policy=policy, fixed_node_type="local.full", objective=broke)))
        assert plan.action is Action.STOP


@pytest.mark.parametrize(("held", "what"), [("local.half", "local.half is kept"), (None, "nothing is started")])
def test_while_nobody_knows_what_is_sold_nothing_changes(held: str | None, what: str) -> None:
    plan = decide(snapshot(target=held, node_types=(), is_catalog_known=False))
    assert (plan.action, plan.target) == (Action.HOLD, group(held) if held else None)
    assert plan.reason.text == f"the provider does not tell what it sells: {what}, and nothing is bought"


def test_a_budget_is_kept_while_nobody_knows_what_is_sold() -> None:
    broke = job(objective=Objective(budget_usd=0.0001))
    plan = decide(snapshot(target="local.half", job=broke, node_types=(), is_catalog_known=False))
    assert (plan.action, plan.limited_by) == (Action.STOP, ("budget",))


def test_a_policy_that_does_not_exist_is_named_with_those_that_do() -> None:
    with pytest.raises(InvalidInput, match="wanted one of best_value, fixed, got 'wishful'"):
        decide(snapshot(job=job(policy="wishful")))
