"""A folder of code as one zip, the same for the same files: what a job's owner has at hand, and its
nodes run."""

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
from pathlib import Path

from elastic.errors import InvalidInput
from elastic.figures import size
from elastic.zips import zip_of

# Most bytes of an archive. Code is small; data belongs where nodes read it in parts.
MOST_BYTES = 16 * 1024 * 1024
# What an archive's name looks like.
SUM_PATTERN = r"^[0-9a-f]{64}$"

_LARGEST_NAMED = 3
_BYTES_A_NAME = 128
_OUR_OWN = frozenset({"elastic", "elastic.py"})
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
    """A packed folder. `sha256` (hexadecimal) is its name; `paths` are relative to the folder, with
    slashes."""

    sha256: str
    content: bytes
    paths: tuple[str, ...]


def pack(folder: Path, *, but: Collection[str] = ()) -> Archive:
    """Packs what `folder` holds: in a git work tree what git would commit, elsewhere all but hidden
    files and caches.

    Either way, folders within it whose `.gitignore` says `*` are left out, and files whose relative
    paths are in `but`. Links to files are packed as what they lead to. Raises InvalidInput for no
    folder, nothing in it, too much, or what cannot be sent.
    """
    if not folder.is_dir():
        raise InvalidInput(f"code: wanted a folder, {folder} is none", field="code")
    listed = sorted(set(_listed(folder)) - set(but))
    if aside := [path for path in listed if path and (folder / path).is_dir()]:
        raise InvalidInput(
            f"code: {aside[0]} in {folder} is a link to a folder, a submodule or another "
            "repository, of which no file "
            "would be sent: put its files in its place, or have git ignore it",
            field="code",
        )
    paths = [path for path in listed if (folder / path).is_file()]
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
    """Makes `folder` what `pack` was given, all of it or nothing. Raises InvalidInput for what
    cannot be unpacked."""
    partial = folder.with_name(f"{folder.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    shutil.rmtree(folder, ignore_errors=True)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            _refuse_names(archive.namelist())
            if (total := sum(entry.file_size for entry in archive.infolist())) > MOST_BYTES:
                raise InvalidInput(
                    f"code: wanted {size(MOST_BYTES)} unpacked at most, got {size(total)}",
                    field="code",
                )
            for entry in archive.infolist():
                # Neither an absolute path nor one that climbs out is taken at its word.
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
    """Makes one file of an unpacked folder as it was sent; False if the archive, where there is
    one, has none such."""
    if not archive.is_file():
        return False
    with zipfile.ZipFile(archive) as opened:
        if path not in opened.namelist():
            return False
        entry = opened.getinfo(path)
        arrived = folder.with_name(f".{folder.name}.restored")
        arrived.write_bytes(opened.read(entry))
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
    """Whether its owner may run it is all that is kept of a file's permissions."""
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
    except (
        OSError,
        subprocess.CalledProcessError,
    ) as error:  # without its word, what it ignores would be sent
        said = os.fsdecode(getattr(error, "stderr", b"")).strip() or error
        raise InvalidInput(
            f"code: git must say what belongs to {folder}, and does not: {said}", field="code"
        ) from error
    return os.fsdecode(listed.stdout).split("\0")


def _walked(folder: Path) -> Iterator[str]:
    for root, folders, files in os.walk(folder):
        folders[:] = [each for each in folders if not _is_left_out(Path(root, each))]
        links = [each for each in folders if Path(root, each).is_symlink()]
        shown = [each for each in files if not each.startswith(".")]
        yield from (Path(root, each).relative_to(folder).as_posix() for each in (*shown, *links))


def _is_left_out(folder: Path) -> bool:
    is_cache = (
        folder.name.startswith(".")
        or folder.name == "__pycache__"
        or (folder / "pyvenv.cfg").exists()
    )
    return is_cache or _ignores_itself(folder / ".gitignore")


def _ignores_itself(gitignore: Path) -> bool:
    """Whether a folder is left out by its own word, as those of brought outputs and of many caches
    are."""
    if not gitignore.is_file():
        return False
    lines = map(str.strip, gitignore.read_text(encoding="utf-8", errors="replace").splitlines())
    return [each for each in lines if each and not each.startswith("#")] == ["*"]


def _refuse_names(paths: Iterable[str]) -> None:
    for path in paths:
        if path.split("/")[0] in _OUR_OWN:
            raise InvalidInput(
                f"code: {path} would stand before elasticd's own package where a worker begins: "
                "rename it, or name a "
                "folder below it",
                field="code",
            )
        if not path.isprintable():  # what is no UTF-8 is not, either
            raise InvalidInput(
                f"code: wanted names of files in printable UTF-8, got {path!r}", field="code"
            )


def _refuse_too_much(folder: Path, paths: Iterable[str]) -> None:
    # A zip takes some bytes for each name: together with those what is packed must pass as a whole.
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
            f"the largest {largest};"
            " name a folder of code alone, or have git ignore what is none",
            field="code",
        )
