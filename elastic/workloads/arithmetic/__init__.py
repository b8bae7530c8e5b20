"""How numbers are computed: in which format, how exactly, and alike on unlike processors."""

from elastic.workloads.arithmetic.arithmetic import Arithmetic, Products, set_up, use
from elastic.workloads.arithmetic.exact import ExactArithmetic, arithmetic_of
from elastic.workloads.arithmetic.loss_scale import LossScale
from elastic.workloads.arithmetic.precision import DTYPES, autocast, settle

__all__ = [
    "DTYPES",
    "Arithmetic",
    "ExactArithmetic",
    "LossScale",
    "Products",
    "arithmetic_of",
    "autocast",
    "set_up",
    "settle",
    "use",
]
