"""Acts on a module as soon as the script has imported it, without importing it first."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType


def after_import(name: str, act: Callable[[ModuleType], None]) -> None:
    """Calls `act` with the module of this name: now if it is loaded, else once it is."""
    if name in sys.modules:
        act(sys.modules[name])
        return

    def load(loader: Loader, module: ModuleType) -> None:
        loader.exec_module(module)
        if finder in sys.meta_path:
            sys.meta_path.remove(finder)
            act(module)

    finder = ImportFinder(name, load)
    sys.meta_path.insert(0, finder)


class ImportFinder(MetaPathFinder):
    """Has `load` execute the module `name`, with the loader that Python found for it."""

    def __init__(self, name: str, load: Callable[[Loader, ModuleType], None]) -> None:
        self.name = name
        self._load = load
        self._is_asking = False

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != self.name or self._is_asking:
            return None
        # The finder stays until the module is loaded: libraries ask for a spec just to see whether
        # a package is installed.
        self._is_asking = True
        try:
            spec = importlib.util.find_spec(fullname)
        finally:
            self._is_asking = False
        if spec is not None and spec.loader is not None:
            spec.loader = _ActingLoader(spec.loader, self._load)
        return spec


class _ActingLoader(Loader):
    def __init__(self, loader: Loader, load: Callable[[Loader, ModuleType], None]) -> None:
        self._loader = loader
        self._load = load

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        # The module keeps its real loader: inspect and pickle ask it for source and name.
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        self._load(self._loader, module)
