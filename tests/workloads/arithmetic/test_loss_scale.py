"""The loss scale moves as torch's own does, by what summed gradients hold."""

from __future__ import annotations

import pytest
import torch

from elastic.errors import InvalidInput
from elastic.workloads.arithmetic import LossScale

CPU = torch.device("cpu")


def gradients(value: float) -> list[torch.Tensor]:
    return [torch.ones(2, 3), torch.full((4,), value)]


def test_gradients_are_divided_by_the_scale_in_place() -> None:
    scale, scaled = LossScale(CPU), gradients(65536.0)
    assert scale.unscale(scaled).item() == 0.0
    assert scaled[1].tolist() == [1.0] * 4 and scaled[0][0, 0].item() == 1 / 65536


@pytest.mark.parametrize("value", [float("inf"), float("-inf"), float("nan")])
def test_what_is_not_finite_is_an_overflow_and_halves_the_scale(value: float) -> None:
    scale = LossScale(CPU)
    assert scale.unscale(gradients(value)).item() == 1.0
    assert scale.read() == 32768.0


def test_it_moves_as_torch_s_own_scaler_does() -> None:
    weight = torch.nn.Parameter(torch.ones(1))
    theirs, optimizer = torch.amp.GradScaler("cpu"), torch.optim.SGD([weight], lr=0.0)
    ours = LossScale(CPU)
    found = []
    for turn in range(4200):
        value = float("inf") if turn in (0, 5, 6, 2100) else 1.0
        theirs.scale(weight.sum())  # it begins to count at its first use
        weight.grad = torch.full((1,), value)
        theirs.step(optimizer)
        theirs.update()
        ours.unscale([torch.full((1,), value)])
        found.append((ours.read(), theirs.get_scale()))
    assert all(mine == torchs for mine, torchs in found)
    assert {mine for mine, _ in found} == {32768.0, 16384.0, 8192.0, 4096.0, 2 * 8192.0} - {4096.0}


def test_a_scale_that_helps_nothing_ends_the_job_with_a_sentence() -> None:
    scale = LossScale(CPU)
    for _ in range(16 + 14):
        scale.unscale(gradients(float("nan")))
    with pytest.raises(InvalidInput, match="overflow fp16 even with losses multiplied by"):
        scale.read()
