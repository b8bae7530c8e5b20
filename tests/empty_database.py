"""A database that is empty and up to date: migrated once a process, copied for every test that wants one."""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path

from elastic.store import open_store


def lay_out(path: Path) -> str:
    """Gives the URL of the database at `path`, made unless there is one: who opens it finds nothing to migrate."""
    url = f"sqlite:///{path}"
    if not path.exists():
        path.write_bytes(_template())
    return url


@functools.cache
def _template() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "elasticd.db")
        open_store(f"sqlite:///{path}").close()
        return path.read_bytes()
