"""The artifacts that jobs leave for people to look at."""

from __future__ import annotations

from api import schemas
from api.artifacts import Artifacts, Kept
from elastic.errors import StorageUnavailable

MEDIA_TYPES = {
    ".jpeg": "image/jpeg",
    ".jpg": "image/jpeg",
    ".json": "application/json",
    ".log": "text/plain; charset=utf-8",
    ".png": "image/png",
    ".txt": "text/plain; charset=utf-8",
}
"""What browsers may show; anything else a job writes is for downloading."""


def artifacts_of(artifacts: Artifacts, job_id: str) -> tuple[schemas.Artifact, ...]:
    """A job's artifacts, by name. Raises StorageUnavailable."""
    return tuple(_artifact(each, job_id) for each in artifacts.listed(job_id))


def artifacts_if_told(artifacts: Artifacts, job_id: str) -> tuple[schemas.Artifact, ...]:
    """The same; none where their storage does not answer: what shows them among other things goes on without."""
    try:
        return artifacts_of(artifacts, job_id)
    except StorageUnavailable:
        return ()


def _artifact(kept: Kept, job_id: str) -> schemas.Artifact:
    return schemas.Artifact(
        name=kept.name,
        bytes=kept.size_bytes,
        modified_at_s=kept.modified_at_s,
        href=f"/v1/jobs/{job_id}/artifacts/{kept.name}",
    )
