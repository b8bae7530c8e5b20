"""Runs as a node's job: starts its agent, and turns Slurm's signals into notices for it.

It runs on the node: the standard library only. Slurm signals in three ways, and was seen to
(22.05; decision 0144):
- A preemption with a time of grace signals the job's steps at its beginning, and the batch script
  only at its end. So a step of its own stands sentinel.
- The time limit comes near: SIGUSR1 to this process alone, as sbatch was asked for.
- `scancel` sends SIGTERM to every process of the job, and SIGKILL after KillWait. So all that
  trains has SIGTERM blocked, and is told by the notice.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any

from elastic.durations import HEARTBEAT_S
from elastic.figures import duration
from elastic.providers.keeping.address import NotPossible, own_address
from elastic.providers.keeping.keeper import keep
from elastic.providers.keeping.records import NodeFiles

# The word that this program is run by; it shows in lists of processes.
ON_NODE = "elasticd-slurm"
# It does nothing but end at a signal. It shares the job's cores, and uses none.
_SENTINEL = (
    "srun --quiet --overlap --nodes=1 --ntasks=1 --gres=none --mpi=none --input=none sleep infinity"
)

Fields = Mapping[str, Any]


class JobOnNode:
    """This job: the node's files on the shared file system, and those on this machine."""

    def __init__(self, shared: NodeFiles, local: NodeFiles, order: Fields) -> None:
        self._shared = shared
        self._local = local
        self._order = order
        self._noticed_for_s: float | None = None
        self._keeper = threading.Thread(target=self._keep, name="keeper")

    def run(self) -> int:
        """Keeps the node to its end; gives the job's exit status."""
        signal.signal(signal.SIGTERM, self._on_term)
        signal.signal(signal.SIGUSR1, self._on_time_limit)
        sentinel = self._sentinel()
        self._keeper.start()
        while self._keeper.is_alive():
            self._keeper.join(HEARTBEAT_S)
            if sentinel is not None and sentinel.poll() is not None:
                self._sentinel_ended(sentinel)
                sentinel = None
        if sentinel is not None:
            # Slurm would end its step only after KillWait, and keep the node for as long.
            sentinel.terminate()
            with suppress(subprocess.TimeoutExpired):
                sentinel.wait(HEARTBEAT_S)
        ended = self._local.read("ended") or {"because": "its keeper failed"}
        with suppress(OSError):
            self._shared.write("ended", ended)
        return int(bool(ended["because"]))

    def _keep(self) -> None:
        # Only of this thread and of what it starts: the main thread goes on hearing signals.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
        keep(self._local)

    def _sentinel(self) -> subprocess.Popen[bytes] | None:
        # Not by the node's marks: its keeper must not end it first.
        marks = self._order["marks"]
        env = {name: value for name, value in os.environ.items() if name not in marks}
        with suppress(OSError):
            return subprocess.Popen(_SENTINEL.split(), env=env, stdin=subprocess.DEVNULL)
        print("no srun here: a preemption is noticed at the end of its grace", flush=True)
        return None

    def _sentinel_ended(self, sentinel: subprocess.Popen[bytes]) -> None:
        if self._noticed_for_s is not None or self._shared.has("stop"):
            return
        if sentinel.returncode in (-signal.SIGTERM, 128 + signal.SIGTERM):
            grace_s = self._order["grace_of_preemption_s"] or self._order["kill_wait_s"]
            self._announce("preemption", grace_s)
        else:
            print("the sentinel step could not run: preemptions are noticed late", flush=True)

    def _on_term(self, number: int, frame: FrameType | None) -> None:
        if self._shared.has("stop"):
            # The daemon has ended this node: nothing on it is wanted any more.
            self._local.end_processes(self._order["marks"])
        else:
            self._announce("scancel", self._order["kill_wait_s"])

    def _on_time_limit(self, number: int, frame: FrameType | None) -> None:
        # Slurm may signal up to a minute too early (sbatch's manual, --signal), and never late.
        self._announce("time limit", self._order["notice_s"])

    def _announce(self, action: str, left_s: float) -> None:
        """Tells the agent when this job ends at the latest."""
        at_s = time.time() + left_s
        if self._noticed_for_s is not None and self._noticed_for_s <= at_s:
            return
        self._noticed_for_s = at_s
        print(f"{action}: this job ends within {duration(left_s)}", flush=True)
        self._local.write("notice", {"action": action, "at_s": at_s})


def main(arguments: list[str]) -> int:
    """`PYTHON host.pyz elasticd-slurm FOLDER`, with the node's folder on the shared file system."""
    if len(arguments) != 2 or arguments[0] != ON_NODE:
        sys.stderr.write(f"wanted {ON_NODE} and a node's folder\n")
        return 2
    shared = NodeFiles(Path(arguments[1]))
    order = shared.read("order")
    if order is None or shared.has("stop"):
        print(f"{shared.path}: this node is no longer wanted", flush=True)
        return 0
    local = NodeFiles(Path(os.environ.get("TMPDIR") or "/tmp", _local_name(shared)))
    try:
        _lay_out(shared, local, order)
        return JobOnNode(shared, local, order).run()
    except (NotPossible, OSError) as error:
        shared.write("ended", {"because": str(error)})
        print(error, flush=True)
        return 1
    finally:
        shutil.rmtree(local.path, ignore_errors=True)


def _local_name(shared: NodeFiles) -> str:
    return f"elasticd-{shared.path.name}-{os.environ['SLURM_JOB_ID']}"


def _lay_out(shared: NodeFiles, local: NodeFiles, order: Fields) -> None:
    """Makes the node's folder on this machine, as its keeper wants it."""
    local.path.mkdir(mode=0o700, parents=True)
    (local.work / "logs").mkdir(mode=0o700, parents=True)
    # Read on the daemon's machine while the node runs, and after it.
    local.agent_log.symlink_to(shared.path / "agent.log")
    agent = shared.read("agent") or {}
    local.write("order", order)
    # The way in for people: srun knows a task of an array by this number alone.
    shared.write("place", {"job": os.environ["SLURM_JOB_ID"], "work": str(local.work)})
    local.write(
        "agent",
        agent
        | {
            "instance_id": _provider_id(),
            "work_dir": str(local.work),
            "advertise_host": own_address(agent["daemon_url"]),
            "notice_file": str(local.path / "notice.json"),
        },
    )
    os.environ.update({**order["env"], **order["marks"]})


def _provider_id() -> str:
    array = os.environ.get("SLURM_ARRAY_JOB_ID")
    if array is not None:
        return f"slurm-{array}_{os.environ['SLURM_ARRAY_TASK_ID']}"
    return f"slurm-{os.environ['SLURM_JOB_ID']}"
