"""Linux processes: who one is beyond its reusable number, how to find a whole family, how to end
it."""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from elastic.providers.local.spawn import boot_id


@dataclass(frozen=True, slots=True)
class ProcessId:
    """One process for good: the kernel gives a number away again, but not with the same start in
    the same boot."""

    pid: int
    start_ticks: int
    boot_id: str

    def age_s(self) -> float:
        """Returns the seconds since it started, whatever the clock was set to meanwhile."""
        return time.clock_gettime(time.CLOCK_BOOTTIME) - self.start_ticks / os.sysconf("SC_CLK_TCK")


def is_alive(process: ProcessId) -> bool:
    """True while that very process runs; a zombie does not."""
    entry = _read(process.pid)
    return entry is not None and not entry.is_zombie and _is_same(entry, process)


def find_family(
    ancestor: ProcessId | None, *, marks: Mapping[str, str], members: Iterable[int] = ()
) -> tuple[ProcessId, ...]:
    """Every living process that descends from `ancestor`, carries all `marks` in its environment,
    or is in `members`.

    The descendants of each of these belong to it too. Sessions and process groups do not matter:
    torchrun gives every worker its own. This process and init never belong to a family.
    """
    boot = boot_id()
    living = {entry.pid: entry for entry in _processes() if not entry.is_zombie}
    wanted = {f"{name}={value}".encode() for name, value in marks.items()}
    found = {pid for pid in living if _carries(pid, wanted)} | (set(members) & set(living))
    if ancestor is not None and ancestor.pid in living and _is_same(living[ancestor.pid], ancestor):
        found.add(ancestor.pid)
    family = _with_descendants(found, living) - {1, os.getpid()}
    return tuple(ProcessId(pid, living[pid].start_ticks, boot) for pid in sorted(family))


def kill(processes: Iterable[ProcessId], *, patience_s: float) -> None:
    """Kills each of them, and nobody who has taken over a number; waits at most `patience_s` for
    their exits."""
    handles = {}
    for process in processes:
        handle = _open(process)
        if handle is not None:
            handles[handle] = process
            with suppress(ProcessLookupError, PermissionError):
                signal.pidfd_send_signal(handle, signal.SIGKILL)
    _wait(handles, time.monotonic() + patience_s)
    for handle, process in handles.items():
        os.close(handle)
        reap(process)


def reap(process: ProcessId) -> None:
    """Buries the process if it is a dead child of this one: as init of a container, this process
    inherits orphans."""
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
        # The name in parentheses may hold anything, blanks and parentheses too: what follows the
        # last one is safe.
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
    except OSError:  # Gone meanwhile, or another user's: then it is none of ours.
        return False


def _with_descendants(found: set[int], living: Mapping[int, _Entry]) -> set[int]:
    family = set(found)
    while more := {pid for pid, entry in living.items() if entry.parent in family} - family:
        family |= more
    return family


def _open(process: ProcessId) -> int | None:
    """A handle that stays with this process. It is checked after opening: the number may have
    changed hands before."""
    try:
        handle = os.pidfd_open(process.pid)
    except OSError:
        return None
    if is_alive(process):
        return handle
    os.close(handle)
    return None


def _wait(handles: Iterable[int], until_s: float) -> None:
    for handle in handles:
        poll = select.poll()
        poll.register(handle, select.POLLIN)
        poll.poll(max(0.0, until_s - time.monotonic()) * 1000)
