"""The images and the stack, really built and brought up: a job is trained on the lab's instances,
then all is gone."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from tests.deploy.engine import Engine
from tests.deploy.stack import ROOT, TRAIN, eventually, stack, trained

PROFILES = ("lab", "postgres", "prometheus", "grafana")


@pytest.mark.skipif(
    shutil.which("docker-compose") is None, reason="needs docker-compose (Debian: docker-compose)"
)
@pytest.mark.parametrize("profile", PROFILES)
def test_every_profile_is_understood(profile: str) -> None:
    command = ["docker-compose", "--profile", profile, "config", "--services"]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stderr
    assert profile in told.stdout.split()


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_a_job_is_trained_on_the_labs_instances_and_nothing_is_left(
    docker: Engine, images: None
) -> None:
    with stack(docker, "--env-file", "deploy/lab.env") as running, running.client() as client:
        running.within("elasticd", "sh", "-c", "cat >/srv/elasticd/train.py", stdin=TRAIN)
        asked = {
            "name": "small",
            "command": ["/srv/elasticd/train.py"],
            "policy": {"name": "fixed", "node_type": "c5.xlarge"},
        }
        job = trained(client, asked)
        assert (job["phase"], job["iteration"]) == ("succeeded", 60), job
        eventually("the machine is gone", lambda: not client.get("/v1/nodes")["items"])
        nodes = client.get("/v1/nodes", all=True)["items"]
        assert {each["offering"]["node_type"] for each in nodes} == {"c5.xlarge"}
        assert running.within("elasticd", "id", "-u").strip() == "10001"
