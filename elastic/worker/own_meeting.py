"""Lets processes that a script starts meet at a port of their own, as they do without torchrun.

Under torchrun the store of a group is served by torchrun. torch then takes every port for
torchrun's, and all ranks wait for a server: a script that names a port of its own hangs.
"""

from __future__ import annotations

import functools
import os
from types import ModuleType
from typing import Any

from elastic.worker.imports import after_import

# The variable by which torchrun says that it serves the store at MASTER_PORT.
_IS_SERVED = "TORCHELASTIC_USE_AGENT_STORE"


def let_script_choose_port() -> None:
    """Has the first rank serve the store at any port but torchrun's, here and in processes that
    multiprocessing starts from here."""
    port = os.environ.get("MASTER_PORT", "")
    if port and _IS_SERVED in os.environ:
        _follow(port)


class _Follower:
    """Is unpickled by a process that begins, and acts there."""

    def __init__(self, port: str) -> None:
        self._port = port

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return _follow, (self._port,)


def _follow(port: str) -> None:
    after_import("torch.distributed.rendezvous", functools.partial(_watch_stores, port))
    after_import("multiprocessing.spawn", functools.partial(_watch_spawned, port))


def _watch_stores(served: str, module: ModuleType) -> None:
    create = module._create_c10d_store  # noqa: SLF001 (there is no public name)

    @functools.wraps(create)
    def create_store(hostname: str, port: int, *args: Any, **kwargs: Any) -> Any:
        if str(port) == served:
            return create(hostname, port, *args, **kwargs)
        is_served = os.environ.pop(_IS_SERVED, None)
        try:
            return create(hostname, port, *args, **kwargs)
        finally:
            if is_served is not None:
                os.environ[_IS_SERVED] = is_served

    module._create_c10d_store = create_store  # type: ignore[attr-defined]  # noqa: SLF001


def _watch_spawned(port: str, module: ModuleType) -> None:
    prepare = module.get_preparation_data

    @functools.wraps(prepare)
    def get_preparation_data(name: str) -> dict[str, object]:
        return {**prepare(name), "elasticd": _Follower(port)}

    module.get_preparation_data = get_preparation_data  # type: ignore[attr-defined]
