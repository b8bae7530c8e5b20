"""Linux processes: identifies them beyond their reusable pids, finds families, and ends them."""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from elastic.providers.keeping.spawn import boot_id


@dataclass(frozen=True, slots=True)
class ProcessId:
    """The identity of one process.

    The kernel uses a pid again, but not with the same start time in the same boot.
    """

    pid: int
    start_ticks: int
    boot_id: str

    def age_s(self) -> float:
        """The time since it started, even if the clock was set meanwhile."""
        return time.clock_gettime(time.CLOCK_BOOTTIME) - self.start_ticks / os.sysconf("SC_CLK_TCK")


def is_alive(process: ProcessId) -> bool:
    """True while this process runs; a zombie does not run."""
    entry = _read(process.pid)
    return entry is not None and not entry.is_zombie and _is_same(entry, process)


def find_family(
    ancestor: ProcessId | None, *, marks: Mapping[str, str], members: Iterable[int] = ()
) -> tuple[ProcessId, ...]:
    """Every living process that belongs to a node.

    That is one that descends from `ancestor`, has all `marks` in its environment, or is in
    `members`, and all descendants of these. This process and init never belong to a family.
    """
    # Sessions and process groups would not find them: torchrun gives every worker its own.
    boot = boot_id()
    living = {entry.pid: entry for entry in _processes() if not entry.is_zombie}
    wanted = {f"{name}={value}".encode() for name, value in marks.items()}
    found = {pid for pid in living if _carries(pid, wanted)} | (set(members) & set(living))
    if ancestor is not None and ancestor.pid in living and _is_same(living[ancestor.pid], ancestor):
        found.add(ancestor.pid)
    family = _with_descendants(found, living) - {1, os.getpid()}
    return tuple(ProcessId(pid, living[pid].start_ticks, boot) for pid in sorted(family))


def kill(processes: Iterable[ProcessId], *, patience_s: float) -> None:
    """Kills each of them, but no process that reuses a pid; waits at most `patience_s`."""
    handles = {}
    for process in processes:
        handle = _open(process)
        if handle is not None:
            handles[handle] = process
            # By a handle and not by the number, which may belong to another process a moment later.
            with suppress(ProcessLookupError, PermissionError):
                signal.pidfd_send_signal(handle, signal.SIGKILL)
    _wait(handles, time.monotonic() + patience_s)
    for handle, process in handles.items():
        os.close(handle)
        reap(process)


def reap(process: ProcessId) -> None:
    """Reaps the process if it is a dead child of this one, which as init inherits orphans."""
    with suppress(ChildProcessError):
        entry = _read(process.pid)
        if entry is not None and entry.is_zombie and _is_same(entry, process):
            os.waitpid(process.pid, os.WNOHANG)


@dataclass(frozen=True, slots=True)
class _Entry:
    pid: int
    parent: int
    start_ticks: int
    is_zombie: bool


def _read(pid: int) -> _Entry | None:
    try:
        # The process's name stands in parentheses and may contain blanks and parentheses, so only
        # what follows the last one is safe to split.
        fields = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return _Entry(
        pid, parent=int(fields[1]), start_ticks=int(fields[19]), is_zombie=fields[0] in "ZX"
    )


def _processes() -> Iterator[_Entry]:
    for name in os.listdir("/proc"):
        if name.isdigit() and (entry := _read(int(name))) is not None:
            yield entry


def _is_same(entry: _Entry, process: ProcessId) -> bool:
    return (entry.pid, entry.start_ticks, boot_id()) == (
        process.pid,
        process.start_ticks,
        process.boot_id,
    )


def _carries(pid: int, wanted: set[bytes]) -> bool:
    try:
        return bool(wanted) and wanted <= set(
            Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
        )
    except OSError:  # gone meanwhile, or another user's, and so not ours
        return False


def _with_descendants(found: set[int], living: Mapping[int, _Entry]) -> set[int]:
    family = set(found)
    while more := {pid for pid, entry in living.items() if entry.parent in family} - family:
        family |= more
    return family


def _open(process: ProcessId) -> int | None:
    """A handle that stays with this process; None if it is gone."""
    try:
        handle = os.pidfd_open(process.pid)
    except OSError:
        return None
    # Checked after opening, since another process may have got the pid before.
    if is_alive(process):
        return handle
    os.close(handle)
    return None


def _wait(handles: Iterable[int], until_s: float) -> None:
    for handle in handles:
        poll = select.poll()
        poll.register(handle, select.POLLIN)
        poll.poll(max(0.0, until_s - time.monotonic()) * 1000)
