"""A script that keeps a relative snapshot, as PyTorch's own elastic tutorial does, goes from one
node to two."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from tests.cli.commands import runner
from tests.e2e.running import RunningDaemon, running_daemon

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

_JOB = """\
name: tutorial
code: app
command: [multi.py]
nodes: {min: 1, max: 2}
policy: {name: fixed, node_type: half}
"""
# After examples/distributed/ddp-tutorial-series/multigpu_torchrun.py of PyTorch, on gloo: each
# node's first worker saves, relative to where it runs.
_SCRIPT = """\
import os, time
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
model = torch.nn.Linear(4, 1)
epoch = 0
if os.path.exists("snapshot.pt"):
    snapshot = torch.load("snapshot.pt", weights_only=True)
    model.load_state_dict(snapshot["MODEL_STATE"])
    epoch = snapshot["EPOCHS_RUN"]
print(f"BEGINS rank {os.environ['RANK']} of {os.environ['WORLD_SIZE']} at epoch {epoch}", flush=True)
model = DistributedDataParallel(model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
while not (epoch >= 10 and os.environ["WORLD_SIZE"] == "2"):
    for _ in range(4):
        optimizer.zero_grad()
        model(torch.randn(8, 4)).sum().backward()
        optimizer.step()
        time.sleep(0.02)
    epoch += 1
    if os.environ["LOCAL_RANK"] == "0":
        torch.save({"MODEL_STATE": model.module.state_dict(), "EPOCHS_RUN": epoch}, "snapshot.pt")
with open(f"log-of-rank-{os.environ['RANK']}.txt", "w") as file:
    file.write(f"ended at {epoch}")
dist.destroy_process_group()
"""


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[RunningDaemon]:
    with running_daemon(tmp_path) as running:
        yield running


def test_all_ranks_go_on_from_the_same_snapshot_and_it_comes_home(
    daemon: RunningDaemon, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "app").mkdir()
    (tmp_path / "app/multi.py").write_text(_SCRIPT)
    (tmp_path / "job.yaml").write_text(_JOB)
    at = ("--url", daemon.client().url, "--token-file", str(daemon.data / "token"))
    submitted = runner(capsys)(*at, "job", "submit", "-f", str(tmp_path / "job.yaml"), "-y")
    assert submitted.status == 0, submitted.err
    job_id = str(daemon.get("/v1/jobs/tutorial")["id"])
    daemon.until_iteration(job_id, 20)
    with daemon.client() as client:
        client.post(f"/v1/jobs/{job_id}:scale", body={"nodes": 2})
    daemon.until_phase(job_id, "succeeded", timeout_s=150.0)
    with daemon.client() as client:
        logs = client.text(f"/v1/jobs/{job_id}/logs", tail=10_000)
    begun = {
        (rank, int(epoch))
        for rank, epoch in re.findall(r"BEGINS rank (\d) of 2 at epoch (\d+)", logs)
    }
    assert {rank for rank, _ in begun} == {"0", "1"}, logs
    assert len({epoch for _, epoch in begun}) == 1, begun
    assert min(epoch for _, epoch in begun) >= 4, begun
    brought = runner(capsys)(*at, "job", "outputs", "tutorial", "-o", str(tmp_path / "mine"))
    assert brought.status == 0, brought.err
    snapshot = torch.load(tmp_path / "mine/snapshot.pt", weights_only=True)
    assert (tmp_path / "mine/log-of-rank-0.txt").read_text() == f"ended at {snapshot['EPOCHS_RUN']}"
    names = {each.name for each in (tmp_path / "mine").iterdir()}
    assert names - {".gitignore"} == {"snapshot.pt", "log-of-rank-0.txt"}, (
        "neither code nor what others hold"
    )
