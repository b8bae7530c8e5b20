"""Stores a folder's files as whole checkpoints, and restores them."""

from elastic.checkpoints.bring import bring, fill
from elastic.checkpoints.commit import Writer, commit
from elastic.checkpoints.folder import Changing, Folder, Look, Still, links_in
from elastic.checkpoints.index import CheckpointIndex
from elastic.checkpoints.location import Location, is_location, parse_location
from elastic.checkpoints.manifest import File, Manifest, Place
from elastic.checkpoints.objects import FolderObjects, Objects, opened_itself
from elastic.checkpoints.working import UNSEEN, WorkingFolder

__all__ = [
    "UNSEEN",
    "Changing",
    "CheckpointIndex",
    "File",
    "Folder",
    "FolderObjects",
    "Location",
    "Look",
    "Manifest",
    "Objects",
    "Place",
    "Still",
    "WorkingFolder",
    "Writer",
    "bring",
    "commit",
    "fill",
    "is_location",
    "links_in",
    "opened_itself",
    "parse_location",
]
