"""ESRGAN on a GPU: ``python -m benchmarks.esrgan_gpu``. Needs one, and looks at two where there are
two.

Full-size steps of the GAN phase in each precision, with and without cuDNN's search for kernels and
channels_last, next to the reference's way (`esrgan_step.py` has both on a CPU); how long the host
waits for the GPU in a step; what a checkpoint takes from training; what buckets and a session make
of two GPUs. ``--device cpu --blocks 1 --size 32`` runs the same code without one, to see that it
runs.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import NoReturn

import torch
from torch import Tensor
from torch.profiler import ProfilerActivity, profile

from benchmarks import gradient_overlap
from benchmarks.esrgan_step import our_step, our_training, reference_step
from elastic.workloads.arithmetic import Arithmetic, Products, set_up, use
from elastic.workloads.checkpoint import AtOnce, CopyWay, HostCopy, way_from
from elastic.workloads.esrgan import EsrganOptions
from elastic.workloads.esrgan.networks import build_networks
from elastic.workloads.group import device_of
from elastic.workloads.session import Session, SessionSettings, SessionStep
from tests.workloads.session.running import running_fleet

PROFILED = 3  # steps that the profiler looks at
COPIES = 5
WARM = 5  # cuDNN's search, torch's memory
NEEDS_GPU = 2  # the status where there is none
WAITS = ("cudaStreamSynchronize", "cudaDeviceSynchronize", "cudaEventSynchronize", "cudaMemcpy")


PRECISIONS: Mapping[str, tuple[str, Products]] = {
    "fp32": ("fp32", "ieee"),
    "tf32": ("fp32", "tf32"),
    "bf16": ("bf16", "tf32"),
    "fp16": ("fp16", "tf32"),
}


@dataclass(frozen=True, slots=True)
class Contender:
    """A way to compute a step: `precision` None is the reference's, by torch's own settings."""

    precision: str | None
    arithmetic: Arithmetic
    is_channels_last: bool = True

    @property
    def name(self) -> str:
        if self.precision is None:
            return "reference"
        own = (
            "tf32"
            if (self.precision, self.arithmetic.products) == ("fp32", "tf32")
            else self.precision
        )
        tried = " benchmark" if self.arithmetic.tries_kernels else ""
        return f"{own}{tried}{'' if self.is_channels_last else ' contiguous'}"


def contenders(precisions: Sequence[str]) -> Iterator[Contender]:
    """Gives the reference, by what torch does itself: TF32 in convolutions, and nowhere else; and
    all ways of ours."""
    yield Contender(None, Arithmetic("tf32", tries_kernels=False))
    for name, tries_kernels, is_channels_last in product(precisions, (False, True), (True, False)):
        precision, products = PRECISIONS[name]
        yield Contender(precision, Arithmetic(products, tries_kernels), is_channels_last)


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.esrgan_gpu", description=__doc__)
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--blocks", type=int, default=23)
    parser.add_argument("--size", type=int, default=128)
    parser.add_argument("--batches", type=_numbers, default=(4, 16), help="such as 4,16")
    parser.add_argument("--turns", type=int, default=30)
    parser.add_argument(
        "--precisions", type=_precisions, default=tuple(PRECISIONS), help=",".join(PRECISIONS)
    )
    parser.add_argument("--session", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    if options.device == "cuda" and not torch.cuda.is_available():
        print(
            "esrgan_gpu: wanted an NVIDIA GPU, torch finds none; --device cpu only shows that the "
            "script runs"
        )
        return NEEDS_GPU
    if options.session:
        member(options)
    print(
        f"{torch.cuda.get_device_name() if options.device == 'cuda' else 'cpu'}, torch "
        f"{torch.__version__}"
    )
    for batch in options.batches:
        show_steps(options, batch)
    show_checkpoint(options)
    gpus = torch.cuda.device_count() if options.device == "cuda" else 2
    if gpus < 2:
        print("two GPUs: not measured, this machine has one")
    else:
        show_two(options)
    return 0


def show_steps(options: argparse.Namespace, batch: int) -> None:
    """Prints what each contender makes of one size of batch."""
    print(f"\n{options.blocks} blocks, {options.size} x {options.size}, batch {batch}:")
    print(f"{'':27}{'samples/s':>10}{'x':>7}{'peak MiB':>10}{'host waits':>12}")
    first = None
    for contender in contenders(options.precisions):
        step = step_of(contender, options, batch)
        seconds, peak_mib = timed(step, options)
        first = first or seconds
        waits = f"{100 * waited(step, options) / seconds:.1f} %"
        print(
            f"{contender.name:27}{batch / seconds:10.1f}{first / seconds:7.2f}{peak_mib:10.0f}{waits:>12}",
            flush=True,
        )


def step_of(contender: Contender, options: argparse.Namespace, batch: int) -> Callable[[], None]:
    """Gives a contender's step, and has torch compute as it does."""
    use(contender.arithmetic)
    shape = options.blocks, options.size, batch
    if contender.precision is None:
        # As torch does by itself: products of matrices are exact.
        torch.set_float32_matmul_precision("highest")
        return reference_step(*shape, device=options.device)
    return our_step(
        *shape,
        contender.precision,
        device=options.device,
        is_channels_last=contender.is_channels_last,
    )


