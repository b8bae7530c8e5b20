"""Stores a folder's files as whole checkpoints, and restores them."""

from elastic.checkpoints.location import Location, is_location, parse_location
from elastic.checkpoints.manifest import File, Manifest, Place

__all__ = ["File", "Location", "Manifest", "Place", "is_location", "parse_location"]
