"""Starts, watches and ends one generation's torchrun, through the spawner."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from elastic.agent.commands import gist
from elastic.agent.container import container_name, kept_variables, run_command
from elastic.agent.files import read_json
from elastic.agent.images import remove, remove_containers
from elastic.agent.interface import interface_of
from elastic.agent.logs import tail
from elastic.agent.marks import lay_marks
from elastic.agent.preparing import Outfit, outfit_of
from elastic.agent.processes import is_running, kill_group, send_signal
from elastic.agent.settings import AgentSettings
from elastic.agent.spawner import GROUP_FILE, SPAWNER_FILE, WARM_FILE
from elastic.agent.torchrun import (
    SPIN_COUNT,
    as_here,
    certificate_file,
    preloads,
    saves_file,
    session_store_file,
    torchrun_arguments,
    torchrun_environment,
)
from elastic.agent.worker_start import WorkerStart
from elastic.durations import END_GRACE_S
from elastic.model import AGENT_SAYS, ENVIRONMENT_FILE
from elastic.protocol import Assignment
from elastic.rendezvous import write_credential
from elastic.worker.saves import FOLDERS

_MARKS = ("ELASTICD_NODE_ID", "ELASTICD_CLUSTER")
# An engine that is being upgraded is away for seconds, in which three starts would end the job.
_ONCE_IT_ANSWERS = """\
tries=60
until "$0" version </dev/null >/dev/null 2>&1 || [ $tries = 0 ]; do
  sleep 1
  tries=$((tries - 1))
