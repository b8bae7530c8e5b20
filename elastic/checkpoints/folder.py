"""A folder of files to store: its files, their digests, and a frozen copy of them."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

# Files named so, or beginning with a dot, are still being written.
PARTIAL_ENDINGS = (".partial", ".part", ".tmp", ".temp", ".incomplete")
_READ_BYTES = 1 << 20
# A larger log waits until it is complete: it would be copied and read in full every few seconds.
_MOST_GROWN_BYTES = 16 << 20


class Look(NamedTuple):
    """A file's identity in the file system: if it is unchanged, so are the bytes."""

    inode: int
    size_bytes: int
    modified_at_ns: int


@dataclass(frozen=True, slots=True)
class Still:
    """A frozen file: a link that no rename or removal in the folder can change."""

    path: str
    link: Path
    look: Look
    sha256: str


class Changing(Exception):
    """A file was written to while it was read; look again when it is complete."""


class Growth:
    """Finds files that only grow, as logs and tables do; they may never rest while a script runs.

    Each call looks at one file, and compares with the call before for its path.
    """

    def __init__(self) -> None:
        self._begun: dict[str, tuple[int, str]] = {}

    def grown(self, path: Path, look: Look) -> bytes | None:
        """The content of a file of text as far as `look` saw it, if its beginning stayed as it was.

        None for any other file.
        """
        size_bytes, digest = self._begun.pop(str(path), (0, ""))
        if not 0 < look.size_bytes <= _MOST_GROWN_BYTES:
            return None
        try:
            with path.open("rb") as file:
                content = file.read(look.size_bytes)
        except FileNotFoundError:
            return None
        # A file with zero bytes may be a checkpoint that takes long to write, and half of it is
        # worthless.
        if len(content) < look.size_bytes or b"\0" in content:
            return None
        # A log may grow between two looks: the next look compares with this beginning.
        now = hashlib.sha256(content).hexdigest()
        self._begun[str(path)] = look.size_bytes, now
        if (
            not 0 < size_bytes <= look.size_bytes
            or hashlib.sha256(content[:size_bytes]).hexdigest() != digest
        ):
            return None
        return content


def links_in(folder: Path) -> Mapping[str, str]:
    """Each link that leads to a place within the folder, and where to: from the link's own folder.

    Links that lead out of the folder, and hidden ones, are left out.
    """
    found: dict[str, str] = {}
    root = folder.resolve()
    for above, names, files in os.walk(root):
        # In place: os.walk then skips hidden folders.
        names[:] = [name for name in names if not is_hidden(name)]
        for name in (*names, *files):
            path = Path(above, name)
            if is_hidden(name) or name.endswith(PARTIAL_ENDINGS) or not path.is_symlink():
                continue
            # Links that lead in a circle have no end.
            with suppress(OSError, RuntimeError):
                end = path.resolve()
                if end.is_relative_to(root):
                    found[path.relative_to(root).as_posix()] = os.path.relpath(end, above)
    return found


def lay_link(folder: Path, path: str, to: str) -> None:
    """Makes this path of the folder a link, if what it leads to is there, in the folder."""
    place = folder / path
    end = place.parent / to
    root = folder.resolve()
    # The manifest of a bucket must not lead out of the folder.
    if not all(each.resolve().is_relative_to(root) for each in (place.parent, end)):
        return
    if not end.exists() or (place.is_symlink() and os.readlink(place) == to):
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place)
    place.unlink(missing_ok=True)
    place.symlink_to(to)


def is_hidden(name: str) -> bool:
    """Whether a file or folder of this name is left out: a dot begins caches and unfinished files.

    Two such names are part of results: the index of torch.distributed.checkpoint, which cannot be
    read without it, and the settings of a run under Hydra.
    """
    return name.startswith(".") and name not in (".metadata", ".hydra")


class Folder:
    """One folder, and the digests of its files by their looks, so that no file is read twice."""

    def __init__(
        self, path: Path, *, staging: Path, digests: dict[Look, str] | None = None
    ) -> None:
        self.path = path
        self._staging = staging
        self._digests: dict[Look, str] = {} if digests is None else digests

    def looks(self) -> Mapping[str, Look]:
        """Every whole file in the folder, by its path inside it."""
        found: dict[str, Look] = {}
        for folder, names, files in os.walk(self.path):
            # In place: os.walk then skips hidden folders.
            names[:] = [name for name in names if not is_hidden(name)]
            for name in files:
                path = Path(folder, name)
                if is_hidden(name) or name.endswith(PARTIAL_ENDINGS) or path.is_symlink():
                    continue
                with suppress(FileNotFoundError):
                    found[path.relative_to(self.path).as_posix()] = look_at(path)
        return found

    def hold_still(self, *, copied: Collection[str] = ()) -> tuple[Still, ...]:
        """Links every file into the staging folder and reads its digest. Raises Changing.

        A link freezes the name only. Files that are `copied` instead may be written to meanwhile,
        unless they are large.
        """
        self.let_go()
        self._staging.mkdir(parents=True)
        held: list[Still] = []
        for number, path in enumerate(sorted(self.looks())):
            link = self._staging / str(number)
            try:
                if path in copied and look_at(self.path / path).size_bytes <= _MOST_GROWN_BYTES:
                    shutil.copy2(self.path / path, link)
                else:
                    os.link(self.path / path, link)
            except FileNotFoundError:  # an older checkpoint that the script has just removed
                continue
            look = look_at(link)
            held.append(Still(path, link, look, self.digest(link, look)))
        return tuple(held)

    def let_go(self) -> None:
        """Removes the links."""
        shutil.rmtree(self._staging, ignore_errors=True)

    def has(self, path: str, sha256: str) -> bool:
        """Whether the folder holds this file with these bytes."""
        try:
            return self.digest(self.path / path, look_at(self.path / path)) == sha256
        except (FileNotFoundError, Changing):
            return False

    def put(self, arrived: Path, path: str) -> None:
        """Moves a file into its place, durably and in one step."""
        target = self.path / path
        target.parent.mkdir(parents=True, exist_ok=True)
        # Without the sync a crash could leave the new name with half of the bytes.
        with arrived.open("rb") as file:
            os.fsync(file.fileno())
        arrived.replace(target)

    def stamp(self, path: str, modified_at_ns: int) -> None:
        """Restores a file's modification time, by which scripts find the newest one."""
        target = self.path / path
        look = look_at(target)
        if look.modified_at_ns != modified_at_ns:
            # The bytes stay the same: keep the digest, which would otherwise be computed again.
            digest = self.digest(target, look)
            os.utime(target, ns=(modified_at_ns, modified_at_ns))
            self._digests[look_at(target)] = digest

    def keep_only(self, paths: Collection[str]) -> None:
        """Removes every other file, unfinished ones included."""
        for folder, _, files in os.walk(self.path):
            for name in files:
                if Path(folder, name).relative_to(self.path).as_posix() not in paths:
                    Path(folder, name).unlink(missing_ok=True)

    def digest(self, path: Path, look: Look) -> str:
        """The digest of a file with this look. Raises Changing."""
        known = self._digests.get(look)
        if known is None:
            known = sha256_of(path)
            if look_at(path) != look:
                raise Changing(path.name)
            self._digests[look] = known
        return known


def look_at(path: Path) -> Look:
    """The file as it is now."""
    status = path.stat()
    return Look(status.st_ino, status.st_size, status.st_mtime_ns)


def sha256_of(path: Path) -> str:
    """The digest of a file, read in pieces."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(_READ_BYTES):
            digest.update(piece)
    return digest.hexdigest()
