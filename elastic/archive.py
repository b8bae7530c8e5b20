"""A folder of code as one zip, which a job's nodes unpack and run."""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import stat
import subprocess
import tempfile
import zipfile
import zlib
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath

from elastic.errors import InvalidInput
from elastic.figures import size
from elastic.zips import zip_of

# The size limit of an archive, packed and unpacked. Code is small; data belongs in a store from
# which nodes read the parts they need.
MOST_BYTES = 16 * 1024 * 1024
# To unpack more takes the daemon seconds, however small they are.
MOST_FILES = 10_000
# An archive's name is its SHA-256.
SUM_PATTERN = r"^[0-9a-f]{64}$"

_LARGEST_NAMED = 3
# A zip stores about this much for each file, beside its content and two copies of its name.
_BYTES_A_NAME = 128
# A worker's folder comes first on its import path, so these names would hide elasticd's package.
_OUR_OWN = frozenset({"elastic", "elastic.py"})
# Where one of these files lies, a daemon keeps its token, its secret and what jobs left behind.
_OF_A_DAEMON = ("daemon.lock", "elasticd.db")
# What zipfile raises for damaged or unsupported archives.
_UNFIT = (
    zipfile.BadZipFile,
    zlib.error,
    NotImplementedError,
    RuntimeError,
    ValueError,
    EOFError,
    OSError,
)


@dataclass(frozen=True, slots=True)
class Archive:
    """A packed folder."""

    # Its name, in hexadecimal.
    sha256: str
    content: bytes
    # Relative to the folder, with slashes.
    paths: tuple[str, ...]


def pack(folder: Path, *, but: Collection[str] = ()) -> Archive:
    """Packs the files of `folder`, except those whose relative paths are in `but`.

    In a git work tree these are the files that git would commit, elsewhere all but hidden files
    and caches. Folders whose `.gitignore` says `*`, a daemon's data folder and its backups are
    left out in both cases. A link to a file is packed as that file. Raises InvalidInput if there
    is no folder, no file, too much, or something that cannot be sent.
    """
    if not folder.is_dir():
        found = "a file" if folder.exists() else "nothing there"
        raise InvalidInput(
            f"code: wanted the folder of the job's code, {folder}, found {found}: name the folder "
            "of the script (a path in a job's file counts from that file)",
            field="code",
        )
    if _is_a_daemons(folder):
        raise InvalidInput(
            f"code: {folder} is a daemon's data folder, whose token and secret no node may have: "
            "keep the code in a folder of its own",
            field="code",
        )
    # Sorted, so that the same files make the same archive.
    listed = sorted(_without_data_folders(folder, set(_listed(folder)) - set(but)))
    # git lists a link to a folder, or a nested repository, as one entry without its files.
    if aside := [path for path in listed if path and (folder / path).is_dir()]:
        raise InvalidInput(
            f"code: {aside[0]} in {folder} is a link to a folder, a submodule or another "
            "repository, and its files would not be sent: put the files themselves there, or have "
            "git ignore it",
            field="code",
        )
    files = [path for path in listed if (folder / path).is_file()]
    _refuse_many(len(files))
    paths = [path for path in files if not _is_backup(folder / path)]
    if not paths:
        raise InvalidInput(
            f"code: wanted a folder with code, found no file to send in {folder}", field="code"
        )
    _refuse_names(paths)
    _refuse_too_much(folder, paths)
    content = zip_of(
        (path, (folder / path).read_bytes(), _mode((folder / path).stat().st_mode))
        for path in paths
    )
    return Archive(sum_of(content), content, tuple(paths))


