"""One rule says who is alive, suspect or stalled."""

from __future__ import annotations

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elastic import liveness
from elastic.liveness import (
    ROUND_BOUNDS,
    LifeSign,
    Liveness,
    ObserverTime,
    TimeBound,
    TimeBounds,
    quiet_s,
    silence_bounds,
    sum_bounds,
    turn_bounds,
)

seconds = st.floats(0.0, 1e5)
EVERY = (
    turn_bounds(is_live=False, standstill_s=60.0),
    turn_bounds(is_live=True, standstill_s=60.0),
    silence_bounds(heartbeat_s=1.0),
    sum_bounds(hang_s=600.0),
    ROUND_BOUNDS,
)


def test_the_examples_hold() -> None:
    assert doctest.testmod(liveness).failed == 0


@given(st.sampled_from(EVERY), seconds, seconds, seconds)
def test_a_longer_silence_is_never_judged_better(
    bounds: TimeBounds, usual_s: float, silent_s: float, longer_s: float
) -> None:
    grades = list(Liveness)
    before = bounds.judge(LifeSign(silent_s, usual_s))
    after = bounds.judge(LifeSign(silent_s + longer_s, usual_s))
    assert grades.index(after) >= grades.index(before)


@given(st.sampled_from(EVERY), seconds)
def test_whatever_has_stalled_was_suspect_before(bounds: TimeBounds, usual_s: float) -> None:
    assert bounds.suspect.after_s(usual_s) <= bounds.stalled.after_s(usual_s)


@given(st.sampled_from(EVERY), seconds, seconds)
def test_what_pauses_for_long_by_itself_is_given_its_time(
    bounds: TimeBounds, silent_s: float, usual_s: float
) -> None:
    grades = list(Liveness)
    patient = grades.index(bounds.judge(LifeSign(silent_s, usual_s)))
    assert patient <= grades.index(bounds.judge(LifeSign(silent_s)))


@pytest.mark.parametrize("is_live", [False, True])
def test_where_no_standstill_counts_no_turn_stalls(is_live: bool) -> None:
    bounds = turn_bounds(is_live=is_live, standstill_s=0.0)
    assert bounds.judge(LifeSign(1e9)) is Liveness.SUSPECT


@pytest.mark.parametrize("is_live", [False, True])
def test_a_short_standstill_makes_nothing_stall_that_is_not_even_suspect(is_live: bool) -> None:
    bounds = turn_bounds(is_live=is_live, standstill_s=0.1)
    assert bounds.judge(LifeSign(bounds.suspect.least_s - 0.1)) is Liveness.ALIVE
    assert bounds.judge(LifeSign(bounds.suspect.least_s + 0.1)) is Liveness.STALLED


def test_heartbeats_that_are_far_apart_are_waited_for_longer() -> None:
    assert silence_bounds(heartbeat_s=0.1) == TimeBounds(TimeBound(2.0), TimeBound(10.0))
    assert silence_bounds(heartbeat_s=10.0) == TimeBounds(TimeBound(30.0), TimeBound(50.0))


def test_no_member_is_given_up_where_that_is_switched_off() -> None:
    assert sum_bounds(hang_s=0.0).judge(LifeSign(1e9)) is Liveness.SUSPECT


@given(seconds, st.lists(st.tuples(seconds, st.floats(0.0, 10.0))))
def test_an_observers_own_pauses_make_nobody_silent(
    since_s: float, pauses: list[tuple[float, float]]
) -> None:
    lasted_s = sum(each for ended_s, each in pauses if ended_s > since_s)
    found_s = quiet_s(since_s, since_s + lasted_s + 1.0, pauses)
    assert found_s == pytest.approx(1.0, abs=1e-6)


@given(st.lists(st.floats(0.0, 100.0), min_size=1), st.floats(0.1, 5.0))
def test_an_observers_time_stands_still_while_it_does(steps_s: list[float], nap_s: float) -> None:
    time = ObserverTime(nap_s)
    now_s = 1e6
    assert time.looked(now_s=now_s) == 0.0
    for step_s in steps_s:
        now_s += step_s
        passed_s = time.looked(now_s=now_s)
    assert passed_s == pytest.approx(sum(min(each, nap_s) for each in steps_s), abs=1e-4)
