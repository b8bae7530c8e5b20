"""Starts, watches and ends one generation's torchrun, through the spawner."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from elastic.agent.files import read_json
from elastic.agent.preparing import Outfit, outfit_of
from elastic.agent.processes import is_running, kill_group, send_signal
from elastic.agent.settings import AgentSettings
from elastic.agent.spawner import GROUP_FILE, WARM_FILE
from elastic.agent.tiers import WorkerStart
from elastic.agent.torchrun import (
    SAVES_PREFIX,
    SPIN_COUNT,
    as_here,
    preloads,
    saves_file,
    session_store_file,
    torchrun_arguments,
    torchrun_environment,
)
from elastic.protocol import Assignment
from elastic.worker.hook import FOLDERS

SPAWNER_CLOSE_TIMEOUT_S = 5.0
MOST_OWN_MARKS = 256
"""So many of a node's newest saves are kept from one generation to the next; all its workers share
them."""


@dataclass(frozen=True, slots=True)
class Life:
    """Whether a generation's torchrun lives; ``exit_code`` is None while it does."""

    is_alive: bool
    exit_code: int | None = None


# Its parent notes every end, unless it was killed itself; whoever does that means both.
UNSEEN_END = Life(is_alive=False, exit_code=-signal.SIGKILL)


def lay_marks(path: Path, known: Mapping[str, int]) -> None:
    """Writes what this job has saved into the file of a generation.

    The daemon knows what the first rank saved; what other ranks of this node saved stands in the
    file of the generation before, which lies beside it.
    """
    earlier = max(
        path.parent.glob(f"{SAVES_PREFIX}*"), key=lambda each: each.stat().st_mtime, default=None
    )
    own = []
    if earlier is not None:
        own = earlier.read_text().splitlines()[-MOST_OWN_MARKS:]
    daemon_s = [f"{mark} {iteration}" for mark, iteration in known.items()]
    path.write_text(
        "".join(f"{line}\n" for line in own + daemon_s)
    )  # of two words for one mark the last counts


