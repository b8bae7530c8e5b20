"""torch's optimizers train in a session what they train without one, from their first step on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy

import pytest
import torch
from torch import Tensor, optim
from torch.distributed import TCPStore  # type: ignore[attr-defined]  # torch forgets to export it

from elastic.errors import InvalidInput
from elastic.workloads.session import Session, Settings, Turn, optimizer_units
from elastic.workloads.session.optimizers import FRESH

STEPS = 30
INPUTS = torch.randn(20, 8, generator=torch.Generator().manual_seed(3), dtype=torch.float64)

Make = Callable[[list[Tensor]], optim.Optimizer]

OPTIMIZERS: dict[str, Make] = {
    "ASGD": lambda all_: optim.ASGD(all_, lr=1e-2, weight_decay=1e-2),
    "Adadelta": lambda all_: optim.Adadelta(all_, weight_decay=1e-2),
    "Adafactor": lambda all_: optim.Adafactor(all_, weight_decay=1e-2),
    "Adagrad": lambda all_: optim.Adagrad(all_, lr=1e-2, initial_accumulator_value=0.1, weight_decay=1e-2),
    "Adam": lambda all_: optim.Adam(all_, lr=1e-2, weight_decay=1e-2),
    "Adam amsgrad": lambda all_: optim.Adam(all_, lr=1e-2, amsgrad=True, foreach=False),
    "Adam fused": lambda all_: optim.Adam(all_, lr=1e-2, weight_decay=1e-2, fused=True),
    "AdamW": lambda all_: optim.AdamW(all_, lr=1e-2),
    "AdamW of two groups": lambda all_: optim.AdamW([{"params": [each], "lr": 0.1 ** each.dim()} for each in all_]),
    "Adamax": lambda all_: optim.Adamax(all_, lr=1e-2, weight_decay=1e-2),
    "Muon": lambda all_: optim.Muon(all_[:1], lr=1e-2),
    "NAdam": lambda all_: optim.NAdam(all_, lr=1e-2, weight_decay=1e-2),
    "RAdam": lambda all_: optim.RAdam(all_, lr=1e-2, weight_decay=1e-2),
    "RMSprop": lambda all_: optim.RMSprop(all_, lr=1e-2, centered=True, momentum=0.5, weight_decay=1e-2),
    "Rprop": lambda all_: optim.Rprop(all_, lr=1e-2),
    "Rprop foreach": lambda all_: optim.Rprop(all_, lr=1e-2, foreach=True),
    "SGD": lambda all_: optim.SGD(all_, lr=1e-2, weight_decay=1e-2),
    "SGD momentum": lambda all_: optim.SGD(all_, lr=1e-2, momentum=0.9, weight_decay=1e-2),
    "SGD nesterov": lambda all_: optim.SGD(all_, lr=1e-2, momentum=0.9, nesterov=True, maximize=True),
}


class Script:
    """A small network, trained by one of them."""

    def __init__(self, make: Make) -> None:
        torch.manual_seed(0)
        self.model = torch.nn.Linear(8, 3, dtype=torch.float64)
        self.optimizer = make(list(self.model.parameters()))
        self.parameters: list[Tensor] = [each for group in self.optimizer.param_groups for each in group["params"]]

    def compute(self, turn: Turn | None = None) -> Sequence[Tensor]:
        return torch.autograd.grad(self.model(INPUTS).pow(2).sum() / 20, self.parameters)

    def apply(self, gradients: Sequence[Tensor | None], step: int = 0) -> None:
        for parameter, gradient in zip(self.parameters, gradients, strict=True):
            parameter.grad = gradient
        self.optimizer.step()
        self.optimizer.zero_grad()

    def weights(self) -> Tensor:
        return torch.cat([each.detach().flatten() for each in self.model.parameters()])


@pytest.fixture
def settings() -> Iterator[Settings]:
    store = TCPStore("127.0.0.1", 0, None, True, wait_for_workers=False)
    yield Settings(f"127.0.0.1:{store.port}", "job", silence_s=5.0)
    del store


def test_each_of_them_is_tried() -> None:
    assert {type(Script(make).optimizer) for make in OPTIMIZERS.values()} == set(FRESH)


@pytest.mark.parametrize("make", OPTIMIZERS.values(), ids=OPTIMIZERS)
def test_trains_what_a_plain_loop_trains(settings: Settings, make: Make) -> None:
    plain, script = Script(make), Script(make)
    for _ in range(STEPS):
        plain.apply(plain.compute())
    start = script.weights()
    units = optimizer_units(script.optimizer)
    assert torch.equal(script.weights(), start) and all(each.grad is None for each in script.parameters)
    with Session.join(units, script.apply, batch=20, settings=settings) as session:
        for _ in range(STEPS):
            session.run(script.compute)
    assert torch.equal(script.weights(), plain.weights())
    state = [tensor for each in script.parameters for tensor in script.optimizer.state[each].values()]
    assert [each.data_ptr() for unit in units for each in unit[1:]] == [each.data_ptr() for each in state], "in place"


def test_state_that_was_loaded_stays() -> None:
    plain, loaded = Script(OPTIMIZERS["Adam"]), Script(OPTIMIZERS["Adam"])
    for _ in range(3):
        plain.apply(plain.compute())
    loaded.model.load_state_dict(plain.model.state_dict())
    loaded.optimizer.load_state_dict(deepcopy(plain.optimizer.state_dict()))
    optimizer_units(loaded.optimizer)
    for each in (plain, loaded):
        each.apply(each.compute())
    assert torch.equal(plain.weights(), loaded.weights())


def test_what_is_not_trained_is_no_unit() -> None:
    script = Script(OPTIMIZERS["SGD momentum"])
    script.parameters[0].requires_grad_(False)
    (unit,) = optimizer_units(script.optimizer)
    assert [each.shape for each in unit] == [(3,), (3,)] and not script.optimizer.state[script.parameters[0]]


@pytest.mark.parametrize(
    ("make", "wanted"),
    [
        (optim.LBFGS, "wanted one of ASGD, .* SGD, got a LBFGS; make its state"),
        (lambda all_: optim.SGD(all_, momentum=0.9, dampening=0.5), "got SGD with dampening"),
    ],
    ids=["unknown", "dampening"],
)
def test_refuses_what_it_cannot_make(make: Make, wanted: str) -> None:
    with pytest.raises(InvalidInput, match=wanted):
        optimizer_units(make([torch.nn.Parameter(torch.ones(2))]))
