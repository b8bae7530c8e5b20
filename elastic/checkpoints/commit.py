"""Commits a frozen copy of a folder: its data, then its manifest; then older ones are removed."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from elastic.checkpoints.folder import Changing, Still, look_at
from elastic.checkpoints.index import CheckpointIndex
from elastic.checkpoints.manifest import File, Manifest, Place, data_name, to_json
from elastic.errors import CheckpointDamaged, NotFound, StorageUnavailable, Superseded
from elastic.model import newest_saves

# How often another writer may take the next number first.
_TRIES = 5


@dataclass(frozen=True, slots=True)
class Writer:
    """The node that commits, and its generation; in a session, the session's round."""

    generation: int
    node_id: str


def commit(
    index: CheckpointIndex,
    files: Sequence[Still],
    *,
    kept: Sequence[File] = (),
    saves: Mapping[str, int] = MappingProxyType({}),
    links: Mapping[str, str] = MappingProxyType({}),
    writer: Writer,
    iteration: int | None,
    committed_at_s: float,
) -> Manifest:
    """Makes these files the job's newest checkpoint; what it returns is durable.

    `kept` are files of the newest checkpoint that belong to this one unchanged. Bytes that a kept
    checkpoint holds are not sent again. `saves` are the marks that this node knows, the newest
    last; those of the newest checkpoint count as older. `links` are the folder's. Raises
    Superseded if a newer generation has committed, StorageUnavailable if S3 does not take it, and
    Changing if a file was written meanwhile.
    """
    may_reuse = True
    for _ in range(_TRIES):
        places = index.places()
        _check_is_newest(places, writer)
        earlier = index.kept(places)
        reusable = {}
        if may_reuse:
            reusable = {file.sha256: file.name for each in earlier for file in each.files}
        older_saves = [pair for each in earlier[:1] for pair in each.saves.items()]
        manifest = Manifest(
            job_id=index.job_id,
            generation=writer.generation,
            sequence=places[0].sequence + 1 if places else 1,
            node_id=writer.node_id,
            attempt=secrets.token_hex(8),
            iteration=iteration,
            committed_at_s=committed_at_s,
            files=(*kept, *_stored(index, files, reusable, writer)),
            saves=newest_saves([*older_saves, *saves.items()]),
            links=dict(links),
        )
        if not _put(index, manifest):
            continue  # another writer took this number: look again
        there = index.tidy(generation=writer.generation, node_id=writer.node_id)
        # A newer generation may have committed meanwhile: then this commit does not count.
        _check_is_newest(index.places(), writer)
        if all(file.name in there for file in manifest.files):
            return manifest
        # The data of a kept checkpoint was removed meanwhile, by a writer or by the bucket's own
        # rules.
        may_reuse = False
    raise StorageUnavailable(
        f"{index.bucket}: wanted to commit, another writer was faster {_TRIES} times"
    )


def _check_is_newest(places: Sequence[Place], writer: Writer) -> None:
    if places and places[0].generation > writer.generation:
        raise Superseded(
            f"generation {places[0].generation} has committed a checkpoint; those of generation "
            f"{writer.generation} no longer count"
        )


def _stored(
    index: CheckpointIndex, files: Sequence[Still], reusable: Mapping[str, str], writer: Writer
) -> tuple[File, ...]:
    stored: list[File] = []
    names = dict(reusable)
    for file in files:
        name = names.get(file.sha256)
        if name is None:
            # Name the object by its content: the same bytes are stored once.
            name = names[file.sha256] = data_name(writer.generation, writer.node_id, file.sha256)
            index.bucket.upload(file.link, name)
        # A link freezes the name, not the bytes: a script may have appended to the file meanwhile.
        if look_at(file.link) != file.look:
            raise Changing(file.path)
        stored.append(
            File(file.path, file.look.size_bytes, file.sha256, name, file.look.modified_at_ns)
        )
    return tuple(stored)


def _put(index: CheckpointIndex, manifest: Manifest) -> bool:
    """Whether the manifest exists now, by this call or by one whose answer was lost."""
    if index.bucket.create(manifest.place.name, to_json(manifest)):
        return True
    try:
        return index.manifest(manifest.place).attempt == manifest.attempt
    except (NotFound, CheckpointDamaged):
        return False
