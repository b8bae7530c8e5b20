"""torchrun's own rendezvous under a node that was taken for dead."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import monotonic, sleep

import pytest

from elastic.rendezvous import StoreServer
from tests.certificates import certificate, credential

pytestmark = pytest.mark.slow

SCRIPT = """
import os, sys, time
place = f"{os.environ['RANK']}/{os.environ['WORLD_SIZE']}"
with open(sys.argv[1], "a") as file:
    file.write(place + "\\n")
time.sleep(600)
"""


def test_a_node_that_was_taken_for_dead_comes_back_to_the_one_that_began_without_it(
    tmp_path: Path,
) -> None:
    script = tmp_path / "train.py"
    script.write_text(SCRIPT)
    store = StoreServer(credential())
    running: list[subprocess.Popen[bytes]] = []

    environment = os.environ | {
        "ELASTICD_RDZV_ENDPOINT": store.address,
        "ELASTICD_RDZV_ID": "job",
        "ELASTICD_CERTIFICATE": certificate(),
        "TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1",
    }

    def start(name: str) -> None:
        command = [
            *(
                sys.executable,
                "-m",
                "elastic.workloads.torchrun",
                "--rdzv-backend=elasticd",
                "--nnodes=1:2",
                "--local-addr=127.0.0.1",
            ),
            "--rdzv-conf=last_call_timeout=1,keep_alive_interval=1,keep_alive_max_attempt=3",
            *(str(script), str(tmp_path / name)),
        ]
        running.append(subprocess.Popen(command, env=environment))

    def places(name: str) -> list[str]:
        path = tmp_path / name
        return path.read_text().split() if path.exists() else []

    try:
        start("first")
        _until(lambda: places("first") == ["0/1"])
        running[0].send_signal(signal.SIGSTOP)
        start("second")
        _until(lambda: places("second") == ["0/1"])
        running[0].send_signal(signal.SIGCONT)
        _until(lambda: {places("first")[-1], places("second")[-1]} == {"0/2", "1/2"})
    finally:
        for each in running:
            each.send_signal(signal.SIGCONT)
            each.terminate()
        for each in running:
            each.wait(timeout=60)
        store.close()


def _until(is_true: Callable[[], bool], *, timeout_s: float = 120.0) -> None:
    until_s = monotonic() + timeout_s
    while not is_true():
        assert monotonic() < until_s
        sleep(0.05)
