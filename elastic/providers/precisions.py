"""Which number formats a GPU or this machine's own processor has arithmetic for, told without
torch."""

from __future__ import annotations

import re
from pathlib import Path

from elastic.model import Precision

FP32_ONLY = (Precision.FP32,)
WITH_BF16 = (Precision.FP32, Precision.BF16)
_WITH_FP16 = (Precision.FP32, Precision.FP16)
_WITH_BOTH = (Precision.FP32, Precision.BF16, Precision.FP16)

# CUDA C++ Programming Guide, "Arithmetic Instructions": no fast fp16 before compute capability 7.0
# (P100 apart), no bf16 before 8.0. GPUs of those generations, as EC2 and NVIDIA's driver call them:
_WITHOUT_FP16 = frozenset({"K520", "K80", "M4", "M40", "M60", "P4", "P40", "GTX"})
_WITHOUT_BF16 = frozenset({"P100", "V100", "T4", "T4g", "2060", "2070", "2080"})

# Linux's names, x86 and Arm. oneDNN, which torch computes with, emulates bf16 on processors without
# them.
_BF16_FLAGS = frozenset({"avx512_bf16", "amx_bf16", "bf16"})


def precisions_of_gpu(model: str, manufacturer: str = "NVIDIA") -> tuple[Precision, ...]:
    """The formats of a GPU; one of NVIDIA's that is not known is newer than all that lack any.

    >>> [each.value for each in precisions_of_gpu("Tesla T4")], [each.value for each in precisions_of_gpu("L40S")]
    (['fp32', 'fp16'], ['fp32', 'bf16', 'fp16'])
    """
    words = frozenset(re.split(r"[ -]", model))
    if manufacturer != "NVIDIA" or words & _WITHOUT_FP16:
        return FP32_ONLY
    if words & _WITHOUT_BF16:
        return _WITH_FP16
    return _WITH_BOTH


def precisions_here(proc: Path = Path("/proc")) -> tuple[Precision, ...]:
    """The formats of this machine: of its first GPU if NVIDIA's driver shows one, else of its
    processor."""
    for information in sorted(proc.glob("driver/nvidia/gpus/*/information")):
        if found := re.search(r"^Model:\s*(.+?)\s*$", information.read_text(), re.MULTILINE):
            return precisions_of_gpu(found[1])
    if _BF16_FLAGS & _flags(proc / "cpuinfo"):
        return WITH_BF16
    return FP32_ONLY


def _flags(cpuinfo: Path) -> frozenset[str]:
    """What the first processor can do; nothing where there is no such file (macOS)."""
    text = cpuinfo.read_text() if cpuinfo.is_file() else ""
    found = re.search(r"^(?:flags|Features)\s*:(.*)$", text, re.MULTILINE)
    if found:
        return frozenset(found[1].split())
    return frozenset()
