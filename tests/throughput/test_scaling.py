from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elastic.model import Interval
from elastic.throughput import fit_scaling, predict_step_s


def test_one_size_predicts_nothing() -> None:
    assert fit_scaling({1: 1.0}) is None
    assert predict_step_s({1: 1.0}, 2) is None


def test_three_sizes_tell_the_cost_of_every_further_node() -> None:
    # T(n) = 0.1 + 0.8 / n + 0.05 (n - 1)
    model = fit_scaling({1: 0.9, 2: 0.55, 4: 0.45})

    assert model is not None
    assert (model.fixed_s, model.compute_s, model.per_node_s) == pytest.approx((0.1, 0.8, 0.05))
    assert model.step_s(8) == pytest.approx(0.55)


def test_nodes_that_slow_the_job_down_are_believed() -> None:
    step_s = predict_step_s({1: 0.207, 2: 0.490}, 4)

    assert step_s is not None
    assert step_s.value > 0.490


def test_scaling_better_than_linear_is_not_extrapolated_below_linear() -> None:
    model = fit_scaling({1: 1.0, 2: 0.4})

    assert model is not None
    assert model.fixed_s == 0.0
    assert model.step_s(4) == pytest.approx(model.step_s(1) / 4)


def test_a_third_size_that_contradicts_the_model_leaves_two_terms() -> None:
    # Convex downwards: a negative cost per node would make large groups impossibly fast.
    model = fit_scaling({1: 1.0, 2: 0.9, 3: 0.5})

    assert model is not None
    assert model.per_node_s == 0.0
    assert model.fixed_s >= 0.0


def test_a_prediction_has_no_bounds_and_reaches_twice_the_largest_size() -> None:
    measured = {1: 1.0, 2: 0.6}

    assert predict_step_s(measured, 3) == Interval(round(0.2 + 0.8 / 3, 12))
    assert predict_step_s(measured, 5) is None


def test_a_size_for_which_the_model_gives_no_time_at_all_is_not_predicted() -> None:
    # Two and four nodes say that sharing slows the job down so much that one node would take no
    # time.
    assert predict_step_s({2: 1.0, 4: 2.0}, 1) is None


@settings(max_examples=50, deadline=None)
@given(
    st.dictionaries(st.integers(1, 16), st.floats(0.01, 100.0), min_size=2, max_size=6),
    st.integers(1, 32),
)
def test_a_prediction_is_a_positive_time_or_none(measured: dict[int, float], nodes: int) -> None:
    step_s = predict_step_s(measured, nodes)

    assert step_s is None or step_s.value > 0


@settings(max_examples=50, deadline=None)
@given(
    st.floats(0.0, 10.0),
    st.floats(0.1, 100.0),
    st.sets(st.integers(1, 16), min_size=2, max_size=5),
)
def test_a_job_that_follows_the_model_is_fitted_exactly(
    fixed_s: float, compute_s: float, sizes: set[int]
) -> None:
    model = fit_scaling({size: fixed_s + compute_s / size for size in sizes})

    assert model is not None
    assert [model.step_s(size) for size in sizes] == pytest.approx(
        [fixed_s + compute_s / size for size in sizes], rel=1e-4
    )
