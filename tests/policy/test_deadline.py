from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from elastic.model import Action, Job, Objective, Snapshot, TrainingPhase
from elastic.policy import best_value
from tests.builders import NOW_S, change, group, job, limits, series, snapshot

HALF, FULL = group("local.half"), group("local.full")
# 9,900 iterations left: 3,960 s on half a core for 0.0495 USD, 2,970 s on a whole one for 0.07425
# USD.
MEASURED = (series("local.half", 0.4), series("local.full", 0.3))


def _due_in(seconds: float, **spec: Any) -> Job:
    rest = {"node_types": ("local.half", "local.full"), **spec}
    return job(objective=Objective(deadline_s=NOW_S + seconds), **rest)


def test_takes_the_cheapest_of_those_in_time() -> None:
    plan = best_value(snapshot(target="local.full", measured=MEASURED, job=_due_in(8_000)))

    assert (plan.action, plan.target, plan.reason.code) == (Action.MOVE, HALF, "better_value")


def test_pays_more_to_be_in_time_with_a_phase_that_comes_later() -> None:
    phases = (TrainingPhase("main", 8_000), TrainingPhase("fine"))
    due = _due_in(3_500, phases=phases)

    slow = best_value(snapshot(target="local.half", measured=MEASURED, job=due))
    kept = best_value(snapshot(target="local.full", measured=MEASURED, job=due))

    # On half a core 7,900 iterations take 3,160 s, and the other 2,000 another 800 s.
    assert (slow.action, slow.target, slow.reason.code) == (Action.MOVE, FULL, "deadline")
    assert (kept.action, kept.target) == (Action.HOLD, FULL)
    half = next(each for each in slow.candidates if each.group == HALF)
    assert half.remaining_s == pytest.approx(3_160, rel=0.01), "what is shown is of one phase"


def test_stays_on_the_dearer_one_if_only_that_is_in_time() -> None:
    plan = best_value(snapshot(target="local.full", measured=MEASURED, job=_due_in(3_500)))

    assert (plan.action, plan.target, plan.reason.code) == (Action.HOLD, FULL, "best")


def test_pays_more_to_be_in_time() -> None:
    plan = best_value(snapshot(target="local.half", measured=MEASURED, job=_due_in(3_500)))

    assert (plan.action, plan.target, plan.reason.code) == (Action.MOVE, FULL, "deadline")
    assert plan.reason.text == (
        "local.half needs 1 h 6 min and the deadline is in 58 min 20 s: local.full makes it in 50 "
        "min 16 s at most, for $0.0745 against $0.0495"
    )
    assert plan.reason.numbers["left_s"] == 3_500


def test_if_none_is_in_time_the_fastest_is_taken_and_the_reason_says_so() -> None:
    plan = best_value(snapshot(target="local.half", measured=MEASURED, job=_due_in(1_000)))

    assert (plan.action, plan.target, plan.reason.code) == (Action.MOVE, FULL, "fastest")
    assert plan.reason.text.startswith(
        "no measured candidate meets the deadline in 16 min 40 s; local.full is the fastest"
    )


def test_if_none_is_in_time_the_fastest_is_kept() -> None:
    late = best_value(snapshot(target="local.full", measured=MEASURED, job=_due_in(1_000)))
    overdue = best_value(snapshot(target="local.full", measured=MEASURED, job=_due_in(-1_000)))

    assert (late.action, late.target, late.reason.code) == (Action.HOLD, FULL, "deadline_missed")
    assert "no measured candidate meets the deadline in 0 s" in overdue.reason.text


def test_what_is_fastest_only_by_chance_is_not_taken() -> None:
    noisy = (series("local.half", 0.4, noise=0.5), series("local.full", 0.3, noise=0.5))

    plan = best_value(snapshot(target="local.half", measured=noisy, job=_due_in(1_000)))

    assert plan.reason.code == "deadline_missed"


def test_nothing_else_measured_is_nothing_faster() -> None:
    alone = _due_in(600, node_types=("local.full",))

    plan = best_value(snapshot(target="local.full", measured=MEASURED[1:], job=alone))

    assert plan.reason.code == "deadline_missed"


def test_more_nodes_are_tried_when_one_is_not_in_time() -> None:
    pressed = _due_in(2_500, node_types=("local.half",), nodes_max=2)

    plan = best_value(snapshot(target="local.half", measured=MEASURED[:1], job=pressed))

    assert (plan.action, plan.target) == (Action.TRIAL, group("local.half", 2))


