"""What optimizers come to in exact arithmetic, and as torch does it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from zlib import crc32

import torch
from torch import Tensor, optim

from elastic.workloads.adam import Adam
from elastic.workloads.arithmetic import ExactArithmetic

STEPS = 12


VARIANTS: Mapping[str, tuple[type[optim.Optimizer], Mapping[str, Any]]] = {
    "SGD": (optim.SGD, {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.1}),
    "SGD, Nesterov, by lists": (
        optim.SGD,
        {"lr": 0.1, "momentum": 0.9, "nesterov": True, "foreach": True},
    ),
    "SGD, fused": (optim.SGD, {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.1, "fused": True}),
    "Adam": (optim.Adam, {"weight_decay": 0.1}),
    "Adam, AMSGrad, by lists": (optim.Adam, {"amsgrad": True, "foreach": True}),
    "Adam, AMSGrad, fused": (optim.Adam, {"amsgrad": True, "fused": True, "weight_decay": 0.1}),
    "AdamW": (optim.AdamW, {"weight_decay": 0.1}),
    "AdamW, by lists": (optim.AdamW, {"foreach": True}),
    "AdamW, fused": (optim.AdamW, {"fused": True, "maximize": True}),
    "NAdam": (optim.NAdam, {"weight_decay": 0.1}),
    "RAdam, by lists": (optim.RAdam, {"weight_decay": 0.1, "foreach": True}),
    "RMSprop": (optim.RMSprop, {"centered": True, "momentum": 0.9}),
    "Adagrad, fused": (optim.Adagrad, {"lr_decay": 0.1, "weight_decay": 0.1, "fused": True}),
    "Adadelta, by lists": (optim.Adadelta, {"weight_decay": 0.1, "foreach": True}),
    "Adamax": (optim.Adamax, {"weight_decay": 0.1}),
    "ASGD": (optim.ASGD, {"weight_decay": 0.1}),
    "Rprop": (optim.Rprop, {}),
}


def digests() -> list[str]:
    """Gives a line for each optimizer: its name, and what it comes to in exact arithmetic and as
    torch does it."""
    lines = []
    for name in VARIANTS:
        exact, usual = (crc(trained(name, is_exact=is_exact)) for is_exact in (True, False))
        lines.append(f"{name}: {exact} {usual}")
    ours = [crc(trained_by_ours(is_exact=is_exact)) for is_exact in (True, False)]
    return [*lines, f"ours: {ours[0]} {ours[1]}", f"norms: {crc(norms())} 0"]


def trained(name: str, *, is_exact: bool, dtype: torch.dtype = torch.float32) -> list[Tensor]:
    kind, options = VARIANTS[name]
    parameters = [each.requires_grad_() for each in drawn(dtype, seed=0)]
    optimizer = kind(parameters, **options)
    for step in range(STEPS):
        for parameter, gradient in zip(parameters, drawn(dtype, seed=1 + step), strict=True):
            parameter.grad = gradient
        within(optimizer.step, is_exact=is_exact)
    return [each.detach() for each in parameters]


def trained_by_ours(*, is_exact: bool) -> list[Tensor]:
    parameters = drawn(torch.float32, seed=0)
    adam = Adam(parameters, b1=0.9, b2=0.999)
    for step in range(STEPS):
        gradients = drawn(torch.float32, seed=1 + step)
        within(lambda given=gradients: adam.step(given, lr=1e-3), is_exact=is_exact)
    return parameters


def norms() -> list[Tensor]:
    with ExactArithmetic():
        values = drawn(torch.float32, seed=3)
        totals = [*(each.norm() for each in values), *(each.sum() for each in values)]
        return [
            *totals,
            torch.nn.utils.get_total_norm(values),
            *(torch.lerp(each, -each, 0.3) for each in values),
        ]


def within(step: Any, *, is_exact: bool) -> None:
    if is_exact:
        with ExactArithmetic():
            step()
    else:
        step()


def drawn(dtype: torch.dtype, *, seed: int) -> list[Tensor]:
    chance = torch.Generator().manual_seed(seed)
    shapes = ((31, 17), (73,), (4, 3, 5, 5))
    made = [torch.randn(shape, generator=chance, dtype=torch.float64).to(dtype) for shape in shapes]
    return [*made[:2], made[2].to(memory_format=torch.channels_last)]


def crc(values: list[Tensor]) -> int:
    code = 0
    for each in values:
        code = crc32(each.contiguous().reshape(-1).view(torch.uint8).numpy().tobytes(), code)
    return code
