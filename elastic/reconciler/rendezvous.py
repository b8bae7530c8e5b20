"""The c10d store of each job: a small process of its own that outlives the daemon and every
node."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Protocol

import structlog

from elastic.model import Generation, Node, Rounds
from elastic.providers.local.process import ProcessId, is_alive, kill
from elastic.providers.local.spawn import boot_id, start_ticks, write_whole
from elastic.worker.ping import answers

log = structlog.get_logger(__name__)

_MODULE = "elastic.workloads.rendezvous"
# A store is a process on this machine: it answers and dies within milliseconds.
_ANSWERS_WITHIN_S = 1.0
_DIES_WITHIN_S = 1.0
# A busy machine may delay an answer by seconds. Members go on without a store.
_SILENCE_S = 10.0
_STARTS_WITHIN_S = 60.0
"""One that has not answered for so long after its nodes joined is looked at no more often than all
else."""


class Rendezvous(Protocol):
    """Where the members of a job's generations meet."""

    def lives(self, job_id: str) -> bool:
        """Whether there is such a place already."""
        ...

    def endpoint(self, job_id: str, *, rounds: Rounds) -> str | None:
        """The address to meet at; None until it answers. One that has to be made again knows
        `rounds`."""
        ...

    def renew(self, job_id: str) -> None:
        """Who has met there, and may not know that this is over, shall never meet those who meet
        there from now on."""
        ...

    def end(self, job_id: str) -> None:
        """Nobody will meet there any more."""
        ...


@dataclass(slots=True)
class RendezvousStores:
    """Starts, finds again and ends the stores; `root` holds a folder for each job.

    `ports` are those that a store may listen at, 0 standing for any. One that is silent for more
    than `silence_s`, or not ready `starts_within_s` after its start, is replaced.
    """

    root: Path
    host: str
    ports: range = range(1)
    python: str = sys.executable
    silence_s: float = _SILENCE_S
    starts_within_s: float = _STARTS_WITHIN_S
    _silent_since_s: dict[str, float] = field(default_factory=dict)
    _renewed: set[str] = field(default_factory=set)
    _children: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def lives(self, job_id: str) -> bool:
        """Whether the job has a store, be it that it does not answer yet."""
        return self._process(job_id) is not None

    def endpoint(self, job_id: str, *, rounds: Rounds) -> str | None:
        """The address of the job's store, starting one that knows of `rounds` if none lives; None
        until it answers."""
        folder = self.root / job_id / "rendezvous"
        ready = folder / "ready"
        if self._process(job_id) is None:
            ready.unlink(missing_ok=True)
            self._silent_since_s.pop(job_id, None)
            self._renewed.discard(job_id)
            self._start(job_id, folder, ready, rounds)
        if not ready.is_file():
            process = self._process(job_id)
            if job_id in self._renewed:
                self._kill_if_silent(job_id)
            elif process is not None and process.age_s() > self.starts_within_s:
                self._kill(job_id, process)
            return None
        self._renewed.discard(job_id)
        endpoint = ready.read_text().strip()
        host, _, port = endpoint.rpartition(":")
        if answers(host.strip("[]"), int(port), timeout_s=_ANSWERS_WITHIN_S):
            self._silent_since_s.pop(job_id, None)
            return endpoint
        self._kill_if_silent(job_id)
        return None

    def renew(self, job_id: str) -> None:
        """Lets the job's store, if one lives, drop all that it holds and listen elsewhere.

        It is soon ready, for it has loaded torch. One of an earlier elasticd ends by this signal.
        """
        (self.root / job_id / "rendezvous" / "ready").unlink(missing_ok=True)
        self._silent_since_s.pop(job_id, None)
        self._renewed.add(job_id)
        process = self._process(job_id)
        if process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGHUP)

    def end(self, job_id: str) -> None:
        """Ends the job's store, if one lives: it keeps nothing, and while it loads torch it hears
        nothing."""
        self._silent_since_s.pop(job_id, None)
        process = self._process(job_id)
        if process is not None:
            kill([process], patience_s=_DIES_WITHIN_S)
        child = self._children.pop(job_id, None)
        if child is not None:
            child.poll()

    def _start(self, job_id: str, folder: Path, ready: Path, rounds: Rounds) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        ports = f"{self.ports[0]}-{self.ports[-1]}"
        command = [
            self.python,
            "-m",
            _MODULE,
            "--host",
            self.host,
            "--ports",
            ports,
            "--ready-file",
            str(ready),
        ]
        command += [
            "--tell",
            f"{job_id}/floor={rounds.newest}",
            "--tell",
            f"{job_id}/registered={rounds.registered}",
        ]
        command += ["--tell", f"{job_id}/held=1"] if rounds.is_held else []
        with (folder / "log").open("ab") as log:
            child = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                env=os.environ | {"OMP_NUM_THREADS": "1", "ELASTICD_JOB_ID": job_id},
            )
        self._children[job_id] = child
        record = {"pid": child.pid, "start_ticks": start_ticks(child.pid), "boot_id": boot_id()}
        write_whole(str(folder / "process.json"), record)

    def _kill_if_silent(self, job_id: str) -> None:
        since_s = self._silent_since_s.setdefault(job_id, monotonic())
        process = self._process(job_id)
        if process is not None and monotonic() - since_s > self.silence_s:
            self._kill(job_id, process)

    def _kill(self, job_id: str, process: ProcessId) -> None:
        """Kills what is stopped, say, and would come back beside its successor; the next look
        starts that one."""
        log.warning("killing a store that does not answer", job=job_id, pid=process.pid)
        kill([process], patience_s=_DIES_WITHIN_S)

    def _process(self, job_id: str) -> ProcessId | None:
        child = self._children.get(job_id)
        if child is not None and child.poll() is not None:
            # Reap it, so that it is not taken for alive.
            del self._children[job_id]
        try:
            record = json.loads((self.root / job_id / "rendezvous" / "process.json").read_text())
            process = ProcessId(record["pid"], record["start_ticks"], record["boot_id"])
        except (FileNotFoundError, json.JSONDecodeError, KeyError):
            return None
        return process if is_alive(process) else None


def may_still_start(members: Iterable[Node], before: Generation | None, *, now_s: float) -> bool:
    """Whether a store may only need a moment more: it was begun by the time these nodes joined, or
    `before` ended."""
    ended_s = 0.0 if before is None else before.ended_at_s or 0.0
    newest_s = max(ended_s, *(node.joined_at_s or 0.0 for node in members))
    return now_s - newest_s < _STARTS_WITHIN_S
