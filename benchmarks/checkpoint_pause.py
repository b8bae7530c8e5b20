"""What a checkpoint takes from training: ``python benchmarks/checkpoint_pause.py``.

The same steps three ways in turn, in blocks: without a checkpoint, with one written in line, and
with one that is copied and written beside them. Ratios of a block's time to the block without; the
longest step; one torch thread, as on the nodes. `--blocks` rounds, the median of each.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import torch

from elastic.workloads import Rhythm
from elastic.workloads.checkpoint import BackgroundSaver, Checkpoints, Saved

STEPS = 40


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--blocks", type=int, default=5)
    parser.add_argument("--megabytes", type=int, default=100, help="of state")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    state = {"units": [torch.randn(1 << 18) for _ in range(arguments.megabytes)]}
    costs: list[Saved] = []
    with tempfile.TemporaryDirectory() as folder:
        checkpoints = Checkpoints(Path(folder), "benchmark", "")
        saver = BackgroundSaver(checkpoints, Rhythm(STEPS), at=0, tell=costs.append)
        ways: dict[str, Callable[[int], object]] = {
            "none": lambda _: None,
            "in line": lambda number: checkpoints.save(number, state),
            "beside": lambda number: saver.take(number, state),
        }
        saver.take(1, state)  # memory for the copy is asked for once
        saver.finish()
        found: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
        for block in range(arguments.blocks):
            for name, save in ways.items():
                found[name].append(_block(save, number=block + 2))
                saver.finish()
    _print(found, costs)


def _block(save: Callable[[int], object], *, number: int) -> tuple[float, float]:
    """Gives the seconds that a block took, and its longest step."""
    left, right = torch.randn(900, 900), torch.randn(900, 900)
    steps = []
    for step in range(STEPS):
        begun = time.perf_counter()
        if step == 2:
            save(number)
        for _ in range(2):
            torch.mm(left, right)
        steps.append(time.perf_counter() - begun)
    return sum(steps), max(steps)


def _print(found: dict[str, list[tuple[float, float]]], costs: list[Saved]) -> None:
    plain_s = [total for total, _ in found["none"]]
    print(f"{'checkpoint':12}{'block s':>10}{'ratio':>8}{'longest step s':>16}")
    for name, blocks in found.items():
        ratios = [total / plain for (total, _), plain in zip(blocks, plain_s, strict=True)]
        total, longest = (statistics.median(each) for each in zip(*blocks, strict=True))
        print(f"{name:12}{total:10.2f}{statistics.median(ratios):8.2f}{longest:16.3f}")
    spent_s, took_s = (
        statistics.median(each)
        for each in zip(*((c.cost_s, c.elapsed_s) for c in costs), strict=True)
    )
    print(f"copying and writing took {spent_s:.2f} s of one processor, {took_s:.2f} s in all")


if __name__ == "__main__":
    main()
