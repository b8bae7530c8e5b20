"""A random schedule of everything that can happen to members."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.workloads.session.running import assert_near, running_fleet, undisturbed
from tests.workloads.session.schedule import Schedule

pytestmark = pytest.mark.slow


def test_no_event_tears_the_state_or_changes_what_is_trained(tmp_path: Path) -> None:
    with running_fleet(tmp_path, "--pause", "0.01") as fleet:
        schedule = Schedule(fleet, seed=11)
        schedule.play(8)
        steps = fleet.await_end(schedule.alive)
        fleet.assert_identical()
        for member in schedule.alive:
            assert_near(member.weights(), undisturbed(steps), tolerance=1e-12)
