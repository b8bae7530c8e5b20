"""A member of a test's session: a small network, or another task, and a line of log for every
committed step.

python -m tests.workloads.session.member LOG GOAL [--dtype float32] [--pause 0.02] [--width 16] ...
"""

from __future__ import annotations

import argparse
import json
import math
import os
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from elastic.workloads.adam import Adam
from elastic.workloads.session import Session, SessionEnded, SessionSettings, SessionStep
from elastic.workloads.session.turns import Compute
from tests.workloads.session import nccl_stand_in

if TYPE_CHECKING:
    from tests.workloads.session.tasks import Trained

BATCH = 12
ITEMS = 240


class Task:
    """The network, its optimizer and its data: all a function of the seed."""

    def __init__(
        self, *, dtype: torch.dtype, width: int, depth: int = 2, pause_s: float = 0.0
    ) -> None:
        layers: list[nn.Module] = [nn.Linear(8, width), nn.Tanh()]
        for _ in range(depth - 1):
            layers += [nn.Linear(width, width), nn.Tanh()]
        self.batch = BATCH
        self.model = nn.Sequential(*layers, nn.Linear(width, 3)).to(dtype)
        self.parameters = list(self.model.parameters())
        # By a generator of its own: torch's is the process's, and members run as threads too.
        chance = torch.Generator().manual_seed(7)
        for parameter in self.parameters:
            nn.init.normal_(parameter, std=0.3, generator=chance)
        self.adam = Adam(self.parameters, b1=0.9, b2=0.999)
        self.x = torch.randn(ITEMS, 8, generator=chance, dtype=torch.float64).to(dtype)
        self.y = torch.randint(0, 3, (ITEMS,), generator=chance)
        self.pause_s = pause_s

    def units(self) -> list[tuple[Tensor, ...]]:
        return self.adam.units()

    def apply(self, gradients: Sequence[Tensor | None], step: int) -> None:
        self.adam.step(gradients, lr=1e-3 / (1 + step / 100))

    def compute(self, turn: SessionStep) -> Sequence[Tensor]:
        places = [place % ITEMS for place in turn.places()]
        if self.pause_s and places:
            time.sleep(self.pause_s)
        loss = (
            nn.functional.cross_entropy(self.model(self.x[places]), self.y[places], reduction="sum")
            / turn.batch
        )
        if not places:
            loss = self.model(self.x[:1]).sum() * 0.0
        turn.numbers = loss.detach().reshape(1)
        return torch.autograd.grad(loss, self.parameters)


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("log", type=Path)
    parser.add_argument(
        "goal", type=Path, help="a file that comes to hold the last step, well ahead of it"
    )
    parser.add_argument("--task", choices=("network", "classifier", "esrgan"), default="network")
    parser.add_argument(
        "--optimizer", choices=("ours", "adamw", "sgd"), default="ours", help="but of the network"
    )
    parser.add_argument("--dtype", default="float64")
    parser.add_argument("--pause", type=float, default=0.02)
    parser.add_argument("--width", type=int, default=16)
    parser.add_argument("--depth", type=int, default=2)
    parser.add_argument("--chunk-bytes", type=int, default=2000)
    parser.add_argument("--no-digests", action="store_true")
    parser.add_argument(
        "--stand-in",
        action="store_true",
        help="sum as if over NCCL, each rank with a GPU of its own",
    )
    options = parser.parse_args(argv)
    torch.set_num_threads(1)
    if options.stand_in:
        nccl_stand_in.install()
    with options.log.open("a", buffering=1) as log:
        return _train(
            options, lambda **about: print(json.dumps({"at_s": time.time(), **about}), file=log)
        )


def _train(options: argparse.Namespace, tell: object) -> int:
    assert callable(tell)
    task = _task(options)
    compute = _paced(task.compute, pause_s=options.pause, hang=options.log.with_suffix(".hang"))
    settings = SessionSettings.from_environment(
        {**os.environ, "ELASTICD_SESSION_CHUNK_BYTES": str(options.chunk_bytes)}
    )
    tell(event="warm")
    parent = os.getppid()
    try:
        with Session.join(
            task.units(), task.apply, batch=task.batch, settings=settings, numbers=1
        ) as session:
            signal.signal(signal.SIGTERM, lambda *_: session.leave())
            tell(event="joined", step=session.step, generation=session.round.number)
            # A test that was killed must leave nothing running.
            while (
                session.is_member and session.step < _goal(options.goal) and os.getppid() == parent
            ):
                outcome = session.run(compute)
                now = session.round
                digest = None if options.no_digests else session.digest()
                tell(
                    event="step" if outcome else "again",
                    step=session.step,
                    generation=now.number,
                    rank=now.rank,
                    world_size=now.world_size,
                    digest=digest,
                )
            if session.is_member:
                session.finish()
            sums = nccl_stand_in.sums()
            tell(
                event="finished" if session.is_member else "left", step=session.step, nccl_sums=sums
            )
    except SessionEnded as ended:
        tell(event="ended", why=str(ended))
        return 3
    torch.save(
        [parameter.detach() for parameter in task.parameters], options.log.with_suffix(".pt")
    )
    return 0


def _task(options: argparse.Namespace) -> Trained:
    dtype = getattr(torch, options.dtype)
    if options.task == "network":
        return Task(dtype=dtype, width=options.width, depth=options.depth)
    from tests.workloads.session.tasks import (
        task_of,  # late: most members need none of what it imports
    )

    return task_of(options.task, options.optimizer, dtype)


def _paced(compute: Compute, *, pause_s: float, hang: Path) -> Compute:
    """Gives what takes longer by a pause, and stands still as long as a file is there."""

    def slowly(turn: SessionStep) -> Sequence[Tensor | None]:
        while hang.exists():
            time.sleep(0.05)
        time.sleep(pause_s if turn.share else 0.0)
        return compute(turn)

    return slowly


def _goal(path: Path) -> float:
    return int(path.read_text()) if path.exists() else math.inf


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
