"""The seven errors of the course work this project grew from; it published 4.56 where its raw logs
say 1.22.

Windows go the way that they go in the daemon: into the store, out as series, into a decision.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from elastic.model import Interval, Limits, Sample, Snapshot, TrainingPhase, Window
from elastic.policy import decide
from elastic.policy.quotes import fresh_quotes
from elastic.policy.switch_cost import SwitchCost, switch_cost
from elastic.store import Store, open_store
from elastic.throughput import estimate_step_s, iterations_per_usd
from tests.builders import (
    NOW_S,
    add_price,
    group,
    intend,
    job,
    job_spec,
    node_type,
    offering,
    prices,
    series,
    snapshot,
    window,
)
from tests.empty_database import lay_out

C4_STEP_S, C5_STEP_S = Interval(29.7503 / 5), Interval(17.1563 / 3)
C4_START_UP_S, C5_START_UP_S = 28.8954, 42.5376
PRICES = prices({"c4.xlarge": 0.199, "c5.xlarge": 0.170})


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store(lay_out(tmp_path / "elasticd.db"))
    for price in PRICES:
        add_price(
            opened,
            price.offering,
            price.usd_per_h,
            valid_from_s=0.0,
            observed_at_s=0.0,
            source="test",
        )
    yield opened
    opened.close()


def submitted(store: Store, name: str) -> str:
    return store.jobs.submit(job_spec(name=name), key=None, request_hash="h", now_s=NOW_S)[0].id


def trained(store: Store, job_id: str, of: str, windows: Sequence[Window]) -> None:
    """Has a node train in a generation of its own, and hand in these windows."""
    intended = intend(store, job_id, offering(of), now_s=NOW_S)
    store.nodes.launched(intended.id, f"machine-{intended.id}", launched_at_s=NOW_S, minimum_s=0.0)
    node = store.nodes.joined(intended.id, now_s=NOW_S)
    number = store.generations.start(job_id, (node,), rdzv_endpoint="h:1", now_s=NOW_S).number
    store.measurements.append(
        node.id, [replace(each, node_id=node.id, generation=number) for each in windows]
    )


def samples_of(store: Store, job_id: str, of: str) -> tuple[Sample, ...]:
    (found,) = (
        each for each in store.measurements.recent_series(job_id) if each.group == group(of)
    )
    return found.samples


def step_s_of(store: Store, job_id: str, of: str) -> Interval:
    step_s = estimate_step_s(samples_of(store, job_id, of))
    assert step_s is not None
    return step_s


def of_both_types(*, start_up_s: float, minimum_billed_s: float = 0.0) -> Snapshot:
    """A job of three iterations before its start, on types whose start-up is as long as said."""
    return snapshot(
        job=job(iterations=3, iteration=0),
        node_types=(node_type("c4.xlarge", 4), node_type("c5.xlarge", 4)),
        prices=PRICES,
        measured=[series("c5.xlarge", C5_STEP_S.value, noise=0.0)],
        limits=Limits(
            boot_prior_s=start_up_s, switch_pause_prior_s=0.0, minimum_billed_s=minimum_billed_s
        ),
    )


def launched(
    of: str,
    iterations: float,
    step_s: Interval,
    *,
    start_up_s: float,
    minimum_billed_s: float = 0.0,
) -> SwitchCost:
    world = of_both_types(start_up_s=start_up_s, minimum_billed_s=minimum_billed_s)
    return switch_cost(
        world,
        fresh_quotes(world),
        origin=None,
        origin_step_s=None,
        to=group(of),
        step_s=step_s,
        iterations=iterations,
    )


def test_error_1_processes_are_not_multiplied_in_twice(store: Store) -> None:
    """A step is global: four processes that take part in it make one iteration, not four."""
    alone, together = submitted(store, "alone"), submitted(store, "together")
    for job_id, world_size in ((alone, 1), (together, 4)):
        windows = [
            window(2.0, seq=number, world_size=world_size, ended_at_s=number)
            for number in range(1, 6)
        ]
        trained(store, job_id, "c4.xlarge", windows)

    assert step_s_of(store, together, "c4.xlarge") == step_s_of(store, alone, "c4.xlarge")
    assert step_s_of(store, alone, "c4.xlarge").value == 1.0
    assert store.jobs.get(together).iteration == store.jobs.get(alone).iteration == 10


def test_error_2_no_counter_leaks_from_one_type_to_the_next(store: Store) -> None:
    """What the second type is measured to do does not depend on what ran before it."""
    second = [window(1.0, seq=number, ended_at_s=100.0 + number) for number in range(1, 9)]
    after_another, by_itself = submitted(store, "after-another"), submitted(store, "by-itself")
    trained(
        store,
        after_another,
        "c4.xlarge",
        [window(6.0, seq=each, ended_at_s=each) for each in range(1, 9)],
    )
    for job_id in (after_another, by_itself):
        trained(store, job_id, "c5.xlarge", second)

    assert samples_of(store, after_another, "c5.xlarge") == samples_of(
        store, by_itself, "c5.xlarge"
    )
    assert step_s_of(store, by_itself, "c5.xlarge").value == 0.5


def test_error_3_groups_of_any_size_do_the_same_work_in_an_iteration() -> None:
    """The global batch is the job's: twice the nodes at the same pace buy half as much, whatever
    each node's share."""
    one_node = iterations_per_usd(0.17, Interval(5.0))
    two_nodes = iterations_per_usd(2 * 0.17, Interval(5.0))

    assert two_nodes.value == pytest.approx(one_node.value / 2)


