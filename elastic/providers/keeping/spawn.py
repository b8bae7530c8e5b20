"""Starts one detached process at most once; runs as a program of its own.

It is a program since a fork of the daemon, which has threads, would not be safe. The order comes as
JSON on stdin. Under the node's lock a child is forked that waits for one byte. The child's identity
is written to the process file. Only then the byte lets it become the agent. So a crash at any point
leaves either no process, or one that the file names, and a repeated order never starts a second.

It uses the standard library alone: `python -I -S spawn.py` starts in about 60 ms. To import elastic
would take several times that.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import sys
from pathlib import Path
from typing import NoReturn, TypedDict


class SpawnOrder(TypedDict):
    """What to start."""

    lock: str
    # The file that exists once it was started.
    process: str
    # The files of which none may exist.
    vetoes: list[str]
    cgroup: str | None
    argv: list[str]
    env: dict[str, str]
    cwd: str
    log: str
    launched_at_s: float


def start_once(order: SpawnOrder) -> None:
    """Starts what `order` asks for, unless it was started before or must not be."""
    with open(order["lock"], "a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if any(os.path.exists(path) for path in (order["process"], *order["vetoes"])):
            return
        if order["cgroup"] is not None:
            # "0" is this process. The child inherits the group, so the agent never runs without its
            # quota.
            Path(order["cgroup"], "cgroup.procs").write_text("0")
        _start(order)


def write_whole(path: str, value: object) -> None:
    """Writes `value` as JSON; the file is complete when it appears, and survives a power cut."""
    partial = f"{path}.{os.getpid()}.partial"
    with open(partial, "w", opener=_private) as file:
        json.dump(value, file)
        file.flush()
        os.fsync(file.fileno())
    os.rename(partial, path)


def start_ticks(pid: int) -> int:
    """When the process started, in clock ticks since boot."""
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19])


def boot_id() -> str:
    """The id of this boot of the machine."""
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def _start(order: SpawnOrder) -> None:
    read_end, write_end = os.pipe()
    # The child waits until it is on record. A node that runs without a record would never be ended.
    pid = os.fork()
    if pid == 0:
        os.close(write_end)
        if not os.read(read_end, 1):
            os._exit(1)  # the spawner died before it had recorded this process
        _become(order)
    record = {
        "pid": pid,
        "start_ticks": start_ticks(pid),
        "boot_id": boot_id(),
        "launched_at_s": order["launched_at_s"],
    }
    write_whole(order["process"], record)
    os.write(write_end, b"!")


def _become(order: SpawnOrder) -> NoReturn:
    """Turns this process into the one ordered, in a session of its own."""
    try:
        # A session of its own: a Ctrl-C for the daemon does not reach its nodes.
        os.setsid()
        os.chdir(order["cwd"])
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        log = os.open(order["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(log, 1)
        os.dup2(log, 2)
        # These may be ignored here: SIGPIPE by Python, SIGHUP under nohup, SIGINT in a shell's
        # background job. The agent needs their defaults.
        for number in (
            signal.SIGHUP,
            signal.SIGINT,
            signal.SIGQUIT,
            signal.SIGPIPE,
            signal.SIGXFSZ,
        ):
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        os.execvpe(order["argv"][0], order["argv"], order["env"])
    except OSError as error:
        os.write(2, f"cannot start {order['argv'][0]}: {error}\n".encode())
    os._exit(127)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


if __name__ == "__main__":
    start_once(json.load(sys.stdin))
