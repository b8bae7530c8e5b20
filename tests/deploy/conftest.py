"""One engine and one build of the images for all tests of the containers."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator

import pytest

from tests.deploy.engine import Engine, engine
from tests.deploy.packages import build_arguments, certificates
from tests.deploy.stack import ROOT

BASE = "python:3.11-slim-bookworm"


@pytest.fixture(scope="package")
def docker() -> Iterator[Engine]:
    with engine() as running:
        yield running


@pytest.fixture(scope="package")
def images(docker: Engine, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The daemon's image and the lab's, built from what git would commit; the base is made here,
    not fetched."""
    docker.import_debian(BASE, packages=("python3-venv", "ca-certificates"))
    context = tmp_path_factory.mktemp("context")
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, check=True
    )
    for name in filter(lambda name: (ROOT / name).is_file(), listed.stdout.decode().splitlines()):
        (context / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, context / name)
    if (trusted := certificates()) is not None:
        shutil.copy(trusted, context / "deploy/certificates/this-machine.crt")
    with build_arguments() as given:
        arguments = [
            word for name, value in given.items() for word in ("--build-arg", f"{name}={value}")
        ]
        for target, name in (("daemon", "elasticd"), ("lab", "elasticd:lab")):
            docker.run(
                "docker",
                "build",
                "--network=host",
                *arguments,
                "--target",
                target,
                "--tag",
                name,
                context,
            )
