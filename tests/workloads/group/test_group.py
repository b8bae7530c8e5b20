"""Each worker of a machine has a GPU of its own."""

from __future__ import annotations

import doctest

import pytest
import torch
from torch import Tensor

from elastic.errors import InvalidInput
from elastic.workloads.group import SumOverRanks, device_of, group
from elastic.workloads.group.group import gpu_of


def test_the_examples_hold() -> None:
    found = doctest.testmod(group)
    assert found.attempted and not found.failed


def test_a_worker_without_a_gpu_of_its_own_is_told_how_many_there_are() -> None:
    with pytest.raises(
        InvalidInput, match="LOCAL_RANK 1: wanted a GPU for each worker of this machine, found 1;"
    ):
        gpu_of(1, 1)


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a GPU")
def test_without_gpus_all_workers_share_the_processor() -> None:
    assert device_of(3) == torch.device("cpu")


def test_a_sum_over_ranks_may_be_derived_twice_as_a_gradient_penalty_does() -> None:
    def twins(values: Tensor) -> Tensor:
        """Sums over two ranks that hold the same values."""
        values.detach().mul_(2)
        return values

    def cubed(values: Tensor) -> Tensor:
        total: Tensor = SumOverRanks.apply(values, twins)  # type: ignore[no-untyped-call]
        return total**3

    found = torch.tensor([0.5, -1.0], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(cubed, found)
    assert torch.autograd.gradgradcheck(cubed, found)
