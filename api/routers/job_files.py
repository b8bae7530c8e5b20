"""The routes for a job's files: its artifacts, and what its workers wrote."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Depends, Path
from fastapi.responses import StreamingResponse

from api import files, schemas
from api.deps import ContextOf, JobKey, require_user

router = APIRouter(prefix="/v1/jobs/{job}", tags=["jobs"], dependencies=[Depends(require_user)])

OutputPath = Annotated[
    str, Path(max_length=4096, description="The file's path in the working folder.")
]
FileName = Annotated[str, Path(max_length=128, description="The file's name, without folders.")]


@router.get("/artifacts")
def list_job_artifacts(job: JobKey, context: ContextOf) -> schemas.Page[schemas.Artifact]:
    """Lists the job's artifacts by name."""
    found = files.artifacts_of(context.kept(), context.store.jobs.get(job).id)
    return schemas.Page[schemas.Artifact](items=list(found), next_before=None)


@router.get("/artifacts/{name}", response_class=StreamingResponse)
def get_job_artifact(job: JobKey, name: FileName, context: ContextOf) -> StreamingResponse:
    """Returns one artifact; all but pictures, texts and JSON come as downloads."""
    opened = context.kept().open(context.store.jobs.get(job).id, name)
    media_type = files.MEDIA_TYPES.get(PurePosixPath(name).suffix.lower())
    # HTML of a job, opened on our own address, could act with the user's cookie.
    disposition = "inline"
    if media_type is None:
        disposition = "attachment"
    headers = {
        "Content-Length": str(opened.size_bytes),
        "Content-Disposition": f'{disposition}; filename="{quote(name)}"',
    }
    return StreamingResponse(
        opened.chunks, media_type=media_type or "application/octet-stream", headers=headers
    )


@router.get("/outputs")
def list_job_outputs(job: JobKey, context: ContextOf) -> schemas.Page[schemas.OutputFile]:
    """Lists what the job's workers wrote beside their code, as last uploaded, by path."""
    found = files.outputs_of(context.carried(), context.store.jobs.get(job).id)
    return schemas.Page[schemas.OutputFile](items=list(found), next_before=None)


@router.get("/outputs/{path:path}", response_class=StreamingResponse)
def get_job_output(job: JobKey, path: OutputPath, context: ContextOf) -> StreamingResponse:
    """Returns one such file as a download; its ETag is the SHA-256 of the content."""
    file, opened = context.carried().open(context.store.jobs.get(job).id, path)
    headers = {
        "Content-Length": str(opened.size_bytes),
        "Content-Disposition": f"attachment; filename*=UTF-8''{quote(PurePosixPath(path).name)}",
        "ETag": f'"{file.sha256}"',
    }
    return StreamingResponse(opened.chunks, media_type="application/octet-stream", headers=headers)
