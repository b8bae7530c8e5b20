"""The units of a torch optimizer: its state, which it makes in its first step, is there before a session begins."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor, optim

from elastic.errors import InvalidInput

Fresh = Mapping[str, Callable[[Mapping[str, Any]], float]]
"""Of an optimizer's state, what is not 0 before its first step, by the options of the parameter's group."""


def _one(_: Mapping[str, Any]) -> float:
    return 1.0


def _rate(options: Mapping[str, Any]) -> float:
    return float(options["lr"])


def _first_sum(options: Mapping[str, Any]) -> float:
    return float(options["initial_accumulator_value"])


# As their `_init_group` makes it, in torch 2.13.
FRESH: dict[type[optim.Optimizer], Fresh] = {
    optim.ASGD: {"eta": _rate, "mu": _one},
    optim.Adadelta: {},
    optim.Adafactor: {},
    optim.Adagrad: {"sum": _first_sum},
    optim.Adam: {},
    optim.AdamW: {},
    optim.Adamax: {},
    optim.Muon: {},
    optim.NAdam: {"mu_product": _one},
    optim.RAdam: {},
    optim.RMSprop: {},
    optim.Rprop: {"step_size": _rate},
    optim.SGD: {},
}


def optimizer_units(optimizer: optim.Optimizer) -> list[tuple[Tensor, ...]]:
    """Gives a session's units: each parameter that is trained, in the optimizer's order, with its state.

    State that is not there yet is made as the optimizer's first step would find it, which then trains what it trains
    without a session; what was loaded stays. Where it begins with the learning rate (ASGD, Rprop), that is its group's
    now.

    Raises InvalidInput for an optimizer of another class, whose state only its own code knows, and for one whose first
    step is another than all later ones, which no state tells.
    """
    fresh = FRESH.get(type(optimizer))
    if fresh is None:
        known = ", ".join(each.__name__ for each in FRESH)
        raise InvalidInput(
            f"optimizer: wanted one of {known}, got a {type(optimizer).__name__}; make its state as its first step "
            "would find it, and give it as units: (parameter.detach(), *optimizer.state[parameter].values())",
            field="optimizer",
        )
    pairs = [(each, group) for group in optimizer.param_groups for each in group["params"] if each.requires_grad]
    if any(group.get("momentum") and group.get("dampening") for _, group in pairs):
        raise InvalidInput(
            "optimizer: wanted one whose first step is as all others, got SGD with dampening, which leaves that out in "
            "its first; give dampening=0 and a learning rate of lr * (1 - dampening)",
            field="optimizer",
        )
    for parameter, options in pairs:
        if not optimizer.state.get(parameter):
            _make_state(optimizer, parameter)
            for name, values in optimizer.state.get(parameter, {}).items():
                values.fill_(fresh[name](options) if name in fresh else 0.0)
    return [(parameter.detach(), *optimizer.state.get(parameter, {}).values()) for parameter, _ in pairs]


@torch.no_grad()
def _make_state(optimizer: optim.Optimizer, parameter: Tensor) -> None:
    """Has a step make a parameter's state, and moves nothing by it."""
    all_ = [each for group in optimizer.param_groups for each in group["params"]]
    gradients, before = [each.grad for each in all_], parameter.clone()
    try:
        for each in all_:
            each.grad = None
        parameter.grad = torch.zeros_like(parameter)
        optimizer.step()
    finally:
        for each, gradient in zip(all_, gradients, strict=True):
            each.grad = gradient
        parameter.copy_(before)
