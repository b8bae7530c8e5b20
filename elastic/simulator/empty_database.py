"""An empty, migrated database: migrated once a process, and copied for every store."""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path

from elastic.store import open_store

_MEMORY = Path("/dev/shm")


def lay_out(path: Path) -> str:
    """Gives the URL of the database at `path`, which is created if it does not exist."""
    url = f"sqlite:///{path}"
    if not path.exists():
        path.write_bytes(_template())
    return url


def fast_folder() -> tempfile.TemporaryDirectory[str]:
    """A temporary folder, in memory if the system has one: a simulated store need not last."""
    return tempfile.TemporaryDirectory(
        prefix="elasticd-simulated-", dir=_MEMORY if _MEMORY.is_dir() else None
    )


@functools.cache
def _template() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "elasticd.db")
        open_store(f"sqlite:///{path}").close()
        return path.read_bytes()
