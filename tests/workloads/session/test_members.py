"""Members that come, leave and die, in real processes."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
import torch

from tests.workloads.session.running import assert_near, running_fleet, undisturbed

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("dtype", "tolerance"), [("float64", 1e-12), ("float32", 1e-5)])
def test_scaling_changes_nothing_that_is_trained(tmp_path: Path, dtype: str, tolerance: float) -> None:
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
