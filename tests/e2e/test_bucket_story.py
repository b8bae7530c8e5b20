"""A group of two in a session, its checkpoints in a bucket: one is taken back, one is lost, and
nobody starts anew."""

from __future__ import annotations

import json
from pathlib import Path

import psutil
import pytest

from elastic_lab import InstanceView
from tests.e2e.cloud_story import CHECKPOINT_INTERVAL, TINY, Story, covered, redone, told
from tests.lab.conftest import processes_of

pytestmark = [pytest.mark.slow, pytest.mark.timeout(420)]

ONE_TYPE = {
    "node_types": {"c5.large": {"cpu": 0.45, "on_demand_usd_per_h": 0.085, "spot_usd_per_h": 0.034}}
}
ITERATIONS = 2_000  # more than there is time for: the job is stopped


def test_a_group_of_two_outlives_its_nodes_and_leaves_its_checkpoints_and_artifacts_in_the_bucket(
    tmp_path: Path,
) -> None:
    with told(tmp_path, **ONE_TYPE) as story:
        job_id = story.daemon.submit(
            name="pair",
            iterations=ITERATIONS,
            nodes={"min": 2, "max": 2},
            policy={"name": "fixed", "node_type": "c5.large"},
            **TINY,
        )
        story.until(
            job_id,
            "a checkpoint is stored",
            lambda: story.events(job_id, "checkpoint"),
            timeout_s=150.0,
        )
        story.until(job_id, "both take part", lambda: _sizes(story, job_id) >= {2})
        assert {each["mode"] for each in story.nodes(job_id)} == {"live"}
        first, second = (_instance(story, each) for each in story.nodes(job_id))
        workers = _workers(second)

        # One dies without a word: the other goes on with the processes that it has, and another
        # comes in.
        story.lab.crash(first.instance_id)
        story.until(
            job_id, "its replacement takes part", lambda: _are_replaced(story, job_id, first)
        )
        assert redone(story.windows(job_id)) == 0, story.tell(job_id)
        assert workers and workers <= _workers(second), (
            f"who stays is not restarted\n{story.tell(job_id)}"
        )

        # One is taken back: the job moves away from where that happens. Who takes over comes in
        # before they leave.
        stored = len(story.events(job_id, "checkpoint"))
        story.lab.interrupt(second.instance_id, notice_s=60)
        story.until(job_id, "the job has moved", lambda: _are_replaced(story, job_id, second))
        story.until(
            job_id,
            "another checkpoint is stored",
            lambda: len(story.events(job_id, "checkpoint")) > stored,
        )
        story.stop(job_id)
        windows = story.windows(job_id)
        last = max(each["iteration"] for each in windows)
        untold = set(range(1, last + 1)) - covered(windows)
        assert len(untold) <= CHECKPOINT_INTERVAL, f"what the lost node had not told of: {untold}"
        assert redone(windows) == 0, story.tell(job_id)
        # Files that come to rest before the script's word of them arrives are stored without an
        # iteration.
        held = [each["numbers"].get("iteration", 0) for each in story.events(job_id, "checkpoint")]
        assert max(held) >= last
        assert story.events(job_id, "round"), "each change of the group is on record"

        listed = json.loads(
            story.command(
                "job", "artifacts", "pair", "--save", str(tmp_path / "kept"), "-o", "json"
            )
        )
        names = {each["name"] for each in listed}
        assert {each.name for each in (tmp_path / "kept").iterdir()} == names
        logs = story.command("job", "logs", "pair", "-n", "10000")
        assert logs.count("==> generation ") >= 3, "what nodes wrote that are gone"
        story.check_the_books(job_id)


def _sizes(story: Story, job_id: str) -> set[int]:
    return {each["world_size"] for each in story.windows(job_id, limit=20)}


def _instance(story: Story, node: dict[str, str]) -> InstanceView:
    return next(each for each in story.lab.instances() if each.instance_id == node["provider_id"])


def _workers(instance: InstanceView) -> set[int]:
    """The pids of torchrun and its workers there, and of what they are forked from."""
    pids = processes_of(instance.instance_id)
    return {pid for pid in pids if "elastic.agent.spawner" in psutil.Process(pid).cmdline()}


def _are_replaced(story: Story, job_id: str, gone: InstanceView) -> bool:
    """Whether two train again, and this instance is none of them."""
    nodes = [each for each in story.nodes(job_id) if each["phase"] == "joined"]
    newest = max(story.windows(job_id, limit=20), key=lambda each: each["ended_at_s"])
    is_away = gone.instance_id not in {each["provider_id"] for each in nodes}
    return is_away and len(nodes) == 2 and newest["world_size"] == 2
