"""The benchmark of the purse in its short form: an hour of six jobs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.purse import Story, play
from elastic.model import CalendarUnit

SHORT = Story(
    jobs=6,
    hours=1.0,
    caps_usd={CalendarUnit.HOUR: 0.08, CalendarUnit.DAY: 2.0},
    tick_s=30.0,
)


@pytest.mark.slow
def test_jobs_that_share_a_purse_keep_it_and_none_starves() -> None:
    found = play(SHORT)
    assert found.violations == []
    assert found.ledgers_usd == pytest.approx(found.bill_usd, rel=0.01)
    assert found.pauses > 0, "the purse was never short"


@pytest.mark.slow
def test_the_benchmark_sees_a_cap_that_is_passed() -> None:
    found = play(replace(SHORT, has_purse=False))
    assert any("cost" in each and "of its cap" in each for each in found.violations)
