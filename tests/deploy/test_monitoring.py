"""What watches a daemon, against the real ones: Prometheus scrapes it, and each panel's query has
an answer."""

from __future__ import annotations

import json
import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest
import yaml

from tests.e2e.running import RunningDaemon, running_daemon

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
DASHBOARD = json.loads((DEPLOY / "grafana/dashboards/elasticd.json").read_text())
QUERIES = {
    f"{panel['title']}, {target['refId']}": target["expr"]
    for panel in DASHBOARD["panels"]
    for target in panel["targets"]
}
_TIMEOUT_S = 60.0
_SCRIPT = """\
import time
import torch
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3000):
    optimizer.zero_grad(); model(torch.randn(8, 4)).sum().backward(); optimizer.step()
    time.sleep(0.1)
"""
needs_prometheus = pytest.mark.skipif(
    shutil.which("prometheus") is None or shutil.which("promtool") is None,
    reason="needs Prometheus and promtool (Debian: apt-get install prometheus)",
)


@dataclass(frozen=True, slots=True)
class Prometheus:
    """A running server."""

    url: str

    def query(self, expression: str) -> list[Any]:
        answer = httpx2.get(f"{self.url}/api/v1/query", params={"query": expression}, timeout=10)
        body = answer.json()
        assert body["status"] == "success", f"{expression}: {body}"
        return list(body["data"]["result"])


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningDaemon]:
    """A daemon that trains a job with a budget."""
    folder = tmp_path_factory.mktemp("watched")
    with running_daemon(
        folder,
        {
            "ELASTICD_METRICS_TOKEN_FILE": str(folder / "metrics-token"),
            # As in a container: users are answered by HTTPS.
            "ELASTICD_HOST": "0.0.0.0",
        },
    ) as running:
        (folder / "train.py").write_text(_SCRIPT)
        job_id = running.submit(
            name="watched",
            command=[str(folder / "train.py")],
            objective={"maximize": "iterations_per_dollar", "budget_usd": 5},
        )
        running.until_iteration(job_id, 20)
        yield running


@pytest.fixture(scope="module")
def prometheus(
    daemon: RunningDaemon, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Prometheus]:
    """Prometheus with the deployed configuration, but for where the daemon is, where its token lies
    and the pace."""
    folder = tmp_path_factory.mktemp("prometheus")
    config = yaml.safe_load((DEPLOY / "prometheus/prometheus.yml").read_text())
    config["global"] = {"scrape_interval": "1s", "evaluation_interval": "1s"}
    (scrape,) = config["scrape_configs"]
    scrape["authorization"]["credentials_file"] = str(daemon.folder / "metrics-token")
    scrape["tls_config"]["ca_file"] = str(daemon.folder / "certificate.pem")
    with daemon.client() as client:
        scrape["static_configs"] = [{"targets": [urlsplit(client.url).netloc]}]
    shutil.copy(DEPLOY / "prometheus/alerts.yml", folder)
    (folder / "prometheus.yml").write_text(yaml.safe_dump(config))
    with socket.create_server(("127.0.0.1", 0)) as probe:
        address = f"127.0.0.1:{probe.getsockname()[1]}"
    command: list[str | Path] = [
        "prometheus",
        "--config.file",
        folder / "prometheus.yml",
        "--storage.tsdb.path",
        folder / "data",
    ]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [*command, f"--web.listen-address={address}"], stdout=log, stderr=log
        )
    try:
        server = Prometheus(f"http://{address}")
        eventually(lambda: server.query('up{job="elasticd"} == 1'), "the daemon is scraped")
        yield server
    finally:
        process.terminate()
        process.wait(30)


def eventually(is_so: Callable[[], Any], what: str) -> None:
    until_s = time.monotonic() + _TIMEOUT_S
    while time.monotonic() < until_s:
        try:
            if is_so():
                return
        except (httpx2.TransportError, json.JSONDecodeError):
            pass  # not there yet, or says in plain words that it is not ready
        time.sleep(0.5)
    raise AssertionError(f"not within {_TIMEOUT_S:.0f} s: {what}")


@needs_prometheus
def test_prometheus_takes_the_configuration_and_the_rules() -> None:
    for command in (["config", "--syntax-only", "prometheus.yml"], ["rules", "alerts.yml"]):
        checked = subprocess.run(
            ["promtool", "check", *command],
            cwd=DEPLOY / "prometheus",
            capture_output=True,
            text=True,
            check=False,
        )
        assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.mark.slow
@pytest.mark.timeout(300)
@needs_prometheus
@pytest.mark.parametrize("name", QUERIES)
def test_each_query_of_the_dashboard_has_an_answer(prometheus: Prometheus, name: str) -> None:
    expression = QUERIES[name].replace("$job", ".*")
    eventually(lambda: prometheus.query(expression), f"an answer to {expression}")


@pytest.mark.slow
@pytest.mark.timeout(300)
@needs_prometheus
def test_each_alert_is_evaluated_and_none_fires_while_all_is_well(prometheus: Prometheus) -> None:
    def states() -> dict[str, str]:
        answer = httpx2.get(f"{prometheus.url}/api/v1/rules", timeout=10).json()
        return {
            rule["name"]: rule["state"]
            for group in answer["data"]["groups"]
            for rule in group["rules"]
        }

    # A rule that was evaluated before the first scrape found no daemon; the next evaluation finds
    # it.
    eventually(lambda: set(states().values()) == {"inactive"}, "no alert stands")
    alarms = {
        "ElasticdLeaderLeaseLost",
        "ElasticdCannotSeeMachines",
        "ElasticdLeasesWithheld",
        "ElasticdOrphanFound",
    }
    assert alarms <= states().keys()


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_token_of_the_metrics_opens_nothing_else(daemon: RunningDaemon) -> None:
    token = (daemon.folder / "metrics-token").read_text()
    with daemon.client() as client:
        url = client.url
    headers = {"Authorization": f"Bearer {token}"}
    trust = ssl.create_default_context(cafile=str(daemon.folder / "certificate.pem"))
    with httpx2.Client(base_url=url, verify=trust) as stranger:
        assert stranger.get("/metrics", headers=headers).status_code == 200
        assert stranger.get("/v1/jobs", headers=headers).status_code == 401
        assert stranger.get("/metrics").status_code == 401
