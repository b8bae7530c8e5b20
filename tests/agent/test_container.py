"""The command that runs a program in an image, and what starts it."""

from __future__ import annotations

import csv
import doctest
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from elastic.agent import AgentSettings, container
from elastic.agent.commands import gist
from elastic.agent.container import (
    Container,
    Mount,
    OwnLimits,
    User,
    container_name,
    leftovers_command,
    run_command,
)
from elastic.agent.launcher import Launcher
from elastic.agent.own_limits import own_limits
from elastic.agent.preparing import Outfit
from elastic.engines import Engine
from tests.docs.pages import ROOT

_BOX = Container(
    engine=Engine.DOCKER,
    image="me/train:1",
    node="node-1@desk-a",
    package=Path("/opt/elasticd"),
    mounts=(
        Mount(Path("/n/work")),
        Mount(Path("/n/work/jobs")),
        Mount(Path("/n/cache"), is_read_only=True),
        Mount(Path("/a,b")),
    ),
    user=User(1000, 100, (100, 44)),
)


def command(box: Container = _BOX) -> list[str]:
    return run_command(
        box, ["-V"], variables=["TOKEN", "A"], home=Path("/n/h"), cwd=Path("/n/work"), name="c"
    )


def test_the_examples_hold() -> None:
    assert doctest.testmod(container).failed == 0


def test_workers_share_the_nodes_network_processes_and_memory_and_own_their_files() -> None:
    words = command()
    assert {"--network=host", "--pid=host", "--ipc=host", "--user=1000:100"} <= set(words)
    assert {"--group-add=100", "--group-add=44"} <= set(words)
    assert "--workdir=/n/work" in words


def test_a_variable_is_named_and_its_value_is_nowhere() -> None:
    assert [word for word in command() if word.startswith("--env")] == [
        "--env=A",
        "--env=TOKEN",
        "--env=HOME=/n/h",
        "--env=USER=elasticd",
        "--env=LOGNAME=elasticd",
    ]


def test_folders_are_mounted_once_at_their_own_paths_and_elasticd_cannot_be_written() -> None:
    mounts = [word.removeprefix("--mount=") for word in command() if word.startswith("--mount=")]
    fields = [next(csv.reader([each])) for each in mounts]
    assert fields == [
        ["type=bind", "source=/a,b", "target=/a,b"],
        ["type=bind", "source=/n/cache", "target=/n/cache", "readonly"],
        ["type=bind", "source=/n/work", "target=/n/work"],
        ["type=bind", "source=/opt/elasticd/elastic", "target=/opt/elasticd/elastic", "readonly"],
    ]


def test_the_image_comes_before_what_runs_in_it_and_is_never_pulled_by_the_way() -> None:
    words = command()
    at = words.index("me/train:1")
    assert "--pull=never" in words[:at]
    assert words[at + 1] == "-c"
    assert words[at + 3 :] == ["/opt/elasticd", "-V"]


def test_a_node_with_gpus_gives_all_of_them_in_the_engines_own_way() -> None:
    box = replace(_BOX, has_gpus=True)
    assert "--gpus=all" in command(box)
    assert "--device=nvidia.com/gpu=all" in command(replace(box, engine=Engine.PODMAN))
    assert not [word for word in command() if "gpu" in word]


def test_podman_keeps_the_user_where_it_is_not_root() -> None:
    box = replace(_BOX, engine=Engine.PODMAN)
    assert "--userns=keep-id" in command(box)
    assert "--userns=keep-id" not in command(replace(box, user=User(0, 0)))


def test_the_agents_own_limits_hold_in_its_containers() -> None:
    limits = OwnLimits(cpus=0.5, memory_bytes=1 << 30, cores=(0, 2))
    words = command(replace(_BOX, limits=limits))
    assert {"--cpus=0.500", f"--memory={1 << 30}", "--cpuset-cpus=0,2"} <= set(words)


def test_containers_have_names_of_their_own_and_one_label_by_which_they_are_found() -> None:
    names = {container_name(_BOX) for _ in range(3)}
    assert len(names) == 3
    assert all(name.startswith("elasticd-node-1-desk-a-") for name in names)
    assert "--label=elasticd.node=node-1@desk-a" in command()
    assert leftovers_command(Engine.DOCKER, _BOX.node)[-1] == (
        "--filter=label=elasticd.node=node-1@desk-a"
    )


