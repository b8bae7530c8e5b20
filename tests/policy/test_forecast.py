from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from elastic.model import Action, Capacity, Missed, Objective, OnMiss, Plan, Snapshot, TrainingPhase
from elastic.policy import Forecast, Miss, best_value, decide, forecast, misses
from tests.builders import NOW_S, group, job, limits, node_type, offering, price, series, snapshot

HALF, FULL = group("local.half"), group("local.full")
# 9,900 iterations left: 3,960 s on half a core for 0.0495 USD, 2,970 s on a whole one for 0.07425
# USD.
MEASURED = (series("local.half", 0.4), series("local.full", 0.3))
TWO = ("local.half", "local.full")


def seen(target: str = "local.half", measured: Any = MEASURED, **objective: Any) -> Snapshot:
    spec: dict[str, Any] = {"node_types": TWO, "objective": Objective(**objective)}
    return snapshot(target=target, measured=measured, job=job(**spec))


def foreseen(world: Snapshot) -> Forecast:
    return forecast(world, best_value(world).candidates)


def missed(world: Snapshot, *standing: Missed) -> dict[Missed, Miss] | None:
    found = misses(world, best_value(world), standing=standing)
    return None if found is None else {each.kind: each for each in found}


def test_each_group_has_its_time_and_all_its_dollars_with_their_ends() -> None:
    cheap, fast = foreseen(seen()).frontier
    assert (cheap.group, fast.group) == (HALF, FULL)
    assert cheap.lasts_s.value == pytest.approx(3960, rel=0.01)
    assert cheap.usd.value == pytest.approx(0.001 + 0.0495, rel=0.01), "what is spent counts"
    assert fast.lasts_s.value == pytest.approx(2970 + 8, rel=0.01)
    assert cheap.lasts_s.low is not None and cheap.lasts_s.high is not None
    assert cheap.lasts_s.low < cheap.lasts_s.value < cheap.lasts_s.high
    assert (cheap.usd.low or 9) < cheap.usd.value < (cheap.usd.high or 0)


def test_what_is_as_soon_for_less_hides_what_is_not() -> None:
    slow_and_dear = (*MEASURED[:1], series("local.full", 0.5))
    assert [each.group for each in foreseen(seen(measured=slow_and_dear)).frontier] == [HALF]


def test_a_type_that_nobody_measured_is_expected_to_be_as_fast_as_its_cores_and_that_is_not_sure() -> (
    None
):
    full = next(
        each for each in foreseen(seen(measured=MEASURED[:1])).finishes if each.group == FULL
    )
    assert not full.is_measured
    assert full.lasts_s.value == pytest.approx(9900 * 0.2 + 8, rel=0.01), (
        "twice the share of one core"
    )
    assert full.lasts_s.high == pytest.approx(9900 * 0.2 * 1.9 + 8, rel=0.01)


def test_more_nodes_are_at_best_faster_in_proportion_and_at_worst_no_faster() -> None:
    world = snapshot(
        target="local.half", measured=MEASURED[:1], job=job(node_types=("local.half",), nodes_max=2)
    )
    pair = next(each for each in foreseen(world).finishes if each.group.node_count == 2)
    assert pair.lasts_s.low == pytest.approx(9900 * 0.2 + 8, rel=0.02)
    assert pair.lasts_s.high == pytest.approx(9900 * 0.4 + 8, rel=0.02)


def test_the_chance_of_being_late_is_told_where_nothing_else_than_the_pace_is_uncertain() -> None:
    half, full = foreseen(seen(deadline_s=NOW_S + 3960)).frontier
    assert half.chance_late == pytest.approx(0.5, abs=0.02)
    assert full.chance_late == pytest.approx(0.0, abs=0.001)
    assert foreseen(seen()).frontier[0].chance_late is None, "without a deadline nothing is late"
    spot = offering("local.half", capacity=Capacity.SPOT)
    lost = snapshot(
        measured=MEASURED,
        prices=(price(spot, 0.02),),
        job=job(objective=Objective(deadline_s=NOW_S + 3960)),
    )
    assert {
        each.chance_late for each in foreseen(lost).finishes if each.group.members[0][0] == spot
    } == {None}


