"""Brings the newest committed checkpoint into a folder, whole and proved by its digests, or refuses it."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Collection
from pathlib import Path

from elastic.checkpoints.folder import Folder, sha256_of
from elastic.checkpoints.manifest import File, Manifest, Place
from elastic.checkpoints.shelf import Shelf
from elastic.errors import CheckpointDamaged, NotFound, Superseded

_LOOKS = 3
log = logging.getLogger(__name__)


def bring(shelf: Shelf, folder: Folder, *, generation: int | None, present: Collection[Place] = ()) -> Manifest | None:
    """Makes the folder hold what the newest usable manifest names, and nothing else; None where there is none.

    A folder that holds one of `present` already is left as it is: it may be ahead. Raises Superseded when a newer
    generation than `generation`, if that is given, has committed, CheckpointDamaged when there are manifests and none
    can be used: starting anew would waste what was paid for.
    """
    seen: list[Place] = []
    for _ in range(_LOOKS):
        places = shelf.places()
        if not places:
            return None
        if generation is not None and places[0].generation > generation:
            raise Superseded(f"generation {places[0].generation} has committed a checkpoint; {generation} is over")
        if places == seen:
            break
        found = _first_usable(shelf, folder, places, present)
        if found is not None:
            return found
        seen = places  # while they were being read another writer may have let them go: look again
    raise CheckpointDamaged(
        f"{shelf.bucket.location}: wanted a checkpoint, none of {len(places)} can be used; restore the bucket's files, "
        "or submit the job under another name to start anew"
    )


def _first_usable(shelf: Shelf, folder: Folder, places: list[Place], present: Collection[Place]) -> Manifest | None:
    for manifest in shelf.manifests(places):
        if manifest.place in present:
            return manifest
        try:
            _fill(shelf, folder, manifest)
        except (NotFound, CheckpointDamaged) as error:
            log.warning("%s: refused %s: %s", shelf.bucket.location, manifest.place.name, error)
            continue
        return manifest
    return None


def _fill(shelf: Shelf, folder: Folder, manifest: Manifest) -> None:
    """Nothing in the folder changes before everything that it lacks has arrived."""
    folder.path.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".arriving-", dir=folder.path.parent) as arriving:
        missing = [file for file in manifest.files if not folder.has(file.path, file.sha256)]
        arrived = [(_arrived(shelf, file, Path(arriving) / str(number)), file) for number, file in enumerate(missing)]
        for path, file in arrived:
            folder.put(path, file.path)
    folder.keep_only({file.path for file in manifest.files})


def _arrived(shelf: Shelf, file: File, path: Path) -> Path:
    shelf.bucket.download(file.name, path)
    found = sha256_of(path)
    if found != file.sha256:
        raise CheckpointDamaged(f"{file.path}: wanted SHA-256 {file.sha256}, found {found}")
    return path
