"""A store whose disk is full."""

from __future__ import annotations

from typing import Any

from elastic.errors import StoreUnavailable
from elastic.store import Store

READS = {
    "nodes": ("listed", "open_launches", "boots"),
    "jobs": ("get",),
    "facts": ("of", "prefetch"),
    "prices": ("in_force",),
    "alarms": ("standing",),
    "generations": ("latest",),
}


class FullDisk:
    """A store that reads, if it `reads` at all, and writes nothing."""

    def __init__(self, store: Store, *, reads: bool = True) -> None:
        self._store = store
        self._reads = reads

    def __getattr__(self, name: str) -> Any:
        repository = getattr(self._store, name)
        if self._reads and name == "presence":
            return repository
        return FullRepository(repository, READS.get(name, ()) if self._reads else ())


class FullRepository:
    """A repository of which only these methods work."""

    def __init__(self, repository: Any, working: tuple[str, ...]) -> None:
        self._repository = repository
        self._working = working

    def __getattr__(self, name: str) -> Any:
        def refuse(*args: object, **kwargs: object) -> None:
            raise StoreUnavailable("the database refused: disk full")

        return getattr(self._repository, name) if name in self._working else refuse
