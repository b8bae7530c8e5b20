"""A job computes in one format, which the candidates and their prices choose, and which leaves some
of them out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from elastic.model import (
    Capacity,
    CapacityChoice,
    JobPhase,
    JobSpec,
    Mode,
    NodeType,
    Objective,
    Obstacle,
    PerNode,
    Precision,
    Price,
    Snapshot,
    Unavailable,
)
from elastic.policy import choose_precision, decide
from elastic.policy.precision import ChosenPrecision
from tests.builders import NOW_S, job, job_spec, node_type, offering, price, prices, snapshot

FP32, BF16, FP16 = Precision.FP32, Precision.BF16, Precision.FP16
OLD = node_type("c5", cpu=4.0)
NEW = node_type("c7i", cpu=4.0, precisions=(FP32, BF16))
T4 = node_type("t4", cpu=4.0, gpu_count=1, precisions=(FP32, FP16))
A10G = node_type("a10g", cpu=4.0, gpu_count=1, precisions=(FP32, BF16, FP16))


def chosen(
    spec: JobSpec, types: Iterable[NodeType], found: Iterable[Price], **rest: Any
) -> ChosenPrecision:
    begun = replace(job(), spec=spec)
    return choose_precision(
        snapshot(job=begun, node_types=tuple(types), prices=tuple(found), **rest)
    )


@pytest.mark.parametrize(
    ("types", "usd_per_h", "wanted"),
    [
        ((OLD, NEW), {"c5": 0.17, "c7i": 0.22}, BF16),
        (
            (OLD, NEW),
            {"c5": 0.17, "c7i": 0.23},
            FP32,
        ),  # 1.3 times the speed for 1.35 times the price
        ((OLD, NEW), {"c5": 0.17}, FP32),
        ((OLD,), {"c5": 0.17}, FP32),
        ((T4, A10G), {"t4": 0.5, "a10g": 1.0}, FP16),
        ((T4, A10G), {"t4": 1.2, "a10g": 1.0}, BF16),  # both promise the same on the A10G
        (
            (T4, NEW),
            {"t4": 0.5, "c7i": 0.01},
            FP32,
        ),  # fp16 would leave out all CPU types, bf16 all GPU types
        ((T4, OLD), {"t4": 0.5, "c5": 9.0}, FP32),
        ((A10G, NEW), {"a10g": 1.0, "c7i": 0.18}, BF16),  # the best for both
        ((A10G, OLD, NEW), {"a10g": 1.0, "c5": 0.1, "c7i": 0.3}, FP32),
        ((T4, NEW), {"t4": 0.5}, FP16),  # nothing else has a price
    ],
)
def test_the_format_of_the_best_promise_per_dollar_is_chosen(
    types: tuple[NodeType, ...], usd_per_h: Mapping[str, float], wanted: Precision
) -> None:
    assert chosen(job_spec(), types, prices(usd_per_h)).precision is wanted


def test_a_choice_says_what_it_compared() -> None:
    types, found = (OLD, NEW), prices({"c5": 0.16, "c7i": 0.2})
    assert chosen(job_spec(), types, found).why == (
        "c7i promises 1.04 x the iterations per dollar of c5 in fp32"
    )
    alone = chosen(job_spec(), (NEW,), prices({"c7i": 0.2}))
    assert alone.why == "c7i promises 1.3 x its iterations per dollar in fp32"
    dear = prices({"c5": 0.1, "c7i": 0.36})
    assert (
        chosen(job_spec(), types, dear).why
        == "c5 promises 2.77 x the iterations per dollar of c7i in bf16"
    )
    assert chosen(job_spec(), (OLD,), found).why == "no faster format suits c5"


def test_a_choice_between_cores_and_gpus_names_both_comparisons() -> None:
    found = prices({"t4": 0.5, "a10g": 1.0, "c5": 0.16, "c7i": 0.2})
    assert chosen(job_spec(), (T4, OLD), found).why == (
        "no faster format is best for both: with GPUs fp16 is best (t4 promises 1.5 x its "
        "iterations per dollar in "
        "fp32), without GPUs fp32 (no faster format suits c5)"
    )
    assert chosen(job_spec(), (A10G, OLD, NEW), found).why == (
        "with GPUs bf16 is best (a10g promises 1.5 x its iterations per dollar in fp32), "
        "without GPUs bf16 (c7i promises 1.04 x the iterations per dollar of c5 in fp32)"
    )


def test_what_the_job_may_not_buy_now_promises_nothing() -> None:
    found = prices({"c7i": 0.18, "t4": 0.53, "c5": 0.04})
    types = (NEW, T4, OLD)
    capped = job_spec(objective=Objective(max_usd_per_hour=0.1))
    assert chosen(capped, types, found) == ChosenPrecision(FP32, "no faster format suits c5")
    assert (
        chosen(job_spec(objective=Objective(max_usd_per_hour=0.5)), types[:2], found).precision
        is BF16
    )
    twice = job_spec(objective=Objective(max_usd_per_hour=0.3), nodes_min=2, nodes_max=2)
    assert chosen(twice, (NEW, OLD), prices({"c7i": 0.18, "c5": 0.15})).precision is FP32
    for why in (Obstacle.FORBIDDEN, Obstacle.QUOTA):
        refused = (Unavailable(offering("c7i"), NOW_S + 60.0, why),)
        assert (
            chosen(
                job_spec(), (NEW, OLD), prices({"c7i": 0.1, "c5": 0.1}), unavailable=refused
            ).precision
            is FP32
        )
    passes = (Unavailable(offering("c7i"), NOW_S + 60.0, Obstacle.CAPACITY),)
    assert (
        chosen(
            job_spec(), (NEW, OLD), prices({"c7i": 0.1, "c5": 0.1}), unavailable=passes
        ).precision
        is BF16
    )
    old = (*prices({"c7i": 0.01}, observed_at_s=NOW_S - 1e6), *prices({"c5": 0.1}))
    assert chosen(job_spec(), (NEW, OLD), old).precision is FP32


def test_where_the_job_may_buy_nothing_now_all_count() -> None:
    found = prices({"c7i": 0.18, "c5": 0.17})
    assert (
        chosen(job_spec(objective=Objective(max_usd_per_hour=0.1)), (NEW, OLD), found).precision
        is BF16
    )
    dear = prices({"c7i": 0.5, "c5": 0.17}, observed_at_s=NOW_S - 1e6)
    assert chosen(job_spec(), (NEW, OLD), dear).precision is FP32


def test_only_what_the_job_admits_is_compared() -> None:
    found = prices({"c5": 0.1, "c7i": 0.1})
    assert chosen(job_spec(node_types=("c5",)), (OLD, NEW), found).precision is FP32
    assert (
        chosen(job_spec(policy="fixed", fixed_node_type="c7i"), (OLD, NEW), found).precision is BF16
    )
    spot = (price(offering("c5", capacity=Capacity.SPOT), 0.01), *prices({"c7i": 0.005}))
    assert chosen(job_spec(capacity=CapacityChoice.SPOT), (OLD, NEW), spot).precision is FP32
    assert chosen(job_spec(), (), ()).precision is FP32


def test_what_cannot_run_the_job_s_workers_promises_nothing() -> None:
    found = prices({"c7i": 0.1, "t4": 9.0})
    assert chosen(job_spec(), (NEW, T4), found).precision is FP32
    assert chosen(job_spec(nproc_per_node=PerNode.GPU), (NEW, T4), found).precision is FP16
    assert chosen(job_spec(nproc_per_node=2), (NEW, T4), found).precision is BF16


def test_a_session_is_given_no_fp16() -> None:
    assert chosen(job_spec(mode=Mode.LIVE), (T4,), prices({"t4": 0.5})).precision is FP32


def test_without_prices_all_cores_are_taken_to_cost_the_same() -> None:
    assert chosen(job_spec(), (OLD, NEW), ()).precision is BF16
    assert chosen(job_spec(), (OLD, T4), ()).precision is FP32
    assert chosen(job_spec(), (OLD,), ()).precision is FP32
    large = node_type("old-and-large", cpu=64.0)
    assert chosen(job_spec(), (large, NEW), ()).why == (
        "c7i promises 1.3 x the iterations per dollar of old-and-large in fp32"
    )


def test_a_type_that_cannot_compute_in_it_is_no_candidate_and_the_reason_says_so() -> None:
    plan = decide(_begun(precision=BF16))
    assert plan.target is not None
    assert [offering.node_type for offering, _ in plan.target.members] == ["c7i"]
    assert plan.reason.text.endswith("; left out: c5 cannot compute in bf16")
    assert plan.left_out == {"c5": "c5 cannot compute in bf16"}
    assert {
        offering.node_type for each in plan.candidates for offering, _ in each.group.members
    } == {"c7i"}


def test_a_job_without_a_precision_leaves_none_out() -> None:
    plan = decide(_begun())
    assert {
        offering.node_type for each in plan.candidates for offering, _ in each.group.members
    } == {"c5", "c7i"}


def test_the_policy_fixed_starts_nothing_that_cannot_compute_in_it() -> None:
    plan = decide(_begun(precision=BF16, policy="fixed", fixed_node_type="c5"))
    assert plan.target is None


def _begun(**spec: Any) -> Snapshot:
    begun = job(iteration=0, phase=JobPhase.SUBMITTED, training_phase=None, **spec)
    return snapshot(job=begun, node_types=(OLD, NEW), prices=prices({"c5": 0.01, "c7i": 0.2}))
