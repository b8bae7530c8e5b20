"""What must be done again and again is due when it should be, under any clock."""

from __future__ import annotations

import doctest

import pytest

from elastic import renewal
from elastic.renewal import Renewal


def test_the_examples_are_true() -> None:
    assert doctest.testmod(renewal).failed == 0


def test_it_is_due_at_once_then_at_its_interval() -> None:
    found = Renewal(every_s=60.0, retry_s=20.0)
    assert found.is_due(now_s=0.0)
    assert found.is_due(now_s=1e9)
    found.note_success(now_s=1000.0)
    assert not found.is_due(now_s=1059.9)
    assert found.is_due(now_s=1060.0)
    assert found.wait_s(now_s=1060.0) == 0.0


def test_failures_are_as_far_apart_as_each_other_unless_a_longest_pause_is_named() -> None:
    steady, patient = (
        Renewal(60.0, retry_s=20.0),
        Renewal(60.0, retry_s=20.0, longest_retry_s=100.0),
    )
    pauses: list[tuple[float, float]] = []
    for _ in range(5):
        for each in (steady, patient):
            each.note_failure(now_s=1000.0)
        pauses.append((steady.wait_s(now_s=1000.0), patient.wait_s(now_s=1000.0)))
    assert pauses == [(20.0, 20.0), (20.0, 40.0), (20.0, 80.0), (20.0, 100.0), (20.0, 100.0)]
    patient.note_success(now_s=1000.0)
    patient.note_failure(now_s=1000.0)
    assert patient.wait_s(now_s=1000.0) == 20.0


@pytest.mark.parametrize("set_back_s", [1.0, 3600.0])
def test_a_clock_that_was_set_back_does_not_put_it_off(set_back_s: float) -> None:
    found = Renewal(every_s=60.0, retry_s=20.0)
    found.note_success(now_s=10_000.0)
    assert found.is_due(now_s=10_000.0 - set_back_s)


def test_no_pause_at_all_means_due_again_at_once() -> None:
    found = Renewal(every_s=0.0, retry_s=30.0)
    found.note_success(now_s=1000.0)
    assert found.is_due(now_s=1000.0)


def test_half_of_a_scattered_pause_is_left_to_chance_and_the_next_doubles_all_the_same() -> None:
    found = [Renewal(0.0, retry_s=1.0, longest_retry_s=60.0, is_scattered=True) for _ in range(8)]
    for longest_s in (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0):
        for each in found:
            each.note_failure(now_s=0.0)
        pauses = {each.wait_s(now_s=0.0) for each in found}
        assert all(longest_s / 2 <= each <= longest_s for each in pauses)
        assert len(pauses) > 1


def test_failures_without_end_stay_apart_by_the_longest_pause() -> None:
    found = Renewal(60.0, retry_s=1.0, longest_retry_s=60.0)
    for _ in range(2000):
        found.note_failure(now_s=0.0)
    assert found.wait_s(now_s=0.0) == 60.0
