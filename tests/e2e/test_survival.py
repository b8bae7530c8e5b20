"""What a user counts on when things are killed: a real daemon, real nodes, real training."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import httpx2
import psutil
import pytest
from PIL import Image

from tests.e2e.running import RunningDaemon, running_daemon
from tests.e2e.survivors import ESRGAN, covered, node_processes, windows


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[RunningDaemon]:
    with running_daemon(tmp_path) as running:
        yield running


pytestmark = [pytest.mark.slow, pytest.mark.timeout(420)]


def test_kill_9_of_the_daemon_stops_no_training_and_loses_nothing(daemon: RunningDaemon) -> None:
    job_id = daemon.submit(name="survivor", iterations=200, **ESRGAN)
    seen = daemon.until_iteration(job_id, 20)
    decisions = daemon.get("/v1/decisions", job=job_id)["items"]
    daemon.kill()
    time.sleep(4)
    daemon.start()
    advanced = daemon.until_iteration(job_id, seen + 10)
    assert advanced > seen
    job = daemon.until_phase(job_id, "succeeded")
    assert job["iteration"] == 200
    assert covered(daemon, job_id) == set(range(1, 201))
    nodes = daemon.get("/v1/nodes", job=job_id, all=True)["items"]
    assert len(nodes) == 1, "the restarted daemon adopted the node"
    kept = {each["id"] for each in daemon.get("/v1/decisions", job=job_id)["items"]}
    assert {each["id"] for each in decisions} <= kept
    ledger = daemon.get("/v1/ledger", job=job_id)
    seconds = sum(row["to_s"] - row["from_s"] for row in ledger["items"])
    assert seconds == pytest.approx(nodes[0]["terminated_at_s"] - nodes[0]["launched_at_s"])
    assert ledger["total_usd"] == pytest.approx(0.36 * seconds / 3600)


def test_kill_9_of_a_node_goes_on_from_the_checkpoint_on_a_replacement(
    daemon: RunningDaemon,
) -> None:
    job_id = daemon.submit(name="phoenix", iterations=90, **ESRGAN)
    daemon.until_iteration(job_id, 25)
    (node,) = daemon.get("/v1/nodes", job=job_id)["items"]
    victims = node_processes(node["id"])
    assert victims
    for process in victims:
        with suppress(psutil.Error):
            process.send_signal(signal.SIGKILL)
    job = daemon.until_phase(job_id, "succeeded")
    assert job["iteration"] == 90
    nodes = daemon.get("/v1/nodes", job=job_id, all=True)["items"]
    assert sorted(each["phase"] for each in nodes) == ["lost", "terminated"]
    first, second = (
        [each for each in windows(daemon, job_id) if each["generation"] == n] for n in (1, 2)
    )
    first_again = min(window["iteration"] - window["iterations"] for window in second)
    assert first_again >= 10, "training resumed from a checkpoint, not from nothing"
    # What it did just before it was killed is in that checkpoint, but it may not have come to tell
    # of it.
    untold = range(max(window["iteration"] for window in first) + 1, first_again + 1)
    assert set(range(1, 91)) - covered(daemon, job_id) == set(untold)


def test_scales_up_to_two_nodes_and_down_again_without_losing_an_iteration(
    daemon: RunningDaemon,
) -> None:
    """By draining, as mode restart does; a session's changes are in test_session.py."""
    spec = ESRGAN | {
        "hyperparameters": {"warmup_batches": 4, "checkpoint_interval": 50, "batch_size": 2}
    }
    job_id = daemon.submit(
        name="elastic", iterations=160, nodes={"min": 1, "max": 2}, mode="restart", **spec
    )
    daemon.until_iteration(job_id, 15)
    with daemon.client() as client:
        client.post(f"/v1/jobs/{job_id}:scale", {"nodes": 2})
    daemon.until("two train", lambda: len(daemon.get("/v1/nodes", job=job_id)["items"]) == 2)
    daemon.until(
        "windows of two", lambda: any(w["world_size"] == 2 for w in windows(daemon, job_id))
    )
    with daemon.client() as client:
        client.post(f"/v1/jobs/{job_id}:scale", {"nodes": 1})
    job = daemon.until_phase(job_id, "succeeded", timeout_s=200)
    assert job["iteration"] == 160
    kept = windows(daemon, job_id)
    assert covered(daemon, job_id) == set(range(1, 161))
    assert sum(window["iterations"] for window in kept) == 160, "planned changes redo nothing"
    by_generation = {window["generation"]: window["world_size"] for window in kept}
    assert by_generation == {1: 1, 2: 2, 3: 1}


