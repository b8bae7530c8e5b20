"""However the global batch is divided over ranks, the training is that of one process."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from elastic.workloads.photographs import open_photographs
from tests.workloads.esrgan.builders import alone, tiny_options, train_in_float64, write_photographs

REPOSITORY = Path(__file__).parents[3]


@pytest.mark.slow
@pytest.mark.parametrize("shares", [(2, 2), (3, 1, 0)], ids=["even", "uneven, one rank with nothing"])
def test_any_division_of_the_batch_trains_what_one_process_trains(shares: tuple[int, ...], tmp_path: Path) -> None:
    folder = write_photographs(tmp_path / "photographs")
    together = _train_together(folder, tmp_path / "state.pt", shares)
    options = tiny_options(data=str(folder))
    photographs, _ = open_photographs(str(folder), None, height=16, width=32, channels=3)
    by_itself = train_in_float64(options, alone(), photographs, (4,))
    furthest = max((a - b).abs().max().item() for a, b in zip(together, by_itself, strict=True))
    # Rounding alone: Adam divides by the root of tiny second moments, which lifts 1e-17 in a gradient to 1e-11 here.
    assert furthest < 1e-9
    untrained = train_in_float64(tiny_options(data=str(folder), iterations=1), alone(), photographs, (4,))
    assert max((a - b).abs().max().item() for a, b in zip(untrained, by_itself, strict=True)) > 1e-4


def _train_together(folder: Path, target: Path, shares: tuple[int, ...]) -> list[torch.Tensor]:
    port = _free_port()
    ranks = []
    for rank in range(len(shares)):
        environment = {
            **os.environ,
            "RANK": str(rank),
            "WORLD_SIZE": str(len(shares)),
            "LOCAL_RANK": str(rank),
            "MASTER_ADDR": "127.0.0.1",
            "MASTER_PORT": str(port),
            "OMP_NUM_THREADS": "1",
            "PYTHONPATH": str(REPOSITORY),
        }
        command = [sys.executable, "-m", "tests.workloads.esrgan.one_rank", str(folder), str(target)]
        ranks.append(subprocess.Popen([*command, json.dumps(shares)], env=environment, cwd=REPOSITORY))
    try:
        assert [process.wait(timeout=90) for process in ranks] == [0] * len(shares)
    finally:
        for process in ranks:
            process.kill()
    state: list[torch.Tensor] = torch.load(target, weights_only=True)
    return state


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
