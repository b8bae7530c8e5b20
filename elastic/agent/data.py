"""Downloads a job's data to this node's disk: in parallel, checked, and resumable."""

from __future__ import annotations

import hashlib
import shutil
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Protocol

from elastic.agent.files import size_of
from elastic.agent.machine_lock import alone
from elastic.agent.uploader import STORE_PATIENCE_S
from elastic.durations import LONGEST_RETRY_S, RETRY_S, SELDOM_S
from elastic.errors import NotFound, PreparationFailed, StorageForbidden, StorageUnavailable
from elastic.figures import duration, size
from elastic.retrying import retried

# S3 gives one connection about 85 to 90 MB/s (S3 performance guidelines), so eight fill a network
# of 5 Gbit/s.
THREADS = 8
# Progress is an event at each tenth at most, to keep the list of events readable.
_TOLD_PARTS = 10
_DONE = ".elasticd-done"


@dataclass(frozen=True, slots=True)
class Item:
    """An object of the data: its name below the prefix, its size, and the tag of its content."""

    name: str
    size_bytes: int
    etag: str


class Source(Protocol):
    """A bucket, such as `elastic.checkpoints.s3.Bucket`."""

    def items(self) -> Sequence[tuple[str, int, str]]:
        """Name, size and etag of all objects below the location."""
        ...

    def stream_from(self, name: str, *, etag: str, start: int) -> Iterator[bytes]:
        """The rest of an object from byte `start` on. Raises NotFound if it has changed."""
        ...


@dataclass(frozen=True, slots=True)
class Fetched:
    """Where the data is, and the digest of its list."""

    folder: Path
    digest: str


def digest_of(items: Sequence[Item]) -> str:
    """Names a state of the data: the SHA-256 of its list.

    >>> digest_of([Item("a", 1, "x")]) == digest_of([Item("a", 1, "y")])
    False
    """
    listed = "\n".join(
        f"{each.etag} {each.size_bytes} {each.name}"
        for each in sorted(items, key=lambda each: each.name)
    )
    return hashlib.sha256(listed.encode()).hexdigest()


def fetch_data(
    source: Source,
    location: str,
    cache: Path,
    *,
    tell: Callable[[str], None],
    is_stopping: Callable[[], bool],
    pause: Callable[[float], None],
    patience_s: float = STORE_PATIENCE_S,
) -> Fetched:
    """Fills a folder below `cache` with all objects at `location`, and skips those it has.

    Raises PreparationFailed if they are not available.
    """
    items = _listed(source, location, pause=pause, patience_s=patience_s)
    digest = digest_of(items)
    fetched = Fetched(cache / digest / "files", digest)
    done = cache / digest / _DONE
    what = f"{size(sum(each.size_bytes for each in items))} in {_files(items)}"
    # Nodes of one machine share the folder: one downloads, the others wait.
    with alone(cache / f"{digest}.lock"):
        if done.exists():
            tell(f"data: {what} were here already, digest {digest[:12]}")
            return fetched
        begun = time.monotonic()
        download = _Download(source, fetched.folder, items, tell, is_stopping, pause, patience_s)
        _check_room(cache, items, download.done_bytes)
        tell(f"data: fetching {what} from {location}, digest {digest[:12]}")
        download.run()
        done.touch()
    tell(f"data: {what} are here after {duration(time.monotonic() - begun)}, digest {digest[:12]}")
    return fetched


