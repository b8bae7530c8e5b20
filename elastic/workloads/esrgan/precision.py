"""Which number format the models compute in."""

from __future__ import annotations

from contextlib import AbstractContextManager

import torch

_BF16_ARITHMETIC = ("avx512_bf16", "amx_bf16", "bf16")


def uses_bf16(precision: str, device: torch.device) -> bool:
    """Says whether to compute in bfloat16; `auto` asks whether the hardware multiplies in it.

    Where it does not, oneDNN emulates it, more than ten times slower than float32 (benchmarks/esrgan_step.py on AVX2).
    """
    if precision != "auto":
        return precision == "bf16"
    if device.type == "cuda":
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    capabilities = torch.cpu.get_capabilities()
    return any(capabilities.get(name, False) for name in _BF16_ARITHMETIC)


def autocast(device: torch.device, *, bf16: bool) -> AbstractContextManager[None]:
    """Gives the context that forward passes run in; weights stay float32."""
    return torch.autocast(device.type, dtype=torch.bfloat16, enabled=bf16)
