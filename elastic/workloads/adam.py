"""Adam (arXiv:1412.6980) by torch's fused kernel, without torch.optim's second of start-up.

The first `torch.optim.Optimizer()` of a process imports torch._dynamo, 800 modules. A node that
joins a running job would pay for that before its first step. The arithmetic here is
`torch.optim.adam.adam`, which torch.optim.Adam calls too.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.optim.adam import adam

from elastic.errors import InvalidInput
from elastic.workloads.layout import alias_of, in_memory_order, is_dense

EPSILON = 1e-8  # torch.optim.Adam's default


class Adam:
    """Moves `parameters` by gradients that are passed to it, so that no `.grad` is kept alive."""

    def __init__(self, parameters: Sequence[Tensor], *, b1: float, b2: float) -> None:
        """Raises InvalidInput if a parameter has gaps: the kernel reads it as a flat array."""
        for index, parameter in enumerate(parameters):
            if not is_dense(parameter):
                raise InvalidInput(
                    f"parameter {index}: wanted one without gaps in memory, found strides "
                    f"{tuple(parameter.stride())} of shape {tuple(parameter.shape)}; train a copy "
                    "of it (.contiguous())",
                    field="parameters",
                )
        self._parameters = list(parameters)
        self._betas = (b1, b2)
        self._first = [torch.zeros_like(parameter) for parameter in parameters]
        self._second = [torch.zeros_like(parameter) for parameter in parameters]
        self._steps = [
            torch.zeros((), dtype=torch.float32, device=parameter.device)
            for parameter in parameters
        ]

    @torch.no_grad()
    def step(
        self, gradients: Sequence[Tensor | None], *, lr: float, overflow: Tensor | None = None
    ) -> None:
        """Applies one update; a gradient of None leaves its parameter alone.

        `gradients` match the parameters in number, order and shape. `overflow` is a number on their
        device; where it is 1, nothing moves.
        """
        b1, b2 = self._betas
        if len(gradients) != len(self._parameters):
            raise ValueError(f"wanted {len(self._parameters)} gradients, got {len(gradients)}")
        # Parameters without a gradient keep their moments and step counts.
        moved = [index for index, gradient in enumerate(gradients) if gradient is not None]
        if not moved:
            return
        parameters = [self._parameters[index] for index in moved]
        aligned = [
            _laid_out_like(parameter, gradient)
            for parameter, gradient in zip(self._parameters, gradients, strict=True)
            if gradient is not None
        ]
        adam(
            _in_memory_order(parameters),
            _in_memory_order(aligned),
            _in_memory_order([self._first[index] for index in moved]),
            _in_memory_order([self._second[index] for index in moved]),
            [],
            [self._steps[index] for index in moved],
            fused=True,
            foreach=False,
            amsgrad=False,
            beta1=b1,
            beta2=b2,
            lr=lr,
            weight_decay=0.0,
            eps=EPSILON,
            maximize=False,
            found_inf=overflow,
        )

    @property
    def counts(self) -> list[Tensor]:
        """How many steps each parameter has made, as live tensors."""
        return [*self._steps]

    def units(self) -> list[tuple[Tensor, ...]]:
        """Returns for each parameter all that its gradient moves: itself, moments, step count."""
        weights = [alias_of(parameter) for parameter in self._parameters]
        return list(zip(weights, self._first, self._second, self._steps, strict=True))

    def tensors(self) -> list[Tensor]:
        """Returns the live state, to copy from or to: both moments, then the step counts."""
        return [*self._first, *self._second, *self._steps]


def _laid_out_like(parameter: Tensor, gradient: Tensor) -> Tensor:
    """Gives the gradient in its parameter's memory order.

    The fused kernel reads both as flat arrays: with only one of them channels_last it would update
    the wrong weights.
    """
    if gradient.stride() == parameter.stride():
        return gradient
    return torch.empty_like(parameter).copy_(gradient)


def _in_memory_order(tensors: Sequence[Tensor]) -> list[Tensor]:
    """Returns views that count as contiguous: copying channels_last tensors takes 2 % of a step."""
    return [in_memory_order(tensor) for tensor in tensors]
