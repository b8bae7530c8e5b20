"""A training script as torch's documentation writes an elastic one: DistributedDataParallel, a
checkpoint at every step, and at its start the last one read.

torchrun ... benchmarks/elastic_training/plain.py CHECKPOINT [--pause 0.04] [--width 400] [--depth
2]

Asked to stop by SIGTERM it ends after the step in flight. Each step is a line in the file that
STEP_LOG names.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import time
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

BATCH = 12
ITEMS = 240


def network(width: int, depth: int) -> nn.Sequential:
    """The network that all systems train here."""
    torch.manual_seed(7)
    layers: list[nn.Module] = [nn.Linear(8, width), nn.Tanh()]
    for _ in range(depth - 1):
        layers += [nn.Linear(width, width), nn.Tanh()]
    return nn.Sequential(*layers, nn.Linear(width, 3))


def data() -> tuple[torch.Tensor, torch.Tensor]:
    """The samples that all systems train on here."""
    chance = torch.Generator().manual_seed(3)
    return torch.randn(ITEMS, 8, generator=chance), torch.randint(0, 3, (ITEMS,), generator=chance)


class Training:
    """This rank's part of the job."""

    def __init__(self, checkpoint: Path, *, width: int, depth: int) -> None:
        self.checkpoint = checkpoint
        self.step = 0
        self.rank, self.size = dist.get_rank(), dist.get_world_size()
        self.x, self.y = data()
        self.model = network(width, depth)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=1e-3)
        if checkpoint.exists():
            kept = torch.load(checkpoint)
            self.model.load_state_dict(kept["model"])
            self.optimizer.load_state_dict(kept["optimizer"])
            self.step = kept["step"]
        self.trained = DistributedDataParallel(self.model)

    def turn(self, pause_s: float) -> None:
        """One step over the job's global batch, and its checkpoint."""
        mine = range(self.step * BATCH + self.rank, (self.step + 1) * BATCH, self.size)
        places = [place % ITEMS for place in mine]
        self.optimizer.zero_grad()
        time.sleep(pause_s)
        loss = nn.functional.cross_entropy(self.trained(self.x[places]), self.y[places])
        loss.backward()  # type: ignore[no-untyped-call]
        self.optimizer.step()
        self.step += 1
        if self.rank == 0:
            self._save()

    def _save(self) -> None:
        partial = self.checkpoint.with_suffix(".partial")
        torch.save(
            {
                "model": self.model.state_dict(),
                "optimizer": self.optimizer.state_dict(),
                "step": self.step,
            },
            partial,
        )
        partial.replace(self.checkpoint)


def main() -> None:
    """Trains until it is stopped."""
    parser = argparse.ArgumentParser()
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("--pause", type=float, default=0.04)
    parser.add_argument("--width", type=int, default=400)
    parser.add_argument("--depth", type=int, default=2)
    options = parser.parse_args()
    asked: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: asked.append(number))
    torch.set_num_threads(1)
    parent = os.getppid()
    dist.init_process_group("gloo")
    training = Training(options.checkpoint, width=options.width, depth=options.depth)
    with open(os.environ["STEP_LOG"], "a", buffering=1) as log:
        # One that was left behind by its parent must not run on.
        while not asked and os.getppid() == parent:
            training.turn(options.pause)
            event: dict[str, Any] = {"at_s": time.time(), "event": "step", "step": training.step}
            place = {"generation": os.getpid(), "rank": training.rank, "world_size": training.size}
            print(json.dumps(event | place), file=log)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
