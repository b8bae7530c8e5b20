"""Notes which files the script saves, and at which iteration.

From what the script reads at its start follows where it begins.

A file is known by its content, so it does not matter how it came to this node, when, or under which
name.
"""

from __future__ import annotations

import contextlib
import functools
import os
import re
import stat
import sys
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from elastic.durations import LOOK_S, MINUTE_S
from elastic.worker.imports import after_import

# Variables that name the folders a script may write into. The folders exist when it begins.
FOLDERS = ("ELASTICD_CHECKPOINT_DIR", "ELASTICD_ARTIFACT_DIR")
# The first bytes of a checkpoint hold its header or its pickled numbers. The last ones hold the
# checksums of what torch packed.
_EDGE_BYTES = 65_536
# Text holds no zero byte. What is saved as text (logs, results) says nothing about weights.
_SNIFFED_BYTES = 4096
# How pictures, films and sounds begin. They show what was learnt, and no script goes on from them.
_MEDIA = re.compile(
    rb"\x89PNG|\xff\xd8\xff|GIF8|II\*\0|MM\0\*|RIFF....(WEBP|WAVE|AVI )|%PDF|....ftyp", re.DOTALL
)
# A script that opens more files than this in one turn saves no checkpoints that way.
_MOST_PENDING = 256
_WRITES = os.O_WRONLY | os.O_RDWR
_NO_FILES = ("/dev/", "/proc/", "/sys/")
# A mark and the iterations that were done by then, as one line of the file of marks.
_LINE = re.compile(r"([0-9a-f]+-[0-9a-f]+) ([0-9]+)")


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A file that the script has opened to write.

    `iteration` were done by then. `mark` is what the last look has found, None before the first
    one. The next look is due at `look_at`, which is monotonic, and follows the last by `pause_s`.
    """

    iteration: int
    mark: str | None = None
    look_at: float = 0.0
    pause_s: float = 0.0


def mark_of(path: str) -> str | None:
    """A name for the content of a file; None if it is text, media, no file, or unreadable."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return None
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            head = file.read(_EDGE_BYTES)
            file.seek(max(size - _EDGE_BYTES, len(head)))
            tail = file.read(_EDGE_BYTES)
    except OSError:
        return None
    if b"\0" not in head[:_SNIFFED_BYTES] or _MEDIA.match(head):
        return None
    return f"{size:x}-{zlib.crc32(tail, zlib.crc32(head)):08x}"


