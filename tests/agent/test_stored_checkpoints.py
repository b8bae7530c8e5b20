"""Real agents, real torchrun and moto's S3: what was stored survives the node that made it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest

from elastic.agent import cause_in
from elastic.agent.processes import kill_group
from elastic.checkpoints import Location
from elastic.checkpoints.s3 import Bucket, connect
from tests.agent.conftest import Node, World
from tests.checkpoints.bucket import serve_s3

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]

TOLD_SCRIPT = """
import os, pathlib, time, torch
from elastic.worker import checkpointed, drained, finished, paramount
folder = pathlib.Path(os.environ["ELASTICD_CHECKPOINT_DIR"])
weights, done = torch.zeros(1000), 0
newest = folder / "weights.pt"
if newest.exists():
    kept = torch.load(newest, weights_only=True)
    weights, done = kept["weights"], kept["done"]
print("began at", done, flush=True)
def save():
    torch.save({"weights": weights, "done": done}, folder / "weights.partial")
    (folder / "weights.partial").replace(newest)
    checkpointed(done, elapsed_s=0.001)
while done < TURNS:
    time.sleep(0.02); weights += 1; done += 1
    if done % 20 == 0:
        save()
    if paramount(done):
        save(); drained(done)
        break
else:
    save(); finished(done)
"""
UNMODIFIED_SCRIPT = """
import os, pathlib, time, torch
folder = pathlib.Path(os.environ["ELASTICD_CHECKPOINT_DIR"])
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
if (folder / "model.pt").exists():
    model.load_state_dict(torch.load(folder / "model.pt", weights_only=True))
    print("resumed", flush=True)
for turn in range(TURNS):
    optimizer.zero_grad(); model(torch.ones(2, 4)).sum().backward(); optimizer.step()
    time.sleep(0.02)
    if turn == 10:
        torch.save(model.state_dict(), folder / "model.pt")
pathlib.Path(os.environ["ELASTICD_ARTIFACT_DIR"], "report.txt").write_text("all is well")
"""


@pytest.fixture
def url(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    with serve_s3() as url:
        monkeypatch.setenv("AWS_ENDPOINT_URL", url)
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
        monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        yield url


@pytest.fixture
def bucket(url: str) -> Bucket:
    client: Any = connect()
    location = Location(f"training-{uuid4().hex[:12]}", "elasticd")
    client.create_bucket(Bucket=location.bucket)
    return Bucket(client, location)


def storing(world: World, bucket: Bucket, node_id: str) -> Node:
    root = str(bucket.location)
    return world.node(node_id, checkpoint_root=root, artifact_root=root)


def lose(node: Node) -> None:
    """The node is gone, its disk with it."""
    node.kill_agent_only()
    kill_group(node.group()["pid"], socket_path=str(node.work_dir / "workers.socket"))
    shutil.rmtree(node.work_dir, ignore_errors=True)
    node.work_dir.mkdir()
    (node.work_dir / "agent.log").touch()


def assign(
    world: World, script: str, *, generation: int = 1, turns: int = 10_000, **fields: Any
) -> None:
    command = world.script(script.replace("TURNS", str(turns)))
    folders = {"checkpoint_dir": "job/checkpoints", "artifact_dir": "job/artifacts"}
    world.assign(command, generation=generation, **folders, **fields)


def test_a_lost_node_costs_at_most_what_came_after_the_last_stored_checkpoint(
    world: World, bucket: Bucket
) -> None:
    assign(world, TOLD_SCRIPT)
    first = storing(world, bucket, "n1")
    world.wait_for(lambda: len(world.daemon.messages("checkpoint", "n1")) >= 3)
    told = world.daemon.messages("checkpoint", "n1")[-1]["iteration"]
    lose(first)
    assign(world, TOLD_SCRIPT, generation=2, turns=told + 60)
    second = storing(world, bucket, "n2")
    assert world.wait_for(lambda: world.daemon.exit_of(2, "n2"))["outcome"] == "succeeded"
    began_at = int(second.logs().rpartition("began at ")[2].split()[0])
    assert began_at >= told
    assert len(bucket.names("job/checkpoints/manifests/")) == 2
    assert "job/artifacts/logs/n2-g2-l0-r0.log" in bucket.names("job/artifacts/")


def test_a_node_that_can_use_no_checkpoint_says_so_and_leaves_it_to_a_person(
    world: World, bucket: Bucket
) -> None:
    assign(world, TOLD_SCRIPT)
    first = storing(world, bucket, "n1")
    world.wait_for(lambda: len(world.daemon.messages("checkpoint", "n1")) >= 3)
    lose(first)
    # Two, and one more where it died before it removed that.
    kept = len(bucket.names("job/checkpoints/manifests/"))
    (world.folder / "torn").touch()
    for name in bucket.names("job/checkpoints/data/"):
        bucket.upload(world.folder / "torn", name)
    assign(world, TOLD_SCRIPT, generation=2)
    second = storing(world, bucket, "n2")
    end = world.wait_for(lambda: world.daemon.exit_of(2, "n2"))
    assert (end["outcome"], end["needs_person"]) == ("failed", True)
    assert cause_in(end["log_tail"]) == (
        f"{bucket.location}/job/checkpoints: wanted a checkpoint, none of {kept} can be used; "
        "restore the bucket's files and resume the job, or submit it under another name to start "
        "again"
    )
    told = [message["text"] for message in world.daemon.messages("note", "n2")]
    assert [
        (each.startswith("the checkpoint manifests/g000001-"), "found" in each) for each in told
    ] == [(True, True)] * kept
    assert '"distrusts_fork": false' in (second.work_dir / "agent.json").read_text()


def test_a_planned_move_to_an_empty_disk_loses_no_iteration(world: World, bucket: Bucket) -> None:
    assign(world, TOLD_SCRIPT)
    first = storing(world, bucket, "n1")
    world.wait_for(lambda: world.daemon.turns("n1") > 10)
    first.process.terminate()
    end = world.wait_for(lambda: world.daemon.exit_of(1, "n1"))
    assert end["outcome"] == "drained"
    first.process.wait(30)
    assign(world, TOLD_SCRIPT, generation=2, turns=end["iteration"] + 20)
    second = storing(world, bucket, "n2")
    assert world.wait_for(lambda: world.daemon.exit_of(2, "n2"))["outcome"] == "succeeded"
    assert f"began at {end['iteration']}\n" in second.logs()


def test_a_script_that_tells_of_no_checkpoint_has_them_stored_all_the_same(
    world: World, bucket: Bucket
) -> None:
    assign(world, UNMODIFIED_SCRIPT)
    first = storing(world, bucket, "n1")
    world.wait_for(lambda: world.daemon.messages("checkpoint", "n1"))
    lose(first)
    assign(world, UNMODIFIED_SCRIPT, generation=2, turns=20)
    second = storing(world, bucket, "n2")
    assert world.wait_for(lambda: world.daemon.exit_of(2, "n2"))["outcome"] == "succeeded"
    assert "resumed" in second.logs()
    assert bucket.read("job/artifacts/report.txt") == b"all is well"