def timed(step: Callable[[], object], options: argparse.Namespace) -> tuple[float, float]:
    """Gives the seconds of a step, many of them in a row, and the most memory (MiB) that they took
    on the GPU."""
    is_gpu = options.device == "cuda"
    if is_gpu:
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
    for _ in range(min(WARM, options.turns)):
        step()
    settle(options)
    began_s = perf_counter()
    for _ in range(options.turns):
        step()
    settle(options)
    peak_mib = torch.cuda.max_memory_allocated() / 2**20 if is_gpu else 0.0
    return (perf_counter() - began_s) / options.turns, peak_mib


def waited(step: Callable[[], None], options: argparse.Namespace) -> float:
    """Gives for how many seconds of a step the host does nothing but wait for the GPU, as torch's
    profiler sees it."""
    activities = [
        ProfilerActivity.CPU,
        *([ProfilerActivity.CUDA] if options.device == "cuda" else []),
    ]
    with profile(activities=activities) as seen:
        for _ in range(PROFILED):
            step()
    waited_us: float = sum(
        each.self_cpu_time_total for each in seen.key_averages() if each.key in WAITS
    )
    return waited_us * 1e-6 / PROFILED


def show_checkpoint(options: argparse.Namespace) -> None:
    """Prints for how long the training's thread stands still for a checkpoint, and when the host
    has it."""
    device = torch.device(options.device)
    networks = build_networks(EsrganOptions(residual_blocks=options.blocks), device)
    state = networks.state()
    mib = sum(each.nbytes for each in networks.tensors()) / 2**20
    print(f"\na checkpoint of {mib:.0f} MiB on its way to the host's memory:")
    ways: dict[str, CopyWay] = {"at once": AtOnce(), "pinned, beside training": way_from(device)}
    for name, way in ways.items():
        copies, pauses, wholes = HostCopy(way), [], []
        for _ in range(1 + COPIES):
            settle(options)
            began_s = perf_counter()
            whole = copies.begin(state)
            pauses.append(perf_counter() - began_s)
            whole()
            wholes.append(perf_counter() - began_s)
        # The first one asks for the memory.
        paused_ms, whole_ms = (1e3 * median(each[1:]) for each in (pauses, wholes))
        print(
            f"{name:24}training stands still for {paused_ms:.1f} ms, whole after {whole_ms:.1f} ms"
        )


