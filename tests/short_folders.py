"""Folders with short paths, for sockets and for whoever may not enter pytest's own; none outlives
its test run."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

_ROOT = Path("/tmp") / f"elasticd-tests-{os.geteuid()}"


@contextmanager
def short_folder(root: Path = _ROOT) -> Iterator[Path]:
    """Gives an empty folder that anybody may enter, and removes it; first those of test runs that
    were killed."""
    with _settled(root):
        folder = Path(tempfile.mkdtemp(dir=root))
        held = _lock_of(folder).open("w")
        fcntl.flock(held, fcntl.LOCK_EX)
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        with _settled(root):
            held.close()
            _remove(folder)


@contextmanager
def _settled(root: Path) -> Iterator[None]:
    """While nobody else makes or removes folders there, and what nobody has any more is gone."""
    root.mkdir(mode=0o755, exist_ok=True)
    with (root / "lock").open("w") as guard:
        fcntl.flock(guard, fcntl.LOCK_EX)
        for lock in root.glob("*.held"):
            with lock.open("w") as held:
                if _is_free(held):
                    _remove(lock.with_suffix(""))
        yield


def _remove(folder: Path) -> None:
    """Leaves the lock of what is not to be removed yet, a mounted folder say: the next run tries
    again."""
    shutil.rmtree(folder, ignore_errors=True)
    if not folder.exists():
        _lock_of(folder).unlink()


def _is_free(held: IO[str]) -> bool:
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _lock_of(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.held")
