"""Restores the newest committed checkpoint into a folder, and checks its digests."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Protocol

from elastic.checkpoints.folder import lay_link, links_in, sha256_of
from elastic.checkpoints.index import CheckpointIndex
from elastic.checkpoints.manifest import File, Manifest, Place
from elastic.errors import CheckpointDamaged, NotFound, Superseded

# How often another writer's removals are tolerated before the checkpoint counts as damaged.
_LOOKS = 3
_WHAT_TO_DO = (
    "restore the bucket's files and resume the job, or submit it under another name to start again"
)
log = logging.getLogger(__name__)


class Fillable(Protocol):
    """What `fill` needs of a folder; `Folder` documents each call."""

    @property
    def path(self) -> Path: ...

    def has(self, path: str, sha256: str) -> bool: ...

    def put(self, arrived: Path, path: str) -> None: ...

    def stamp(self, path: str, modified_at_ns: int) -> None: ...

    def keep_only(self, paths: Collection[str]) -> None: ...


def bring(
    index: CheckpointIndex,
    folder: Fillable,
    *,
    generation: int | None,
    present: Collection[Place] = (),
    stored_iteration: int | None = None,
    tell: Callable[[str], None] = log.warning,
) -> Manifest | None:
    """Makes the folder hold the newest usable manifest's files, and no others; None without one.

    A folder that holds one of `present` already stays as it is: it may be ahead. `tell` gets a line
    for each manifest that is refused, and one if the checkpoint of `stored_iteration` is gone and
    an earlier one is used.

    Raises Superseded if a generation newer than `generation` has committed. Raises
    CheckpointDamaged if no manifest can be used, or if there is none although a checkpoint of
    `stored_iteration` was stored. To start over would waste what was paid for.
    """
    seen: list[Place] = []
    refused: dict[Place, str] = {}
    for _ in range(_LOOKS):
        places = index.places()
        if not places:
            if stored_iteration and not present:
                wanted = (
                    f"wanted the checkpoint of iteration {stored_iteration} that was stored here"
                )
                raise CheckpointDamaged(f"{index.bucket}: {wanted}, found none; {_WHAT_TO_DO}")
            return None
        # A node of an old generation must not train on from a newer one's state.
        if generation is not None and places[0].generation > generation:
            raise Superseded(
                f"generation {places[0].generation} has committed a checkpoint; {generation} is "
                "over"
            )
        if places == seen:
            break
        found, refused = _first_usable(index, folder, places, present)
        if found is not None:
            _tell_all(refused, f"; {_named(found)} is used instead", tell=tell)
            if (
                not refused
                and found.iteration is not None
                and found.iteration < (stored_iteration or 0)
            ):
                tell(
                    f"the checkpoint of iteration {stored_iteration} that was stored is gone; "
                    f"{_named(found)} is used"
                )
            return found
        seen = places  # another writer may have removed them meanwhile: look again
    _tell_all(refused, tell=tell)
    raise CheckpointDamaged(
        f"{index.bucket}: wanted a checkpoint, none of {len(places)} can be used; {_WHAT_TO_DO}"
    )


def _first_usable(
    index: CheckpointIndex, folder: Fillable, places: list[Place], present: Collection[Place]
) -> tuple[Manifest | None, dict[Place, str]]:
    """The newest usable manifest, now in the folder, and why each later one was refused."""
    refused: dict[Place, str] = {}
    for place in places:
        try:
            manifest = index.manifest(place)
            if place not in present:
                fill(index, folder, manifest)
        except (NotFound, CheckpointDamaged) as error:
            refused[place] = str(error)
            continue
        return manifest, refused
    return None, refused


def _tell_all(
    refused: Mapping[Place, str], instead: str = "", *, tell: Callable[[str], None]
) -> None:
    for place, why in refused.items():
        tell(f"the checkpoint {place.name} is refused{instead}: {why}")


def _named(manifest: Manifest) -> str:
    return manifest.place.name + (
        "" if manifest.iteration is None else f" of iteration {manifest.iteration}"
    )


def fill(index: CheckpointIndex, folder: Fillable, manifest: Manifest) -> None:
    """Makes the folder hold the manifest's files as they were written, and no others.

    The folder does not change before all missing files have arrived. Raises NotFound and
    CheckpointDamaged.
    """
    folder.path.mkdir(parents=True, exist_ok=True)
    # Beside the folder, not inside it: a move within one file system is a single step.
    with tempfile.TemporaryDirectory(prefix=".arriving-", dir=folder.path.parent) as arriving:
        missing = [file for file in manifest.files if not folder.has(file.path, file.sha256)]
        arrived = [
            (_arrived(index, file, Path(arriving) / str(number)), file)
            for number, file in enumerate(missing)
        ]
        for link, to in links_in(folder.path).items():
            # No file may be written through a link of another state.
            if manifest.links.get(link) != to:
                (folder.path / link).unlink(missing_ok=True)
        for path, file in arrived:
            folder.put(path, file.path)
    for file in manifest.files:
        if file.modified_at_ns is not None:
            folder.stamp(file.path, file.modified_at_ns)
    # Files of an older checkpoint would otherwise be read as part of this one.
    folder.keep_only({file.path for file in manifest.files} | manifest.links.keys())
    for link, to in manifest.links.items():
        lay_link(folder.path, link, to)


def _arrived(index: CheckpointIndex, file: File, path: Path) -> Path:
    index.bucket.download(file.name, path)
    found = sha256_of(path)
    if found != file.sha256:
        raise CheckpointDamaged(f"{file.path}: wanted SHA-256 {file.sha256}, found {found}")
    return path
