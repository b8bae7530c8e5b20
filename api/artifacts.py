"""Reads jobs' artifacts and outputs, from a folder of this machine or from a bucket."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Generic, Protocol, TypeVar

from elastic.checkpoints import (
    CheckpointIndex,
    File,
    FolderObjects,
    Location,
    Objects,
    is_location,
    opened_itself,
    parse_location,
)
from elastic.clock import Clock
from elastic.config import Settings
from elastic.durations import SELDOM_S
from elastic.errors import NotFound
from elastic.reconciler import JobFolders

# A plain file name: no path, and nothing that begins with a dot.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_MOST_LISTED = 1000
_CHUNK_BYTES = 256 * 1024
_MOST_REMEMBERED = 64

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ArtifactFile:
    """One file."""

    # Without folders.
    name: str
    size_bytes: int
    modified_at_s: float


@dataclass(frozen=True, slots=True)
class Opened:
    """One file's content, piece by piece."""

    size_bytes: int
    chunks: Iterator[bytes]


class Artifacts(Protocol):
    """Where jobs' artifacts are. Every call may raise StorageUnavailable."""

    def listed(self, job_id: str) -> tuple[ArtifactFile, ...]:
        """A job's files, by name."""
        ...

    def open(self, job_id: str, name: str) -> Opened:
        """One of them. Raises NotFound, also for a name that could lead elsewhere."""
        ...


def artifacts_in(settings: Settings, clock: Clock) -> Artifacts:
    """The artifacts where the settings place them. Makes no request yet."""
    root = settings.job_root
    if is_location(root):
        return BucketArtifacts(parse_location(root), region=settings.ec2.region, clock=clock)
    return FolderArtifacts(JobFolders(settings.job_folder))


@dataclass(frozen=True, slots=True)
class FolderArtifacts:
    """Artifacts in a folder that nodes and daemon share."""

    folders: JobFolders

    def listed(self, job_id: str) -> tuple[ArtifactFile, ...]:
        try:
            with self._folder(job_id) as folder, os.scandir(folder) as entries:
                found = sorted(
                    (_kept(entry) for entry in entries if _is_plain(entry)),
                    key=lambda each: each.name,
                )
        except OSError:
            return ()
        return tuple(found[:_MOST_LISTED])

    def open(self, job_id: str, name: str) -> Opened:
        if not _NAME.fullmatch(name):
            raise _none_such(job_id, name)
        try:
            with self._folder(job_id) as folder:
                file = os.fdopen(opened_itself(name, folder=folder), "rb")
        except OSError as error:
            raise _none_such(job_id, name) from error
        return Opened(os.fstat(file.fileno()).st_size, _pieces(file))

    @contextmanager
    def _folder(self, job_id: str) -> Iterator[int]:
        """The job's folder, open. Raises OSError where there is none, or a link in its way."""
        root = self.folders.root
        at = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
        try:
            # A job may write any link there, and the daemon may read more than the job's owner.
            for part in self.folders.artifacts(job_id).relative_to(root).parts:
                inner = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=at)
                os.close(at)
                at = inner
            yield at
        finally:
            os.close(at)


@dataclass(slots=True)
class RecentAnswers(Generic[T]):
    """The newest answer by job, for `SELDOM_S`: a bucket bills each request."""

    clock: Clock
    _known: dict[str, tuple[float, T]] = field(default_factory=dict)

    def get(self, job_id: str, ask: Callable[[str], T]) -> T:
        """Returns the answer of `ask`, or its last one while that is fresh."""
        now_s = self.clock.now_s()
        if (known := self._known.get(job_id)) is not None and now_s - known[0] < SELDOM_S:
            return known[1]
        # The oldest entries are dropped first.
        # Without a lock: at worst two threads ask at once, and one answer replaces the other.
        while len(self._known) >= _MOST_REMEMBERED:
            self._known.pop(next(iter(self._known)), None)
        answer = ask(job_id)
        self._known[job_id] = (now_s, answer)
        return answer