def test_a_daemon_ends_within_ten_seconds_with_an_event_stream_open(daemon: RunningDaemon) -> None:
    url = daemon.client().url
    headers = {
        "Authorization": f"Bearer {(daemon.data / 'token').read_text().strip()}",
        "Accept": "text/event-stream",
    }
    with httpx2.stream("GET", f"{url}/v1/events", headers=headers, timeout=30) as stream:
        assert stream.status_code == 200
        assert daemon.stop() < 10
    assert daemon.process is not None
    assert daemon.process.returncode == 0


def test_a_second_daemon_on_the_same_folder_refuses_to_start(daemon: RunningDaemon) -> None:
    second = daemon.spawn()
    assert second.wait(60) not in (0, None)
    assert daemon.process is not None
    assert f"pid {daemon.process.pid}" in daemon.log
    assert daemon.get("/v1/node-types")


def test_any_torchrun_script_runs_unchanged(daemon: RunningDaemon, tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(
        "import torch\n"
        "model = torch.nn.Linear(4, 1)\n"
        "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
        "for _ in range(300):\n"
        "    optimizer.zero_grad(); model(torch.randn(8, 4)).sum().backward(); optimizer.step()\n"
        "    import time; time.sleep(0.01)\n"
    )
    job_id = daemon.submit(
        name="plain", command=[str(script)], policy={"name": "fixed", "node_type": "full"}
    )
    job = daemon.until_phase(job_id, "succeeded")
    assert job["iteration"] == 300


def test_a_stopped_job_leaves_no_process_and_weights_to_enlarge_a_picture_by(
    daemon: RunningDaemon, tmp_path: Path
) -> None:
    job_id = daemon.submit(name="stopped", iterations=5000, **ESRGAN)
    daemon.until_iteration(job_id, 6)
    with daemon.client() as client:
        client.post(f"/v1/jobs/{job_id}:stop")
    daemon.until_phase(job_id, "cancelled")
    assert daemon.process is not None
    alone = [daemon.process.pid]
    daemon.until(
        "only the daemon is left", lambda: [process.pid for process in daemon.processes()] == alone
    )
    Image.new("RGB", (20, 10)).save(tmp_path / "photo.jpg")
    done = daemon.elasticd("upscale", str(tmp_path / "photo.jpg"), "--job", "stopped")
    assert done.returncode == 0, done.stderr
    with Image.open(tmp_path / "photo_x4.png") as picture:
        assert (picture.size, picture.mode) == ((80, 40), "RGB")


def test_a_script_that_fails_is_started_twice_and_fails_the_job_with_its_own_words(
    daemon: RunningDaemon, tmp_path: Path
) -> None:
    script, starts = tmp_path / "broken.py", tmp_path / "starts"
    script.write_text(
        f"open({str(starts)!r}, 'a').write('x')\nimport albumentations_of_no_version\n"
    )
    job_id = daemon.submit(
        name="broken", command=[str(script)], policy={"name": "fixed", "node_type": "full"}
    )
    job = daemon.until_phase(job_id, "failed", timeout_s=240)
    said = "ModuleNotFoundError: No module named 'albumentations_of_no_version'"
    assert (
        job["message"]
        == f"it failed twice in the same way: {said} (broken.py, line 2, in <module>)"
    )
    assert job["error"]["lines"].splitlines()[-1] == said
    assert starts.read_text() == "xx"
    assert len(daemon.get("/v1/nodes", job=job_id, all=True)["items"]) == 1
