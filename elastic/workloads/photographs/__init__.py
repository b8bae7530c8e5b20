"""The photographs that a job trains on, as tensors, and in which order it takes them."""

from elastic.workloads.photographs.photographs import (
    Photographs,
    as_batch,
    open_photographs,
    shrink,
)
from elastic.workloads.photographs.sample_order import Draw, draw, share

__all__ = ["Draw", "Photographs", "as_batch", "draw", "open_photographs", "share", "shrink"]
