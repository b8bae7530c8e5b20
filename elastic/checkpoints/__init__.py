"""Stores a folder's files as whole checkpoints, and restores them."""

from elastic.checkpoints.location import Location, is_location, parse_location
from elastic.checkpoints.manifest import File, Manifest, Place
from elastic.checkpoints.objects import FolderObjects, Objects

__all__ = [
    "File",
    "FolderObjects",
    "Location",
    "Manifest",
    "Objects",
    "Place",
    "is_location",
    "parse_location",
]
