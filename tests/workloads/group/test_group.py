"""Each worker of a machine has a GPU of its own."""

from __future__ import annotations

import doctest

import pytest
import torch

from elastic.errors import InvalidInput
from elastic.workloads.group import device_of, group
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
