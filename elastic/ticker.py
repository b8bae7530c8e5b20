"""The ticker runs the daemon's tick at each interval, and earlier when asked."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime

import structlog
from apscheduler.schedulers.background import BackgroundScheduler

from elastic.clock import Clock, SystemClock
from elastic.errors import ElasticError, LeaseLost

log = structlog.get_logger(__name__)


class Ticker:
    """Runs a tick at every interval, and soon after `wake`; never two at once.

    `tick` may return in how many seconds the next one is due, if that is before the interval ends.
    A tick that raises LeaseLost is the last one: then the whole process ends.
    """

    def __init__(
        self, tick: Callable[[], float | None], *, interval_s: float, clock: Clock
    ) -> None:
        self._tick = tick
        self._clock = clock
        self._interval_s = interval_s
        self._one_at_a_time = threading.Lock()
        self._is_woken = threading.Event()
        self._is_over = False
        # When the last tick ended (on the wall clock), how many seconds it took, and why it failed
        # if it did.
        self.last: tuple[float, float, str | None] | None = None
        self._scheduler = BackgroundScheduler(
            job_defaults={"coalesce": True, "misfire_grace_time": None}
        )
        # The scheduler waits for instants of the wall clock. If that is set back, this timer, which
        # uses a clock that cannot be set, starts the next tick after two intervals.
        self._late = threading.Timer(0.0, self._restart)

    def start(self) -> None:
        self._restart()
        self._scheduler.start()

    def wake(self) -> None:
        """Asks for a tick now; several calls before it begins make one tick."""
        if not self._is_woken.is_set() and not self._is_over and self._scheduler.running:
            self._is_woken.set()
            self._scheduler.add_job(self._run)

    def stop(self) -> None:
        """Returns when the tick in progress, if any, is over."""
        if self._scheduler.running:
            # APScheduler holds its lock while it waits for its jobs. One that asks for another just
            # then would wait for that lock, and neither would end. So the last tick is over first.
            self._scheduler.pause()
            with self._one_at_a_time:
                self._is_over = True
            self._late.cancel()
            # A job that is due during the shutdown would be an error in the scheduler's thread.
            self._scheduler.remove_all_jobs()
            self._scheduler.shutdown(wait=True)

    def _restart(self) -> None:
        """Ticks now, and from now on at every interval."""
        once = {"id": "tick", "replace_existing": True, "max_instances": 1}
        self._scheduler.add_job(
            self._run, "interval", seconds=self._interval_s, next_run_time=_in(0.0), **once
        )

    def _run(self) -> None:
        with self._one_at_a_time:
            if self._is_over:
                return
            self._is_woken.clear()
            self._late.cancel()
            started_s = time.monotonic()
            failure: str | None = None
            again_s: float | None = None
            try:
                again_s = self._tick()
            except LeaseLost as error:
                failure = str(error)
                self._scheduler.pause()
                # The API stops, and `serve` raises the error.
                os.kill(os.getpid(), signal.SIGTERM)
            except ElasticError as error:
                failure = str(error)
                log.error("tick failed; the next one looks again", error=failure)
            except Exception as error:
                # The next tick looks at the whole world again, so one failure must not end them.
                failure = repr(error)
                log.exception("tick failed; the next one looks again")
            elapsed_s = time.monotonic() - started_s
            self.last = (self._clock.now_s(), elapsed_s, failure)
            if elapsed_s > self._interval_s:
                log.warning(
                    "a tick takes longer than the time between two", elapsed_s=round(elapsed_s, 1)
                )
            if again_s is not None and again_s < self._interval_s and self._scheduler.running:
                # The scheduler skips a job with as many instances as it may have. This one, which
                # asks for the next, has not returned yet, so more than one must be allowed.
                once = {"id": "again", "replace_existing": True, "max_instances": 10}
                self._scheduler.add_job(self._run, "date", run_date=_in(again_s), **once)
            if self._scheduler.running:
                self._late = threading.Timer(2 * self._interval_s, self._restart)
                self._late.daemon = True
                self._late.start()


def _in(wait_s: float) -> datetime:
    """An instant by the wall clock, which the scheduler uses; the daemon's may be ahead of it."""
    return datetime.fromtimestamp(SystemClock().now_s() + wait_s, UTC)
