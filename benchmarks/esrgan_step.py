"""The ESRGAN step against a plain re-implementation of the reference's way, in one run.

    python benchmarks/esrgan_step.py                     23 blocks, 128 x 128, batch 1, one thread,
    GAN phase python benchmarks/esrgan_step.py --preset small      what an iteration of the preset
    costs, in both phases

Each contender runs in a process of its own and takes its turn at a word from the parent, so that
the machine's moods meet all alike; what counts is CPU-seconds, and the median over turns. Peak
memory is each process's own.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import resource
import statistics
import subprocess
import sys
from collections.abc import Callable
from time import process_time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from elastic.workloads.esrgan import EsrganOptions
    from elastic.workloads.esrgan.networks import Networks
    from elastic.workloads.esrgan.training import Batches, Stepper

CONTENDERS = ("reference", "fp32", "bf16")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--blocks", type=int, default=23)
    parser.add_argument("--size", type=int, default=128)
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument(
        "--contenders", help="default: all, bf16 only where the hardware computes in it"
    )
    parser.add_argument("--preset", help="measure this preset instead")
    parser.add_argument("--contender", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.contender:
        return serve_turns(arguments)
    return (
        measure_preset(arguments.preset, arguments.turns)
        if arguments.preset
        else compare(arguments)
    )


def compare(arguments: argparse.Namespace) -> int:
    """Runs the contenders turn about and prints what they took."""
    names = arguments.contenders.split(",") if arguments.contenders else contenders_here()
    # One after another: a contender that is still building its networks would disturb the others.
    running = {name: start(name, arguments) for name in names}
    seconds: dict[str, list[float]] = {name: [] for name in names}
    for _ in range(arguments.turns):
        for name in names:
            seconds[name].append(ask(running[name])["seconds"])
    peaks_mib = {name: finish(running[name])["peak_mib"] for name in names}
    medians = {name: statistics.median(values) for name, values in seconds.items()}
    print(
        f"{arguments.blocks} blocks, {arguments.size} x {arguments.size}, batch {arguments.batch}, "
        "one thread:"
    )
    for name in names:
        # Turn by turn: neighbours come and go, and slow both of a turn's contenders alike.
        ratio = statistics.median(
            a / b for a, b in zip(seconds[names[0]], seconds[name], strict=True)
        )
        print(
            f"  {name:<10} {medians[name]:7.3f} CPU-s a step (least {min(seconds[name]):.3f}), "
            f"{ratio:5.2f} x {names[0]}, peak {peaks_mib[name]:6.0f} MiB"
        )
    return 0


def contenders_here() -> list[str]:
    """Gives the contenders worth their time on this machine: emulated bf16 takes more than ten
    times float32."""
    import torch

    from elastic.workloads.arithmetic import settle

    if settle("auto", torch.device("cpu")) == "bf16":
        return list(CONTENDERS)
    print(
        "bf16 is left out: this CPU has no arithmetic for it (the workload's precision `auto` "
        "takes fp32 here)"
    )
    return [name for name in CONTENDERS if name != "bf16"]


def start(name: str, arguments: argparse.Namespace) -> subprocess.Popen[str]:
    shape = ["--blocks", arguments.blocks, "--size", arguments.size, "--batch", arguments.batch]
    command = [sys.executable, __file__, "--contender", name, *map(str, shape)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "ELASTICD_OFFLINE": "1"}
    process = subprocess.Popen(
        command,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        bufsize=1,
    )
    answer(process)
    return process


def ask(process: subprocess.Popen[str]) -> dict[str, float]:
    assert process.stdin is not None
    process.stdin.write("turn\n")
    return answer(process)


def finish(process: subprocess.Popen[str]) -> dict[str, float]:
    assert process.stdin is not None
    process.stdin.close()
    last = answer(process)
    process.wait(timeout=60)
    return last


def answer(process: subprocess.Popen[str]) -> dict[str, float]:
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        raise RuntimeError("a contender ended early; its own error is above")
    found: dict[str, float] = json.loads(line)
    return found


def serve_turns(arguments: argparse.Namespace) -> int:
    """In a contender's process: one step for each line of input, then the peak memory."""
    import torch

    torch.set_num_threads(1)
    make = reference_step if arguments.contender == "reference" else our_step
    step = make(arguments.blocks, arguments.size, arguments.batch, arguments.contender)
    step()  # cold: allocations and oneDNN's kernels
    print(json.dumps({}), flush=True)
    for _ in sys.stdin:
        started = process_time()
        step()
        print(json.dumps({"seconds": process_time() - started}), flush=True)
    print(
        json.dumps({"peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}),
        flush=True,
    )
    return 0


def our_step(
    blocks: int,
    size: int,
    batch_size: int,
    precision: str,
    *,
    device: str = "cpu",
    is_channels_last: bool = True,
) -> Callable[[], None]:
    """Gives one turn of the workload's GAN phase, data preparation included: on a CPU by the same
    thread."""
    import torch

    _, stepper, batches, options = our_training(
        blocks, size, batch_size, precision, device=device, is_channels_last=is_channels_last
    )
    layout = torch.channels_last if is_channels_last else torch.contiguous_format
    turns = iter(range(10**9))

    def step() -> None:
        batch = batches.at(next(turns) * batch_size)
        low, high = (images.contiguous(memory_format=layout) for images in (batch.low, batch.high))
        stepper.gan_turn(dataclasses.replace(batch, low=low, high=high), lr=options.lr, stop=False)

    return step


def our_training(
    blocks: int,
    size: int,
    batch_size: int,
    precision: str,
    *,
    device: str,
    is_channels_last: bool = True,
) -> tuple[Networks, Stepper, Batches, EsrganOptions]:
    """Gives the workload's networks, and what trains them."""
    import torch

    from elastic.workloads.arithmetic import DTYPES, LossScale
    from elastic.workloads.esrgan import EsrganOptions
    from elastic.workloads.esrgan.networks import build_networks, random_features
    from elastic.workloads.esrgan.training import Batches, Stepper
    from elastic.workloads.group import ProcessGroup
    from elastic.workloads.photographs import open_photographs

    options = EsrganOptions(
        residual_blocks=blocks,
        hr_height=size,
        hr_width=size,
        batch_size=batch_size,
        n_cpu=0 if device == "cpu" else 8,
    )
    group = ProcessGroup(0, 1, torch.device(device))
    layout = torch.channels_last if is_channels_last else torch.contiguous_format
    photographs, _ = open_photographs("skimage", None, height=size, width=size, channels=3)
    batches = Batches(photographs, options, group)
    dtype = DTYPES[precision]
    features = random_features(options.feature_layers, seed=0).to(group.device)
    features.to(dtype=dtype, memory_format=layout)  # type: ignore[call-overload]
    loss_scale = LossScale(group.device) if precision == "fp16" else None
    networks = build_networks(options, group.device, layout=layout, loss_scale=loss_scale)
    return (
        networks,
        Stepper(networks, options, group, features=features, dtype=dtype),
        batches,
        options,
    )


def reference_step(
    blocks: int, size: int, batch_size: int, _: str = "reference", *, device: str = "cpu"
) -> Callable[[], None]:
    """Gives one GAN step done the reference's way: its order of work and its waste, in our own
    words."""
    import torch
    from torch import nn
    from torch.nn import functional

    generator, discriminator, features = (
        network.to(device) for network in _reference_networks(blocks)
    )
    generator_adam = torch.optim.Adam(generator.parameters(), lr=2e-4, betas=(0.9, 0.999))
    discriminator_adam = torch.optim.Adam(discriminator.parameters(), lr=2e-4, betas=(0.9, 0.999))
    classify, l1 = nn.BCEWithLogitsLoss(), nn.L1Loss()
    random = torch.Generator().manual_seed(0)

    def step() -> None:
        high = torch.rand(batch_size, 3, size, size, generator=random)
        low = functional.interpolate(high, scale_factor=0.25, mode="bicubic", antialias=True)
        high, low = high.to(device), low.to(device)
        patches = (batch_size, 1, -(-size // 16), -(-size // 16))
        valid, invalid = torch.ones(patches).to(device), torch.zeros(patches).to(device)
        generator_adam.zero_grad()
        made = generator(low)
        pixel = l1(made, high)
        real, fake = discriminator(high).detach(), discriminator(made)
        adversarial = classify(fake - real.mean(0, keepdim=True), valid)
        content = l1(features(made), features(high).detach())
        total = content + 5e-3 * adversarial + 1e-2 * pixel
        total.backward()
        generator_adam.step()
        discriminator_adam.zero_grad()
        real, fake = discriminator(high), discriminator(made.detach())
        loss = (
            classify(real - fake.mean(0, keepdim=True), valid)
            + classify(fake - real.mean(0, keepdim=True), invalid)
        ) / 2
        loss.backward()
        discriminator_adam.step()
        for value in (loss, total, content, adversarial, pixel):
            value.item()

    return step


def _reference_networks(blocks: int) -> tuple[Any, Any, Any]:
    """Gives generator, discriminator (with BatchNorm) and VGG19[:35] as the reference builds
    them."""
    import torch
    from torch import nn

    from elastic.workloads.esrgan.networks import Features

    def convolution(inputs: int, outputs: int, stride: int = 1) -> nn.Conv2d:
        return nn.Conv2d(inputs, outputs, 3, stride, 1)

    class Dense(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.parts = nn.ModuleList(
                nn.Sequential(convolution(64 * n, 64), *([nn.LeakyReLU()] if n < 5 else []))
                for n in range(1, 6)
            )

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            inputs = x
            for part in self.parts:
                out = part(inputs)
                inputs = torch.cat([inputs, out], 1)  # the last one is never read
            return out.mul(0.2) + x  # type: ignore[no-any-return]

    class Residual(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.dense = nn.Sequential(Dense(), Dense(), Dense())

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.dense(x).mul(0.2) + x  # type: ignore[no-any-return]

    class Generator(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = convolution(3, 64), convolution(64, 64)
            self.blocks = nn.Sequential(*(Residual() for _ in range(blocks)))
            doubling = [
                m
                for _ in range(2)
                for m in (convolution(64, 256), nn.LeakyReLU(), nn.PixelShuffle(2))
            ]
            self.last = nn.Sequential(
                *doubling, convolution(64, 64), nn.LeakyReLU(), convolution(64, 3)
            )

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            first = self.first(x)
            return self.last(torch.add(first, self.second(self.blocks(first))))  # type: ignore[no-any-return]

    layers: list[nn.Module] = []
    inputs = 3
    for place, outputs in enumerate((64, 128, 256, 512)):
        layers += [
            convolution(inputs, outputs),
            *([nn.BatchNorm2d(outputs)] if place else []),
            nn.LeakyReLU(0.2, True),
        ]
        layers += [
            convolution(outputs, outputs, 2),
            nn.BatchNorm2d(outputs),
            nn.LeakyReLU(0.2, True),
        ]
        inputs = outputs
    discriminator = nn.Sequential(*layers, convolution(512, 1))
    features = Features(35)
    features.requires_grad_(True)  # the reference forgets to freeze it
    return Generator(), discriminator, features


def measure_preset(preset: str, turns: int) -> int:
    """Prints CPU-seconds an iteration of a preset on one thread, in both phases."""
    import torch

    torch.set_num_threads(1)
    from elastic.workloads import WORKLOADS
    from elastic.workloads.esrgan.networks import build_networks, random_features
    from elastic.workloads.esrgan.training import Batches, Stepper
    from elastic.workloads.group import ProcessGroup
    from elastic.workloads.photographs import open_photographs

    options = WORKLOADS["esrgan"].configure(preset=preset)
    group = ProcessGroup(0, 1, torch.device("cpu"))
    size = {"height": options.hr_height, "width": options.hr_width}
    photographs, _ = open_photographs("skimage", None, **size, channels=options.channels)
    batches = Batches(photographs, options, group)
    features = random_features(options.feature_layers, seed=0)
    features.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    stepper = Stepper(
        build_networks(options, group.device),
        options,
        group,
        features=features,
        dtype=torch.float32,
    )
    for phase, turn in (("warmup", stepper.warmup_turn), ("gan", stepper.gan_turn)):
        seconds = []
        for number in range(turns + 3):
            started = process_time()
            turn(batches.at(number * options.batch_size), lr=options.lr, stop=False)
            seconds.append(process_time() - started)
        print(
            f"{preset}, {phase}: {statistics.median(seconds[3:]):.3f} CPU-s an iteration on one "
            "thread"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
