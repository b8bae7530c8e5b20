"""A real daemon that is killed while two nodes train in a session, and started again."""

from __future__ import annotations

import json
import tempfile
import time
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.elastic_training.cells import duration
from elastic.client.rest import Client
from tests.e2e.running import RunningDaemon, running_daemon

# a heartbeat with no news is stored when the last one that was is older than 5 s: all are, after
# that
AWAY_S = 8.0
SCRIPT = Path(__file__).parents[2] / "tests" / "e2e" / "session_script.py"


@dataclass(frozen=True, slots=True)
class Death:
    """One death: the longest step until control was back over the median one, less it in seconds;
    and from the new daemon's start as a process until it has heard from every node."""

    lost_s: float
    longest: float
    control_s: float


def deaths(rounds: int) -> str:
    """Kills the daemon so often, and gives a cell."""
    with tempfile.TemporaryDirectory() as folder, running_daemon(Path(folder)) as daemon:
        job_id = daemon.submit(
            name="session",
            command=[str(SCRIPT), "1000000", "0.05"],
            mode="live",
            iterations=1_000_000,
            global_batch=12,
            nodes={"min": 2, "max": 2},
            policy={"name": "fixed", "node_type": "half"},
        )
        steps = daemon.data / "jobs" / job_id / "artifacts" / "turns.jsonl"
        daemon.until(
            "two members", lambda: [turn["world_size"] for turn in _turns(steps)][-1:] == [2]
        )
        daemon.until_iteration(job_id, _turns(steps)[-1]["step"] + 40)
        found = [_death(daemon, job_id, steps) for _ in range(rounds)]
    return (
        f"lost {duration(max(each.lost_s for each in found))} at worst, longest step "
        f"{max(each.longest for each in found):.1f} x; control "
        f"{duration(median(each.control_s for each in found))} "
        f"after its start, worst {duration(max(each.control_s for each in found))}; {rounds} rounds"
    )


def _death(daemon: RunningDaemon, job_id: str, steps: Path) -> Death:
    killed_s = time.time()
    daemon.kill()
    time.sleep(AWAY_S)
    begun_s = time.time()
    address = daemon.data / "daemon.json"
    before = address.stat().st_mtime_ns
    daemon.process = daemon.spawn()
    # A client is made once, and when there is somebody to ask: it takes as long as what is
    # measured, on the same cores.
    daemon.until("it listens", lambda: address.stat().st_mtime_ns != before, every_s=0.01)
    with daemon.client() as client:
        daemon.until(
            "every node is heard", lambda: _all_heard(client, job_id, after_s=begun_s), every_s=0.02
        )
    control_s = time.time()
    turns = _turns(steps)
    (first, *_) = {turn["pid"] for turn in turns if turn["at_s"] > killed_s}
    ends = [turn["at_s"] for turn in turns if turn["pid"] == first]
    gaps = [(end_s, end_s - before_s) for before_s, end_s in pairwise(ends)]
    usual_s = median(gap_s for end_s, gap_s in gaps if end_s < killed_s)
    longest_s = max(gap_s for end_s, gap_s in gaps if killed_s < end_s < control_s)
    return Death(longest_s - usual_s, longest_s / usual_s, control_s - begun_s)


def _all_heard(client: Client, job_id: str, *, after_s: float) -> bool:
    nodes = client.get("/v1/nodes", job=job_id)["items"]
    return len(nodes) == 2 and all((node["heartbeat_at_s"] or 0.0) > after_s for node in nodes)


def _turns(path: Path) -> list[dict[str, Any]]:
    lines = path.read_text().splitlines() if path.exists() else []
    return [turn for line in lines if (turn := json.loads(line))["event"] == "turn"]
