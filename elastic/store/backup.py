"""Backups: one file with the database, the secret and the token, from which a daemon can be
restored elsewhere.

It is a tar archive, readable by its owner alone: a manifest with the sum of each file, then the
files. A running daemon goes on meanwhile.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import tarfile
import tempfile
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import IO, Any

from pydantic import BaseModel, ValidationError
from sqlalchemy import inspect
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError

from elastic import __version__
from elastic.errors import Conflict, ElasticError, InvalidInput, NotFound, cannot_write
from elastic.faults import in_words
from elastic.figures import instant
from elastic.store import postgres_tools
from elastic.store.copying import copy_sqlite, sync_file, sync_folder
from elastic.store.engine import plain_engine, refusal

_FORMAT = 1
_MANIFEST = "manifest.json"
_DATABASE = "database"
_MOST_MANIFEST_BYTES = 1 << 20
_PIECE_BYTES = 1 << 20


class _File(BaseModel):
    """What a restore compares a file of the archive with: a tar file has no sum of it."""

    sha256: str
    bytes: int


class _Manifest(BaseModel):
    """What a backup holds, in the words of its file."""

    format: int
    elasticd: str
    made_at: str
    kind: str
    files: dict[str, _File]


@dataclass(frozen=True, slots=True)
class Backup:
    """What a backup holds: when it was made (ISO 8601), by which elasticd, and each file's size."""

    path: Path
    made_at: str
    version: str
    kind: str
    sizes: Mapping[str, int]


def back_up(url: str, secrets: Mapping[str, Path], target: Path, *, now_s: float) -> Backup:
    """Writes a backup of the database at `url` and of these files, by name, to `target`.

    Raises Conflict if `target` is there already, NotFound if there is no database, InvalidInput if
    `target` cannot be written, ElasticError if the database is damaged or cannot be copied.
    """
    try:
        return _backed_up(url, secrets, target, now_s=now_s)
    except OSError as error:
        raise cannot_write(
            target,
            error,
            wanted="a file for the backup",
            advice="choose another place, or make it writable",
        ) from error


def _backed_up(url: str, secrets: Mapping[str, Path], target: Path, *, now_s: float) -> Backup:
    with suppress(FileNotFoundError, NotADirectoryError):
        # Unlike `Path.exists` it has the same errors in every Python.
        target.stat()
        raise Conflict(f"{target} is there already; choose another name, or remove it")
    target.parent.mkdir(parents=True, exist_ok=True)
    # Beside the target, not in /tmp: a hard link cannot lead to another file system.
    partial = target.with_name(f".{target.name}.partial")
    with tempfile.TemporaryDirectory(prefix=".elasticd-backup-", dir=target.parent) as folder:
        database = Path(folder, _DATABASE)
        # Copy the database first; the files are small, and read when they are packed.
        kind = _dump(url, database)
        files = {_DATABASE: database, **{n: path for n, path in secrets.items() if path.exists()}}
        manifest = _Manifest(
            format=_FORMAT,
            elasticd=__version__,
            made_at=instant(now_s),
            kind=kind,
            files={
                name: _File(sha256=_sum_of(path), bytes=path.stat().st_size)
                for name, path in files.items()
            },
        )
        try:
            # Written aside and linked, so that a backup is whole or not there.
            _pack(partial, manifest, files)
            os.link(partial, target)
        finally:
            partial.unlink(missing_ok=True)
        # A new name is safe only once its folder is on the disk, too.
        sync_folder(target.parent)
    return _described(target, manifest)


def look_into(source: Path) -> Backup:
    """What a backup says that it holds. Raises NotFound, or InvalidInput if it is none."""
    with _opened(source) as archive:
        return _described(source, _manifest_in(archive, source))


