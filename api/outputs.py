"""Reads jobs' outputs: what workers wrote beside their code, as last uploaded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from api.artifacts import Opened, RecentAnswers
from elastic.checkpoints import File, is_location, parse_location
from elastic.checkpoints.index import CheckpointIndex
from elastic.checkpoints.objects import FolderObjects, Objects
from elastic.clock import Clock
from elastic.config import Settings
from elastic.errors import NotFound
from elastic.reconciler import JobFolders


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
