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
        _declare_schemas()
        import torchvision
    return torchvision  # type: ignore[no-any-return]  # torchvision ships no types


@functools.cache  # keeps the Library alive: the schemas vanish with it
def _declare_schemas() -> torch.library.Library:
    library = torch.library.Library("torchvision", "FRAGMENT")  # type: ignore[no-untyped-call]  # torch's own lack
    for name in ("nms", "qnms"):
        library.define(name + _SCHEMA)  # type: ignore[no-untyped-call]  # torch's own lack
    return library
