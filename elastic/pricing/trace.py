"""Prices replayed from a trace, at its own pace or faster; the file is read again if it changes."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from elastic.errors import InvalidInput, PriceUnavailable
from elastic.pricing.base import Quote
from elastic.pricing.trace_file import TraceRow, read_trace


class TracePrices:
    """Replays `rows`: those with `after_s` from `started_at_s` on, those with `at_s` at that time.

    The first kind is replayed `speed` times as fast. A restarted daemon passes the same
    `started_at_s` again, and so continues in the middle of the replay. If two rows change one
    offering at one instant, the later row counts.
    """

    name = "trace"

    def __init__(
        self,
        rows: Iterable[TraceRow],
        *,
        started_at_s: float,
        speed: float = 1.0,
        observed_to_s: float | None = None,
    ) -> None:
        if not (math.isfinite(speed) and speed > 0):
            raise InvalidInput(
                f"speed: wanted a positive, finite factor, got {speed}", field="speed"
            )
        quotes = (
            Quote(row.offering, row.usd_per_h, _instant_s(row, started_at_s, speed), self.name)
            for row in rows
        )
        ordered = sorted(quotes, key=lambda quote: (quote.offering, quote.valid_from_s))
        self._by_offering = [
            _without_ties(changes) for _, changes in groupby(ordered, key=lambda q: q.offering)
        ]
        # Up to here an earlier daemon has read the trace, and charged by its prices. So an earlier
        # change that it missed holds only from here on.
        self._seen_to_s = self._known_from_s = observed_to_s

    def refresh(self, now_s: float) -> tuple[Quote, ...]:
        if self._seen_to_s is None:
            since_s = now_s
        else:
            since_s = min(self._seen_to_s, now_s)
        self._seen_to_s = now_s
        if self._known_from_s is None:
            self._known_from_s = now_s
        found = [
            replace(quote, valid_from_s=max(quote.valid_from_s, self._known_from_s))
            for changes in self._by_offering
            for quote in _between(changes, since_s, now_s)
        ]
        return tuple(sorted(found, key=lambda quote: (quote.valid_from_s, quote.offering)))


def _instant_s(row: TraceRow, started_at_s: float, speed: float) -> float:
    if row.at_s is not None:
        return row.at_s
    assert row.after_s is not None  # a row has one of the two
    return started_at_s + row.after_s / speed


def _without_ties(changes: Iterable[Quote]) -> list[Quote]:
    return list({quote.valid_from_s: quote for quote in changes}.values())


def _between(changes: list[Quote], since_s: float, now_s: float) -> list[Quote]:
    """The quote in force at `now_s`, and those that came after `since_s` and were replaced."""
    upto = bisect_right(changes, now_s, key=lambda quote: quote.valid_from_s)
    after = bisect_right(changes, since_s, key=lambda quote: quote.valid_from_s)
    return changes[max(0, min(after, upto - 1)) : upto]


_Stamp = tuple[int, int, int]


class FollowedTrace:
    """Replays `table` and the trace at `path`, which may be replaced by renaming another file.

    While the file cannot be read, there is no answer, and earlier prices stay in force.
    """

    name = "trace"

    def __init__(
        self,
        path: Path,
        *,
        table: Sequence[TraceRow] = (),
        started_at_s: float,
        speed: float = 1.0,
        observed_to_s: float | None = None,
    ) -> None:
        self._path = path
        self._table = table
        self._started_at_s = started_at_s
        self._speed = speed
        self._observed_to_s = observed_to_s
        self._stamp = _stamp_of(path)
        self._replay = self._read()
        # Changes while no daemon ran are reported only once, by the first replay.
        self._observed_to_s = None

    def refresh(self, now_s: float) -> tuple[Quote, ...]:
        stamp = _stamp_of(self._path)
        if stamp == self._stamp:
            return self._replay.refresh(now_s)
        try:
            fresh = self._read()
        except InvalidInput as error:
            raise PriceUnavailable(str(error)) from error
        # The old replay is asked a last time, so that no change between the two is lost.
        missed = self._replay.refresh(now_s)
        self._stamp = stamp
        self._replay = fresh
        return _in_order({*missed, *fresh.refresh(now_s)})

    def _read(self) -> TracePrices:
        rows = [*self._table, *read_trace(self._path)]
        return TracePrices(
            rows,
            started_at_s=self._started_at_s,
            speed=self._speed,
            observed_to_s=self._observed_to_s,
        )


def _in_order(quotes: set[Quote]) -> tuple[Quote, ...]:
    return tuple(sorted(quotes, key=lambda quote: (quote.valid_from_s, quote.offering)))


def _stamp_of(path: Path) -> _Stamp | None:
    """What identifies the state of a file; None while there is no file."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
