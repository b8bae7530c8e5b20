"""The two networks and their optimizers: all that training changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import torch
from torch import Tensor, nn
from torch.func import functional_call

from elastic.workloads.adam import Adam
from elastic.workloads.arithmetic import LossScale
from elastic.workloads.esrgan.generator import Generator
from elastic.workloads.esrgan.networks.discriminator import Discriminator
from elastic.workloads.esrgan.options import EsrganOptions
from elastic.workloads.moving_average import MovingAverage

M = TypeVar("M", bound=nn.Module)
# The part of a checkpoint that only training in fp16 leaves.
LOSS_SCALE = "loss_scale"
AVERAGE = "generator_average"


@dataclass(frozen=True, slots=True)
class Networks:
    """Generator and discriminator, each with its optimizer, and the average of the generator.

    In fp16 also the loss scale, which keeps gradients within range.
    """

    generator: Generator
    discriminator: Discriminator
    generator_adam: Adam
    discriminator_adam: Adam
    average: MovingAverage
    loss_scale: LossScale | None = None

    def tensors(self) -> list[Tensor]:
        """Returns every live tensor of the state, in a fixed order."""
        weights = [*self.generator.parameters(), *self.discriminator.parameters()]
        moments = [*self.generator_adam.tensors(), *self.discriminator_adam.tensors()]
        scale = []
        if self.loss_scale is not None:
            scale = self.loss_scale.tensors()
        return [*(w.detach() for w in weights), *moments, *self.average.tensors(), *scale]

    def units(self) -> list[tuple[Tensor, ...]]:
        """Returns for each gradient all that it moves, the generator's first."""
        generator = zip(self.generator_adam.units(), self.average.tensors(), strict=True)
        return [
            *((*unit, average) for unit, average in generator),
            *self.discriminator_adam.units(),
        ]

    def move_generator(
        self, gradients: Sequence[Tensor | None], *, lr: float, overflow: Tensor | None = None
    ) -> None:
        """Moves the generator by its gradients, and its average after it."""
        self.generator_adam.step(gradients, lr=lr, overflow=overflow)
        self.average.follow(gradients, self.generator_adam.counts, overflow=overflow)

    def averaged_generator(self, low: Tensor) -> Tensor:
        """Enlarges by the averaged weights, as the generator does by the last ones."""
        names = (name for name, _ in self.generator.named_parameters())
        image: Tensor = functional_call(
            self.generator, dict(zip(names, self.average.tensors(), strict=True)), (low,)
        )
        return image

    def state(self) -> dict[str, list[Tensor]]:
        """Returns the live tensors by part, as a checkpoint keeps them."""
        return {
            "generator": [w.detach() for w in self.generator.parameters()],
            "discriminator": [w.detach() for w in self.discriminator.parameters()],
            "generator_adam": self.generator_adam.tensors(),
            "discriminator_adam": self.discriminator_adam.tensors(),
            AVERAGE: self.average.tensors(),
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
    """Returns untrained networks, the same on every rank: drawn from the seed, on the CPU."""
    torch.manual_seed(options.seed)
    generator = _placed(Generator(options), device, dtype, layout)
    discriminator = _placed(Discriminator(options), device, dtype, layout)
    return Networks(
        generator,
        discriminator,
        Adam(list(generator.parameters()), b1=options.b1, b2=options.b2),
        Adam(list(discriminator.parameters()), b1=options.b1, b2=options.b2),
        MovingAverage(list(generator.parameters())),
        loss_scale,
    )


def _placed(network: M, device: torch.device, dtype: torch.dtype, layout: torch.memory_format) -> M:
    # mypy does not know the overload of Module.to with both a memory format and a device.
    moved = network.to(device=device, dtype=dtype)
    return moved.to(memory_format=layout)  # type: ignore[call-overload,no-any-return]
