"""What a job's nodes wrote: logs and artifacts."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query
from fastapi.responses import FileResponse, PlainTextResponse

from api import files, schemas
from api.deps import ContextOf, JobKey, require_user
from elastic.reconciler import JobFolders

router = APIRouter(prefix="/v1/jobs/{job}", tags=["jobs"], dependencies=[Depends(require_user)])

Tail = Annotated[int, Query(ge=1, le=10_000, description="Most lines of each file.")]
FileName = Annotated[str, Path(max_length=128, description="The file's name, without folders.")]


@router.get("/logs", response_class=PlainTextResponse)
def get_job_logs(job: JobKey, context: ContextOf, tail: Tail = 100) -> PlainTextResponse:
    """Gives the last lines that the job's nodes wrote, living and gone, as text."""
    nodes = context.store.nodes(context.store.job(job).id, include_gone=True)
    return PlainTextResponse(files.log_tail(context.provider, nodes, tail))


@router.get("/artifacts")
def list_job_artifacts(job: JobKey, context: ContextOf) -> schemas.Page[schemas.Artifact]:
    """Lists the files that the job left for people to look at, by name."""
    found = files.artifacts_of(folders_of(context), context.store.job(job).id)
    return schemas.Page[schemas.Artifact](items=list(found), next_before=None)


@router.get("/artifacts/{name}", response_class=FileResponse)
def get_job_artifact(job: JobKey, name: FileName, context: ContextOf) -> FileResponse:
    """Gives one such file; what is neither picture, text nor JSON comes as a download."""
    path = files.artifact_path(folders_of(context), context.store.job(job).id, name)
    media_type = files.MEDIA_TYPES.get(path.suffix.lower())
    return FileResponse(
        path,
        media_type=media_type or "application/octet-stream",
        filename=path.name,
        content_disposition_type="attachment" if media_type is None else "inline",
    )


def folders_of(context: ContextOf) -> JobFolders:
    """Where jobs keep their files."""
    return JobFolders(context.settings.job_folder)
