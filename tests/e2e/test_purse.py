"""Two jobs share a purse that pays one, and one is paused: a real daemon, real nodes, its commands."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.running import RunningDaemon, running_daemon
from tests.e2e.survivors import covered, windows

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

# It saves what it has done when it is asked to stop, and reads it back.
SCRIPT = """
import json, os, sys, time
from pathlib import Path
from elastic.worker import checkpointed, drained, finished, paramount

kept = Path(os.environ["ELASTICD_CHECKPOINT_DIR"]) / "state.json"
iteration = json.loads(kept.read_text()) if kept.exists() else 0
while iteration < int(sys.argv[1]):
    time.sleep(0.1)
    iteration += 1
    must_stop = paramount(iteration)
    if iteration % 10 == 0 or must_stop:
        kept.write_text(json.dumps(iteration))
        checkpointed(iteration, elapsed_s=0.001)
    if must_stop:
        drained(iteration)
        break
else:
    finished(iteration)
"""


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[RunningDaemon]:
    # Nine tenths of it pay one node of the type half, at $0.36/h.
    with running_daemon(tmp_path, environment={"ELASTICD_PURSE__USD_PER_H": "0.45"}) as running:
        yield running


def test_the_lower_priority_waits_a_paused_job_goes_on_and_nothing_is_done_twice(
    daemon: RunningDaemon, tmp_path: Path
) -> None:
    script = tmp_path / "train.py"
    script.write_text(SCRIPT)

    def submit(name: str, iterations: int, priority: int) -> str:
        return daemon.submit(
            name=name,
            command=[str(script), str(iterations)],
            iterations=iterations,
            policy={"name": "fixed", "node_type": "half"},
            priority=priority,
        )

    low = submit("low", 120, 0)
    daemon.until_iteration(low, 20)
    high = submit("high", 30, 5)
    waiting = daemon.until_phase(low, "waiting")
    assert "1 job comes first, with $0.36/h" in waiting["message"]
    daemon.until_phase(high, "succeeded")

    again = daemon.until_iteration(low, waiting["iteration"] + 10)
    assert daemon.elasticd("job", "pause", "low", "-y").returncode == 0
    daemon.until("its node is gone", lambda: not daemon.get("/v1/nodes", job=low)["items"])
    paused = daemon.get(f"/v1/jobs/{low}")
    assert (paused["phase"], paused["iteration"] >= again) == ("paused", True)
    shown = daemon.elasticd("purse").stdout
    assert "paused" in shown and "at most $0.405/h now" in shown
    assert daemon.elasticd("job", "resume", "low").returncode == 0

    done = daemon.until_phase(low, "succeeded")
    assert (done["iteration"], done["redone"]) == (120, 0)
    for job_id, iterations in ((low, 120), (high, 30)):
        assert covered(daemon, job_id) == set(range(1, iterations + 1))
        assert sum(each["iterations"] for each in windows(daemon, job_id)) == iterations
    cap = daemon.get("/v1/purse")["caps"][0]
    assert cap["spent_usd"] <= cap["usd"]
