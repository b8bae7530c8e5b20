"""What users run: a bare machine installs elasticd and torch by the default bootstrap, joins, and
trains."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from elastic_lab import parse_scenario, running_lab
from tests.e2e.cloud_story import Story, make_bucket_and_role
from tests.e2e.package_index import Index, gather, serving
from tests.e2e.running import running_daemon

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

_TYPE = {"c5.xlarge": {"on_demand_usd_per_h": 0.17}}
_CONFIG = """
tick_s = 1.0
heartbeat_s = 0.5
checkpoint_root = "s3://story/elasticd"

[ec2]
cluster = "bare"
capacities = ["on-demand"]
instance_profile = "node"
usd_per_gib_received = 0.045
"""
_TRAIN = """\
import torch
from elastic.worker import finished, paramount
print("trained with torch", torch.__version__, flush=True)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for iteration in range(1, 6):
    optimizer.zero_grad()
    model(torch.randn(8, 4)).sum().backward()
    optimizer.step()
    paramount(iteration)
finished(5)
"""
_JOB = "name: {name}\ncode: app\ncommand: [train.py]\n"
_PACKAGES = ("cloud-init", "python3", "python3-venv")


@pytest.fixture(scope="module")
def debian(pytestconfig: pytest.Config) -> Path:
    """The root file system of a small Debian with cloud-init, and nothing of elasticd; made
    once."""
    if os.geteuid() != 0 or shutil.which("mmdebstrap") is None:
        pytest.skip(
            "a root file system of its own needs root, and mmdebstrap (Debian: apt-get install "
            "mmdebstrap)"
        )
    assert pytestconfig.cache is not None
    folder = pytestconfig.cache.mkdir("debian")
    made, root = folder / "made", folder / "root"
    if not made.exists():
        shutil.rmtree(root, ignore_errors=True)
        include = f"--include={','.join(_PACKAGES)}"
        command = ["mmdebstrap", "--quiet", "--variant=minbase", include, "bookworm", str(root)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        if done.returncode != 0:
            pytest.skip(
                f"mmdebstrap makes no root file system here: {done.stderr.strip().splitlines()[-1]}"
            )
        made.touch()
    return root


@pytest.fixture(scope="module")
def wheels(pytestconfig: pytest.Config, debian: Path) -> Path:
    """What a node installs, as wheels for that Debian's Python."""
    told = subprocess.run(
        ["chroot", str(debian), "python3", "-V"], capture_output=True, text=True, check=True
    ).stdout
    version = ".".join(told.split()[1].split(".")[:2])
    assert pytestconfig.cache is not None
    folder = pytestconfig.cache.mkdir(f"wheels-{version}")
    gather(folder, python_version=version)
    return folder


@contextmanager
def bare_machines(folder: Path, *, root: Path, wheels: Path) -> Iterator[tuple[Story, Index]]:
    """A cloud whose machines boot that root, and a daemon with the default bootstrap and an index
    of its own."""
    scenario = {
        "machines": "namespaces",
        "user_data": "cloud-init",
        "root": str(root),
        "node_types": _TYPE,
    }
    with (
        running_lab(parse_scenario(scenario)) as lab,
        serving(wheels, folder / "index", address=lab.gateway) as index,
    ):
        make_bucket_and_role(lab)
        environment = {
            name: value
            for name, value in lab.environment().items()
            if not name.endswith("BOOTSTRAP")
        }
        environment |= {"ELASTICD_PROVIDER": "ec2", "ELASTICD_EC2__PACKAGE_INDEX": index.url}
        with running_daemon(folder, environment, config=_CONFIG) as daemon:
            yield Story(lab, daemon), index


def submit(story: Story, folder: Path, name: str) -> str:
    """Submits a job that brings its script along; gives its id."""
    (folder / "app").mkdir(exist_ok=True)
    (folder / "app/train.py").write_text(_TRAIN)
    (folder / "job.yaml").write_text(_JOB.format(name=name))
    story.command("job", "submit", "-f", str(folder / "job.yaml"), "-y")
    return str(story.daemon.get(f"/v1/jobs/{name}")["id"])


def test_a_bare_machine_installs_what_it_needs_trains_and_what_that_took_is_counted_in_the_next_purchase(
    tmp_path: Path, debian: Path, wheels: Path
) -> None:
    with bare_machines(tmp_path, root=debian, wheels=wheels) as (story, index):
        first = submit(story, tmp_path, "first")
        joined = story.until(
            first, "the node joins", lambda: [n for n in story.nodes(first) if n["joined_at_s"]]
        )
        story.until(
            first,
            "it is over",
            lambda: story.daemon.get(f"/v1/jobs/{first}")["finished_at_s"],
            timeout_s=120.0,
        )
        assert story.daemon.get(f"/v1/jobs/{first}")["phase"] == "succeeded", story.tell(first)
        last_line = "trained with torch 2."
        story.until(
            first, "its last line", lambda: last_line in story.command("job", "logs", "first")
        )

        (node,) = joined
        boot_s = node["joined_at_s"] - node["launched_at_s"]
        torch_bytes = max(each.stat().st_size for each in wheels.glob("torch-*.whl"))
        assert node["image"].startswith("ami-")
        assert 0 < node["setup"]["elapsed_s"] < boot_s
        assert torch_bytes < node["setup"]["received_bytes"] < 3 * torch_bytes
        print(f"boot {boot_s:.1f} s, set-up {node['setup']}")

        assert any(each.startswith("torch-") for each in index.fetched)
        assert [
            each for each in index.fetched if each.startswith(("nvidia", "triton", "cuda"))
        ] == []

        second = submit(story, tmp_path, "second")
        decision = story.until(
            second, "it is decided", lambda: story.daemon.get("/v1/decisions", job=second)["items"]
        )
        numbers = story.daemon.get(f"/v1/decisions/{decision[-1]['id']}")["plan"]["reason"][
            "numbers"
        ]
        assert numbers["boot_s"] == pytest.approx(boot_s, abs=0.1)
        assert numbers["fetch_usd"] == pytest.approx(
            node["setup"]["received_bytes"] / 2**30 * 0.045
        )
        story.stop(second)
        story.daemon.until("no instance runs", lambda: not story.lab.running(), timeout_s=60)
