"""Keeps one node on a host: installs elasticd, runs the agent, and ends all with its lease.

It runs on the host, detached from every connection: the standard library only.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from elastic.durations import DAY_S, HEARTBEAT_S
from elastic.providers.keeping.records import KEEPER, NodeFiles, free_bytes, last_line
from elastic.providers.keeping.spawn import boot_id, write_whole

# Less than this is a full disk.
_FULL_BYTES = 4 << 20

# The elasticd of the daemon, with torch, in an environment of its own. uv finds torch's build for
# this machine by itself (UV_TORCH_BACKEND).
_INSTALL = """
set -eu
"$PYTHON" -m venv "$ENVIRONMENT"
"$ENVIRONMENT/bin/pip" install --quiet --no-cache-dir uv
"$ENVIRONMENT/bin/uv" pip install --quiet --no-cache --python "$ENVIRONMENT/bin/python" \\
  "elasticd[train] @ file://$WHEEL"
"""


def keep(node: NodeFiles) -> int:
    """Runs a node from its installation to its end; all that is left of it is on record."""
    with open(node.path / "keeper.lock", "a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        order = node.read("order")
        if order is None or node.has("stop"):
            return 1
        try:
            because = _run(node, order)
        except OSError as error:
            because = f"it could not be started: {error}"
        if free_bytes(node.path) < _FULL_BYTES:
            because = f"the disk is full: {because or 'its agent ended'}"
        node.end_processes(order["marks"])
        ended = {"boottime_s": boottime_s(), "boot_id": boot_id(), "because": because}
        _note_end(node, ended)
    return 0


def boottime_s() -> float:
    """Seconds since this machine booted, by a clock that is never set."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def _run(node: NodeFiles, order: Mapping[str, Any]) -> str:
    """Gives why the node ended; empty if it left in good order."""
    python = order["python"]
    if python is None:
        began_s = boottime_s()
        before = _received_bytes()
        environment = _installed(order)
        if isinstance(environment, str):
            return environment
        python = str(environment / "bin" / "python")
        setup = {
            "setup_s": round(boottime_s() - began_s, 2),
            "setup_bytes": max(0, _received_bytes() - before),
        }
        config = node.read("agent") or {}
        node.write("agent", config | setup)
    return _agent(node, order, python)


def _installed(order: Mapping[str, Any]) -> Path | str:
    """The environment with elasticd; or why there is none."""
    environment = Path(order["environment"])
    log = environment.with_suffix(".log")
    done = environment / "elasticd-done"
    environment.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with open(environment.with_suffix(".lock"), "a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if done.exists():
            # When it was used last, for `_remove_unused`.
            done.touch()
            return environment
        told = {
            "PYTHON": sys.executable,
            "ENVIRONMENT": str(environment),
            "WHEEL": order["wheel"],
            # In an environment pip refuses to install for the user.
            "PIP_USER": "0",
        }
        try:
            code = _install({**os.environ, **order["packages"], **told}, log, order["boot_s"])
        except subprocess.TimeoutExpired:
            return f"elasticd could not be installed in time (all that was said is in {log})"
        if code != 0:
            return f"elasticd could not be installed: {last_line(log)} (all of it is in {log})"
        # A file that comes last: an installation that was broken off has none, and is made again.
        done.touch()
    if order.get("is_alone"):
        _remove_unused(environment)
    return environment


def _remove_unused(environment: Path) -> None:
    """Removes the environments of other versions that no node has used for a day: each has a torch
    of gigabytes.

    For a folder in which this node runs alone.
    """
    now_s = (environment / "elasticd-done").stat().st_mtime
    for other in environment.parent.iterdir():
        done = other / "elasticd-done"
        with suppress(OSError):
            if done.stat().st_mtime < now_s - DAY_S:
                # First: what is left of one that is removed in part is made again.
                done.unlink()
                shutil.rmtree(other, ignore_errors=True)


def _install(env: Mapping[str, str], log: Path, timeout_s: float) -> int:
    """Runs the lines that install elasticd; gives their status."""
    with open(log, "wb") as file:
        return subprocess.run(
            ["sh", "-c", _INSTALL],
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
            timeout=timeout_s,
            check=False,
        ).returncode


def _agent(node: NodeFiles, order: Mapping[str, Any], python: str) -> str:
    command = order["agent_command"] or [os.path.expanduser(python), "-m", "elastic.agent"]
    with open(node.agent_log, "ab") as log:
        agent = subprocess.Popen(
            [*command, "--config", str(node.path / "agent.json")],
            cwd=node.work,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    if not _outlives_its_lease(node, agent, order):
        return _end_of(agent.returncode, node)
    node.end_processes(order["marks"])
    agent.wait()
    return "its lease was over, and its agent did not end by itself"


def _outlives_its_lease(
    node: NodeFiles, agent: subprocess.Popen[bytes], order: Mapping[str, Any]
) -> bool:
    """Waits for the agent's end; whether it went on without a renewal of its lease."""
    # Counted by changes of the file, so that changes of the clock do not matter.
    lease = node.work / "lease.json"
    last = None
    changed_s = boottime_s()
    while True:
        try:
            agent.wait(HEARTBEAT_S)
            return False
        except subprocess.TimeoutExpired:
            pass
        now = None
        with suppress(OSError):
            now = lease.read_bytes()
        if now != last:
            last = now
            changed_s = boottime_s()
        # Later than the agent's own end, which saves first.
        if boottime_s() - changed_s > order["lease_s"] + order["grace_s"]:
            return True


def _end_of(code: int, node: NodeFiles) -> str:
    if code == 0:
        return ""
    said = last_line(node.agent_log)
    if code < 0:
        name = signal.Signals(-code).name
        return f"its agent was killed on the host by {name}"
    return f"its agent ended with status {code}: {said}"


def _note_end(node: NodeFiles, ended: Mapping[str, Any]) -> None:
    """A full disk takes no record: then the next look finds no process, and says so."""
    with suppress(OSError):
        write_whole(str(node.path / "ended.json"), ended)


def _received_bytes() -> int:
    lines = Path("/proc/net/dev").read_text().splitlines()
    found = [re.fullmatch(r"\s*(?!lo:)\S+:\s*(\d+) .*", line) for line in lines]
    return sum(int(each[1]) for each in found if each)


def main(arguments: list[str]) -> int:
    """`PYTHON host.pyz elasticd-keeper FOLDER`; the name shows in lists of processes."""
    if len(arguments) != 2 or arguments[0] != KEEPER:
        sys.stderr.write("wanted elasticd-keeper and a node's folder\n")
        return 2
    return keep(NodeFiles(Path(arguments[1])))
