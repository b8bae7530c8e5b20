"""Lives in which things go wrong keep the promises, and mistakes that are planted are seen."""

from __future__ import annotations

from itertools import count

import pytest

from benchmarks.soak.defects import DEFECTS, catch
from benchmarks.soak.play import Script, play

# One of each kind, and those of findings D3 and D4. `make soak` plants all.
_SAMPLE = {
    "double buy": "P2",
    "forgotten machine": "P3",
    "leases for ever": "P4",
    "never registers": "P5",
    "what runs is free": "P6",
    "lost is free": "P7",
    "gone on request": "P8",
    "buys unwritten": "P9",
    "D4, all machines end": "P10",
    "no cooldown": "P11",
    "drain not waited for": "P12",
    "any jump": "P13",
    "buys unconfirmed": "P14",
    "key unread": "P1",
    "D3, the machine's clock": "ends",
    "D3, no first answer": "ends",
}


@pytest.mark.slow
@pytest.mark.parametrize("first", [0, 100, 200, 300])
def test_twenty_days_with_faults_keep_every_promise(first: int) -> None:
    """Five of them; `make soak` plays a thousand."""
    days = 0.0
    for seed in count(first):
        outcome = play(Script(seed, a_day=6.0))
        assert outcome.violations == (), f"seed {seed}"
        assert outcome.machines > 1
        days += outcome.days
        if days >= 5.0:
            return


@pytest.mark.slow
@pytest.mark.parametrize(("defect", "promise"), _SAMPLE.items())
def test_a_planted_mistake_breaks_its_promise(defect: str, promise: str) -> None:
    assert catch(defect).promise == promise


def test_at_least_thirty_mistakes_are_planted_and_all_are_told_plainly() -> None:
    assert len(DEFECTS) >= 30
    assert {"D3", "D4"} <= {name[:2] for name in DEFECTS}
    for each in DEFECTS.values():
        assert each.what.endswith(".") and len(each.what.split()) < 20
        assert bool(each.off) <= bool(each.without)
