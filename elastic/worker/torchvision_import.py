"""Lets a script import a torchvision that was built for CUDA beside a torch that was not."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

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
    if PACKAGE not in sys.modules and not any(isinstance(each, _Finder) for each in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


class _Finder(MetaPathFinder):
    def __init__(self) -> None:
        self._is_looking = False

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != PACKAGE or self._is_looking:
            return None
        self._is_looking = True
        try:
            spec = importlib.util.find_spec(fullname)
        finally:
            self._is_looking = False
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader)
        return spec


class _Loader(Loader):
    """torchvision's own loader, tried again with the operators declared."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        module: ModuleType | None = self._inner.create_module(spec)
        return module

    def exec_module(self, module: ModuleType) -> None:
        assert module.__spec__ is not None
        # `inspect` and others ask for the loader later.
        module.__spec__.loader = module.__loader__ = self._inner
        try:
            self._inner.exec_module(module)
        except RuntimeError as error:
            # torch has no exception class for "operator torchvision::nms does not exist".
            if f"operator {PACKAGE}::" not in str(error):
                raise
            for name in [each for each in sys.modules if each.startswith(f"{PACKAGE}.")]:
                del sys.modules[name]
            _declare_operators()
            sys.stderr.write(f"{MISSING}\n")
            self._inner.exec_module(module)


def _declare_operators() -> None:
    import torch

    # torch has no types for these two calls.
    library = torch.library.Library(PACKAGE, "FRAGMENT")  # type: ignore[no-untyped-call]
    _held.append(library)
    for name in _OPERATORS:
        library.define(name + _SCHEMA)  # type: ignore[no-untyped-call]