done
exec "$@"
"""


# torchrun's parent records every end, unless the parent was killed too. Then both were killed.
UNSEEN_END = -signal.SIGKILL


class Launcher:
    """The processes of this node.

    The spawner starts at once, so that torch is imported by the time it is needed.
    """

    def __init__(self, settings: AgentSettings) -> None:
        self._settings = settings
        self._spawner: subprocess.Popen[bytes] | None = None
        # The spawner's container; the process is then the engine's client. None: there is none.
        self._container_name: str | None = None
        self._is_shielded = False
        self._command: tuple[str, ...] = ()
        self._group_path = settings.work_dir / GROUP_FILE
        self._group_read: dict[str, Any] | None = None
        self._group_version: tuple[int, int, int] | None = None
        self._outfit = outfit_of(sys.executable, path=os.environ.get("PATH", os.defpath))

    def log_path(self, generation: int) -> Path:
        """The log of a generation's torchrun; each worker has a log of its own beside it."""
        return self._settings.log_dir / f"g{generation}.log"

    def drain_file(self, generation: int) -> Path:
        return self._settings.work_dir / f"drain-g{generation}"

    def equip(self, outfit: Outfit) -> None:
        """Sets the interpreter and variables of workers, before this launcher starts any."""
        has_changed = outfit.python != self._outfit.python or outfit.container is not None
        self._outfit = outfit
        if has_changed:
            # The spawner has loaded the node's own packages. A job that brings another numpy must
            # not meet both.
            self._end_spawner(signal.SIGTERM)
            (self._settings.work_dir / WARM_FILE).unlink(missing_ok=True)
            self.prepare(self._command)

    def warm_up(self) -> None:
        """Makes sure that the spawner runs."""
        if self._has_lost_its_container():
            self._end_spawner(signal.SIGKILL)
        if self._spawner is not None and self._spawner.poll() is None:
            return
        work_dir = self._settings.work_dir
        self._settings.log_dir.mkdir(exist_ok=True)
        (work_dir / SPAWNER_FILE).unlink(missing_ok=True)
        command, environment = self._spawner_command()
        with (self._settings.log_dir / "spawner.log").open("ab") as log:
            self._spawner = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                env=environment,
                # A signal to the agent's process group must not end the training, which outlives
                # the agent.
                start_new_session=True,
            )

    def prepare(self, command: Sequence[str]) -> None:
        """Makes the spawner load what workers of this command need; empty if it is unknown yet."""
        self._command = tuple(command)
        self._order({"preload": preloads(command) if command else []})

    def rest(self, command: Sequence[str]) -> None:
        """Ends what loads the node's own torch: workers of this command will have an image's."""
        self._command = tuple(command)
        self._end_spawner(signal.SIGKILL)

    @property
    def is_warm(self) -> bool:
        """Whether a start need not wait for the spawner.

        A spawner that has died does not count: the next start begins another.
        """
        is_spawner_alive = self._spawner is not None and self._spawner.poll() is None
        return not is_spawner_alive or (self._settings.work_dir / WARM_FILE).exists()

    def start(self, assignment: Assignment, *, way: WorkerStart, node_id: str) -> None:
        """Orders torchrun for an assignment; it begins as soon as the spawner is ready."""
        self.drain_file(assignment.generation).unlink(missing_ok=True)
        container = self._outfit.container
        assignment = as_here(assignment, cores=len(os.sched_getaffinity(0)), inherited=os.environ)
        environment = torchrun_environment(
            assignment,
            settings=self._settings,
            node_id=node_id,
            drain_file=self.drain_file(assignment.generation),
            inherited=os.environ if container is None else kept_variables(os.environ),
            interface=interface_of(self._settings.advertise_host),
            outfit=self._outfit.variables,
        )
        if container is not None and "PYTHONPATH" in assignment.env:
            environment["PYTHONPATH"] += f"{os.pathsep}{container.package}"
        lay_marks(saves_file(self._settings, assignment.generation), assignment.saves)
        for folder in (*(Path(environment[name]) for name in FOLDERS), self._settings.code_dir):
            folder.mkdir(parents=True, exist_ok=True)  # a script may save into them at once
        order = {
            "generation": assignment.generation,
            "arguments": torchrun_arguments(assignment, way=way, settings=self._settings),
            "env": environment,
            "threads": assignment.threads,
            # A worker that is a program of its own loads what it needs by itself.
            "preload": preloads(assignment.command) if way.is_preloaded else [],
            "log": str(self.log_path(assignment.generation)),
            "cwd": str(self._settings.code_dir),
            "needs_sigterm": way.is_foreign,
        }
        # Where SIGTERM is blocked, a drain reaches workers by its file, and torchrun by SIGINT.
        is_blocked = signal.SIGTERM in signal.pthread_sigmask(signal.SIG_BLOCK, ())
        self._is_shielded = is_blocked and not way.is_foreign
        self._note_environment()
        self.tell_store(assignment.rdzv_endpoint)
        write_credential(certificate_file(self._settings), assignment.certificate)
        self._order(order)

    def _note_environment(self) -> None:
        """Writes what a person who enters this node needs to run the same Python as workers do."""
        # Never all of the variables: secrets are among them.
        shown = {"PATH", "VIRTUAL_ENV"} & set(self._outfit.variables)
        lines = [
            f"export {name}={shlex.quote(self._outfit.variables[name])}\n" for name in sorted(shown)
        ]
        (self._settings.work_dir / ENVIRONMENT_FILE).write_text("".join(lines))

    def tell_store(self, endpoint: str) -> None:
        """Writes where the job's store is; members of a session look there if they lose it."""
        path = session_store_file(self._settings)
        partial = path.with_suffix(".partial")
        partial.write_text(endpoint + "\n")
        partial.replace(path)

    def exit_code(self, generation: int) -> int | None:
        """The exit code of a generation's torchrun; None while it lives."""
        group = self._group(generation)
        is_spawner_alive = self._spawner is not None and self._spawner.poll() is None
        if group is None:
            if is_spawner_alive:
                return None
            self._say_how_the_container_ended(generation)
            return UNSEEN_END
        if group["exit_code"] is not None:
            return int(group["exit_code"])
        # The exit code of a torchrun that just ended is recorded within a moment, if its parent
        # lives.
        if is_running(int(group["pid"])) or is_running(int(group["spawner_pid"])):
            return None
        return UNSEEN_END

    def ask_to_drain(self, generation: int) -> None:
        self.drain_file(generation).touch()

    def terminate(self, generation: int) -> None:
        """Sends SIGTERM to torchrun, which passes it on to its workers."""
        group = self._group(generation)
        if group is not None:
            number = signal.SIGTERM
            if self._is_shielded:
                number = signal.SIGINT
            send_signal(int(group["pid"]), number)

    def kill(self, generation: int) -> None:
        """Kills torchrun and all that it or its workers started."""
        group = self._group(generation)
        spared = set()
        if self._spawner is not None:
            spared = {self._spawner.pid, self.root_pid() or self._spawner.pid}
        if group is None:
            # Ordered but not started: the order dies with the spawner.
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
        container = self._outfit.container
        if container is not None:
            remove_containers(container.engine, container.node)

    def root_pid(self) -> int | None:
        """The root of this node's process tree; None while there is none."""
        if self._container_name is not None:
            found = read_json(self._settings.work_dir / SPAWNER_FILE)
            return None if found is None else int(found["pid"])
        if self._spawner is not None:
            return self._spawner.pid
        return None

    def _has_lost_its_container(self) -> bool:
        """Whether the spawner's container has ended, though the engine's client may still run."""
        pid = self.root_pid()
        return self._container_name is not None and pid is not None and not is_running(pid)

    def _say_how_the_container_ended(self, generation: int) -> None:
        """Adds the engine's own words to the log of a generation that never began in it."""
        path = self.log_path(generation)
        if self._container_name is None or self._spawner is None or path.exists():
            return
        said = gist(tail(self._settings.log_dir / "spawner.log"))
        text = f"the container ended with {self._spawner.returncode}: {said}"
        path.write_text(f"{AGENT_SAYS}{text}\n")

    def _order(self, order: Mapping[str, Any]) -> None:
        self.warm_up()
        try:
            self._write(order)
        except BrokenPipeError:  # it died after the check
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
        # The file is replaced in one step, and checked ten times a second: parse it only when it
        # changed.
        version = mark.st_ino, mark.st_mtime_ns, mark.st_size
        if version != self._group_version:
            self._group_read = read_json(path)
            self._group_version = version
        group = self._group_read
        if group is not None and group["generation"] == generation:
            return group
        return None

    def _spawner_command(self) -> tuple[list[str], dict[str, str]]:
        """What starts the spawner, and its environment."""
        arguments = ["-m", "elastic.agent.spawner", str(self._settings.work_dir)]
        own = self._spawner_variables()
        container = self._outfit.container
        if container is None:
            self._container_name = None
            return [self._outfit.python, *arguments], {**os.environ, **own}
        self._container_name = container_name(container)
        home = self._settings.work_dir / "home"
        home.mkdir(exist_ok=True)
        variables = {
            **kept_variables(os.environ),
            **own,
            # By these the provider finds the node's processes.
            **{name: os.environ[name] for name in _MARKS if name in os.environ},
        }
        command = run_command(
            container,
            arguments,
            variables=variables,
            home=home,
            cwd=self._settings.work_dir,
            name=self._container_name,
        )
        waiting = ["/bin/sh", "-c", _ONCE_IT_ANSWERS, container.engine.value]
        return [*waiting, *command], {**os.environ, **variables}

    def _spawner_variables(self) -> dict[str, str]:
        return {
            "PYTHONUNBUFFERED": "1",
            **SPIN_COUNT,
            **self._settings.env,
            # A process that computed with several threads cannot be forked: the child lacks
            # OpenMP's threads, and waits for them for ever. Forked workers set their own number.
            "OMP_NUM_THREADS": "1",
            "TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1",
            "ELASTICD_NODE_ID": self._settings.instance_id,
            "ELASTICD_SOCKET": str(self._settings.socket_path),
        }

    def _end_spawner(self, number: signal.Signals) -> None:
        if self._spawner is None:
            return
        assert self._spawner.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # orders that it never read
            self._spawner.stdin.close()
        container = self._outfit.container
        if container is not None and self._container_name is not None:
            # The engine's client does not pass SIGKILL on, and may not have begun.
            remove(container.engine, [self._container_name])
        self._spawner.send_signal(number)
        try:
            self._spawner.wait(END_GRACE_S)
        except subprocess.TimeoutExpired:
            self._spawner.kill()
            self._spawner.wait()
        self._spawner = None
