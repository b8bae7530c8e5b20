"""Carries a folder's files to a bucket and back, so that what counts as a checkpoint is whole."""

from elastic.checkpoints.location import Location, is_location, parse_location
from elastic.checkpoints.manifest import File, Manifest

__all__ = ["File", "Location", "Manifest", "is_location", "parse_location"]
