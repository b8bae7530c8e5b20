from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from elastic.figures import counted
from elastic.model import (
    Action,
    Change,
    DoubtedPrice,
    Group,
    JobPhase,
    NodePhase,
    Objective,
    Plan,
    Reason,
    ScriptError,
)
from elastic.policy import guard
from tests.builders import (
    NOW_S,
    change,
    group,
    job,
    limits,
    node,
    offering,
    price,
    prices,
    series,
    snapshot,
)

HALF, FULL = group("local.half"), group("local.full")


def _plan(target: Group | None, action: Action = Action.MOVE, code: str = "better_value") -> Plan:
    return Plan(action, target, Reason(code, f"wants {target}"))


def test_a_plan_within_every_limit_passes_unchanged() -> None:
    wanted = _plan(FULL)

    assert guard(snapshot(target="local.half"), wanted) == wanted


def test_the_budget_stops_the_job_while_there_is_enough_to_end_in_good_order() -> None:
    # 0.045 USD an hour for 600 s are 0.0075 USD.
    near = snapshot(
        target="local.half",
        nodes=(node("local.half"), node("local.full", phase=NodePhase.TERMINATED, number=2)),
        spent_usd=0.0125,
        limits=limits(wind_down_s=600.0),
        job=job(objective=Objective(budget_usd=0.02)),
    )

    plan = guard(near, _plan(HALF, Action.HOLD, "best"))

    assert (plan.action, plan.target, plan.reason.code, plan.limited_by) == (
        Action.STOP,
        None,
        "budget",
        ("budget",),
    )
    assert plan.reason.text == (
        "$0.0125 spent and $0.0075 kept back to end in good order (10 min of $0.045/h) "
        "reach the budget of $0.02: the job stops"
    )


def test_nodes_that_still_cost_money_count_beside_the_target() -> None:
    leaving = (node("local.half"), node("local.full", phase=NodePhase.TERMINATING, number=2))
    rest: dict[str, Any] = {
        "spent_usd": 0.0120,
        "limits": limits(wind_down_s=600.0),
        "job": job(objective=Objective(budget_usd=0.02)),
    }

    alone = snapshot(target="local.half", **rest)
    both = snapshot(target="local.half", nodes=leaving, **rest)

    assert guard(alone, _plan(HALF, Action.HOLD)).action is Action.HOLD
    assert guard(both, _plan(HALF, Action.HOLD)).action is Action.STOP


def test_a_budget_that_would_not_last_for_an_orderly_end_starts_nothing() -> None:
    plan = guard(
        snapshot(spent_usd=0.0, job=job(objective=Objective(budget_usd=0.0001))),
        _plan(FULL, Action.START, "start"),
    )

    assert (plan.action, plan.target, plan.reason.code) == (Action.STOP, None, "budget")


def test_an_old_price_still_counts_against_the_budget() -> None:
    stale = prices({"local.half": 0.045}, observed_at_s=NOW_S - 1e6)

    plan = guard(
        snapshot(
            target="local.half",
            prices=stale,
            spent_usd=0.0199,
            job=job(objective=Objective(budget_usd=0.02)),
        ),
        _plan(HALF, Action.HOLD, "no_price"),
    )

    assert plan.action is Action.STOP


def test_what_is_held_and_no_longer_sold_counts_against_the_budget_at_its_last_price() -> None:
    (sold, held) = prices({"local.half": 0.045, "local.full": 0.09})
    rest: dict[str, Any] = {
        "limits": limits(wind_down_s=600.0),
        "job": job(objective=Objective(budget_usd=0.02)),
    }
    before = snapshot(target="local.full", prices=(sold, held), spent_usd=0.0051, **rest)
    after = replace(before, prices=(sold,), withdrawn=(held,))
    stay = _plan(FULL, Action.HOLD)
    plan = guard(after, stay)
    assert (plan.action, plan.reason.numbers["usd_per_h"]) == (Action.STOP, 0.09)
    assert plan == guard(before, stay)
    assert guard(replace(after, withdrawn=()), stay) == stay, (
        "without it nothing would be kept back"
    )
    leave = guard(replace(after, spent_usd=0.004), _plan(HALF))
    assert leave.reason.code == "budget_short", "both burn while it is left"


