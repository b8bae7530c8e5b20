"""The two networks and their optimizers: all that training changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import torch
from torch import Tensor, nn

from elastic.workloads.adam import Adam
from elastic.workloads.esrgan.discriminator import Discriminator
from elastic.workloads.esrgan.generator import Generator
from elastic.workloads.esrgan.options import EsrganOptions
from elastic.workloads.loss_scale import LossScale

M = TypeVar("M", bound=nn.Module)
LOSS_SCALE = "loss_scale"
"""The part of a checkpoint that only training in fp16 leaves."""


@dataclass(frozen=True, slots=True)
class Networks:
    """Generator and discriminator, each with its optimizer; and in fp16 what keeps their gradients within range."""

    generator: Generator
    discriminator: Discriminator
    generator_adam: Adam
    discriminator_adam: Adam
    loss_scale: LossScale | None = None

    def tensors(self) -> list[Tensor]:
        """Gives every live tensor of the state, in a fixed order."""
        weights = [*self.generator.parameters(), *self.discriminator.parameters()]
        moments = [*self.generator_adam.tensors(), *self.discriminator_adam.tensors()]
        scale = self.loss_scale.tensors() if self.loss_scale is not None else []
        return [*(w.detach() for w in weights), *moments, *scale]

    def state(self) -> dict[str, list[Tensor]]:
        """Gives the live tensors by part, as a checkpoint keeps them."""
        return {
            "generator": [w.detach() for w in self.generator.parameters()],
            "discriminator": [w.detach() for w in self.discriminator.parameters()],
            "generator_adam": self.generator_adam.tensors(),
            "discriminator_adam": self.discriminator_adam.tensors(),
            **({} if self.loss_scale is None else {LOSS_SCALE: self.loss_scale.tensors()}),
        }


def build_networks(
    options: EsrganOptions,
    device: torch.device,
    *,
    dtype: torch.dtype = torch.float32,
    layout: torch.memory_format = torch.channels_last,
    loss_scale: LossScale | None = None,
) -> Networks:
    """Gives untrained networks, the same on every rank: drawn from the seed, on the CPU."""
    torch.manual_seed(options.seed)
    generator = _placed(Generator(options), device, dtype, layout)
    discriminator = _placed(Discriminator(options), device, dtype, layout)
    return Networks(
        generator,
        discriminator,
        Adam(list(generator.parameters()), b1=options.b1, b2=options.b2),
        Adam(list(discriminator.parameters()), b1=options.b1, b2=options.b2),
        loss_scale,
    )


def _placed(network: M, device: torch.device, dtype: torch.dtype, layout: torch.memory_format) -> M:
    # mypy does not know the overload of Module.to that takes a memory format together with a device.
    return network.to(device=device, dtype=dtype).to(memory_format=layout)  # type: ignore[call-overload,no-any-return]