def test_error_4_steps_of_the_warm_up_phase_do_not_rank_for_the_rest() -> None:
    """A type that wins the pixel-only warm-up by far changes nothing while the GAN phase holds the
    iterations left."""
    phases = (TrainingPhase("warm-up", until_iteration=50), TrainingPhase("gan"))
    warm_up_rates = [
        series("local.half", 0.2, training_phase="warm-up"),
        series("local.full", 0.01, training_phase="warm-up"),
    ]

    in_warm_up = decide(
        snapshot(
            target="local.half",
            measured=warm_up_rates,
            job=job(iteration=20, training_phase="warm-up", phases=phases),
        )
    )
    in_gan = decide(
        snapshot(
            target="local.half",
            measured=warm_up_rates,
            job=job(iteration=60, training_phase="gan", phases=phases),
        )
    )

    assert (in_warm_up.action, in_warm_up.reason.code) == ("hold", "phase")
    assert (in_gan.action, in_gan.reason.code) == ("hold", "measuring")
    assert all(candidate.step_s is None for candidate in in_gan.candidates)


def test_error_5_cold_steps_are_progress_and_not_rate(store: Store) -> None:
    """The first turn of a process takes what it takes: c4.xlarge's took 12.3 s, those after it 4.4
    s."""
    cold = window(12.2927, seq=1, iterations=1, is_cold=True, ended_at_s=0.0)
    warm = [
        window(4.3644, seq=number, iterations=1, ended_at_s=5.0 * number) for number in range(2, 6)
    ]
    job_id = submitted(store, "cold")
    trained(store, job_id, "c4.xlarge", [cold, *warm])

    step_s = step_s_of(store, job_id, "c4.xlarge")

    assert [each.elapsed_s for each in samples_of(store, job_id, "c4.xlarge")] == [4.3644] * 4
    assert store.jobs.get(job_id).iteration == 5
    assert step_s.value == pytest.approx(4.3644)
    assert iterations_per_usd(0.199, step_s).value == pytest.approx(4145, abs=0.5)


def test_error_6_start_up_is_counted_in_both() -> None:
    """It is paid like any other second: of 3,035.5 and 3,695.5 steps that a dollar buys,
    c5.xlarge's costs it 7."""
    c4 = launched("c4.xlarge", 3035.5, C4_STEP_S, start_up_s=C4_START_UP_S)
    c5 = launched("c5.xlarge", 3695.5, C5_STEP_S, start_up_s=C5_START_UP_S)
    free = launched(
        "c5.xlarge", 3695.5 + C5_START_UP_S / C5_STEP_S.value, C5_STEP_S, start_up_s=0.0
    )

    assert (c4.usd.value, c5.usd.value) == pytest.approx((1.0, 1.0), abs=2e-5)
    assert free.usd.value == pytest.approx(c5.usd.value)
    assert c5.switch_usd == pytest.approx(0.170 * C5_START_UP_S / 3600)


def test_error_7_cost_is_price_times_every_second_billed() -> None:
    """Theirs was 13.7 times too low: that would not have paid for one of the three steps they
    counted."""
    cost = launched("c5.xlarge", 3, C5_STEP_S, start_up_s=C5_START_UP_S).usd.value
    by_the_minute = launched(
        "c5.xlarge", 3, C5_STEP_S, start_up_s=C5_START_UP_S, minimum_billed_s=60.0
    ).usd.value
    plan = decide(of_both_types(start_up_s=C5_START_UP_S))
    (candidate,) = (each for each in plan.candidates if each.group == group("c5.xlarge"))

    assert cost == pytest.approx(0.170 * (C5_START_UP_S + 17.1563) / 3600)
    assert by_the_minute == pytest.approx(0.170 * 60 / 3600)
    assert cost / 13.7 < 0.170 * C5_STEP_S.value / 3600
    assert candidate.remaining_usd == pytest.approx(cost)
    assert candidate.effective_iterations_per_usd == pytest.approx(3 / cost)
