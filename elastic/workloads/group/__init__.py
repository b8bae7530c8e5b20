"""The ranks of one generation, and their sums: also of gradients during the backward pass."""

from elastic.workloads.group.gradient_sum import BUCKET_BYTES, GradientSum
from elastic.workloads.group.group import ProcessGroup, SumOverRanks, device_of, joined

__all__ = ["BUCKET_BYTES", "GradientSum", "ProcessGroup", "SumOverRanks", "device_of", "joined"]
