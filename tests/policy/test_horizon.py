from __future__ import annotations

from dataclasses import replace

import pytest

from elastic.model import TrainingPhase
from elastic.policy import iterations_by_phase
from elastic.policy.horizon import Focus, focus_of, work_left
from tests.builders import job, job_spec, series, snapshot

PHASES = (TrainingPhase("warm-up", until_iteration=20), TrainingPhase("gan"))


def test_before_the_first_window_the_phase_follows_from_the_iteration() -> None:
    early = focus_of(job(iteration=0, training_phase=None, phases=PHASES, iterations=400))
    later = focus_of(job(iteration=30, training_phase=None, phases=PHASES, iterations=400))

    assert (early.current_phase, later.current_phase) == ("warm-up", "gan")


def test_a_long_warm_up_decides_for_itself() -> None:
    focus = focus_of(job(iteration=5, training_phase="warm-up", phases=PHASES, iterations=30))

    assert focus == Focus("warm-up", "warm-up", 15, 15)
    assert focus.is_now


def test_a_phase_that_the_job_did_not_announce_is_believed() -> None:
    known = focus_of(job(iteration=100, training_phase="fine-tuning", iterations=400))
    endless = focus_of(job(iteration=100, training_phase="fine-tuning", iterations=None))

    assert known == Focus("fine-tuning", "fine-tuning", 300, 300)
    assert endless == Focus("fine-tuning", "fine-tuning", None, None)


def test_a_report_that_lags_behind_the_iterations_leaves_nothing_of_its_phase() -> None:
    assert (
        focus_of(
            job(iteration=25, training_phase="warm-up", phases=PHASES, iterations=400)
        ).current_left
        == 0
    )


def test_a_job_that_is_done_has_nothing_left_of_its_last_phase() -> None:
    assert focus_of(
        job(iteration=400, training_phase=None, phases=PHASES, iterations=400)
    ) == Focus("gan", "gan", 0, 0)


@pytest.mark.parametrize(
    ("iteration", "expected"),
    [
        (0, {}),
        (20, {"warm-up": 20}),
        (21, {"warm-up": 20, "gan": 1}),
        (500, {"warm-up": 20, "gan": 380}),
    ],
)
def test_iterations_divide_among_the_phases(iteration: int, expected: dict[str, int]) -> None:
    assert iterations_by_phase(job_spec(phases=PHASES, iterations=400), iteration) == expected


def test_a_phase_that_ends_before_it_begins_holds_nothing() -> None:
    phases = (TrainingPhase("a", 10), TrainingPhase("b", 5), TrainingPhase("c"))

    assert iterations_by_phase(job_spec(phases=phases, iterations=400), 12) == {"a": 10, "c": 2}


def test_two_stretches_of_one_phase_add_up() -> None:
    phases = (TrainingPhase("a", 10), TrainingPhase("b", 20), TrainingPhase("a", 30))

    assert iterations_by_phase(job_spec(phases=phases, iterations=400), 30) == {"a": 20, "b": 10}


def test_phases_of_another_pace_count_as_much_as_they_take() -> None:
    world = snapshot(
        job=job(iteration=0, training_phase="warm-up", phases=PHASES, iterations=400),
        measured=(
            series("local.half", 0.5, training_phase="warm-up", noise=0.0),
            series("local.half", 2.0, training_phase="gan", noise=0.0),
        ),
    )
    assert work_left(world) == 20 * 0.25 + 380
    assert work_left(replace(world, series=())) == 400, "one that nobody measured is as slow"


def test_the_work_left_is_that_of_the_phase_if_no_end_is_known() -> None:
    endless = snapshot(
        job=job(iteration=5, training_phase="warm-up", phases=PHASES, iterations=None)
    )
    assert work_left(endless) is None
