"""`elasticd node ssh` and `node exec` where there is no way in, or not from here."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from elastic.model import Means, Node, WayIn
from elastic.providers import FakeProvider
from tests.cli.commands import Run
from tests.cli.conftest import Live

ELSEWHERE = WayIn(
    Means.PROCESSES, target="", folder="/work", boot_id="another", machine="trainer-7"
)


@pytest.fixture
def node(live: Live) -> Node:
    (found,) = live.world.store.nodes.listed(live.job_id)
    return found


def lead(live: Live, node: Node, way: WayIn) -> None:
    """Gives the node this way in."""
    provider = live.world.context.provider
    assert isinstance(provider, FakeProvider) and node.provider_id is not None
    provider.cloud.ways_in[node.provider_id] = way


def test_a_node_on_the_daemons_own_machine_is_not_entered_from_another_one(
    live: Live, run: Run, node: Node
) -> None:
    lead(live, node, ELSEWHERE)
    outcome = run("node", "ssh", node.id)
    assert outcome.status == 2
    assert "the node runs on trainer-7, the daemon's own machine" in outcome.err
    assert "log in there" in outcome.err
    last = live.world.store.events.listed(after=None, job_id=node.job_id)[-1]
    assert last.kind == "node_left" and "trainer-7" in last.text


def test_a_computer_without_the_tool_says_which(
    live: Live, run: Run, node: Node, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    lead(live, node, replace(ELSEWHERE, means=Means.SLURM, target="7", boot_id=""))
    monkeypatch.setenv("PATH", str(tmp_path))
    outcome = run("node", "exec", node.id, "nvidia-smi", "-L")
    assert (outcome.status, "wanted srun on this computer" in outcome.err) == (2, True)


def test_a_daemon_that_lies_runs_nothing_on_the_persons_own_computer(
    live: Live, run: Run, node: Node, tmp_path: Path
) -> None:
    mark = tmp_path / "mark"
    lead(live, node, replace(ELSEWHERE, folder=f"$(touch {mark})", boot_id=""))
    assert run("node", "exec", node.id, "true").status == 2
    lead(live, node, WayIn(Means.SSH, target=f"-oProxyCommand=touch {mark}", folder="/w"))
    refused = run("node", "exec", node.id, "true")
    assert (refused.status, "wanted a host to enter" in refused.err) == (2, True)
    assert not mark.exists()


def test_a_daemon_of_another_machine_chooses_no_files_for_ssh(
    live: Live, run: Run, node: Node, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    mark = tmp_path / "mark"
    # Anything that a person has downloaded.
    config = tmp_path / "results"
    config.write_text(f"Host *\n  ProxyCommand touch {mark}\n")
    said = tmp_path / "said"
    ssh = tmp_path / "bin" / "ssh"
    ssh.parent.mkdir()
    ssh.write_text(f'#!/bin/sh\necho "$@" >{said}\n')
    ssh.chmod(0o755)
    monkeypatch.setenv("PATH", f"{ssh.parent}:/usr/bin:/bin")
    way = WayIn(Means.SSH, target="box", folder="/w")
    lead(live, node, replace(way, ssh_config=str(config), known_hosts=str(config)))
    assert run("node", "exec", node.id, "true").status == 0
    assert str(config) not in said.read_text()
    # The daemon of this machine's own data folder is its user's.
    monkeypatch.setenv("ELASTICD_DATA_DIR", str(tmp_path))
    (tmp_path / "daemon.json").write_text(json.dumps({"url": live.url}))
    assert run("node", "exec", node.id, "true").status == 0
    assert f"-F {config}" in said.read_text()


def test_a_command_is_wanted(run: Run, node: Node) -> None:
    outcome = run("node", "exec", node.id, "--")
    assert (outcome.status, "wanted a command behind --" in outcome.err) == (2, True)


def test_an_unknown_node_is_not_found(run: Run) -> None:
    outcome = run("node", "ssh", "node-none")
    assert (outcome.status, "node-none" in outcome.err) == (5, True)
