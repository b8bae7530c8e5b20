"""What a job leaves behind that survived the death of its daemon or nodes."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import psutil

from tests.e2e.running import RunningDaemon

# Iterations that cost a third of the preset's own: what is shown here is not how it learns.
CHEAP = {
    "warmup_batches": 4,
    "checkpoint_interval": 10,
    "batch_size": 2,
    "residual_blocks": 1,
    "held_out_crops": 1,
}


ESRGAN = {
    "workload": "esrgan",
    "preset": "small",
    "hyperparameters": CHEAP,
    "policy": {"name": "fixed", "node_type": "half"},
}


def windows(daemon: RunningDaemon, job_id: str) -> list[dict[str, Any]]:
    with daemon.client() as client:
        return [
            each["window"] for each in client.items("/v1/measurements", job=job_id, limit=10_000)
        ]


def covered(daemon: RunningDaemon, job_id: str) -> set[int]:
    """Every iteration that a stored window vouches for."""
    return {
        number
        for window in windows(daemon, job_id)
        for number in range(window["iteration"] - window["iterations"] + 1, window["iteration"] + 1)
    }


def node_processes(node_id: str) -> list[psutil.Process]:
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.environ().get("ELASTICD_NODE_ID") == node_id:
                found.append(process)
    return found
