"""The benchmark of the purse on the lab, in its short form: three jobs on two machines."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.purse_lab import Row, play

HELD = Row(
    jobs=3,
    minutes=3.0,
    cap_usd=0.2,
    machines=2,
    spent_share={"hour": 0.9},
    billed_share=0.9,
    pause_held=True,
    ledgers_usd=0.1,
    bill_usd=0.1,
)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (replace(HELD, spent_share={"hour": 1.01}), "of the cap of the hour 101 % was spent"),
        (replace(HELD, billed_share=1.2), "an hour's bill was 120 % of its cap"),
        (replace(HELD, starved=["job-1"]), "job-1 starved"),
        (replace(HELD, redone=3), "3 iterations were done twice"),
        (replace(HELD, pause_held=None), "the paused job"),
        (replace(HELD, ledgers_usd=0.102), "the ledgers are 2 % off the bill"),
    ],
)
def test_each_promise_that_was_broken_is_said(row: Row, said: str) -> None:
    assert HELD.faults == []
    (fault,) = row.faults
    assert fault.startswith(said)


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.timeout(600)
def test_jobs_on_the_lab_keep_the_purse_and_the_ledgers_are_the_bill() -> None:
    row = play(jobs=3, minutes=4.0, machines=2, seed=1, say=lambda text: None)
    assert row.faults == [], row.lines()
    assert row.most_at_once <= 2
