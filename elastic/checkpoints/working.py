"""The folder that a job's workers run in: its code, and their outputs."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import zipfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from elastic.archive import restore
from elastic.checkpoints.folder import (
    PARTIAL_ENDINGS,
    Changing,
    Folder,
    Growth,
    Look,
    Still,
    is_hidden,
    links_in,
    look_at,
)
from elastic.checkpoints.manifest import File
from elastic.model import is_output

# Python's own caches are no results.
_CACHES = frozenset({"__pycache__"})
_ZIP_BEGINS = b"PK\x03\x04"


@dataclass(frozen=True, slots=True)
class FolderState:
    """The state of the outputs: the files by path, and when each folder got or lost a file.

    `unprintable` are files that are no outputs because of their names alone. `links` lead within
    the folder, each from its own folder on.
    """

    files: Mapping[str, Look]
    folders: Mapping[str, int]
    unprintable: tuple[str, ...] = ()
    links: Mapping[str, str] = field(default_factory=dict)

    def is_settled(self, path: str, now: FolderState) -> bool:
        """Whether this file looks the same `now`."""
        return self.files.get(path) == now.files.get(path)

    def is_complete(self, path: str, now: FolderState) -> bool:
        """Whether this file's folder has the same files `now`.

        It has not if it is being filled.

        A checkpoint may be a folder of several files. The working folder itself does not count.
        """
        folder = path.rpartition("/")[0]
        return not folder or self.folders.get(folder) == now.folders.get(folder)

    def stored_links(
        self, stored: Collection[str], previous: Mapping[str, str]
    ) -> Mapping[str, str]:
        """The links to store with the files that are `stored`.

        A link to what is still being written leads on to where it led in the `previous` state.
        """
        found = {}
        for path, to in self.links.items():
            end = os.path.normpath(os.path.join(os.path.dirname(path), to))
            led_to = {each for each in self.files if each == end or each.startswith(f"{end}/")}
            if led_to <= set(stored):
                found[path] = to
            elif path in previous:
                found[path] = previous[path]
        return found


UNSEEN = FolderState({}, {})


@dataclass(frozen=True, slots=True)
class Held:
    """Frozen outputs. `kept` are earlier versions of files that are being written now.

    `is_whole` is False if a file was left for later.
    """

    files: tuple[Still, ...]
    kept: tuple[File, ...]
    is_whole: bool


class WorkingFolder:
    """One job's working folder on this node.

    Files from before its first worker are no outputs, unless they change.

    `memory` is the file that lists what was there. `code` is the archive of the job's code, which
    may be absent. `digests` are those that an earlier object of this folder computed.
    """

    def __init__(
        self,
        path: Path,
        *,
        memory: Path,
        code: Path,
        staging: Path,
        globs: Sequence[str] | None = None,
        digests: dict[Look, str] | None = None,
    ) -> None:
        self.path = path
        self._memory = memory
        self._code = code
        self._staging = staging
        self._globs = globs
        self._folder = Folder(path, staging=staging, digests=digests)
        self._growth = Growth()
        path.mkdir(parents=True, exist_ok=True)
        self._known = self._recalled()

    def see(self) -> FolderState:
        """Every output, by its path inside the folder."""
        folders: dict[str, int] = {}
        found = {path: look for path, look in self._all(folders) if self._is_output(path, look)}
        # A name that is not printable UTF-8 could appear in no list and in no address.
        unprintable = tuple(sorted(path for path in found if not path.isprintable()))
        for path in unprintable:
            del found[path]
        links = {
            path: to
            for path, to in links_in(self.path).items()
            if path.isprintable() and is_output(path, self._globs)
        }
        return FolderState(found, folders, unprintable, links)

    def weigh(self) -> tuple[int, int]:
        """The number of files here, with the code, and their bytes: a bound of the outputs."""
        files = 0
        size_bytes = 0
        folders = [str(self.path)]
        while folders:
            with suppress(OSError), os.scandir(folders.pop()) as entries:
                for each in entries:
                    if is_hidden(each.name) or each.name in _CACHES:
                        continue
                    if each.is_dir(follow_symlinks=False):
                        folders.append(each.path)
                    else:
                        files += 1
                        size_bytes += each.stat().st_size
        return files, size_bytes

    def hold_still(
        self,
        paths: Collection[str],
        now: FolderState,
        *,
        before: FolderState | None,
        previous: Mapping[str, File],
    ) -> Held:
        """Links these outputs into the staging folder and reads their digests.

        `before` is the state of some seconds ago. A file that looks different `now` is being
        written, and its `previous` version replaces it, unless it only grew at its end. `before` is
        None if no worker is left that could write.
        """
        self.let_go()
        self._staging.mkdir(parents=True)
        held: list[Still] = []
        kept: list[File] = []
        is_whole = True
        for number, path in enumerate(sorted(paths)):
            still = None
            if before is None or before.is_complete(path, now):
                is_settled = before is None or before.is_settled(path, now)
                link = self._staging / str(number)
                still = self._held(path, link, now.files[path], is_settled=is_settled)
                if still is None:
                    still = self._grown(path, link, now.files[path])
            if still is not None:
                held.append(still)
                continue
            is_whole = False
            if path in previous:
                kept.append(previous[path])
        return Held(tuple(held), tuple(kept), is_whole)

    def let_go(self) -> None:
        """Removes the links."""
        shutil.rmtree(self._staging, ignore_errors=True)

    def has(self, path: str, sha256: str) -> bool:
        """Whether the folder holds this file with these bytes."""
        return not (self.path / path).is_symlink() and self._folder.has(path, sha256)

    def put(self, arrived: Path, path: str) -> None:
        """Moves a file into its place in one step, and removes what is in its way."""
        target = self.path / path
        for parent in reversed(target.relative_to(self.path).parents):
            # A link there would lead the file out of this folder.
            above = self.path / parent
            if above != self.path and (above.is_symlink() or above.is_file()):
                above.unlink()
        if target.is_dir() and not target.is_symlink():
            shutil.rmtree(target)
        target.parent.mkdir(parents=True, exist_ok=True)
        arrived.replace(target)

    def stamp(self, path: str, modified_at_ns: int) -> None:
        """Restores the file's modification time."""
        self._folder.stamp(path, modified_at_ns)

    def keep_only(self, paths: Collection[str]) -> None:
        """Removes every other output; a file of the code returns to the version that was sent."""
        restored = False
        for path in set(self.see().files) - set(paths):
            if restore(self._code, path, self.path):
                self._known[path] = look_at(self.path / path)
                restored = True
            elif path not in self._known:
                (self.path / path).unlink(missing_ok=True)
        if restored:
            self._remember()

    def _is_output(self, path: str, look: Look) -> bool:
        return self._known.get(path) != look and is_output(path, self._globs)

    def _all(self, folders: dict[str, int]) -> Iterator[tuple[str, Look]]:
        """Yields every file that may be an output, printable or not; notes in `folders` when each
        folder changed."""
        root = self.path.resolve()
        for folder, names, files in os.walk(self.path):
            # In place: os.walk then skips these folders.
            names[:] = [name for name in names if not is_hidden(name) and name not in _CACHES]
            with suppress(OSError):
                folders[Path(folder).relative_to(self.path).as_posix()] = os.stat(
                    folder
                ).st_mtime_ns
            for name in files:
                path = Path(folder, name)
                inside = path.relative_to(self.path).as_posix()
                if is_hidden(name) or name.endswith(PARTIAL_ENDINGS):
                    continue
                with suppress(OSError):
                    is_here = not path.is_symlink() or path.resolve().is_relative_to(root)
                    if is_here and path.is_file():
                        yield inside, look_at(path)

    def _held(self, path: str, link: Path, look: Look, *, is_settled: bool) -> Still | None:
        try:
            # A link to a link would not freeze the file itself.
            os.link((self.path / path).resolve(), link)
            is_whole = _is_whole_zip(link)
            # The end of a zip, as torch.save writes, shows that it is complete. For other files
            # only time tells.
            if look_at(link) != look or not (is_settled if is_whole is None else is_whole):
                return None
            return Still(path, link, look, self._folder.digest(link, look))
        except (FileNotFoundError, Changing):  # removed or written to meanwhile
            return None

    def _grown(self, path: str, copy: Path, look: Look) -> Still | None:
        """A copy of a text file, if it only grew since this last saw it change.

        That is how logs and tables grow; they may never rest while their script runs.
        """
        copy.unlink(missing_ok=True)
        content = self._growth.grown(self.path / path, look)
        if content is None:
            return None
        copy.write_bytes(content)
        os.utime(copy, ns=(look.modified_at_ns, look.modified_at_ns))
        return Still(path, copy, look_at(copy), hashlib.sha256(content).hexdigest())

    def _recalled(self) -> dict[str, Look]:
        try:
            known = json.loads(self._memory.read_text())
        except (FileNotFoundError, ValueError):
            self._known = dict(self._all({}))
            self._remember()
            return self._known
        return {path: Look(*look) for path, look in known.items()}

    def _remember(self) -> None:
        part = self._memory.with_name(f"{self._memory.name}.part")
        part.write_text(json.dumps(self._known))
        part.replace(self._memory)


def _is_whole_zip(path: Path) -> bool | None:
    """Whether a zip has its end; without it the writer was stopped. None if it is no zip."""
    with path.open("rb") as file:
        is_zip = file.read(len(_ZIP_BEGINS)) == _ZIP_BEGINS
    return zipfile.is_zipfile(path) if is_zip else None
