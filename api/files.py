"""Lists jobs' artifacts and outputs as the API shows them."""

from __future__ import annotations

from urllib.parse import quote

from api import schemas
from api.artifacts import ArtifactFile, Artifacts, StoredOutputs
from elastic.checkpoints import File
from elastic.errors import StorageUnavailable

# What browsers may show. Other files are downloaded: a script in them must not run on our pages.
MEDIA_TYPES = {
    ".jpeg": "image/jpeg",
    ".jpg": "image/jpeg",
    ".json": "application/json",
    ".log": "text/plain; charset=utf-8",
    ".png": "image/png",
    ".txt": "text/plain; charset=utf-8",
}


def artifacts_of(artifacts: Artifacts, job_id: str) -> tuple[schemas.Artifact, ...]:
    """A job's artifacts, by name. Raises StorageUnavailable."""
    return tuple(_artifact(each, job_id) for each in artifacts.listed(job_id))


def outputs_of(outputs: StoredOutputs, job_id: str) -> tuple[schemas.OutputFile, ...]:
    """What a job's workers wrote beside their code, by path. Raises StorageUnavailable."""
    carried = outputs.listed(job_id)
    return tuple(_output(each, job_id, carried.at_s or 0.0) for each in carried.files)


def outputs_if_available(outputs: StoredOutputs, job_id: str) -> tuple[schemas.OutputFile, ...]:
    """The same; none if their storage does not answer."""
    try:
        return outputs_of(outputs, job_id)
    except StorageUnavailable:
        return ()


def artifacts_if_available(artifacts: Artifacts, job_id: str) -> tuple[schemas.Artifact, ...]:
    """A job's artifacts; none if their storage does not answer."""
    try:
        return artifacts_of(artifacts, job_id)
    except StorageUnavailable:
        return ()


def _output(file: File, job_id: str, carried_at_s: float) -> schemas.OutputFile:
    return schemas.OutputFile(
        path=file.path,
        bytes=file.size_bytes,
        sha256=file.sha256,
        modified_at_s=carried_at_s if file.modified_at_ns is None else file.modified_at_ns / 1e9,
        carried_at_s=carried_at_s,
        href=f"/v1/jobs/{job_id}/outputs/{quote(file.path)}",
    )


def _artifact(kept: ArtifactFile, job_id: str) -> schemas.Artifact:
    return schemas.Artifact(
        name=kept.name,
        bytes=kept.size_bytes,
        modified_at_s=kept.modified_at_s,
        href=f"/v1/jobs/{job_id}/artifacts/{kept.name}",
    )
