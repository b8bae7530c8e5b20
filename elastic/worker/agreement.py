"""How the ranks of an unmodified script agree on the turn to stop at, through the store that they
have met at."""

from __future__ import annotations

import sys
from typing import Protocol

C10D_MODULE = "torch.distributed.distributed_c10d"
TURNS_AFTER_THE_LAST = 2
"""A turn holds a collective of all ranks. When the last one notes its turn t, none has ended turn t
+ 1; so all look again at its end, and know. Nobody leaves before the end of t + 2, which all have
to begin: by then no rank needs the store any more, which may end with the rank that serves it."""


class KeyValueStore(Protocol):
    """What is used of torch's stores."""

    def set(self, key: str, value: str) -> None: ...
    def check(self, keys: list[str]) -> bool: ...
    def get(self, key: str) -> bytes: ...


class Agreement:
    """One drain as one rank sees it."""

    def __init__(
        self, store: KeyValueStore, *, rank: int, world_size: int, generation: int | None
    ) -> None:
        self._store = store
        self._own = f"elasticd/drain/{generation}/{rank}"
        self._keys = [f"elasticd/drain/{generation}/{each}" for each in range(world_size)]
        self._has_noted = False
        self._stop_after: int | None = None

    def is_over(self, turn: int) -> bool:
        """Notes at the first call that this rank has seen the drain at `turn`; True once `turn` is
        the one to stop at.

        To be asked at the end of every turn. Raises what the store raises when it is gone.
        """
        if not self._has_noted:
            self._has_noted = True
            self._store.set(self._own, str(turn))
        if self._stop_after is None and self._store.check(self._keys):
            noted = [int(self._store.get(key)) for key in self._keys]
            self._stop_after = max(noted) + TURNS_AFTER_THE_LAST
        return self._stop_after is not None and turn >= self._stop_after


def default_store() -> KeyValueStore | None:
    """The store of the script's process group; None where it has none, or torch hides it."""
    c10d = sys.modules.get(C10D_MODULE)
    if c10d is None or not c10d.is_initialized():
        return None
    find = getattr(c10d, "_get_default_store", None)
    store: KeyValueStore | None = None if find is None else find()
    return store
