"""Members that come, leave and die, in real processes."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
import torch

from tests.workloads.session.running import assert_near, running_fleet, undisturbed

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("dtype", "tolerance"), [("float64", 1e-12), ("float32", 1e-5)])
def test_scaling_changes_nothing_that_is_trained(
    tmp_path: Path, dtype: str, tolerance: float
) -> None:
    with running_fleet(tmp_path, "--dtype", dtype) as fleet:
        (first,) = fleet.start()
        fleet.await_world([first])
        second, third = fleet.start(2)
        fleet.await_world([first, second, third])
        first.kill(signal.SIGTERM)  # rank 0 and, so far, the source of all state
        fleet.await_world([second, third])
        third.kill()
        fleet.await_world([second])
        (fourth,) = fleet.start()
        fleet.await_world([second, fourth])
        steps = fleet.await_end([first, second, fourth])
        assert first.has("left") and second.has("finished") and fourth.has("finished")
        fleet.assert_identical()
        fleet.assert_nothing_lost([first, second, fourth])
        wanted = undisturbed(steps, dtype=getattr(torch, dtype))
        assert_near(second.weights(), wanted, tolerance=tolerance)
        assert_near(fourth.weights(), wanted, tolerance=tolerance)


def test_a_member_whose_training_hangs_is_given_up_and_comes_in_again(tmp_path: Path) -> None:
    with running_fleet(tmp_path, hang_s=1.0) as fleet:
        members = fleet.start(3)
        fleet.await_world(members, further=20)
        hanging, *others = sorted(members, key=lambda member: member.last["rank"])
        hanging.hang()  # rank 0, whose process and links live on
        fleet.await_world(others)
        hanging.hang(is_hanging=False)
        fleet.await_world(members)
        steps = fleet.await_end(members)
        fleet.assert_identical()
        fleet.assert_nothing_lost(others)
        assert_near(hanging.weights(), undisturbed(steps), tolerance=1e-12)


def test_a_newcomer_that_hangs_in_its_first_turn_is_given_up(tmp_path: Path) -> None:
    with running_fleet(tmp_path, hang_s=1.0) as fleet:
        members = fleet.start(2)
        fleet.await_world(members, further=20)
        (tmp_path / "member-2.hang").touch()
        (hanging,) = fleet.start()
        fleet.await_event(hanging, "joined")
        fleet.await_step(members, hanging.events()[-1]["step"] + 20)
        assert not hanging.steps()
        said = [member.log.with_suffix(".err").read_text() for member in members]
        assert any(
            "session: gives up" in each and "(sums begun in round" in each for each in said
        ), "one is enough"
        (fourth,) = fleet.start()
        fleet.await_world([*members, fourth])
        hanging.hang(is_hanging=False)
        fleet.await_world([*members, fourth, hanging])
        steps = fleet.await_end(fleet.members)
        fleet.assert_identical()
        fleet.assert_nothing_lost(members)
        assert_near(hanging.weights(), undisturbed(steps), tolerance=1e-12)
