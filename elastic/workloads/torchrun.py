"""torchrun as a node runs it: it meets the others in the job's store, and finds them again if left
out.

A node whose heartbeats were late is removed from the group. If no other node is left, the next one
to arrive begins a new round alone, and torch (2.13) never tells the first. Both would then train
apart, each as rank 0 of one. Here the first node notices that, restarts its workers as if a node
were waiting, and meets the other.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from functools import partial

from torch.distributed.elastic.multiprocessing.api import MultiprocessContext
from torch.distributed.elastic.rendezvous import (
    RendezvousConnectionError,
    RendezvousInfo,
    RendezvousParameters,
    RendezvousStoreInfo,
    rendezvous_handler_registry,
)
from torch.distributed.elastic.rendezvous.dynamic_rendezvous import (
    DynamicRendezvousHandler,
    create_handler,
)
from torch.distributed.run import main as torchrun

from elastic.rendezvous import Credential, KeyValues, StoreClient, Values
from elastic.workloads.torch_store import TorchStore
from elastic.workloads.torchrun_state import JsonBackend
from elastic.workloads.worker_store import HOST, WorkerStore

# The value of ``--rdzv-backend``.
BACKEND = "elasticd"

# The value of ``--rdzv-endpoint`` for a node that meets no other: nothing listens.
ALONE = "alone"

# The agent passes these in the environment, because every user of the machine can see arguments.
PLACE = {"--rdzv-endpoint": "ELASTICD_RDZV_ENDPOINT", "--rdzv-id": "ELASTICD_RDZV_ID"}
CERTIFICATE = "ELASTICD_CERTIFICATE"
MEETING = "ELASTICD_MEETING"


class ReturningHandler(DynamicRendezvousHandler):
    """A rendezvous whose node notices that a round has begun without it."""

    open_values: Callable[[], Values]
    _own_round: int | None = None
    _worker_store: WorkerStore | None = None

    def get_backend(self) -> str:
        """The backend that torchrun was started with."""
        return BACKEND

    @property
    def use_agent_store(self) -> bool:
        """Whether this process serves its workers' store, instead of the first worker."""
        return True

    def next_rendezvous(self) -> RendezvousInfo:
        """Meets the others, as torch's handler does, and starts a store for this node's workers."""
        found = super().next_rendezvous()
        self._own_round = self._state_holder.state.round
        meeting = f"{self._settings.run_id}/{self._own_round}"
        if self._worker_store is not None:
            self._worker_store.close()
        self._worker_store = WorkerStore(self.open_values, prefix=f"workers/{meeting}/")
        # The same for the workers of all nodes, and different for each start.
        os.environ[MEETING] = meeting
        place = RendezvousStoreInfo(HOST, self._worker_store.port)
        return RendezvousInfo(found.store, found.rank, found.world_size, place)

    def num_nodes_waiting(self) -> int:
        """How many nodes wait to join; also 1 if the others have begun a round without this node,
        which then meets them.

        torchrun asks this every 0.1 s while its workers run, and restarts them where it is not 0.
        It ends them where this raises. But workers that have met need no store, and its machine may
        be gone: then another daemon takes over, and no member waits at this store any more.
        """
        try:
            waiting = super().num_nodes_waiting()
        except RendezvousConnectionError:
            return 0
        return waiting or int(self._state_holder.state.round != self._own_round)


def _is_done(context: MultiprocessContext) -> bool:
    """Whether all forked workers have ended well.

    torch waits for what each one returns. A script that ends by `os._exit(0)` returns nothing, and
    torch would wait for ever.
    """
    assert context._pc is not None  # noqa: SLF001 (there are no public names)
    for local_rank, process in enumerate(context._pc.processes):  # noqa: SLF001
        if process.exitcode == 0:
            context._return_values.setdefault(local_rank, None)  # noqa: SLF001
    return len(context._return_values) == context.nprocs  # noqa: SLF001


MultiprocessContext._is_done = _is_done  # type: ignore[assignment, method-assign]  # noqa: SLF001


def main(arguments: Sequence[str]) -> None:
    """Runs torchrun, with the rendezvous that the environment names."""
    place = [
        f"{option}={os.environ.pop(name)}" for option, name in PLACE.items() if name in os.environ
    ]
    torchrun([*place, *arguments])


def _create(parameters: RendezvousParameters) -> ReturningHandler:
    open_values = _opener(parameters.endpoint)
    backend = JsonBackend(open_values(), parameters.run_id, name=BACKEND)
    # A connection apart from the backend's: a heartbeat must not wait for a key.
    handler = create_handler(TorchStore(open_values()), backend, parameters)
    # torch's function reads all settings, but always makes an object of its own class.
    handler.__class__ = ReturningHandler
    assert isinstance(handler, ReturningHandler)
    handler.open_values = open_values
    return handler


def _opener(endpoint: str) -> Callable[[], Values]:
    if endpoint == ALONE:
        own = KeyValues()
        return lambda: own
    return partial(StoreClient, endpoint, Credential.of_file(os.environ[CERTIFICATE]))


rendezvous_handler_registry.register(BACKEND, _create)

if __name__ == "__main__":
    main(sys.argv[1:])