def unpack(content: bytes, folder: Path) -> None:
    """Unpacks an archive as `folder`, all of it or nothing. Raises InvalidInput."""
    # Unpacked beside and renamed at the end: a crash leaves no half-filled folder.
    partial = folder.with_name(f"{folder.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    shutil.rmtree(folder, ignore_errors=True)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            _refuse_many(len(archive.namelist()))
            _refuse_names(archive.namelist())
            if (total := sum(entry.file_size for entry in archive.infolist())) > MOST_BYTES:
                raise InvalidInput(
                    f"code: wanted {size(MOST_BYTES)} unpacked at most, got {size(total)}",
                    field="code",
                )
            for entry in archive.infolist():
                # `extract` keeps absolute paths and `..` inside the folder.
                path = Path(archive.extract(entry, partial))
                if path.is_file():
                    path.chmod(_mode(entry.external_attr >> 16))
        partial.replace(folder)
    except _UNFIT as error:
        shutil.rmtree(partial, ignore_errors=True)
        raise InvalidInput(
            f"code: wanted a zip of files, got {len(content)} bytes: {error}", field="code"
        ) from error


def restore(archive: Path, path: str, folder: Path) -> bool:
    """Restores one file of an unpacked folder; False if no archive has it."""
    if not archive.is_file():
        return False
    with zipfile.ZipFile(archive) as opened:
        if path not in opened.namelist():
            return False
        entry = opened.getinfo(path)
        arrived = folder.with_name(f".{folder.name}.restored")
        arrived.write_bytes(opened.read(entry))
    # The upper half of a zip's attributes holds the POSIX permissions.
    arrived.chmod(_mode(entry.external_attr >> 16))
    arrived.replace(folder / path)
    return True


def check(content: bytes) -> None:
    """Raises InvalidInput unless `content` is an archive that `unpack` takes."""
    with tempfile.TemporaryDirectory() as folder:
        unpack(content, Path(folder) / "code")


def sum_of(content: bytes) -> str:
    """The name of an archive."""
    return hashlib.sha256(content).hexdigest()


def _mode(found: int) -> int:
    """The permissions to pack: only whether the owner may run the file."""
    if found & stat.S_IXUSR:
        return 0o755
    return 0o644


def _listed(folder: Path) -> Iterable[str]:
    if not any((each / ".git").exists() for each in (folder, *folder.resolve().parents)):
        return _walked(folder)
    command = [
        "git",
        "-C",
        str(folder),
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
    ]
    try:
        listed = subprocess.run(command, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        # Without git's list, ignored files would be sent: data sets, secrets.
        said = os.fsdecode(getattr(error, "stderr", b"")).strip() or error
        raise InvalidInput(
            f"code: wanted git's list of the files of {folder}, got an error: {said}", field="code"
        ) from error
    return os.fsdecode(listed.stdout).split("\0")


def _walked(folder: Path) -> Iterator[str]:
    for root, folders, files in os.walk(folder):
        # Changed in place, so that `walk` does not enter the folders that are left out.
        folders[:] = [each for each in folders if not _is_left_out(Path(root, each))]
        links = [each for each in folders if Path(root, each).is_symlink()]
        shown = [each for each in files if not each.startswith(".")]
        yield from (Path(root, each).relative_to(folder).as_posix() for each in (*shown, *links))


def _without_data_folders(folder: Path, paths: Iterable[str]) -> Iterator[str]:
    """The paths that lead through no data folder of a daemon."""
    is_a_daemons = cache(_is_a_daemons)
    for path in paths:
        inside = (folder / each for each in PurePosixPath(path).parents if each.name)
        if not any(map(is_a_daemons, inside)):
            yield path


def _is_a_daemons(folder: Path) -> bool:
    return any((folder / each).is_file() for each in _OF_A_DAEMON)


def _is_backup(file: Path) -> bool:
    """Whether a file is a daemon's backup, which holds its token and its secret."""
    with file.open("rb") as opened:
        begins = opened.read(1024)
    # A tar begins with the name of its first member, whose text follows 512 bytes later.
    return begins.startswith(b"manifest.json\0") and b'"elasticd"' in begins[512:]


def _is_left_out(folder: Path) -> bool:
    is_cache = (
        folder.name.startswith(".")
        or folder.name == "__pycache__"
        or (folder / "pyvenv.cfg").exists()
    )
    return is_cache or _ignores_itself(folder / ".gitignore")


def _ignores_itself(gitignore: Path) -> bool:
    """Whether a folder's own `.gitignore` leaves it out, as in downloaded outputs and caches."""
    if not gitignore.is_file():
        return False
    lines = map(str.strip, gitignore.read_text(encoding="utf-8", errors="replace").splitlines())
    return [each for each in lines if each and not each.startswith("#")] == ["*"]


def _refuse_many(files: int) -> None:
    if files > MOST_FILES:
        raise InvalidInput(
            f"code: wanted at most {MOST_FILES} files, got {files}: data belongs in a bucket "
            "(`data:`), and what git ignores is not sent",
            field="code",
        )


def _refuse_names(paths: Iterable[str]) -> None:
    for path in paths:
        if path.split("/")[0] in _OUR_OWN:
            raise InvalidInput(
                f"code: {path} would hide elasticd's own package in the workers: rename it, or "
                "name a folder below it",
                field="code",
            )
        if not path.isprintable():  # nor is a name that is not valid UTF-8
            raise InvalidInput(
                f"code: wanted names of files in printable UTF-8, got {path!r}", field="code"
            )


def _refuse_too_much(folder: Path, paths: Iterable[str]) -> None:
    # The names count too, so that what passes here also passes the limit as a packed zip.
    sizes = sorted(
        ((folder / path).stat().st_size + _BYTES_A_NAME + 2 * len(path.encode()), path)
        for path in paths
    )
    total = sum(size_bytes for size_bytes, _ in sizes)
    if total > MOST_BYTES:
        largest = ", ".join(
            f"{path} ({size(size_bytes)})" for size_bytes, path in reversed(sizes[-_LARGEST_NAMED:])
        )
        raise InvalidInput(
            f"code: wanted at most {size(MOST_BYTES)} of files in {folder}, found {size(total)}, "
            f"the largest {largest}; name a folder that holds only code, or have git ignore the "
            "rest",
            field="code",
        )
