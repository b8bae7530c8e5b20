from __future__ import annotations

import pytest

from elastic.model import Interval
from elastic.throughput import iterations_per_usd


def test_without_the_cold_step_the_steady_state_is_4145_against_4306_to_4426() -> None:
    # From the raw logs of the course work this project grew from: their totals less their cold
    # steps, 12.29 s of c4's 29.75, 7.32 to 7.59 s of c5's 17.16.
    c4 = iterations_per_usd(0.199, Interval((29.7503 - 12.2927) / 4))
    c5 = iterations_per_usd(0.170, Interval(4.851, (17.1563 - 7.5867) / 2, (17.1563 - 7.3204) / 2))

    assert c4.value == pytest.approx(4145, abs=0.5)
    assert (c5.low, c5.high) == pytest.approx((4306, 4426), abs=0.6)


def test_an_interval_is_turned_round() -> None:
    value = iterations_per_usd(3.6, Interval(0.5, 0.4, 0.6))

    assert (value.value, value.low, value.high) == pytest.approx((2000, 1666.67, 2500), rel=1e-5)


def test_an_estimate_without_bounds_gives_a_value_without_bounds() -> None:
    assert iterations_per_usd(3.6, Interval(0.5)) == Interval(2000.0)
