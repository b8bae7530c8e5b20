"""The ticker: a tick at each interval, and earlier where a tick asks for it."""

from __future__ import annotations

import threading

from elastic.clock import SystemClock
from elastic.ticker import Ticker


def test_a_tick_that_asks_for_another_gets_it_before_the_interval_is_over() -> None:
    answers: list[float | None] = [0.01, 0.01, None]
    has_asked_enough = threading.Event()

    def tick() -> float | None:
        answer = answers.pop(0)
        if not answers:
            has_asked_enough.set()
        return answer

    ticker = Ticker(tick, interval_s=3600.0, clock=SystemClock())
    ticker.start()
    try:
        assert has_asked_enough.wait(20.0), "the next ticks would have come in an hour"
    finally:
        ticker.stop()
    assert answers == []
