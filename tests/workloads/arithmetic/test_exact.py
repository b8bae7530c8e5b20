"""Exact arithmetic: the same bits on processors that round otherwise, and what torch's own
optimizers come to."""

from __future__ import annotations

import doctest
import os
import subprocess
import sys

import pytest
import torch
from torch import Tensor

from elastic.workloads.arithmetic import ExactArithmetic, arithmetic_of
from elastic.workloads.arithmetic import exact as exact_module
from tests.workloads.arithmetic.exact_runs import (
    VARIANTS,
    drawn,
    trained,
    within,
)

AS_ELSEWHERE = """
from elastic.workloads.arithmetic import ExactArithmetic
from tests.workloads.arithmetic.exact_runs import digests
for digest in digests():
    print(digest)
"""


def _as_on(capability: str) -> dict[str, tuple[str, str]]:
    """Gives by optimizer what a processor of such a capability comes to, exactly and as torch does
    it."""
    environment = {**os.environ, "ATEN_CPU_CAPABILITY": capability, "OMP_NUM_THREADS": "1"}
    output = subprocess.run(
        [sys.executable, "-c", AS_ELSEWHERE],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    ).stdout
    found = {}
    for line in output.splitlines():
        name, _, codes = line.rpartition(": ")
        exact, usual = codes.split()
        found[name] = (exact, usual)
    return found


def test_the_examples_hold() -> None:
    found = doctest.testmod(exact_module)
    assert found.attempted and not found.failed


@pytest.mark.slow
@pytest.mark.skipif(
    torch.backends.cpu.get_cpu_capability() not in ("AVX2", "AVX512"),
    reason="this processor has no unlike kernels",
)
def test_every_optimizer_comes_to_the_same_bits_with_and_without_fused_multiply_adds() -> None:
    plain, fused = _as_on("default"), _as_on("avx2")
    assert {name: exact for name, (exact, _) in plain.items()} == {
        name: exact for name, (exact, _) in fused.items()
    }
    differing = [name for name in plain if plain[name][1] != fused[name][1]]
    assert len(differing) > len(VARIANTS) / 2, (
        "else nothing is shown: torch's own kernels differ for most"
    )


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=str)
def test_exact_arithmetic_takes_the_steps_that_torch_takes(name: str, dtype: torch.dtype) -> None:
    digits = 50 * torch.finfo(dtype).eps
    pairs = zip(
        trained(name, is_exact=True, dtype=dtype),
        trained(name, is_exact=False, dtype=dtype),
        strict=True,
    )
    for exact, usual in pairs:
        assert (exact - usual).norm() <= digits * usual.norm()


def test_narrow_types_are_rounded_once_a_step_not_at_each_operation() -> None:
    own, other, third = drawn(torch.bfloat16, seed=5)[0:1] * 3
    with ExactArithmetic():
        found = torch.addcmul(own, other, third, value=0.1)
    wanted = (own.double() + 0.1 * other.double() * third.double()).to(torch.bfloat16)
    assert found.dtype == torch.bfloat16
    assert (found != wanted).float().mean() < 0.01


def test_a_spike_of_gradients_is_survived_as_without() -> None:
    for name in ("AdamW", "AdamW, fused", "Adam, AMSGrad, by lists", "RMSprop", "Adagrad, fused"):
        exact, usual = (_with_a_spike(name, is_exact=is_exact) for is_exact in (True, False))
        assert torch.allclose(exact, usual, rtol=1e-5) and exact.isfinite().all()
    with ExactArithmetic():
        assert torch.full((5,), 1e20).norm().item() == torch.inf
        assert torch.tensor([0.0, torch.inf, 4.0]).sqrt().tolist() == [0.0, torch.inf, 2.0]


def _with_a_spike(name: str, *, is_exact: bool) -> Tensor:
    kind, options = VARIANTS[name]
    weight = torch.ones(3, requires_grad=True)
    # Centred, a processor without fused multiply-adds has infinity less infinity, by torch's own
    # kernels too.
    optimizer = kind(
        [weight],
        **{each: value for each, value in options.items() if each not in ("centered", "maximize")},
    )
    for gradient in (0.5, 0.5, 1e22, 0.5):
        weight.grad = torch.full((3,), gradient)
        within(optimizer.step, is_exact=is_exact)
    return weight.detach()


def test_numbers_that_are_no_floats_of_one_type_are_left_to_torch() -> None:
    counts, wide = torch.tensor([2, 3]), torch.ones(2, dtype=torch.float64)

    def results() -> list[Tensor]:
        complex_ = torch.tensor([1 + 2j, 3j])
        lists = [counts.float(), counts.double()]
        return [
            *(counts.sqrt(), counts.rsqrt(), 1 / counts, complex_.sqrt(), complex_.norm().real),
            *(
                counts.float().addcmul(counts.float(), wide),
                counts.bfloat16().addcmul(counts.bfloat16(), wide),
            ),
            *torch._foreach_addcmul(lists, lists[::-1], lists, value=0.5),  # noqa: SLF001 (torch has no other name)
            torch.add(counts.float(), wide.float(), alpha=0.5, out=torch.empty(0)),
        ]

    with ExactArithmetic():
        exact = results()
    for found, wanted in zip(exact, results(), strict=True):
        assert found.dtype == wanted.dtype and torch.allclose(found, wanted)


def test_a_process_with_another_number_of_threads_calculates_otherwise() -> None:
    threads = torch.get_num_threads()
    try:
        found = set()
        for count in (1, 2):
            torch.set_num_threads(count)
            found.add(arithmetic_of(torch.device("cpu")))
        assert len(found) == 2
    finally:
        torch.set_num_threads(threads)


def test_whole_numbers_and_other_operations_are_left_alone() -> None:
    with ExactArithmetic():
        assert torch.arange(5).sum().item() == 10 and torch.tensor([3]).add(2, alpha=4).item() == 11
        assert torch.arange(6.0).reshape(2, 3).sum(0).tolist() == [3.0, 5.0, 7.0]
        assert torch.eye(2).matmul(torch.ones(2, 1)).tolist() == [[1.0], [1.0]]


def test_one_processor_is_like_itself() -> None:
    assert arithmetic_of(torch.device("cpu")) == arithmetic_of(torch.device("cpu"))
