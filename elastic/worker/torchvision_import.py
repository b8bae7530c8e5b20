"""Lets a script import a torchvision that was built for CUDA beside a torch that was not."""

from __future__ import annotations

import sys
from importlib.abc import Loader
from types import ModuleType

from elastic.worker.imports import ImportFinder

PACKAGE = "torchvision"
# torchvision 0.28 needs these declared while it is imported. Its compiled library would have
# defined them, but needs CUDA's libraries.
_SCHEMA = "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor"
_OPERATORS = ("nms", "qnms")
# This line goes to the job's log. torchvision's own error speaks of incompatible versions.
MISSING = (
    "elasticd: torchvision was built for CUDA and torch was not: its compiled operators "
    "(torchvision.ops.nms, roi_align and others) do not work here. Its models, transforms and data "
    "sets do"
)
# torch's registration of the operators, kept because they vanish with it.
_held: list[object] = []


def help_torchvision() -> None:
    """Makes `import torchvision` work, whenever the script imports it.

    Such a torchvision finds no CUDA, so its library is not loaded and its operators are unknown.
    The rest is Python and works: models, transforms and data sets.
    """
    is_helped = any(
        isinstance(each, ImportFinder) and each.name == PACKAGE for each in sys.meta_path
    )
    if PACKAGE not in sys.modules and not is_helped:
        sys.meta_path.insert(0, ImportFinder(PACKAGE, _load))


def _load(loader: Loader, module: ModuleType) -> None:
    """Executes torchvision, and tries again with the operators declared where they are unknown."""
    try:
        loader.exec_module(module)
    except RuntimeError as error:
        # torch has no exception class for "operator torchvision::nms does not exist".
        if f"operator {PACKAGE}::" not in str(error):
            raise
        for name in [each for each in sys.modules if each.startswith(f"{PACKAGE}.")]:
            del sys.modules[name]
        _declare_operators()
        sys.stderr.write(f"{MISSING}\n")
        loader.exec_module(module)


def _declare_operators() -> None:
    import torch

    # torch has no types for these two calls.
    library = torch.library.Library(PACKAGE, "FRAGMENT")  # type: ignore[no-untyped-call]
    _held.append(library)
    for name in _OPERATORS:
        library.define(name + _SCHEMA)  # type: ignore[no-untyped-call]
