"""Checkpoints of a training: copied between two turns, written beside it, complete or absent."""

from elastic.workloads.checkpoint.background import BackgroundSaver, Saved
from elastic.workloads.checkpoint.checkpoint import CheckpointRefused, Checkpoints
from elastic.workloads.checkpoint.host_copy import AtOnce, CopyWay, HostCopy, on_host, way_from

__all__ = [
    "AtOnce",
    "BackgroundSaver",
    "CheckpointRefused",
    "Checkpoints",
    "CopyWay",
    "HostCopy",
    "Saved",
    "on_host",
    "way_from",
]
