"""A job's workers run in containers of its image, by a real engine."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.agent.conftest import World
from tests.deploy.engine import Engine, engine
from tests.e2e.own_machines import daemon_over_slurm, daemon_over_ssh
from tests.e2e.running import ENDLESS, RunningDaemon, running_daemon
from tests.e2e.sessions import SCRIPT, Told
from tests.providers.slurm_cluster import running_slurm, skip_where_there_is_no_slurm
from tests.providers.ssh_hosts import (
    running_hosts,
    skip_where_there_is_no_sshd,
)
from tests.torch_image import import_image

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]

_IMAGE = "me/train:1"
_JOB = f"""\
name: boxed
image: {_IMAGE}
code: app
command: [train.py]
nodes: {{min: 1, max: 2}}
env: {{API_KEY: seen-by-workers-alone}}
policy: {{name: fixed, node_type: full}}
"""
_TRAIN = """\
import os, sys, time
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
model = torch.nn.Linear(4, 1)
done = int(open("done.txt").read()) if os.path.exists("done.txt") else 0
key = os.environ["API_KEY"]
print(f"BEGINS on {dist.get_world_size()} in {sys.prefix} at {done} with {len(key)}", flush=True)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
while True:
    optimizer.zero_grad()
    model(torch.randn(8, 4)).sum().backward()
    dist.all_reduce(model.weight.grad)
    optimizer.step()
    done += 1
    if dist.get_rank() == 0:
        with open("done.part", "w") as file:
            file.write(str(done))
        os.replace("done.part", "done.txt")
    time.sleep(0.05)
"""


@pytest.fixture(scope="module")
def docker() -> Iterator[Engine]:
    with engine(needs=("dockerd", "docker")) as running:
        import_image(running.host, _IMAGE)
        import_image(running.host, "me/bare:1", has_torch=False)
        yield running


@pytest.fixture
def daemon(tmp_path: Path, docker: Engine) -> Iterator[RunningDaemon]:
    with running_daemon(tmp_path, {"DOCKER_HOST": docker.host}) as running:
        yield running


def containers(docker: Engine) -> list[str]:
    """Every container of elasticd's, running or not."""
    return docker.run("docker", "ps", "--all", "--quiet", "--filter", "label=elasticd.node").split()


def trains_on(daemon: RunningDaemon, job_id: str) -> int:
    """How many of the job's nodes run workers."""
    found = daemon.get("/v1/nodes", job=job_id)["items"]
    return sum(each["agent_state"] == "running" for each in found)


def test_a_job_in_an_image_grows_stops_and_leaves_no_container(
    daemon: RunningDaemon, docker: Engine, tmp_path: Path
) -> None:
    (tmp_path / "app").mkdir()
    (tmp_path / "app/train.py").write_text(_TRAIN)
    (tmp_path / "job.yaml").write_text(_JOB)
    submitted = daemon.elasticd("job", "submit", "-f", str(tmp_path / "job.yaml"), "-y")
    assert submitted.returncode == 0, submitted.stderr
    job_id = str(daemon.get("/v1/jobs/boxed")["id"])
    alone = daemon.until_iteration(job_id, 10)
    (box,) = containers(docker)
    assert "seen-by-workers" not in docker.run("docker", "inspect", box), "anybody may inspect it"

    with daemon.client() as client:
        client.post(f"/v1/jobs/{job_id}:scale", body={"nodes": 2})
    daemon.until("two nodes train", lambda: trains_on(daemon, job_id) == 2, timeout_s=240)
    assert len(containers(docker)) == 2
    both = daemon.until_iteration(job_id, alone + 20)
    with daemon.client() as client:
        client.post(f"/v1/jobs/{job_id}:stop")
    daemon.until_phase(job_id, "cancelled")
    daemon.until("no container", lambda: not containers(docker))

    with daemon.client() as client:
        logs = client.text(f"/v1/jobs/{job_id}/logs", tail=10_000)
    begun = re.findall(r"BEGINS on (\d) in (\S+) at (\d+) with 21", logs)
    assert {nodes for nodes, _, _ in begun} == {"1", "2"}, logs
    assert {prefix for _, prefix, _ in begun} == {"/usr/local"}, "the image's Python"
    assert all(int(at) >= 10 for nodes, _, at in begun if nodes == "2"), begun
    brought = daemon.elasticd("job", "outputs", "boxed", "-o", str(tmp_path / "mine"))
    assert brought.returncode == 0, brought.stderr
    assert int((tmp_path / "mine/done.txt").read_text()) >= both - 20


