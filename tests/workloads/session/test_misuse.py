"""What a script does wrong is said at once, in its own words, and nothing is trained with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
import torch
from torch import Tensor
from torch.distributed import TCPStore  # type: ignore[attr-defined]  # torch forgets to export it

from elastic.errors import InvalidInput
from elastic.workloads.session import Session, Settings, Turn

GRADIENTS = (torch.ones(2, 3), torch.ones(2))


@pytest.fixture
def settings() -> Iterator[Settings]:
    store = TCPStore("127.0.0.1", 0, None, True, wait_for_workers=False)
    yield Settings(f"127.0.0.1:{store.port}", "job", silence_s=5.0)
    del store


class Descent:
    """Two parameters, moved against their gradients."""

    def __init__(self) -> None:
        self.parameters = [torch.zeros(2, 3), torch.zeros(2)]

    def units(self) -> list[tuple[Tensor, ...]]:
        return [(parameter,) for parameter in self.parameters]

    def apply(self, gradients: Sequence[Tensor | None], step: int) -> None:
        for parameter, gradient in zip(self.parameters, gradients, strict=True):
            if gradient is not None:
                parameter.sub_(gradient)


def _compute(turn: Turn) -> Sequence[Tensor]:
    return GRADIENTS


def test_apply_may_not_change_its_gradients_in_place(settings: Settings) -> None:
    task = Descent()

    def decay(gradients: Sequence[Tensor | None], step: int) -> None:
        for parameter, gradient in zip(task.parameters, gradients, strict=True):
            if gradient is not None:
                gradient.add_(parameter, alpha=0.01)
        task.apply(gradients, step)

    with Session.join(task.units(), decay, batch=4, settings=settings) as session:
        with pytest.raises(InvalidInput, match="apply: wanted the gradients left as they are, found them changed"):
            session.run(_compute)
        assert session.step == 0


def test_apply_may_work_on_new_tensors(settings: Settings) -> None:
    task = Descent()

    def halve(gradients: Sequence[Tensor | None], step: int) -> None:
        task.apply([None if gradient is None else gradient * 0.5 for gradient in gradients], step)

    with Session.join(task.units(), halve, batch=4, settings=settings) as session:
        session.run(_compute)
    assert task.parameters[1].tolist() == [-0.5, -0.5]
