"""The examples of how tensors lie in memory."""

from __future__ import annotations

import doctest

import torch

from elastic.workloads import layout


def test_the_examples_hold() -> None:
    found = doctest.testmod(layout)
    assert found.attempted and not found.failed


def test_dimensions_of_one_place_nothing() -> None:
    thin = torch.zeros(4, 3)[:, :1]
    assert not layout.is_dense(thin) and not layout.overlaps(thin)
    assert layout.is_dense(torch.zeros(1, 8, 3, 3).to(memory_format=torch.channels_last))
    assert layout.is_dense(torch.zeros(5)[2:3].expand(1, 1))
