"""The examples of how tensors lie in memory."""

from __future__ import annotations

import doctest
import gc
import weakref

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


def test_tensors_that_lie_between_each_other_share_nothing() -> None:
    flat = torch.zeros(24)
    pieces = [[each] for each in torch.split(flat, 5)]
    columns = [[each] for each in torch.split(flat.view(4, 6), 2, dim=1)]
    assert layout.shares_memory(pieces) is None and layout.shares_memory(columns) is None
    assert layout.shares_memory([[torch.zeros(0), flat], [torch.zeros(0)]]) is None
    assert layout.shares_memory([[flat, flat], [torch.zeros(24)]]) is None, (
        "within a group it may be so"
    )
    assert layout.shares_memory([*pieces, columns[0]]) == len(pieces)
    assert layout.shares_memory([columns[0], columns[1], [flat.view(torch.uint8)[8:12]]]) == 2, (
        "of another type too"
    )
    assert layout.shares_memory([columns[0], [torch.zeros(3)], [flat], columns[1]]) == 2


def test_an_alias_moves_with_its_parameter_s_memory_and_does_not_outlive_itself() -> None:
    parameter = torch.nn.Parameter(torch.zeros(3))
    other = layout.alias_of(parameter)
    other.add_(1)
    parameter.share_memory_()  # type: ignore[no-untyped-call]  # torch leaves it untyped
    assert (
        parameter.tolist() == [1, 1, 1] and not layout.is_stale(other) and not other.requires_grad
    )
    assert not layout.is_stale(torch.zeros(3)), "it is no alias"
    seen = weakref.ref(parameter)
    del other, parameter
    gc.collect()
    assert seen() is None
