"""Lets a torchvision built for CUDA be imported beside a torch built without it."""

from __future__ import annotations

import functools
from types import ModuleType

import torch

_SCHEMA = "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor"


@functools.cache
def import_torchvision() -> ModuleType:
    """Gives torchvision, with the two operators it wants to describe declared first where torch lacks them."""
    try:
        import torchvision
    except RuntimeError as error:
        if "torchvision::nms does not exist" not in str(error):
            raise
        # Alive as long as the process: the schemas vanish with the Library object.
        _declared().append(torch.library.Library("torchvision", "FRAGMENT"))
        for name in ("nms", "qnms"):
            _declared()[0].define(name + _SCHEMA)
        import torchvision
    return torchvision  # type: ignore[no-any-return]  # torchvision ships no types


@functools.cache
def _declared() -> list[torch.library.Library]:
    return []