def restore(source: Path, url: str, secrets: Mapping[str, Path]) -> Backup:
    """Lays a backup out: its database at `url`, its other files where `secrets` has their names.

    Nothing is overwritten: raises Conflict if another file, or a database with tables, is there. A
    file with the same content counts as restored. Raises NotFound, or InvalidInput if `source` is
    no backup or is damaged, StoreUnavailable where no server answers or it has no such database.
    """
    with _opened(source) as archive:
        manifest = _manifest_in(archive, source)
        wanted = {name: path for name, path in secrets.items() if name in manifest.files}
        kind = make_url(url).get_backend_name()
        if kind != manifest.kind:
            raise InvalidInput(
                f"{source} holds a database of {manifest.kind}, and database_url names one of "
                f"{kind}"
            )
        for name, path in wanted.items():
            # The same content may be there: a restore that was broken off is simply run again.
            if path.exists() and _sum_of(path) != manifest.files[name].sha256:
                raise Conflict(_in_the_way(path))
        # Look before anything is unpacked: a refusal must not leave half a restore behind.
        _refuse_database(url)
        # Unpack and check everything next to its place, then put it there.
        # On the same disk as the files' places: to link them is then one step, and takes no second
        # copy.
        # Of all places: a backup from a machine without a daemon holds a database of PostgreSQL
        # alone.
        folder = _folder_of(url) or next(iter(secrets.values())).parent
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".elasticd-restore-", dir=folder) as laid_out:
            unpacked = {
                name: _unpack(archive, source, name, manifest, Path(laid_out))
                for name in (*wanted, _DATABASE)
            }
            for name, path in wanted.items():
                _place(unpacked[name], path)
            # Last, so that no daemon finds it without the secret that its nodes know.
            _load(unpacked[_DATABASE], url)
    return _described(source, manifest)


def _dump(url: str, to: Path) -> str:
    parsed = make_url(url)
    if parsed.get_backend_name() != "sqlite":
        postgres_tools.dump(parsed, to)
        return parsed.get_backend_name()
    path = Path(parsed.database or "")
    if not path.is_file():
        raise NotFound(
            f"{path}: wanted the daemon's database, found no such file: run this as the daemon's "
            "user, or name its data folder by ELASTICD_DATA_DIR"
        )
    # Check the copy: a backup of a damaged database would be no help.
    copy_sqlite(path, to)
    with closing(sqlite3.connect(to)) as connection:
        found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    # SQLite takes an empty file for a database: a disk that lost its content leaves one.
    if not tables:
        raise ElasticError(
            f"{path} is empty, and a backup of it would be, too; restore the last good one "
            "(`elasticd db restore`), unless no daemon has ever used it"
        )
    if found != "ok":
        raise ElasticError(
            f"{path} is damaged ({found}), and a backup of it would be, too; restore the last good "
            "one (`elasticd db restore`)"
        )
    return "sqlite"