def test_goals_that_can_be_met_are_not_said_to_be_missed_and_without_goals_nothing_is() -> None:
    assert missed(seen(deadline_s=NOW_S + 8000, budget_usd=0.2)) == {}
    assert missed(seen()) == {}


def test_a_deadline_that_only_the_dearer_group_meets_is_met() -> None:
    assert missed(seen(deadline_s=NOW_S + 3500)) == {}


def test_a_deadline_that_no_group_meets_is_said_with_how_late_what_would_do_and_what_to_do() -> (
    None
):
    (late,) = (missed(seen(deadline_s=NOW_S + 1000)) or {}).values()
    assert late.kind is Missed.WILL_BE_LATE and late.is_certain
    assert (
        "the deadline is in 16 min 40 s, and the job needs 50 min 16 s on local.full (measured, "
        "slow end)" in late.text
    )
    assert "33 min 36 s too long" in late.text
    assert "Least time: 50 min 16 s for $0.0765 in all" in late.text
    assert "least cost: $0.0512 in all, 1 h 7 min on local.half" in late.text
    # Not by stop and resume, which would repeat what was not saved.
    assert "`elasticd job limit esrgan --deadline 56m` gives it enough" in late.text


def test_a_deadline_that_has_passed_is_told_as_past() -> None:
    (late,) = (missed(seen(deadline_s=NOW_S - 120)) or {}).values()
    assert "the deadline was 2 min ago, and the job needs" in late.text


def test_a_budget_that_no_group_in_time_is_within_is_said_to_be_exceeded() -> None:
    assert missed(seen(budget_usd=0.06)) == {}
    (dear,) = (missed(seen(deadline_s=NOW_S + 3500, budget_usd=0.06)) or {}).values()
    assert dear.kind is Missed.OVER_BUDGET
    assert (
        "the budget is $0.06, and the job needs $0.0773 on local.full (measured, slow end)"
        in dear.text
    )
    assert "`elasticd job limit esrgan --budget 0.085` gives it enough" in dear.text


def test_a_goal_that_is_met_again_by_less_than_the_margin_is_said_to_have_little_to_spare() -> None:
    (late,) = (missed(seen(deadline_s=NOW_S + 3100), Missed.WILL_BE_LATE) or {}).values()
    assert "only 1 min 24 s to spare" in late.text
    world = seen(deadline_s=NOW_S + 3500, budget_usd=0.08)
    (dear,) = (missed(world, Missed.OVER_BUDGET) or {}).values()
    assert ": only $0.0027" in dear.text and " to spare. Least time" in dear.text
    assert missed(world) == {}


def test_what_is_kept_back_to_end_in_good_order_cannot_be_trained_with() -> None:
    enough = seen(budget_usd=0.0520)
    assert missed(enough) == {}
    # 300 s of 0.045 USD an hour are 0.00375 USD.
    late_end = replace(enough, limits=limits(wind_down_s=300.0))
    assert set(missed(late_end) or {}) == {Missed.OVER_BUDGET}
    assert [each.group for each in [foreseen(enough).best] if each] == [HALF]
    assert foreseen(late_end).best is None, "it is over its budget, so it does not meet its goals"


def test_nothing_is_said_before_a_pace_is_known() -> None:
    assert missed(seen(measured=(), deadline_s=NOW_S + 1000)) is None


def test_while_the_policy_is_looking_what_it_may_still_find_counts_and_later_it_does_not() -> None:
    # local.full is expected to take 1,980 s, and nobody has measured it.
    looking = seen(measured=(series("local.half", 0.4, windows=4),), deadline_s=NOW_S + 2200)
    assert missed(looking) == {}
    settled = seen(measured=MEASURED[:1], deadline_s=NOW_S + 2200)
    given_up = replace(best_value(settled), action=Action.HOLD, target=HALF)
    (late,) = misses(settled, given_up) or ()
    assert late.kind is Missed.WILL_BE_LATE


