"""A job that fails is told to its owner: a real daemon, a real node, a real webhook."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.running import RunningDaemon, running_daemon
from tests.notify.receivers import Webhook, running_webhook

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]

FAILING = """
import torch
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for turn in range(40):
    optimizer.zero_grad(); model(torch.randn(8, 4)).sum().backward(); optimizer.step()
raise ValueError("no such file as last night")
"""
SOON_S = 30.0


@pytest.fixture
def webhook() -> Iterator[Webhook]:
    with running_webhook() as running:
        yield running


@pytest.fixture
def daemon(tmp_path: Path, webhook: Webhook) -> Iterator[RunningDaemon]:
    address = tmp_path / "address"
    address.write_text(webhook.address + "\n")
    (tmp_path / "failing.py").write_text(FAILING)
    environment = {"ELASTICD_NOTIFY__TO__ME": f"file:{address}"}
    with running_daemon(tmp_path, environment=environment) as running:
        yield running


def test_a_failing_job_is_told_of_soon_with_its_last_lines_and_its_dollars(
    daemon: RunningDaemon, webhook: Webhook, tmp_path: Path
) -> None:
    tried = daemon.elasticd("notify", "test")
    assert (tried.returncode, tried.stdout) == (0, "me: taken\n")
    job_id = daemon.submit(name="night", command=[str(tmp_path / "failing.py")])
    daemon.until_phase(job_id, "failed")
    ended_s = daemon.get(f"/v1/jobs/{job_id}")["finished_at_s"]
    daemon.until("the message comes", lambda: "job night failed" in webhook.titles)
    assert time.time() - ended_s < SOON_S
    # The daemon that is started again looks again, and has nothing more to say.
    daemon.kill()
    daemon.start()
    time.sleep(12.0)
    message = webhook.taken[webhook.titles.index("job night failed")]["message"]
    assert "ValueError: no such file as last night" in message
    spent = daemon.get(f"/v1/jobs/{job_id}")["spent_usd"]
    assert spent > 0 and "spent, " in message
    with daemon.client() as client:
        assert message.endswith(f"\n\n{client.url}/jobs/{job_id}"), "where people find its pages"
    assert webhook.titles.count("job night failed") == 1
    listed = daemon.elasticd("notify", "ls")
    assert "sent" in listed.stdout and "job night failed" in listed.stdout
    assert "T0K3N" not in listed.stdout + daemon.log
