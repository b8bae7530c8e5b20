"""A manifest: the one object whose existence makes the files that it names a checkpoint."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from elastic.errors import CheckpointDamaged
from elastic.log_line import plain

FORMAT = "elasticd-manifest-1"
MANIFESTS = "manifests/"
DATA = "data/"
_NAME = re.compile(MANIFESTS + r"g(\d{6,})-(\d{6,})\.json")
# A node on a host that is reached by ssh is named after both: node-1a2b@trainer@desk-a.
_DATA = re.compile(DATA + r"g(\d{6,})-([A-Za-z0-9_.:@-]+)/([0-9a-f]{64})")
_DIGEST = re.compile(r"[0-9a-f]{64}")


class Place(NamedTuple):
    """A manifest's place in the order: a later generation comes after all of an earlier one."""

    generation: int
    sequence: int

    @property
    def name(self) -> str:
        """The manifest's name.

        >>> Place(3, 17).name
        'manifests/g000003-000017.json'
        """
        return f"{MANIFESTS}g{self.generation:06d}-{self.sequence:06d}.json"


@dataclass(frozen=True, slots=True)
class File:
    """One file of a checkpoint: its path in the folder, its object `name`, and its bytes."""

    path: str
    size_bytes: int
    sha256: str
    # The name of the object that holds its bytes.
    name: str
    # When it was last written, Unix nanoseconds; None in manifests of an older version.
    modified_at_ns: int | None = None


@dataclass(frozen=True, slots=True)
class Manifest:
    """One committed state of a checkpoint folder, of the job that `job_id` names."""

    job_id: str
    generation: int
    sequence: int
    node_id: str
    # Identifies one writer's attempt: an answer may be lost although its write succeeded.
    attempt: str
    # None if the script named none.
    iteration: int | None
    committed_at_s: float
    files: tuple[File, ...]
    # Marks of the newest files that the job has saved, wherever they are, each with the iterations
    # that were done by then. Empty in manifests of an older version.
    saves: Mapping[str, int] = field(default_factory=dict)
    # Links within the folder, and where each leads to from its own folder. Empty in manifests of an
    # older version.
    links: Mapping[str, str] = field(default_factory=dict)

    @property
    def place(self) -> Place:
        return Place(self.generation, self.sequence)


def place_of(name: str) -> Place | None:
    """The place of the manifest with this name; None for other names."""
    match = _NAME.fullmatch(name)
    if match is None:
        return None
    return Place(int(match[1]), int(match[2]))


def data_name(generation: int, node_id: str, sha256: str) -> str:
    """The name of a data object, which only its owner or a later generation may remove."""
    return f"{DATA}g{generation:06d}-{node_id}/{sha256}"


def owner_of(name: str) -> tuple[int, str] | None:
    """The generation and node that wrote a data object; None for other names.

    >>> owner_of(data_name(7, "node-1a2b@trainer@desk-a", "0" * 64))
    (7, 'node-1a2b@trainer@desk-a')
    """
    match = _DATA.fullmatch(name)
    return None if match is None else (int(match[1]), match[2])


def to_json(manifest: Manifest) -> bytes:
    """The manifest as its object holds it."""
    return json.dumps({"format": FORMAT, **asdict(manifest)}, indent=1).encode()


def from_json(data: bytes, *, place: Place, job_id: str) -> Manifest:
    """Reads the manifest found at `place`.

    Raises CheckpointDamaged unless it is a manifest of this job and belongs there.
    """
    try:
        fields = json.loads(data)
        if fields["format"] != FORMAT:
            raise CheckpointDamaged(f"{place.name}: wanted {FORMAT}, found {fields['format']!r}")
        manifest = Manifest(
            job_id=str(fields["job_id"]),
            generation=int(fields["generation"]),
            sequence=int(fields["sequence"]),
            node_id=str(fields["node_id"]),
            attempt=str(fields["attempt"]),
            iteration=None if fields["iteration"] is None else int(fields["iteration"]),
            committed_at_s=float(fields["committed_at_s"]),
            files=tuple(_file(each) for each in fields["files"]),
            saves={str(mark): int(done) for mark, done in dict(fields.get("saves", {})).items()},
            links={_path(path): str(to) for path, to in dict(fields.get("links", {})).items()},
        )
    except (KeyError, TypeError, ValueError) as error:
        raise CheckpointDamaged(
            f"{place.name}: wanted a manifest, found a damaged or foreign object ({error!r})"
        ) from error
    if manifest.job_id != job_id:
        raise CheckpointDamaged(
            # The daemon's log says it: what follows the end of a line would look like the daemon's.
            f"{place.name}: wanted a checkpoint of {job_id}, found one of {plain(manifest.job_id)}"
        )
    if manifest.place != place:
        raise CheckpointDamaged(f"{place.name}: found the manifest of {manifest.place.name}")
    return manifest


def _file(fields: Mapping[str, Any]) -> File:
    written = fields.get("modified_at_ns")
    file = File(
        path=_path(fields["path"]),
        size_bytes=int(fields["size_bytes"]),
        sha256=str(fields["sha256"]),
        name=str(fields["name"]),
        modified_at_ns=None if written is None else int(written),
    )
    if not _DIGEST.fullmatch(file.sha256) or owner_of(file.name) is None or file.size_bytes < 0:
        raise ValueError(f"file {file.path!r}")
    return file


def _path(given: object) -> str:
    path = PurePosixPath(str(given))
    # A path from a bucket must not lead out of the folder that it is written to.
    if path.is_absolute() or not path.parts or ".." in path.parts or "\0" in str(given):
        raise ValueError(f"path {given!r}")
    return str(given)