@dataclass(slots=True)
class _Download:
    """One download of a list of objects, by several threads."""

    source: Source
    folder: Path
    items: Sequence[Item]
    tell: Callable[[str], None]
    is_stopping: Callable[[], bool]
    pause: Callable[[float], None]
    patience_s: float
    done_bytes: int = 0
    _total_bytes: int = 0
    _told_part: int = 0
    _told_at: float = field(default_factory=time.monotonic)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _has_failed: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self._total_bytes = sum(each.size_bytes for each in self.items)
        self.done_bytes = sum(
            min(size_of(self._partial(each)) + size_of(self._path(each)), each.size_bytes)
            for each in self.items
        )

    def run(self) -> None:
        with ThreadPoolExecutor(THREADS, thread_name_prefix="data") as threads:
            for done in threads.map(self._bring, self.items):
                del done  # it raises what its thread raised

    def _bring(self, item: Item) -> None:
        if self._has_failed.is_set():
            return
        try:
            self._bring_whole(item)
        except BaseException:
            self._has_failed.set()
            raise

    def _bring_whole(self, item: Item) -> None:
        path = self._path(item)
        partial = self._partial(item)
        if path.exists():
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        # An empty object has no bytes to append, and needs its file all the same.
        partial.touch()
        last_byte_at = time.monotonic()

        def bring_rest() -> None:
            nonlocal last_byte_at
            while (start := size_of(partial)) < item.size_bytes:
                if self.is_stopping():
                    raise PreparationFailed("data: the node is leaving")
                try:
                    self._append(item, partial, start)
                finally:
                    if size_of(partial) > start:
                        last_byte_at = time.monotonic()

        try:
            retried(
                bring_rest,
                on=StorageUnavailable,
                unless=StorageForbidden,
                first_s=RETRY_S,
                longest_s=LONGEST_RETRY_S,
                left_s=lambda: last_byte_at + self.patience_s - time.monotonic(),
                sleep=self.pause,
            )
        except NotFound as error:
            raise PreparationFailed(
                f"data: {item.name} changed while it was fetched: submit again"
            ) from error
        except StorageForbidden as error:
            raise PreparationFailed(f"data: {error}") from error
        except StorageUnavailable as error:
            raise PreparationFailed(
                f"data: nothing came for {duration(self.patience_s)}: {error}"
            ) from error
        # Only a complete file gets its name, so an interrupted download resumes.
        partial.rename(path)

    def _append(self, item: Item, partial: Path, start: int) -> None:
        with partial.open("ab") as file:
            for piece in self.source.stream_from(item.name, etag=item.etag, start=start):
                file.write(piece)
                self._count(len(piece))
                if self._has_failed.is_set() or self.is_stopping():
                    raise PreparationFailed("data: the node is leaving")

    def _count(self, more_bytes: int) -> None:
        with self._lock:
            self.done_bytes += more_bytes
            now = time.monotonic()
            part = self.done_bytes * _TOLD_PARTS // self._total_bytes
            if part > self._told_part and now - self._told_at >= SELDOM_S:
                self._told_part = part
                self._told_at = now
                self.tell(f"data: {size(self.done_bytes)} of {size(self._total_bytes)}")

    def _path(self, item: Item) -> Path:
        return self.folder / item.name

    def _partial(self, item: Item) -> Path:
        path = self._path(item)
        return path.with_name(f".{path.name}.partial")


def _listed(
    source: Source, location: str, *, pause: Callable[[float], None], patience_s: float
) -> list[Item]:
    until = time.monotonic() + patience_s
    try:
        found = retried(
            lambda: [Item(*each) for each in source.items()],
            on=StorageUnavailable,
            unless=StorageForbidden,
            first_s=RETRY_S,
            longest_s=LONGEST_RETRY_S,
            left_s=lambda: until - time.monotonic(),
            sleep=pause,
        )
    except StorageUnavailable as error:
        raise PreparationFailed(f"data: {error}") from error
    # Web consoles make objects with such names for folders.
    items = [each for each in found if not each.name.endswith("/")]
    if not items:
        raise PreparationFailed(f"data: wanted objects below {location}, found none")
    for each in items:
        if each.name.startswith("/") or ".." in PurePosixPath(each.name).parts:
            raise PreparationFailed(
                f"data: wanted names that stay in their folder, found {each.name!r} in {location}"
            )
    return items


def _check_room(cache: Path, items: Sequence[Item], done_bytes: int) -> None:
    cache.mkdir(parents=True, exist_ok=True)
    wanted = sum(each.size_bytes for each in items) - done_bytes
    free = shutil.disk_usage(cache).free
    if wanted > free:
        raise PreparationFailed(
            f"data: wanted {size(wanted)} of disk, found {size(free)} free on the node: set "
            "ec2.volume_gib"
        )


def _files(items: Sequence[Item]) -> str:
    return f"{len(items)} file{'' if len(items) == 1 else 's'}"
