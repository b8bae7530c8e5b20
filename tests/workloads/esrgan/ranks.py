"""Starts the ranks of a real gloo group, each a process that runs one module."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

_REPOSITORY = Path(__file__).parents[3]


def run_ranks(module: str, *arguments: str, ranks: int) -> None:
    """Returns when all of them have ended well."""
    port = _free_port()
    processes = []
    for rank in range(ranks):
        environment = {
            **os.environ,
            "RANK": str(rank),
            "WORLD_SIZE": str(ranks),
            "LOCAL_RANK": str(rank),
            "MASTER_ADDR": "127.0.0.1",
            "MASTER_PORT": str(port),
            "OMP_NUM_THREADS": "1",
            "ELASTICD_OFFLINE": "1",
            "PYTHONPATH": str(_REPOSITORY),
        }
        command = [sys.executable, "-m", module, *arguments]
        processes.append(subprocess.Popen(command, env=environment, cwd=_REPOSITORY))
    try:
        assert [process.wait(timeout=90) for process in processes] == [0] * ranks
    finally:
        for process in processes:
            process.kill()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
