"""A random schedule of everything that can happen to members."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from tests.workloads.session import tasks
from tests.workloads.session.running import assert_near, running_fleet, undisturbed
from tests.workloads.session.schedule import Schedule

pytestmark = pytest.mark.slow

# The source of a transfer in its midst, all but one at once, rank 0, one that wakes again, the
# store.
EVERY_WAY_TO_GO = {"leave", "join_and_kill", "kill_two", "kill_first", "stop", "store"}


def test_no_event_tears_the_state_or_changes_what_is_trained(tmp_path: Path) -> None:
    with running_fleet(tmp_path, "--pause", "0.01") as fleet:
        schedule = Schedule(fleet, seed=7567)
        schedule.play(8)
        assert set(schedule.played) >= EVERY_WAY_TO_GO, "choose another seed"
        steps = fleet.await_end(schedule.alive)
        fleet.assert_identical()
        for member in schedule.alive:
            assert_near(member.weights(), undisturbed(steps), tolerance=1e-12)


@pytest.mark.skipif(
    torch.backends.cpu.get_cpu_capability() not in ("AVX2", "AVX512"),
    reason="this processor has no unlike kernels",
)
@pytest.mark.parametrize(
    ("name", "optimizer"),
    [pytest.param("esrgan", "ours", marks=pytest.mark.soak), ("classifier", "adamw")],
)
def test_members_on_unlike_processors_hold_the_same_bytes_at_each_step(
    tmp_path: Path, name: str, optimizer: str
) -> None:
    options = ("--pause", "0.05", "--task", name, "--optimizer", optimizer)
    with running_fleet(tmp_path, *options, capabilities=("avx2", "default")) as fleet:
        schedule = Schedule(fleet, seed=3, least=2)
        schedule.play(3)
        steps = fleet.await_end(schedule.alive)
        fleet.assert_identical()
        wanted = tasks.undisturbed(tasks.task_of(name, optimizer, torch.float64), steps)
        for member in schedule.alive:
            assert_near(member.weights(), wanted, tolerance=1e-4)