class Saves:
    """The files of one process. `path` names a file with one known mark a line, or is None.

    `tell` is called for each file saved from now on, with its mark and the iterations done by then.
    `tell_outside` is called once if weights are saved in none of `folders`, which are the folders
    that the agent stores.
    """

    def __init__(
        self,
        path: str | None,
        *,
        tell: Callable[[str, int], None],
        folders: Sequence[str] = (),
        tell_outside: Callable[[str], None] | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._path = path
        # Where the script begins; it may go to another folder later.
        self._home = os.getcwd()
        self._tell = tell
        self._folders = [os.path.realpath(each) for each in folders]
        self._tell_outside = tell_outside
        self._now = now
        self._known = {} if path is None else read_marks(path)
        self._sizes = {int(mark.partition("-")[0], 16) for mark in self._known}
        self._pending: dict[str, Unfinished] = {}
        self._iteration = 0
        self._is_training = False
        # The thread that reads for this class: its own reads are not the script's.
        self._reader: int | None = None
        self._pid = os.getpid()
        self.begins_at = 0
        self.read_from: str | None = None

    def watch(self) -> None:
        """Watches from now on which files the script opens, by whatever means."""

        def hear(event: str, args: tuple[Any, ...]) -> None:
            if event in ("open", "os.rename"):
                self._hear(event, args)

        # A plain function: Python asks the hook for an attribute at each event, which costs 0.5 us
        # more for a method.
        sys.addaudithook(hear)
        # These open files in C++ and Rust, without audit events.
        after_import("torch.serialization", self._watch_torch)
        after_import("safetensors", self._watch_safetensors)

    def begin(self) -> int:
        """Returns where the script began, at its first turn; later reads do not count."""
        self._is_training = True
        return self.begins_at

    def follow(self, iteration: int) -> None:
        """This rank got its weights from one that begins there: count its saves from there."""
        self.begins_at = iteration

    def go_on_in_fork(self) -> None:
        """The script trains in this process, which was forked from the one that watched so far."""
        self._pid = os.getpid()
        self._pending.clear()
        self.begin()

    def turn(self, iteration: int) -> None:
        """Notes how many iterations are done: files opened before are written by now."""
        self._iteration = iteration
        if self._pending:
            self._look()

    def close(self) -> None:
        """Takes note of what was saved last, such as at a request to stop."""
        if self._pending:
            self._look(is_last=True)

    def saved(self, path: object) -> None:
        """The script has just written this file, perhaps in a fork that only saves."""
        if self._is_training and isinstance(path, str | os.PathLike) and not _loads_data():
            with contextlib.suppress(Exception):
                whole = os.path.abspath(os.fspath(path))
                self._note(whole, Unfinished(self._iteration))
                self._look_where(whole)

    def read(self, path: str) -> None:
        """The script is about to read this file."""
        if self._is_training or not self._known:
            return
        with contextlib.suppress(OSError):
            # The size alone rules out most files, without reading them.
            if os.stat(path).st_size not in self._sizes:
                return
            iteration = self._known.get(self._mark(path) or "")
            if iteration is not None and (self.read_from is None or iteration >= self.begins_at):
                self.begins_at = iteration
                self.read_from = self._shown(path)

    def has(self, read_from: str) -> bool:
        """Whether this node has the file that a rank, perhaps of another node, says it has read."""
        return os.path.exists(os.path.join(self._home, os.path.expandvars(read_from)))

    def _shown(self, path: str) -> str:
        """A path that names the same file on every node, as far as elasticd carries it there."""
        whole = os.path.abspath(path)
        for name in FOLDERS:
            folder = os.environ.get(name)
            if folder and whole.startswith(folder + os.sep):
                return f"${name}{whole[len(folder) :]}"
        relative = os.path.relpath(whole, self._home)
        return whole if relative.startswith("..") else relative

    def _hear(self, event: str, args: tuple[Any, ...]) -> None:
        # An exception here would come out of the script's own open().
        try:
            is_read = event == "open" and not args[2] & _WRITES
            # A data loader opens a file for each sample; these reads tell nothing.
            if is_read and (self._is_training or not self._known):
                return
            # A fork that is about to train reads what it goes on from; its number is known later.
            is_others = os.getpid() != self._pid and not is_read
            if is_others or self._reader == threading.get_ident():
                return
            if event == "open":
                self._hear_open(args[0], args[2])
            else:
                self._hear_rename(
                    os.path.abspath(os.fspath(args[0])), os.path.abspath(os.fspath(args[1]))
                )
        # A count that is slightly wrong does less harm than a script that fails.
        except Exception:  # noqa: BLE001
            pass

    def _hear_open(self, path: object, flags: int) -> None:
        if not isinstance(path, str | os.PathLike):
            return
        name = os.fspath(path)
        if not isinstance(name, str) or name.startswith(_NO_FILES):
            return
        if not flags & _WRITES:
            self.read(name)
        elif self._is_training and not flags & os.O_APPEND and len(self._pending) < _MOST_PENDING:
            # First its path: asking for it lets the main thread go on, which replaces the files
            # that wait.
            path = os.path.abspath(name)
            self._pending[path] = Unfinished(self._iteration)

    def _hear_rename(self, source: str, to: str) -> None:
        for path in [
            each for each in self._pending if each == source or each.startswith(f"{source}{os.sep}")
        ]:
            self._pending[to + path[len(source) :]] = self._pending[path]

    def _look(self, *, is_last: bool = False) -> None:
        now = self._now()
        pending = self._pending
        self._pending = {}
        # A copy: a thread of the script may add a file.
        for path, opened in list(pending.items()):
            if is_last or now >= opened.look_at:
                self._note(path, opened)
            else:
                self._wait_for(path, opened)

    def _note(self, path: str, opened: Unfinished) -> None:
        mark = self._mark(path)
        if mark is None or mark == opened.mark:
            return
        self._known[mark] = opened.iteration
        self._write(mark, opened.iteration)
        self._tell(mark, opened.iteration)
        # A thread may still be writing it: look again until it is complete. The first time at the
        # next turn, then more and more seldom, and after a minute no more: some files grow for as
        # long as their script runs.
        pause_s = 0.0
        if opened.mark is not None:
            pause_s = max(2 * opened.pause_s, LOOK_S)
        if pause_s <= MINUTE_S:
            self._wait_for(path, Unfinished(opened.iteration, mark, self._now() + pause_s, pause_s))

    def _wait_for(self, path: str, opened: Unfinished) -> None:
        # Unless a thread of the script has written it again meanwhile.
        other = self._pending.get(path)
        if other is None or other.iteration <= opened.iteration:
            self._pending[path] = opened

    def _look_where(self, path: str) -> None:
        if self._tell_outside is None:
            return
        real = os.path.realpath(path)
        if not any(os.path.commonpath([real, folder]) == folder for folder in self._folders):
            self._tell_outside(path)
            self._tell_outside = None

    def _mark(self, path: str) -> str | None:
        self._reader = threading.get_ident()
        try:
            return mark_of(path)
        finally:
            self._reader = None

    def _write(self, mark: str, iteration: int) -> None:
        if self._path is None:
            return
        self._reader = threading.get_ident()
        try:
            with contextlib.suppress(OSError), open(self._path, "a") as file:
                file.write(f"{mark} {iteration}\n")
        finally:
            self._reader = None

    def _watch_torch(self, module: ModuleType) -> None:
        original = module.save

        @functools.wraps(original)
        def save(obj: object, f: object, *args: object, **kwargs: object) -> object:
            result = original(obj, f, *args, **kwargs)
            self.saved(f)
            return result

        module.save = save  # type: ignore[attr-defined]
        torch = sys.modules.get("torch")
        if getattr(torch, "save", None) is original:
            torch.save = save  # type: ignore[union-attr]

    def _watch_safetensors(self, module: ModuleType) -> None:
        write = module.serialize_file
        opened = module.safe_open

        @functools.wraps(write)
        def serialize_file(
            tensors: object, filename: object, *args: object, **kwargs: object
        ) -> object:
            result = write(tensors, filename, *args, **kwargs)
            self.saved(filename)
            return result

        def safe_open(filename: Any, *args: object, **kwargs: object) -> object:
            with contextlib.suppress(Exception):
                self.read(os.fspath(filename))
            return opened(filename, *args, **kwargs)

        module.serialize_file = serialize_file  # type: ignore[attr-defined]
        module.safe_open = safe_open  # type: ignore[attr-defined]


def marks_in(lines: Iterable[str]) -> Iterator[tuple[str, int]]:
    """The marks in lines of a file of marks; other lines are skipped."""
    for line in lines:
        found = _LINE.fullmatch(line.strip())
        if found is not None:
            yield found[1], int(found[2])


def _loads_data() -> bool:
    """Whether this process loads samples for another, and saves no more than these."""
    data = sys.modules.get("torch.utils.data")
    return data is not None and data.get_worker_info() is not None


def read_marks(path: str) -> dict[str, int]:
    """The marks in this file, each with the iterations that were done by then.

    Empty without a file. If a mark occurs twice, the last one counts.
    """
    with contextlib.suppress(OSError), open(path) as file:
        return dict(marks_in(file))
    return {}
