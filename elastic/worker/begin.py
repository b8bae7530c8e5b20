"""Runs a job's command as one worker, once the node's checkpoint folder is filled.

``python -m elastic.worker.begin (--watched | --plain) (SCRIPT | -m MODULE) ARG...`` starts a worker
that is not preloaded, and ``... --program PROGRAM ARG...`` one that this Python does not run.
"""

from __future__ import annotations

import contextlib
import errno
import os
import runpy
import sys
from collections.abc import Mapping, Sequence

from elastic.worker.hook import CANNOT_BEGIN
from elastic.worker.last_error import leave_error, show_error
from elastic.worker.launch import HOPELESS
from elastic.worker.launch import main as launch
from elastic.worker.startup_barrier import wait_at_startup_barrier
from elastic.worker.torchvision_import import help_torchvision

USAGE = "wanted (--watched | --plain | --program) COMMAND..."


def begin(arguments: Sequence[str]) -> None:
    """Runs the command in the given way; a program replaces this process."""
    way = arguments[0] if arguments else ""
    command = list(arguments[1:])
    if not command:
        raise SystemExit(f"{USAGE}, got {list(arguments)}")
    write_own_log(os.environ)
    wait_at_startup_barrier(os.environ)
    help_torchvision()
    sys.excepthook = show_error
    try:
        _run(way, command)
    except BaseException as error:
        leave_error(error)
        raise


def _run(way: str, command: list[str]) -> None:
    if way == "--watched":
        launch(command)
    elif way == "--plain" and command[0] == "-m" and len(command) > 1:
        sys.argv = command[1:]
        runpy.run_module(command[1], run_name="__main__", alter_sys=True)
    elif way == "--program":
        _become(command)
    else:
        raise SystemExit(f"{USAGE}, and a module where it is plain; got {[way, *command]}")


def write_own_log(environment: Mapping[str, str]) -> None:
    """Sends this process's output to the log of its rank, if the agent named one.

    It is a file, not a pipe, because workers outlive an agent that crashes. It is opened for
    appending because the agent truncates it. The agent's `logs` reads it.
    """
    start = environment.get("ELASTICD_LOG")
    if not start:
        return
    path = f"{start}-l{environment['LOCAL_RANK']}-r{environment['RANK']}.log"
    with contextlib.suppress(OSError):  # on a full disk, keep writing where torchrun does
        log = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(log, 1)
        os.dup2(log, 2)
        os.close(log)


def _become(command: list[str]) -> None:
    try:
        os.execvp(command[0], command)
    except OSError as error:
        if error.errno not in HOPELESS:
            raise
        wanted = "program, or a script that begins with #!:"
        if error.errno == errno.EACCES:
            wanted = "program that may be executed: chmod +x it:"
        raise SystemExit(f"{CANNOT_BEGIN}{command[0]}: wanted a {wanted} {error}") from error


if __name__ == "__main__":
    begin(sys.argv[1:])
