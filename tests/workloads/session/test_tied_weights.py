"""Weights that are used twice, and units that share memory."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from torch import Tensor, nn

from elastic.errors import InvalidInput
from elastic.workloads.adam import Adam
from elastic.workloads.session import Session, SessionSettings, SessionStep
from tests.workloads.session.member import BATCH
from tests.workloads.session.running import assert_near
from tests.workloads.session.stores import serve_store, session_settings

STEPS = 20


class Tied:
    """A network whose first and last layers are one weight."""

    def __init__(self) -> None:
        self.model = nn.Sequential(
            nn.Linear(4, 3, bias=False), nn.Tanh(), nn.Linear(3, 4), nn.Linear(4, 3, bias=False)
        )
        self.model[3].weight = self.model[0].weight
        self.model.double()
        chance = torch.Generator().manual_seed(7)
        self.parameters: list[Tensor] = list(self.model.parameters())
        for parameter in self.parameters:
            nn.init.normal_(parameter, std=0.3, generator=chance)
        self.adam = Adam(self.parameters, b1=0.9, b2=0.999)
        self.x = torch.randn(STEPS * BATCH, 4, generator=chance, dtype=torch.float64)

    def apply(self, gradients: Sequence[Tensor | None], step: int) -> None:
        self.adam.step(gradients, lr=1e-2)

    def gradients(self, places: Sequence[int]) -> Sequence[Tensor]:
        return torch.autograd.grad(
            self.model(self.x[places]).square().sum() / BATCH, self.parameters
        )

    def compute(self, turn: SessionStep) -> Sequence[Tensor]:
        return self.gradients([place % len(self.x) for place in turn.places()])


@pytest.fixture
def settings() -> Iterator[SessionSettings]:
    store = serve_store()
    yield session_settings(f"127.0.0.1:{store.port}", "job", silence_s=5.0, chunk_bytes=1)
    store.close()


def test_a_weight_of_two_layers_is_one_unit_and_trains_as_without_a_session(
    settings: SessionSettings,
) -> None:
    both = threading.Barrier(2)

    def member() -> tuple[int, list[Tensor], str]:
        task = Tied()
        with Session.join(task.adam.units(), task.apply, batch=BATCH, settings=settings) as session:
            while session.round.world_size == 1:
                session.run(task.compute)
            both.wait(60)
            for _ in range(STEPS):
                session.run(task.compute)
            assert session.finish(lambda: None)
            return session.step, task.parameters, session.digest()

    with ThreadPoolExecutor(2) as pool:
        (step, first, digest), (_, _, other) = (
            each.result() for each in [pool.submit(member), pool.submit(member)]
        )
    alone = Tied()
    assert len(alone.parameters) == 3 and digest == other
    for turn in range(step):
        places = [place % len(alone.x) for place in range(turn * BATCH, (turn + 1) * BATCH)]
        alone.apply(alone.gradients(places), turn)
    assert_near(
        [each.detach() for each in first],
        [each.detach() for each in alone.parameters],
        tolerance=1e-12,
    )


def _unit(weight: Tensor) -> tuple[Tensor, ...]:
    return Adam([weight], b1=0.9, b2=0.999).units()[0]


WEIGHT = torch.zeros(3, 3)


@pytest.mark.parametrize(
    "units",
    [
        [_unit(WEIGHT), _unit(WEIGHT)],
        [_unit(WEIGHT), _unit(WEIGHT.t())],
        [_unit(WEIGHT[:2]), _unit(WEIGHT[1:])],
        [_unit(WEIGHT), (torch.zeros(3), WEIGHT[1])],
    ],
    ids=["in two optimizers", "transposed", "parts", "another's moment"],
)
def test_units_that_share_memory_are_refused(
    settings: SessionSettings, units: list[tuple[Tensor, ...]]
) -> None:
    with pytest.raises(InvalidInput, match=r"unit 1: .* a tied weight is one unit") as refused:
        Session.join(units, lambda gradients, step: None, batch=BATCH, settings=settings).close()
    assert refused.value.field == "units"