def _refuse_database(url: str) -> None:
    folder = _folder_of(url)
    if folder is not None:
        path = folder / Path(make_url(url).database or "").name
        # SQLite's two helper files belong to the database.
        for each in (path, path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")):
            if each.exists():
                raise Conflict(_in_the_way(each))
        return
    engine = plain_engine(url)
    try:
        with engine.connect() as connection:
            tables = inspect(connection).get_table_names()
    except DBAPIError as error:
        raise refusal(url, error) from error
    finally:
        engine.dispose()
    if tables:
        raise Conflict(
            f"{make_url(url).render_as_string()} holds tables ({', '.join(sorted(tables)[:3])}, "
            "...); restore into an empty database"
        )


def _load(dump: Path, url: str) -> None:
    folder = _folder_of(url)
    if folder is None:
        postgres_tools.load(dump, make_url(url))
    else:
        _place(dump, folder / Path(make_url(url).database or "").name)


def _folder_of(url: str) -> Path | None:
    parsed = make_url(url)
    if parsed.get_backend_name() != "sqlite" or not parsed.database:
        return None
    return Path(parsed.database).parent


def _place(unpacked: Path, path: Path) -> None:
    """Gives a file its name, unless another took it meanwhile."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    sync_file(unpacked)
    try:
        # A link and no rename: a rename would replace a file that came meanwhile, without a word.
        os.link(unpacked, path)
    except FileExistsError as error:
        if _sum_of(path) != _sum_of(unpacked):
            raise Conflict(_in_the_way(path)) from error
    sync_folder(path.parent)


def _in_the_way(path: Path) -> str:
    return (
        f"{path} is there, and a restore overwrites nothing: move it elsewhere, or choose another "
        "--data-dir"
    )


def _pack(path: Path, manifest: _Manifest, files: Mapping[str, Path]) -> None:
    # What a backup left that was killed.
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file, tarfile.open(fileobj=file, mode="w") as archive:
        text = manifest.model_dump_json(indent=2).encode()
        _add(archive, _MANIFEST, BytesIO(text), len(text))
        for name, each in files.items():
            with each.open("rb") as content:
                _add(archive, name, content, manifest.files[name].bytes)
    sync_file(path)


def _add(archive: tarfile.TarFile, name: str, content: IO[bytes], size: int) -> None:
    entry = tarfile.TarInfo(name)
    entry.size = size
    entry.mode = 0o600
    archive.addfile(entry, content)


def _opened(source: Path) -> tarfile.TarFile:
    try:
        # Plain tar only ("r:"): a compressed file could unpack to any size, and none of ours is.
        return tarfile.open(source, mode="r:")
    except FileNotFoundError as error:
        raise NotFound(
            f"wanted a backup at {source}, found no such file: name one that `elasticd db backup` "
            "has written"
        ) from error
    except (OSError, tarfile.TarError) as error:
        raise InvalidInput(f"{source} is no backup of elasticd: {error}") from error


def _manifest_in(archive: tarfile.TarFile, source: Path) -> _Manifest:
    try:
        entry = archive.getmember(_MANIFEST)
        content = archive.extractfile(entry)
        # The size is checked before anything is read into memory.
        if content is None or entry.size > _MOST_MANIFEST_BYTES:
            raise InvalidInput(f"{source} is no backup of elasticd: its manifest is none")
        told: dict[str, Any] = json.loads(content.read())
        if told["format"] != _FORMAT:
            raise InvalidInput(
                f"{source} was made by elasticd {told.get('elasticd')}, in a format that this "
                "version does not know; restore it with that version"
            )
        manifest = _Manifest.model_validate(told)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise InvalidInput(
            f"{source} is no backup of elasticd, or is damaged: its manifest's {where}: "
            f"{in_words(first)}"
        ) from error
    except (KeyError, TypeError, ValueError, OSError, tarfile.TarError) as error:
        raise InvalidInput(f"{source} is no backup of elasticd, or is damaged: {error}") from error
    if _DATABASE not in manifest.files:
        raise InvalidInput(f"{source} is no backup of elasticd: it holds no database")
    return manifest


def _unpack(
    archive: tarfile.TarFile, source: Path, name: str, manifest: _Manifest, folder: Path
) -> Path:
    path = folder / name
    summed = hashlib.sha256()
    try:
        content = archive.extractfile(name)
        if content is None:
            raise InvalidInput(f"{source}: {name} is no file")
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            while piece := content.read(_PIECE_BYTES):
                summed.update(piece)
                file.write(piece)
    except (KeyError, tarfile.TarError) as error:
        raise InvalidInput(f"{source} is damaged: {name} cannot be read: {error}") from error
    if summed.hexdigest() != manifest.files[name].sha256:
        raise InvalidInput(
            f"{source} is damaged: {name} is not what the manifest says; take another"
        )
    return path


def _sum_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _described(path: Path, manifest: _Manifest) -> Backup:
    return Backup(
        path=path,
        made_at=manifest.made_at,
        version=manifest.elasticd,
        kind=manifest.kind,
        sizes={name: each.bytes for name, each in manifest.files.items()},
    )
