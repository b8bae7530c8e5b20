"""The whole story on a local EC2 whose machines boot: bought, measured, moved, taken back, and paid
to the cent.

That a job comes to its own end there, and is paid for then, the demo's test shows.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from elastic_lab import CapacityWindow, InstanceView
from tests.e2e.cloud_story import TINY, Story, covered, redone, told

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


def _in_two_zones(*, cpu: float, spot_usd_per_h: float) -> dict[str, Any]:
    """A type that costs a little more in the second zone."""
    spot = {"us-east-1a": spot_usd_per_h, "us-east-1b": 1.05 * spot_usd_per_h}
    return {"cpu": cpu, "on_demand_usd_per_h": 3 * spot_usd_per_h, "spot_usd_per_h": spot}


# More than there is time for: the job is stopped when all of the story has happened.
ITERATIONS = 50_000
SHOCK = 4.0  # times the old price: whatever was best is worst now. Five-fold would not be believed.
PATIENCE_S = 150.0
SCENARIO = {
    "node_types": {
        "c5.large": _in_two_zones(cpu=0.4, spot_usd_per_h=0.050),
        "c5.xlarge": _in_two_zones(cpu=0.6, spot_usd_per_h=0.058),
        "c5.2xlarge": _in_two_zones(cpu=0.9, spot_usd_per_h=0.066),
    },
    "capacity": [{"node_type": "c5.large", "zone": "us-east-1a"}],
}
ELSEWHERE = {"us-east-1a": "us-east-1b", "us-east-1b": "us-east-1a"}


def test_a_job_is_measured_moved_taken_back_and_lost_and_its_ledger_is_the_bill(
    tmp_path: Path,
) -> None:
    with told(tmp_path, **SCENARIO) as story:
        job_id = story.daemon.submit(name="story", iterations=ITERATIONS, **TINY)
        _wait_for_a_choice(story, job_id)
        assert story.lab.instances()[0].zone == "us-east-1b", (
            "what it began on was sold out in the cheaper zone"
        )

        chosen = _with_a_checkpoint(story, job_id)
        _raise_price(story, chosen.node_type)
        moved = _wait_for_another(story, job_id, chosen.instance_id)
        assert moved.node_type != chosen.node_type, story.tell(job_id)
        assert redone(story.windows(job_id)) == 0, story.tell(job_id)

        story.lab.interrupt(moved.instance_id, notice_s=60)
        _wait_for_another(story, job_id, moved.instance_id)
        assert redone(story.windows(job_id)) == 0, story.tell(job_id)

        story.daemon.kill()
        story.daemon.start()
        last = _settled_with_a_checkpoint(story, job_id)
        story.lab.add_trouble(CapacityWindow(zone=last.zone))
        story.lab.crash(last.instance_id)
        stored = _newest_checkpoint(story, job_id)
        replacement = _wait_for_another(story, job_id, last.instance_id)
        assert replacement.zone == ELSEWHERE[last.zone], story.tell(job_id)

        story.daemon.until_iteration(job_id, max(covered(story.windows(job_id))) + 1)
        story.stop(job_id)
        windows = story.windows(job_id)
        assert story.daemon.get(f"/v1/jobs/{job_id}")["iteration"] == max(covered(windows)) > stored
        assert covered(windows) >= set(range(1, stored + 1)), story.tell(job_id)
        # Turns go on while a checkpoint is uploaded, so an interval is no bound of what is lost.
        assert redone(windows) <= _done_before_the_last(windows) - stored, story.tell(job_id)
        assert _resumed_after(windows) >= stored, story.tell(job_id)
        story.check_the_books(job_id)


def _wait_for_a_choice(story: Story, job_id: str) -> None:
    """Waits until every type is measured and the job trains where it was decided to."""

    def is_chosen() -> bool:
        job = story.daemon.get(f"/v1/jobs/{job_id}")
        measured = {
            each["group"]["members"][0][0]["node_type"]
            for each in job["candidates"]
            if each["samples"] >= 4
        }
        return len(measured) == 3 and _is_settled(story, job_id)

    story.until(job_id, "every type is measured and one is chosen", is_chosen, timeout_s=PATIENCE_S)


def _is_settled(story: Story, job_id: str) -> bool:
    """Whether the job trains, alone, on the node that it was decided to train on."""
    job = story.daemon.get(f"/v1/jobs/{job_id}")
    is_there = job["phase"] == "running" and job["current_group"] == job["target_group"]
    return is_there and len(story.nodes(job_id)) == 1


def _settled_with_a_checkpoint(story: Story, job_id: str) -> InstanceView:
    """Waits until the job is settled and has stored a checkpoint since, and gives the instance."""

    def found() -> InstanceView | None:
        resumed = _resumed_after(story.windows(job_id, limit=500))
        is_so = _is_settled(story, job_id) and _newest_checkpoint(story, job_id) > resumed
        return story.trainer(job_id) if is_so else None

    settled = story.until(job_id, "a checkpoint is stored", found, timeout_s=PATIENCE_S)
    assert isinstance(settled, InstanceView)
    return settled


def _newest_checkpoint(story: Story, job_id: str) -> int:
    """The iteration of the newest checkpoint that is stored; 0 before the first."""
    stored = (int(each["numbers"]["iteration"]) for each in story.events(job_id, "checkpoint"))
    return max(stored, default=0)


def _with_a_checkpoint(story: Story, job_id: str) -> InstanceView:
    """Waits until what the job trains on has stored a checkpoint, and gives that instance."""
    _wait_for_a_checkpoint(story, job_id)
    return story.trainer(job_id)


def _raise_price(story: Story, node_type: str) -> None:
    """The type that the job was measured to be best on is that no more, in any zone."""
    for price in story.daemon.get("/v1/prices")["items"]:
        if price["offering"]["node_type"] == node_type:
            story.lab.set_spot_price(
                node_type, SHOCK * price["usd_per_h"], zone=price["offering"]["zone"]
            )


def _wait_for_another(story: Story, job_id: str, instance_id: str) -> InstanceView:
    """Waits until the job trains on another instance than this one, and gives that."""

    def found() -> InstanceView | None:
        newest = story.windows(job_id, limit=20)
        generation = max(each["generation"] for each in newest)
        trains_on = {each["node_id"] for each in newest if each["generation"] == generation}
        nodes = {each["id"]: each["provider_id"] for each in story.nodes(job_id, all=True)}
        others = {nodes[each] for each in trains_on if nodes[each] != instance_id}
        return next((each for each in story.lab.instances() if each.instance_id in others), None)

    another = story.until(
        job_id, f"training on another instance than {instance_id}", found, timeout_s=PATIENCE_S
    )
    assert isinstance(another, InstanceView)
    return another


def _wait_for_a_checkpoint(story: Story, job_id: str) -> int:
    """Waits until a checkpoint of the newest generation is stored, and gives its iteration."""
    begun = max(each["iteration"] for each in story.windows(job_id))

    def newest() -> int | None:
        told_of = [int(each["numbers"]["iteration"]) for each in story.events(job_id, "checkpoint")]
        return max((each for each in told_of if each > begun), default=None)

    return int(story.until(job_id, "a checkpoint is stored", newest, timeout_s=PATIENCE_S))


def _done_before_the_last(windows: list[dict[str, Any]]) -> int:
    """The newest iteration that a generation before the last reported."""
    newest = max(each["generation"] for each in windows)
    return int(max(each["iteration"] for each in windows if each["generation"] < newest))


def _resumed_after(windows: list[dict[str, Any]]) -> int:
    """The iteration that the last generation began after."""
    newest = max(each["generation"] for each in windows)
    return int(
        min(
            each["iteration"] - each["iterations"]
            for each in windows
            if each["generation"] == newest
        )
    )
