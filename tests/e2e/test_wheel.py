"""What a node installs: pip takes the wheel of a daemon that runs, and what it holds is an agent that starts."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from elastic.distribution import own_wheel
from elastic.providers.ec2.user_data import DEFAULT_BOOTSTRAP, wheel_url
from tests.e2e.running import RunningDaemon, lab_left_empty, running_daemon

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

_CONFIG = """
checkpoint_root = "/shared"

[ec2]
cluster = "installing"
types = ["c5.large"]
"""


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningDaemon]:
    scenario = {"machines": "none", "node_types": {"c5.large": {"on_demand_usd_per_h": 0.085}}}
    with lab_left_empty(scenario) as lab:
        environment = {name: value for name, value in lab.environment().items() if not name.endswith("BOOTSTRAP")}
        folder = tmp_path_factory.mktemp("daemon")
        with running_daemon(folder, {**environment, "ELASTICD_PROVIDER": "ec2"}, config=_CONFIG) as running:
            yield running


def ask_pip(daemon: RunningDaemon, folder: Path, *, wrong: bool = False) -> subprocess.CompletedProcess[str]:
    """Runs the line by which a node installs, but into a folder and without what elasticd needs."""
    with daemon.client() as client:
        wheel = wheel_url(own_wheel(), daemon_url=client.url)
    (line,) = (each for each in DEFAULT_BOOTSTRAP.splitlines() if "pip install" in each)
    there = f"{sys.executable} -m pip --disable-pip-version-check"
    line = f"{line} --no-deps --target {folder}".replace("/opt/elasticd/bin/pip", there).replace("--quiet", "")
    if wrong:
        wheel = wheel.replace("#sha256=", "#sha256=0")[:-1]
    plain = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")} | {
        "ELASTICD_WHEEL": wheel
    }
    return subprocess.run(["sh", "-euc", line], env=plain, capture_output=True, text=True, timeout=120, check=False)


def test_pip_installs_it_over_plain_http_and_its_agent_starts(daemon: RunningDaemon, tmp_path: Path) -> None:
    done = ask_pip(daemon, tmp_path / "there")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Successfully installed elasticd" in done.stdout
    assert "trusted" not in done.stderr
    config = tmp_path / "agent.json"
    config.write_text("{}")
    config.chmod(0o644)
    agent = subprocess.run(
        [sys.executable, "-m", "elastic.agent", "--config", config],
        env={**os.environ, "PYTHONPATH": str(tmp_path / "there")},
        cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert agent.returncode == 2, agent.stderr
    assert "agent.json" in agent.stderr


def test_pip_refuses_what_has_another_sum(daemon: RunningDaemon, tmp_path: Path) -> None:
    done = ask_pip(daemon, tmp_path / "there", wrong=True)
    assert done.returncode != 0
    assert "DO NOT MATCH THE HASHES" in done.stderr
    assert not (tmp_path / "there").exists()
