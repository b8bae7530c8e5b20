"""A folder of code as one zip, the same for the same files: what a job's owner has at hand, and its nodes run."""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import stat
import subprocess
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from elastic.errors import InvalidInput

MOST_BYTES = 16 * 1024 * 1024
"""Most bytes of an archive. Code is small; data belongs where nodes read it in parts."""

_FIRST_INSTANT = (1980, 1, 1, 0, 0, 0)
_LARGEST_NAMED = 3


@dataclass(frozen=True, slots=True)
class Archive:
    """A packed folder. `sha256` (hexadecimal) is its name; `paths` are relative to the folder, with slashes."""

    sha256: str
    content: bytes
    paths: tuple[str, ...]


def pack(folder: Path) -> Archive:
    """Packs what `folder` holds: in a git work tree what git would commit, elsewhere all but hidden files and caches.

    Links are packed as what they lead to. Raises InvalidInput for no folder, nothing in it, or too much.
    """
    if not folder.is_dir():
        raise InvalidInput(f"code: wanted a folder, {folder} is none", field="code")
    paths = sorted(path for path in _listed(folder) if (folder / path).is_file())
    if not paths:
        raise InvalidInput(f"code: wanted a folder with code, found no file to send in {folder}", field="code")
    _refuse_too_much(folder, paths)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in paths:
            entry = zipfile.ZipInfo(path, _FIRST_INSTANT)
            is_program = (folder / path).stat().st_mode & stat.S_IXUSR
            entry.external_attr = (stat.S_IFREG | (0o755 if is_program else 0o644)) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, (folder / path).read_bytes())
    content = file.getvalue()
    return Archive(sum_of(content), content, tuple(paths))


def unpack(content: bytes, folder: Path) -> None:
    """Makes `folder` what `pack` was given, all of it or nothing. Raises InvalidInput for what is no such archive."""
    partial = folder.with_name(f"{folder.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    shutil.rmtree(folder, ignore_errors=True)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for entry in archive.infolist():
                # Neither an absolute path nor one that climbs out is taken at its word.
                path = Path(archive.extract(entry, partial))
                path.chmod(0o755 if (entry.external_attr >> 16) & stat.S_IXUSR else 0o644)
    except (zipfile.BadZipFile, NotImplementedError) as error:
        raise InvalidInput(f"code: wanted a zip of files, found {error}", field="code") from error
    partial.replace(folder)


def check(content: bytes) -> None:
    """Raises InvalidInput unless `content` is an archive that `unpack` will take."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = archive.namelist()
            if (broken := archive.testzip()) is not None:
                raise InvalidInput(f"code: {broken} in the zip does not match its checksum", field="code")
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
        found = f"{len(content)} bytes: {error}"
        raise InvalidInput(f"code: wanted a zip of files, got {found}", field="code") from error
    if not names:
        raise InvalidInput("code: wanted a zip of files, got an empty one", field="code")


def sum_of(content: bytes) -> str:
    """The name of an archive."""
    return hashlib.sha256(content).hexdigest()


def _listed(folder: Path) -> Iterable[str]:
    command = ["git", "-C", str(folder), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(command, capture_output=True, check=False)
    except FileNotFoundError:  # no git here
        return _walked(folder)
    return os.fsdecode(listed.stdout).split("\0") if listed.returncode == 0 else _walked(folder)


def _walked(folder: Path) -> Iterator[str]:
    for root, folders, files in os.walk(folder):
        folders[:] = [each for each in folders if not _is_left_out(Path(root, each))]
        yield from (Path(root, each).relative_to(folder).as_posix() for each in files if not each.startswith("."))


def _is_left_out(folder: Path) -> bool:
    return folder.name.startswith(".") or folder.name == "__pycache__" or (folder / "pyvenv.cfg").exists()


def _refuse_too_much(folder: Path, paths: Iterable[str]) -> None:
    sizes = sorted(((folder / path).stat().st_size, path) for path in paths)
    total = sum(size for size, _ in sizes)
    if total > MOST_BYTES:
        largest = ", ".join(f"{path} ({size / 1e6:.1f} MB)" for size, path in reversed(sizes[-_LARGEST_NAMED:]))
        raise InvalidInput(
            f"code: wanted at most {MOST_BYTES / 1e6:.0f} MB of files in {folder}, found {total / 1e6:.1f} MB, the "
            f"largest {largest}; name a folder of code alone, or have git ignore what is none",
            field="code",
        )
