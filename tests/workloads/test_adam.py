"""Our Adam against torch's own."""

from __future__ import annotations

import pytest
import torch

from elastic.errors import InvalidInput
from elastic.workloads.adam import Adam


@pytest.mark.slow  # torch.optim imports torch._dynamo
def test_does_exactly_what_torch_optim_adam_does() -> None:
    random = torch.Generator().manual_seed(0)
    shapes = [(8, 3, 3, 3), (8,), (4, 8, 3, 3)]
    start = [torch.randn(shape, generator=random) for shape in shapes]
    start[0] = start[0].to(memory_format=torch.channels_last)
    ours = [tensor.clone() for tensor in start]
    theirs = [tensor.clone().requires_grad_() for tensor in start]
    adam = Adam(ours, b1=0.8, b2=0.99)
    reference = torch.optim.Adam(theirs, lr=1.0, betas=(0.8, 0.99), fused=True)
    for turn in range(20):
        lr = 0.01 / (turn + 1)
        # In plain memory order, unlike the first parameter: the gradient must be laid out anew.
        gradients = [torch.randn(shape, generator=random) for shape in shapes]
        adam.step(gradients, lr=lr)
        reference.param_groups[0]["lr"] = lr
        for parameter, gradient in zip(theirs, gradients, strict=True):
            parameter.grad = torch.empty_like(parameter).copy_(gradient)
        reference.step()
    assert all(torch.equal(a, b) for a, b in zip(ours, theirs, strict=True))


def test_memory_order_makes_no_difference() -> None:
    weight, gradient = torch.randn(8, 3, 3, 3), torch.randn(8, 3, 3, 3)
    plain, last = weight.clone(), weight.to(memory_format=torch.channels_last, copy=True)
    for tensor, given in (
        (plain, gradient.to(memory_format=torch.channels_last)),
        (last, gradient),
    ):
        adam = Adam([tensor], b1=0.9, b2=0.999)
        for _ in range(3):
            adam.step([given], lr=0.1)
    assert torch.equal(plain, last)


def test_any_order_of_dimensions_is_as_good() -> None:
    weight, gradient = torch.randn(8, 3), torch.randn(8, 3)
    plain, turned = weight.clone(), weight.t().contiguous().t()
    for tensor in (plain, turned):
        Adam([tensor], b1=0.9, b2=0.999).step([gradient], lr=0.1)
    assert torch.equal(plain, turned) and not torch.equal(plain, weight)


def test_refuses_a_parameter_with_gaps_in_memory() -> None:
    with pytest.raises(InvalidInput, match=r"parameter 1: .*strides \(60, 20, 5, 1\)"):
        Adam([torch.zeros(3), torch.zeros(2, 3, 4, 5)[:, :, :, :2]], b1=0.9, b2=0.999)


def test_state_can_be_copied_out_and_in() -> None:
    weights = [torch.ones(3)]
    adam = Adam(weights, b1=0.9, b2=0.999)
    adam.step([torch.tensor([1.0, 2.0, 3.0])], lr=0.1)
    twin_weights = [weights[0].clone()]
    twin = Adam(twin_weights, b1=0.9, b2=0.999)
    for mine, other in zip(twin.tensors(), adam.tensors(), strict=True):
        mine.copy_(other)
    for either in (adam, twin):
        either.step([torch.tensor([-1.0, 0.5, 0.0])], lr=0.1)
    assert torch.equal(weights[0], twin_weights[0])
