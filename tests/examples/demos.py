"""Runs the demo as a person would."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psutil

from tests.docs.pages import ROOT

Demo = subprocess.Popen[bytes]


def start(
    output: Path, *, python: str = sys.executable, environment: Mapping[str, str], **who: Any
) -> Demo:
    """Starts the demo as `make demo` does, in an environment that says where temporary files go."""
    with output.open("wb") as file:
        return subprocess.Popen(
            [python, "-m", "examples.demo"],
            **{"cwd": ROOT, **who},
            env=environment,
            stdout=file,
            stderr=file,
            start_new_session=True,
        )


def own_environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "OMP_NUM_THREADS": "1", "TMPDIR": str(folder)}


def left_of(folder: Path) -> list[str]:
    """The command lines of all processes that name the folder."""
    found = []
    for process in psutil.process_iter():
        try:
            words = [*process.cmdline(), *process.environ().values()]
        except psutil.Error:
            continue
        if process.pid != os.getpid() and any(f"{folder}/elasticd-demo-" in word for word in words):
            found.append(" ".join(process.cmdline()))
    return found