def test_a_group_that_could_only_be_hoped_to_be_in_time_makes_a_miss_uncertain() -> None:
    looking = seen(measured=(series("local.half", 0.4, windows=4),), deadline_s=NOW_S + 1500)
    (late,) = (missed(looking) or {}).values()
    assert not late.is_certain, "local.full may be 1.9 times as fast as its core promises"


def test_a_goal_once_said_to_be_missed_is_met_again_only_with_a_margin() -> None:
    just = seen(
        measured=(series("local.half", 0.4, noise=0.0),),
        target="local.half",
        deadline_s=NOW_S + 4000,
    )
    just = replace(just, job=job(node_types=("local.half",), objective=just.job.spec.objective))
    assert missed(just) == {}
    assert set(missed(just, Missed.WILL_BE_LATE) or {}) == {Missed.WILL_BE_LATE}
    ample = replace(just, now_s=NOW_S - 500)
    assert missed(ample, Missed.WILL_BE_LATE) == {}


def test_the_cap_that_is_in_the_way_is_named() -> None:
    (late,) = (missed(seen(deadline_s=NOW_S + 3500, max_usd_per_hour=0.05)) or {}).values()
    assert (
        "without its cap (max_usd_per_hour is $0.05) 50 min 16 s at $0.09/h on local.full"
        in late.text
    )


def test_a_job_that_is_done_misses_nothing_more() -> None:
    done = seen(deadline_s=NOW_S - 10)
    assert missed(replace(done, job=replace(done.job, iteration=10_000))) == {}


def test_a_job_without_an_end_misses_no_goal_that_anybody_could_tell() -> None:
    endless = snapshot(
        target="local.half",
        measured=MEASURED,
        job=job(iterations=None, objective=Objective(budget_usd=1)),
    )
    assert missed(endless) is None


def test_other_phases_count_with_their_own_pace() -> None:
    phases = (TrainingPhase("warm-up", 5000), TrainingPhase("main"))
    measured = (*MEASURED, series("local.half", 0.1, training_phase="warm-up"))
    world = snapshot(
        target="local.half",
        measured=measured,
        job=job(phases=phases, training_phase="warm-up", node_types=TWO),
    )
    half = next(each for each in foreseen(world).finishes if each.group == HALF)
    assert half.lasts_s.value == pytest.approx(4900 * 0.1 + 5000 * 0.4, rel=0.01)
    full = next(each for each in foreseen(world).finishes if each.group == FULL)
    assert full.lasts_s.value == pytest.approx(4900 * 0.075 + 5000 * 0.3 + 8, rel=0.02), (
        "by the ratio on the other"
    )


def decided(on_miss: OnMiss, **objective: Any) -> Plan:
    return decide(seen(on_miss=on_miss, **objective))


def test_on_miss_fastest_takes_the_fastest_group() -> None:
    plan = decided(OnMiss.FASTEST, deadline_s=NOW_S + 1000)
    assert (plan.action, plan.target) == (Action.MOVE, FULL)


def test_on_miss_stop_stops_with_the_numbers_once_it_is_certain() -> None:
    plan = decided(OnMiss.STOP, deadline_s=NOW_S + 1000)
    assert (plan.action, plan.target, plan.reason.code) == (Action.STOP, None, "goal_missed")
    assert plan.reason.text.startswith("will_be_late: the deadline is in 16 min 40 s")
    assert "`elasticd job stop" not in plan.reason.text, "it is stopped already"
    assert "or it stops" not in plan.reason.text and "else it" not in plan.reason.text
    assert plan.reason.text.endswith("`elasticd job resume esrgan --deadline 56m` continues it")
    assert decided(OnMiss.STOP, deadline_s=NOW_S + 8000).action is Action.HOLD
    assert decided(OnMiss.STOP, budget_usd=0.02).reason.text.startswith("over_budget: ")


