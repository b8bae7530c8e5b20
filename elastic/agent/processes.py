"""Finds and ends every process of a node, even those that left their session and parent."""

from __future__ import annotations

import os
import signal
from collections.abc import Collection, Iterator

import psutil

KILL_ROUNDS = 10


def descendants(pid: int) -> list[int]:
    """The living processes below ``pid``, without itself."""
    try:
        return [child.pid for child in psutil.Process(pid).children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def is_running(pid: int) -> bool:
    """Whether the process exists and is no zombie.

    It is called ten times a second, and psutil reads more.
    """
    try:
        file = os.open(f"/proc/{pid}/stat", os.O_RDONLY)
        try:
            state = os.read(file, 1024).rpartition(b") ")[2][:1]
        finally:
            os.close(file)
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in (b"Z", b"X")


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
        living = [process for process in map(_process, members) if process is not None]
        if not living:
            return
        for process in living:
            send_signal(process.pid, signal.SIGKILL)
        # A killed process is gone within milliseconds, or waits for a disk; then it is looked at
        # again.
        psutil.wait_procs(living, timeout=0.5)


def _process(pid: int) -> psutil.Process | None:
    try:
        process = psutil.Process(pid)
        if process.status() == psutil.STATUS_ZOMBIE:
            return None
        return process
    except psutil.NoSuchProcess:
        return None


def _strays(socket_path: str) -> Iterator[int]:
    wanted = os.fsencode(f"ELASTICD_SOCKET={socket_path}")
    for pid in psutil.pids():
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                if wanted in file.read().split(b"\0"):
                    yield pid
        except OSError:  # it has ended, or belongs to another user and is not ours
            continue
