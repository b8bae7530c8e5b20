"""torch's optimizers train in a session what they train without one, from their first step on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from typing import Any

import pytest
import torch
from torch import Tensor, optim
from torch.optim.optimizer import (
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)

from elastic.errors import InvalidInput
from elastic.workloads.session import Session, SessionSettings, SessionStep, optimizer_units
from elastic.workloads.session.optimizers import KNOWN
from elastic.workloads.session.state import State
from tests.workloads.session.stores import serve_store, session_settings

STEPS = 30
INPUTS = torch.randn(20, 8, generator=torch.Generator().manual_seed(3), dtype=torch.float64)

Make = Callable[[list[Tensor]], optim.Optimizer]

OPTIMIZERS: dict[str, Make] = {
    "ASGD": lambda all_: optim.ASGD(all_, lr=1e-2, weight_decay=1e-2),
    "Adadelta": lambda all_: optim.Adadelta(all_, weight_decay=1e-2),
    "Adafactor": lambda all_: optim.Adafactor(all_, weight_decay=1e-2),
    "Adagrad": lambda all_: optim.Adagrad(
        all_, lr=1e-2, initial_accumulator_value=0.1, weight_decay=1e-2
    ),
    "Adam": lambda all_: optim.Adam(all_, lr=1e-2, weight_decay=1e-2),
    "Adam amsgrad": lambda all_: optim.Adam(all_, lr=1e-2, amsgrad=True, foreach=False),
    "Adam fused": lambda all_: optim.Adam(all_, lr=1e-2, weight_decay=1e-2, fused=True),
    "AdamW": lambda all_: optim.AdamW(all_, lr=1e-2),
    "AdamW of two groups": lambda all_: optim.AdamW(
        [{"params": [each], "lr": 0.1 ** each.dim()} for each in all_]
    ),
    "Adamax": lambda all_: optim.Adamax(all_, lr=1e-2, weight_decay=1e-2),
    "Muon": lambda all_: optim.Muon(all_[:1], lr=1e-2),
    "NAdam": lambda all_: optim.NAdam(all_, lr=1e-2, weight_decay=1e-2),
    "RAdam": lambda all_: optim.RAdam(all_, lr=1e-2, weight_decay=1e-2),
    "RMSprop": lambda all_: optim.RMSprop(
        all_, lr=1e-2, centered=True, momentum=0.5, weight_decay=1e-2
    ),
    "Rprop": lambda all_: optim.Rprop(all_, lr=1e-2),
    "Rprop foreach": lambda all_: optim.Rprop(all_, lr=1e-2, foreach=True),
    "SGD": lambda all_: optim.SGD(all_, lr=1e-2, weight_decay=1e-2),
    "SGD momentum": lambda all_: optim.SGD(all_, lr=1e-2, momentum=0.9, weight_decay=1e-2),
    "SGD nesterov": lambda all_: optim.SGD(
        all_, lr=1e-2, momentum=0.9, nesterov=True, maximize=True
    ),
}


class Script:
    """A small network, trained by one of them."""

    def __init__(self, make: Make) -> None:
        self.model = torch.nn.Linear(8, 3, dtype=torch.float64)
        # Torch's own is the process's, and members run as threads too.
        chance = torch.Generator().manual_seed(0)
        with torch.no_grad():
            for each in self.model.parameters():
                each.uniform_(-0.3, 0.3, generator=chance)
        self.optimizer = make(list(self.model.parameters()))
        self.parameters: list[Tensor] = [
            each for group in self.optimizer.param_groups for each in group["params"]
        ]

    def compute(self, turn: SessionStep | None = None) -> Sequence[Tensor]:
        return torch.autograd.grad(self.model(INPUTS).pow(2).sum() / 20, self.parameters)

    def apply(self, gradients: Sequence[Tensor | None], step: int = 0) -> None:
        for parameter, gradient in zip(self.parameters, gradients, strict=True):
            parameter.grad = gradient
        self.optimizer.step()
        self.optimizer.zero_grad()

    def weights(self) -> Tensor:
        return torch.cat([each.detach().flatten() for each in self.model.parameters()])


@pytest.fixture
def settings() -> Iterator[SessionSettings]:
    store = serve_store()
    yield session_settings(f"127.0.0.1:{store.port}", "job", silence_s=5.0)
    store.close()


def test_each_of_them_is_tried() -> None:
    assert {type(Script(make).optimizer) for make in OPTIMIZERS.values()} == set(KNOWN)


@pytest.mark.parametrize("make", OPTIMIZERS.values(), ids=OPTIMIZERS)
def test_trains_what_a_plain_loop_trains(settings: SessionSettings, make: Make) -> None:
    plain, script = Script(make), Script(make)
    for _ in range(STEPS):
        plain.apply(plain.compute())
    start = script.weights()
    units = optimizer_units(script.optimizer)
    assert torch.equal(script.weights(), start) and all(
        each.grad is None for each in script.parameters
    )
    with Session.join(units, script.apply, batch=20, settings=settings) as session:
        for _ in range(STEPS):
            session.run(script.compute)
    assert torch.equal(script.weights(), plain.weights())
    states = [script.optimizer.state[each] for each in script.parameters]
    state = [tensor for each in states for _, tensor in sorted(each.items())]
    assert [each.data_ptr() for unit in units for each in unit[1:]] == [
        each.data_ptr() for each in state
    ], "in place"


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


@pytest.mark.parametrize("make", OPTIMIZERS.values(), ids=OPTIMIZERS)
def test_one_that_goes_on_from_a_checkpoint_has_the_units_of_one_that_begins(make: Make) -> None:
    plain, loaded, fresh = Script(make), Script(make), Script(make)
    plain.apply(plain.compute())
    saved = deepcopy(plain.optimizer.state_dict())
    saved["state"] = {each: dict(sorted(state.items())) for each, state in saved["state"].items()}
    loaded.optimizer.load_state_dict(saved)
    digests = [
        State.of(optimizer_units(each.optimizer), each.apply).shape_digest()
        for each in (plain, loaded, fresh)
    ]
    assert digests == [digests[0]] * 3


@pytest.mark.parametrize("make", OPTIMIZERS.values(), ids=OPTIMIZERS)
def test_makes_no_step_that_anybody_sees(monkeypatch: pytest.MonkeyPatch, make: Make) -> None:
    script = Script(make)
    seen: list[str] = []
    hooks = [
        register_optimizer_step_pre_hook(lambda *_: seen.append("before any")),
        register_optimizer_step_post_hook(lambda *_: seen.append("after any")),
        script.optimizer.register_step_pre_hook(lambda *_: seen.append("before")),
        script.optimizer.register_step_post_hook(lambda *_: seen.append("after")),
    ]
    try:
        with monkeypatch.context() as patched:
            # As a scheduler wraps it.
            patched.setattr(script.optimizer, "step", lambda: seen.append("step"))
            units = optimizer_units(script.optimizer)
        assert seen == []
        script.apply([None] * len(script.parameters))
        assert seen == ["before any", "before", "after", "after any"]
    finally:
        for each in hooks:
            each.remove()
    assert [len(each) for each in units] == [
        1 + len(script.optimizer.state[each]) for each in script.parameters
    ]


@pytest.mark.parametrize(
    ("saves", "goes_on"),
    [
        (optim.RMSprop, lambda all_: optim.RMSprop(all_, momentum=0.5, centered=True)),
        (lambda all_: optim.RMSprop(all_, momentum=0.5, centered=True), optim.RMSprop),
        (optim.Adam, lambda all_: optim.Adam(all_, amsgrad=True)),
        (optim.SGD, lambda all_: optim.SGD(all_, momentum=0.9)),
        (lambda all_: optim.SGD(all_, momentum=0.9), optim.SGD),
    ],
    ids=["RMSprop gains", "RMSprop loses", "Adam gains", "SGD gains", "SGD loses"],
)
def test_state_that_an_option_adds_after_the_save_is_made_and_what_none_asks_for_is_no_unit(
    saves: Make, goes_on: Make
) -> None:
    plain, loaded, fresh = Script(saves), Script(goes_on), Script(goes_on)
    plain.apply(plain.compute())
    state = deepcopy(plain.optimizer.state_dict()["state"])
    loaded.optimizer.load_state_dict({**loaded.optimizer.state_dict(), "state": state})
    units, wanted = optimizer_units(loaded.optimizer), optimizer_units(fresh.optimizer)
    assert [[each.shape for each in unit] for unit in units] == [
        [each.shape for each in unit] for unit in wanted
    ]
    for index, parameter in enumerate(loaded.parameters):
        for name, values in loaded.optimizer.state[parameter].items():
            expected = state.get(index, {}).get(name, torch.zeros(()))
            assert torch.equal(values, expected.expand_as(values).to(values))
    loaded.apply(loaded.compute())


@pytest.mark.parametrize("momentum", [0.0, 0.9])
def test_a_buffer_of_an_earlier_torch_s_that_is_none_is_not_there(momentum: float) -> None:
    script = Script(lambda all_: optim.SGD(all_, momentum=momentum))
    state = {index: {"momentum_buffer": None} for index in range(2)}
    script.optimizer.load_state_dict({**script.optimizer.state_dict(), "state": state})
    units = optimizer_units(script.optimizer)
    assert [len(unit) for unit in units] == [1 + (momentum > 0)] * 2
    assert all(not each.any() for unit in units for each in unit[1:])


def test_dampening_is_taken_where_the_first_step_is_past() -> None:
    def dampened(all_: list[Tensor]) -> optim.Optimizer:
        return optim.SGD(all_, lr=1e-2, momentum=0.9, dampening=0.5)

    plain, loaded = Script(dampened), Script(dampened)
    plain.apply(plain.compute())
    loaded.model.load_state_dict(plain.model.state_dict())
    saved = deepcopy(plain.optimizer.state_dict())
    loaded.optimizer.load_state_dict(saved)
    assert [len(unit) for unit in optimizer_units(loaded.optimizer)] == [2, 2]
    for each in (plain, loaded):
        each.apply(each.compute())
    assert torch.equal(plain.weights(), loaded.weights())

    saved["state"][1]["momentum_buffer"] = None
    half = Script(dampened)
    half.optimizer.load_state_dict(saved)
    with pytest.raises(InvalidInput, match="got SGD with dampening"):
        optimizer_units(half.optimizer)


@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        (lambda state: state.pop("step"), "found exp_avg, exp_avg_sq without step; load what"),
        (
            lambda state: state.update(exp_avg=torch.zeros(5)),
            r"wanted exp_avg of shape \(3, 8\), found \(5,\); load the state of the same",
        ),
    ],
    ids=["a part", "another's"],
)
def test_refuses_torn_state_and_leaves_it(
    change: Callable[[dict[str, Tensor]], None], wanted: str
) -> None:
    script = Script(OPTIMIZERS["Adam"])
    script.apply(script.compute())
    state = script.optimizer.state[script.parameters[0]]
    change(state)
    before = dict(state)
    with pytest.raises(InvalidInput, match=wanted):
        optimizer_units(script.optimizer)
    found = script.optimizer.state[script.parameters[0]]
    assert found.keys() == before.keys() and all(found[name] is before[name] for name in before)
    assert all(each.grad is None for each in script.parameters)


def test_what_is_not_trained_is_no_unit() -> None:
    script = Script(OPTIMIZERS["SGD momentum"])
    script.parameters[0].requires_grad_(False)
    (unit,) = optimizer_units(script.optimizer)
    assert [each.shape for each in unit] == [(3,), (3,)] and not script.optimizer.state[
        script.parameters[0]
    ]


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


@pytest.mark.parametrize("given", [[], torch.nn.Linear(2, 2)], ids=["a list", "a module"])
def test_refuses_what_is_no_optimizer(given: Any) -> None:
    with pytest.raises(
        InvalidInput, match=f"got a {type(given).__name__}; of several, call this for each, and add"
    ):
        optimizer_units(given)


def test_refuses_one_that_trains_nothing() -> None:
    script = Script(OPTIMIZERS["Adam"])
    script.model.requires_grad_(False)
    with pytest.raises(
        InvalidInput, match="wanted one that trains parameters, found none that requires"
    ):
        optimizer_units(script.optimizer)


def test_units_of_two_optimizers_are_added(settings: SessionSettings) -> None:
    """As a GAN has them: each has its turns, and what it does not train stays as it is."""

    def train(
        step: int, script: Script, optimizers: Sequence[optim.Optimizer], gradients: Sequence[Any]
    ) -> None:
        for parameter, gradient in zip(script.parameters, gradients, strict=True):
            parameter.grad = gradient
        optimizers[step % 2].step()
        script.model.zero_grad()

    plain, script = Script(OPTIMIZERS["AdamW"]), Script(OPTIMIZERS["AdamW"])
    own, other = (
        [optim.AdamW([part], weight_decay=0.5) for part in each.parameters]
        for each in (plain, script)
    )
    for step in range(STEPS):
        gradients = list(plain.compute())
        train(step, plain, own, [gradients[0], None] if step % 2 == 0 else [None, gradients[1]])

    def compute(turn: SessionStep) -> Sequence[Tensor | None]:
        gradients = list(script.compute())
        return [gradients[0], None] if turn.step % 2 == 0 else [None, gradients[1]]

    units = [unit for each in other for unit in optimizer_units(each)]
    with Session.join(
        units, lambda g, step: train(step, script, other, g), batch=20, settings=settings
    ) as session:
        for _ in range(STEPS):
            session.run(compute)
    assert torch.equal(script.weights(), plain.weights())
