"""When a checkpoint is due."""

from __future__ import annotations

import doctest
from math import sqrt

import pytest

from elastic.durations import MINUTE_S
from elastic.workloads import Rhythm, rhythm
from elastic.workloads.rhythm import best_interval_s


def test_the_examples_are_right() -> None:
    assert doctest.testmod(rhythm).failed == 0


@pytest.mark.parametrize(
    ("cost_s", "interruptions_per_h", "interval_s"),
    [
        (5.0, 1 / 24, 929.5160),  # sqrt(2 x 5 s x 86,400 s)
        (0.02, 1 / 24, 58.7878),
        (300.0, 1 / 24, 7200.0),
        (60.0, 0.5, 929.5160),
        (0.0, 1.0, 0.0),
    ],
)
def test_the_interval_is_young_s(
    cost_s: float, interruptions_per_h: float, interval_s: float
) -> None:
    found = best_interval_s(cost_s=cost_s, interruptions_per_h=interruptions_per_h)
    assert found == pytest.approx(interval_s, rel=1e-6)


def test_no_other_interval_loses_less() -> None:
    def lost_s(interval_s: float) -> float:
        return 3600 * 5.0 / interval_s + 0.25 * interval_s / 2

    best = best_interval_s(cost_s=5.0, interruptions_per_h=0.25)
    assert all(lost_s(best) <= lost_s(best * factor) for factor in (0.5, 0.9, 0.99, 1.01, 1.1, 2.0))


def due(rhythm: Rhythm, iterations: int, elapsed_s: float, cost_s: float | None = 2.0) -> bool:
    return rhythm.is_due(iterations=iterations, elapsed_s=elapsed_s, cost_s=cost_s)


def test_the_limit_holds_whatever_a_checkpoint_costs() -> None:
    steady = Rhythm(most_iterations=10, interruptions_per_h=1e-9)
    assert [due(steady, count, 1.0, cost_s=1e9) for count in (9, 10, 11)] == [False, True, True]


def test_before_the_limit_it_is_due_when_it_pays() -> None:
    often = Rhythm(most_iterations=1000, interruptions_per_h=4.0)
    wanted_s = sqrt(2 * 2.0 * 900)
    assert [due(often, 5, elapsed_s) for elapsed_s in (wanted_s - 0.1, wanted_s + 0.1)] == [
        False,
        True,
    ]


def test_the_same_state_is_not_kept_twice() -> None:
    assert not due(Rhythm(most_iterations=1000, interruptions_per_h=4.0), 0, 1e6)


def test_a_first_one_tells_what_one_costs() -> None:
    known = Rhythm(most_iterations=1000, interruptions_per_h=1.0)
    assert [due(known, 3, elapsed_s, cost_s=None) for elapsed_s in (MINUTE_S - 1, MINUTE_S)] == [
        False,
        True,
    ]


@pytest.mark.parametrize("nothing", [None, 0.0])
def test_without_a_rate_only_the_limit_counts(nothing: float | None) -> None:
    rhythm = Rhythm(most_iterations=1000, interruptions_per_h=nothing)
    assert [due(rhythm, count, 1e9) for count in (999, 1000)] == [False, True]
