"""One rank of a real gloo group that trains in fp16; the second one's gradients overflow in the
third turn.

Each rank keeps its state before that turn, after it, and after one more.
"""

from __future__ import annotations

import sys
from pathlib import Path

import torch

from elastic.workloads.esrgan.training import SampleBatch
from elastic.workloads.group import joined
from tests.workloads.esrgan.builders import a_batch, fp16_stepper, tiny_options

POISONED = 2


def main(folder: Path) -> None:
    options = tiny_options()
    with joined(timeout_s=options.collective_timeout_s) as group:
        networks, stepper = fp16_stepper(options, group)
        for turn in range(4):
            whole, half = a_batch(4), slice(2 * group.rank, 2 * group.rank + 2)
            high = whole.high[half] * (1e30 if turn == POISONED and not group.is_first else 1.0)
            batch = SampleBatch(whole.low[half], high, whole.weights[half])
            if turn >= POISONED:
                keep(networks.tensors(), folder / f"rank-{group.rank}-before-{turn}.pt")
            stepper.gan_turn(batch, lr=1e-3, stop=False)
        keep(networks.tensors(), folder / f"rank-{group.rank}-end.pt")


def keep(tensors: list[torch.Tensor], path: Path) -> None:
    torch.save([each.clone() for each in tensors], path)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
