"""Checkpoints that are either complete or absent: written aside, synced, renamed, checked."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from secrets import token_hex
from typing import Any

import torch
from torch import Tensor, nn

from elastic.errors import InvalidInput

FORMAT = "elasticd-checkpoint-1"
KEPT = 2
_NAME = re.compile(r"checkpoint-(\d{9,})\.pt")
# Exactly these types: torch.load runs no code, and so returns no types derived from them.
_TENSORS = (Tensor, nn.Parameter)
_DICTIONARIES = (dict, OrderedDict)
_LISTS = (list, tuple, torch.Size)
_LEAVES = (bool, int, float, complex, str, bytes, type(None), torch.dtype, torch.device)


class CheckpointRefused(Exception):
    """A file that is no complete checkpoint of this job; the text says which, and what to do."""


class ForeignCheckpoint(CheckpointRefused):
    """A checkpoint of another program, job or options, which this job must not remove."""


class UnreadableCheckpoint(CheckpointRefused):
    """A file that could not be read this time; it may be complete."""


class _Kind(StrEnum):
    GOOD = "good"
    DAMAGED = "damaged"
    FOREIGN = "foreign"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Checkpoints:
    """The checkpoints of one job in one folder.

    `program`, `options_digest` and `job_id` identify this job's checkpoints. Without elasticd a job
    has no id, and accepts any.
    """

    folder: Path
    program: str
    options_digest: str
    job_id: str | None = None
    # What this process knows of files, so that each is read once.
    _kinds: dict[tuple[str, int, int], _Kind] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def save(self, iteration: int, state: Mapping[str, Any]) -> Path:
        """Makes `state` durable as the checkpoint of `iteration`, then removes older ones.

        This one and the newest other good one are kept. The state may hold tensors, numbers, texts,
        bytes, None, types and devices of torch, and lists, tuples and dictionaries of them: these
        are read back without running code. Raises InvalidInput for other values, OSError if the
        disk is full, and CheckpointRefused if another job's checkpoint has its name.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        target = self.folder / f"checkpoint-{iteration:09d}.pt"
        if target.exists() and self._kind_of(target) is _Kind.FOREIGN:
            raise ForeignCheckpoint(
                f"{target}: another job's checkpoint is here; each job needs a folder of its own"
            )
        # A random part: two processes may write the same iteration.
        partial = target.with_suffix(f".{token_hex(4)}.partial")
        content = {
            "format": FORMAT,
            "program": self.program,
            "options_digest": self.options_digest,
            "job_id": self.job_id,
            "iteration": iteration,
            "state": dict(state),
            "digest": digest_of(dict(state)),
        }
        try:
            _write(content, partial)
            partial.replace(target)
        except BaseException:
            partial.unlink(missing_ok=True)  # or a full disk would stay full
            raise
        _sync_folder(self.folder)
        self._note_good(target)
        self._let_go(target)
        return target

    def newest(self) -> tuple[int, dict[str, Any], list[str]] | None:
        """Returns iteration, state and all refusals; None if the folder holds no checkpoint.

        Raises CheckpointRefused if there are files and none can be used: to start over would waste
        what was paid for.
        """
        refused: list[str] = []
        for path in self._paths():
            try:
                content = self.read(path)
            except CheckpointRefused as refusal:
                refused.append(str(refusal))
                continue
            self._note_good(path)
            return content["iteration"], content["state"], refused
        if refused:
            raise CheckpointRefused(
                "; ".join([*refused, "none is left: give the job another folder to start over"])
            )
        return None

    def read(self, path: Path) -> dict[str, Any]:
        """Returns a file's content.

        Raises CheckpointRefused unless it is this job's and undamaged.
        """
        content = self._content(path)
        with contextlib.suppress(InvalidInput):
            if digest_of(content["state"]) == content["digest"]:
                return content
        raise CheckpointRefused(
            f"{path.name}: its content does not match its digest; the file was damaged"
        )

    def _content(self, path: Path, *, is_mapped: bool = False) -> dict[str, Any]:
        """Returns a file's content if it is this job's; a mapped file is read lazily."""
        try:
            content = torch.load(path, weights_only=True, map_location="cpu", mmap=is_mapped)
        except (OSError, MemoryError) as error:
            raise UnreadableCheckpoint(f"{path.name}: could not be read ({error})") from error
        except Exception as error:  # torch raises half a dozen unrelated types for a damaged file
            if str(error):
                reason = str(error).splitlines()[0]
            else:
                reason = type(error).__name__
            raise CheckpointRefused(
                f"{path.name}: wanted a checkpoint, found a damaged file ({reason})"
            ) from error
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise CheckpointRefused(
                f"{path.name}: wanted a checkpoint of format {FORMAT}, found something else"
            )
        # Another program's, or another job's: refuse it, and leave it alone.
        if content["program"] != self.program or content["options_digest"] != self.options_digest:
            raise ForeignCheckpoint(
                f"{path.name}: wanted one of {self.program} with this job's options, found one of "
                f"{content['program']} with others; restore the options or give the job another "
                "folder"
            )
        written_by = content.get("job_id")
        if None not in (written_by, self.job_id) and written_by != self.job_id:
            raise ForeignCheckpoint(
                f"{path.name}: wanted one of job {self.job_id}, found one of job {written_by}; "
                "each job needs a folder of its own"
            )
        return content

    def _paths(self) -> list[Path]:
        """Returns the existing checkpoints, newest first."""
        if not self.folder.is_dir():
            return []
        found = [
            (int(match[1]), path)
            for path in self.folder.iterdir()
            if (match := _NAME.fullmatch(path.name))
        ]
        return [path for _, path in sorted(found, reverse=True)]

    def _let_go(self, written: Path) -> None:
        """Removes checkpoints older than `written` and the newest other good one.

        Partial files older than both go too.

        Another process may be writing a younger partial file, and a foreign file is another job's.
        """
        kept = [written]
        for path in self._paths():
            if path != written and len(kept) < KEPT and self._kind_of(path) is _Kind.GOOD:
                kept.append(path)
        # Without a second good one nothing is removed.
        if len(kept) < KEPT:
            return
        oldest = min(path.name for path in kept)
        for path in self._paths():
            if path.name < oldest and self._kind_of(path, by_head=True) in (
                _Kind.GOOD,
                _Kind.DAMAGED,
            ):
                path.unlink(missing_ok=True)
        for known in [each for each in self._kinds if not (self.folder / each[0]).exists()]:
            del self._kinds[known]
        for path in self.folder.glob("checkpoint-*.partial"):
            if path.name < oldest:
                path.unlink(missing_ok=True)

    def _note_good(self, path: Path) -> None:
        # Another process may have made newer ones, and removed it.
        with contextlib.suppress(FileNotFoundError):
            self._kinds[_identity(path)] = _Kind.GOOD

    def _kind_of(self, path: Path, *, by_head: bool = False) -> _Kind:
        """Returns the kind of a file, which another member of the job may have written.

        Its head shows whose it is, without reading all of it.
        """
        try:
            identity = _identity(path)
        except FileNotFoundError:  # removed meanwhile
            return _Kind.UNREADABLE
        if identity in self._kinds:
            return self._kinds[identity]
        try:
            if by_head:
                self._content(path, is_mapped=True)
                return _Kind.GOOD  # as far as its head shows
            self.read(path)
            kind = _Kind.GOOD
        except UnreadableCheckpoint:
            return _Kind.UNREADABLE
        except ForeignCheckpoint:
            kind = _Kind.FOREIGN
        except CheckpointRefused:
            kind = _Kind.DAMAGED
        self._kinds[identity] = kind
        return kind


