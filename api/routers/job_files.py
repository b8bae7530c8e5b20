"""What a job's nodes wrote: logs and artifacts."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Depends, Path, Query
from fastapi.responses import PlainTextResponse, StreamingResponse

from api import files, schemas
from api.deps import ContextOf, JobKey, require_user

router = APIRouter(prefix="/v1/jobs/{job}", tags=["jobs"], dependencies=[Depends(require_user)])

Tail = Annotated[int, Query(ge=1, le=10_000, description="Most lines of each file.")]
FileName = Annotated[str, Path(max_length=128, description="The file's name, without folders.")]


@router.get("/logs", response_class=PlainTextResponse)
def get_job_logs(job: JobKey, context: ContextOf, tail: Tail = 100) -> PlainTextResponse:
    """Gives the last lines that the job's nodes wrote, living and gone, as text."""
    job_id = context.store.job(job).id
    nodes = context.store.nodes(job_id, include_gone=True)
    return PlainTextResponse(files.log_tail(context.provider, context.kept(), job_id, nodes, tail))


@router.get("/artifacts")
def list_job_artifacts(job: JobKey, context: ContextOf) -> schemas.Page[schemas.Artifact]:
    """Lists the files that the job left for people to look at, by name."""
    found = files.artifacts_of(context.kept(), context.store.job(job).id)
    return schemas.Page[schemas.Artifact](items=list(found), next_before=None)


@router.get("/artifacts/{name}", response_class=StreamingResponse)
def get_job_artifact(job: JobKey, name: FileName, context: ContextOf) -> StreamingResponse:
    """Gives one such file; what is neither picture, text nor JSON comes as a download."""
    opened = context.kept().open(context.store.job(job).id, name)
    media_type = files.MEDIA_TYPES.get(PurePosixPath(name).suffix.lower())
    disposition = "attachment" if media_type is None else "inline"
    headers = {
        "Content-Length": str(opened.size_bytes),
        "Content-Disposition": f'{disposition}; filename="{quote(name)}"',
    }
    return StreamingResponse(opened.chunks, media_type=media_type or "application/octet-stream", headers=headers)
