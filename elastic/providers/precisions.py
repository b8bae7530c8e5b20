"""Which number formats a GPU or this machine's processor computes in, found without torch."""

from __future__ import annotations

import re
from pathlib import Path

from elastic.model import Precision

FP32_ONLY = (Precision.FP32,)
WITH_BF16 = (Precision.FP32, Precision.BF16)
_WITH_FP16 = (Precision.FP32, Precision.FP16)
_WITH_BOTH = (Precision.FP32, Precision.BF16, Precision.FP16)

# CUDA C++ Programming Guide, "Arithmetic Instructions": there is no fast fp16 before compute
# capability 7.0 (except P100), and no bf16 before 8.0. The GPUs of those generations, as EC2 and
# NVIDIA's driver name them:
_WITHOUT_FP16 = frozenset({"K520", "K80", "M4", "M40", "M60", "P4", "P40", "GTX"})
_WITHOUT_BF16 = frozenset({"P100", "V100", "T4", "T4g", "2060", "2070", "2080"})

# The names in Linux, on x86 and Arm. On processors without them oneDNN, which torch computes with,
# emulates bf16.
_BF16_FLAGS = frozenset({"avx512_bf16", "amx_bf16", "bf16"})


def precisions_of_gpu(model: str, manufacturer: str = "NVIDIA") -> tuple[Precision, ...]:
    """The formats of a GPU.

    >>> [[each.value for each in precisions_of_gpu(model)] for model in ("Tesla T4", "L40S")]
    [['fp32', 'fp16'], ['fp32', 'bf16', 'fp16']]
    """
    # An unknown GPU of NVIDIA is newer than all that lack a format.
    words = frozenset(re.split(r"[ -]", model))
    if manufacturer != "NVIDIA" or words & _WITHOUT_FP16:
        return FP32_ONLY
    if words & _WITHOUT_BF16:
        return _WITH_FP16
    return _WITH_BOTH


def precisions_here(proc: Path = Path("/proc")) -> tuple[Precision, ...]:
    """The formats of this machine's first GPU if NVIDIA's driver shows one, else its processor."""
    for information in sorted(proc.glob("driver/nvidia/gpus/*/information")):
        if found := re.search(r"^Model:\s*(.+?)\s*$", information.read_text(), re.MULTILINE):
            return precisions_of_gpu(found[1])
    if _BF16_FLAGS & _flags(proc / "cpuinfo"):
        return WITH_BF16
    return FP32_ONLY


def _flags(cpuinfo: Path) -> frozenset[str]:
    """The flags of the first processor; empty where there is no such file (macOS)."""
    text = cpuinfo.read_text() if cpuinfo.is_file() else ""
    found = re.search(r"^(?:flags|Features)\s*:(.*)$", text, re.MULTILINE)
    if found:
        return frozenset(found[1].split())
    return frozenset()