def _identity(path: Path) -> tuple[str, int, int]:
    """Identifies a file, and not another one that takes its place."""
    found = path.stat()
    return path.name, found.st_ino, found.st_mtime_ns


def digest_of(state: Any) -> str:
    """Returns the SHA-256 over structure and content.

    Raises InvalidInput for a part that could not be read back.
    """
    digest = hashlib.sha256()
    for piece in _pieces(state, "state"):
        digest.update(piece)
    return digest.hexdigest()


def _pieces(value: Any, place: str) -> Iterator[bytes | memoryview]:
    """Yields the bytes to digest; `place` names a value as Python would."""
    match value:
        case Tensor() if type(value) in _TENSORS and value.layout is torch.strided:
            flat = value.detach().cpu().resolve_conj().resolve_neg().contiguous()
            yield f"tensor {flat.dtype} {tuple(flat.shape)}".encode()
            yield flat.reshape(-1).view(torch.uint8).numpy().data
        case dict() if type(value) in _DICTIONARIES and {type(key) for key in value} <= {int, str}:
            for key in sorted(value, key=lambda key: (type(key).__name__, key)):
                yield f"key {key}".encode()
                yield from _pieces(value[key], f"{place}[{key!r}]")
        case list() | tuple() if type(value) in _LISTS:
            yield f"list {len(value)}".encode()
            for index, member in enumerate(value):
                yield from _pieces(member, f"{place}[{index}]")
        case _ if type(value) in _LEAVES:
            yield f"{type(value).__name__} {value!r}".encode()
        case _:
            raise InvalidInput(_unreadable(value, place), field=place)


def _unreadable(value: Any, place: str) -> str:
    """Says why a value would not be read back from a checkpoint."""
    kind = type(value)
    if kind in _TENSORS:
        found = f"{value.layout} values"
    else:
        found = f"a {kind.__module__}.{kind.__qualname__}"
    if kind in _DICTIONARIES:
        found = "keys that are neither whole numbers nor texts"
    return (
        f"{place}: wanted tensors, numbers, texts, or lists and dictionaries of them, which a "
        f"checkpoint gives back without running code, found {found}; make it one of those "
        "(float(loss), torch.from_numpy(array), str(path))"
    )


def _write(content: Mapping[str, Any], path: Path) -> None:
    """Raises OSError."""
    try:
        with path.open("wb") as file:
            torch.save(content, file)
            file.flush()
            os.fsync(file.fileno())
    except RuntimeError as error:
        # torch's own error says only that the file's position is wrong.
        if isinstance(cause := error.__context__, OSError):
            raise OSError(cause.errno, cause.strerror, str(path)) from error
        raise


def _sync_folder(folder: Path) -> None:
    """Makes the rename itself durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
