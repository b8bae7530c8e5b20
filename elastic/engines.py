"""Finds the container engine of this machine, on hosts too: with the standard library only."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from enum import StrEnum

from elastic.durations import TRANSFER_TIMEOUT_S


class Engine(StrEnum):
    """A program that runs containers."""

    DOCKER = "docker"
    PODMAN = "podman"


# Asks each for its version, and so whether this user may use it: docker alone has a daemon.
_ASKED = {
    Engine.DOCKER: ("docker", "version", "--format={{.Server.Version}}"),
    Engine.PODMAN: ("podman", "info", "--format={{.Version.Version}}"),
}


@dataclass(frozen=True, slots=True)
class EngineFound:
    """An engine that answers, or what is wrong with each that is installed."""

    engine: Engine | None
    # Its version; without an engine, why there is none.
    said: str

    def __str__(self) -> str:
        if self.engine is None:
            return f"none ({self.said})"
        return f"{self.engine} {self.said}"


def find_engine(timeout_s: float = TRANSFER_TIMEOUT_S) -> EngineFound:
    """The first engine that this user may use and that answers in time."""
    wrong = []
    for engine, command in _ASKED.items():
        if shutil.which(engine) is None:
            continue
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=timeout_s, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            wrong.append(f"{engine}: {error}")
            continue
        if done.returncode == 0:
            return EngineFound(engine, done.stdout.strip())
        last_line = done.stderr.strip().rpartition("\n")[2]
        wrong.append(f"{engine}: {last_line or 'it does not answer'}")
    return EngineFound(None, "; ".join(wrong) or "neither docker nor podman is installed")
