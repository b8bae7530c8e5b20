"""Which files of a job's working folder are its outputs."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase


def is_output(path: str, globs: Sequence[str] | None) -> bool:
    """Whether a file is carried home, by its path in the working folder; None as `globs` takes
    every file.

    `*` also crosses folders, and a folder's name takes all that is in it.

    >>> [is_output(path, ["*.pt", "runs"]) for path in ("out/best.pt", "runs/1/log.txt",
    ...     "cache.bin")]
    [True, True, False]
    """
    if globs is None:
        return True
    return any(
        fnmatchcase(path, glob) or fnmatchcase(path, f"{glob.rstrip('/')}/*") for glob in globs
    )