def show_two(options: argparse.Namespace) -> None:
    """Prints what buckets make of two GPUs' sums, and a session of two of one batch."""
    batch = min(options.batches)
    here = {
        "MASTER_ADDR": "127.0.0.1",
        **({} if options.device == "cuda" else {"CUDA_VISIBLE_DEVICES": "-1"}),
    }
    shape = [
        "--blocks",
        str(options.blocks),
        "--size",
        str(options.size),
        "--turns",
        str(options.turns),
    ]
    print()
    gradient_overlap.show(
        gradient_overlap.trained(
            [[*gradient_overlap.MODULE, *shape, "--batch", str(batch)]] * 2, here
        ),
        f"both on this machine's {'GPUs' if options.device == 'cuda' else 'processor'}",
    )
    command = [
        sys.executable,
        "-m",
        "benchmarks.esrgan_gpu",
        "--session",
        "--device",
        options.device,
    ]
    command += [*shape, "--batches", str(batch)]
    with tempfile.TemporaryDirectory() as folder, running_fleet(Path(folder)) as fleet:
        ranks = [
            subprocess.Popen(
                command,
                env={**fleet.environment, **here, "LOCAL_RANK": str(rank)},
                stdout=subprocess.PIPE,
                text=True,
            )
            for rank in range(2)
        ]
        told = [json.loads(rank.communicate()[0]) for rank in ranks]
    alone_s, together_s = (
        median(each[what] for each in told) for what in ("alone_s", "together_s")
    )
    print(
        f"a session of two, batch {batch}: {together_s:.3f} s a turn, {alone_s / together_s:.2f} x "
        "one of them alone"
    )


def member(options: argparse.Namespace) -> NoReturn:
    """Runs one member of a session of two, and prints what a turn takes it alone and together."""
    device = (
        device_of(int(os.environ["LOCAL_RANK"]))
        if options.device == "cuda"
        else torch.device("cpu")
    )
    set_up(device, has_fixed_shapes=False)
    batch: int = options.batches[0]
    networks, stepper, batches, job = our_training(
        options.blocks, options.size, batch, "fp32", device=str(device)
    )
    passes = stepper.passes

    def compute(turn: SessionStep) -> Sequence[Tensor | None]:
        computed = passes.gan(batches.at(turn.step * batch, places=turn.share), summed=turn.summed)
        return [*computed.generator, *(computed.discriminator or ())]

    def apply(gradients: Sequence[Tensor | None], step: int) -> None:
        count = len(passes.generator_weights)
        networks.move_generator(gradients[:count], lr=job.lr)
        networks.discriminator_adam.step(gradients[count:], lr=job.lr)

    def by_itself() -> None:
        stepper.gan_turn(batches.at(0, places=range(batch)), lr=0.0, stop=False)

    alone_s, _ = timed(by_itself, options)
    with Session.join(
        networks.units(), apply, batch=batch, settings=SessionSettings.from_environment()
    ) as session:
        while session.round.world_size < 2:
            session.run(compute)
        ends_s = []
        for _ in range(WARM + options.turns):
            # The host waits in each for the sum: its clock tells a turn's time.
            session.run(compute)
            ends_s.append(perf_counter())
    # The median: the rank that is done first leaves the other one alone for its last turns.
    together_s = median(
        end_s - before_s for before_s, end_s in pairwise(ends_s[-options.turns - 1 :])
    )
    print(json.dumps({"alone_s": alone_s, "together_s": together_s}), flush=True)
    os._exit(0)


def settle(options: argparse.Namespace) -> None:
    """Waits until the GPU has done all it was given."""
    if options.device == "cuda":
        torch.cuda.synchronize()


def _precisions(text: str) -> tuple[str, ...]:
    names = tuple(text.split(","))
    if unknown := set(names) - set(PRECISIONS):
        raise argparse.ArgumentTypeError(
            f"wanted some of {', '.join(PRECISIONS)}; got {', '.join(sorted(unknown))}"
        )
    return names


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(",")))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
