"""What a dollar buys: step time with its interval, how it changes with the group's size, iterations per dollar."""

from elastic.throughput.mixing import NodeTypes, predict_mixed_step_s
from elastic.throughput.paramount import RECENT_WINDOWS, as_series, estimate_step_s, warm_samples
from elastic.throughput.scaling import ScalingModel, fit_scaling, predict_step_s
from elastic.throughput.value import (
    Overhead,
    billed_s,
    cost_usd,
    effective_iterations_per_usd,
    iterations_bought,
    iterations_per_usd,
)

__all__ = [
    "RECENT_WINDOWS",
    "NodeTypes",
    "Overhead",
    "ScalingModel",
    "as_series",
    "billed_s",
    "cost_usd",
    "effective_iterations_per_usd",
    "estimate_step_s",
    "fit_scaling",
    "iterations_bought",
    "iterations_per_usd",
    "predict_mixed_step_s",
    "predict_step_s",
    "warm_samples",
]
