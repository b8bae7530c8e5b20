from __future__ import annotations

from typing import Any

import pytest

from elastic.model import Objective, Snapshot
from elastic.policy import contradictions, decide
from tests.builders import job, limits, snapshot


def asked(minimum_billed_s: float = 0.0, **objective: Any) -> Snapshot:
    return snapshot(
        job=job(iteration=0, objective=Objective(**objective)),
        limits=limits(minimum_billed_s=minimum_billed_s),
    )


def test_a_cap_below_the_cheapest_candidate_is_a_contradiction() -> None:
    ((field, text),) = contradictions(asked(max_usd_per_hour=0.02))
    assert field == "objective.max_usd_per_hour"
    assert text == (
        "wanted at least $0.025, which local.quarter, the cheapest candidate, costs an hour now; "
        "got $0.02"
    )
    assert contradictions(asked(max_usd_per_hour=0.025)) == ()


def test_a_budget_below_the_least_bill_of_every_candidate_is_a_contradiction() -> None:
    ((field, text),) = contradictions(asked(minimum_billed_s=60.0, budget_usd=0.0004))
    assert field == "objective.budget_usd"
    assert text.startswith(
        "wanted more than $0.000417: the boot of local.quarter, the cheapest candidate,"
    )
    assert contradictions(asked(minimum_billed_s=60.0, budget_usd=0.0005)) == ()


def test_a_budget_below_what_is_kept_back_is_one_too_for_the_job_would_stop_at_once() -> None:
    # 30 s of 0.025 USD an hour are 0.00021 USD.
    ((field, _),) = contradictions(asked(budget_usd=0.0002))
    assert field == "objective.budget_usd"


def test_nothing_contradicts_prices_that_nobody_knows() -> None:
    assert (
        contradictions(snapshot(prices=(), job=job(objective=Objective(max_usd_per_hour=1e-6))))
        == ()
    )


def test_a_drain_that_takes_longer_than_is_kept_back_is_paid_from_the_budget_as_well() -> None:
    """A job that was submitted while `drain_grace_s` was longer keeps that."""
    goal = Objective(budget_usd=0.0012)
    short, long = (
        snapshot(
            target="local.quarter", spent_usd=0.0009, job=job(objective=goal, drain_grace_s=grace_s)
        )
        for grace_s in (30.0, 60.0)
    )
    assert decide(short).reason.code != "budget"
    assert decide(long).reason.code == "budget", "60 s of 0.025 USD an hour are 0.00042 USD"


def test_a_start_leaves_room_for_its_least_bill() -> None:
    plan = decide(asked(minimum_billed_s=60.0, budget_usd=0.0004))
    assert plan.reason.code == "budget"
    assert plan.reason.numbers["reserve_usd"] == pytest.approx(60 * 0.025 / 3600)
