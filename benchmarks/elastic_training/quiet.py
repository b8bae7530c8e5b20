"""What a session costs when nothing happens, against a plain loop over gloo: two ranks, each
running both in turn.

python -m benchmarks.elastic_training.quiet RANK FOLDER [--width 400] [--depth 2] [--blocks 200]
[--steps 20]

Blocks of the two loops alternate in the same two processes, so that a neighbour's load, memory and
clock are the same for both. What a session's threads do beside the training they do during both: it
is measured by itself, while neither runs. What a step computes is small, so each also goes over
more memory than a core's own caches hold, as one that takes as long as the benchmark's would: in
warm caches a session's Python takes a third of the time.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from statistics import median, quantiles

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed import FileStore  # type: ignore[attr-defined]  # torch forgets to export it

from elastic.workloads.session import Session, SessionSettings
from tests.workloads.session.member import BATCH, ITEMS, Task
from tests.workloads.session.running import running_fleet

WARM = 3
# floats, 16 MB: a step of many milliseconds leaves nothing else in a core's own caches
SWEPT = 4_000_000
ASIDE_S = 10.0


@dataclass(frozen=True, slots=True)
class Cost:
    """CPU-seconds of one rank: `extra_s` a step, the median of the blocks, whose error is
    `error_s`; `aside_s` a second beside the training; `plain_s` a step of the plain loop."""

    extra_s: float
    error_s: float
    aside_s: float
    plain_s: float

    def share(self, step_s: float) -> float:
        """The part of a step of `step_s` seconds on a core that the session takes."""
        return self.extra_s / step_s + self.aside_s

    def told(self, step_s: float) -> str:
        return (
            f"{100 * self.share(step_s):.2f} % of a step of {1e3 * step_s:.0f} ms: "
            f"{1e6 * self.extra_s:+.0f} ± {1e6 * self.error_s:.0f} us of CPU a step, "
            f"{1e3 * self.aside_s:.1f} ms a second"
        )


def measured(*options: str) -> Cost:
    """Gives what a session of two costs each of them."""
    with tempfile.TemporaryDirectory() as folder, running_fleet(Path(folder)) as fleet:
        command = [sys.executable, "-m", "benchmarks.elastic_training.quiet"]
        ranks = [
            subprocess.Popen(
                [*command, str(rank), folder, *options],
                env=fleet.environment,
                stdout=subprocess.PIPE,
                text=True,
            )
            for rank in range(2)
        ]
        told = [json.loads(rank.communicate(timeout=600)[0]) for rank in ranks]
    extra = [each for rank in told for each in rank["extra_s"]]
    low, middle, high = quantiles(extra, n=4)
    return Cost(
        extra_s=middle,
        error_s=1.57 * (high - low) / len(extra) ** 0.5,  # a median's 95 %, as box plots notch it
        aside_s=median(rank["aside_s"] for rank in told),
        plain_s=median(each for rank in told for each in rank["plain_s"]),
    )


def main(argv: Sequence[str]) -> None:
    """Runs one rank, and prints the CPU-seconds that a session's steps took more than the plain
    loop's, by blocks."""
    parser = argparse.ArgumentParser()
    parser.add_argument("rank", type=int)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--width", type=int, default=400)
    parser.add_argument("--depth", type=int, default=2)
    parser.add_argument("--blocks", type=int, default=200)
    parser.add_argument("--steps", type=int, default=20)
    options = parser.parse_args(argv)
    torch.set_num_threads(1)
    task = Task(dtype=torch.float32, width=options.width, depth=options.depth)
    gradients = _gradients(task, options.rank)
    plain = _plain(task, gradients, rank=options.rank, folder=options.folder)
    plain()
    with Session.join(
        task.units(),
        task.apply,
        batch=BATCH,
        numbers=1,
        settings=SessionSettings.from_environment(),
    ) as session:
        while session.round.world_size < 2:
            session.run(task.compute)
        extra, usual = [], []
        for block in range(WARM + options.blocks):
            # In turn first and second: what one leaves in the caches must not always serve the
            # other.
            pair = (plain, lambda: session.run(lambda turn: gradients()))
            took = [_cpu_s(loop, options.steps) for loop in (pair if block % 2 else pair[::-1])]
            plain_s, session_s = took if block % 2 else took[::-1]
            if block >= WARM:
                extra.append((session_s - plain_s) / options.steps)
                usual.append(plain_s / options.steps)
        aside_s = _cpu_aside_s()
        print(json.dumps({"extra_s": extra, "plain_s": usual, "aside_s": aside_s}))
        sys.stdout.flush()
        os._exit(0)


def _cpu_aside_s() -> float:
    """Gives what the session's threads do in a second while its training stands still. gloo's own,
    which looks about a hundred times a second, is the plain loop's too."""
    clocks = [
        time.pthread_getcpuclockid(each.ident)
        for each in threading.enumerate()
        if each.ident and each.daemon
    ]
    began_s = [time.clock_gettime(clock) for clock in clocks]
    time.sleep(ASIDE_S)
    return (sum(map(time.clock_gettime, clocks)) - sum(began_s)) / ASIDE_S


def _cpu_s(loop: Callable[[], object], steps: int) -> float:
    began_s = time.process_time()
    for _ in range(steps):
        loop()
    return time.process_time() - began_s


def _gradients(task: Task, rank: int) -> Callable[[], Sequence[Tensor]]:
    """Gives what both loops compute in a step: half a batch, whatever share a session would give
    this rank."""
    half = BATCH // 2
    places = [(rank * half + place) % ITEMS for place in range(half)]

    swept = torch.zeros(SWEPT)

    def gradients() -> Sequence[Tensor]:
        swept.add_(1.0)
        loss = (
            nn.functional.cross_entropy(task.model(task.x[places]), task.y[places], reduction="sum")
            / BATCH
        )
        return torch.autograd.grad(loss, task.parameters)

    return gradients


def _plain(
    task: Task, gradients: Callable[[], Sequence[Tensor]], *, rank: int, folder: Path
) -> Callable[[], None]:
    """Gives a step as one writes it without a session: gradients in one flat buffer, one sum, the
    same optimizer."""
    store = FileStore(str(folder / "plain"), 2)
    dist.init_process_group(
        "gloo", store=store, rank=rank, world_size=2, timeout=timedelta(seconds=60)
    )
    flat = torch.zeros(sum(parameter.numel() for parameter in task.parameters))
    views: list[Tensor] = []
    for parameter in task.parameters:
        offset = sum(view.numel() for view in views)
        views.append(flat[offset : offset + parameter.numel()].view_as(parameter))
    step = 0

    def turn() -> None:
        nonlocal step
        torch._foreach_copy_(views, list(gradients()))
        dist.all_reduce(flat)
        task.apply(views, step)
        step += 1

    return turn


if __name__ == "__main__":
    main(sys.argv[1:])
