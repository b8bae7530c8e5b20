"""The whole story on a local EC2 whose machines boot: bought, measured, moved, taken back, and paid to the cent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from elastic.lab import CapacityWindow
from tests.e2e.cloud_story import CHECKPOINT_INTERVAL, TINY, Story, covered, redone, told

pytestmark = [pytest.mark.slow, pytest.mark.timeout(420)]


def _in_two_zones(*, cpu: float, spot_usd_per_h: float) -> dict[str, Any]:
    """A type that costs a little more in the second zone."""
    spot = {"us-east-1a": spot_usd_per_h, "us-east-1b": 1.05 * spot_usd_per_h}
    return {"cpu": cpu, "on_demand_usd_per_h": 3 * spot_usd_per_h, "spot_usd_per_h": spot}


ONE_TYPE = {"node_types": {"c5.large": {"cpu": 0.5, "on_demand_usd_per_h": 0.085, "spot_usd_per_h": 0.034}}}
ITERATIONS = 160
WORTH_MEASURING = 900  # iterations that pay for trying every type; the job is stopped before
THREE_TYPES = {
    "node_types": {
        "c5.large": _in_two_zones(cpu=0.4, spot_usd_per_h=0.056),
        "c5.xlarge": _in_two_zones(cpu=0.6, spot_usd_per_h=0.064),
        "c5.2xlarge": _in_two_zones(cpu=0.9, spot_usd_per_h=0.096),
    },
    "capacity": [{"node_type": "c5.large", "zone": "us-east-1a"}],
}
ELSEWHERE = {"us-east-1a": "us-east-1b", "us-east-1b": "us-east-1a"}


def test_three_types_are_measured_and_what_is_sold_out_is_bought_in_another_zone(tmp_path: Path) -> None:
    with told(tmp_path, **THREE_TYPES) as story:
        job_id = story.daemon.submit(name="measured", iterations=WORTH_MEASURING, **TINY)
        _wait_for_a_choice(story, job_id)
        assert story.lab.instances()[0].zone == "us-east-1b", "what it began on was sold out in the cheaper zone"
        _wait_for_a_checkpoint(story, job_id)
        chosen = story.trainer(job_id)
        story.lab.add_trouble(CapacityWindow(zone=chosen.zone))
        story.lab.crash(chosen.instance_id)
        replacement = _wait_for_another(story, job_id, chosen.instance_id)
        zones = {each.instance_id: each.zone for each in story.lab.instances()}
        assert zones[replacement] == ELSEWHERE[chosen.zone], story.tell(job_id)
        story.stop(job_id)
        assert redone(story.windows(job_id)) <= CHECKPOINT_INTERVAL, story.tell(job_id)
        story.check_the_books(job_id)


def test_a_machine_taken_back_costs_no_iteration_and_one_that_vanishes_a_checkpoint_interval(tmp_path: Path) -> None:
    with told(tmp_path, **ONE_TYPE) as story:
        job_id = story.daemon.submit(
            name="taken-back", iterations=ITERATIONS, policy={"name": "fixed", "node_type": "c5.large"}, **TINY
        )
        story.daemon.until_iteration(job_id, 30)
        first = story.trainer(job_id)
        story.lab.interrupt(first.instance_id, notice_s=60)
        second = _wait_for_another(story, job_id, first.instance_id)
        assert redone(story.windows(job_id)) == 0, story.tell(job_id)

        story.daemon.kill()
        story.daemon.start()
        stored = _wait_for_a_checkpoint(story, job_id)
        story.lab.crash(second)
        _wait_for_another(story, job_id, second)

        job = story.daemon.until_phase(job_id, "succeeded")
        windows = story.windows(job_id)
        assert job["iteration"] == ITERATIONS
        assert covered(windows) >= set(range(1, stored + 1)), story.tell(job_id)
        assert redone(windows) <= CHECKPOINT_INTERVAL, story.tell(job_id)
        last = [each for each in windows if each["generation"] == max(every["generation"] for every in windows)]
        resumed_after = min(each["iteration"] - each["iterations"] for each in last)
        assert resumed_after >= stored, story.tell(job_id)
        story.check_the_books(job_id)


def _wait_for_a_choice(story: Story, job_id: str) -> None:
    """Waits until every type is measured and the job trains where it was decided to."""

    def is_chosen() -> bool:
        job = story.daemon.get(f"/v1/jobs/{job_id}")
        measured = {each["group"]["members"][0][0]["node_type"] for each in job["candidates"] if each["samples"] >= 4}
        is_settled = job["phase"] == "running" and job["current_group"] == job["target_group"]
        return len(measured) == 3 and is_settled and len(story.nodes(job_id)) == 1

    story.until(job_id, "every type is measured and one is chosen", is_chosen, timeout_s=150.0)


def _wait_for_another(story: Story, job_id: str, instance_id: str) -> str:
    """Waits until the job trains on another instance than this one, and gives that."""

    def found() -> str | None:
        generation = max(each["generation"] for each in story.windows(job_id))
        trains_on = {each["node_id"] for each in story.windows(job_id) if each["generation"] == generation}
        nodes = {each["id"]: each["provider_id"] for each in story.nodes(job_id, all=True)}
        others = [nodes[each] for each in trains_on if nodes[each] != instance_id]
        return others[0] if others else None

    return str(story.until(job_id, f"training on another instance than {instance_id}", found))


def _wait_for_a_checkpoint(story: Story, job_id: str) -> int:
    """Waits until a checkpoint of the newest generation is stored, and gives its iteration."""
    begun = max(each["iteration"] for each in story.windows(job_id))

    def newest() -> int | None:
        told_of = [int(each["numbers"]["iteration"]) for each in story.events(job_id, "checkpoint")]
        return max((each for each in told_of if each > begun), default=None)

    return int(story.until(job_id, "a checkpoint is stored", newest))