def test_a_price_that_is_not_believed_counts_against_the_budget_where_it_is_higher() -> None:
    running = job(objective=Objective(budget_usd=1.0))
    known: dict[str, Any] = {
        "prices": prices({"local.half": 0.36, "local.full": 0.72}),
        "limits": limits(wind_down_s=600.0),
    }
    doubted = (
        DoubtedPrice(offering(), 3.6, NOW_S - 60),
        DoubtedPrice(offering("unheard.of"), 9e9, NOW_S),
    )
    held = _plan(HALF, Action.HOLD)
    alone = snapshot(target="local.half", job=running, spent_usd=0.3, **known)
    assert guard(alone, held).action is Action.HOLD
    doubtful = replace(alone, doubted=doubted, doubted_usd=0.06)
    assert guard(doubtful, held).action is Action.HOLD, (
        "$0.60 are kept back, $0.36 are spent if it is true"
    )
    plan = guard(replace(doubtful, doubted_usd=0.11), held)
    assert (plan.action, plan.reason.code) == (Action.STOP, "budget")
    assert "$0.30 spent (perhaps $0.11 more) and $0.60 kept back" in plan.reason.text
    assert plan.reason.text.endswith("prices that are not believed yet count where they are higher")
    assert plan.reason.numbers["doubted_usd"] == 0.11
    move = guard(doubtful, _plan(FULL))
    assert (move.action, move.reason.code) == (Action.HOLD, "budget_short")
    assert guard(alone, _plan(FULL)).action is Action.MOVE, "it fits at the price in force"
    lower = replace(alone, doubted=(DoubtedPrice(offering(), 0.01, NOW_S),))
    assert guard(lower, held) == guard(alone, held)


def test_a_change_that_does_not_fit_the_budget_is_refused() -> None:
    # The wind-down of half a core still fits, that of half and whole together does not.
    plan = guard(
        snapshot(
            target="local.half",
            spent_usd=0.010,
            limits=limits(wind_down_s=600.0),
            job=job(objective=Objective(budget_usd=0.02)),
        ),
        _plan(FULL),
    )

    assert (plan.action, plan.target, plan.reason.code, plan.limited_by) == (
        Action.HOLD,
        HALF,
        "budget_short",
        ("budget",),
    )
    assert plan.reason.text.startswith("local.half is kept: $0.01 spent and")
    assert plan.reason.text.endswith("(wanted: wants 1 x local.full on-demand)")


def test_a_target_of_which_nothing_is_there_is_left_for_no_more_than_a_start_costs() -> None:
    """The cloud has taken all of it back: the budget pays for the new group alone."""
    lost = snapshot(
        target="local.full",
        current=None,
        spent_usd=0.010,
        limits=limits(wind_down_s=600.0),
        job=job(objective=Objective(budget_usd=0.028)),
    )
    assert guard(lost, _plan(HALF)).action is Action.MOVE
    held = replace(lost, nodes=(node("local.full"),), current=lost.target)
    assert guard(held, _plan(HALF)).reason.code == "budget_short", "both would burn"


def test_a_change_that_fits_the_budget_passes() -> None:
    wanted = _plan(FULL)

    assert (
        guard(snapshot(target="local.half", job=job(objective=Objective(budget_usd=1.0))), wanted)
        == wanted
    )


def test_a_job_that_has_failed_changes_nothing_before_it_has_gone_on_beyond_that() -> None:
    error = ScriptError(
        "ValueError", "ValueError: no", "train.py, line 3, in load", turns=30, iteration=30
    )
    healthy = snapshot(target="local.half")
    failed = replace(healthy, job=replace(healthy.job, error=error))

    plan = guard(failed, _plan(FULL))

    assert guard(healthy, _plan(FULL)).target == FULL
    assert (plan.action, plan.target, plan.reason.code) == (Action.HOLD, HALF, "failing")
    assert (
        "failed at iteration 30 and has not passed it since: ValueError: no (train.py"
        in plan.reason.text
    )
    assert guard(failed, _plan(FULL, code="not_permitted")).target == FULL, (
        "its own spec forbids what is held"
    )


