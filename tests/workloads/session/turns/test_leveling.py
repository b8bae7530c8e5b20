"""Members whose states differ within rounding go on together, brought level."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from torch import Tensor

from elastic.workloads.session import Session, SessionSettings
from elastic.workloads.session.turns.leveling import is_close
from tests.workloads.session.member import BATCH, Task
from tests.workloads.session.stores import serve_store, session_settings

STEPS = 60
Apply = Callable[[Sequence[Tensor | None], int], None]


@pytest.fixture
def settings() -> Iterator[SessionSettings]:
    store = serve_store()
    yield session_settings(f"127.0.0.1:{store.port}", "job", silence_s=5.0, chunk_bytes=1000)
    store.close()


def _rounded_otherwise(task: Task) -> Apply:
    """Gives the task's step with an error in the last digits, as another processor's products of
    matrices have."""

    def apply(gradients: Sequence[Tensor | None], step: int) -> None:
        task.apply(gradients, step)
        for parameter in task.parameters:
            parameter.detach().mul_(1 + 2**-22)

    return apply


@pytest.mark.timeout(60)
def test_members_that_round_otherwise_are_brought_level_and_none_ends(
    settings: SessionSettings, capfd: pytest.CaptureFixture[str]
) -> None:
    tasks = [Task(dtype=torch.float32, width=16) for _ in range(2)]
    weights: list[dict[int, Tensor]] = [{}, {}]

    def train(index: int, apply: Apply) -> None:
        task = tasks[index]
        with Session.join(
            task.units(), apply, batch=BATCH, numbers=1, settings=settings
        ) as session:
            while session.round.world_size < 2:
                session.run(task.compute)
            last = session.step + STEPS
            while session.step < last:
                assert session.run(task.compute) is not None
                weights[index][session.step] = torch.cat(
                    [each.detach().flatten() for each in task.parameters]
                )

    with ThreadPoolExecutor(2) as pool:
        for each in [
            pool.submit(train, 0, tasks[0].apply),
            pool.submit(train, 1, _rounded_otherwise(tasks[1])),
        ]:
            each.result()
    both = sorted(weights[0].keys() & weights[1].keys())
    assert len(both) >= STEPS / 2
    off = [
        float((weights[0][step] - weights[1][step]).norm() / weights[0][step].norm())
        for step in both
    ]
    assert 0 < max(off) <= 12 * 2**-22, (
        "compared at every eighth step at least, and level after that"
    )
    assert capfd.readouterr().err.count("values differed within rounding") == 2, "each says it once"


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16], ids=str)
def test_rounding_is_told_from_a_real_difference_by_half_the_digits(dtype: torch.dtype) -> None:
    values = torch.linspace(-1.0, 1.0, 1001, dtype=torch.float64)
    eps = torch.finfo(dtype).eps
    assert is_close((values * (1 + 2 * eps)).to(dtype), values.to(dtype))
    assert not is_close((values * (1 + 4 * eps**0.5)).to(dtype), values.to(dtype))


def test_counts_are_compared_bit_by_bit_and_the_same_nan_is_no_difference() -> None:
    assert not is_close(torch.tensor([1_000_000]), torch.tensor([1_000_001]))
    broken = torch.tensor([float("nan"), float("inf"), 1.0])
    assert is_close(broken * torch.tensor([1.0, 1.0, 1 + 2**-22]), broken)
    assert not is_close(torch.zeros(3), broken)
    assert not is_close(torch.full((2,), 1e-30), torch.zeros(2))
