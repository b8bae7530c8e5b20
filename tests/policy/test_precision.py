"""A job computes in one format, which the candidates and their prices choose, and which leaves some of them out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from elastic.model import Capacity, CapacityChoice, JobPhase, NodeType, PerNode, Precision, Snapshot, Tier
from elastic.policy import choose_precision, decide
from tests.builders import job, job_spec, node_type, offering, price, prices, snapshot

FP32, BF16, FP16 = Precision.FP32, Precision.BF16, Precision.FP16
OLD = node_type("c5", cpu=4.0)
NEW = node_type("c7i", cpu=4.0, precisions=(FP32, BF16))
T4 = node_type("t4", cpu=4.0, gpu_count=1, precisions=(FP32, FP16))
A10G = node_type("a10g", cpu=4.0, gpu_count=1, precisions=(FP32, BF16, FP16))


@pytest.mark.parametrize(
    ("types", "usd_per_h", "wanted"),
    [
        ((OLD, NEW), {"c5": 0.17, "c7i": 0.18}, BF16),
        ((OLD, NEW), {"c5": 0.17, "c7i": 0.32}, FP32),  # 1.8 times the speed for 1.88 times the price
        ((OLD, NEW), {"c5": 0.17}, FP32),
        ((OLD,), {"c5": 0.17}, FP32),
        ((T4, A10G), {"t4": 0.5, "a10g": 1.0}, FP16),
        ((T4, A10G), {"t4": 1.2, "a10g": 1.0}, BF16),  # both promise the same on the A10G
        ((T4, NEW), {"t4": 0.5, "c7i": 0.01}, FP16),  # a core is no GPU
    ],
)
def test_the_format_of_the_best_promise_per_dollar_is_chosen(
    types: tuple[NodeType, ...], usd_per_h: Mapping[str, float], wanted: Precision
) -> None:
    assert choose_precision(job_spec(), types, prices(usd_per_h)).precision is wanted


def test_a_choice_says_what_it_compared() -> None:
    types, found = (OLD, NEW), prices({"c5": 0.16, "c7i": 0.2})
    assert choose_precision(job_spec(), types, found).why == (
        "c7i promises 1.44 x the iterations per dollar of c5 in fp32"
    )
    alone = choose_precision(job_spec(), (NEW,), prices({"c7i": 0.2}))
    assert alone.why == "c7i promises 1.8 x its iterations per dollar in fp32"
    dear = prices({"c5": 0.1, "c7i": 0.36})
    assert choose_precision(job_spec(), types, dear).why == "c5 promises 2 x the iterations per dollar of c7i in bf16"
    assert choose_precision(job_spec(), (OLD,), found).why == "no node type of the job computes in a faster format"


def test_only_what_the_job_admits_is_compared() -> None:
    found = prices({"c5": 0.1, "c7i": 0.1})
    assert choose_precision(job_spec(node_types=("c5",)), (OLD, NEW), found).precision is FP32
    assert choose_precision(job_spec(policy="fixed", fixed_node_type="c7i"), (OLD, NEW), found).precision is BF16
    spot = (price(offering("c5", capacity=Capacity.SPOT), 0.01), *prices({"c7i": 0.005}))
    assert choose_precision(job_spec(capacity=CapacityChoice.SPOT), (OLD, NEW), spot).precision is FP32
    assert choose_precision(job_spec(), (), ()).precision is FP32


def test_what_cannot_run_the_job_s_workers_promises_nothing() -> None:
    found = prices({"c7i": 0.1, "t4": 9.0})
    assert choose_precision(job_spec(nproc_per_node=PerNode.GPU), (NEW, T4), found).precision is FP16
    assert choose_precision(job_spec(nproc_per_node=2), (NEW, T4), found).precision is BF16


def test_a_session_is_given_no_fp16() -> None:
    assert choose_precision(job_spec(tier=Tier.T2), (T4,), prices({"t4": 0.5})).precision is FP32


def test_without_prices_all_cores_are_taken_to_cost_the_same() -> None:
    assert choose_precision(job_spec(), (OLD, NEW), ()).precision is BF16
    assert choose_precision(job_spec(), (OLD, T4), ()).precision is FP16
    assert choose_precision(job_spec(), (OLD,), ()).precision is FP32
    large = node_type("old-and-large", cpu=64.0)
    assert choose_precision(job_spec(), (large, NEW), ()).why == (
        "c7i promises 1.8 x the iterations per dollar of old-and-large in fp32"
    )


def test_a_type_that_cannot_compute_in_it_is_no_candidate_and_the_reason_says_so() -> None:
    plan = decide(_begun(precision=BF16))
    assert plan.target is not None
    assert [offering.node_type for offering, _ in plan.target.members] == ["c7i"]
    assert plan.reason.text.endswith("; left out: c5 cannot compute in bf16")
    assert plan.left_out == {"c5": "c5 cannot compute in bf16"}
    assert {offering.node_type for each in plan.candidates for offering, _ in each.group.members} == {"c7i"}


def test_a_job_without_a_precision_leaves_none_out() -> None:
    plan = decide(_begun())
    assert {offering.node_type for each in plan.candidates for offering, _ in each.group.members} == {"c5", "c7i"}


def test_the_policy_fixed_starts_nothing_that_cannot_compute_in_it() -> None:
    plan = decide(_begun(precision=BF16, policy="fixed", fixed_node_type="c5"))
    assert plan.target is None


def _begun(**spec: Any) -> Snapshot:
    begun = job(iteration=0, phase=JobPhase.SUBMITTED, training_phase=None, **spec)
    return snapshot(job=begun, node_types=(OLD, NEW), prices=prices({"c5": 0.01, "c7i": 0.2}))
