"""An alias has its parameter's values for as long as the parameter stays in its memory."""

from __future__ import annotations

import doctest
import gc
import weakref

import torch

from elastic.workloads import alias
from elastic.workloads.alias import alias_of, is_stale


def test_the_examples_hold() -> None:
    found = doctest.testmod(alias)
    assert found.attempted and not found.failed


def test_an_alias_moves_with_its_parameter_s_memory_and_does_not_outlive_itself() -> None:
    parameter = torch.nn.Parameter(torch.zeros(3))
    other = alias_of(parameter)
    other.add_(1)
    parameter.share_memory_()  # type: ignore[no-untyped-call]  # torch leaves it untyped
    assert parameter.tolist() == [1, 1, 1] and not is_stale(other) and not other.requires_grad
    assert not is_stale(torch.zeros(3)), "it is no alias"
    seen = weakref.ref(parameter)
    del other, parameter
    gc.collect()
    assert seen() is None
