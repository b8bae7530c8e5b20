"""The lab's schedule under a clock that somebody else moves."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from elastic.clock import ManualClock
from elastic_lab.schedule import Schedule


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(100.0)


@pytest.fixture
def schedule(clock: ManualClock) -> Iterator[Schedule]:
    schedule = Schedule(clock)
    schedule.start()
    yield schedule
    schedule.end()


def test_it_tells_when_the_next_entry_is_due(schedule: Schedule) -> None:
    assert schedule.next_at_s() is None
    schedule.at(120.0, lambda: None)
    schedule.at(110.0, lambda: None)
    assert schedule.next_at_s() == 110.0


def test_who_stops_at_every_entry_has_each_done_at_its_instant(
    schedule: Schedule, clock: ManualClock
) -> None:
    done_at_s: list[float] = []

    def note() -> None:
        done_at_s.append(clock.now_s())
        if len(done_at_s) == 1:
            schedule.at(105.0, note)

    schedule.at(103.0, note)
    while (at_s := schedule.next_at_s()) is not None:
        clock.advance(at_s - clock.now_s())
        schedule.catch_up()
    assert done_at_s == [103.0, 105.0]
