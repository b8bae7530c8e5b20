"""The committed manifests of one job, newest first, and the removal of older ones."""

from __future__ import annotations

import logging
from collections.abc import Iterator

from elastic.checkpoints.manifest import (
    DATA,
    MANIFESTS,
    Manifest,
    Place,
    from_json,
    owner_of,
    place_of,
)
from elastic.checkpoints.objects import Objects
from elastic.errors import CheckpointDamaged, NotFound

# The newest one may turn out to be damaged.
KEPT = 2
log = logging.getLogger(__name__)


class CheckpointIndex:
    """One job's manifests in a bucket. They never change, so each is read once."""

    def __init__(self, bucket: Objects, *, job_id: str) -> None:
        self.bucket = bucket
        self.job_id = job_id
        self._read: dict[Place, Manifest] = {}

    def places(self) -> list[Place]:
        """Every manifest, readable or not, newest first."""
        found = (place_of(name) for name in self.bucket.names(MANIFESTS))
        return sorted((place for place in found if place is not None), reverse=True)

    def manifests(self, places: list[Place]) -> Iterator[Manifest]:
        """The readable manifests, in the given order; others are logged and skipped."""
        for place in places:
            try:
                yield self.manifest(place)
            except NotFound:  # removed by another writer after a newer commit
                continue
            except CheckpointDamaged as error:
                log.warning("%s: refused %s", self.bucket, error)

    def manifest(self, place: Place) -> Manifest:
        """One manifest. Raises NotFound and CheckpointDamaged."""
        known = self._read.get(place)
        if known is None:
            known = self._read[place] = from_json(
                self.bucket.read(place.name), place=place, job_id=self.job_id
            )
        return known

    def kept(self, places: list[Place]) -> list[Manifest]:
        """The newest two readable manifests with different files.

        Of several with the same files it is the newest, which names more.
        """
        found: list[Manifest] = []
        for manifest in self.manifests(places):
            # The same files may be committed again to name their iteration.
            if not found or manifest.files != found[-1].files:
                found.append(manifest)
            if len(found) == KEPT:
                break
        return found

    def tidy(self, *, generation: int, node_id: str) -> frozenset[str]:
        """Removes what no kept manifest needs, and returns the names of the remaining data.

        Only data of this writer or of earlier generations is removed: another writer may be about
        to commit its own. Manifests go before their data, so that a crash in between leaves no
        manifest without its files.
        """
        places = self.places()
        kept = self.kept(places)
        # Unreadable manifests newer than that stay: they may be readable later.
        oldest = kept[-1].place if kept else Place(0, 0)
        self.bucket.delete([place.name for place in places if place < oldest])
        self._read = {manifest.place: manifest for manifest in kept}
        names = frozenset(self.bucket.names(DATA))
        needed = {file.name for manifest in kept for file in manifest.files}
        surplus = {name for name in names - needed if _may_remove(name, generation, node_id)}
        self.bucket.delete(surplus)
        return names - surplus


def _may_remove(name: str, generation: int, node_id: str) -> bool:
    owner = owner_of(name)
    return owner is not None and (owner[0] < generation or owner == (generation, node_id))
