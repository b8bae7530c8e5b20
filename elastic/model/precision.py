"""Number formats that models compute in."""

from __future__ import annotations

from enum import StrEnum


class Precision(StrEnum):
    """What forward and backward passes compute in; weights and updates are fp32 in all of them.

    bf16 has the range of fp32 and fewer digits. fp16 has more digits and little range: its losses
    need a scale.
    """

    FP32 = "fp32"
    BF16 = "bf16"
    FP16 = "fp16"
