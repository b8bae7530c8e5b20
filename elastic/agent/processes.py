"""Finds and ends every process of a node, even those that left their session and parent.

The standard library only: the spawner in a container ends its torchrun by this.
"""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Collection, Iterator
from contextlib import ExitStack

KILL_ROUNDS = 10


def descendants(pid: int) -> list[int]:
    """The living processes below ``pid``, without itself."""
    children: dict[int, list[int]] = {}
    for each in _pids():
        fields = _fields(each)
        if fields:
            children.setdefault(int(fields[1]), []).append(each)
    found: list[int] = []
    unseen = [pid]
    while unseen:
        below = children.get(unseen.pop(), [])
        found += below
        unseen += below
    return found


def is_running(pid: int) -> bool:
    """Whether the process exists and is no zombie."""
    fields = _fields(pid)
    return bool(fields) and fields[0] not in (b"Z", b"X")


def send_signal(pid: int, number: signal.Signals) -> None:
    """Signals a process that may be gone by now."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return


def kill_group(pid: int, *, socket_path: str, spared: Collection[int] = ()) -> None:
    """Kills ``pid``, all below it, and every stray whose environment names this node's socket.

    Workers may have left torchrun's session, and torchrun's death gives them to init. So neither
    the process group nor the tree finds them all. Pass the node's spawner in ``spared``: its
    environment names the socket too.
    """
    for _ in range(KILL_ROUNDS):
        members = {pid, *descendants(pid), *_strays(socket_path)} - {os.getpid(), *spared}
        # A killed process may have started another one meanwhile: look again.
        living = [each for each in members if is_running(each)]
        if not living:
            return
        with ExitStack() as handles:
            opened = [handle for each in living if (handle := _open(each, handles)) is not None]
            for each in living:
                send_signal(each, signal.SIGKILL)
            # A killed process is gone within milliseconds, or waits for a disk; then it is looked
            # at again.
            _wait(opened, time.monotonic() + 0.5)


def _pids() -> Iterator[int]:
    return (int(name) for name in os.listdir("/proc") if name.isdigit())


def _fields(pid: int) -> list[bytes]:
    """A process's state, parent, and what else follows its name in `stat`; none if it is gone.

    It is read ten times a second.
    """
    try:
        file = os.open(f"/proc/{pid}/stat", os.O_RDONLY)
        try:
            return os.read(file, 1024).rpartition(b") ")[2].split()
        finally:
            os.close(file)
    except (FileNotFoundError, ProcessLookupError):
        return []


def _open(pid: int, handles: ExitStack) -> int | None:
    try:
        handle = os.pidfd_open(pid)
    except OSError:  # it is gone
        return None
    handles.callback(os.close, handle)
    return handle


def _wait(handles: list[int], until: float) -> None:
    """Waits until each of these processes has ended, or the time is over."""
    for handle in handles:
        poll = select.poll()
        poll.register(handle, select.POLLIN)
        poll.poll(max(0.0, until - time.monotonic()) * 1000)


def _strays(socket_path: str) -> Iterator[int]:
    wanted = os.fsencode(f"ELASTICD_SOCKET={socket_path}")
    for pid in _pids():
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                if wanted in file.read().split(b"\0"):
                    yield pid
        except OSError:  # it has ended, or belongs to another user and is not ours
            continue
