"""Members forked from a process that has torch imported: a program of its own takes seconds of
processor to begin."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.context import ForkServerProcess
from pathlib import Path

from tests.workloads.session import member
from tests.workloads.session.running import Launch, Process


@dataclass(frozen=True, slots=True)
class Forked:
    """A forked member, with what is asked of a `subprocess.Popen`."""

    process: ForkServerProcess

    @property
    def pid(self) -> int:
        assert self.process.pid is not None
        return self.process.pid

    @property
    def returncode(self) -> int | None:
        return self.process.exitcode

    def poll(self) -> int | None:
        return self.process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        self.process.join(timeout)
        assert self.process.exitcode is not None
        return self.process.exitcode

    def kill(self) -> None:
        self.process.kill()

    def send_signal(self, sig: int) -> None:
        if self.process.is_alive():
            os.kill(self.pid, sig)


def forking() -> Launch:
    """Gives a way to start members; what they are forked from ends with this process."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([member.__name__])

    def launch(command: Sequence[str], environment: Mapping[str, str], errors: Path) -> Process:
        assert list(command[1:3]) == ["-m", member.__name__]
        process = context.Process(
            target=_run, args=(list(command[3:]), dict(environment), str(errors)), daemon=True
        )
        process.start()
        return Forked(process)

    return launch


def _run(arguments: Sequence[str], environment: Mapping[str, str], errors: str) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ.update(environment)
    with open(errors, "wb") as output:
        os.dup2(output.fileno(), 2)
    sys.exit(member.main(arguments))
