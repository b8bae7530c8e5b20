"""A process with torch imported that forks each generation's torchrun.

So a node pays for the import once.

``python -m elastic.agent.spawner WORK_DIR`` reads orders from its standard input, one JSON object a
line. The first says what to load before anything runs; then one comes per generation. The spawner
outlives an agent that crashed: torchrun continues, and the next agent finds it in ``group.json``.
If no agent renews the node's lease, the spawner ends everything itself.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import resource
import select
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from elastic.agent.files import write_json
from elastic.agent.lease import is_lease_over
from elastic.agent.processes import kill_group
from elastic.durations import GLANCE_S

TORCHRUN_MODULE = "elastic.workloads.torchrun"
NAMELESS_MODULE = "elastic.workloads.nameless"
GROUP_FILE = "group.json"
# This file exists once a spawner of this node has loaded its modules, or failed to.
WARM_FILE = "warm"
# Has the spawner's process id, which its agent does not know if it runs in a container.
SPAWNER_FILE = "spawner.json"

# A library reads these when it is loaded. A job that sets one of them needs a process of its own.
READ_AT_LOADING = (
    "OMP_",
    "GOMP_",
    "KMP_",
    "MKL_",
    "OPENBLAS_",
    "LD_",
    "PYTHON",
    "TORCH",
    "PYTORCH_",
    "MALLOC_",
)

# As many as anyone needs. Some programs try every number up to their limit when they start.
_OPEN_FILES = 65_536


class Spawner:
    """Torchrun's parent."""

    def __init__(self, work_dir: Path) -> None:
        self._work_dir = work_dir
        self._child: dict[str, Any] | None = None
        self._loaded_with = dict(os.environ)
        self._is_orphan = False
        self._rest = b""

    def run(self) -> None:
        """Serves orders until the agent is gone and nothing runs."""
        write_json(self._work_dir / SPAWNER_FILE, {"pid": os.getpid()})
        allow_open_files()
        warm_up()
        while not (self._is_orphan and self._child is None):
            for order in self._orders():
                self._obey(order)
            self._reap()
            if self._is_orphan and self._child is not None and is_lease_over(self._work_dir):
                kill_group(
                    int(self._child["pid"]), socket_path=self._loaded_with["ELASTICD_SOCKET"]
                )

    def _orders(self) -> list[dict[str, Any]]:
        if self._is_orphan:
            select.select([], [], [], GLANCE_S)
            return []
        if not select.select([0], [], [], GLANCE_S)[0]:
            return []
        data = os.read(0, 1 << 16)
        self._is_orphan = not data
        *lines, self._rest = (self._rest + data).split(b"\n")
        return [json.loads(line) for line in lines]

    def _obey(self, order: Mapping[str, Any]) -> None:
        _load(order["preload"])
        (self._work_dir / WARM_FILE).touch()
        if "generation" in order:
            self._start(order)

    def _start(self, order: Mapping[str, Any]) -> None:
        # Forked workers set the node's number of threads themselves. A job's own number needs a new
        # process to read it.
        loaded_with = self._loaded_with | {"OMP_NUM_THREADS": str(order["threads"])}
        # In a container the spawner's own variables are the image's.
        environment = {**self._loaded_with, **order["env"]}
        pid = os.fork()
        if pid == 0:
            _become_torchrun(order, environment=environment, loaded_with=loaded_with)
        self._child = {
            "generation": order["generation"],
            "pid": pid,
            "spawner_pid": os.getpid(),
            "exit_code": None,
        }
        write_json(self._work_dir / GROUP_FILE, self._child)

    def _reap(self) -> None:
        if self._child is None:
            return
        pid, status = os.waitpid(int(self._child["pid"]), os.WNOHANG)
        if pid:
            code = os.waitstatus_to_exitcode(status)
            write_json(self._work_dir / GROUP_FILE, self._child | {"exit_code": code})
            self._child = None


def allow_open_files() -> None:
    """Lets this process, and all workers, have more files open, as far as it may.

    systemd allows 1,024 unless a program asks for more. torch's data loaders hold one for each
    tensor on its way, and end with `received 0 items of ancdata` when there is none left.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _OPEN_FILES
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def warm_up() -> None:
    """Loads torchrun, and keeps its stores and those of forked workers from DNS lookups.

    A worker that is not preloaded is a program of its own. It asks as torch does: its interpreter
    is the user's.
    """
    _load([TORCHRUN_MODULE])
    with contextlib.suppress(Exception):  # without torch there are no stores
        importlib.import_module(NAMELESS_MODULE).give_up_names()


def _become_torchrun(
    order: Mapping[str, Any], *, environment: Mapping[str, str], loaded_with: Mapping[str, str]
) -> None:
    code = 1
    try:
        os.setsid()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        if order.get("needs_sigterm"):
            # Programs that hear nothing else get it from everybody.
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
        log = os.open(order["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        null = os.open(os.devnull, os.O_RDONLY)
        for source, target in ((null, 0), (log, 1), (log, 2)):
            os.dup2(source, target)
        os.chdir(order["cwd"])
        _run_torchrun(order["arguments"], environment=environment, loaded_with=loaded_with)
        code = 0
    except SystemExit as end:
        if isinstance(end.code, int):
            code = end.code
        else:
            code = int(end.code is not None)
    # A fork that went on here would be a second spawner.
    except BaseException:  # noqa: BLE001
        sys.excepthook(*sys.exc_info())
    finally:
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code & 0xFF)


def _run_torchrun(
    arguments: Sequence[str], *, environment: Mapping[str, str], loaded_with: Mapping[str, str]
) -> None:
    names = {name for name in {*environment, *loaded_with} if name.startswith(READ_AT_LOADING)}
    if any(environment.get(name) != loaded_with.get(name) for name in names):
        os.execvpe(
            sys.executable, [sys.executable, "-m", TORCHRUN_MODULE, *arguments], dict(environment)
        )
    os.environ.clear()
    os.environ.update(environment)
    # What "python -m" puts there; the folder of a worker's script replaces it.
    sys.path[0] = os.getcwd()
    sys.argv = ["torchrun", *arguments]
    importlib.import_module(TORCHRUN_MODULE).main(arguments)


def _load(modules: Sequence[str]) -> None:
    """Imports modules; an import that fails here fails again, and is reported, where it is used.

    Objects made while a library loads are no garbage: collecting takes an eighth of the time. After
    the freeze, forked processes do not scan or copy them either.
    """
    gc.disable()
    for name in modules:
        with contextlib.suppress(Exception):
            importlib.import_module(name)
    gc.enable()
    gc.freeze()


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Spawner(Path(sys.argv[1])).run()
