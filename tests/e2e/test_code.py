"""A folder of code on its owner's machine is what the cloud's nodes run: nothing else brings it
there."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import torch

from tests.e2e.cloud_story import Story, told

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

ONE_TYPE = {
    "node_types": {"c5.large": {"cpu": 0.9, "on_demand_usd_per_h": 0.085, "spot_usd_per_h": 0.034}}
}
_JOB = """\
name: sent
code: app
command: [train.py, --settings, settings.txt]
"""
_TRAIN = """\
import sys
import time
import torch
from lib.net import make
from elastic.worker import finished, paramount
model = make()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
print("begins", flush=True)
for iteration in range(1, 61):
    optimizer.zero_grad()
    model(torch.randn(8, 4)).sum().backward()
    optimizer.step()
    paramount(iteration)
    time.sleep(0.1)
with open(sys.argv[2]) as settings:
    print("trained with", settings.read(), flush=True)
torch.save(model.state_dict(), "final.pt")
finished(60)
"""


def read_log(story: Story, job_id: str) -> str:
    with story.daemon.client() as client:
        return client.text(f"/v1/jobs/{job_id}/logs")


def test_a_script_with_its_package_runs_on_a_machine_that_had_none_of_it_and_its_weights_come_home(
    tmp_path: Path,
) -> None:
    app = tmp_path / "mine/app"
    (app / "lib").mkdir(parents=True)
    (app / "train.py").write_text(_TRAIN)
    (app / "settings.txt").write_text("what was sent")
    (app / "lib/net.py").write_text(
        "import torch\n\ndef make():\n    return torch.nn.Linear(4, 1)\n"
    )
    (tmp_path / "mine/job.yaml").write_text(_JOB)
    with told(tmp_path, **ONE_TYPE) as story:
        submitted = story.command("job", "submit", "-f", str(tmp_path / "mine/job.yaml"), "-y")
        assert "code: 3 files" in submitted
        shutil.rmtree(tmp_path / "mine")
        story.daemon.kill()
        story.daemon.start()  # what was sent is durable
        job_id = str(story.daemon.get("/v1/jobs/sent")["id"])
        story.until(job_id, "a line", lambda: "] begins" in read_log(story, job_id))
        assert story.daemon.get(f"/v1/jobs/{job_id}")["finished_at_s"] is None, (
            "its log is seen while it runs"
        )
        job = story.daemon.until_phase(job_id, "succeeded", timeout_s=150.0)
        assert job["iteration"] == 60
        story.until(
            job_id, "its last line", lambda: "trained with what was sent" in read_log(story, job_id)
        )
        story.command("job", "outputs", "sent", "-o", str(tmp_path / "brought"))
        assert set(torch.load(tmp_path / "brought/final.pt", weights_only=True)) == {
            "weight",
            "bias",
        }