def test_a_change_that_the_job_failed_in_the_middle_of_is_given_up_while_what_it_leaves_is_there() -> (
    None
):
    error = ScriptError(
        "ValueError", "ValueError: no", "train.py, line 3, in load", turns=30, iteration=30
    )
    hold = Plan(Action.HOLD, FULL, Reason("changing", "waiting for local.full"))

    def guarded(
        plan: Plan = hold, *, code: str = "trial", of: str = "local.half", **rest: Any
    ) -> Group | None:
        failed = snapshot(
            target="local.full",
            current=None,
            job=replace(job(), error=error),
            nodes=(node(of), node("local.full", phase=NodePhase.BOOTING, number=2)),
            changes=[change("local.half"), change("local.full", "local.half", code=code, ago_s=10)],
            **rest,
        )
        return guard(failed, plan).target

    assert (guarded(), guarded(code="better_value")) == (HALF, HALF)
    assert guarded(code="not_permitted") == FULL, "what it left is forbidden"
    assert guarded(_plan(FULL, code="fixed")) == FULL, "its user wants it so"
    assert guarded(of="local.quarter") == FULL, "what it left is gone"
    assert guarded(measured=[series("local.full", 1.0)]) == FULL, (
        "it has changed, and trained there"
    )


def test_a_job_that_is_scaled_keeps_that_number_below_its_cap_or_not_at_all() -> None:
    scaled: dict[str, Any] = {"nodes_max": 3, "nodes_wanted": 2}

    within = guard(snapshot(job=job(**scaled)), _plan(group("local.half", 3), Action.START))
    above = job(objective=Objective(max_usd_per_hour=0.05), **scaled)
    refused = guard(snapshot(job=above), _plan(group("local.half", 2), Action.START))

    assert (within.target, within.limited_by) == (group("local.half", 2), ("nodes_wanted",))
    assert (refused.action, refused.reason.code) == (Action.HOLD, "max_usd_per_hour")


@pytest.mark.parametrize(("wanted", "limit", "count"), [(5, "nodes_max", 3), (1, "nodes_min", 2)])
def test_the_number_of_nodes_is_kept_within_the_jobs_range(
    wanted: int, limit: str, count: int
) -> None:
    plan = guard(
        snapshot(job=job(nodes_min=2, nodes_max=3)),
        _plan(group("local.half", wanted), Action.START),
    )

    assert (plan.action, plan.target, plan.limited_by) == (
        Action.START,
        group("local.half", count),
        (limit,),
    )
    assert (
        f"(limited to {count} x local.half: {counted(wanted, 'node')} wanted, {limit} is {count})"
        in plan.reason.text
    )


def test_a_mixed_group_loses_its_last_nodes_first_and_gains_its_first() -> None:
    mixed = Group(((offering("local.full"), 1), (offering("local.half"), 3)))
    bounded, wide = job(nodes_max=2), job(nodes_min=6, nodes_max=8)

    assert guard(snapshot(job=bounded), _plan(mixed)).target == Group(
        ((offering("local.full"), 1), (offering("local.half"), 1))
    )
    assert guard(snapshot(job=job(nodes_max=1)), _plan(mixed)).target == FULL
    assert guard(snapshot(job=wide), _plan(mixed)).target == Group(
        ((offering("local.full"), 3), (offering("local.half"), 3))
    )


def test_a_resized_plan_that_changes_nothing_is_a_hold() -> None:
    plan = guard(
        snapshot(target=group("local.half", 3), job=job(nodes_max=3)), _plan(group("local.half", 4))
    )

    assert (plan.action, plan.target, plan.limited_by) == (
        Action.HOLD,
        group("local.half", 3),
        ("nodes_max",),
    )


def test_what_has_no_price_is_not_bought() -> None:
    nothing = guard(snapshot(prices=prices({"local.half": 0.045})), _plan(FULL, Action.START))
    held = guard(snapshot(target="local.half", prices=prices({"local.half": 0.045})), _plan(FULL))

    assert (nothing.action, nothing.target, nothing.reason.code) == (Action.HOLD, None, "no_price")
    assert nothing.reason.text.startswith(
        "nothing is started: local.full on-demand local has no fresh price (`elasticd price ls`"
    )
    assert (held.action, held.target, held.limited_by) == (Action.HOLD, HALF, ("price",))


def test_nodes_that_run_already_need_no_price() -> None:
    shrink = _plan(HALF)

    assert (
        guard(snapshot(target=group("local.half", 2), prices=(), job=job(nodes_max=2)), shrink)
        == shrink
    )


def test_a_plan_without_a_group_concerns_no_limit_but_the_budget() -> None:
    leave = _plan(None)

    assert (
        guard(snapshot(target="local.half", job=job(objective=Objective(budget_usd=1.0))), leave)
        == leave
    )


