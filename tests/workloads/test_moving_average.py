"""The moving average follows the weights: fast at first, then over a thousand steps."""

from __future__ import annotations

import pytest
import torch

from elastic.workloads.arithmetic import ExactArithmetic
from elastic.workloads.moving_average import MovingAverage


def test_it_goes_nine_parts_of_the_steps_and_nine_of_the_way() -> None:
    weight = torch.zeros(3)
    average = MovingAverage([weight])
    by_hand = 0.0
    for step in range(1, 6):
        weight.fill_(float(step))
        average.follow([weight], [torch.tensor(float(step))])
        by_hand += (step - by_hand) * 9 / (step + 9)
    (found,) = average.tensors()
    assert found.tolist() == pytest.approx([by_hand] * 3)


def test_after_nine_thousand_steps_it_covers_a_thousand() -> None:
    weight = torch.ones(1)
    average = MovingAverage([weight])
    average.tensors()[0].zero_()
    average.follow([weight], [torch.tensor(1e6)])
    assert average.tensors()[0].item() == pytest.approx(1e-3, rel=1e-3)


def test_a_parameter_that_no_gradient_moved_is_left_alone() -> None:
    weights = [torch.zeros(2), torch.zeros(2)]
    average = MovingAverage(weights)
    for weight in weights:
        weight.fill_(1.0)
    average.follow([None, weights[1]], [torch.tensor(1.0), torch.tensor(1.0)])
    moved = [each[0].item() for each in average.tensors()]
    assert moved == [0.0, pytest.approx(0.9)]


def test_where_gradients_overflow_it_stays() -> None:
    weight = torch.zeros(2)
    average = MovingAverage([weight])
    weight.fill_(1.0)
    average.follow([weight], [torch.tensor(3.0)], overflow=torch.ones(1))
    assert average.tensors()[0].tolist() == [0.0, 0.0]


def test_it_keeps_the_memory_order_of_its_weights() -> None:
    weight = torch.zeros(4, 3, 2, 2).to(memory_format=torch.channels_last)
    assert MovingAverage([weight]).tensors()[0].stride() == weight.stride()


def test_unlike_processors_round_it_alike() -> None:
    begun, weight = torch.rand(1000), torch.rand(1000)
    parameter = begun.clone()
    average = MovingAverage([parameter])
    parameter.copy_(weight)
    with ExactArithmetic():
        average.follow([parameter], [torch.tensor(41.0)])
    # Below a half: from the average's end, each operation rounded once.
    way = 1 - torch.tensor(41.0) / 50
    assert torch.equal(average.tensors()[0], begun + (weight - begun) * way)
