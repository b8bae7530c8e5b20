"""A daemon on EC2 loses its database while a job trains: the job goes on once it is adopted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import boto3
import pytest

from tests.e2e.cloud_story import Story, told
from tests.e2e.running import ENDLESS

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]

SCENARIO = {
    "node_types": {
        "c5.large": {"on_demand_usd_per_h": 0.085, "spot_usd_per_h": 0.03, "cpu": 0.4},
    },
}


def test_a_job_whose_database_is_lost_is_held_adopted_and_trains_on(tmp_path: Path) -> None:
    folder = tmp_path / "daemon"
    folder.mkdir()
    script = tmp_path / "train.py"
    script.write_text(ENDLESS)
    with told(folder, **SCENARIO) as story:
        daemon = story.daemon
        job_id = daemon.submit(
            name="kept",
            command=[str(script)],
            policy={"name": "fixed", "node_type": "c5.large"},
        )
        daemon.until_iteration(job_id, 30)
        before = [each.instance_id for each in story.lab.running()]
        daemon.until("its generation is on record", lambda: _recorded_generation(story, job_id))
        daemon.kill()
        for path in daemon.data.glob("elasticd.db*"):
            path.unlink()

        daemon.start("--take-over")
        (held,) = daemon.until("the job is held", lambda: _held(story))
        daemon.until("an alarm stands", lambda: daemon.elasticd("status").returncode == 1)
        said = daemon.elasticd("status").stdout
        assert "elasticd adopt" in said and "kept" in said
        assert held["is_heard"] and [each["provider_id"] for each in held["machines"]] == before
        assert [each.instance_id for each in story.lab.running()] == before

        assert "adopted" in story.command("adopt", "kept", "-y")
        daemon.until_iteration(job_id, held["iteration"] + 50)
        job = daemon.get(f"/v1/jobs/{job_id}")
        assert [each.instance_id for each in story.lab.running()] == before
        assert job["spec"]["name"] == "kept"
        assert {each["generation"] for each in story.windows(job_id)} == {1}, story.tell(job_id)
        assert story.events(job_id, "job_adopted"), "the gap of the ledger is told"
        daemon.until("no alarm stands", lambda: daemon.elasticd("status").returncode == 0)
        story.stop(job_id)
        story.check_the_books(job_id)


def _held(story: Story) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = story.daemon.get("/v1/held-jobs")["items"]
    return [each for each in found if each["machines"] and each["is_on_record"]]


def _recorded_generation(story: Story, job_id: str) -> bool:
    """Whether the record in the bucket has what trains now."""
    s3 = boto3.Session("lab", "lab", region_name=story.lab.region).client(
        "s3", endpoint_url=story.lab.endpoint_url
    )
    key = f"elasticd/daemon/story/jobs/{job_id}.json"
    record = json.loads(s3.get_object(Bucket="story", Key=key)["Body"].read())
    return record["generation"] is not None