def test_the_burn_is_kept_under_its_cap_with_fewer_nodes() -> None:
    capped = job(nodes_max=4, objective=Objective(max_usd_per_hour=0.1))

    plan = guard(snapshot(job=capped), _plan(group("local.half", 4), Action.START))

    assert (plan.target, plan.limited_by) == (group("local.half", 2), ("max_usd_per_hour",))
    assert "4 x local.half burns $0.18/h, the cap is $0.10/h" in plan.reason.text


def test_a_group_above_the_cap_at_any_size_is_refused() -> None:
    capped = job(nodes_min=2, nodes_max=3, objective=Objective(max_usd_per_hour=0.05))

    plan = guard(snapshot(job=capped), _plan(group("local.half", 3), Action.START))

    assert (plan.action, plan.target, plan.reason.code) == (Action.HOLD, None, "max_usd_per_hour")


def test_a_burn_under_the_cap_passes() -> None:
    wanted = _plan(HALF)

    assert guard(snapshot(job=job(objective=Objective(max_usd_per_hour=0.05))), wanted) == wanted


def _after(changes: Sequence[Change], target: Group | str, wanted: Group) -> Plan:
    return guard(snapshot(target=target, changes=changes, job=job(nodes_max=4)), _plan(wanted))


def test_what_was_left_is_not_returned_to_within_the_cooldown() -> None:
    moved = [change("local.full", "local.half", code="better_value", ago_s=200)]

    plan = _after(moved, "local.full", HALF)

    assert (plan.action, plan.target, plan.reason.code) == (Action.HOLD, FULL, "cooldown")
    assert plan.limited_by == ("cooldown",)
    assert (
        "it would undo a change made less than 10 min ago; 6 min 40 s to wait" in plan.reason.text
    )


def test_after_the_cooldown_it_may_be_returned_to() -> None:
    moved = [change("local.full", "local.half", code="better_value", ago_s=600)]

    assert _after(moved, "local.full", HALF).action is Action.MOVE


def test_a_trial_is_left_without_waiting() -> None:
    tried = [change("local.full", "local.half", code="trial", ago_s=20)]

    assert _after(tried, "local.full", HALF).action is Action.MOVE


def test_nodes_added_are_not_removed_within_the_cooldown() -> None:
    grown = [change(group("local.half", 3), "local.half", code="better_value", ago_s=60)]

    assert _after(grown, group("local.half", 3), group("local.half", 2)).reason.code == "cooldown"
    assert _after(grown, group("local.half", 3), group("local.half", 4)).action is Action.MOVE


def test_another_type_is_not_the_opposite_of_a_resize() -> None:
    grown = [change(group("local.half", 3), "local.half", code="better_value", ago_s=60)]

    assert _after(grown, group("local.half", 3), FULL).action is Action.MOVE


def test_the_first_start_is_the_opposite_of_nothing() -> None:
    assert _after([change("local.half", None, ago_s=5)], "local.half", FULL).action is Action.MOVE


@pytest.mark.parametrize("code", ["not_permitted", "scaled", "fixed"])
def test_a_compelled_change_does_not_wait(code: str) -> None:
    moved = [change("local.full", "local.half", code="price", ago_s=20)]

    plan = guard(snapshot(target="local.full", changes=moved), _plan(HALF, code=code))

    assert plan.action is Action.MOVE


@pytest.mark.parametrize("phase", [JobPhase.DRAINING, JobPhase.SUCCEEDED])
def test_a_job_that_ends_is_not_stopped_again(phase: JobPhase) -> None:
    held = _plan(HALF, Action.HOLD, "ending")

    assert (
        guard(
            snapshot(spent_usd=9.0, job=job(phase=phase, objective=Objective(budget_usd=1.0))), held
        )
        == held
    )


def test_every_limit_that_changed_the_plan_is_named() -> None:
    capped = job(nodes_max=3, objective=Objective(max_usd_per_hour=0.1))
    moved = [change("local.full", group("local.half", 2), code="price", ago_s=20)]

    plan = guard(
        snapshot(target="local.full", changes=moved, job=capped), _plan(group("local.half", 9))
    )

    assert plan.limited_by == ("nodes_max", "max_usd_per_hour", "cooldown")
    assert plan.target == FULL


def test_a_price_that_is_not_known_at_all_counts_for_nothing_in_the_reserve() -> None:
    frugal = job(objective=Objective(budget_usd=0.01))

    plan = guard(
        snapshot(target="local.half", prices=(price("local.full", 0.09),), job=frugal),
        _plan(HALF, Action.HOLD),
    )

    assert plan.action is Action.HOLD
