from __future__ import annotations

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elastic.model import Sample
from elastic.throughput import RECENT_WINDOWS, estimate_step_s
from elastic.throughput.paramount import t_quantile_975
from tests.builders import NOW_S, samples


def test_nothing_measured_is_no_estimate() -> None:
    assert estimate_step_s(()) is None


@pytest.mark.parametrize("windows", [1, 2])
def test_fewer_than_three_windows_have_no_interval(windows: int) -> None:
    step_s = estimate_step_s(samples(0.5, windows))

    assert step_s is not None
    assert (step_s.low, step_s.high) == (None, None)


def test_windows_weigh_by_their_iterations() -> None:
    step_s = estimate_step_s([Sample(1, 1.0, 0.0), Sample(9, 4.5, 1.0)])

    assert step_s is not None
    assert step_s.value == pytest.approx(0.55)


def test_one_stall_does_not_move_the_estimate() -> None:
    step_s = estimate_step_s([*samples(0.2, 8), Sample(4, 90.0, NOW_S)])

    assert step_s is not None
    assert step_s.value == pytest.approx(0.2, rel=0.01)


def test_a_stall_that_comes_back_is_what_the_money_buys() -> None:
    every_third = [
        Sample(4, 4.0 if number % 3 == 0 else 1.0, float(number)) for number in range(12)
    ]

    step_s = estimate_step_s(every_third)

    assert step_s is not None
    assert step_s.value == pytest.approx(0.5)  # the plain mean of 0.25 s and, every third, 1 s


def test_a_long_window_is_not_mistaken_for_a_stall() -> None:
    # A socket that was full for a while: 400 turns at 0.5 s in one window.
    backlog = Sample(400, 200.0, NOW_S)

    step_s = estimate_step_s([*samples(0.25, 6), backlog])

    assert step_s is not None
    assert step_s.value == pytest.approx((24 * 0.25 + 200) / 424, rel=0.01)


def test_only_the_latest_windows_count() -> None:
    long_ago = samples(0.21, 500, ended_at_s=NOW_S - 1000)

    assert estimate_step_s([*long_ago, *samples(0.2, RECENT_WINDOWS)]) == estimate_step_s(
        samples(0.2, RECENT_WINDOWS)
    )


def test_a_lasting_change_of_pace_makes_the_old_windows_stale() -> None:
    before, now = samples(0.2, 20, ended_at_s=NOW_S - 100), samples(0.4, 8)

    step_s = estimate_step_s([*before, *now])

    assert step_s is not None
    assert step_s.value == pytest.approx(0.4, rel=0.01)


def test_a_small_drift_is_averaged_over() -> None:
    before, now = samples(0.2, 24, ended_at_s=NOW_S - 100), samples(0.22, 8)

    step_s = estimate_step_s([*before, *now])

    assert step_s is not None
    assert step_s.value == pytest.approx(0.205, rel=0.01)


def test_a_noisy_spell_that_its_interval_covers_is_no_new_regime() -> None:
    before, noisy = samples(0.2, 24, ended_at_s=NOW_S - 100), samples(0.25, 8, noise=0.8)

    step_s = estimate_step_s([*before, *noisy])

    assert step_s is not None
    assert step_s.value < 0.23


def test_the_interval_covers_the_true_mean_of_noisy_windows_about_as_often_as_it_says() -> None:
    chance = random.Random(7)
    hits = 0
    for _ in range(400):
        drawn = [Sample(1, chance.gauss(1.0, 0.1), float(number)) for number in range(8)]
        step_s = estimate_step_s(drawn)
        assert step_s is not None and step_s.low is not None and step_s.high is not None
        hits += step_s.low <= 1.0 <= step_s.high
    assert hits >= 0.92 * 400


def test_students_t_agrees_with_the_tables() -> None:
    # Any printed table: 1, 10, 30, 40 and 120 degrees of freedom.
    expected = {1: 12.706, 10: 2.228, 30: 2.042, 40: 2.021, 120: 1.980}

    assert {degrees: round(t_quantile_975(degrees), 3) for degrees in expected} == expected


_SAMPLES = st.lists(
    st.builds(Sample, st.integers(1, 50), st.floats(1e-3, 1e3), st.floats(0, 1e6)),
    min_size=1,
    max_size=80,
)


@settings(max_examples=50, deadline=None)
@given(_SAMPLES, st.randoms(use_true_random=False))
def test_the_order_of_samples_never_matters(drawn: list[Sample], chance: random.Random) -> None:
    shuffled = list(drawn)
    chance.shuffle(shuffled)

    assert estimate_step_s(shuffled) == estimate_step_s(drawn)


@settings(max_examples=50, deadline=None)
@given(_SAMPLES)
def test_an_estimate_lies_among_its_windows_and_inside_a_positive_interval(
    drawn: list[Sample],
) -> None:
    step_s = estimate_step_s(drawn)

    assert step_s is not None
    paces_s = [sample.elapsed_s / sample.iterations for sample in drawn]
    assert min(paces_s) * 0.999999 <= step_s.value <= max(paces_s) * 1.000001
    if step_s.low is not None and step_s.high is not None:
        assert 0 < step_s.low <= step_s.value <= step_s.high < math.inf
