"""The seven errors of the course work this project grew from; it published 4.56 where its raw logs say 1.22."""

from __future__ import annotations

import pytest

from elastic.model import Interval, TrainingPhase
from elastic.policy import decide
from elastic.throughput import (
    Overhead,
    as_series,
    cost_usd,
    effective_iterations_per_usd,
    estimate_step_s,
    iterations_bought,
    iterations_per_usd,
    warm_samples,
)
from tests.builders import group, job, series, snapshot, window


def test_error_1_processes_are_not_multiplied_in_twice() -> None:
    """A step is global: four processes that take part in it make one iteration, not four."""
    alone = [window(2.0, seq=number, world_size=1, ended_at_s=number) for number in range(5)]
    together = [window(2.0, seq=number, world_size=4, ended_at_s=number) for number in range(5)]

    assert estimate_step_s(warm_samples(together, training_phase="main")) == estimate_step_s(
        warm_samples(alone, training_phase="main")
    )


def test_error_2_no_counter_leaks_from_one_type_to_the_next() -> None:
    """What the second type is measured to do does not depend on what ran before it."""
    second = [window(1.0, seq=number, generation=2, node_id="node-2", ended_at_s=100.0 + number) for number in range(8)]
    first = [window(6.0, seq=number, generation=1, node_id="node-1", ended_at_s=number) for number in range(8)]
    groups = {1: group("c4.xlarge"), 2: group("c5.xlarge")}

    after_another = {each.group: each for each in as_series([*first, *second], groups=groups)}
    by_itself = {each.group: each for each in as_series(second, groups=groups)}

    assert after_another[group("c5.xlarge")] == by_itself[group("c5.xlarge")]


def test_error_3_groups_of_any_size_do_the_same_work_in_an_iteration() -> None:
    """The global batch is the job's: twice the nodes at the same pace buy half as much, whatever each node's share."""
    one_node = iterations_per_usd(0.17, Interval(5.0))
    two_nodes = iterations_per_usd(2 * 0.17, Interval(5.0))

    assert two_nodes.value == pytest.approx(one_node.value / 2)


def test_error_4_steps_of_the_warm_up_phase_do_not_rank_for_the_rest() -> None:
    """A type that wins the pixel-only warm-up by far changes nothing while the GAN phase holds the iterations left."""
    phases = (TrainingPhase("warm-up", until_iteration=50), TrainingPhase("gan"))
    warm_up_rates = [
        series("local.half", 0.2, training_phase="warm-up"),
        series("local.full", 0.01, training_phase="warm-up"),
    ]

    in_warm_up = decide(
        snapshot(
            target="local.half", measured=warm_up_rates, job=job(iteration=20, training_phase="warm-up", phases=phases)
        )
    )
    in_gan = decide(
        snapshot(
            target="local.half", measured=warm_up_rates, job=job(iteration=60, training_phase="gan", phases=phases)
        )
    )

    assert (in_warm_up.action, in_warm_up.reason.code) == ("hold", "phase")
    assert (in_gan.action, in_gan.reason.code) == ("hold", "measuring")
    assert all(candidate.step_s is None for candidate in in_gan.candidates)


def test_error_5_cold_steps_are_progress_and_not_rate() -> None:
    """The first turn of a process takes what it takes: c4.xlarge's took 12.3 s, those after it 4.4 s."""
    cold = window(12.2927, seq=0, iterations=1, is_cold=True, ended_at_s=0.0)
    warm = [window(4.3644, seq=number, iterations=1, ended_at_s=5.0 * number) for number in range(1, 5)]

    step_s = estimate_step_s(warm_samples([cold, *warm], training_phase="main"))

    assert step_s is not None
    assert step_s.value == pytest.approx(4.3644)
    assert iterations_per_usd(0.199, step_s).value == pytest.approx(4145, abs=0.5)


def test_error_6_start_up_is_counted_in_both() -> None:
    """It is paid like any other second: c5.xlarge's 42.5 s cost it 7 of the steps that a dollar buys."""
    c4 = iterations_bought(1.0, usd_per_h=0.199, step_s=29.7503 / 5, start_up_s=28.8954)
    c5 = iterations_bought(1.0, usd_per_h=0.170, step_s=17.1563 / 3, start_up_s=42.5376)
    free = iterations_bought(1.0, usd_per_h=0.170, step_s=17.1563 / 3)

    assert c5 / c4 == pytest.approx(1.217, abs=0.0005)
    assert free - c5 == pytest.approx(42.5376 / 5.71877, abs=1e-3)


def test_error_7_cost_is_price_times_every_second_billed() -> None:
    """Theirs was 13.7 times too low: that would not have paid for one of the three steps they counted."""
    step_s, overhead = Interval(17.1563 / 3), Overhead(boot_s=42.5376)

    cost = cost_usd(3, usd_per_h=0.170, step_s=step_s, overhead=overhead, minimum_billed_s=0.0)
    by_the_minute = cost_usd(3, usd_per_h=0.170, step_s=step_s, overhead=overhead)
    value = effective_iterations_per_usd(3, usd_per_h=0.170, step_s=step_s, overhead=overhead, minimum_billed_s=0.0)

    assert cost.value == pytest.approx(0.170 * (42.5376 + 17.1563) / 3600)
    assert by_the_minute.value == pytest.approx(0.170 * 60 / 3600)
    assert value.value == pytest.approx(3 / cost.value)
    assert cost.value / 13.7 < 0.170 * step_s.value / 3600
