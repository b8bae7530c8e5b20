"""What users run: a bare host installs elasticd and torch below its home folder, joins, and
trains."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.e2e.package_index import gather, serving
from tests.e2e.running import running_daemon
from tests.providers.ssh_hosts import running_hosts, skip_where_there_is_no_sshd

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

_CONFIG = """
tick_s = 1.0
heartbeat_s = 0.5
provider = "ssh"
host = "{address}"
checkpoint_root = "{folder}/jobs"

[ssh]
hosts = [{{name = "desk-a", usd_per_h = 0}}]
config_file = "{config}"
package_index = "{index}"
"""
_TRAIN = """\
import torch
print("trained with torch", torch.__version__, flush=True)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(20):
    optimizer.zero_grad(); model(torch.randn(8, 4)).sum().backward(); optimizer.step()
"""


@pytest.fixture(scope="module")
def wheels(pytestconfig: pytest.Config) -> Path:
    """What a host installs, as wheels for the Python that it has."""
    skip_where_there_is_no_sshd()
    look = "import ensurepip, sys, venv; print('%d.%d' % sys.version_info[:2])"
    done = subprocess.run(
        ["/usr/bin/python3", "-c", look], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        pytest.skip("hosts need a Python with venv (Debian: apt-get install python3-venv)")
    version = done.stdout.strip()
    assert pytestconfig.cache is not None
    folder = pytestconfig.cache.mkdir(f"wheels-{version}")
    gather(folder, python_version=version)
    return folder


def test_a_bare_host_installs_what_it_needs_once_and_trains_for_nothing(
    tmp_path: Path, wheels: Path
) -> None:
    (tmp_path / "estate").mkdir()
    with (
        running_hosts(tmp_path / "estate", 1) as estate,
        serving(wheels, tmp_path / "index", address=estate.address) as index,
    ):
        config = _CONFIG.format(
            address=estate.address, folder=tmp_path, config=estate.config, index=index.url
        )
        (tmp_path / "app").mkdir()
        (tmp_path / "app/train.py").write_text(_TRAIN)
        with running_daemon(tmp_path, config=config) as daemon:
            found = []
            for name in ("first", "second"):
                (tmp_path / "job.yaml").write_text(f"name: {name}\ncode: app\ncommand: train.py\n")
                done = daemon.elasticd("job", "submit", "-f", str(tmp_path / "job.yaml"), "-y")
                assert done.returncode == 0, done.stderr
                job_id = daemon.get(f"/v1/jobs/{name}")["id"]
                daemon.until_phase(job_id, "succeeded", timeout_s=400)
                (node,) = daemon.get("/v1/nodes", job=job_id, all=True)["items"]
                found.append(node["setup"])
                assert daemon.get("/v1/ledger", job=job_id)["total_usd"] < 0.000001
            first, second = found
            assert first["elapsed_s"] > 2 * second["elapsed_s"]
            assert second["received_bytes"] < 1_000_000 < first["received_bytes"]
            assert any(each.startswith("torch-") for each in index.fetched)
        environment = next((estate.host("desk-a").root / "env").glob("*/elasticd-done"))
        assert environment.exists()
