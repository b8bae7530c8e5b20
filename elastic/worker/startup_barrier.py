"""A worker waits before its script begins, until the agent has filled its folders."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping
from dataclasses import asdict

from elastic.durations import GLANCE_S, MINUTE_S
from elastic.figures import duration
from elastic.worker.messages import Arrival
from elastic.worker.unix_address import asked


def wait_at_startup_barrier(environment: Mapping[str, str], *, timeout_s: float = MINUTE_S) -> None:
    """Returns when the node's folders are filled; otherwise ends this process with the reason.

    Where no agent fills them, it returns at once.

    It waits `timeout_s` at most for an agent that restarts. A script that began from an old
    checkpoint would repeat turns.
    """
    path = environment.get("ELASTICD_BARRIER")
    if not path:
        return
    until = time.monotonic() + timeout_s
    while True:
        with contextlib.suppress(OSError, ValueError):
            refusal = _ask(path, environment)
            if refusal is None:
                return
            raise SystemExit(f"elasticd: {refusal}")
        if time.monotonic() > until:
            raise SystemExit(f"elasticd: no agent answered at {path} for {duration(timeout_s)}")
        time.sleep(GLANCE_S)


def _ask(path: str, environment: Mapping[str, str]) -> str | None:
    question = Arrival(
        generation=int(environment["ELASTICD_GENERATION"]),
        group_rank=int(environment.get("GROUP_RANK", "0")),
        groups=int(environment.get("GROUP_WORLD_SIZE", "1")),
        # By this the nodes know that they mean the same start.
        meeting=environment.get("ELASTICD_MEETING", ""),
    )
    refusal = asked(path, asdict(question))["refusal"]
    return None if refusal is None else str(refusal)
