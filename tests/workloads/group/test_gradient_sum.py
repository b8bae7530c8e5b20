"""Gradients are summed bucket by bucket, the first ones while the backward pass goes on."""

from __future__ import annotations

import copy
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest
import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed import HashStore, ProcessGroupGloo  # type: ignore[attr-defined]  # torch forgets to export them

from elastic.workloads.group import GradientSum, ProcessGroup


class Done:
    """A sum that has come."""

    def wait(self) -> None:
        """Returns at once."""


@dataclass(frozen=True, slots=True)
class Recording(ProcessGroup):
    """A group of two whose other rank has zeros only; keeps the size of each message in the order
    they were sent."""

    sent: list[Any] = field(default_factory=list)

    def begin_sum(self, values: Tensor) -> Any:
        self.sent.append(values.numel())
        return Done()


@dataclass(frozen=True, slots=True)
class Threads(ProcessGroup):
    """A rank of a real gloo group that lives in one of this process's threads."""

    gloo: Any = None

    def begin_sum(self, values: Tensor) -> Any:
        options = dist.AllreduceOptions()
        return self.gloo.allreduce([values], options)


@pytest.fixture
def recording() -> Recording:
    return Recording(rank=0, world_size=2, device=torch.device("cpu"))


def model(dtype: torch.dtype = torch.float64) -> nn.Sequential:
    torch.manual_seed(3)
    layers = [
        nn.Conv2d(3, 5, 3, padding=1),
        nn.Tanh(),
        nn.Conv2d(5, 4, 3, padding=1),
        nn.Tanh(),
        nn.Conv2d(4, 3, 1),
    ]
    return nn.Sequential(*layers).to(dtype).to(memory_format=torch.channels_last)  # type: ignore[call-overload,no-any-return]


def loss_of(network: nn.Module, images: Tensor) -> Tensor:
    found: Tensor = network(images)
    return found.square().sum()


def test_buckets_are_sent_while_the_backward_pass_goes_on(recording: Recording) -> None:
    network = model()
    weights = list(network.parameters())
    sums = GradientSum(weights, recording, bucket_bytes=1)
    weights[0].register_hook(lambda gradient: recording.sent.append("the first layer's gradient"))  # type: ignore[no-untyped-call]
    gradients = torch.autograd.grad(loss_of(network, torch.ones(2, 3, 4, 4).double()), weights)
    # All buckets but the last, and what the hook here wrote.
    assert len(recording.sent) == len(weights)
    assert recording.sent.index("the first layer's gradient") >= 4
    sums.start(gradients)
    assert len(recording.sent) == len(weights) + 1


def test_buckets_hold_so_many_bytes_and_little_more(recording: Recording) -> None:
    weights = [torch.zeros(10, requires_grad=True) for _ in range(5)]
    sums = GradientSum(weights, recording, control=3, bucket_bytes=2 * 48)
    sums.start([torch.ones(10)] * 5, torch.ones(3))
    assert recording.sent == [24, 24, 12 + 3], (
        "10 floats take the place of 12, so that all are aligned"
    )


def test_a_small_model_goes_in_one_message_with_its_control(recording: Recording) -> None:
    network = model()
    weights = list(network.parameters())
    sums = GradientSum(weights, recording, control=2)
    gradients = torch.autograd.grad(loss_of(network, torch.ones(2, 3, 4, 4).double()), weights)
    assert recording.sent == []
    sums.start(gradients, torch.tensor([7.0, 8.0]).double())
    found, control = sums.finish()
    assert len(recording.sent) == 1
    assert control.tolist() == [7.0, 8.0]
    assert all(torch.equal(one, other) for one, other in zip(found, gradients, strict=True))


def test_the_order_of_messages_is_the_buckets_whatever_order_the_gradients_come_in(
    recording: Recording,
) -> None:
    weights = [torch.zeros(size, requires_grad=True) for size in (4, 8, 12)]
    sums = GradientSum(weights, recording, bucket_bytes=1)
    # The loss uses the last weight first, so that its gradient is the last to come.
    value = weights[2].sum()
    for weight in (weights[1], weights[0]):
        value = (value * (weight + 1.0)).sum()
    sums.start(torch.autograd.grad(value, weights))
    assert recording.sent == [12, 8, 4]


@pytest.mark.parametrize("bucket_bytes", [1, 600, 10**6])
def test_the_sums_are_the_gradients_of_the_whole_batch(bucket_bytes: int) -> None:
    images = torch.rand(4, 3, 6, 6, generator=torch.Generator().manual_seed(1)).double()
    alone = model()
    wanted = torch.autograd.grad(loss_of(alone, images), list(alone.parameters()))

    def rank(number: int, store: Any) -> list[list[Tensor]]:
        group = Threads(
            number,
            2,
            torch.device("cpu"),
            gloo=ProcessGroupGloo(store, number, 2, timedelta(seconds=20)),
        )
        # Torch's seed is the process's, and the other rank is one of its threads.
        network = copy.deepcopy(alone)
        weights = list(network.parameters())
        sums, found = GradientSum(weights, group, control=1, bucket_bytes=bucket_bytes), []
        for _ in range(2):
            part = images[2 * number : 2 * number + 2]
            gradients = torch.autograd.grad(loss_of(network, part), weights)
            sums.start(gradients, torch.tensor([number + 1.0]).double())
            summed, control = sums.finish()
            assert control.tolist() == [3.0]
            found.append([each.clone() for each in summed])
        return found

    for found in in_threads(rank):
        for summed in found:
            for one, other in zip(summed, wanted, strict=True):
                torch.testing.assert_close(one, other, rtol=1e-12, atol=1e-12)
                assert one.stride() == other.stride()


def in_threads(rank: Callable[[int, Any], list[list[Tensor]]]) -> list[list[list[Tensor]]]:
    store = HashStore()
    with ThreadPoolExecutor(2) as threads:
        return list(threads.map(rank, range(2), [store, store]))


def test_a_second_pass_before_the_first_was_summed_is_refused(recording: Recording) -> None:
    network = model()
    weights = list(network.parameters())
    sums = GradientSum(weights, recording, bucket_bytes=100)

    def one_pass() -> list[Tensor]:
        return list(
            torch.autograd.grad(network(torch.ones(1, 3, 4, 4, dtype=torch.float64)).sum(), weights)
        )

    sums.start(one_pass())
    sums.finish()
    one_pass()
    with pytest.raises(RuntimeError, match=r"wanted start\(\) after each backward pass"):
        one_pass()
