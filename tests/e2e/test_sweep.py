"""A sweep with a real daemon, real nodes and a real script, and again without buying anything."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.running import RunningDaemon, running_daemon

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

STEPS = 40
SCRIPT = f"""
import json, os, time
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
model = DistributedDataParallel(torch.nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
begun_s = time.monotonic()
for turn in range({STEPS}):
    optimizer.zero_grad(); model(torch.randn(8, 4)).sum().backward(); optimizer.step()
    time.sleep(0.05)
if dist.get_rank() == 0:
    with open(os.environ["ELASTICD_ARTIFACT_DIR"] + "/report.json", "w") as report:
        json.dump({{"epoch_s": time.monotonic() - begun_s}}, report)
"""


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[RunningDaemon]:
    with running_daemon(tmp_path) as running:
        yield running


def test_a_sweep_compares_layouts_and_the_same_line_again_buys_nothing(
    daemon: RunningDaemon, tmp_path: Path
) -> None:
    folder = tmp_path / "toy"
    folder.mkdir()
    (folder / "train.py").write_text(SCRIPT)
    (folder / "job.yaml").write_text(
        f"name: toy\ncode: .\ncommand: [train.py]\niterations: {STEPS}\nnode_types: [half]\n"
    )
    line = ("sweep", str(folder / "job.yaml"), "--nodes", "1,2", "--budget", "1", "-y")
    swept = daemon.elasticd(*line)
    assert swept.returncode == 0, swept.stderr
    assert "1 x half, 1 a node" in swept.stdout and "2 x half, 1 a node" in swept.stdout
    jobs = daemon.get("/v1/jobs")["items"]
    again = daemon.elasticd(*line, "-o", "csv")
    assert again.returncode == 0, again.stderr
    assert daemon.get("/v1/jobs")["items"] == jobs, "nothing was submitted"
    one, two = csv.DictReader(io.StringIO(again.stdout))
    assert [int(each["iterations"]) for each in (one, two)] == [STEPS, 2 * STEPS]
    for row in (one, two):
        assert float(row["reported.epoch_s"]) >= STEPS * 0.05
        (job,) = (each for each in jobs if each["id"] == row["job"])
        assert float(row["usd"]) == pytest.approx(job["spent_usd"])
