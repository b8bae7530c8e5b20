"""Values for the ESRGAN tests: a job so small that a turn takes milliseconds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from elastic.workloads.arithmetic import LossScale
from elastic.workloads.esrgan import EsrganOptions
from elastic.workloads.esrgan.networks import Networks, build_networks, random_features
from elastic.workloads.esrgan.training import Batches, SampleBatch, Stepper
from elastic.workloads.group import ProcessGroup
from elastic.workloads.photographs import Photographs

TINY: dict[str, Any] = {
    "batch_size": 4,
    "n_cpu": 0,
    "hr_height": 16,
    "hr_width": 32,
    "residual_blocks": 1,
    "filters": 4,
    "discriminator_filters": 8,
    "feature_layers": 3,
    "features": "random",
    "warmup_batches": 2,
    "iterations": 6,
    "sample_interval": 1000,
    "checkpoint_interval": 1000,
    "held_out_size": 32,
    "held_out_crops": 2,
    "lr": 1e-3,
    "precision": "fp32",
    "collective_timeout_s": 60.0,
}


def tiny_options(**values: Any) -> EsrganOptions:
    """Gives options of a tiny job, changed by `values`."""
    return EsrganOptions(**{**TINY, **values})


def alone() -> ProcessGroup:
    """Gives a group of this process only."""
    return ProcessGroup(rank=0, world_size=1, device=torch.device("cpu"))


def stepper_in(
    dtype: torch.dtype, options: EsrganOptions, group: ProcessGroup
) -> tuple[Networks, Stepper]:
    """Gives untrained networks computing in `dtype`, and what trains them."""
    networks = build_networks(options, group.device, dtype=dtype)
    features = random_features(options.feature_layers, seed=options.seed).to(dtype)
    return networks, Stepper(networks, options, group, features=features, dtype=torch.float32)


def fp16_stepper(options: EsrganOptions, group: ProcessGroup) -> tuple[Networks, Stepper]:
    """Gives untrained networks with a loss scale, and what trains them in fp16."""
    networks = build_networks(options, group.device, loss_scale=LossScale(group.device))
    features = random_features(options.feature_layers, seed=options.seed).half()
    return networks, Stepper(networks, options, group, features=features, dtype=torch.float16)


def a_batch(count: int = 2) -> SampleBatch:
    """Gives samples of chance, always the same."""
    random = torch.Generator().manual_seed(1)
    low, high = (
        torch.rand(count, 3, 4, 8, generator=random),
        torch.rand(count, 3, 16, 32, generator=random),
    )
    return SampleBatch(low, high, torch.full((count,), 1 / count))


def train_in_float64(
    options: EsrganOptions, group: ProcessGroup, photographs: Photographs, shares: tuple[int, ...]
) -> list[Tensor]:
    """Gives every tensor of the state after all turns, computed in float64 so that only real
    differences show.

    `shares` are each rank's samples of a batch.
    """
    networks, stepper = stepper_in(torch.float64, options, group)
    batches = Batches(photographs, options, group)
    first = sum(shares[: group.rank])
    places = range(first, first + shares[group.rank])
    assert options.iterations is not None
    for iteration in range(options.iterations):
        batch = batches.at(iteration * options.batch_size, places=places)
        # Weights are made anew: 1 / 3 in float32 is off by 1e-8, which is all that would be seen.
        wide = SampleBatch(
            batch.low.double(),
            batch.high.double(),
            (batch.weights > 0).double() / options.batch_size,
        )
        turn = stepper.warmup_turn if iteration < options.warmup_batches else stepper.gan_turn
        turn(wide, lr=options.lr, stop=False)
    return networks.tensors()


def write_photographs(folder: Path, *, count: int = 3, size: tuple[int, int] = (40, 48)) -> Path:
    """Writes small colour images that differ, and gives their folder."""
    from PIL import Image

    folder.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        generator = torch.Generator().manual_seed(number)
        coarse = torch.rand(1, 3, 5, 6, generator=generator)
        pixels = torch.nn.functional.interpolate(coarse, size=size, mode="bicubic").clamp(0, 1)[0]
        array = (pixels * 255).round().to(torch.uint8).permute(1, 2, 0).numpy()
        Image.fromarray(array).save(folder / f"{number}.png")
    return folder