@pytest.mark.parametrize("version", [1, 2])
def test_the_smallest_limit_of_all_groups_above_counts(tmp_path: Path, version: int) -> None:
    cpu, memory = tmp_path / "cpu", tmp_path / "memory"
    lines = "4:cpu,cpuacct:/job/step\n3:memory:/job/step\n"
    mounts = f"cgroup {cpu} cgroup rw,cpu,cpuacct 0 0\ncgroup {memory} cgroup rw,memory 0 0\n"
    files = {
        cpu / "job/step/cpu.cfs_quota_us": "-1",
        cpu / "job/cpu.cfs_quota_us": "10000",
        cpu / "job/cpu.cfs_period_us": "20000",
        memory / "job/memory.limit_in_bytes": "4096",
        memory / "memory.limit_in_bytes": "9223372036854771712",
    }
    if version == 2:
        lines = "0::/job/step\n"
        mounts = f"cgroup2 {cpu} cgroup2 rw,nosuid 0 0\n"
        files = {
            cpu / "job/step/cpu.max": "max 100000",
            cpu / "job/cpu.max": "10000 20000",
            cpu / "job/step/memory.max": "max",
            cpu / "job/memory.max": "4096",
        }
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n")
    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "proc/self/cgroup").write_text(lines)
    (tmp_path / "proc/self/mounts").write_text(mounts)
    found = own_limits(tmp_path / "proc")
    assert (found.cpus, found.memory_bytes) == (0.5, 4096)


def test_the_engines_error_is_said_and_not_where_its_help_is() -> None:
    said = (
        'docker: Error response from daemon: could not select device driver "" with '
        "capabilities: [[gpu]].\nSee 'docker run --help'.\n"
    )
    assert gist(said).endswith("with capabilities: [[gpu]].")


BARE = """
import importlib, sys

class OnlyTorch:
    def find_spec(self, name, *_):
        if name.partition(".")[0] in {missing}:
            raise ModuleNotFoundError(f"No module named {{name!r}}")

sys.meta_path.insert(0, OnlyTorch())
for module in ("elastic.agent.spawner", "elastic.worker.begin", "elastic.workloads.torchrun"):
    importlib.import_module(module)
"""


def test_what_runs_in_a_container_needs_no_package_but_torch() -> None:
    missing = (
        "alembic",
        "boto3",
        "fastapi",
        "httpx",
        "pydantic",
        "sqlalchemy",
        "structlog",
        "yaml",
    )
    subprocess.run(
        [sys.executable, "-c", BARE.format(missing=missing)], cwd=ROOT, check=True, timeout=120
    )


# It answers from the third question on, and runs nothing but time.
_ENGINE = """\
#!/bin/sh
echo $1 >> {asked}
case $1 in
  version) [ $(grep -c version {asked}) -ge 3 ] ;;
  run) exec sleep 60 ;;
esac
"""


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What the engine was asked, one word a line."""
    asked = tmp_path / "asked"
    asked.touch()
    engine = tmp_path / "bin/docker"
    engine.parent.mkdir()
    engine.write_text(_ENGINE.format(asked=asked))
    engine.chmod(0o755)
    monkeypatch.setenv("PATH", f"{engine.parent}:{os.environ['PATH']}")
    return asked


@pytest.fixture
def launcher(settings: AgentSettings, asked: Path) -> Iterator[Launcher]:
    made = Launcher(settings)
    box = Container(Engine.DOCKER, "me/train:1", "n1", Path("/opt"), (), User(0, 0))
    made.equip(Outfit("python3", {}, container=box))
    yield made
    made.close()


def until_asked(asked: Path, word: str, count: int = 1) -> list[str]:
    until_s = time.monotonic() + 10
    while (words := asked.read_text().split()).count(word) < count:
        assert time.monotonic() < until_s, words
        time.sleep(0.05)
    return words


def test_a_container_begins_once_its_engine_answers(launcher: Launcher, asked: Path) -> None:
    assert until_asked(asked, "run") == ["version"] * 3 + ["run"]


def test_a_container_that_was_ended_from_outside_takes_no_order(
    launcher: Launcher, settings: AgentSettings, asked: Path
) -> None:
    until_asked(asked, "run")
    launcher.warm_up()
    assert until_asked(asked, "run").count("run") == 1
    # Its engine's client, the process that was started, runs on for a moment.
    with subprocess.Popen(["true"]) as ended:
        pass
    (settings.work_dir / "spawner.json").write_text(json.dumps({"pid": ended.pid}))
    launcher.warm_up()
    until_asked(asked, "run", 2)
