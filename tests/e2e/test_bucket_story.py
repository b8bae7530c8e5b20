"""A group of two whose checkpoints are in a bucket: one is lost, the group goes on, and what it left can be had."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.e2e.cloud_story import CHECKPOINT_INTERVAL, TINY, covered, redone, told

pytestmark = [pytest.mark.slow, pytest.mark.timeout(420)]

ONE_TYPE = {"node_types": {"c5.large": {"cpu": 0.45, "on_demand_usd_per_h": 0.085, "spot_usd_per_h": 0.034}}}
ITERATIONS = 70


def test_a_group_of_two_goes_on_from_its_bucket_and_leaves_its_artifacts_there(tmp_path: Path) -> None:
    with told(tmp_path, **ONE_TYPE) as story:
        job_id = story.daemon.submit(
            name="pair",
            iterations=ITERATIONS,
            nodes={"min": 2, "max": 2},
            policy={"name": "fixed", "node_type": "c5.large"},
            **TINY,
        )
        story.until(job_id, "a checkpoint is stored", lambda: story.events(job_id, "checkpoint"), timeout_s=150.0)
        first = {each["id"] for each in story.nodes(job_id)}
        assert len(first) == 2
        story.lab.crash(story.trainer(job_id).instance_id)
        job = story.daemon.until_phase(job_id, "succeeded", timeout_s=240.0)
        windows = story.windows(job_id)
        assert job["iteration"] == ITERATIONS
        assert {each["world_size"] for each in windows} == {2}, story.tell(job_id)
        assert covered(windows) == set(range(1, ITERATIONS + 1)), story.tell(job_id)
        assert redone(windows) <= CHECKPOINT_INTERVAL, story.tell(job_id)

        listed = json.loads(story.command("job", "artifacts", "pair", "--save", str(tmp_path / "kept"), "-o", "json"))
        names = {each["name"] for each in listed}
        assert "report.json" in names
        assert {each.name for each in (tmp_path / "kept").iterdir()} == names
        assert story.daemon.get(f"/v1/jobs/{job_id}/report")["quality"]
        logs = story.command("job", "logs", "pair")
        assert logs.count("==> logs/") >= 3, "each node's log of each generation that it saw the end of"
        story.check_the_books(job_id)
