"""What members of a test's session train: a small network, the example's classifier or ESRGAN, by
one of three optimizers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Protocol

import torch
from torch import Tensor, nn, optim
from torch.nn import functional

from elastic.workloads.adam import Adam
from elastic.workloads.esrgan import EsrganOptions
from elastic.workloads.esrgan.networks import build_networks, random_features
from elastic.workloads.esrgan.training import SampleBatch
from elastic.workloads.esrgan.training.step import Passes
from elastic.workloads.session import SessionStep, optimizer_units
from elastic.workloads.session.rounds import Round
from examples.classifier.__main__ import CLASSES, SIZE, Classifier
from tests.workloads.esrgan.builders import alone, tiny_options

WARMUP = 20
# ESRGAN makes much of little: the faster it trains, the further apart two undisturbed processes
# come, one with AVX2 and one without. Then no comparison of weights tells whether members went
# wrong.
CALM_LR = 2e-6
Unit = tuple[Tensor, ...]
Stepping = Callable[[Sequence[Tensor | None]], None]


class Trained(Protocol):
    """Training whose every step follows from its number."""

    batch: int

    @property
    def parameters(self) -> Sequence[Tensor]: ...
    def units(self) -> list[Unit]: ...
    def apply(self, gradients: Sequence[Tensor | None], step: int) -> None: ...
    def compute(self, turn: SessionStep) -> Sequence[Tensor | None]: ...


def task_of(name: str, optimizer: str, dtype: torch.dtype) -> Trained:
    """Gives a task by its name."""
    kind = Striped if name == "classifier" else Enlarging
    return kind(optimizer, dtype)


def optimized(name: str, parameters: Sequence[Tensor], *, lr: float) -> tuple[list[Unit], Stepping]:
    """Gives the units of an optimizer by its name, and its step."""
    if name == "ours":
        adam = Adam(parameters, b1=0.9, b2=0.999)
        return adam.units(), lambda gradients: adam.step(gradients, lr=lr)
    made: optim.Optimizer = optim.AdamW(parameters, lr=lr)
    if name == "sgd":
        made = optim.SGD(parameters, lr=10 * lr, momentum=0.9, weight_decay=1e-4)

    def step(gradients: Sequence[Tensor | None]) -> None:
        for parameter, gradient in zip(parameters, gradients, strict=True):
            parameter.grad = gradient
        made.step()

    return optimizer_units(made), step


class Striped:
    """The example's classifier, on stripes like the example's."""

    batch = 16

    def __init__(self, optimizer: str, dtype: torch.dtype) -> None:
        self._model, self._dtype = Classifier().model.to(dtype), dtype
        _begin_alike(self._model)
        self.parameters = list(self._model.parameters())
        self._units, self._step = optimized(optimizer, self.parameters, lr=1e-4)

    def units(self) -> list[Unit]:
        return self._units

    def apply(self, gradients: Sequence[Tensor | None], step: int) -> None:
        self._step(gradients)

    def compute(self, turn: SessionStep) -> Sequence[Tensor]:
        drawn = [_stripes(place) for place in turn.places() or range(1)]
        images = torch.stack([image for image, _ in drawn]).to(self._dtype)
        labels = torch.tensor([label for _, label in drawn])
        losses = functional.cross_entropy(self._model(images), labels, reduction="sum") / turn.batch
        loss = losses if turn.share else losses * 0.0
        turn.numbers = loss.detach().reshape(1)
        return torch.autograd.grad(loss, self.parameters)


def _stripes(place: int) -> tuple[Tensor, int]:
    """Gives stripes under noise as the example's are, but from whole numbers: the same on all
    processors."""
    chance = torch.Generator().manual_seed(place)
    label = int(torch.randint(CLASSES, (), generator=chance))
    down, across = torch.meshgrid(torch.arange(SIZE), torch.arange(SIZE), indexing="ij")
    along = (down, across, down + across, down - across)[label]
    phase = int(torch.randint(7, (), generator=chance))
    stripes = ((along + phase) % 7 < 3).double()
    noise = torch.randint(-1024, 1025, (SIZE, SIZE), generator=chance).double() / 512
    return (stripes + noise).unsqueeze(0), label


class Enlarging:
    """A tiny ESRGAN on images drawn from their places: the pixel loss alone at first, then both
    networks."""

    def __init__(self, optimizer: str, dtype: torch.dtype) -> None:
        self._options: EsrganOptions = tiny_options(batch_size=6, hr_height=16, hr_width=16)
        self.batch, self._dtype = self._options.batch_size, dtype
        device = alone().device
        networks = build_networks(self._options, device, dtype=dtype)
        features = random_features(self._options.feature_layers, seed=0).to(dtype)
        for each in (networks.generator, networks.discriminator, features):
            _begin_alike(each)
        self._passes = Passes(
            networks, self._options, device, features=features, dtype=torch.float32
        )
        generator, discriminator = (
            self._passes.generator_weights,
            self._passes.discriminator_weights,
        )
        self._first = len(generator)
        self.parameters = [*generator, *discriminator]
        units, self._generate = optimized(optimizer, generator, lr=CALM_LR)
        others, self._judge = optimized(optimizer, discriminator, lr=CALM_LR)
        self._units = [*units, *others]

    def units(self) -> list[Unit]:
        return self._units

    def apply(self, gradients: Sequence[Tensor | None], step: int) -> None:
        self._generate(gradients[: self._first])
        if step >= WARMUP:
            self._judge(gradients[self._first :])

    def compute(self, turn: SessionStep) -> Sequence[Tensor | None]:
        batch = self._samples(turn)
        is_warmup = turn.step < WARMUP
        computed = (
            self._passes.warmup(batch) if is_warmup else self._passes.gan(batch, summed=turn.summed)
        )
        turn.numbers = computed.losses[0].detach().reshape(1)
        nothing: list[Tensor | None] = [None] * (len(self.parameters) - self._first)
        return [*computed.generator, *(computed.discriminator or nothing)]

    def _samples(self, turn: SessionStep) -> SampleBatch:
        places = turn.places() or range(1)  # one of no weight: the networks take no empty batch
        weight = 1 / turn.batch if turn.share else 0.0
        high = torch.stack([_image(place, self._options) for place in places]).to(self._dtype)
        low = functional.avg_pool2d(high, 4)
        layout = torch.channels_last
        weights = torch.full((len(places),), weight, dtype=self._dtype)
        return SampleBatch(
            low.contiguous(memory_format=layout), high.contiguous(memory_format=layout), weights
        )


@torch.no_grad()
def _begin_alike(network: nn.Module) -> None:
    """Draws weights as whole numbers: torch's normal distribution comes out otherwise on other
    processors."""
    chance = torch.Generator().manual_seed(0)
    for each in network.parameters():
        spread = 2.0 ** round(math.log2(float(each.std()) + 2**-20)) if each.dim() > 1 else 0.0
        drawn = (
            torch.randint(-1024, 1025, each.shape, generator=chance).to(each.dtype) / 512 * spread
        )
        each.copy_(drawn if each.dim() > 1 else each.round())


def _image(place: int, options: EsrganOptions) -> Tensor:
    chance = torch.Generator().manual_seed(place)
    coarse = torch.rand(1, 3, 4, 4, generator=chance)
    size = (options.hr_height, options.hr_width)
    return functional.interpolate(coarse, size=size, mode="nearest")[0]


def undisturbed(task: Trained, steps: int) -> list[Tensor]:
    """Gives the weights that one process comes to, without any session."""
    round_ = Round(1, ("alone",), 0, None, (0.0,), (None,), (False,), (None,))
    for step in range(steps):
        gradients = task.compute(
            SessionStep(step, task.batch, range(task.batch), round_, _nothing_to_sum)
        )
        pairs = zip(gradients, task.parameters, strict=True)
        task.apply(
            [torch.zeros_like(each) if found is None else found for found, each in pairs], step
        )
    return [parameter.detach() for parameter in task.parameters]


def _nothing_to_sum(values: Tensor) -> None:
    raise AssertionError("one process sums nothing")
