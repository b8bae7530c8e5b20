"""A job in mode live under a real daemon: its group changes, and no worker is restarted and no
iteration lost."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from tests.e2e.running import RunningDaemon, running_daemon
from tests.e2e.sessions import SCRIPT, Told
from tests.e2e.survivors import covered, node_processes, windows


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[RunningDaemon]:
    with running_daemon(tmp_path) as running:
        yield running


pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]


def scale(daemon: RunningDaemon, job_id: str, nodes: int) -> None:
    with daemon.client() as client:
        client.post(f"/v1/jobs/{job_id}:scale", body={"nodes": nodes})


def submit(daemon: RunningDaemon, *, turns: int, pause_s: float = 0.05) -> str:
    return daemon.submit(
        name="session",
        command=[str(SCRIPT), str(turns), str(pause_s)],
        mode="live",
        iterations=turns,
        global_batch=12,
        nodes={"min": 1, "max": 2},
        policy={"name": "fixed", "node_type": "half"},
    )


def _stores(daemon: RunningDaemon) -> list[psutil.Process]:
    found = []
    for each in daemon.processes():
        with suppress(psutil.Error):  # it ends just now
            if "elastic.rendezvous" in each.cmdline():
                found.append(each)
    return found


def test_a_job_grows_and_shrinks_while_its_first_worker_goes_on(daemon: RunningDaemon) -> None:
    job_id = submit(daemon, turns=1_000_000)
    told = Told(daemon, job_id)
    daemon.until_iteration(job_id, 10)
    (first,) = {line["pid"] for line in told.lines()}
    scale(daemon, job_id, 2)
    daemon.until("two members", lambda: told.world_size() == 2)
    daemon.until(
        "the newcomer is known", lambda: daemon.get(f"/v1/jobs/{job_id}")["running_mode"] == "live"
    )
    seen = told.lines("turn")[-1]["step"]
    daemon.until_iteration(job_id, seen + 20)
    scale(daemon, job_id, 1)
    daemon.until("one member", lambda: told.world_size() == 1)
    nodes = daemon.until(
        "the other node is gone",
        lambda: [
            each
            for each in daemon.get("/v1/nodes", job=job_id, all=True)["items"]
            if each["phase"] == "terminated"
        ],
    )
    (left,) = told.lines("left")
    assert [left["node"]] == [node["id"] for node in nodes]
    assert left["pid"] != first
    daemon.until_iteration(job_id, told.lines("turn")[-1]["step"] + 10)
    with daemon.client() as client:
        client.post(f"/v1/jobs/{job_id}:stop")
    job = daemon.until_phase(job_id, "cancelled")
    joined = told.lines("joined")
    assert [line["pid"] for line in joined] == [first, left["pid"]]
    assert [line["pid"] for line in told.lines("ends")] == [first]
    assert job["iteration"] == told.lines("ends")[0]["step"]
    told.assert_nothing_lost()
    assert covered(daemon, job_id) == set(range(1, job["iteration"] + 1))
    assert sum(window["iterations"] for window in windows(daemon, job_id)) == job["iteration"]
    kinds = [event["text"] for event in daemon.get("/v1/jobs/" + job_id + "/report")["notes"]]
    assert kinds == []


def test_a_node_that_dies_stops_nobody_nor_does_the_store_and_the_job_ends_whole(
    daemon: RunningDaemon,
) -> None:
    job_id = submit(daemon, turns=1_000_000)
    told = Told(daemon, job_id)
    daemon.until_iteration(job_id, 5)
    scale(daemon, job_id, 2)
    daemon.until("two members", lambda: told.world_size() == 2)
    daemon.until("they are told of", lambda: daemon.get(f"/v1/jobs/{job_id}")["phase"] == "running")
    first, second = (line["node"] for line in told.lines("joined"))
    survivor = told.lines("joined")[1]["pid"]
    daemon.kill()
    for process in node_processes(first):
        with suppress(psutil.Error):
            process.kill()
    daemon.until("one goes on, with no daemon there", lambda: told.world_size() == 1)
    (store,) = _stores(daemon)
    store.kill()
    daemon.start()
    daemon.until(
        "a replacement is in", lambda: len(told.lines("joined")) == 3 and told.world_size() == 2
    )
    with daemon.client() as client:
        client.post(f"/v1/jobs/{job_id}:stop")
    job = daemon.until_phase(job_id, "cancelled")
    ends = told.lines("ends")
    assert {job["iteration"]} == {end["step"] for end in ends}
    assert [line["pid"] for line in told.lines("joined") if line["node"] == second] == [survivor]
    told.assert_nothing_lost()


def test_a_store_that_is_frozen_is_replaced_and_training_does_not_wait_for_it(
    daemon: RunningDaemon,
) -> None:
    job_id = submit(daemon, turns=1_000_000)
    told = Told(daemon, job_id)
    daemon.until_iteration(job_id, 5)
    scale(daemon, job_id, 2)
    daemon.until("two members", lambda: told.world_size() == 2)
    (frozen,) = _stores(daemon)
    frozen.suspend()
    before = told.lines("turn")[-1]["step"]
    daemon.until("another store", lambda: _stores(daemon) not in ([], [frozen]))
    daemon.until_iteration(job_id, before + 40)
    scale(daemon, job_id, 1)
    daemon.until("one member", lambda: told.world_size() == 1)
    assert not frozen.is_running(), "it would come back beside its successor"
    with daemon.client() as client:
        client.post(f"/v1/jobs/{job_id}:stop")
    job = daemon.until_phase(job_id, "cancelled")
    assert len(told.lines("joined")) == 2, "nobody came in anew"
    assert covered(daemon, job_id) == set(range(1, job["iteration"] + 1))
    told.assert_nothing_lost()


def test_esrgan_takes_a_node_in_and_lets_it_go_and_goes_on(daemon: RunningDaemon) -> None:
    job_id = daemon.submit(
        name="esrgan",
        workload="esrgan",
        preset="small",
        hyperparameters={"warmup_batches": 4, "checkpoint_interval": 10},
        mode="live",
        iterations=100_000,
        nodes={"min": 1, "max": 2},
        policy={"name": "fixed", "node_type": "half"},
    )

    def log() -> str:
        with daemon.client() as client:
            return client.text(f"/v1/jobs/{job_id}/logs", tail=2000)

    daemon.until_iteration(job_id, 6)
    scale(daemon, job_id, 2)
    daemon.until("two ranks", lambda: ": 2 ranks from iteration" in log())
    daemon.until_iteration(job_id, daemon.get(f"/v1/jobs/{job_id}")["iteration"] + 10)
    scale(daemon, job_id, 1)
    daemon.until("one rank", lambda: log().count(": 1 ranks from iteration") == 2)
    daemon.until_iteration(job_id, daemon.get(f"/v1/jobs/{job_id}")["iteration"] + 5)
    with daemon.client() as client:
        client.post(f"/v1/jobs/{job_id}:stop")
    job = daemon.until_phase(job_id, "cancelled")
    kept = daemon.data / "jobs" / job_id / "checkpoints"
    assert max(kept.glob("*.pt")).name == f"checkpoint-{job['iteration']:09d}.pt"
    nodes = daemon.get("/v1/nodes", job=job_id, all=True)["items"]
    assert len(nodes) == 2
