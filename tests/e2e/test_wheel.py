"""What a node installs: uv takes the wheel of a daemon that runs, and what it holds is an agent
that starts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from elastic.distribution import own_wheel
from elastic.providers.ec2 import DEFAULT_BOOTSTRAP, user_data, wheel_url
from tests.e2e.running import RunningDaemon, lab_left_empty, running_daemon

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

_CONFIG = """
checkpoint_root = "/shared"

[ec2]
cluster = "installing"
types = ["c5.large"]
"""


# The line before which the wheel is fetched, or has failed to be.
FETCHED = '  if [ -z "$ELASTICD_WHEEL" ]'


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningDaemon]:
    scenario = {"machines": "none", "node_types": {"c5.large": {"on_demand_usd_per_h": 0.085}}}
    with lab_left_empty(scenario) as lab:
        environment = {
            name: value
            for name, value in lab.environment().items()
            if not name.endswith("BOOTSTRAP")
        }
        folder = tmp_path_factory.mktemp("daemon")
        with running_daemon(
            folder, {**environment, "ELASTICD_PROVIDER": "ec2"}, config=_CONFIG
        ) as running:
            yield running


def ask_uv(
    daemon: RunningDaemon, folder: Path, *, wrong: bool = False
) -> subprocess.CompletedProcess[str]:
    """Runs the lines by which a node fetches the wheel and installs it, but into a folder and
    without what elasticd needs."""
    there = folder.parent
    url = json.loads((daemon.data / "daemon.json").read_text())["node_url"]
    wheel = wheel_url(own_wheel(), daemon_url=url)
    if wrong:
        wheel = wheel.replace("#sha256=", "#sha256=0")[:-1]
    given = {
        "daemon_url": url,
        "daemon_certificate": (daemon.data / "certificate.pem").read_text(),
    }
    (there / "given.json").write_text(json.dumps(given))
    boot = user_data(given, bootstrap="true", wheel=wheel, lease_s=600).decode()
    fetch = boot[boot.index("ELASTICD_WHEEL=") : boot.index(FETCHED)] + "fi"
    lines = DEFAULT_BOOTSTRAP[
        DEFAULT_BOOTSTRAP.index("TMPDIR=") : DEFAULT_BOOTSTRAP.index("export PATH")
    ].strip()
    lines = f"{lines} --no-deps --target {folder}".replace(
        "/opt/elasticd/bin/uv", f"{sys.executable} -m uv"
    )
    lines = lines.replace("--quiet", "").replace(
        "--python /opt/elasticd", f"--python {sys.executable}"
    )
    return subprocess.run(
        ["sh", "-euc", f"dir={there}\n{fetch}\n{lines}"],
        cwd=there,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_uv_installs_what_the_daemon_gave_by_tls_and_its_agent_starts(
    daemon: RunningDaemon, tmp_path: Path
) -> None:
    done = ask_uv(daemon, tmp_path / "there")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "+ elasticd==" in done.stderr
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


def test_uv_refuses_what_has_another_sum(daemon: RunningDaemon, tmp_path: Path) -> None:
    done = ask_uv(daemon, tmp_path / "there", wrong=True)
    assert done.returncode != 0
    assert "Hash mismatch" in done.stderr
    assert not (tmp_path / "there/elastic").exists()
