"""What a dollar buys: step times with intervals, how they scale, and iterations per dollar."""

from elastic.throughput.mixing import NodeTypes, predict_mixed_step_s
from elastic.throughput.paramount import RECENT_WINDOWS, estimate_step_s
from elastic.throughput.scaling import ScalingModel, fit_scaling, predict_step_s
from elastic.throughput.value import iterations_per_usd

__all__ = [
    "RECENT_WINDOWS",
    "NodeTypes",
    "ScalingModel",
    "estimate_step_s",
    "fit_scaling",
    "iterations_per_usd",
    "predict_mixed_step_s",
    "predict_step_s",
]
