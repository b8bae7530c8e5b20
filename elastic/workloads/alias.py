"""A parameter's values by another name: what a session's unit holds, without the gradient."""

from __future__ import annotations

from torch import Tensor
from torch.utils.weak import WeakTensorKeyDictionary

# The parameter of each alias, for as long as there is the alias.
_PARAMETERS = WeakTensorKeyDictionary()


def alias_of(parameter: Tensor) -> Tensor:
    """Returns the values of a parameter, in its own memory.

    >>> import torch
    >>> model = torch.nn.Conv2d(2, 3, 3)
    >>> alias = alias_of(model.weight)
    >>> is_stale(alias)
    False
    >>> model = model.to(memory_format=torch.channels_last)
    >>> is_stale(alias)
    True
    """
    alias = parameter.detach()
    _PARAMETERS[alias] = parameter
    return alias


def is_stale(tensor: Tensor) -> bool:
    """Whether a tensor is the alias of a parameter that has other memory by now."""
    if tensor not in _PARAMETERS:
        return False
    parameter: Tensor = _PARAMETERS[tensor]
    return parameter.data_ptr() != tensor.data_ptr()
