"""Files that nodes leave behind: the ends of their logs, and the artifacts people look at."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from api import schemas
from api.artifacts import Artifacts, Kept
from elastic.errors import StorageUnavailable
from elastic.model import Node
from elastic.providers import Provider

_LOG_READ_BYTES = 256 * 1024

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


def log_tail(provider: Provider, artifacts: Artifacts, job_id: str, nodes: Sequence[Node], lines: int) -> str:
    """The last lines of each node's logs, oldest node first, each file under its name.

    Where nodes' folders are out of reach, what they stored with their artifacts when a generation ended.
    """
    return "".join((*_sections(provider, nodes, lines), *_stored(artifacts, job_id, lines)))


def _sections(provider: Provider, nodes: Sequence[Node], lines: int) -> Iterator[str]:
    for node in sorted(nodes, key=lambda each: (each.intended_at_s, each.id)):
        folder = None if node.provider_id is None else provider.log_path(node.provider_id)
        if folder is None or not Path(folder).is_dir():
            continue
        for path in sorted(each for each in Path(folder).rglob("*") if each.is_file() and not each.is_symlink()):
            name = f"{node.id} ({node.offering.node_type}) {path.relative_to(folder)}"
            yield from _section(name, _end_of(path), lines)


def _stored(artifacts: Artifacts, job_id: str, lines: int) -> Iterator[str]:
    try:
        ends = artifacts.log_ends(job_id, most_bytes=_LOG_READ_BYTES)
    except StorageUnavailable as error:
        yield f"==> the stored logs could not be read: {error} <==\n"
        return
    for name, end in ends:
        yield from _section(name, end, lines)


def _section(name: str, end: bytes, lines: int) -> Iterator[str]:
    text = end.decode("utf-8", "replace")
    whole = text if len(end) < _LOG_READ_BYTES else text.partition("\n")[2]
    tail = "\n".join(whole.splitlines()[-lines:])
    if tail:
        yield f"==> {name} <==\n{tail}\n"


def _end_of(path: Path) -> bytes:
    with open(path, "rb") as file:
        file.seek(max(file.seek(0, os.SEEK_END) - _LOG_READ_BYTES, 0))
        return file.read(_LOG_READ_BYTES)


def _artifact(kept: Kept, job_id: str) -> schemas.Artifact:
    return schemas.Artifact(
        name=kept.name,
        bytes=kept.size_bytes,
        modified_at_s=kept.modified_at_s,
        href=f"/v1/jobs/{job_id}/artifacts/{kept.name}",
    )
