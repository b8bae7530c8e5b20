"""However the global batch is divided over ranks, the training is that of one process."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from elastic.workloads.photographs import open_photographs
from tests.workloads.esrgan.builders import alone, tiny_options, train_in_float64, write_photographs
from tests.workloads.esrgan.ranks import run_ranks


@pytest.mark.slow
@pytest.mark.parametrize(
    "shares", [(2, 2), (3, 1, 0)], ids=["even", "uneven, one rank with nothing"]
)
def test_any_division_of_the_batch_trains_what_one_process_trains(
    shares: tuple[int, ...], tmp_path: Path
) -> None:
    folder = write_photographs(tmp_path / "photographs")
    together = _train_together(folder, tmp_path / "state.pt", shares)
    options = tiny_options(data=str(folder))
    photographs, _ = open_photographs(str(folder), None, height=16, width=32, channels=3)
    by_itself = train_in_float64(options, alone(), photographs, (4,))
    furthest = max((a - b).abs().max().item() for a, b in zip(together, by_itself, strict=True))
    # Rounding alone: Adam divides by the root of tiny second moments, which lifts 1e-17 in a
    # gradient to 1e-11 here.
    assert furthest < 1e-9
    untrained = train_in_float64(
        tiny_options(data=str(folder), iterations=1), alone(), photographs, (4,)
    )
    assert max((a - b).abs().max().item() for a, b in zip(untrained, by_itself, strict=True)) > 1e-4


def _train_together(folder: Path, target: Path, shares: tuple[int, ...]) -> list[torch.Tensor]:
    arguments = (str(folder), str(target), json.dumps(shares))
    run_ranks("tests.workloads.esrgan.one_rank", *arguments, ranks=len(shares))
    state: list[torch.Tensor] = torch.load(target, weights_only=True)
    return state
