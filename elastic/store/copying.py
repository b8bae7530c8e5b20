"""Copies of an SQLite database: consistent while others write, whole or not there at all."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from elastic.errors import ElasticError
from elastic.store.engine import damaged, is_of_damage


def copy_sqlite(source: Path, target: Path) -> Path:
    """Copies a database with what its log holds, readable by its owner alone; gives `target`.

    A copy that is there is replaced in one step. Raises ElasticError if it cannot be made,
    StoreUnavailable if `source` is damaged.
    """
    partial = target.with_name(f"{target.name}.partial")
    try:
        partial.unlink(missing_ok=True)
        # SQLite keeps the mode of a file that is there, and would make a new one readable by
        # others.
        os.close(os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        with (
            closing(sqlite3.connect(f"{source.resolve().as_uri()}?mode=ro", uri=True)) as here,
            closing(sqlite3.connect(partial)) as there,
        ):
            # SQLite's own backup: to copy the file would miss what is still in its log, or catch
            # half a page.
            here.backup(there)
            there.execute("PRAGMA journal_mode=DELETE")  # one file, without a log beside it
        sync_file(partial)
        # First the content, then the name, then the folder: a loss of power leaves the old copy or
        # the new one.
        partial.replace(target)
        sync_folder(target.parent)
    except (OSError, sqlite3.Error) as error:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
        if is_of_damage(error):
            raise damaged(source, str(error)) from error
        raise ElasticError(
            f"{target}: cannot copy {source} there: {error}; nothing was changed. Free some room "
            "first, or look at the file with `elasticd db check`."
        ) from error
    return target


def sync_file(path: Path) -> None:
    """Returns when the disk has the file."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Returns when the disk has the folder's names."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
