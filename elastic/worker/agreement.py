"""The ranks of an unmodified script agree on the turn to stop at.

They agree through the store at which their process group met.
"""

from __future__ import annotations

import sys
from typing import Protocol

C10D_MODULE = "torch.distributed.distributed_c10d"
# Every turn holds a collective of all ranks. When the last rank notes its turn t, no rank has ended
# turn t + 1. So all ranks look again at the end of t + 1, and know. No rank leaves before the end
# of t + 2, which all ranks must begin. By then no rank needs the store, which may end with the rank
# that serves it.
TURNS_AFTER_THE_LAST = 2


class KeyValueStore(Protocol):
    """The part of torch's stores that is used here."""

    def set(self, key: str, value: str) -> None: ...
    def check(self, keys: list[str]) -> bool: ...
    def get(self, key: str) -> bytes: ...


class Agreement:
    """One drain, seen from one rank."""

    def __init__(
        self, store: KeyValueStore, *, rank: int, world_size: int, generation: int | None
    ) -> None:
        self._store = store
        self._own = f"elasticd/drain/{generation}/{rank}"
        self._keys = [f"elasticd/drain/{generation}/{each}" for each in range(world_size)]
        self._has_noted = False
        self._stop_after: int | None = None

    def is_over(self, turn: int) -> bool:
        """Returns True once `turn` is the turn to stop at.

        The first call notes that this rank has seen the drain at `turn`.

        Call it at the end of every turn. Raises what the store raises when it is gone.
        """
        if not self._has_noted:
            self._has_noted = True
            self._store.set(self._own, str(turn))
        if self._stop_after is None and self._store.check(self._keys):
            noted = [int(self._store.get(key)) for key in self._keys]
            # The same number on every rank, because all ranks read the same notes.
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
