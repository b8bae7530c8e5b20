"""The ticker: a tick at each interval, and earlier where a tick asks for it."""

from __future__ import annotations

import threading
from datetime import datetime, tzinfo

import pytest
import structlog
from apscheduler.schedulers import base
from apscheduler.schedulers.background import BackgroundScheduler

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


def test_ticks_that_ask_for_another_at_once_get_it_each_time() -> None:
    ticks = threading.Semaphore(0)

    def tick() -> float:
        ticks.release()
        return 0.0

    ticker = Ticker(tick, interval_s=3600.0, clock=SystemClock())
    ticker.start()
    try:
        assert all(ticks.acquire(timeout=20.0) for _ in range(20)), (
            "the next ticks would have come in an hour"
        )
    finally:
        ticker.stop()


def test_it_ends_though_a_tick_asks_for_another_just_then(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tick sees that the scheduler runs, and asks it when it is being stopped."""
    is_asking, is_stopped = threading.Event(), threading.Event()
    main = threading.current_thread()

    class StoppedWhileAsked(BackgroundScheduler):  # type: ignore[misc]  # it has no types
        @property
        def running(self) -> bool:
            runs: bool = super().running
            if runs and threading.current_thread() not in (main, stopping):
                is_asking.set()
                is_stopped.wait(0.5)
            return runs

        def shutdown(self, wait: bool = True) -> None:
            threading.Timer(0.1, is_stopped.set).start()
            super().shutdown(wait)

    monkeypatch.setattr("elastic.ticker.BackgroundScheduler", StoppedWhileAsked)
    ticker = Ticker(lambda: 0.0, interval_s=3600.0, clock=SystemClock())
    stopping = threading.Thread(target=ticker.stop, daemon=True)
    ticker.start()
    assert is_asking.wait(20.0)
    stopping.start()
    stopping.join(20.0)
    assert not stopping.is_alive(), "the tick and the scheduler wait for each other"


def test_a_tick_that_takes_longer_than_the_time_between_two_is_told() -> None:
    has_ticked = threading.Event()

    def tick() -> None:
        has_ticked.wait(0.05)
        has_ticked.set()

    with structlog.testing.capture_logs() as said:
        ticker = Ticker(tick, interval_s=0.02, clock=SystemClock())
        ticker.start()
        assert has_ticked.wait(20.0)
        ticker.stop()
    assert {
        "event": "a tick takes longer than the time between two",
        "log_level": "warning",
    }.items() <= said[0].items()


def test_it_goes_on_where_the_wall_clock_is_set_back(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks, back_by_s, now_s = threading.Semaphore(0), 0.0, SystemClock().now_s

    class WallClock(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
            return datetime.fromtimestamp(now_s() - back_by_s, tz)

    monkeypatch.setattr(base, "datetime", WallClock)
    monkeypatch.setattr(SystemClock, "now_s", lambda _: now_s() - back_by_s)
    ticker = Ticker(ticks.release, interval_s=0.05, clock=SystemClock())
    ticker.start()
    try:
        assert ticks.acquire(timeout=20.0)
        back_by_s = 3600.0
        assert all(ticks.acquire(timeout=20.0) for _ in range(5)), (
            "the next ticks would have come in an hour"
        )
    finally:
        ticker.stop()
