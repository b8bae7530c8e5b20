"""Lives in which things go wrong keep the promises, and a broken promise is seen."""

from __future__ import annotations

import pytest

from benchmarks.soak.faults import FaultKind
from benchmarks.soak.play import play
from elastic.reconciler.machines import Machines

pytestmark = [pytest.mark.slow]


@pytest.mark.parametrize("seed", [0, 3, 7])
def test_a_life_with_twelve_faults_a_day_keeps_every_promise(seed: int) -> None:
    outcome = play(seed, 12.0)
    assert outcome.violations == ()
    assert outcome.met and outcome.machines > 1
    assert outcome.phase == "succeeded"


def test_machines_that_are_not_ended_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Machines, "_terminate", lambda *args, **kwargs: None)
    outcome = play(3, 12.0, (FaultKind.NO_PRICES,))
    assert "P3" in {each.promise for each in outcome.violations}
