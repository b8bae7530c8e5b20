"""torch's process groups as a session uses them: the only module that uses torch's private names.

Tested against torch 2.13.
"""
# ruff: noqa: SLF001 (torch's private members are this module's very subject)

from __future__ import annotations

from datetime import timedelta
from typing import Any

from torch.distributed import (  # type: ignore[attr-defined]  # torch forgets to export some
    PrefixStore,
    ProcessGroupGloo,
)

from elastic.durations import DAY_S
from elastic.rendezvous import CALL_TIMEOUT_S, Credential, StoreClient
from elastic.workloads.torch_store import TorchStore

# A day, longer than any turn: the links report dead and silent members long before. The
# milliseconds fit into 32 bits.
COLLECTIVE_TIMEOUT = timedelta(seconds=DAY_S)


class Branch(PrefixStore):
    """A connection of its own to the store, in which all keys begin with a path.

    Keep it for as long as whatever uses it: torch does not keep Python objects alive.
    """

    def __init__(self, address: str, path: str, *, credential: Credential) -> None:
        """Connects. Raises StoreLost."""
        self._whole = TorchStore(
            StoreClient(address, credential), timeout=timedelta(seconds=CALL_TIMEOUT_S)
        )
        super().__init__(path, self._whole)


def gloo_device(host: str) -> Any:
    """Returns a listening gloo device at `host`."""
    return ProcessGroupGloo.create_device(hostname=host, lazy_init=False)


def gloo_group(store: Any, rank: int, world_size: int, *, device: Any, timeout_s: float) -> Any:
    """Meets the others through `store`, and returns the process group. Raises RuntimeError."""
    # torch's stubs leave it out.
    options = ProcessGroupGloo._Options()  # type: ignore[attr-defined]
    options._devices = [device]
    options._timeout = timedelta(seconds=timeout_s)
    return ProcessGroupGloo(PrefixStore("gloo", store), rank, world_size, options)


def nccl_group(store: Any, rank: int, world_size: int) -> Any:
    """Returns the process group of the ranks' GPUs, which still have to be connected.

    Raises RuntimeError.
    """
    from torch.distributed import ProcessGroupNCCL  # there is none in a torch without CUDA

    options = ProcessGroupNCCL.Options()
    # With a shorter timeout torch would report long collectives as hung, at length.
    options._timeout = COLLECTIVE_TIMEOUT
    # Otherwise connecting would have no time limit.
    options.config.blocking = 0
    return ProcessGroupNCCL(PrefixStore("nccl", store), rank, world_size, options)
