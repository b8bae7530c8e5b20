"""Sends the workers' log lines to the daemon, once a second and within a fixed bound."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from elastic.agent import logs
from elastic.agent.files import read_json, size_of, write_json
from elastic.agent.logs import MAX_LOG_BYTES, LogFile
from elastic.agent.mask import Mask
from elastic.durations import END_GRACE_S, LOOK_S
from elastic.log_line import MAX_CHARACTERS, LogPiece, last_state, plain

# The average that a node may send: 300 lines a second of 200 bytes. A job's 16 MiB last four
# minutes.
BYTES_PER_S = 64 << 10
# The most that it may send at once after a quiet time: the start of a large program, tracebacks of
# eight workers.
BURST_BYTES = 512 << 10
# Lines of one file in one batch: empty lines cost the daemon as much as full ones.
MOST_LINES = 5_000
# Dropped lines are counted in this many bytes, and beyond that estimated: a look must be quick.
COUNTED_BYTES = 16 << 20
CURSOR_FILE = "log-cursor.json"
_OPEN_BYTES = 4 * MAX_CHARACTERS  # no character of UTF-8 is longer than four bytes
log = logging.getLogger(__name__)

# Sends a numbered batch: True if stored, False if refused, None without an answer.
Send = Callable[[int, Sequence[LogPiece]], bool | None]


class LogStream:
    """A thread that follows the log files of the newest two generations.

    A batch is sent again until it is stored. Meanwhile the files keep new lines. An agent that
    restarts continues at the place in the cursor file.
    """

    def __init__(
        self,
        folder: Path,
        *,
        send: Send,
        session_ranks: Callable[[], Mapping[int, int]] = dict,
        mask: Mask | None = None,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._folder = folder
        self._cursor_file = folder / CURSOR_FILE
        self._send = send
        self._session_ranks = session_ranks
        self._mask = mask or Mask()
        self._now_s = now_s
        self._lock = threading.Lock()
        self._began = [0]  # what the node writes while it gets ready
        self._serves: dict[int, int] = {}
        cursor = read_json(self._cursor_file) or {}
        self._seq = int(cursor.get("seq", 0))
        self._read_to = {str(name): int(at) for name, at in cursor.get("read_to", {}).items()}
        self._tails: dict[str, _Tail] = {}
        self._batch: list[LogPiece] | None = None
        self._allowance = float(BURST_BYTES)
        self._looked_at_s = now_s()
        # Requests to hurry, and the last one that was done.
        self._hurries = self._caught_up = 0
        self._end = threading.Event()
        self._wake = threading.Event()
        self._thread = threading.Thread(target=self._run, name="logs", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Ends the thread, and sends what is left if the daemon takes it soon."""
        self._end.set()
        self._wake.set()
        self._thread.join(timeout=END_GRACE_S)
        until_s = time.monotonic() + END_GRACE_S
        while (
            not self._thread.is_alive() and self._tried(is_last=True) and time.monotonic() < until_s
        ):
            pass

    @property
    def is_behind(self) -> bool:
        """Whether lines of ended workers are not sent yet."""
        return self._hurries > self._caught_up

    def hurry(self) -> None:
        """Sends all new lines now: workers have ended, and a user may want to know why."""
        self._hurries += self._thread.is_alive()
        self._wake.set()

    def begin(self, generation: int) -> None:
        """Follows this generation's files, and the previous one's until their end is sent."""
        with self._lock:
            # The last generation's lines may still be on their way.
            self._began = [*self._began[-1:], generation]

    def serve(self, generation: int) -> None:
        """Assigns new lines to this generation: the workers are in a session and continue."""
        with self._lock:
            self._serves[self._began[-1]] = generation

    def bound(self, generation: int) -> None:
        """Blanks secrets in the files of a generation, and truncates those that grew too large."""
        files = logs.log_files(self._folder, [generation])
        for file in files:
            self._mask.blank(file.path)
            most_bytes = MAX_LOG_BYTES // len(files)
            if size_of(file.path) <= most_bytes:
                continue
            with self._lock:  # no line may be cut while it is read
                self._tails.setdefault(file.path.name, self._tail(file)).leave_out()
                logs.bound(file.path, max_bytes=most_bytes)

    def look(self, *, is_last: bool = False) -> bool:
        """Sends what is new; False if nothing is, or if the daemon did not take it."""
        if self._batch is None:
            with self._lock:
                pieces = self._news(is_last=is_last)
            if not pieces:
                return False
            self._batch = pieces
        is_stored = self._send(self._seq + 1, self._batch)
        if is_stored is None:
            return False
        if not is_stored:
            log.warning("the daemon refused a batch of log lines: they are dropped")
        self._seq = self._seq + 1
        self._batch = None
        with self._lock:
            read_to = {name: tail.read_to for name, tail in self._tails.items()}
        write_json(self._cursor_file, {"seq": self._seq, "read_to": read_to})
        return True

    def _run(self) -> None:
        while not self._end.is_set():
            # Each look with news costs about 2 ms of processor time (benchmarks/log_streaming.py).
            # At twice a second an agent would use more than half of the 1 % that it may use.
            self._wake.wait(LOOK_S)
            self._wake.clear()
            hurries = self._hurries  # a request during the work is not done with it
            while self._tried() and hurries > self._caught_up and not self._end.is_set():
                pass
            if self._batch is None:
                self._caught_up = hurries

    def _tried(self, *, is_last: bool = False) -> bool:
        """Whether lines were sent; no exception, such as a full disk, ends the thread."""
        try:
            return self.look(is_last=is_last)
        except Exception:
            log.exception("log lines could not be sent")
            return False

    def _news(self, *, is_last: bool) -> list[LogPiece]:
        now_s = self._now_s()
        self._allowance = min(
            BURST_BYTES, self._allowance + BYTES_PER_S * (now_s - self._looked_at_s)
        )
        self._looked_at_s = now_s
        files = logs.log_files(self._folder, self._began)
        self._tails = {each.path.name: self._tail(each) for each in files}
        newest = self._began[-1:]
        ended = {
            tail for tail in self._tails.values() if is_last or tail.file.generation not in newest
        }
        # Each file gets an equal share of what may be sent now.
        tails = [tail for tail in self._tails.values() if tail.has_news(is_ended=tail in ended)]
        pieces = []
        for left, tail in zip(range(len(tails), 0, -1), tails, strict=True):
            piece = tail.take(int(self._allowance) // left, is_ended=tail in ended)
            self._allowance -= piece.size
            lines = tuple(piece.lines)
            pieces.append(
                replace(
                    self._labelled(tail.file),
                    lines=lines,
                    dropped=piece.dropped,
                    open=piece.open_line,
                )
            )
        return pieces

    def _tail(self, file: LogFile) -> _Tail:
        name = file.path.name
        return self._tails.get(name) or _Tail(file, read_to=self._read_to.get(name, 0))

    def _labelled(self, file: LogFile) -> LogPiece:
        """An empty piece that names the worker its lines come from."""
        if file.stage:
            return LogPiece(generation=0, stage=file.stage)
        generation = self._serves.get(file.generation)
        if generation is None:
            return LogPiece(file.generation, file.local_rank, file.rank)
        rank = None
        if file.local_rank is not None:
            rank = self._session_ranks().get(file.local_rank)
        return LogPiece(generation, file.local_rank, rank)


@dataclass(frozen=True, slots=True)
class _Piece:
    """The news of one file: `dropped` lines came before `lines`; `open_line` has not ended yet."""

    lines: list[str]
    dropped: int
    open_line: str | None
    size: int


class _Tail:
    """How far one file has been read, and its last line as far as it is written."""

    def __init__(self, file: LogFile, *, read_to: int) -> None:
        self.file = file
        self.read_to = read_to
        self._open = b""
        self._open_cut = 0
        self._dropped = 0

    def has_news(self, *, is_ended: bool) -> bool:
        return (
            self._dropped > 0
            or size_of(self.file.path) != self.read_to
            or (is_ended and bool(self._open))
        )

    def leave_out(self) -> None:
        """Counts unread lines as dropped: the file is about to be truncated."""
        with self.file.path.open("rb") as file:
            self._skip(file, size_of(self.file.path))
        self.read_to = 0

    def take(self, most_bytes: int, *, is_ended: bool) -> _Piece:
        """Returns what was written since, the last `most_bytes` of it.

        If the file `is_ended`, its open line counts as whole.
        """
        size = size_of(self.file.path)
        if size < self.read_to:  # an earlier agent cut it
            self.read_to = 0
        with self.file.path.open("rb") as file:
            is_short = size - self.read_to > most_bytes
            if is_short:
                self._skip(file, size - most_bytes)
            file.seek(self.read_to)
            data = file.read(size - self.read_to)
        self.read_to += len(data)
        if is_short and b"\n" in data:  # the first line lacks its beginning
            data = data.partition(b"\n")[2]
            self._dropped += 1
        lines = self._whole_lines(data)
        if is_ended and self._open:
            lines.append(self._closed(b""))
        dropped = self._dropped
        self._dropped = 0
        return _Piece(lines, dropped, _text(self._open) if self._open else None, len(data))

    def _whole_lines(self, data: bytes) -> list[str]:
        *whole, rest = data.split(b"\n")
        # Only the newest lines count: the older ones are reported as dropped.
        surplus = max(0, len(whole) - MOST_LINES)
        if surplus:
            self._dropped += surplus
            self._open = b""
            self._open_cut = 0
        lines = [self._closed(each) for each in whole[surplus:]]
        if b"\r" in rest:
            self._open_cut = 0
        state = last_state(self._open + rest)
        self._open_cut += max(0, len(state) - _OPEN_BYTES)
        self._open = state[:_OPEN_BYTES]
        return lines

    def _closed(self, end: bytes) -> str:
        line = self._open + end
        cut = self._open_cut
        self._open = b""
        self._open_cut = 0
        return _text(line, cut=cut)

    def _skip(self, file: BinaryIO, to: int) -> None:
        file.seek(self.read_to)
        skipped = to - self.read_to
        found = file.read(min(skipped, COUNTED_BYTES)).count(b"\n")
        if skipped > COUNTED_BYTES:
            found = found * skipped // COUNTED_BYTES
        self._dropped += found
        self._open = b""
        self._open_cut = 0
        self.read_to = to


def _text(line: bytes, *, cut: int = 0) -> str:
    return plain(last_state(line.rstrip(b"\r")).decode(errors="backslashreplace"), cut=cut)
