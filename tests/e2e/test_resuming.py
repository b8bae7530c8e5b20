"""A job that was over goes on from its checkpoint: a real daemon, real nodes, real training."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from elastic.errors import Conflict
from tests.cli.commands import Run, runner
from tests.e2e.running import RunningDaemon, running_daemon
from tests.e2e.survivors import ESRGAN, covered, windows

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

TOTAL = 60
FRAGILE = f"""
import json, os, sys, time
from pathlib import Path
from elastic.worker import checkpointed, drained, finished, paramount

kept = Path(os.environ["ELASTICD_CHECKPOINT_DIR"]) / "state.json"
iteration = json.loads(kept.read_text()) if kept.exists() else 0
while iteration < {TOTAL}:
    time.sleep(0.05)
    iteration += 1
    must_stop = paramount(iteration)
    if iteration > 25 and not Path(sys.argv[1]).exists():
        raise OSError(28, "No space left on device")
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
    with running_daemon(tmp_path) as running:
        yield running


@pytest.fixture
def run(daemon: RunningDaemon, capsys: pytest.CaptureFixture[str]) -> Run:
    command = runner(capsys)

    def on_the_daemon(*arguments: str) -> Any:
        return command(
            "--url", daemon.client().url, "--token-file", str(daemon.data / "token"), *arguments
        )

    return on_the_daemon


def test_a_stopped_job_goes_on_to_its_end_and_no_iteration_is_done_twice(
    daemon: RunningDaemon, run: Run
) -> None:
    job_id = daemon.submit(name="parted", iterations=80, objective={"budget_usd": 1.0}, **ESRGAN)
    daemon.until_iteration(job_id, 20)
    # At once: on a busy machine the job is over before another command has started.
    with daemon.client() as client:
        client.post(f"/v1/jobs/{job_id}:stop")
        with pytest.raises(Conflict, match="once it has ended"):
            client.post(f"/v1/jobs/{job_id}:resume", body={})
    stopped = daemon.until_phase(job_id, "cancelled")
    assert f"elasticd job resume {job_id}" in run("job", "get", "parted").out
    resumed = run("job", "resume", "parted", "--budget", "2")
    assert resumed.status == 0, resumed.err
    assert f"goes on at iteration {stopped['iteration']} with" in resumed.out
    daemon.kill()
    daemon.start()
    watched = run("job", "watch", "parted", "--timeout", "150")
    assert watched.status == 0, watched.out
    job = daemon.get(f"/v1/jobs/{job_id}")
    assert (job["phase"], job["iteration"], job["spec"]["objective"]["budget_usd"]) == (
        "succeeded",
        80,
        2.0,
    )
    assert covered(daemon, job_id) == set(range(1, 81))
    assert sum(window["iterations"] for window in windows(daemon, job_id)) == 80
    assert_ledger_adds_up(daemon, job_id, nodes=2)
    events = daemon.get("/v1/events", job=job_id, limit=500)["items"]
    (event,) = [each for each in events if each["kind"] == "job_resumed"]
    assert "budget $2.00 instead of $1.00; it was cancelled: stopped on request" in event["text"]
    assert "total $" in run("job", "report", "parted").out
    assert run("job", "resume", "parted").status == 6


def test_a_job_that_failed_goes_on_from_its_checkpoint_once_what_failed_is_mended(
    daemon: RunningDaemon, run: Run, tmp_path: Path
) -> None:
    script, mended = tmp_path / "fragile.py", tmp_path / "mended"
    script.write_text(FRAGILE)
    job_id = daemon.submit(
        name="fragile",
        command=[str(script), str(mended)],
        iterations=TOTAL,
        policy={"name": "fixed", "node_type": "half"},
    )
    failed = daemon.until_phase(job_id, "failed")
    assert "No space left on device" in failed["message"]
    mended.touch()
    before = daemon.get(f"/v1/jobs/{job_id}/report")["elapsed_s"]
    resumed = run("job", "resume", job_id)
    assert "goes on at iteration 20 with" in resumed.out, "what its checkpoint holds"
    job = daemon.until_phase(job_id, "succeeded")
    assert (job["iteration"], job["message"]) == (TOTAL, None)
    kept = windows(daemon, job_id)
    last = max(window["generation"] for window in kept)
    again = [window for window in kept if window["generation"] == last]
    assert min(window["iteration"] - window["iterations"] for window in again) == 20
    assert sum(window["iterations"] for window in again) == TOTAL - 20
    generations = sorted({window["generation"] for window in kept})
    assert all(later > earlier for earlier, later in pairwise(generations)) and last > 1
    nodes = assert_ledger_adds_up(daemon, job_id)
    lived_s = max(node["terminated_at_s"] for node in nodes) - min(
        node["launched_at_s"] for node in nodes
    )
    assert before < daemon.get(f"/v1/jobs/{job_id}/report")["elapsed_s"] <= lived_s + 10


def assert_ledger_adds_up(
    daemon: RunningDaemon, job_id: str, *, nodes: int | None = None
) -> list[dict[str, Any]]:
    """Every second of every node is in the ledger once, at its price."""
    found: list[dict[str, Any]] = daemon.get("/v1/nodes", job=job_id, all=True)["items"]
    assert nodes in (None, len(found))
    lived_s = sum(node["terminated_at_s"] - node["launched_at_s"] for node in found)
    ledger = daemon.get("/v1/ledger", job=job_id)
    assert sum(row["to_s"] - row["from_s"] for row in ledger["items"]) == pytest.approx(lived_s)
    assert ledger["total_usd"] == pytest.approx(0.36 * lived_s / 3600)
    assert daemon.get(f"/v1/jobs/{job_id}")["spent_usd"] == pytest.approx(ledger["total_usd"])
    return found
