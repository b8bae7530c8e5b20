"""Real agents on machines that the cloud takes back, with a daemon that hears of it or does not."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial

import pytest

from tests.agent.conftest import World
from tests.agent.metadata import FakeMetadata, serve_metadata
from tests.agent.scripts import COUNTING_SCRIPT

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]

TOGETHER_SCRIPT = """
import torch, torch.distributed as dist
from elastic.worker import drained, paramount
dist.init_process_group("gloo")
done, stop = 0, False
while True:
    asked = torch.tensor([float(stop)])
    dist.all_reduce(asked)
    done += 1
    if asked.item():
        paramount(done)
        drained(done)
        break
    stop = paramount(done)
dist.destroy_process_group()
"""


@pytest.fixture
def metadata(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeMetadata]:
    with serve_metadata() as served:
        monkeypatch.setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", served.url)
        yield served


def test_the_daemon_hears_of_a_notice_and_training_goes_on(
    world: World, metadata: FakeMetadata
) -> None:
    world.assign(world.script(COUNTING_SCRIPT.format(turns=100_000)))
    world.node(imds=True)
    world.wait_for(lambda: world.daemon.turns() > 10)
    at_s = float(round(time.time() + 120))
    metadata.announce("terminate", at=at_s)
    notice = world.wait_for(lambda: world.daemon.heartbeats[-1]["notice"])
    assert (notice["kind"], notice["action"], notice["at_s"]) == ("interruption", "terminate", at_s)
    before = world.daemon.turns()
    world.wait_for(lambda: world.daemon.turns() > before + 20)
    world.daemon.assignment = None
    assert world.wait_for(lambda: world.daemon.exit_of(1))["outcome"] == "drained"


def test_a_node_whose_daemon_is_silent_drains_by_itself_in_time(
    world: World, metadata: FakeMetadata
) -> None:
    world.assign(world.script(COUNTING_SCRIPT.format(turns=100_000)), drain_grace_s=3.0)
    node = world.node(imds=True)
    world.wait_for(lambda: world.daemon.turns() > 10)
    world.daemon.is_silent = True
    goes_at_s = time.time() + 16
    metadata.announce("terminate", at=goes_at_s)
    world.wait_for(lambda: node.group()["exit_code"] is not None)
    assert time.time() < goes_at_s
    time.sleep(1.0)
    saved = int((world.folder / "checkpoints" / "job" / "done").read_text())
    world.daemon.is_silent = False
    end = world.wait_for(lambda: world.daemon.exit_of(1))
    assert (end["outcome"], end["iteration"]) == ("drained", saved)
    assert world.daemon.turns() == saved
    # The daemon still wants the generation; a machine that goes begins nothing.
    world.assign(
        world.script(COUNTING_SCRIPT.format(turns=100_000)), drain_grace_s=3.0, generation=2
    )
    beats = len(world.daemon.heartbeats)
    world.wait_for(lambda: len(world.daemon.heartbeats) > beats + 5)
    assert world.daemon.heartbeats[-1]["report"]["state"] == "idle"
    assert world.daemon.heartbeats[-1]["notice"]["kind"] == "interruption"


def test_the_peers_of_a_node_that_drains_by_itself_stop_at_the_same_turn(
    world: World, metadata: FakeMetadata
) -> None:
    world.assign(world.script(TOGETHER_SCRIPT), nnodes_min=2, nnodes_max=2, drain_grace_s=3.0)
    world.node("n1", imds=True)
    world.node("n2")
    world.wait_for(lambda: world.daemon.turns("n1") + world.daemon.turns("n2") > 10)
    metadata.announce("terminate", at=time.time() + 2)
    ends = [world.wait_for(partial(world.daemon.exit_of, 1, name)) for name in ("n1", "n2")]
    assert [end["outcome"] for end in ends] == ["drained", "drained"]
    assert (
        ends[0]["iteration"]
        == ends[1]["iteration"]
        == world.daemon.turns("n1") + world.daemon.turns("n2")
    )


def test_a_node_without_a_metadata_service_asks_for_none(
    world: World, metadata: FakeMetadata
) -> None:
    metadata.announce("terminate", at=time.time() + 1)
    world.assign(world.script(COUNTING_SCRIPT.format(turns=100)))
    world.node()
    assert world.wait_for(lambda: world.daemon.exit_of(1))["outcome"] == "succeeded"
    assert metadata.tokens_given == 0