class Launcher:
    """The processes of this node. The spawner is begun at once, so that torch is imported by the
    time it is needed."""

    def __init__(self, settings: AgentSettings) -> None:
        self._settings = settings
        self._spawner: subprocess.Popen[bytes] | None = None
        self._command: tuple[str, ...] = ()
        self._group_path = settings.work_dir / GROUP_FILE
        self._group_read: dict[str, Any] | None = None
        self._group_version: tuple[int, int, int] | None = None
        self._outfit = outfit_of(sys.executable, path=os.environ.get("PATH", os.defpath))

    def log_path(self, generation: int) -> Path:
        """Where a generation's torchrun writes; each worker has a log of its own beside it."""
        return self._settings.log_dir / f"g{generation}.log"

    def drain_file(self, generation: int) -> Path:
        return self._settings.work_dir / f"drain-g{generation}"

    def equip(self, outfit: Outfit) -> None:
        """From now on workers run with this interpreter and these variables; none has begun yet by
        this launcher."""
        has_changed = outfit.python != self._outfit.python
        self._outfit = outfit
        if has_changed:
            # What it has loaded is the node's own: a job that brings another numpy must not meet
            # both.
            self._end_spawner(signal.SIGTERM)
            (self._settings.work_dir / WARM_FILE).unlink(missing_ok=True)
            self.prepare(self._command)

    def warm_up(self) -> None:
        """Makes sure that the spawner runs."""
        if self._spawner is not None and self._spawner.poll() is None:
            return
        work_dir = self._settings.work_dir
        self._settings.log_dir.mkdir(exist_ok=True)
        with (self._settings.log_dir / "spawner.log").open("ab") as log:
            self._spawner = subprocess.Popen(
                [self._outfit.python, "-m", "elastic.agent.spawner", str(work_dir)],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                env=self._spawner_environment(),
                # A signal to the agent's group must not end the training that is to outlive it.
                start_new_session=True,
            )

    def prepare(self, command: Sequence[str]) -> None:
        """Lets the spawner load what workers of this command will need; empty if the command is not
        known yet."""
        self._command = tuple(command)
        self._order({"preload": preloads(command) if command else []})

    @property
    def is_warm(self) -> bool:
        """Whether nothing is to be waited for before a start; a spawner that has died is begun anew
        by the next one."""
        is_spawner_alive = self._spawner is not None and self._spawner.poll() is None
        return not is_spawner_alive or (self._settings.work_dir / WARM_FILE).exists()

    def start(self, assignment: Assignment, *, way: WorkerStart, node_id: str) -> None:
        """Orders torchrun for an assignment; it begins as soon as the spawner is ready."""
        self.drain_file(assignment.generation).unlink(missing_ok=True)
        assignment = as_here(assignment, cores=len(os.sched_getaffinity(0)), inherited=os.environ)
        environment = torchrun_environment(
            assignment,
            settings=self._settings,
            node_id=node_id,
            drain_file=self.drain_file(assignment.generation),
            inherited=os.environ,
            outfit=self._outfit.variables,
        )
        lay_marks(saves_file(self._settings, assignment.generation), assignment.saves)
        for folder in (*(Path(environment[name]) for name in FOLDERS), self._settings.code_dir):
            folder.mkdir(parents=True, exist_ok=True)  # a script may save into them at once
        order = {
            "generation": assignment.generation,
            "arguments": torchrun_arguments(assignment, way=way, settings=self._settings),
            "env": environment,
            "threads": assignment.threads,
            # A worker that is a program of its own loads what it needs by itself.
            "preload": preloads(assignment.command) if way.is_forked else [],
            "log": str(self.log_path(assignment.generation)),
            "cwd": str(self._settings.code_dir),
        }
        self.tell_store(assignment.rdzv_endpoint)
        self._order(order)

    def tell_store(self, endpoint: str) -> None:
        """Says where the job's store is; members of a session look there for it whenever they miss
        it."""
        path = session_store_file(self._settings)
        partial = path.with_suffix(".partial")
        partial.write_text(endpoint + "\n")
        partial.replace(path)

    def life(self, generation: int) -> Life:
        """How the generation is doing."""
        group = self._group(generation)
        is_spawner_alive = self._spawner is not None and self._spawner.poll() is None
        if group is None:
            if is_spawner_alive:
                return Life(is_alive=True)
            return UNSEEN_END
        if group["exit_code"] is not None:
            return Life(is_alive=False, exit_code=int(group["exit_code"]))
        # A torchrun that has just ended has its code noted within a moment, as long as its own
        # parent lives.
        if is_running(int(group["pid"])) or is_running(int(group["spawner_pid"])):
            return Life(is_alive=True)
        return UNSEEN_END

    def ask_to_drain(self, generation: int) -> None:
        self.drain_file(generation).touch()

    def terminate(self, generation: int) -> None:
        """Sends SIGTERM to torchrun, which passes it on to its workers."""
        group = self._group(generation)
        if group is not None:
            send_signal(int(group["pid"]), signal.SIGTERM)

    def kill(self, generation: int) -> None:
        """Kills torchrun and all that it or its workers have started."""
        group = self._group(generation)
        spared = set()
        if self._spawner is not None:
            spared = {self._spawner.pid}
        if group is None:
            # Ordered but not begun: the order dies with the spawner.
            self._end_spawner(signal.SIGKILL)
            return
        kill_group(
            int(group["pid"]),
            socket_path=str(self._settings.socket_path),
            spared={*spared, int(group["spawner_pid"])},
        )

    def close(self) -> None:
        """Ends the spawner."""
        self._end_spawner(signal.SIGTERM)

    def root_pid(self) -> int | None:
        """The process at the top of everything this node runs."""
        if self._spawner is not None:
            return self._spawner.pid
        return None

    def _order(self, order: Mapping[str, Any]) -> None:
        self.warm_up()
        try:
            self._write(order)
        except BrokenPipeError:  # it has died since it was looked at
            self._end_spawner(signal.SIGKILL)
            self.warm_up()
            self._write(order)

    def _write(self, order: Mapping[str, Any]) -> None:
        assert self._spawner is not None
        assert self._spawner.stdin is not None
        self._spawner.stdin.write(json.dumps(order).encode() + b"\n")
        self._spawner.stdin.flush()

    def _group(self, generation: int) -> dict[str, Any] | None:
        path = self._group_path
        try:
            mark = os.stat(path)
        except FileNotFoundError:
            return None
        # It is replaced in one step, and looked at ten times a second.
        version = mark.st_ino, mark.st_mtime_ns, mark.st_size
        if version != self._group_version:
            self._group_read = read_json(path)
            self._group_version = version
        group = self._group_read
        if group is not None and group["generation"] == generation:
            return group
        return None

    def _spawner_environment(self) -> dict[str, str]:
        return {
            **os.environ,
            "PYTHONUNBUFFERED": "1",
            **SPIN_COUNT,
            **self._settings.env,
            # Who has computed with several threads cannot be forked: OpenMP's are missing in the
            # child, which waits for them for ever. Forked workers take theirs themselves.
            "OMP_NUM_THREADS": "1",
            "TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1",
            "ELASTICD_NODE_ID": self._settings.instance_id,
            "ELASTICD_SOCKET": str(self._settings.socket_path),
        }

    def _end_spawner(self, number: signal.Signals) -> None:
        if self._spawner is None:
            return
        assert self._spawner.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # what it never read
            self._spawner.stdin.close()
        self._spawner.send_signal(number)
        try:
            self._spawner.wait(SPAWNER_CLOSE_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._spawner.kill()
            self._spawner.wait()
        self._spawner = None
