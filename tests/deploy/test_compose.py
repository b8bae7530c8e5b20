"""The images and the stack, really built and brought up: a job is trained on the lab's instances, then all is gone."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from elastic.cli.client import Client
from elastic.errors import ElasticError
from tests.deploy.engine import Engine, engine
from tests.deploy.packages import build_arguments, certificates

ROOT = Path(__file__).resolve().parents[2]
BASE = "python:3.11-slim-bookworm"
PORT = "18470"
PROFILES = ("lab", "postgres", "prometheus", "grafana")
_SCRIPT = """\
import time
import torch
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(60):
    optimizer.zero_grad(); model(torch.randn(8, 4)).sum().backward(); optimizer.step()
    time.sleep(0.1)
"""


@pytest.fixture(scope="module")
def docker() -> Iterator[Engine]:
    with engine() as running:
        yield running


@pytest.fixture(scope="module")
def images(docker: Engine, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The daemon's image and the lab's, built from what git would commit; the base is made here, not fetched."""
    docker.import_base(BASE)
    context = tmp_path_factory.mktemp("context")
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, check=True)
    for name in filter(lambda name: (ROOT / name).is_file(), listed.stdout.decode().splitlines()):
        (context / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, context / name)
    if (trusted := certificates()) is not None:
        shutil.copy(trusted, context / "deploy/certificates/this-machine.crt")
    with build_arguments() as given:
        arguments = [word for name, value in given.items() for word in ("--build-arg", f"{name}={value}")]
        for target, name in (("daemon", "elasticd"), ("lab", "elasticd:lab")):
            docker.run("docker", "build", "--network=host", *arguments, "--target", target, "--tag", name, context)


def compose(docker: Engine, *words: str, stdin: str | None = None) -> str:
    stack = ["docker-compose", "-p", "elasticd-test", "--env-file", "deploy/lab.env"]
    return docker.run("env", "-C", ROOT, f"ELASTICD_PUBLISHED_PORT={PORT}", *stack, *words, stdin=stdin)


@pytest.fixture
def stack(docker: Engine, images: None) -> Iterator[Engine]:
    compose(docker, "up", "-d", "--no-build")
    try:
        yield docker
    finally:
        print(compose(docker, "logs", "--tail=60"))
        compose(docker, "down", "--volumes", "--timeout", "20")
        assert docker.run("docker", "ps", "--all", "--quiet") == ""


def eventually(what: str, ask: Any, *, within_s: float = 120.0) -> Any:
    until_s = time.monotonic() + within_s
    while time.monotonic() < until_s:
        with suppress(ElasticError, OSError, AssertionError):
            if found := ask():
                return found
        time.sleep(1)
    raise AssertionError(f"not within {within_s:.0f} s: {what}")


@pytest.mark.skipif(shutil.which("docker-compose") is None, reason="needs docker-compose (Debian: docker-compose)")
@pytest.mark.parametrize("profile", PROFILES)
def test_every_profile_is_understood(profile: str) -> None:
    command = ["docker-compose", "--profile", profile, "config", "--services"]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stderr
    assert profile in told.stdout.split()


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_a_job_is_trained_on_the_labs_instances_and_nothing_is_left(stack: Engine) -> None:
    token = eventually("the token", lambda: compose(stack, "exec", "-T", "elasticd", "elasticd", "token", "show"))
    compose(stack, "exec", "-T", "elasticd", "sh", "-c", "cat >/srv/elasticd/train.py", stdin=_SCRIPT)
    with Client(url=f"http://127.0.0.1:{PORT}", token=token.strip()) as client:
        asked = {
            "name": "small",
            "command": ["/srv/elasticd/train.py"],
            "policy": {"name": "fixed", "node_type": "c5.xlarge"},
        }
        eventually("the job is taken", lambda: client.post("/v1/jobs", body=asked))

        def ended() -> Any:
            job = client.get("/v1/jobs/small")
            return job if job["phase"] in {"succeeded", "failed"} else None

        job = eventually("the job ends", ended, within_s=240)
        assert (job["phase"], job["iteration"]) == ("succeeded", 60), job
        eventually("the machine is gone", lambda: not client.get("/v1/nodes")["items"])
        nodes = client.get("/v1/nodes", all=True)["items"]
        assert {each["offering"]["node_type"] for each in nodes} == {"c5.xlarge"}
    assert stack.run("docker", "exec", "elasticd-test_elasticd_1", "id", "-u").strip() == "10001"
