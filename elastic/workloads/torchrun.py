"""torchrun with one mend to its rendezvous: a node that has been left behind comes back to the
others.

A node whose beats were late is taken out of the group. If nobody else is in it, the next to come
begins a new round alone, and torch (2.13) never tells the first: both would train apart, each as
rank 0 of one. Here the first restarts its workers, as it does when a node waits, and meets the
other.
"""

from __future__ import annotations

from torch.distributed.elastic.rendezvous import (
    RendezvousInfo,
    RendezvousParameters,
    rendezvous_handler_registry,
)
from torch.distributed.elastic.rendezvous.c10d_rendezvous_backend import create_backend
from torch.distributed.elastic.rendezvous.dynamic_rendezvous import (
    DynamicRendezvousHandler,
    create_handler,
)
from torch.distributed.run import main

BACKEND = "elasticd"
"""What ``--rdzv-backend`` is to name."""


class ReturningHandler(DynamicRendezvousHandler):
    """A c10d rendezvous whose node notices that a round has begun without it."""

    _own_round: int | None = None

    def get_backend(self) -> str:
        """What torchrun was asked for."""
        return BACKEND

    def next_rendezvous(self) -> RendezvousInfo:
        """Meets the others, as torch's does."""
        found = super().next_rendezvous()
        self._own_round = self._state_holder.state.round
        return found

    def num_nodes_waiting(self) -> int:
        """How many wait to be let in; 1 also where the others have gone on without this node: it is
        then to meet them.

        torchrun asks this every 0.1 s while its workers run, and restarts them where it is not 0.
        """
        waiting = super().num_nodes_waiting()
        return waiting or int(self._state_holder.state.round != self._own_round)


def _create(parameters: RendezvousParameters) -> ReturningHandler:
    backend, store = create_backend(parameters)
    handler = create_handler(store, backend, parameters)
    # torch's function reads all settings, and makes no other class than its own.
    handler.__class__ = ReturningHandler
    assert isinstance(handler, ReturningHandler)
    return handler


rendezvous_handler_registry.register(BACKEND, _create)

if __name__ == "__main__":
    main()
