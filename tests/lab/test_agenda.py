"""The lab's agenda under a clock that somebody else moves."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from elastic.clock import ManualClock
from elastic.lab.agenda import Agenda


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(100.0)


@pytest.fixture
def agenda(clock: ManualClock) -> Iterator[Agenda]:
    agenda = Agenda(clock)
    agenda.start()
    yield agenda
    agenda.end()


def test_it_tells_when_the_next_entry_is_due(agenda: Agenda) -> None:
    assert agenda.next_at_s() is None
    agenda.at(120.0, lambda: None)
    agenda.at(110.0, lambda: None)
    assert agenda.next_at_s() == 110.0


def test_who_stops_at_every_entry_has_each_done_at_its_instant(agenda: Agenda, clock: ManualClock) -> None:
    done_at_s: list[float] = []

    def note() -> None:
        done_at_s.append(clock.now_s())
        if len(done_at_s) == 1:
            agenda.at(105.0, note)

    agenda.at(103.0, note)
    while (at_s := agenda.next_at_s()) is not None:
        clock.advance(at_s - clock.now_s())
        agenda.catch_up()
    assert done_at_s == [103.0, 105.0]
