"""What other users of a machine learn of a job, and what they can do to it: a real daemon and node
in both modes, attacked at every port while they train."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from elastic.rendezvous import place_of
from tests.certificates import pem
from tests.e2e.running import RunningDaemon, running_daemon
from tests.e2e.sessions import SCRIPT
from tests.rendezvous.stranger import ANOTHER, PLAIN, WITHOUT, attack

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

RESTARTED = """
import time, torch, torch.distributed as dist
dist.init_process_group("gloo")
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(100_000):
    optimizer.zero_grad(); model(torch.randn(8, 4)).sum().backward(); optimizer.step()
    time.sleep(0.02)
"""


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[RunningDaemon]:
    with running_daemon(tmp_path) as running:
        yield running


@pytest.fixture
def mark() -> Iterator[Path]:
    """What code of a stranger would make; any user may."""
    folder = Path(tempfile.mkdtemp(prefix="attack-"))
    folder.chmod(0o777)
    yield folder / "ran"
    shutil.rmtree(folder)


@pytest.mark.parametrize("mode", ["restart", "live"])
def test_strangers_see_no_job_run_no_code_and_disturb_nothing(
    daemon: RunningDaemon, tmp_path: Path, mark: Path, mode: str
) -> None:
    script = tmp_path / "train.py"
    script.write_text(RESTARTED if mode == "restart" else SCRIPT.read_text())
    job_id = daemon.submit(
        name="target",
        command=[str(script), "100000", "0.02"] if mode == "live" else [str(script)],
        mode=mode,
        iterations=100_000,
        global_batch=12,
        policy={"name": "fixed", "node_type": "full"},
    )
    reached = daemon.until_iteration(job_id, 5)
    store = (daemon.data / "jobs" / job_id / "rendezvous" / "ready").read_text().strip()
    _, port = place_of(store)
    shown = [" ".join(each.cmdline()) for each in daemon.processes()]
    assert any("elastic.rendezvous" in line for line in shown)
    assert [line for line in shown if job_id in line or str(port) in line] == []
    key = (daemon.data / "local").rglob("certificate.pem")
    assert [oct(each.stat().st_mode & 0o777) for each in key] == ["0o600"]
    ports = _ports(daemon)
    assert port in ports and len(ports) > 1
    for proof, own in ((PLAIN, ""), (WITHOUT, ""), (ANOTHER, pem("another"))):
        attack(ports, proof, job=job_id, rdzv_id=f"{job_id}-g1", mark=mark, key=own)
    assert daemon.until_iteration(job_id, reached + 50) > reached
    assert not mark.exists()
    job = daemon.get(f"/v1/jobs/{job_id}")
    assert job["phase"] == "running"
    nodes = daemon.get("/v1/nodes", job=job_id)["items"]
    assert len(nodes) == 1, "no node was lost"
    with daemon.client() as client:
        client.post(f"/v1/jobs/{job_id}:stop")
    daemon.until_phase(job_id, "cancelled")
    assert not mark.exists()


def _ports(daemon: RunningDaemon) -> list[int]:
    """Where anything of this daemon listens: it, its stores, its nodes and their workers."""
    found = set()
    for process in daemon.processes():
        with suppress(psutil.Error):
            found |= {
                each.laddr.port
                for each in process.net_connections(kind="tcp")
                if each.status == psutil.CONN_LISTEN
            }
    return sorted(found)
