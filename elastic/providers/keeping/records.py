"""The files by which a host itself knows its node. Runs on the host: the standard library only.

Below elasticd's folder on the host, or its part of a folder that hosts share:
- `claim.json`: the one node that may run there, and which cluster's it is. Made by a link, which
  fails if there is one.
- `nodes/ID/launch.json`: what was bought, with which token.
- `nodes/ID/agent.json`: the agent's configuration, with the join token, for the owner only.
- `nodes/ID/process.json`: the keeper's process. It exists as soon as the process does.
- `nodes/ID/stop.json`: the node's end was asked for; after this it is never started.
- `nodes/ID/ended.json`: what its keeper says of the end.
- `nodes/ID/exit.json`: the node is gone, since when by the daemon's clock, and why.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from elastic.durations import ANSWER_TIMEOUT_S, GLANCE_S
from elastic.figures import size
from elastic.providers.keeping.process import ProcessId, find_family, kill
from elastic.providers.keeping.spawn import write_whole

KEEPER = "elasticd-keeper"
# Below this nothing is started: a job's files and an installation take more.
LEAST_FREE_BYTES = 1 << 30
_KILL_ROUNDS = 30


@dataclass(frozen=True, slots=True)
class NodeFiles:
    """The folder of one node."""

    path: Path

    @property
    def work(self) -> Path:
        return self.path / "work"

    @property
    def agent_log(self) -> Path:
        return self.work / "logs" / "agent.log"

    def read(self, name: str) -> dict[str, Any] | None:
        """One of its records; None if there is none."""
        return read_json(self.path / f"{name}.json")

    def has(self, name: str) -> bool:
        return (self.path / f"{name}.json").exists()

    def write(self, name: str, value: Mapping[str, Any]) -> None:
        write_whole(str(self.path / f"{name}.json"), value)

    def process(self) -> ProcessId | None:
        """Its keeper; None if none was ever started."""
        record = self.read("process")
        if record is None:
            return None
        return ProcessId(record["pid"], record["start_ticks"], record["boot_id"])

    def end_processes(
        self, marks: Mapping[str, str], *, members: Callable[[], Iterable[int]] = tuple
    ) -> bool:
        """Kills all of its processes but this one; whether none is left.

        They have the `marks`, descend from its process, or are `members`, as `find_family` says.
        """
        # Two looks in a row must find none: one may miss a child whose parent dies meanwhile.
        looks_without = 0
        for _ in range(_KILL_ROUNDS):
            family = find_family(self.process(), marks=marks, members=members())
            if family:
                kill(family, patience_s=GLANCE_S)
                looks_without = 0
            else:
                looks_without += 1
            if looks_without == 2:
                return True
        return False


@contextmanager
def locked(root: Path) -> Iterator[None]:
    """Keeps other programs of elasticd out of the folder. Raises TimeoutError."""
    with open(root / "lock", "a") as lock:
        until = time.monotonic() + ANSWER_TIMEOUT_S
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > until:
                    raise TimeoutError(f"{root}/lock is held by another process") from None
            time.sleep(GLANCE_S)
        yield


def read_json(path: Path) -> dict[str, Any] | None:
    """A record; None if there is none. Raises ValueError if it is damaged."""
    try:
        found = json.loads(path.read_text())
    except FileNotFoundError:
        return None
    if not isinstance(found, dict):
        raise ValueError(f"{path}: wanted a JSON object")
    return found


def make_once(path: Path, value: Mapping[str, Any]) -> bool:
    """Writes a record unless there is one; whether this one stands."""
    # A link, unlike a rename, fails if the file exists.
    partial = path.with_name(f"{path.name}.{os.getpid()}.{os.urandom(4).hex()}.new")
    try:
        write_whole(str(partial), value)
        os.link(partial, path)
    except FileExistsError:
        return False
    finally:
        with suppress(FileNotFoundError):
            partial.unlink()
    return True


def last_line(path: Path) -> str:
    """The last line of a log that says something; empty if there is none."""
    with suppress(OSError):
        with open(path, "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - 4096))
            lines = file.read().decode(errors="replace").splitlines()
        said = [line.strip() for line in lines if line.strip()]
        if said:
            return said[-1][:300]
    return ""


def disk_is_full(free: int, least: int = LEAST_FREE_BYTES) -> str:
    """What to do about a disk that takes no node; both in bytes."""
    return f"its disk has {size(free)} left, and {size(least)} are wanted; make room there"


def free_bytes(folder: Path) -> int:
    """What is free for this user on the disk of a folder."""
    return shutil.disk_usage(folder).free
