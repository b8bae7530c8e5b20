"""The whole story on a local EC2 whose machines boot: bought, measured, moved, taken back, and paid to the cent."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.cloud_story import CHECKPOINT_INTERVAL, TINY, Story, covered, redone, told

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

ONE_TYPE = {"node_types": {"c5.large": {"cpu": 0.5, "on_demand_usd_per_h": 0.085, "spot_usd_per_h": 0.034}}}
ITERATIONS = 160


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


def _wait_for_another(story: Story, job_id: str, instance_id: str) -> str:
    """Waits until the job trains on another instance than this one, and gives that."""

    def found() -> str | None:
        generation = max(each["generation"] for each in story.windows(job_id))
        trains_on = {each["node_id"] for each in story.windows(job_id) if each["generation"] == generation}
        nodes = {each["id"]: each["provider_id"] for each in story.nodes(job_id, all=True)}
        others = [nodes[each] for each in trains_on if nodes[each] != instance_id]
        return others[0] if others else None

    return str(story.daemon.until(f"training on another instance than {instance_id}", found))


def _wait_for_a_checkpoint(story: Story, job_id: str) -> int:
    """Waits until a checkpoint of the newest generation is stored, and gives its iteration."""
    begun = max(each["iteration"] for each in story.windows(job_id))

    def newest() -> int | None:
        told_of = [int(each["numbers"]["iteration"]) for each in story.events(job_id, "checkpoint")]
        return max((each for each in told_of if each > begun), default=None)

    return int(story.daemon.until("a checkpoint is stored", newest))
