"""Named objects that outlive a node, in a bucket or in a folder that all nodes share."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import stat
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Protocol

from elastic.durations import DAY_S
from elastic.errors import NotFound, StorageUnavailable

# The largest small object: a manifest of 10,000 files. A longer one is cut, and makes no sense: a
# job may write anything there.
MOST_READ_BYTES = 4 << 20
_PIECE_BYTES = 256 * 1024
_ARRIVING = ".arriving-"


class Objects(Protocol):
    """The objects below one place. Every call may raise StorageUnavailable; names have slashes."""

    def names(self, start: str) -> list[str]:
        """The names that begin with `start`."""
        ...

    def read(self, name: str) -> bytes:
        """A small object's content; raises NotFound."""
        ...

    def stream(self, name: str) -> tuple[int, Iterator[bytes]]:
        """An object's size and its content in pieces; raises NotFound."""
        ...

    def create(self, name: str, content: bytes) -> bool:
        """Creates a small object; False if the name is taken, and that object stays as it is."""
        ...

    def upload(self, path: Path, name: str) -> None:
        """Stores a file."""
        ...

    def download(self, name: str, path: Path) -> None:
        """Downloads an object into a file; raises NotFound."""
        ...

    def delete(self, names: Collection[str]) -> None:
        """Removes objects; missing ones do not matter."""
        ...


class FolderObjects:
    """Objects as files. Each appears complete under its name, or not at all."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def __str__(self) -> str:
        return str(self._root)

    def names(self, start: str) -> list[str]:
        """Names whose last part begins with a dot are still arriving."""
        folder = self._root / start.rpartition("/")[0]
        found: list[str] = []
        for inside, _, files in os.walk(folder):
            paths = (
                Path(inside, name).relative_to(self._root).as_posix()
                for name in files
                if name[0] != "."
            )
            found += (path for path in paths if path.startswith(start))
        return found

    def read(self, name: str) -> bytes:
        path = self._root / name
        with self._told(f"read {name}"), os.fdopen(opened_itself(path), "rb") as file:
            return file.read(MOST_READ_BYTES)

    def stream(self, name: str) -> tuple[int, Iterator[bytes]]:
        with self._told(f"read {name}"):
            # Where a job lays a link in its place, its reader may read more than the job.
            file = os.fdopen(opened_itself(self._root / name), "rb")
        # The file is open from here on: removing the object does not disturb this reader.
        return os.fstat(file.fileno()).st_size, _pieces(file)

    def create(self, name: str, content: bytes) -> bool:
        with self._told(f"create {name}"), self._arriving(name) as arriving:
            arriving.write_bytes(content)
            _sync(arriving)
            try:
                os.link(arriving, self._root / name)  # unlike a rename it replaces nothing
            except FileExistsError:
                return False
            return True

    def upload(self, path: Path, name: str) -> None:
        with self._told(f"store {name}"), self._arriving(name) as arriving:
            shutil.copyfile(path, arriving)
            _sync(arriving)
            # A rename is a single step: readers see the old bytes or the new ones.
            arriving.replace(self._root / name)

    def download(self, name: str, path: Path) -> None:
        with self._told(f"read {name}"):
            shutil.copyfile(self._root / name, path)

    def delete(self, names: Collection[str]) -> None:
        with self._told("delete"):
            for name in names:
                (self._root / name).unlink(missing_ok=True)

    @contextmanager
    def _arriving(self, name: str) -> Iterator[Path]:
        (self._root / name).parent.mkdir(parents=True, exist_ok=True)
        path = self._root / f"{_ARRIVING}{secrets.token_hex(8)}"
        try:
            path.touch()
            # By the clock of the file system, which all nodes share.
            self._remove_left(now_s=path.stat().st_mtime)
            yield path
        finally:
            path.unlink(missing_ok=True)

    def _remove_left(self, *, now_s: float) -> None:
        """Removes what was arriving when its node was lost."""
        for path in self._root.glob(f"{_ARRIVING}*"):
            # By another node, perhaps: it may have gone meanwhile.
            with suppress(FileNotFoundError):
                if now_s - path.stat().st_mtime > DAY_S:
                    path.unlink()

    @contextmanager
    def _told(self, what: str) -> Iterator[None]:
        try:
            yield
        except FileNotFoundError as error:
            raise NotFound(f"{self._root}: wanted to {what}, there is no such object") from error
        except OSError as error:
            raise StorageUnavailable(f"{self._root}: wanted to {what}: {error}") from error


def opened_itself(path: str | Path, *, folder: int | None = None) -> int:
    """Opens a file for reading, and no other one by way of a link. Raises OSError for what is none.

    `folder` is open; a relative path begins there.
    """
    # Without waiting for a writer, as one would at a pipe.
    found = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    if not stat.S_ISREG(os.fstat(found).st_mode):
        os.close(found)
        raise OSError(errno.EINVAL, "wanted a file, found something else")
    return found


def _sync(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    with file:
        while piece := file.read(_PIECE_BYTES):
            yield piece
