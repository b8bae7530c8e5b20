"""What a job starts on, where its budget cannot hold all that it may start on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from elastic.model import (
    Action,
    Capacity,
    Group,
    Objective,
    Obstacle,
    Offering,
    OnMiss,
    Snapshot,
    Trained,
    Unavailable,
)
from elastic.policy import contradictions, decide
from tests.builders import NOW_S, group, job, limits, node_type, price, prices, series, snapshot

# Ten minutes of the dear type are 5 USD, and of the cheap one 0.17 USD.
_SOLD = {"cheap": 1.0, "dear": 30.0}
_CHEAP = Offering("cheap")


def _asked(budget_usd: float = 3.0, fixed_node_type: str | None = None, **rest: Any) -> Snapshot:
    """A job whose deadline leaves time for one start, before anything has trained."""
    goal = Objective(deadline_s=NOW_S + 240, budget_usd=budget_usd)
    usual: dict[str, Any] = {
        "job": job(iterations=2000, iteration=0, objective=goal, fixed_node_type=fixed_node_type),
        "node_types": (node_type("cheap", 0.5), node_type("dear", 1.0)),
        "prices": prices(_SOLD),
        "spent_usd": 0.0,
        "limits": limits(boot_prior_s=30.0, wind_down_s=600.0),
    }
    return snapshot(**{**usual, **rest})


def _blocked(*offerings: Offering) -> tuple[Unavailable, ...]:
    return tuple(Unavailable(each, NOW_S + 600, Obstacle.CAPACITY) for each in offerings)


def test_a_start_in_a_hurry_goes_to_the_fastest_that_the_budget_can_hold() -> None:
    assert decide(_asked(budget_usd=30.0)).target == group("dear")
    plan = decide(_asked())
    assert (plan.action, plan.target, plan.limited_by) == (Action.START, group("cheap"), ())
    assert plan.reason.text.endswith(
        "; left out: dear is beyond the budget: its start and its end take $5.29"
    )


@pytest.mark.parametrize("on_miss", OnMiss)
def test_a_start_by_earlier_runs_goes_to_a_type_that_the_budget_can_hold(on_miss: OnMiss) -> None:
    """All are as fast as each other, and late."""
    kinds = {"local.quarter": 0.025, "local.half": 0.045, "local.full": 0.09}
    goal = Objective(deadline_s=NOW_S + 24 * 3600, budget_usd=0.014, on_miss=on_miss)
    plan = decide(
        snapshot(
            job=job(iterations=4_000_000, iteration=0, objective=goal),
            earlier=tuple(
                Trained(group(name), "main", 1000, 1000 * (0.09 - usd / 2))
                for name, usd in kinds.items()
            ),
            prices=prices(kinds),
            spent_usd=0.0,
            limits=limits(wind_down_s=600.0),
        )
    )
    assert (plan.action, plan.target) == (Action.START, group("local.half"))


def test_a_job_stops_only_if_the_budget_can_hold_nothing_and_tells_what_the_cheapest_needs() -> (
    None
):
    plan = decide(_asked(budget_usd=0.1))
    assert (plan.action, plan.reason.code) == (Action.STOP, "budget")
    assert plan.reason.text.startswith("$0 spent and $0.167 kept back")
    plan = decide(_asked(budget_usd=0.1, unavailable=_blocked(_CHEAP)))
    assert plan.reason.text.startswith("$0 spent and $5.00 kept back")
    plan = decide(_asked(budget_usd=0.1, unavailable=_blocked(_CHEAP, Offering("dear"))))
    assert (plan.action, plan.reason.code) == (Action.HOLD, "unavailable")


def test_a_job_waits_for_what_the_budget_can_hold() -> None:
    plan = decide(_asked(unavailable=_blocked(_CHEAP)))
    assert (plan.action, plan.target, plan.reason.code) == (Action.HOLD, None, "unavailable")
    assert plan.reason.text.startswith("no capacity for cheap")


def test_what_cannot_be_bought_is_waited_for_if_all_else_is_beyond_the_budget() -> None:
    plan = decide(_asked(target="cheap", current=None, unavailable=_blocked(_CHEAP)))
    assert (plan.action, plan.target) == (Action.HOLD, group("cheap"))
    assert plan.reason.text.startswith("no capacity for cheap")


def test_the_safety_net_starts_nothing_that_the_budget_cannot_hold() -> None:
    """On demand would be in time, and would leave the job without an end in good order."""
    spot = Offering("local.half", Capacity.SPOT)
    seen = snapshot(
        job=job(
            iterations=1900,
            node_types=("local.half",),
            objective=Objective(deadline_s=NOW_S + 1840, budget_usd=2.0),
        ),
        measured=(series("local.half", 1.0),),
        prices=(price("local.half", 6.0), price(spot, 0.3, price_id=2)),
        limits=limits(wind_down_s=600.0),
    )
    goal = replace(seen.job.spec.objective, budget_usd=8.0)
    richer = replace(seen.job, spec=replace(seen.job.spec, objective=goal))
    assert decide(replace(seen, job=richer)).target == group("local.half")
    assert decide(replace(seen, spent_usd=1.2)).target == Group.of(spot)


def test_a_budget_that_holds_only_other_types_than_the_job_fixes_is_a_contradiction() -> None:
    ((field, text),) = contradictions(_asked(fixed_node_type="dear"))
    assert field == "objective.budget_usd"
    assert text.endswith("got $3.00") and "the boot of dear" in text
    assert contradictions(_asked()) == ()
