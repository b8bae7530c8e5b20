"""The log files of a generation: torchrun's and one per worker, of bounded size."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from elastic.agent.cause import cause_in, is_echo, local_rank_that_failed
from elastic.agent.files import size_of

# All files of a generation together. What `bound` moved aside may be as much again.
MAX_LOG_BYTES = 16 << 20
TAIL_BYTES = 8000  # torchrun alone writes 3,000 when a worker fails
_NAME = re.compile(r"g(\d+)(?:-l(\d+)-r(\d+)|-(installing|setup))?\.log")


@dataclass(frozen=True, slots=True)
class LogFile:
    """One log file. torchrun's numbers of the worker are None in torchrun's own log.

    The log of a node's preparation has a `stage`, and belongs to generation 0.
    """

    path: Path
    generation: int
    local_rank: int | None = None
    rank: int | None = None
    stage: str = ""


def stage_path(folder: Path, stage: str) -> Path:
    """The log of a node's preparation: `stage` is `installing` or `setup`."""
    return folder / f"g0-{stage}.log"


def log_files(folder: Path, generations: Collection[int]) -> list[LogFile]:
    """Returns the existing files of these generations: torchrun's, then by local rank."""
    try:
        named = [_log_file(folder / name) for name in os.listdir(folder)]
    except FileNotFoundError:
        return []
    files = [each for each in named if each is not None and each.generation in generations]
    return sorted(
        files,
        key=lambda each: (each.generation, -1 if each.local_rank is None else each.local_rank),
    )


def sizes(log_path: Path) -> Mapping[Path, int]:
    """The size so far of each file of the generation whose torchrun writes `log_path`."""
    return {path: size_of(path) for path in (log_path, *_workers(log_path).values())}


def last_words(log_path: Path, *, since: Mapping[Path, int] | None = None) -> str:
    """Returns the end of the log of the worker that failed first, and torchrun's below it.

    `log_path` is torchrun's. `since` holds earlier `sizes`: only later lines count.
    """
    said_since = since or {}
    torchrun = tail(log_path, since=said_since.get(log_path, 0))
    worker = _failed_first(_workers(log_path), said_since, torchrun)
    if worker and not worker.endswith("\n"):
        return f"{worker}\n{torchrun}"
    return worker + torchrun


def _log_file(path: Path) -> LogFile | None:
    found = _NAME.fullmatch(path.name)
    if found is None:
        return None
    generation, local_rank, rank, stage = found.groups()
    if local_rank is None:
        return LogFile(path, int(generation), stage=stage or "")
    return LogFile(path, int(generation), int(local_rank), int(rank))


def _failed_first(workers: Mapping[int, Path], since: Mapping[Path, int], torchrun: str) -> str:
    """The end of the log of the worker that failed first.

    A worker whose peer is gone fails too, but its traceback explains nothing.
    """
    named = local_rank_that_failed(torchrun)
    by_age = sorted(
        workers, key=lambda local_rank: (local_rank != named, _changed_s(workers[local_rank]))
    )
    ends = [tail(workers[each], since=since.get(workers[each], 0)) for each in by_age]
    telling = [end for end in ends if cause_in(end) is not None and not is_echo(end)]
    if telling or named in workers:
        return (telling or ends)[0]
    return ends[-1] if ends else ""


def _workers(log_path: Path) -> dict[int, Path]:
    """The newest log of each worker, by local rank: a restart may change the global rank."""
    start = f"{log_path.stem}-l"
    found: dict[int, Path] = {}
    for path in sorted(log_path.parent.glob(f"{start}*.log"), key=_changed_s):
        local_rank = path.name.removeprefix(start).partition("-")[0]
        if local_rank.isdecimal():
            found[int(local_rank)] = path
    return found


def tail(path: Path, *, size: int = TAIL_BYTES, since: int = 0) -> str:
    """The last bytes of a log after ``since``, from the start of a line; empty without a log.

    What was just moved aside counts too. If ``since`` itself was moved aside, all of it counts. A
    line that began before ``since`` does not count.
    """
    if since > size_of(path):
        since = 0
    data, is_whole = _end_of(path, size=size, since=max(since - 1, 0))
    if is_whole and not since:
        before, is_whole = _end_of(_moved(path), size=size - len(data))
        data = before + data
    _, newline, whole_lines = data.partition(b"\n")
    if since or (newline and not is_whole):
        data = whole_lines
    return data.decode(errors="replace")


def bound(path: Path, *, max_bytes: int = MAX_LOG_BYTES) -> None:
    """Moves the end of a log that grew too large to ``<path>.1``, replacing the former one.

    The writers keep the file open for appending, so it is copied and truncated, not renamed. A line
    written in between is lost. On a full disk it is truncated all the same, because nothing else
    frees space there.
    """
    size = size_of(path)
    if size <= max_bytes:
        return
    with contextlib.suppress(OSError), path.open("rb") as log, _moved(path).open("wb") as moved:
        at = size - max_bytes
        while at < size and (copied := os.sendfile(moved.fileno(), log.fileno(), at, size - at)):
            at += copied
    os.truncate(path, 0)


def _end_of(path: Path, *, size: int, since: int = 0) -> tuple[bytes, bool]:
    """The last bytes of a file after ``since``, and whether they are all; none if it is missing."""
    try:
        with path.open("rb") as file:
            start = max(since, file.seek(0, os.SEEK_END) - size)
            file.seek(start)
            return file.read(size), start == since
    except FileNotFoundError:
        return b"", True


def _moved(path: Path) -> Path:
    return path.with_name(f"{path.name}.1")


def _changed_s(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return 0.0
