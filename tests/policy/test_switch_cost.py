from __future__ import annotations

from dataclasses import replace

import pytest

from elastic.model import Interval
from tests.builders import job, limits, prices, snapshot, switch
from tests.policy.switching import FULL, HALF, from_half

# $0.01 and $0.02 a second.
PRICES = prices({"local.half": 36.0, "local.full": 72.0})


def test_going_from_one_group_to_another_costs_what_the_page_on_dollars_says() -> None:
    world = snapshot(target=HALF, prices=PRICES, switches=(switch(FULL, pause_s=5.0, boot_s=10.0),))

    way = from_half(world)

    # The new node boots for 10 s; the old one makes 5 iterations meanwhile; both pause for 5 s; 95
    # iterations are left.
    assert way.usd.value == pytest.approx(0.02 * 10 + 0.01 * 10 + 0.03 * 5 + 0.02 * 95)
    assert way.switch_usd == pytest.approx(0.02 * 10 + 0.03 * 5)
    assert way.lasts_s == pytest.approx(10 + 5 + 95)


def test_a_launch_is_paid_for_its_least_bill() -> None:
    world = snapshot(
        target=HALF,
        prices=PRICES,
        switches=(switch(FULL, pause_s=5.0, boot_s=10.0),),
        limits=limits(minimum_billed_s=60.0),
    )

    way = from_half(world, iterations=15)

    # 10 s of boot, 5 s of pause and 10 iterations are 25 s of the minute that the new node is
    # billed for.
    assert way.usd.value == pytest.approx(0.02 * 10 + 0.01 * 10 + 0.03 * 5 + 0.02 * 10 + 0.02 * 35)


def test_staying_costs_the_rest_alone() -> None:
    world = snapshot(target=HALF, prices=PRICES)

    way = from_half(world, to=HALF, step_s=Interval(2.0, 1.0))

    assert (way.usd.value, way.usd.low) == pytest.approx((2.0, 1.0))
    assert way.usd.high is None


def test_an_old_group_of_unknown_pace_is_paid_for_and_counted_for_nothing() -> None:
    world = snapshot(target=HALF, prices=PRICES, switches=(switch(FULL, pause_s=5.0, boot_s=10.0),))

    way = from_half(world, origin_step_s=None)

    assert way.usd.value == pytest.approx(0.02 * 10 + 0.01 * 10 + 0.03 * 5 + 0.02 * 100)


def test_what_a_move_loses_is_done_again_and_paid_for() -> None:
    restarts = replace(job(iteration=40), restarts_at_zero=True)
    world = snapshot(
        target=HALF, prices=PRICES, switches=(switch(FULL, pause_s=5.0, boot_s=10.0),), job=restarts
    )

    way = from_half(world)

    # The 40 done so far are lost, and so are the 5 that the old node makes meanwhile.
    assert way.redone == 45
    assert way.lasts_s == pytest.approx(10 + 5 + 95 + 45)
    assert way.usd.value == pytest.approx(0.02 * 10 + 0.01 * 10 + 0.03 * 5 + 0.02 * (95 + 45))
    assert way.switch_usd == pytest.approx(0.02 * 10 + 0.03 * 5 + 0.02 * 45)


def test_a_script_that_saves_now_and_then_does_again_what_came_after() -> None:
    saves = replace(job(iteration=40), kept_iteration=30, stops_when_asked=False)
    world = snapshot(
        target=HALF, prices=PRICES, switches=(switch(FULL, pause_s=5.0, boot_s=10.0),), job=saves
    )

    way = from_half(world)
    stays = from_half(world, to=HALF, step_s=Interval(2.0))

    assert (way.redone, stays.redone) == (10, 0)