@dataclass(slots=True)
class BucketArtifacts:
    """Artifacts in a bucket that nodes write to; the daemon only reads."""

    root: Location
    region: str | None
    clock: Clock
    _client: Any = None
    _lately: RecentAnswers[tuple[ArtifactFile, ...]] = field(init=False)

    def __post_init__(self) -> None:
        self._lately = RecentAnswers(self.clock)

    def listed(self, job_id: str) -> tuple[ArtifactFile, ...]:
        return self._lately.get(job_id, self._listed)

    def open(self, job_id: str, name: str) -> Opened:
        if not _NAME.fullmatch(name):
            raise _none_such(job_id, name)
        try:
            size_bytes, chunks = self._bucket(job_id).stream(name)
        except NotFound as error:
            raise _none_such(job_id, name) from error
        return Opened(size_bytes, chunks)

    def _listed(self, job_id: str) -> tuple[ArtifactFile, ...]:
        entries = self._bucket(job_id).entries("", most=_MOST_LISTED)
        return tuple(
            ArtifactFile(each.name, each.size_bytes, each.modified_at_s)
            for each in entries
            if _NAME.fullmatch(each.name)
        )

    def _bucket(self, job_id: str) -> Any:
        # Imported here, since boto3 is slow to import and a daemon without a bucket needs none.
        from elastic.checkpoints.s3 import Bucket, connect

        if self._client is None:
            # Not patient: a page that waits for a bucket would wait for minutes.
            self._client = connect(region=self.region, is_patient=False)
        return Bucket(
            self._client, self.root.below(JobFolders(Path()).artifacts(job_id).as_posix())
        )


def _none_such(job_id: str, name: str) -> NotFound:
    return NotFound(f"no artifact {name[:128]!r}; /v1/jobs/{job_id}/artifacts lists them")


def _is_plain(entry: os.DirEntry[str]) -> bool:
    return entry.is_file(follow_symlinks=False) and _NAME.fullmatch(entry.name) is not None


def _kept(entry: os.DirEntry[str]) -> ArtifactFile:
    found = entry.stat(follow_symlinks=False)
    return ArtifactFile(entry.name, found.st_size, found.st_mtime)


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    with file:
        while piece := file.read(_CHUNK_BYTES):
            yield piece


@dataclass(frozen=True, slots=True)
class Carried:
    """A job's outputs."""

    files: tuple[File, ...] = ()
    # When they were uploaded; None before the first time.
    at_s: float | None = None


@dataclass(slots=True)
class StoredOutputs:
    """The outputs of all jobs. Every call may raise StorageUnavailable."""

    # The objects of a job, by its id.
    objects: Callable[[str], Objects]
    # Remembers lists, which cost a request to a bucket; None for a folder.
    lately: RecentAnswers[Carried] | None = None

    def listed(self, job_id: str) -> Carried:
        """A job's outputs, by path."""
        if self.lately is None:
            return self._newest(job_id)
        return self.lately.get(job_id, self._newest)

    def open(self, job_id: str, path: str) -> tuple[File, Opened]:
        """One of them. Raises NotFound."""
        # Not the list that is remembered: the file may have been replaced since.
        carried = self._newest(job_id)
        for file in carried.files:
            if file.path == path:
                return file, Opened(*self.objects(job_id).stream(file.name))
        raise NotFound(f"no output {path[:128]!r}; /v1/jobs/{job_id}/outputs lists them")

    def _newest(self, job_id: str) -> Carried:
        index = CheckpointIndex(self.objects(job_id), job_id=job_id)
        # The newest that can be read: a damaged one is skipped, and the one before is shown.
        for manifest in index.manifests(index.places()):
            return Carried(
                tuple(sorted(manifest.files, key=lambda each: each.path)), manifest.committed_at_s
            )
        return Carried()


def outputs_in(settings: Settings, clock: Clock) -> StoredOutputs:
    """The outputs where the settings place them. Makes no request yet."""
    root = settings.job_root
    if not is_location(root):
        folders = JobFolders(settings.job_folder)
        return StoredOutputs(lambda job_id: FolderObjects(folders.outputs(job_id)))
    location = parse_location(root)
    clients = list[Any]()

    def objects(job_id: str) -> Objects:
        # Imported here, since boto3 is slow to import and a daemon without a bucket needs none.
        from elastic.checkpoints.s3 import Bucket, connect

        if not clients:
            clients.append(connect(region=settings.ec2.region, is_patient=False))
        return Bucket(clients[0], location.below(JobFolders(Path()).outputs(job_id).as_posix()))

    return StoredOutputs(objects, RecentAnswers(clock))
