"""What a session costs when nothing happens: CPU-seconds a step against a plain loop over gloo, two ranks each.

python -m benchmarks.elastic_training.quiet RANK PORT plain|session STEPS FOLDER
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed import FileStore  # type: ignore[attr-defined]  # torch forgets to export it

from elastic.workloads.session import Session, Settings
from tests.workloads.session.member import BATCH, ITEMS, Task
from tests.workloads.session.running import running_fleet

WARM = 30


def measured(kind: str, steps: int) -> float:
    """Gives CPU-seconds a step, both ranks together."""
    with tempfile.TemporaryDirectory() as folder, running_fleet(Path(folder)) as fleet:
        command = [sys.executable, "-m", "benchmarks.elastic_training.quiet"]
        ranks = [
            subprocess.Popen(
                [*command, str(rank), kind, str(steps), folder],
                env=fleet.environment,
                stdout=subprocess.PIPE,
                text=True,
            )
            for rank in range(2)
        ]
        return sum(float(rank.communicate(timeout=300)[0]) for rank in ranks)


def main(argv: Sequence[str]) -> None:
    """Runs one rank, and prints its CPU-seconds a step."""
    parser = argparse.ArgumentParser()
    parser.add_argument("rank", type=int)
    parser.add_argument("kind", choices=["plain", "session"])
    parser.add_argument("steps", type=int)
    parser.add_argument("folder", type=Path)
    options = parser.parse_args(argv)
    torch.set_num_threads(1)
    task = Task(dtype=torch.float32, width=400, depth=4)
    used_s = (_plain if options.kind == "plain" else _session)(task, options)
    print(used_s / options.steps)
    sys.stdout.flush()
    os._exit(0)


def _plain(task: Task, options: argparse.Namespace) -> float:
    store = FileStore(str(options.folder / "plain"), 2)
    dist.init_process_group("gloo", store=store, rank=options.rank, world_size=2, timeout=timedelta(seconds=60))
    flat = torch.zeros(sum(parameter.numel() for parameter in task.parameters))
    views, offset = [], 0
    for parameter in task.parameters:
        views.append(flat[offset : offset + parameter.numel()].view_as(parameter))
        offset += parameter.numel()
    began_s, half = 0.0, BATCH // 2
    for step in range(WARM + options.steps):
        if step == WARM:
            began_s = time.process_time()
        places = [(step * BATCH + options.rank * half + place) % ITEMS for place in range(half)]
        for _ in range(REPEATS):
            loss = nn.functional.cross_entropy(task.model(task.x[places]), task.y[places], reduction="sum") / BATCH
            gradients = torch.autograd.grad(loss, task.parameters)
        torch._foreach_copy_(views, gradients)
        dist.all_reduce(flat)
        task.apply(views, step)
    return time.process_time() - began_s


def _session(task: Task, options: argparse.Namespace) -> float:
    began_s = 0.0
    with Session.join(task.units(), task.apply, batch=BATCH, settings=Settings.from_environment()) as session:
        while session.generation.world_size < 2:
            session.run(task.compute)
        first = session.step
        while session.step < first + WARM + options.steps:
            if session.step == first + WARM:
                began_s = time.process_time()
            session.run(lambda turn: [task.compute(turn) for _ in range(REPEATS)][-1])
        return time.process_time() - began_s


REPEATS = 20  # passes a step, so that it takes tens of milliseconds of real work

if __name__ == "__main__":
    main(sys.argv[1:])
