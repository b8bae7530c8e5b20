"""The value function of a deadline: against what can be worked out by hand, and by what must hold
of any."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from elastic.model import AGES_S
from elastic.policy.cost_to_go import Course, DeadlineProblem, SpotState, solve
from elastic.policy.hazards import Hazards, hazards_of

H = 3600.0
OWN = Course(step_s=1.0, usd_per_h=3.0, start_s=360.0, move_s=360.0)
SPOT = Course(step_s=1.0, usd_per_h=1.0, start_s=360.0, move_s=360.0)
DOWN, UP = SpotState(is_up=False, age_s=0.0), SpotState(is_up=True, age_s=0.0)


def steady(lost_per_h: float, back_per_h: float) -> Hazards:
    return Hazards((lost_per_h,) * len(AGES_S), (back_per_h,) * len(AGES_S))


def test_without_spot_the_work_is_paid_at_its_price() -> None:
    solved = solve(DeadlineProblem((OWN,), None, None, 0.0, work=10 * H, left_s=12 * H))

    assert solved.safe(0, 10 * H, 12 * H, DOWN, dead_s=0.0, look_s=60.0) == pytest.approx(
        30.0, rel=0.01
    )
    assert solved.safe(0, 10 * H, 12 * H, DOWN, dead_s=360.0, look_s=60.0) == pytest.approx(
        30.3, rel=0.01
    )


def test_a_pool_that_is_never_lost_is_waited_for_and_taken() -> None:
    solved = solve(
        DeadlineProblem((OWN,), SPOT, steady(1e-6, 10.0), 0.0, work=10 * H, left_s=20 * H)
    )

    taken = solved.on_spot(10 * H, 20 * H, 0.0, dead_s=360.0, look_s=60.0)
    assert taken == pytest.approx(10.1, rel=0.01)
    assert solved.waiting(10 * H, 20 * H, DOWN, look_s=60.0) == pytest.approx(taken, rel=0.01)
    assert solved.safe(0, 10 * H, 20 * H, DOWN, dead_s=360.0, look_s=60.0) > taken


def test_a_pool_that_is_lost_before_it_has_started_is_worth_nothing() -> None:
    solved = solve(
        DeadlineProblem((OWN,), SPOT, steady(100.0, 100.0), 0.0, work=10 * H, left_s=20 * H)
    )

    own = solved.safe(0, 10 * H, 20 * H, UP, dead_s=360.0, look_s=60.0)
    assert own == pytest.approx(30.3, rel=0.02)
    assert solved.on_spot(10 * H, 20 * H, 0.0, dead_s=360.0, look_s=60.0) > own


def test_waiting_costs_nothing_but_slack() -> None:
    hazards = hazards_of(None)
    solved = solve(DeadlineProblem((OWN,), SPOT, hazards, 0.0, work=10 * H, left_s=20 * H))

    costs = [solved.waiting(10 * H, left_h * H, DOWN, look_s=60.0) for left_h in (11, 13, 15, 20)]
    assert costs == sorted(costs, reverse=True)


def test_without_slack_nothing_but_what_is_safe_is_in_time() -> None:
    hazards = hazards_of(None)
    solved = solve(DeadlineProblem((OWN,), SPOT, hazards, 0.0, work=10 * H, left_s=10.11 * H))

    own = solved.safe(0, 10 * H, 10.11 * H, UP, dead_s=360.0, look_s=60.0)
    assert own < 35.0
    assert solved.waiting(10 * H, 10.11 * H, UP, look_s=600.0) > own


def test_an_hour_that_is_worth_something_is_counted() -> None:
    plain = solve(DeadlineProblem((OWN,), None, None, 0.0, work=10 * H, left_s=12 * H))
    dear = solve(
        DeadlineProblem((OWN,), None, None, 0.0, work=10 * H, left_s=12 * H, time_usd_per_h=2.0)
    )

    added = [each.safe(0, 10 * H, 12 * H, DOWN, dead_s=0.0, look_s=60.0) for each in (plain, dear)]
    assert added[1] - added[0] == pytest.approx(20.0, rel=0.01)


def test_a_rate_that_falls_with_age_makes_an_old_pool_worth_more() -> None:
    solved = solve(DeadlineProblem((OWN,), SPOT, hazards_of(None), 0.0, work=10 * H, left_s=14 * H))

    young, old = (
        solved.on_spot(10 * H, 14 * H, age_s, dead_s=360.0, look_s=60.0) for age_s in (0.0, 12 * H)
    )
    assert old < young


def test_expected_lives_follow_from_the_rates() -> None:
    hazards = steady(0.5, 2.0)

    assert hazards.life_h(0.0) == pytest.approx(2.0)
    assert hazards.drought_h(5000.0) == pytest.approx(0.5)
    assert math.isfinite(hazards_of(None).life_h(1e6))


def test_spot_is_left_where_the_safety_net_leaves_it() -> None:
    """A start takes 0.1 h. With less to spare a loss of spot would make the job late, so on-demand
    trains the nine hours, though spot is next to never lost."""
    rare = steady(0.01, 1.0)
    solved = solve(DeadlineProblem((OWN,), SPOT, rare, 0.0, work=10 * H, left_s=20 * H))

    caught = solved.on_spot(9 * H, 9.05 * H, 0.0, dead_s=0.0, look_s=60.0)
    free = solved.on_spot(9 * H, 9.5 * H, 0.0, dead_s=0.0, look_s=60.0)
    assert free < 10.0
    assert caught > 20.0


@pytest.mark.parametrize("look_s", [5.0, 3600.0])
def test_what_is_not_asked_about_is_not_kept(look_s: float) -> None:
    """The times that are asked about have the values that they have in the whole solution, and take
    the share of its memory that they are of the time left."""
    rare = steady(0.5, 1.0)
    problem = DeadlineProblem((OWN,), SPOT, rare, 0.3, work=10 * H, left_s=18 * H)
    whole = solve(problem)
    part = solve(replace(problem, asked_from_s=12 * H))

    assert part.values.nbytes < 0.4 * whole.values.nbytes
    for left_s in (12 * H, 12.01 * H, 13 * H, 17.9 * H, 18 * H):
        for work in (60.0, 5 * H, 9.9 * H, 10 * H):
            for each in (UP, DOWN):
                assert part.waiting(work, left_s, each, look_s=look_s) == whole.waiting(
                    work, left_s, each, look_s=look_s
                )
                assert part.safe(0, work, left_s, each, dead_s=360.0, look_s=look_s) == whole.safe(
                    0, work, left_s, each, dead_s=360.0, look_s=look_s
                )
            assert part.on_spot(work, left_s, 0.0, dead_s=0.0, look_s=look_s) == whole.on_spot(
                work, left_s, 0.0, dead_s=0.0, look_s=look_s
            )


@pytest.mark.parametrize("left_s", [0.01, 5.0, 60.0])
def test_just_before_a_deadline_that_is_missed_the_lattice_has_an_end(left_s: float) -> None:
    rare = steady(0.1, 1.0)
    solved = solve(DeadlineProblem((OWN,), SPOT, rare, 0.0, work=10 * H, left_s=left_s))

    assert solved.values.nbytes < 50e6
    # All of the work is late, at twenty times its price and its price.
    late_usd = 10 * (OWN.usd_per_h + 20 * OWN.usd_per_h)
    own = solved.safe(0, 10 * H, left_s, UP, dead_s=360.0, look_s=5.0)
    assert own == pytest.approx(late_usd, rel=0.05)
    assert solved.waiting(10 * H, left_s, UP, look_s=5.0) == pytest.approx(late_usd, rel=0.05)


@pytest.mark.parametrize("work", [0.1, 1.0, 60.0])
def test_with_next_to_no_work_left_the_lattice_has_an_end(work: float) -> None:
    rare = steady(0.1, 1.0)
    solved = solve(DeadlineProblem((OWN,), SPOT, rare, 0.0, work=work, left_s=H))

    assert solved.values.nbytes < 50e6
    # Spot is lost once in ten hours, so nearly all of the rest is at its price.
    spot_usd = solved.on_spot(work, H, 0.0, dead_s=360.0, look_s=5.0)
    assert spot_usd == pytest.approx((360.0 + work) / H * SPOT.usd_per_h, rel=0.1)
    assert spot_usd < solved.safe(0, work, H, UP, dead_s=360.0, look_s=5.0)
