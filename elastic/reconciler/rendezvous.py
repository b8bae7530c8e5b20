"""The rendezvous store of each job: a small process that outlives the daemon and every node.

Only the job's own certificate opens it.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Protocol

import structlog

from elastic.durations import ANSWER_TIMEOUT_S, LOOK_S, MINUTE_S
from elastic.model import Generation, Node, Rounds
from elastic.providers.keeping import ProcessId, boot_id, is_alive, kill, start_ticks, write_whole
from elastic.rendezvous import Credential, StoreClient, StoreLost

log = structlog.get_logger(__name__)

_MODULE = "elastic.rendezvous"


class Rendezvous(Protocol):
    """Where the members of a job's generations meet."""

    def lives(self, job_id: str) -> bool:
        """Whether the job has a place to meet already."""
        ...

    def endpoint(self, job_id: str, *, rounds: Rounds) -> str | None:
        """The address to meet at; None until it answers. A store that must be made again is given
        `rounds`."""
        ...

    def end(self, job_id: str) -> None:
        """Ends the place to meet.

        Members that met there, and may be alive, never meet those of a later one.
        """
        ...


@dataclass(slots=True)
class RendezvousStores:
    """Starts, finds again and ends the stores."""

    # It holds a folder for each job.
    root: Path
    # Gives a job's key and certificate as PEM.
    certificate_of: Callable[[str], str]
    host: str
    # The ports that a store may listen at; 0 means any.
    ports: range = range(1)
    python: str = sys.executable
    # A store that is silent for longer is replaced. Members go on without one meanwhile.
    silence_s: float = ANSWER_TIMEOUT_S
    # So is one that is not ready this long after its start.
    starts_within_s: float = MINUTE_S
    _silent_since_s: dict[str, float] = field(default_factory=dict)
    _clients: dict[str, StoreClient] = field(default_factory=dict)
    # Stores that this process started: they must be reaped.
    _children: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def lives(self, job_id: str) -> bool:
        """Whether the job has a store, even if that does not answer yet."""
        return self._process(job_id) is not None

    def endpoint(self, job_id: str, *, rounds: Rounds) -> str | None:
        """The address of the job's store; None until it answers.

        If none lives, one is started with `rounds`.
        """
        folder = self.root / job_id / "rendezvous"
        ready = folder / "ready"
        if self._process(job_id) is None:
            ready.unlink(missing_ok=True)
            self._silent_since_s.pop(job_id, None)
            self._start(job_id, folder, ready, rounds)
        if not ready.is_file():
            process = self._process(job_id)
            if process is not None and process.age_s() > self.starts_within_s:
                self._kill(job_id, process)
            return None
        endpoint = ready.read_text().strip()
        if self._answers(job_id, endpoint):
            self._silent_since_s.pop(job_id, None)
            return endpoint
        self._kill_if_silent(job_id)
        return None

    def end(self, job_id: str) -> None:
        """Ends the job's store, if one lives. It keeps nothing."""
        self._silent_since_s.pop(job_id, None)
        self._clients.pop(job_id, None)
        process = self._process(job_id)
        if process is not None:
            kill([process], patience_s=LOOK_S)
        child = self._children.pop(job_id, None)
        if child is not None:
            child.poll()

    def _answers(self, job_id: str, endpoint: str) -> bool:
        client = self._clients.pop(job_id, None)
        try:
            if client is None or client.address != endpoint:
                credential = Credential(self.certificate_of(job_id))
                client = StoreClient(endpoint, credential, timeout_s=LOOK_S)
            else:
                client.ping()
        except StoreLost:
            return False
        self._clients[job_id] = client
        return True

    def _start(self, job_id: str, folder: Path, ready: Path, rounds: Rounds) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        arguments = [
            f"--host={self.host}",
            f"--ports={self.ports[0]}-{self.ports[-1]}",
            f"--ready-file={ready}",
            f"--certificate={self.certificate_of(job_id)}",
            f"--tell={job_id}/floor={rounds.newest}",
            f"--tell={job_id}/registered={rounds.registered}",
        ]
        if rounds.is_held:
            arguments.append(f"--tell={job_id}/held=1")
        with (folder / "log").open("ab") as log:
            child = subprocess.Popen(
                # Every user of the machine can read a process's arguments: these come by its
                # standard input.
                [self.python, "-m", _MODULE, "-"],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                start_new_session=True,
                env=os.environ | {"OMP_NUM_THREADS": "1", "ELASTICD_JOB_ID": job_id},
            )
        assert child.stdin is not None
        # A store that died at once is started again at the next look.
        with contextlib.suppress(BrokenPipeError), child.stdin as told:
            told.write(json.dumps(arguments).encode())
        self._children[job_id] = child
        record = {"pid": child.pid, "start_ticks": start_ticks(child.pid), "boot_id": boot_id()}
        write_whole(str(folder / "process.json"), record)

    def _kill_if_silent(self, job_id: str) -> None:
        since_s = self._silent_since_s.setdefault(job_id, monotonic())
        process = self._process(job_id)
        if process is not None and monotonic() - since_s > self.silence_s:
            self._kill(job_id, process)

    def _kill(self, job_id: str, process: ProcessId) -> None:
        """Kills a store that does not answer; the next look starts another.

        It may only be stopped, and would come back beside its successor.
        """
        log.warning("killing a store that does not answer", job=job_id, pid=process.pid)
        kill([process], patience_s=LOOK_S)

    def _process(self, job_id: str) -> ProcessId | None:
        child = self._children.get(job_id)
        if child is not None and child.poll() is not None:
            # Reap it, so that it does not count as alive.
            del self._children[job_id]
        try:
            record = json.loads((self.root / job_id / "rendezvous" / "process.json").read_text())
            process = ProcessId(record["pid"], record["start_ticks"], record["boot_id"])
        except (FileNotFoundError, json.JSONDecodeError, KeyError):
            return None
        if is_alive(process):
            return process
        return None


def may_still_start(members: Iterable[Node], before: Generation | None, *, now_s: float) -> bool:
    """Whether a store may only need a moment more.

    It was started by the time these nodes joined, or `before` ended.
    """
    if before is None:
        ended_s = 0.0
    else:
        ended_s = before.ended_at_s or 0.0
    newest_s = max(ended_s, *(node.joined_at_s or 0.0 for node in members))
    return now_s - newest_s < MINUTE_S
