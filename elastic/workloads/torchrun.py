"""torchrun as a node runs it: its rendezvous is in the job's store, and a node that has been left
behind comes back to the others.

A node whose beats were late is taken out of the group. If nobody else is in it, the next to come
begins a new round alone, and torch (2.13) never tells the first: both would train apart, each as
rank 0 of one. Here the first restarts its workers, as it does when a node waits, and meets the
other.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from functools import partial

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

# What ``--rdzv-backend`` is to name.
BACKEND = "elasticd"

# What ``--rdzv-endpoint`` names where a node meets no other: nothing listens for that.
ALONE = "alone"

# What the agent gives by the environment: arguments are for every user of the machine to see.
PLACE = {"--rdzv-endpoint": "ELASTICD_RDZV_ENDPOINT", "--rdzv-id": "ELASTICD_RDZV_ID"}
CERTIFICATE = "ELASTICD_CERTIFICATE"
MEETING = "ELASTICD_MEETING"


class ReturningHandler(DynamicRendezvousHandler):
    """A rendezvous whose node notices that a round has begun without it."""

    open_values: Callable[[], Values]
    _own_round: int | None = None
    _worker_store: WorkerStore | None = None

    def get_backend(self) -> str:
        """What torchrun was asked for."""
        return BACKEND

    @property
    def use_agent_store(self) -> bool:
        """Whether this process serves its workers' store, instead of the first of them."""
        return True

    def next_rendezvous(self) -> RendezvousInfo:
        """Meets the others, as torch's does, and serves the workers of this node their store."""
        found = super().next_rendezvous()
        self._own_round = self._state_holder.state.round
        meeting = f"{self._settings.run_id}/{self._own_round}"
        if self._worker_store is not None:
            self._worker_store.close()
        self._worker_store = WorkerStore(self.open_values, prefix=f"workers/{meeting}/")
        # The same for the workers of all nodes, and no other start's.
        os.environ[MEETING] = meeting
        place = RendezvousStoreInfo(HOST, self._worker_store.port)
        return RendezvousInfo(found.store, found.rank, found.world_size, place)

    def num_nodes_waiting(self) -> int:
        """How many wait to be let in; 1 also where the others have gone on without this node: it is
        then to meet them.

        torchrun asks this every 0.1 s while its workers run, and restarts them where it is not 0.
        It ends them where this raises. But workers that have met need no store, and its machine may
        be gone: then another daemon takes over, and nobody waits at this store any more.
        """
        try:
            waiting = super().num_nodes_waiting()
        except RendezvousConnectionError:
            return 0
        return waiting or int(self._state_holder.state.round != self._own_round)


def main(arguments: Sequence[str]) -> None:
    """Runs torchrun, at the place that the environment names."""
    place = [
        f"{option}={os.environ.pop(name)}" for option, name in PLACE.items() if name in os.environ
    ]
    torchrun([*place, *arguments])


def _create(parameters: RendezvousParameters) -> ReturningHandler:
    open_values = _opener(parameters.endpoint)
    backend = JsonBackend(open_values(), parameters.run_id, name=BACKEND)
    # Not the backend's connection: a beat waits for no key.
    handler = create_handler(TorchStore(open_values()), backend, parameters)
    # torch's function reads all settings, and makes no other class than its own.
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