def test_on_miss_cheapest_goes_on_where_an_iteration_costs_least() -> None:
    plan = decide(seen("local.full", on_miss=OnMiss.CHEAPEST, deadline_s=NOW_S + 1000))
    assert (plan.action, plan.target) == (Action.MOVE, HALF)
    assert plan.reason.text.endswith("(on_miss: cheapest, since will_be_late)")


def test_nothing_is_stopped_that_might_still_be_in_time() -> None:
    looking = seen(
        measured=(series("local.half", 0.4, windows=4),),
        on_miss=OnMiss.STOP,
        deadline_s=NOW_S + 1500,
    )
    assert decide(looking).action is not Action.STOP


def test_the_best_is_the_cheapest_that_meets_all_goals_at_its_slow_and_dear_end() -> None:
    assert [each.group for each in [foreseen(seen()).best] if each] == [HALF]
    assert [each.group for each in [foreseen(seen(deadline_s=NOW_S + 3500)).best] if each] == [FULL]
    assert foreseen(seen(deadline_s=NOW_S + 3500, budget_usd=0.06)).best is None


def test_after_the_deadline_everything_is_late() -> None:
    assert {each.chance_late for each in foreseen(seen(deadline_s=NOW_S - 1)).finishes} == {1.0}


def test_what_the_job_does_not_admit_is_no_choice_and_says_why() -> None:
    held = snapshot(
        target=group("local.half", 2),
        measured=(series(group("local.half", 2), 0.4), *MEASURED),
        job=job(),
    )
    told = {each.group: each.objection for each in foreseen(held).finishes}
    assert told[group("local.half", 2)] == "the job does not admit 2 nodes"
    other = snapshot(
        target="local.quarter",
        measured=(series("local.quarter", 0.9), *MEASURED),
        job=job(node_types=TWO),
    )
    told = {each.group: each.objection for each in foreseen(other).finishes}
    assert told[group("local.quarter")] == "the job does not admit local.quarter on-demand"


def test_a_late_job_that_wants_the_least_dollars_is_over_budget_only_where_those_are_too_many() -> (
    None
):
    late: dict[str, Any] = {"deadline_s": NOW_S + 1000, "budget_usd": 0.06}
    assert set(missed(seen(on_miss=OnMiss.FASTEST, **late)) or {}) == {
        Missed.WILL_BE_LATE,
        Missed.OVER_BUDGET,
    }
    assert set(missed(seen(on_miss=OnMiss.CHEAPEST, **late)) or {}) == {Missed.WILL_BE_LATE}


def test_cores_and_gpus_promise_nothing_for_one_another() -> None:
    types = (
        node_type("local.half", 0.5),
        node_type("local.full", 1.0, gpu_count=1, gpu_model="T4"),
    )
    world = replace(seen(measured=MEASURED[:1]), node_types=types)
    assert [each.group for each in foreseen(world).finishes] == [HALF]
    assert [each.group for each in foreseen(replace(world, node_types=types[:1])).finishes] == [
        HALF
    ]


@pytest.mark.parametrize(
    ("goal", "kind"),
    [({"deadline_s": NOW_S + 600}, "will_be_late"), ({"budget_usd": 0.02}, "over_budget")],
)
def test_what_would_do_is_the_same_once_the_policy_has_stopped_looking(
    goal: dict[str, Any], kind: str
) -> None:
    texts = []
    for measured in (series("local.half", 0.4, windows=2), series("local.half", 0.4)):
        world = seen(measured=(measured,), **goal)
        plan = replace(best_value(world), action=Action.HOLD, target=HALF)
        (miss,) = misses(world, plan) or ()
        assert miss.kind == kind
        texts.append(miss.text)
        assert "(expected, not measured)" in miss.text
    assert all("Least time: 33 min" in each for each in texts), "twice the share of one core"


def test_a_deadline_that_nothing_meets_advises_what_the_fastest_is_expected_to_need() -> None:
    world = seen(measured=MEASURED[:1], deadline_s=NOW_S + 600)
    late = (missed(world) or {})[Missed.WILL_BE_LATE]
    assert "needs 33 min" in late.text and "on local.full (expected, not measured), " in late.text
    assert "--deadline 37m" in late.text
