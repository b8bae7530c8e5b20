"""What a GPU computes in follows from its capability, and torch is told so."""

from __future__ import annotations

import doctest
from collections.abc import Iterator
from typing import Any

import pytest
import torch

from elastic.workloads.arithmetic import Arithmetic, arithmetic, set_up, use
from elastic.workloads.arithmetic.arithmetic import arithmetic_for


@pytest.fixture
def settings() -> Iterator[None]:
    before = (
        torch.get_float32_matmul_precision(),
        torch.backends.cudnn.allow_tf32,
        torch.backends.cudnn.benchmark,
    )
    yield
    torch.set_float32_matmul_precision(before[0])
    torch.backends.cudnn.allow_tf32, torch.backends.cudnn.benchmark = before[1:]


def told() -> tuple[str, str, bool]:
    convolutions: Any = torch.backends.cudnn
    products = torch.backends.cuda.matmul.fp32_precision, convolutions.conv.fp32_precision
    return *products, torch.backends.cudnn.benchmark


def test_the_examples_hold() -> None:
    found = doctest.testmod(arithmetic)
    assert found.attempted and not found.failed


@pytest.mark.parametrize(
    ("capability", "products"),
    [((7, 0), "ieee"), ((7, 5), "ieee"), ((8, 0), "tf32"), ((9, 0), "tf32")],
)
def test_tf32_is_for_gpus_that_have_it(capability: tuple[int, int], products: str) -> None:
    assert arithmetic_for(capability, has_fixed_shapes=True).products == products


@pytest.mark.usefixtures("settings")
def test_torch_is_told_of_both_products_and_convolutions() -> None:
    use(Arithmetic("tf32", tries_kernels=True))
    assert told() == ("tf32", "tf32", True)
    use(Arithmetic("ieee", tries_kernels=False))
    assert told() == ("ieee", "none", False)
    torch.get_float32_matmul_precision()  # raises where both of torch's ways were used


@pytest.mark.usefixtures("settings")
def test_a_cpu_keeps_what_torch_has() -> None:
    before = told()
    assert set_up(torch.device("cpu"), has_fixed_shapes=True) == Arithmetic(
        "ieee", tries_kernels=False
    )
    assert told() == before
