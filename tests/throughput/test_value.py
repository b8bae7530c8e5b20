from __future__ import annotations

import pytest

from elastic.model import Interval
from elastic.throughput import (
    Overhead,
    billed_s,
    cost_usd,
    effective_iterations_per_usd,
    iterations_bought,
    iterations_per_usd,
)

# From the raw logs of the course work this project grew from.
C4_USD_PER_H, C4_STEP_S, C4_START_UP_S = 0.199, 29.7503 / 5, 28.8954
C5_USD_PER_H, C5_STEP_S, C5_START_UP_S = 0.170, 17.1563 / 3, 42.5376


def test_one_dollar_buys_3035_steps_on_c4_and_3695_on_c5() -> None:
    c4 = iterations_bought(1.0, usd_per_h=C4_USD_PER_H, step_s=C4_STEP_S, start_up_s=C4_START_UP_S)
    c5 = iterations_bought(1.0, usd_per_h=C5_USD_PER_H, step_s=C5_STEP_S, start_up_s=C5_START_UP_S)

    assert [round(step_s, 5) for step_s in (C4_STEP_S, C5_STEP_S)] == [5.95006, 5.71877]
    assert c4 == pytest.approx(3035.5, abs=0.05)
    assert c5 == pytest.approx(3695.5, abs=0.05)
    assert c5 / c4 == pytest.approx(1.217, abs=0.0005)


def test_without_the_cold_step_the_steady_state_is_4145_against_4306_to_4426() -> None:
    # The logs' totals less their cold steps: 12.29 s of c4's 29.75, 7.32 to 7.59 s of c5's 17.16.
    c4 = iterations_per_usd(C4_USD_PER_H, Interval((29.7503 - 12.2927) / 4))
    c5 = iterations_per_usd(C5_USD_PER_H, Interval(4.851, (17.1563 - 7.5867) / 2, (17.1563 - 7.3204) / 2))

    assert c4.value == pytest.approx(4145, abs=0.5)
    assert (c5.low, c5.high) == pytest.approx((4306, 4426), abs=0.6)


def test_a_dollar_that_does_not_outlast_the_start_up_buys_nothing() -> None:
    assert iterations_bought(0.01, usd_per_h=3.6, step_s=1.0, start_up_s=60.0) == 0.0


def test_a_launch_is_billed_for_a_minute_at_least() -> None:
    assert billed_s(12.0) == 60.0
    assert billed_s(12.0, minimum_billed_s=0.0) == 12.0


def test_every_second_from_boot_to_drain_is_paid() -> None:
    overhead = Overhead(boot_s=40.0, set_up_s=10.0, rendezvous_s=5.0, restore_s=3.0, drain_s=2.0)

    cost = cost_usd(1000, usd_per_h=3.6, step_s=Interval(0.5, 0.4, 0.6), overhead=overhead)

    # 60 s and 1000 steps of 0.5 s (0.4 to 0.6) at 0.001 USD a second.
    assert (cost.value, cost.low, cost.high) == pytest.approx((0.56, 0.46, 0.66))


def test_effective_iterations_per_dollar_fall_short_of_the_marginal_ones_by_the_overhead() -> None:
    marginal = iterations_per_usd(3.6, Interval(0.5, 0.4, 0.6))
    effective = effective_iterations_per_usd(
        1000, usd_per_h=3.6, step_s=Interval(0.5, 0.4, 0.6), overhead=Overhead(boot_s=60.0)
    )

    assert (marginal.value, marginal.low, marginal.high) == pytest.approx((2000, 1666.67, 2500), rel=1e-5)
    assert (effective.value, effective.low, effective.high) == pytest.approx((1785.71, 1515.15, 2173.91), rel=1e-5)


def test_an_estimate_without_bounds_gives_a_value_without_bounds() -> None:
    assert iterations_per_usd(3.6, Interval(0.5)) == Interval(2000.0)
