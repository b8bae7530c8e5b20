"""Carries a folder's files to a bucket and back, so that what counts as a checkpoint is whole."""

from elastic.checkpoints.location import Location, is_location, parse_location
from elastic.checkpoints.manifest import File, Manifest, Place

__all__ = ["File", "Location", "Manifest", "Place", "is_location", "parse_location"]
