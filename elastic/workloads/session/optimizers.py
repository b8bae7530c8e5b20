"""The units of a torch optimizer, with the state that it would make in its first step."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from typing import Any

import torch
from torch import Tensor, optim

from elastic.errors import InvalidInput
from elastic.workloads.layout import alias_of

# Their `_init_group` makes the state as the first step finds it, and moves nothing: checked in
# torch 2.13.
KNOWN: tuple[type[optim.Optimizer], ...] = (
    optim.ASGD,
    optim.Adadelta,
    optim.Adafactor,
    optim.Adagrad,
    optim.Adam,
    optim.AdamW,
    optim.Adamax,
    optim.Muon,
    optim.NAdam,
    optim.RAdam,
    optim.RMSprop,
    optim.Rprop,
    optim.SGD,
)
# State that an option adds, 0 before the step that first has it. It may be missing in loaded state.
BY_OPTION = frozenset({"grad_avg", "max_exp_avg_sq", "momentum_buffer"})


def optimizer_units(optimizer: optim.Optimizer) -> list[tuple[Tensor, ...]]:
    """Returns a session's units: each trained parameter with its state, in the optimizer's order.

    State that does not exist yet is made as the optimizer's first step would find it, so that
    training is the same as without a session. Loaded state stays. State that begins with the
    learning rate (ASGD, Rprop) begins with its group's present one. No step is made, and no step
    hook is called. State that the options do not need is in no unit.

    Raises InvalidInput for an optimizer of another class, whose state only its own code knows, and
    for one that trains nothing. It also refuses one whose first step differs from all later ones,
    which no state shows, and incomplete loaded state.
    """
    if type(optimizer) not in KNOWN:
        known = ", ".join(each.__name__ for each in KNOWN)
        advice = "of several, call this for each, and add the lists"
        if isinstance(optimizer, optim.Optimizer):
            advice = (
                "make its state as its first step would find it, and give it as units, by its "
                "names: (parameter.detach(), *(values for _, values in "
                "sorted(optimizer.state[parameter].items())))"
            )
        raise InvalidInput(
            f"optimizer: wanted one of {known}, got a {type(optimizer).__name__}; {advice}",
            field="optimizer",
        )
    # Each trained parameter with the options of its group.
    pairs = [
        (each, group)
        for group in optimizer.param_groups
        for each in group["params"]
        if each.requires_grad
    ]
    if not pairs:
        raise InvalidInput(
            "optimizer: wanted one that trains parameters, found none that requires a gradient; "
            "call requires_grad_() on those to train before this",
            field="optimizer",
        )
    for parameter, options in pairs:
        if (
            options.get("momentum")
            and options.get("dampening")
            and not _loaded(optimizer, parameter)
        ):
            raise InvalidInput(
                "optimizer: wanted one whose first step is like all others, got SGD with "
                "dampening, which its first step leaves out; give dampening=0 and a learning rate "
                "of lr * (1 - dampening)",
                field="optimizer",
            )
    return [
        (alias_of(parameter), *_state(optimizer, parameter, options))
        for parameter, options in pairs
    ]


def _loaded(optimizer: optim.Optimizer, parameter: Tensor) -> dict[str, Any]:
    """The existing state of a parameter: an earlier torch's SGD saved None for missing values."""
    return {
        name: values
        for name, values in optimizer.state.get(parameter, {}).items()
        if values is not None
    }


def _state(
    optimizer: optim.Optimizer, parameter: Tensor, options: Mapping[str, Any]
) -> list[Tensor]:
    """Returns a parameter's state in the order of its names; missing state is made."""
    loaded = _loaded(optimizer, parameter)
    fresh = _fresh(optimizer, parameter, options)
    there = sorted(fresh.keys() & loaded.keys())
    if there and (missing := sorted(fresh.keys() - loaded.keys() - BY_OPTION)):
        raise InvalidInput(
            f"optimizer: wanted all of a parameter's state or none of it, found {', '.join(there)} "
            f"without {', '.join(missing)}; load what the same class of optimizer has saved",
            field="optimizer",
        )
    for name in there:
        fresh[name] = _fitting(name, loaded[name], fresh[name])
    if fresh:
        optimizer.state[parameter].update(fresh)
    return [fresh[name] for name in sorted(fresh)]


def _fitting(name: str, loaded: Any, fresh: Tensor) -> Tensor:
    """Returns the loaded values, copied if their type, device or layout differs.

    `load_state_dict` gives most values the parameter's type and device. A fresh process's values
    may have others.
    """
    values = torch.as_tensor(loaded)
    if values.shape != fresh.shape:
        raise InvalidInput(
            f"optimizer: wanted {name} of shape {tuple(fresh.shape)}, found {tuple(values.shape)}; "
            "load the state of the same parameters",
            field="optimizer",
        )
    if (values.dtype, values.device, values.stride()) == (
        fresh.dtype,
        fresh.device,
        fresh.stride(),
    ):
        return values
    return fresh.copy_(values)


@torch.no_grad()
def _fresh(
    optimizer: optim.Optimizer, parameter: Tensor, options: Mapping[str, Any]
) -> dict[str, Tensor]:
    """Returns a parameter's state as its first step would find it; the optimizer is unchanged."""
    # Make the state with a gradient of zeros, then put everything back as it was.
    gradient = parameter.grad
    state = optimizer.state.pop(parameter, None)
    # torch offers no public way to it.
    make: Any = optimizer._init_group  # type: ignore[attr-defined]  # noqa: SLF001
    lists: list[list[Any]] = [[] for _ in list(signature(make).parameters)[1:]]
    try:
        parameter.grad = torch.zeros_like(parameter)
        make({**options, "params": [parameter]}, *lists)
        made = dict(optimizer.state.pop(parameter, {}))
        # SGD would take a copy of the first gradient.
        if isinstance(optimizer, optim.SGD) and options["momentum"]:
            made["momentum_buffer"] = torch.zeros_like(parameter)
        return made
    finally:
        parameter.grad = gradient
        optimizer.state.pop(parameter, None)
        if state is not None:
            optimizer.state[parameter] = state
