"""Runs the commands that prepare a node, one after the other, with one log for their output."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from elastic.agent import logs
from elastic.durations import GLANCE_S, HOUR_S
from elastic.errors import PreparationFailed
from elastic.figures import duration

_LAST_LINES = 5


class Commands:
    """The commands of one node. `stop` ends what runs, from any thread.

    `last_lines` are the last lines of the newest command, if it failed, without the line that its
    failure quotes.
    """

    def __init__(self, log_path: Path, *, environment: Mapping[str, str]) -> None:
        self.log_path = log_path
        self.environment = dict(environment)
        self.last_lines: tuple[str, ...] = ()
        self._is_stopping = threading.Event()

    @property
    def is_stopping(self) -> bool:
        return self._is_stopping.is_set()

    def stop(self) -> None:
        self._is_stopping.set()

    def run(
        self, arguments: Sequence[str], *, what: str, cwd: Path, limit_s: float = HOUR_S
    ) -> None:
        """Runs a command to its end.

        Raises PreparationFailed, with the most useful line, unless it exits with 0.
        """
        self.last_lines = ()
        begins_at = 0
        if self.log_path.exists():
            begins_at = self.log_path.stat().st_size
        with self.log_path.open("ab") as log:
            try:
                process = subprocess.Popen(
                    arguments,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    cwd=cwd,
                    env=self.environment,
                    start_new_session=True,
                )
            except OSError as error:
                raise PreparationFailed(f"{what}: {error}") from error
        code = self._wait(process, what, limit_s)
        if code != 0:
            said = logs.tail(self.log_path, since=begins_at)
            most = gist(said)
            last = [line for line in said.splitlines() if line.strip()][-_LAST_LINES:]
            self.last_lines = tuple(line for line in last if line.strip() != most)
            raise PreparationFailed(f"{what} ended with {code}: {most}")

    def _wait(self, process: subprocess.Popen[bytes], what: str, limit_s: float) -> int:
        until = time.monotonic() + limit_s
        try:
            while True:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    return process.wait(GLANCE_S)
                if self.is_stopping:
                    raise PreparationFailed(f"{what}: the node is leaving")
                if time.monotonic() > until:
                    raise PreparationFailed(
                        f"{what}: not done after {duration(limit_s)}: put it into the nodes' image"
                    )
        finally:
            # This also kills what a command left running, which would take the workers' cores.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def gist(said: str) -> str:
    r"""The one line of a command's output that says most: its first error, else its last line.

    >>> gist("Collecting x\nERROR: No matching distribution found for x\nERROR: see https://pip\n")
    'ERROR: No matching distribution found for x'
    >>> gist("make: *** [all] Error 2\n\n")
    'make: *** [all] Error 2'
    """
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    # docker's last line names its own help.
    lines = [line for line in lines if "docker run --help" not in line]
    if not lines:
        return "it wrote nothing"
    return next((line for line in lines if line.startswith("ERROR")), lines[-1])
