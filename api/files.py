"""Files that nodes leave behind: the ends of their logs, and the artifacts people look at."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from api import schemas
from elastic.errors import NotFound
from elastic.model import Node
from elastic.providers import Provider
from elastic.reconciler import JobFolders

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_LOG_READ_BYTES = 256 * 1024
_MOST_ARTIFACTS = 1000

MEDIA_TYPES = {
    ".jpeg": "image/jpeg",
    ".jpg": "image/jpeg",
    ".json": "application/json",
    ".log": "text/plain; charset=utf-8",
    ".png": "image/png",
    ".txt": "text/plain; charset=utf-8",
}
"""What browsers may show; anything else a job writes is for downloading."""


def artifacts_of(folders: JobFolders, job_id: str) -> tuple[schemas.Artifact, ...]:
    """The files in a job's artifact folder, by name."""
    folder = folders.artifacts(job_id)
    if not folder.is_dir():
        return ()
    names = sorted(entry.name for entry in os.scandir(folder) if _is_plain(entry))
    return tuple(_artifact(folder / name, job_id) for name in names[:_MOST_ARTIFACTS])


def artifact_path(folders: JobFolders, job_id: str, name: str) -> Path:
    """The path of one artifact. Raises NotFound for what is none, and for every name that could lead elsewhere."""
    path = folders.artifacts(job_id) / name
    if not _NAME.fullmatch(name) or path.is_symlink() or not path.is_file():
        raise NotFound(f"no artifact {name[:128]!r}; /v1/jobs/{job_id}/artifacts lists them")
    return path


def log_tail(provider: Provider, nodes: Sequence[Node], lines: int) -> str:
    """The last lines of each node's logs, oldest node first, each file under its name."""
    return "".join(_sections(provider, nodes, lines))


def _sections(provider: Provider, nodes: Sequence[Node], lines: int) -> Iterator[str]:
    for node in sorted(nodes, key=lambda each: (each.intended_at_s, each.id)):
        folder = None if node.provider_id is None else provider.log_path(node.provider_id)
        if folder is None or not Path(folder).is_dir():
            continue
        for path in sorted(each for each in Path(folder).rglob("*") if each.is_file() and not each.is_symlink()):
            tail = _last_lines(path, lines)
            if tail:
                yield f"==> {node.id} ({node.offering.node_type}) {path.relative_to(folder)} <==\n{tail}\n"


def _last_lines(path: Path, lines: int) -> str:
    with open(path, "rb") as file:
        file.seek(0, os.SEEK_END)
        size = file.tell()
        file.seek(max(size - _LOG_READ_BYTES, 0))
        text = file.read(_LOG_READ_BYTES).decode("utf-8", "replace")
    whole = text if size <= _LOG_READ_BYTES else text.partition("\n")[2]
    return "\n".join(whole.splitlines()[-lines:])


def _is_plain(entry: os.DirEntry[str]) -> bool:
    return entry.is_file(follow_symlinks=False) and _NAME.fullmatch(entry.name) is not None


def _artifact(path: Path, job_id: str) -> schemas.Artifact:
    found = path.stat()
    return schemas.Artifact(
        name=path.name,
        bytes=found.st_size,
        modified_at_s=found.st_mtime,
        href=f"/v1/jobs/{job_id}/artifacts/{path.name}",
    )