def test_a_trial_that_cannot_be_in_time_either_is_not_started() -> None:
    plan = best_value(snapshot(target="local.full", measured=MEASURED[1:], job=_due_in(3_050)))

    # Half a core should need twice as long: 5,940 s.
    assert (plan.action, plan.reason.code) == (Action.HOLD, "best")
    assert "a trial would not pay for itself" in plan.reason.text


@pytest.mark.parametrize(("left_s", "action"), [(9_000, Action.TRIAL), (3_985, Action.HOLD)])
def test_a_trial_does_not_risk_the_deadline(left_s: float, action: Action) -> None:
    slow_to_change = limits(switch_pause_prior_s=20.0)

    plan = best_value(
        snapshot(
            target="local.half", measured=MEASURED[:1], job=_due_in(left_s), limits=slow_to_change
        )
    )

    assert plan.action is action
    if action is Action.HOLD:
        assert "a trial would risk the deadline" in plan.reason.text


def test_an_hour_that_is_worth_much_outweighs_dearer_nodes() -> None:
    hurried = job(
        objective=Objective(value_of_time_usd_per_h=1.0), node_types=("local.half", "local.full")
    )

    plan = best_value(snapshot(target="local.half", measured=MEASURED, job=hurried))

    assert (plan.action, plan.target, plan.reason.code) == (Action.MOVE, FULL, "better_value")


def _half_is_late(seconds: float, **rest: Any) -> Snapshot:
    """Half a core, which is measured, needs 66 min; trials may cost next to nothing."""
    tight = limits(trial_usd_share=1e-9)
    return snapshot(
        target="local.half",
        measured=MEASURED[:1],
        job=_due_in(seconds, **rest),
        limits=tight,
        changes=[change("local.half", ago_s=600.0)],
    )


def test_another_type_is_tried_whatever_trials_may_cost_where_all_that_is_measured_is_late() -> (
    None
):
    plan = best_value(_half_is_late(3_500))

    assert (plan.action, plan.target) == (Action.TRIAL, FULL)
    in_time = best_value(_half_is_late(8_000))
    assert in_time.action is Action.HOLD


def test_what_nothing_trains_on_any_more_is_not_gone_back_to_if_it_is_late_and_other_hardware_is_faster() -> (
    None
):
    lost = replace(_half_is_late(3_500), current=None, target=None)

    plan = best_value(lost)

    assert (plan.action, plan.target, plan.reason.code) == (Action.START, FULL, "deadline")
    assert plan.reason.text.startswith(
        "local.half needs 1 h 6 min and the deadline is in 58 min 20 s: local.full should need 46 "
        "min 24 s"
    )
    assert plan.reason.text.endswith("as programs usually run on such hardware")
    assert plan.reason.numbers["lasts_s_to"] < 3_500


def test_a_phase_that_comes_later_counts_where_all_that_is_measured_is_late() -> None:
    phases = (TrainingPhase("main", 8_000), TrainingPhase("fine"))
    trains = _half_is_late(3_500, phases=phases)

    tried = best_value(trains)
    begun = best_value(replace(trains, current=None, target=None))

    assert (tried.action, tried.target) == (Action.TRIAL, FULL)
    assert (begun.action, begun.target, begun.reason.code) == (Action.START, FULL, "deadline")


def test_a_guess_that_the_budget_does_not_allow_is_none() -> None:
    lost = replace(_half_is_late(3_500), current=None, target=None)
    poor = replace(lost.job.spec.objective, budget_usd=0.06)

    plan = best_value(
        replace(lost, job=replace(lost.job, spec=replace(lost.job.spec, objective=poor)))
    )

    assert plan.target == HALF


def test_a_trial_goes_on_beyond_its_share_while_what_is_known_is_late() -> None:
    tried = (
        change("local.half", ago_s=2_000.0),
        change("local.full", "local.half", code="trial", ago_s=5.0),
    )
    plan = best_value(replace(_half_is_late(3_500), target=FULL, current=FULL, changes=tried))

    assert (plan.action, plan.reason.code) == (Action.HOLD, "measuring")


def test_a_deadline_that_is_very_near_is_started_for_on_the_fastest_hardware() -> None:
    """Two starts of 8 s each are a fifth of 80 s."""
    assert best_value(snapshot(job=_due_in(79))).target == FULL
    assert "too soon to start on less" in best_value(snapshot(job=_due_in(79))).reason.text
    assert best_value(snapshot(job=_due_in(81))).target == HALF
