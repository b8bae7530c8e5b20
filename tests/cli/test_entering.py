"""`elasticd node ssh` and `node exec` where there is no way in, or not from here."""

from __future__ import annotations

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


def test_a_command_is_wanted(run: Run, node: Node) -> None:
    outcome = run("node", "exec", node.id, "--")
    assert (outcome.status, "wanted a command behind --" in outcome.err) == (2, True)


def test_an_unknown_node_is_not_found(run: Run) -> None:
    outcome = run("node", "ssh", "node-none")
    assert (outcome.status, "node-none" in outcome.err) == (5, True)
