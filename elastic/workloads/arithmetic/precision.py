"""The number format of the models' computations; weights and updates stay float32."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager

import torch

from elastic.errors import InvalidInput

DTYPES: Mapping[str, torch.dtype] = {
    "fp32": torch.float32,
    "bf16": torch.bfloat16,
    "fp16": torch.float16,
}
_BF16_ARITHMETIC = ("avx512_bf16", "amx_bf16", "bf16")


def settle(precision: str, device: torch.device) -> str:
    """Returns the format to compute in; `auto` means bf16 if the hardware has it.

    Raises InvalidInput if the hardware has no arithmetic for it. To compute in another would change
    the training. oneDNN emulates bf16 more than ten times slower than float32
    (benchmarks/esrgan_step.py on AVX2).
    """
    able = _formats_of(device)
    if precision == "auto":
        return "bf16" if "bf16" in able else "fp32"
    if precision not in able:
        raise InvalidInput(
            f"precision: wanted {device.type} hardware that computes in {precision}, as this job "
            f"does; found one that computes in {', '.join(able)}: train on another node type, or "
            "start a job in one of these",
            field="precision",
        )
    return precision


def autocast(device: torch.device, dtype: torch.dtype) -> AbstractContextManager[None]:
    """Returns the context for forward passes."""
    return torch.autocast(device.type, dtype=dtype, enabled=dtype is not torch.float32)


def _formats_of(device: torch.device) -> list[str]:
    if device.type == "cuda":
        # CUDA C++ Programming Guide, "Arithmetic Instructions": Volta's 7.0 is the first with
        # tensor cores for fp16.
        has_fp16 = torch.cuda.get_device_capability(device) >= (7, 0)
        has_bf16 = torch.cuda.is_bf16_supported(including_emulation=False)
    else:
        capabilities = torch.cpu.get_capabilities()
        # fp16 takes 13 times as long as float32 here: benchmarks/esrgan_step.py --contenders
        # fp32,fp16 --blocks 1 --size 64.
        has_fp16 = False
        has_bf16 = any(capabilities.get(name, False) for name in _BF16_ARITHMETIC)
    return ["fp32", *(["bf16"] if has_bf16 else []), *(["fp16"] if has_fp16 else [])]
