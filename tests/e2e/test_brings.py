"""A job brings its packages, its data, its setup and its shell's key to nodes that have none of
them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import boto3
import pytest

from tests.agent.wheels import wheel
from tests.checkpoints.bucket import serve_s3
from tests.e2e.running import RunningDaemon, running_daemon

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]

_JOB = """\
name: brings
code: app
command: torchrun --nproc_per_node 1 --max_restarts 1 train.py --steps 40
requirements: requirements.txt
setup: [python -c "import greeting; print(greeting.WORD)" > app_built.txt]
data: s3://faces/small
env: [HUB_TOKEN, EPOCHS=3]
policy: {name: fixed, node_type: full}
"""
_TRAIN = """\
import os, sys
import greeting, torch
assert sys.argv[1:] == ["--steps", "40"] and os.environ["EPOCHS"] == "3"
pictures = sorted(os.listdir(os.environ["ELASTICD_DATA_DIR"]))
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(40):
    optimizer.zero_grad()
    model(torch.randn(8, 4)).sum().backward()
    optimizer.step()
print(greeting.WORD, pictures, open("app_built.txt").read().strip(), len(os.environ["HUB_TOKEN"]), flush=True)
"""


def elasticd(daemon: RunningDaemon, *words: str, **variables: str) -> str:
    done = daemon.elasticd(*words, **variables)
    return done.stdout + done.stderr


def test_everything_that_a_job_brings_is_there_when_its_workers_begin(tmp_path: Path) -> None:
    app = tmp_path / "mine/app"
    wheel(app / "wheels", "greeting", "WORD = 'hello'\n")
    (app / "train.py").write_text(_TRAIN)
    (tmp_path / "mine/requirements.txt").write_text(
        "./wheels/greeting-0.0.1-py3-none-any.whl\ntorch\n"
    )
    (tmp_path / "mine/job.yaml").write_text(_JOB)
    with serve_s3() as url:
        aws = {
            "AWS_ENDPOINT_URL": url,
            "AWS_ACCESS_KEY_ID": "x",
            "AWS_SECRET_ACCESS_KEY": "x",
            "PIP_NO_INDEX": "1",
        }
        client: Any = boto3.client(
            "s3",
            endpoint_url=url,
            region_name="us-east-1",
            aws_access_key_id="x",
            aws_secret_access_key="x",
        )
        client.create_bucket(Bucket="faces")
        for name in ("a.png", "b.png"):
            client.put_object(Bucket="faces", Key=f"small/{name}", Body=b"png")
        with running_daemon(tmp_path, environment=aws | {"AWS_REGION": "us-east-1"}) as daemon:
            told = elasticd(
                daemon,
                "job",
                "submit",
                "-f",
                str(tmp_path / "mine/job.yaml"),
                "-y",
                HUB_TOKEN="s3cret",
            )
            assert "submitted brings" in told
            job_id = str(daemon.get("/v1/jobs/brings")["id"])
            daemon.until_phase(job_id, "succeeded", timeout_s=150.0)
            logs = daemon.until(
                "the logs",
                lambda: "hello [" in (said := elasticd(daemon, "job", "logs", "brings")) and said,
            )
            assert "hello ['a.png', 'b.png'] hello 6" in logs
            events = [each["text"] for each in daemon.get("/v1/events", job=job_id)["items"]]
            assert any(each.startswith("installing 2 requirements, ") for each in events), events
            assert any(each.startswith("data: 6 B in 2 files are here after") for each in events), (
                events
            )
            (node,) = daemon.get("/v1/nodes", job=job_id, all=True)["items"]
            assert node["prepared_s"] > 0
            shown = elasticd(daemon, "job", "get", "brings", "-o", "json")
            assert "s3cret" not in shown + logs
            assert "(hidden)" in shown
