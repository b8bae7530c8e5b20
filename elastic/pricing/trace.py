"""Prices replayed from a trace, at the trace's own pace or faster."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import replace
from itertools import groupby

from elastic.errors import InvalidInput
from elastic.pricing.base import Quote
from elastic.pricing.trace_file import TraceRow


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
