"""A node gets ready for its job before it runs anything."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from elastic.agent import AgentSettings
from elastic.agent.data import Source
from elastic.agent.own_python import digest_of
from elastic.agent.preparing import Preparation
from elastic.engines import Engine
from elastic.protocol import Brings, from_json, to_json
from tests.agent.conftest import World
from tests.agent.data_sources import FakeSource
from tests.agent.wheels import wheel

_SCRIPT = """\
import os, subprocess, sys
import tenacity
import torch
import greeting
assert tenacity.OWN, tenacity.__file__
assert os.environ["VIRTUAL_ENV"] == sys.prefix, sys.prefix
command = ["python", "-c", "import greeting, torch; print(greeting.WORD)"]
found = subprocess.run(command, capture_output=True, text=True)
print("in a shell:", found.stdout, found.stderr)
built = open("built.txt").read()
print("on", torch.__version__, "greeted by", greeting.WORD, "with", built, flush=True)
"""


def prepared(
    settings: AgentSettings, brings: Brings, source: Source | None = None
) -> tuple[Preparation, list[str]]:
    """A preparation that is over, and what it told."""
    told: list[str] = []
    over = threading.Event()

    def open_source(location: str) -> Source:
        assert source is not None, location
        return source

    preparation = Preparation(
        brings,
        settings=settings,
        code=None,
        tell=told.append,
        open_source=open_source,
        wake=over.set,
    )
    preparation.start()
    assert not brings.has_any or over.wait(60)
    assert preparation.is_over
    return preparation, told


def failure_in(world: World) -> dict[str, Any]:
    """What a node has said that it cannot get ready."""

    def found() -> dict[str, Any] | None:
        said = [
            beat["report"]["preparing"]
            for beat in world.daemon.heartbeats
            if beat["report"]["preparing"]
        ]
        return next((each for each in said if each["failure"]), None)

    return dict(world.wait_for(found, timeout_s=100.0))


def test_who_brings_nothing_is_ready_at_once(settings: AgentSettings) -> None:
    preparation, told = prepared(settings, Brings())
    assert (preparation.failure, told) == (None, [])
    assert "ELASTICD_DATA_DIR" not in preparation.outfit.variables


def test_data_from_a_bucket_is_named_to_the_workers(settings: AgentSettings) -> None:
    preparation, told = prepared(
        settings, Brings(data="s3://b/faces"), FakeSource({"a.png": b"png"})
    )
    assert preparation.failure is None
    folder = Path(preparation.outfit.variables["ELASTICD_DATA_DIR"])
    assert (folder / "a.png").read_bytes() == b"png"
    assert preparation.outfit.variables["ELASTICD_DATA_DIGEST"] in str(folder)
    assert told[-1].startswith("data: 3 B in 1 file are here after")


def test_data_on_the_node_must_be_there(settings: AgentSettings, tmp_path: Path) -> None:
    preparation, _ = prepared(settings, Brings(data=str(tmp_path)))
    assert preparation.outfit.variables["ELASTICD_DATA_DIR"] == str(tmp_path)
    preparation, _ = prepared(settings, Brings(data="/nowhere/at/all"))
    assert preparation.failure is not None
    assert "data: /nowhere/at/all does not exist on the node" in preparation.failure


def test_what_is_brought_survives_a_restart_of_the_agent() -> None:
    brings = Brings(("einops",), ("make",), "s3://b/p", {"A": "1"})
    assert from_json(Brings, to_json(brings)) == brings
    assert from_json(Brings, {}) == Brings()


def test_an_environment_is_named_by_what_is_asked_for() -> None:
    plain = digest_of(["einops==0.8", "tqdm[notebook]>=4"], [], code="a")
    assert digest_of(["einops==0.8", "tqdm[notebook]>=4"], [], code="b") == plain
    assert digest_of(["einops==0.7"], [], code="a") != plain
    by_path = digest_of(["./wheels/x-1-py3-none-any.whl"], [], code="a")
    assert digest_of(["./wheels/x-1-py3-none-any.whl"], [], code="b") != by_path


@pytest.mark.slow
def test_a_jobs_packages_and_setup_are_there_on_top_of_the_nodes_torch(world: World) -> None:
    greeting = wheel(world.folder / "wheels", "greeting", "WORD = 'hello'\n")
    tenacity = wheel(world.folder / "wheels", "tenacity", "OWN = True\n")  # the node has another
    setup = ["python -c 'import greeting; print(greeting.WORD)' > built.txt", 'test -n "$TOKEN"']
    world.daemon.brings = {
        "requirements": [str(greeting), str(tenacity), "torch"],
        "setup": setup,
        "data": None,
        "env": {"TOKEN": "x", "PIP_NO_INDEX": "1"},
    }
    node = world.node(shared_cache=str(world.folder / "cache"))
    (node.work_dir / "code").mkdir()
    (node.work_dir / "code/train.py").write_text(_SCRIPT)
    world.assign("train.py", mode="restart")
    world.wait_for(lambda: world.daemon.exit_of(1), timeout_s=100.0)
    exit_of = world.daemon.exit_of(1)
    assert exit_of is not None
    assert exit_of["outcome"] == "succeeded", exit_of["log_tail"]
    assert "greeted by hello with hello" in node.logs()
    assert "in a shell: hello" in node.logs()
    assert "Requirement already satisfied: torch" in node.logs()
    notes = [each["text"] for each in world.daemon.messages("note")]
    assert any(each.startswith("installing 3 requirements, ") for each in notes), notes
    assert any(each.startswith("setup: ") for each in notes), notes
    states = [beat["report"]["state"] for beat in world.daemon.heartbeats]
    assert states[0] == "preparing"
    stages = {stage for stage, _ in world.daemon.staged_lines}
    assert {"installing", ""} <= stages
    doing = {
        beat["report"]["preparing"]["what"]
        for beat in world.daemon.heartbeats
        if beat["report"]["preparing"]
    }
    assert "installing 3 requirements" in doing


@pytest.mark.slow
def test_a_package_that_there_is_not_is_told_with_pips_word(world: World) -> None:
    world.daemon.brings = {
        "requirements": ["no-such-package==1.0"],
        "setup": [],
        "data": None,
        "env": {"PIP_NO_INDEX": "1"},
    }
    world.node()
    world.assign(world.script("print('never')"))
    failed = failure_in(world)
    assert failed["what"] == "installing 1 requirement"
    assert failed["failure"].startswith("requirements: pip ended with 1: ERROR: ")
    assert "(its last lines: " in failed["failure"] and "no-such-package" in failed["failure"]
    assert failed["failure"].count("Could not find a version") == 1, "each line stands there once"
    assert world.daemon.exit_of(1) is None, "nothing begins here"
    lines = [line for stage, line in world.daemon.staged_lines if stage == "installing"]
    assert any("no-such-package" in line for line in lines), (
        "they come before the word of the failure"
    )


@pytest.mark.slow
def test_a_setup_that_fails_says_its_last_line(world: World) -> None:
    world.daemon.brings = {
        "requirements": [],
        "setup": ["echo one; echo two; exit 3"],
        "data": None,
        "env": {},
    }
    world.node()
    failed = failure_in(world)
    assert failed["what"].startswith("setup: echo one")
    assert failed["failure"].endswith("ended with 3: two (its last lines: one)")
    assert ("setup", "two") in world.daemon.staged_lines


@pytest.mark.slow
def test_a_shells_script_is_run_by_every_worker_with_the_nodes_python(world: World) -> None:
    node = world.node()
    (node.work_dir / "code").mkdir()
    (node.work_dir / "code/run.sh").write_text(
        "set -e\npython -c 'import torch; print(\"rank\", '$RANK', \"of\", '$1')'\n"
    )
    world.assign("bash", "run.sh", "2", nproc_per_node=2, world_size=2)
    world.wait_for(lambda: world.daemon.exit_of(1), timeout_s=100.0)
    assert world.daemon.exit_of(1)["outcome"] == "succeeded"  # type: ignore[index]
    assert "rank 0 of 2" in node.logs()
    assert "rank 1 of 2" in node.logs()


_FAKE_DNF = """#!/bin/sh
echo "dnf $*" >>"{said}"
{then}
"""
# It answers with a version, has no image of this name, and so pulls it.
_FAKE_DOCKER = "#!/bin/sh\\ncase $1 in image) exit 1 ;; version) echo 27.1 ;; esac\\n"


@pytest.mark.parametrize("is_installed", [True, False])
def test_a_machine_that_is_the_jobs_alone_gets_an_engine_for_its_image(
    settings: AgentSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_installed: bool
) -> None:
    folder, said = tmp_path / "bin", tmp_path / "said"
    folder.mkdir()
    for name in ("sh", "chmod"):
        (folder / name).symlink_to(f"/bin/{name}")
    then = "exit 1"
    if is_installed:
        then = f"printf '{_FAKE_DOCKER}' >{folder}/docker; chmod +x {folder}/docker"
    for name, text in (
        ("dnf", _FAKE_DNF.format(said=said, then=then)),
        ("systemctl", f'#!/bin/sh\necho "systemctl $*" >>"{said}"\n'),
    ):
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    brings = Brings(image="me/train:1")
    preparation, told = prepared(replace(settings, may_install=True), brings)
    if is_installed:
        assert preparation.failure is None
        assert preparation.outfit.container is not None
        assert preparation.outfit.container.engine is Engine.DOCKER
        assert said.read_text().splitlines() == [
            "dnf install -q -y docker",
            "systemctl start docker",
        ]
        assert [each.rpartition(", ")[0] for each in told] == [
            "installing docker",
            "pulling image me/train:1",
            "checking image me/train:1",
        ]
        said.unlink()
        assert prepared(replace(settings, may_install=True), brings)[0].failure is None
        assert not said.exists(), "what is there is not installed again"
    else:
        assert preparation.failure is not None
        assert "ec2.bootstrap may do instead, ended with 1" in preparation.failure


def test_a_node_without_an_engine_says_what_to_install(
    settings: AgentSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    preparation, _ = prepared(settings, Brings(image="me/train:1"))
    assert preparation.failure == (
        "image me/train:1: wanted a container engine on this node, found none (neither docker nor "
        "podman is installed); install docker or podman there (on EC2 by ec2.bootstrap) and let "
        "this user use it, or take `image` out"
    )