@pytest.mark.soak
def test_an_agent_that_is_killed_leaves_its_container_to_the_next_one_or_to_the_lease(
    docker: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", docker.host)
    world = World(tmp_path)
    try:
        world.daemon.brings = {"image": _IMAGE}
        world.daemon.lease_s = 600.0
        node = world.node()
        (node.work_dir / "code").mkdir()
        (node.work_dir / "code/train.py").write_text(ENDLESS)
        world.assign("train.py")
        world.wait_for(lambda: world.daemon.turns() > 5)
        node.kill_agent_only()
        assert len(containers(docker)) == 1, "another agent may find its training"

        # An agent that begins again adopts it, and leaves none.
        before = world.daemon.turns()
        node.start()
        world.wait_for(lambda: world.daemon.turns() > before + 5)
        node.kill_agent_only()
        (node.work_dir / "lease.json").write_text('{"ends_at": 0}')
        world.wait_for(lambda: not containers(docker))
    finally:
        world.end()


@pytest.mark.parametrize(
    ("image", "why"),
    [
        ("me/bare:1", "the check of image me/bare:1 ended with 1: wanted torch in it, found none"),
        ("localhost:1/me/none:1", "docker pull localhost:1/me/none:1 ended with 1: Error response"),
    ],
)
def test_an_image_that_cannot_run_workers_says_why(
    docker: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, image: str, why: str
) -> None:
    monkeypatch.setenv("DOCKER_HOST", docker.host)
    world = World(tmp_path)
    try:
        world.daemon.brings = {"image": image}
        world.node()
        beat = world.wait_for(
            lambda: next(
                (
                    each["report"]["preparing"]
                    for each in world.daemon.heartbeats
                    if each["report"]["preparing"] and each["report"]["preparing"]["failure"]
                ),
                None,
            )
        )
        assert str(beat["failure"]).startswith(why), beat
        assert containers(docker) == []
    finally:
        world.end()


@pytest.mark.soak
def test_a_host_that_is_reached_by_ssh_runs_the_image_and_keeps_no_container(
    tmp_path: Path,
) -> None:
    skip_where_there_is_no_sshd()
    (tmp_path / "estate").mkdir()
    (tmp_path / "app").mkdir()
    (tmp_path / "app/train.py").write_text(_TRAIN)
    (tmp_path / "job.yaml").write_text(_JOB.replace("full", "desk"))
    with (
        running_hosts(tmp_path / "estate", 1) as estate,
        engine(needs=("dockerd", "docker"), inside=estate.hosts[0].entry) as docker,
    ):
        import_image(docker.host, _IMAGE)
        (tmp_path / "hosts.yaml").write_text("hosts: {desk-a: {type: desk, usd_per_h: 0.05}}\n")
        own = {"DOCKER_HOST": docker.host}
        with daemon_over_ssh(estate, tmp_path, variables=own) as daemon:
            checked = daemon.elasticd("host", "check", "-o", "json")
            assert '"engine": "docker ' in checked.stdout, checked.stdout + checked.stderr
            submitted = daemon.elasticd("job", "submit", "-f", str(tmp_path / "job.yaml"), "-y")
            assert submitted.returncode == 0, submitted.stderr
            job_id = str(daemon.get("/v1/jobs/boxed")["id"])
            daemon.until_iteration(job_id, 10)
            assert len(containers(docker)) == 1
            with daemon.client() as client:
                client.post(f"/v1/jobs/{job_id}:stop")
            daemon.until_phase(job_id, "cancelled")
            daemon.until("no container", lambda: not containers(docker))
            brought = daemon.elasticd("job", "outputs", "boxed", "-o", str(tmp_path / "mine"))
            assert brought.returncode == 0, brought.stderr
            assert int((tmp_path / "mine/done.txt").read_text()) >= 10


@pytest.mark.soak
def test_a_slurm_job_runs_the_image_and_scancel_stops_it_at_a_step(
    tmp_path: Path, docker: Engine
) -> None:
    skip_where_there_is_no_slurm()
    (tmp_path / "app").mkdir()
    (tmp_path / "app/train.py").write_text(_TRAIN)
    (tmp_path / "job.yaml").write_text(_JOB.replace("full", "main"))
    with running_slurm(2, kill_wait_s=30) as slurm:
        terms = "lease_s = 30.0\ndrain_grace_s = 10.0"
        own = {"DOCKER_HOST": docker.host}
        with daemon_over_slurm(slurm, tmp_path, terms=terms, variables=own) as daemon:
            submitted = daemon.elasticd("job", "submit", "-f", str(tmp_path / "job.yaml"), "-y")
            assert submitted.returncode == 0, submitted.stderr
            job_id = str(daemon.get("/v1/jobs/boxed")["id"])
            daemon.until_iteration(job_id, 10)
            (first,) = containers(docker)
            (node,) = daemon.get("/v1/nodes", job=job_id)["items"]
            slurm.run("scancel", node["provider_id"].removeprefix("slurm-"))
            daemon.until(
                "another container",
                lambda: trains_on(daemon, job_id) == 1 and first not in containers(docker),
                timeout_s=240,
            )
            daemon.until_iteration(job_id, daemon.get(f"/v1/jobs/{job_id}")["iteration"] + 5)
            with daemon.client() as client:
                client.post(f"/v1/jobs/{job_id}:stop")
            daemon.until_phase(job_id, "cancelled")
            daemon.until("no container", lambda: not containers(docker))
            with daemon.client() as client:
                logs = client.text(f"/v1/jobs/{job_id}/logs", tail=10_000)
    begun = [int(at) for at in re.findall(r"BEGINS on 1 in /usr/local at (\d+)", logs)]
    assert len(begun) == 2 and begun[1] >= 10, logs


@pytest.mark.soak
def test_a_session_in_an_image_takes_another_node_in_and_restarts_nothing(
    daemon: RunningDaemon, docker: Engine, tmp_path: Path
) -> None:
    (tmp_path / "app").mkdir()
    shutil.copy(SCRIPT, tmp_path / "app/train.py")
    (tmp_path / "job.yaml").write_text(
        _JOB.replace("[train.py]", "[train.py, '1000000', '0.05']")
        + "mode: live\nglobal_batch: 12\n"
    )
    submitted = daemon.elasticd("job", "submit", "-f", str(tmp_path / "job.yaml"), "-y")
    assert submitted.returncode == 0, submitted.stderr
    job_id = str(daemon.get("/v1/jobs/boxed")["id"])
    alone = daemon.until_iteration(job_id, 10)
    with daemon.client() as client:
        client.post(f"/v1/jobs/{job_id}:scale", body={"nodes": 2})
    told = Told(daemon, job_id)
    daemon.until("two members", lambda: told.world_size() == 2, timeout_s=240)
    daemon.until_iteration(job_id, alone + 20)
    assert len(containers(docker)) == 2
    assert len({line["pid"] for line in told.lines()}) == 2, "each node's first worker goes on"
    with daemon.client() as client:
        client.post(f"/v1/jobs/{job_id}:stop")
    daemon.until_phase(job_id, "cancelled")
    daemon.until("no container", lambda: not containers(docker))
